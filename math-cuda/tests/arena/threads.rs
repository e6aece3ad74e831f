//! Frees and resets of several threads under one lock, in every order that a scheduler may choose.

use lambda_math_cuda::arena::{Arena, GRANULE_BYTES, Lifetime};
use shuttle::sync::{Arc, Mutex};
use shuttle::{check_random, thread};

/// Handles of earlier epochs are given back by one thread while another resets and allocates. No block is
/// issued twice, and the accounts close.
#[test]
fn late_frees_and_resets_interleave() {
    check_random(
        || {
            let arena = Arc::new(Mutex::new(Arena::new(4 * GRANULE_BYTES)));
            let alloc = |arena: &Mutex<Arena>, lifetime| {
                arena.lock().expect("no panic").alloc(GRANULE_BYTES, "test", lifetime).ok()
            };
            let kept = alloc(&arena, Lifetime::Persistent).expect("there is room");
            let early: Vec<_> = (0..3).filter_map(|_| alloc(&arena, Lifetime::Transient)).collect();
            let freeing = thread::spawn({
                let arena = arena.clone();
                move || {
                    for block in &early {
                        arena.lock().expect("no panic").free(block);
                    }
                }
            });
            let resetting = thread::spawn({
                let arena = arena.clone();
                move || {
                    arena.lock().expect("no panic").reset();
                    let mine: Vec<_> = (0..3).filter_map(|_| alloc(&arena, Lifetime::Transient)).collect();
                    assert_eq!(mine.len(), 3, "the reset took all transient blocks back");
                    let mut offsets: Vec<u64> = mine.iter().map(|block| block.offset).collect();
                    offsets.push(kept.offset);
                    offsets.sort_unstable();
                    offsets.dedup();
                    assert_eq!(offsets.len(), 4, "no two blocks share bytes");
                    mine
                }
            });
            freeing.join().expect("no panic");
            let mine = resetting.join().expect("no panic");
            let mut arena = arena.lock().expect("no panic");
            assert_eq!(arena.stats().blocks, 4);
            for block in mine.iter().chain([&kept]) {
                arena.free(block);
            }
            assert_eq!(arena.stats().used_bytes, 0);
        },
        2000,
    );
}
