//! The shadow against a list of all accesses: operations on several streams, blocks, words and parts of
//! words.

use std::sync::atomic::{AtomicUsize, Ordering};

use lambda_cuda_emu::memory::{Access, Actor, Block, ReaderSets};
use lambda_cuda_emu::schedule::{Goal, Policy, Scheduler, StreamKind};
use proptest::prelude::*;

const STREAMS: usize = 3;
const WORDS: u64 = 2;

#[derive(Clone, Copy, Debug)]
struct Touch {
    block: u32,
    offset: u64,
    bytes: u32,
    access: Access,
}

#[derive(Clone, Debug)]
struct Operation {
    stream: usize,
    joins: Option<usize>,
    touches: Vec<Touch>,
}

fn touch(whole_words: bool) -> impl Strategy<Value = Touch> {
    let lengths = if whole_words { vec![8u32] } else { vec![1, 2, 4, 8, 16] };
    let access = prop_oneof![4 => Just(Access::Read), 4 => Just(Access::Write), 2 => Just(Access::Atomic)];
    (0..3u32, prop::sample::select(lengths), any::<prop::sample::Index>(), access).prop_map(
        |(block, bytes, place, access)| {
            let places = 8 * WORDS as usize / bytes as usize;
            Touch { block, offset: (place.index(places) * bytes as usize) as u64, bytes, access }
        },
    )
}

fn operations(whole_words: bool) -> impl Strategy<Value = Vec<Operation>> {
    let touches = prop::collection::vec(touch(whole_words), 1..5);
    let operation = (0..STREAMS, prop::option::weighted(0.6, 0..STREAMS), touches);
    let operation = operation.prop_map(|(stream, joins, touches)| Operation { stream, joins, touches });
    prop::collection::vec(operation, 1..8)
}

/// What was accessed before, with who did it.
struct Known {
    operation: usize,
    touch: Touch,
}

fn conflict(known: &Known, operation: usize, touch: Touch, before: u64) -> bool {
    let a = known.touch;
    let overlap =
        a.offset < touch.offset + u64::from(touch.bytes) && touch.offset < a.offset + u64::from(a.bytes);
    let both = |access| a.access == access && touch.access == access;
    let same = known.operation == operation;
    let ordered = if same {
        a.block == touch.block || both(Access::Atomic)
    } else {
        before >> known.operation & 1 == 1
    };
    overlap && !both(Access::Read) && !ordered
}

/// Index of the first access that the shadow refuses and of the first that conflicts by the list.
fn first_refusals(operations: &[Operation]) -> [Option<(usize, usize)>; 2] {
    let block = Block::reserve(8 * WORDS as usize, 0).unwrap();
    let readers = ReaderSets::default();
    let mut scheduler: Scheduler<()> = Scheduler::new(Policy::Eager, 0);
    let streams = [(); STREAMS].map(|()| scheduler.create_stream(StreamKind::NonBlocking));
    let init = scheduler.enqueue(streams[0], "init", (), None);
    let first = scheduler.next(Goal::Background).unwrap();
    {
        let actor = Actor::new(first.id, &first.clock, scheduler.history(), &readers);
        block.touch_range(block.base(), 8 * WORDS, &actor, Access::Write).unwrap();
    }
    scheduler.complete(first.stream, first.index);
    scheduler.host_learns(&init.clock);

    let (mut known, mut of_stream, mut before) = (Vec::<Known>::new(), [0u64; STREAMS], vec![]);
    let mut refused = [None; 2];
    for (number, operation) in operations.iter().enumerate() {
        let point = operation.joins.map(|other| scheduler.point(streams[other]));
        scheduler.enqueue(streams[operation.stream], "operation", (), point.as_ref());
        let running = scheduler.next(Goal::Background).unwrap();
        let joined = operation.joins.map_or(0, |other| of_stream[other]);
        before.push(of_stream[operation.stream] | joined);
        of_stream[operation.stream] = before[number] | 1 << number;

        let actor = Actor::new(running.id, &running.clock, scheduler.history(), &readers);
        for (index, &touch) in operation.touches.iter().enumerate() {
            let conflicts = known.iter().any(|other| conflict(other, number, touch, before[number]));
            let address = block.base() + touch.offset;
            let allowed = block.touch(address, touch.bytes, &actor, touch.block, touch.access).is_ok();
            for (refused, now) in refused.iter_mut().zip([!allowed, conflicts]) {
                if now && refused.is_none() {
                    *refused = Some((number, index));
                }
            }
            if refused != [None; 2] {
                return refused;
            }
            known.push(Known { operation: number, touch });
        }
        scheduler.complete(running.stream, running.index);
    }
    refused
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn of_whole_words_the_first_conflict_is_found(operations in operations(true)) {
        let [refused, conflicting] = first_refusals(&operations);
        prop_assert_eq!(refused, conflicting);
    }

    #[test]
    fn of_parts_of_words_no_conflict_is_invented(operations in operations(false)) {
        let [refused, conflicting] = first_refusals(&operations);
        prop_assert!(refused.is_none() || refused == conflicting, "{:?} {:?}", refused, conflicting);
    }
}

/// A plain store to one byte and an atomic access of another do not make the second a plain one.
#[test]
fn plain_and_atomic_accesses_of_one_word_stay_apart() {
    let touch = |block, offset, access| Touch { block, offset, bytes: 1, access };
    let touches =
        vec![touch(2, 8, Access::Write), touch(2, 12, Access::Atomic), touch(0, 12, Access::Atomic)];
    assert_eq!(first_refusals(&[Operation { stream: 0, joins: None, touches }]), [None, None]);
}

/// Two blocks on two host threads meet at every word; whichever way they interleave, one of them is refused.
#[test]
fn of_two_blocks_that_run_at_once_one_is_refused() {
    const CELLS: usize = 1 << 13;
    let readers = ReaderSets::default();
    for pair in [[Access::Write, Access::Read], [Access::Write; 2], [Access::Read, Access::Atomic]] {
        let block = Block::reserve(8 * CELLS, 0).unwrap();
        let mut scheduler: Scheduler<()> = Scheduler::new(Policy::Eager, 0);
        let running = |scheduler: &mut Scheduler<()>| {
            scheduler.enqueue(0, "operation", (), None);
            let operation = scheduler.next(Goal::Background).unwrap();
            scheduler.complete(operation.stream, operation.index);
            operation
        };
        let first = running(&mut scheduler);
        let actor = Actor::new(first.id, &first.clock, scheduler.history(), &readers);
        block.touch_range(block.base(), 8 * CELLS as u64, &actor, Access::Write).unwrap();

        let second = running(&mut scheduler);
        let actor = Actor::new(second.id, &second.clock, scheduler.history(), &readers);
        let arrived = AtomicUsize::new(0);
        let run = |number: u32, access: Access| -> Vec<bool> {
            let touch = |cell: usize| {
                // Both threads arrive at a cell before one leaves for it.
                arrived.fetch_add(1, Ordering::SeqCst);
                let mut spins = 0u32;
                while arrived.load(Ordering::SeqCst) < 2 * (cell + 1) {
                    spins += 1;
                    if spins.is_multiple_of(1 << 12) {
                        std::thread::yield_now()
                    } else {
                        std::hint::spin_loop()
                    }
                }
                block.touch(block.base() + 8 * cell as u64, 8, &actor, number, access).is_err()
            };
            (0..CELLS).map(touch).collect()
        };
        let (one, other) = std::thread::scope(|scope| {
            let other = scope.spawn(|| run(1, pair[1]));
            (run(0, pair[0]), other.join().unwrap())
        });
        let missed = one.iter().zip(&other).filter(|(one, other)| !**one && !**other).count();
        assert_eq!(missed, 0, "{pair:?}");
    }
}
