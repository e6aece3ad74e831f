//! Work of several streams on the same buffers, and arenas with faults planted, which the stand-in driver has
//! to catch: a detector that never fires proves nothing.

use lambda_math::Goldilocks;
use lambda_math_cuda::arena::Flaws;
use lambda_math_cuda::{Device, DeviceBuffer, DeviceError, DeviceOptions, kernels};
use p3_field::PrimeCharacteristicRing;
use serde_json::json;

use crate::card::{each_device, needs_emulator};
use crate::kit::{emulated, options, report, values};

const CELLS: usize = 4096;

/// One stream writes and reads a buffer, which is dropped at once; another stream gets the bytes.
fn recycle(device: &Device) -> Result<(u64, Vec<Goldilocks>), DeviceError> {
    let (first, second) = (device.stream()?, device.stream()?);
    let mut twin = first.alloc::<Goldilocks>(CELLS, "twin")?;
    let buffer = first.upload(&values(CELLS, 1), "recycled")?;
    let offset = buffer.offset();
    first.copy(&mut twin, &buffer)?;
    drop(buffer);
    let mut next: DeviceBuffer<Goldilocks> = second.alloc(CELLS, "next owner")?;
    assert_eq!(next.offset(), offset, "the bytes are handed out at once");
    kernels::fill::fill(&second, next.as_slice_mut(), 5)?;
    second.synchronize()?;
    Ok((offset, first.download(&twin)?))
}

#[test]
fn a_recycled_block_is_written_after_its_last_reader() {
    each_device(|device, _| {
        let (_, copied) = recycle(device).expect("it is in order");
        assert!(copied == values(CELLS, 1), "the reader saw the next owner's cells");
    });
}

/// Without the waits, this is how a composition polynomial comes out wholly wrong with right inputs.
#[test]
fn an_arena_that_forgets_pending_work_is_caught() {
    if needs_emulator("whether the streams collide there is chance") {
        return;
    }
    let flaws = Flaws { forgets_pending_work: true, ..Flaws::default() };
    for seed in 0..4 {
        let description = json!({"schedule": "lazy", "seed": seed});
        let device = emulated(description, DeviceOptions { flaws, ..options() });
        let outcome = recycle(&device);
        let report = report(&device);
        assert!(outcome.is_err(), "seed {seed}: nobody noticed: {report}");
        assert!(report.contains("recycled") || report.contains("next owner"), "{report}");
    }
}

/// Two readers on two streams, and a writer on a third, which waits for both.
#[test]
fn a_writer_waits_for_every_reader() {
    each_device(|device, stream| {
        let readers = [device.stream().expect("a stream"), device.stream().expect("a stream")];
        let writer = device.stream().expect("a stream");
        let cells = values(CELLS, 2);
        let mut shared = stream.upload(&cells, "shared").expect("there is room");
        let copies: Vec<_> = readers
            .iter()
            .map(|reader| {
                let mut copy = reader.alloc::<Goldilocks>(CELLS, "copy").expect("there is room");
                reader.copy(&mut copy, &shared).expect("both live");
                copy
            })
            .collect();
        kernels::fill::fill(&writer, shared.as_slice_mut(), 9).expect("it is live");
        for (reader, copy) in readers.iter().zip(&copies) {
            assert!(reader.download(copy).expect("it is live") == cells);
        }
        assert!(stream.download(&shared).expect("it is live") == vec![Goldilocks::from_u64(9); CELLS]);
    });
}

/// A stream that is dropped with work pending keeps its place in the order.
#[test]
fn a_dropped_streams_work_is_waited_for() {
    each_device(|device, stream| {
        let cells = values(CELLS, 3);
        let mut target = stream.alloc::<Goldilocks>(CELLS, "target").expect("there is room");
        {
            let dropped = device.stream().expect("a stream");
            let source = dropped.upload(&cells, "source").expect("there is room");
            dropped.copy(&mut target, &source).expect("both live");
        }
        // Whoever gets that stream next issues after its work.
        let next = device.stream().expect("a stream");
        let mut over = next.alloc::<Goldilocks>(CELLS, "over").expect("there is room");
        kernels::fill::fill(&next, over.as_slice_mut(), 1).expect("it is live");
        assert!(stream.download(&target).expect("it is live") == cells);
    });
}

/// Many streams that use and drop what others made, from several threads.
#[test]
fn threads_share_a_device() {
    each_device(|device, _| {
        let outcomes: Vec<Vec<Goldilocks>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4u64)
                .map(|seed| {
                    scope.spawn(move || {
                        let stream = device.stream().expect("a stream");
                        let mut sum = stream.upload(&values(CELLS, seed), "sum").expect("there is room");
                        for step in 0..6 {
                            let other = stream.upload(&values(CELLS, seed + step), "step").expect("room");
                            stream.copy(&mut sum, &other).expect("both live");
                        }
                        stream.download(&sum).expect("it is live")
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        for (seed, outcome) in outcomes.iter().enumerate() {
            assert!(*outcome == values(CELLS, seed as u64 + 5), "{seed}");
        }
    });
}
