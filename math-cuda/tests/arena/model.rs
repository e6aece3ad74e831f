//! Random sequences of calls against a model that knows, byte by byte, who owns what and who touched it.

use std::collections::BTreeMap;

use lambda_math_cuda::arena::{Access, Allocation, Arena, Freed, GRANULE_BYTES, Lifetime, StreamId};
use proptest::prelude::*;

const GRANULES: u64 = 48;
const STREAMS: u32 = 3;

#[derive(Clone, Debug)]
enum Step {
    Alloc {
        granules: u64,
        lifetime: Lifetime,
    },
    /// Gives back one of all handles ever made, also those that are over.
    Free(prop::sample::Index),
    Use {
        handle: prop::sample::Index,
        access: Access,
        stream: u32,
    },
    Reset,
}

fn step() -> impl Strategy<Value = Step> {
    let lifetime = prop_oneof![4 => Just(Lifetime::Transient), 1 => Just(Lifetime::Persistent)];
    let access = prop_oneof![Just(Access::Read), Just(Access::Write)];
    prop_oneof![
        6 => (0..=9u64, lifetime).prop_map(|(granules, lifetime)| Step::Alloc { granules, lifetime }),
        4 => any::<prop::sample::Index>().prop_map(Step::Free),
        6 => (any::<prop::sample::Index>(), access, 0..STREAMS)
            .prop_map(|(handle, access, stream)| Step::Use { handle, access, stream }),
        1 => Just(Step::Reset),
    ]
}

/// The last work of each stream that a granule's bytes may still see, since a write that waited for it.
type Touched = BTreeMap<StreamId, u64>;

#[derive(Default)]
struct Model {
    /// Owner of each granule, a position in `handles`.
    owners: BTreeMap<u64, usize>,
    touched: BTreeMap<u64, Touched>,
    handles: Vec<(Allocation, bool)>,
    /// Bytes in use after each allocation, 0 for a refused one.
    levels: Vec<u64>,
    stale_frees: u64,
}

fn granules(allocation: &Allocation) -> std::ops::Range<u64> {
    allocation.offset / GRANULE_BYTES..(allocation.offset + allocation.bytes) / GRANULE_BYTES
}

impl Model {
    fn used_bytes(&self) -> u64 {
        self.owners.len() as u64 * GRANULE_BYTES
    }

    fn end(&mut self, handle: usize) {
        self.handles[handle].1 = false;
        self.owners.retain(|_, owner| *owner != handle);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_arena_agrees_with_the_model(steps in prop::collection::vec(step(), 1..80)) {
        let mut arena = Arena::new(GRANULES * GRANULE_BYTES);
        let mut model = Model::default();
        let mut tickets = [0u64; STREAMS as usize];
        let mut peak = 0;
        for step in steps {
            match step {
                Step::Alloc { granules: wanted, lifetime } => {
                    let Ok(allocation) = arena.alloc(wanted * GRANULE_BYTES, "test", lifetime) else {
                        let run = longest_free_run(&model);
                        prop_assert!(run < wanted.max(1), "{wanted} granules fit into {run}");
                        model.levels.push(0);
                        continue;
                    };
                    let handle = model.handles.len();
                    for granule in granules(&allocation) {
                        prop_assert!(granule < GRANULES);
                        let owner = model.owners.insert(granule, handle);
                        prop_assert_eq!(owner, None, "granule {} is issued twice", granule);
                    }
                    model.handles.push((allocation, true));
                    model.levels.push(model.used_bytes());
                }
                Step::Free(index) if !model.handles.is_empty() => {
                    let handle = index.index(model.handles.len());
                    let (allocation, live) = model.handles[handle];
                    let freed = arena.free(&allocation);
                    prop_assert_eq!(freed, if live { Freed::Returned } else { Freed::Stale });
                    if live { model.end(handle) } else { model.stale_frees += 1 }
                }
                Step::Use { handle, access, stream } if !model.handles.is_empty() => {
                    let (allocation, live) = model.handles[handle.index(model.handles.len())];
                    let waits = arena.waits(&allocation, access);
                    prop_assert_eq!(waits.is_ok(), live);
                    let Ok(waits) = waits else { continue };
                    let waits: Touched = waits.iter().collect();
                    let stream = StreamId(stream);
                    tickets[stream.0 as usize] += 1;
                    let ticket = tickets[stream.0 as usize];
                    if access == Access::Write {
                        for granule in granules(&allocation) {
                            // Whatever touched these bytes is waited for, or is of the same stream.
                            for (&other, &last) in model.touched.get(&granule).into_iter().flatten() {
                                let waited = waits.get(&other).is_some_and(|&until| until >= last);
                                prop_assert!(waited || other == stream, "{granule}: {other:?} at {last}");
                            }
                            model.touched.insert(granule, Touched::from([(stream, ticket)]));
                        }
                    } else {
                        for granule in granules(&allocation) {
                            model.touched.entry(granule).or_default().insert(stream, ticket);
                        }
                    }
                    arena.note_use(&allocation, access, stream, ticket).expect("it is live");
                }
                Step::Reset => {
                    let ended = arena.reset();
                    let over: Vec<usize> = (0..model.handles.len())
                        .filter(|&handle| {
                            let (allocation, live) = model.handles[handle];
                            live && allocation.lifetime == Lifetime::Transient
                        })
                        .collect();
                    prop_assert_eq!(ended.len(), over.len());
                    over.into_iter().for_each(|handle| model.end(handle));
                }
                Step::Free(_) | Step::Use { .. } => {}
            }
            let stats = arena.stats();
            peak = peak.max(model.used_bytes());
            prop_assert_eq!(stats.used_bytes, model.used_bytes());
            prop_assert_eq!(stats.peak_bytes, peak);
            prop_assert_eq!(stats.allocations, model.levels.len() as u64);
            for since in 0..=model.levels.len() {
                let highest = model.levels[since..].iter().max().copied().unwrap_or(0);
                prop_assert_eq!(arena.highest_bytes_since(since as u64), highest, "since {}", since);
            }
            prop_assert_eq!(stats.stale_frees, model.stale_frees);
            prop_assert_eq!(stats.largest_free_bytes, longest_free_run(&model) * GRANULE_BYTES);
        }
        // Everything given back, the accounts are what they were.
        for handle in 0..model.handles.len() {
            arena.free(&model.handles[handle].0);
        }
        let stats = arena.stats();
        prop_assert_eq!((stats.used_bytes, stats.blocks), (0, 0));
        prop_assert_eq!(stats.largest_free_bytes, stats.budget_bytes);
    }
}

fn longest_free_run(model: &Model) -> u64 {
    let (mut longest, mut run) = (0, 0);
    for granule in 0..GRANULES {
        run = if model.owners.contains_key(&granule) { 0 } else { run + 1 };
        longest = longest.max(run);
    }
    longest
}
