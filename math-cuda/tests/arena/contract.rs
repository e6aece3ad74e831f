//! One test for each sentence of the contract.

use lambda_math_cuda::DeviceError;
use lambda_math_cuda::arena::{
    Access, Allocation, Arena, Epoch, Freed, GRANULE_BYTES, Ledger, Lifetime, StreamId, Uses,
};

const A: StreamId = StreamId(0);
const B: StreamId = StreamId(1);

fn alloc(arena: &mut Arena, granules: u64) -> Allocation {
    arena.alloc(granules * GRANULE_BYTES, "test", Lifetime::Transient).expect("there is room")
}

#[test]
fn a_stale_free_is_dropped_and_counted() {
    let mut arena = Arena::new(4 * GRANULE_BYTES);
    let old = alloc(&mut arena, 4);
    arena.reset();
    let new = alloc(&mut arena, 4);
    assert_eq!(new.offset, old.offset, "the reset reclaimed the bytes");
    assert_eq!(arena.free(&old), Freed::Stale);
    assert_eq!(arena.stats().stale_frees, 1);
    // The bytes are not issued a second time.
    assert!(matches!(arena.alloc(1, "other", Lifetime::Transient), Err(DeviceError::OutOfMemory { .. })));
    assert!(arena.waits(&new, Access::Read).is_ok(), "the new block is untouched");
}

#[test]
fn a_free_of_the_same_epoch_is_reused() {
    let mut arena = Arena::new(4 * GRANULE_BYTES);
    let first = alloc(&mut arena, 4);
    assert_eq!(arena.free(&first), Freed::Returned);
    let second = alloc(&mut arena, 4);
    assert_eq!(second.offset, first.offset);
}

/// Of the same epoch too: the bytes have another owner by the second time, or are free already.
#[test]
fn a_double_free_is_dropped_and_counted() {
    let mut arena = Arena::new(4 * GRANULE_BYTES);
    let first = alloc(&mut arena, 4);
    assert_eq!(arena.free(&first), Freed::Returned);
    assert_eq!(arena.free(&first), Freed::Stale, "while its bytes are free");
    let second = alloc(&mut arena, 4);
    assert_eq!(arena.free(&first), Freed::Stale, "while they are another's");
    assert!(arena.waits(&second, Access::Write).is_ok(), "who still has them");
    let stats = arena.stats();
    assert_eq!((stats.blocks, stats.stale_frees), (1, 2));
}

#[test]
fn a_stale_use_is_an_error_that_names_both_epochs() {
    let mut arena = Arena::new(4 * GRANULE_BYTES);
    let old = alloc(&mut arena, 2);
    arena.reset();
    alloc(&mut arena, 4);
    let error = DeviceError::Stale { label: "test", made: Epoch(0), now: Epoch(1) };
    assert_eq!(arena.waits(&old, Access::Read), Err(error.clone()));
    assert_eq!(arena.note_use(&old, Access::Write, A, 1), Err(error));
}

#[test]
fn persistent_blocks_outlive_resets_below_the_transient_ones() {
    let mut arena = Arena::new(16 * GRANULE_BYTES);
    let kept = arena.alloc(GRANULE_BYTES, "kept", Lifetime::Persistent).expect("there is room");
    for _ in 0..10 {
        let transient = alloc(&mut arena, 3);
        assert!(transient.offset > kept.offset);
        arena.reset();
        assert!(arena.waits(&kept, Access::Write).is_ok());
    }
    assert_eq!(arena.stats().used_bytes, GRANULE_BYTES);
    assert_eq!(arena.free(&kept), Freed::Returned, "in any epoch");
}

#[test]
fn a_reader_waits_for_the_writer_and_a_writer_for_all() {
    let mut arena = Arena::new(GRANULE_BYTES);
    let block = alloc(&mut arena, 1);
    arena.note_use(&block, Access::Write, A, 7).expect("live");
    assert_eq!(arena.waits(&block, Access::Read), Ok(Uses::one(A, 7)));
    arena.note_use(&block, Access::Read, A, 8).expect("live");
    arena.note_use(&block, Access::Read, B, 3).expect("live");
    assert_eq!(arena.waits(&block, Access::Read), Ok(Uses::one(A, 7)), "readers do not wait for readers");
    let mut all = Uses::one(A, 8);
    all.add(B, 3);
    assert_eq!(arena.waits(&block, Access::Write), Ok(all));
    arena.note_use(&block, Access::Write, B, 4).expect("live");
    assert_eq!(arena.waits(&block, Access::Write), Ok(Uses::one(B, 4)), "B waited for the others");
}

/// The composition race: a block that another stream still reads is given back, and handed out again.
#[test]
fn whoever_writes_to_recycled_bytes_waits_for_their_last_readers() {
    let mut arena = Arena::new(2 * GRANULE_BYTES);
    let read = alloc(&mut arena, 2);
    arena.note_use(&read, Access::Write, A, 1).expect("live");
    arena.note_use(&read, Access::Read, A, 2).expect("live");
    arena.note_use(&read, Access::Read, B, 5).expect("live");
    arena.free(&read);
    let mut both = Uses::one(A, 2);
    both.add(B, 5);
    for half in [alloc(&mut arena, 1), alloc(&mut arena, 1)] {
        assert_eq!(arena.waits(&half, Access::Write), Ok(both.clone()));
        assert_eq!(arena.waits(&half, Access::Read), Ok(both.clone()), "even if nobody writes first");
    }
    arena.reset();
    let whole = alloc(&mut arena, 2);
    assert_eq!(arena.waits(&whole, Access::Write), Ok(both), "a reset forgets nothing");
}

#[test]
fn placement_depends_on_the_calls_alone() {
    let run = |uses: bool| {
        let mut arena = Arena::new(64 * GRANULE_BYTES);
        let mut offsets = Vec::new();
        let mut live = Vec::new();
        for step in 0..40u64 {
            let block = alloc(&mut arena, 1 + step * 7 % 5);
            offsets.push(block.offset);
            if uses {
                arena.note_use(&block, Access::Write, StreamId(step as u32 % 3), step + 1).expect("live");
            }
            live.push(block);
            if step % 3 != 0 {
                let index = (step * 5) as usize % live.len();
                arena.free(&live.swap_remove(index));
            }
        }
        offsets
    };
    assert_eq!(run(false), run(true));
}

/// An arena of the peak extent is enough for the same calls.
#[test]
fn the_peak_extent_is_enough() {
    let run = |budget_bytes: u64| -> Result<u64, DeviceError> {
        let mut arena = Arena::new(budget_bytes);
        let mut live = Vec::new();
        for step in 0..60u64 {
            let lifetime = if step % 7 == 0 { Lifetime::Persistent } else { Lifetime::Transient };
            live.push(arena.alloc((1 + step * 11 % 9) * GRANULE_BYTES, "test", lifetime)?);
            if step % 4 != 0 {
                let index = (step * 5) as usize % live.len();
                arena.free(&live.swap_remove(index));
            }
            if step % 23 == 0 {
                arena.reset();
            }
        }
        Ok(arena.stats().peak_extent_bytes)
    };
    let extent = run(1 << 20).expect("there is room");
    assert!(extent < 1 << 17);
    assert_eq!(run(extent), Ok(extent));
}

#[test]
fn a_refusal_says_what_was_wanted_and_who_has_the_rest() {
    let mut arena = Arena::new(8 * GRANULE_BYTES);
    let [_a, b, _c] = ["LDE", "tree", "LDE"]
        .map(|label| arena.alloc(2 * GRANULE_BYTES, label, Lifetime::Transient).expect("there is room"));
    arena.free(&b);
    let before = arena.stats();
    let error = arena.alloc(3 * GRANULE_BYTES - 1, "codeword", Lifetime::Transient).expect_err("no room");
    assert_eq!(
        error.to_string(),
        "out of device memory: `codeword` wants 768 bytes of a budget of 2048, 1024 are free, 512 in one \
         piece; in use: LDE 1024"
    );
    assert_eq!(arena.stats().used_bytes, before.used_bytes);
}

#[test]
fn denied_allocations_fail_and_the_next_works() {
    let mut arena = Arena::new(8 * GRANULE_BYTES);
    arena.deny(1, 2);
    let outcomes = [0; 4].map(|_| arena.alloc(1, "test", Lifetime::Transient).is_ok());
    assert_eq!(outcomes, [true, false, false, true]);
}

#[test]
fn sizes_do_not_overflow() {
    let mut arena = Arena::new(8 * GRANULE_BYTES);
    for bytes in [u64::MAX, u64::MAX - GRANULE_BYTES, 8 * GRANULE_BYTES + 1] {
        assert!(arena.alloc(bytes, "huge", Lifetime::Transient).is_err());
    }
    assert_eq!(Arena::new(GRANULE_BYTES - 1).stats().budget_bytes, 0);
}

#[test]
fn the_ledger_promises_no_byte_twice() {
    let ledger = Ledger::new(100);
    let first = ledger.reserve(60);
    let second = ledger.reserve(u64::MAX);
    assert_eq!([first.bytes(), second.bytes(), ledger.reserve(1).bytes()], [60, 40, 0]);
    assert_eq!(ledger.unreserved_bytes(), 0);
    drop(first);
    assert_eq!(ledger.unreserved_bytes(), 60);
    drop(second);
    assert_eq!(ledger.unreserved_bytes(), ledger.budget_bytes());
}
