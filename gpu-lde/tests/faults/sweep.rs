//! Many plans. `LAMBDA_SWEEP_SEEDS` says how many, `LAMBDA_SWEEP_FIRST` with which to begin, and
//! `LAMBDA_SWEEP_SEED` runs one alone.

use std::collections::BTreeMap;
use std::env;

use lambda_prover::{Action, Policy};

use crate::plan::Plan;
use crate::run::{Ending, watched};

/// How many plans run unless the environment says otherwise.
const DEFAULT_SEEDS: u64 = 60;
/// Failures after which a sweep ends.
const MOST_FAILURES: usize = 10;
/// Plans after which a sweep says how far it is.
const SAID_EVERY: u64 = 100;

#[test]
fn every_plan_ends_as_it_must() {
    let seeds = match number("LAMBDA_SWEEP_SEED") {
        Some(seed) => seed..seed + 1,
        None => {
            let first = number("LAMBDA_SWEEP_FIRST").unwrap_or(0);
            first..first + number("LAMBDA_SWEEP_SEEDS").unwrap_or(DEFAULT_SEEDS)
        }
    };
    let mut endings: BTreeMap<Ending, u64> = BTreeMap::new();
    let mut actions: BTreeMap<Action, u64> = BTreeMap::new();
    let mut failures = Vec::new();
    for plan in seeds.clone().map(Plan::new) {
        match watched(&plan) {
            Ok(summary) => {
                if seeds.end - seeds.start == 1 || summary.ending == Ending::OtherBytes {
                    println!("{plan}: {summary:?}");
                }
                *endings.entry(summary.ending).or_default() += 1;
                for action in summary.actions {
                    *actions.entry(action).or_default() += 1;
                }
            }
            Err(failure) => {
                println!("{failure}");
                failures.push(failure);
            }
        }
        if (plan.seed + 1 - seeds.start).is_multiple_of(SAID_EVERY) {
            println!("up to seed {}: endings {endings:?}, {} failures", plan.seed, failures.len());
        }
        if failures.len() >= MOST_FAILURES {
            break;
        }
    }
    println!("seeds {seeds:?}: endings {endings:?}, actions {actions:?}");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n\n"));
}

/// The arena hands out blocks that kernels still use, as a recycling allocator may: the emulator notices, and
/// no proof suffers.
#[test]
fn recycled_blocks_do_no_harm() {
    let plan = |seed| Plan {
        forgets_pending_work: true,
        policy: Policy::Recover,
        denied: None,
        faults: Vec::new(),
        ..Plan::new(seed)
    };
    let endings: Vec<Vec<Action>> = (0..6)
        .map(|seed| watched(&plan(seed)).unwrap_or_else(|failure| panic!("{failure}")).actions)
        .collect();
    assert!(endings.iter().any(|actions| actions.contains(&Action::Restart)), "{endings:?}");
}

#[expect(clippy::disallowed_methods, reason = "a sweep is as long as its caller has time")]
fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is a number, not `{text}`")))
}
