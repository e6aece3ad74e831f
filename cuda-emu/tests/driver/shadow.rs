//! The shadow against a list of all accesses: operations on several streams, blocks, words and parts of
//! words.

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
