//! A stage that is moved to the host, for every stage and every kind of table: tables that are on the host
//! from there on beside others that are not.

use std::collections::BTreeSet;

use lambda_gpu_lde::BackendOptions;
use lambda_prover::Stage;

use crate::kit;
use crate::mixes::{KINDS, Kind, MIXES, Mix};
use crate::run::{AMPLE_BYTES, assert_same, device, random};

/// Stages that leave everything on the host, where it is: they ask for no memory.
const WITHOUT_MEMORY: [Stage; 2] = [Stage::Load, Stage::LoadPreprocessed];

/// Allocations that are refused are so far apart.
const STRIDE: usize = 13;

/// Random sets of stages, each proven under random refusals.
const RANDOM_SETS: u64 = 10;

fn kinds() -> &'static Mix {
    &MIXES[KINDS]
}

/// Proves with these stages moved to the host; whether the backend counted a move.
fn assert_moved(stages: impl IntoIterator<Item = Stage>, denied: Option<(u64, u64)>, seed: u64) -> bool {
    let force_downgrade: BTreeSet<Stage> = stages.into_iter().collect();
    let what = format!("{force_downgrade:?} on the host, {denied:?} refused");
    let options = BackendOptions { force_downgrade, ..BackendOptions::default() };
    let (_, counters) = assert_same(kinds(), &device(AMPLE_BYTES, random(seed)), options, denied, &what);
    counters.downgrades > 0
}

/// Bug: the tests below move stages of tables that all look alike.
#[test]
fn every_kind_of_table_is_there() {
    assert_eq!(kinds().kinds(), BTreeSet::from(Kind::ALL));
    let tables = &kinds().system.verifying_key().tables;
    assert!(tables.iter().any(|table| table.shape.preprocessed_width > 0));
}

/// Bug: a new stage has no host arm, or one that reads what is only on the device.
#[test]
fn each_alone() {
    for &stage in Stage::ALL {
        assert!(assert_moved([stage], None, 1), "{stage} never moved");
    }
    assert_moved(Stage::ALL.iter().copied(), None, 1);
}

/// Bug: a stage on the host leaves something that the next one does not take over, because it moves too.
#[test]
fn each_with_its_neighbour() {
    for pair in Stage::ALL.windows(2) {
        assert!(assert_moved(pair.iter().copied(), None, 2), "{pair:?} never moved");
    }
}

/// Some stages by option, others because memory is refused: tables move one by one.
#[test]
fn some_while_memory_is_refused() {
    let mut state = 0x57a6e5;
    let mut below = |bound: u64| kit::random(&mut state) % bound;
    for seed in 0..RANDOM_SETS {
        let stages: Vec<Stage> = Stage::ALL.iter().copied().filter(|_| below(5) == 0).collect();
        let denied = (below(200), 1 + below(30));
        assert_moved(stages, Some(denied), seed);
    }
}

/// Allocations refused from all over the proof, one alone and all from there on: whichever stage it is that
/// asks, it recovers. Bug: a stage asks for memory and has no ladder.
#[test]
fn every_stage_that_asks_for_memory_is_refused() {
    let ample = device(AMPLE_BYTES, random(0));
    assert_same(kinds(), &ample, BackendOptions::default(), None, "ample");
    let mut met = BTreeSet::new();
    for after in (0..ample.stats().allocations).step_by(STRIDE) {
        for count in [1, u64::MAX] {
            let device = device(AMPLE_BYTES, random(after));
            let (denied, what) = (Some((after, count)), format!("{count} allocations refused after {after}"));
            let (events, _) = assert_same(kinds(), &device, BackendOptions::default(), denied, &what);
            assert!(!events.is_empty(), "{what}");
            met.extend(events.iter().map(|event| event.stage.clone()));
        }
    }
    let ask = Stage::ALL.iter().filter(|stage| !WITHOUT_MEMORY.contains(stage));
    assert_eq!(met, ask.map(|stage| stage.name().to_owned()).collect());
}
