//! A loop like a training loop: batches of samples, each sample a chain of kernels in arena memory that
//! adds to persistent buffers in place, and a reset after each. Handles of earlier samples are dropped
//! late, at the worst moments, under poison, in an arena that is hardly large enough.
//!
//! The loop is written once, over [`Steps`], and runs on a device and in an arena over memory of the host.
//! What it computes is exact.

use std::cell::Cell;

use lambda_math::ntt::{NttPlan, coset_lde};
use lambda_math::{Columns, Ext3, Goldilocks, domain};
use lambda_math_cuda::arena::{Flaws, Lifetime};
use lambda_math_cuda::kernels::fri::{Joining, join};
use lambda_math_cuda::kernels::ntt::{self, Twiddles};
use lambda_math_cuda::{Device, DeviceBuffer, DeviceError, DeviceOptions, Stream};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use serde_json::json;

use crate::card::on_device;
use crate::host_arena::{HostArena, HostBuffer};
use crate::kit::{options, report, values};

const BATCHES: u64 = 3;
const SAMPLES: u64 = 4;
const LOG2: u32 = 8;
const ROWS: usize = 1 << LOG2;
/// Cells of an extension column, extended.
const CELLS: usize = 3 * 2 * ROWS;
/// On a device: twiddles, two persistent buffers, and one sample.
const DEVICE_BYTES: u64 = 384 << 10;
/// On the host: the same without twiddles.
const HOST_BYTES: u64 = 44 << 10;

/// The arena that the loop runs in, and what it computes there.
trait Steps {
    type Buffer;
    fn upload(
        &self,
        cells: &[Goldilocks],
        label: &'static str,
        lifetime: Lifetime,
    ) -> Result<Self::Buffer, DeviceError>;
    fn download(&self, buffer: &Self::Buffer) -> Result<Vec<Goldilocks>, DeviceError>;
    fn offset(buffer: &Self::Buffer) -> u64;
    fn reset(&self) -> Result<(), DeviceError>;
    /// The extension of three columns, in a new buffer.
    fn extend(&self, trace: &Self::Buffer) -> Result<Self::Buffer, DeviceError>;
    /// `to += weight · from`.
    fn add(&self, to: &mut Self::Buffer, from: &Self::Buffer, weight: u64) -> Result<(), DeviceError>;
}

fn sample(batch: u64, sample: u64) -> Vec<Goldilocks> {
    values(3 * ROWS, 100 * batch + sample)
}

fn extended(trace: Vec<Goldilocks>) -> Vec<Goldilocks> {
    let plan = NttPlan::new(LOG2, 1);
    coset_lde(&plan, &Columns::from_values(trace, ROWS), domain::SHIFT).values().to_vec()
}

fn add(to: &mut [Goldilocks], from: &[Goldilocks], weight: u64) {
    let weight = Goldilocks::from_u64(weight);
    to.iter_mut().zip(from).for_each(|(to, &from)| *to += weight * from);
}

/// What the loop computes, without an arena: every sample is extended and added to the sum, weighed with the
/// batch's number; after a batch, the sum is added to the parameters in place.
fn expected() -> [Vec<Goldilocks>; 2] {
    let mut sum = vec![Goldilocks::ZERO; CELLS];
    let mut parameters = values(CELLS, 7);
    for batch in 0..BATCHES {
        for step in 0..SAMPLES {
            add(&mut sum, &extended(sample(batch, step)), batch + 2);
        }
        add(&mut parameters, &sum, 3);
    }
    [sum, parameters]
}

fn run<S: Steps>(steps: &S) -> Result<[Vec<Goldilocks>; 2], DeviceError> {
    let mut sum = steps.upload(&[Goldilocks::ZERO; CELLS], "sum", Lifetime::Persistent)?;
    let mut parameters = steps.upload(&values(CELLS, 7), "parameters", Lifetime::Persistent)?;
    let places = [S::offset(&sum), S::offset(&parameters)];
    let mut late: Vec<S::Buffer> = Vec::new();
    for batch in 0..BATCHES {
        for step in 0..SAMPLES {
            let trace = steps.upload(&sample(batch, step), "trace", Lifetime::Transient)?;
            // A handle of an earlier sample goes while this sample's buffers have its bytes.
            late.truncate(late.len().saturating_sub(1));
            let lde = steps.extend(&trace)?;
            let scratch = steps.upload(&values(ROWS, step), "scratch", Lifetime::Transient)?;
            late.pop();
            steps.add(&mut sum, &lde, batch + 2)?;
            steps.reset()?;
            late.extend([trace, lde, scratch]);
        }
        steps.add(&mut parameters, &sum, 3)?;
    }
    assert_eq!([S::offset(&sum), S::offset(&parameters)], places, "persistent buffers do not move");
    Ok([steps.download(&sum)?, steps.download(&parameters)?])
}

/// Two streams of a device that take turns, so that every chain of work changes streams.
pub struct Alternating {
    pub device: Device,
    streams: [Stream; 2],
    turn: Cell<usize>,
}

impl Alternating {
    pub fn new(device: &Device) -> Result<Self, DeviceError> {
        let streams = [device.stream()?, device.stream()?];
        Ok(Self { device: device.clone(), streams, turn: Cell::new(0) })
    }

    /// The stream whose turn it is.
    pub fn next(&self) -> &Stream {
        self.turn.set(self.turn.get() ^ 1);
        &self.streams[self.turn.get()]
    }
}

struct OnDevice {
    streams: Alternating,
    twiddles: Twiddles,
}

impl Steps for OnDevice {
    type Buffer = DeviceBuffer<Goldilocks>;

    fn upload(
        &self,
        cells: &[Goldilocks],
        label: &'static str,
        lifetime: Lifetime,
    ) -> Result<Self::Buffer, DeviceError> {
        let stream = self.streams.next();
        let mut buffer = match lifetime {
            Lifetime::Transient => stream.alloc(cells.len(), label)?,
            Lifetime::Persistent => stream.alloc_persistent(cells.len(), label)?,
        };
        stream.write(&mut buffer, cells)?;
        Ok(buffer)
    }

    fn download(&self, buffer: &Self::Buffer) -> Result<Vec<Goldilocks>, DeviceError> {
        self.streams.next().download(buffer)
    }

    fn offset(buffer: &Self::Buffer) -> u64 {
        buffer.offset()
    }

    fn reset(&self) -> Result<(), DeviceError> {
        self.streams.device.reset()
    }

    fn extend(&self, trace: &Self::Buffer) -> Result<Self::Buffer, DeviceError> {
        let stream = self.streams.next();
        let mut lde = stream.alloc(CELLS, "lde")?;
        let (from, to) = (trace.as_slice(), lde.as_slice_mut());
        ntt::coset_lde(stream, &self.twiddles, LOG2, 1, from, domain::SHIFT, to)?;
        Ok(lde)
    }

    fn add(&self, to: &mut Self::Buffer, from: &Self::Buffer, weight: u64) -> Result<(), DeviceError> {
        let weight = Ext3::from(Goldilocks::from_u64(weight));
        join(self.streams.next(), to, Joining { codeword: from.as_slice(), weight })
    }
}

impl Steps for HostArena {
    type Buffer = HostBuffer;

    fn upload(
        &self,
        cells: &[Goldilocks],
        label: &'static str,
        lifetime: Lifetime,
    ) -> Result<HostBuffer, DeviceError> {
        Self::upload(self, &words(cells), label, lifetime)
    }

    fn download(&self, buffer: &HostBuffer) -> Result<Vec<Goldilocks>, DeviceError> {
        Ok(buffer.read()?.into_iter().map(Goldilocks::new).collect())
    }

    fn offset(buffer: &HostBuffer) -> u64 {
        buffer.offset()
    }

    fn reset(&self) -> Result<(), DeviceError> {
        Self::reset(self);
        Ok(())
    }

    fn extend(&self, trace: &HostBuffer) -> Result<HostBuffer, DeviceError> {
        Self::upload(self, &words(&extended(self.download(trace)?)), "lde", Lifetime::Transient)
    }

    fn add(&self, to: &mut HostBuffer, from: &HostBuffer, weight: u64) -> Result<(), DeviceError> {
        let mut cells = self.download(to)?;
        add(&mut cells, &self.download(from)?, weight);
        to.write(&words(&cells))
    }
}

fn words(cells: &[Goldilocks]) -> Vec<u64> {
    cells.iter().map(PrimeField64::as_canonical_u64).collect()
}

/// Options of a device with a small arena.
pub fn tight(budget_bytes: u64, flaws: Flaws) -> DeviceOptions {
    DeviceOptions { poison: true, flaws, budget_bytes: Some(budget_bytes), ..options() }
}

fn run_on(device: &Device) -> Result<[Vec<Goldilocks>; 2], DeviceError> {
    let streams = Alternating::new(device)?;
    let twiddles = Twiddles::new(streams.next())?;
    run(&OnDevice { streams, twiddles })
}

#[test]
fn the_loop_gives_what_the_host_gives() {
    for seed in 0..6 {
        let schedule = json!({"schedule": "random", "seed": seed});
        on_device(schedule, tight(DEVICE_BYTES, Flaws::default()), |device| {
            let outcome = run_on(device).unwrap_or_else(|error| panic!("{error}: {}", report(device)));
            assert!(outcome == expected(), "seed {seed}");
        });
    }
}

#[test]
fn the_loop_in_an_arena_of_the_host() {
    let outcome = run(&HostArena::new(HOST_BYTES, Flaws::default())).expect("there is room");
    assert!(outcome == expected());
}

/// Without the check of the epoch, a late handle gives a live block back.
#[test]
fn an_arena_without_the_epoch_check_fails() {
    let flaws = Flaws { accepts_stale_frees: true, ..Flaws::default() };
    for seed in 0..4 {
        let schedule = json!({"schedule": "random", "seed": seed});
        on_device(schedule, tight(DEVICE_BYTES, flaws), |device| {
            assert!(run_on(device).ok() != Some(expected()), "seed {seed}: nobody noticed");
        });
    }
    assert!(run(&HostArena::new(HOST_BYTES, flaws)).ok() != Some(expected()), "nobody noticed on the host");
}
