//! A loop like a training loop: batches of samples, each sample a chain of kernels in arena memory that adds to
//! persistent buffers in place, and a reset after each. Handles of earlier samples are dropped late, at the
//! worst moments, under poison, in an arena that is hardly large enough.

use lambda_math::ntt::{NttPlan, coset_lde};
use lambda_math::{Columns, Ext3, Goldilocks, domain};
use lambda_math_cuda::arena::Flaws;
use lambda_math_cuda::kernels::fri::{Joining, join};
use lambda_math_cuda::kernels::ntt::{self, Twiddles};
use lambda_math_cuda::{Device, DeviceBuffer, DeviceError, DeviceOptions};
use p3_field::PrimeCharacteristicRing;
use serde_json::json;

use crate::kit::{emulated, options, values};

const BATCHES: u64 = 3;
const SAMPLES: u64 = 4;
const LOG2: u32 = 8;
const ROWS: usize = 1 << LOG2;
/// Cells of an extension column, extended.
const CELLS: usize = 3 * 2 * ROWS;

fn sample(batch: u64, sample: u64) -> Vec<Goldilocks> {
    values(3 * ROWS, 100 * batch + sample)
}

/// What the loop computes, on the host: every sample is extended and added to the sum, weighed with the batch's
/// parameter; after a batch, the sum is added to the parameters in place.
fn expected() -> (Vec<Goldilocks>, Vec<Goldilocks>) {
    let plan = NttPlan::new(LOG2, 1);
    let mut sum = vec![Goldilocks::ZERO; CELLS];
    let mut parameters = values(CELLS, 7);
    for batch in 0..BATCHES {
        for step in 0..SAMPLES {
            let lde = coset_lde(&plan, &Columns::from_values(sample(batch, step), ROWS), domain::SHIFT);
            let weight = Goldilocks::from_u64(batch + 2);
            sum.iter_mut().zip(lde.values()).for_each(|(sum, &cell)| *sum += weight * cell);
        }
        let weight = Goldilocks::from_u64(3);
        parameters.iter_mut().zip(&sum).for_each(|(parameter, &sum)| *parameter += weight * sum);
    }
    (sum, parameters)
}

fn run(device: &Device) -> Result<(Vec<Goldilocks>, Vec<Goldilocks>), DeviceError> {
    let (stream, other) = (device.stream()?, device.stream()?);
    let twiddles = Twiddles::new(&stream)?;
    let mut sum = stream.alloc_persistent::<Goldilocks>(CELLS, "sum")?;
    stream.fill_zero(&mut sum)?;
    let mut parameters = stream.alloc_persistent::<Goldilocks>(CELLS, "parameters")?;
    stream.write(&mut parameters, &values(CELLS, 7))?;
    let places = (sum.offset(), parameters.offset());
    let mut late: Vec<DeviceBuffer<Goldilocks>> = Vec::new();
    for batch in 0..BATCHES {
        for step in 0..SAMPLES {
            let trace = stream.upload(&sample(batch, step), "trace")?;
            // A handle of an earlier sample goes while this sample's buffers have its bytes.
            late.truncate(late.len().saturating_sub(1));
            let mut lde = stream.alloc::<Goldilocks>(CELLS, "lde")?;
            let (from, to) = (trace.as_slice(), lde.as_slice_mut());
            ntt::coset_lde(&stream, &twiddles, LOG2, 1, from, domain::SHIFT, to)?;
            let scratch = other.upload(&values(ROWS, step), "scratch")?;
            late.pop();
            let weight = Ext3::from(Goldilocks::from_u64(batch + 2));
            join(&other, &mut sum, Joining { codeword: lde.as_slice(), weight })?;
            device.reset()?;
            late.extend([trace, lde, scratch]);
        }
        let weight = Ext3::from(Goldilocks::from_u64(3));
        join(&stream, &mut parameters, Joining { codeword: sum.as_slice(), weight })?;
    }
    assert_eq!((sum.offset(), parameters.offset()), places, "persistent buffers do not move");
    Ok((stream.download(&sum)?, other.download(&parameters)?))
}

fn small(seed: u64, flaws: Flaws) -> Device {
    // Twiddles, two persistent buffers, and one sample.
    let options = DeviceOptions { poison: true, flaws, budget_bytes: Some(TIGHT_BYTES), ..options() };
    emulated(json!({"schedule": "random", "seed": seed}), options)
}

const TIGHT_BYTES: u64 = 384 << 10;

#[test]
fn the_loop_gives_what_the_host_gives() {
    for seed in 0..6 {
        let device = small(seed, Flaws::default());
        let outcome = run(&device).unwrap_or_else(|error| panic!("{error}: {}", crate::kit::report(&device)));
        assert!(outcome == expected(), "seed {seed}");
    }
}

/// Without the check of the epoch, a late handle gives a live block back.
#[test]
fn an_arena_without_the_epoch_check_fails() {
    for seed in 0..4 {
        let device = small(seed, Flaws { accepts_stale_frees: true, ..Flaws::default() });
        let fails = match run(&device) {
            Ok(outcome) => outcome != expected(),
            Err(_) => true,
        };
        assert!(fails, "seed {seed}: nobody noticed");
    }
}
