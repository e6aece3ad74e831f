//! What goes wrong in one run, all of it drawn from a seed.

use std::fmt;

use lambda_prover::Policy;
use serde_json::{Value, json};

use crate::kit::random;
use crate::mixes::{MIXES, Mix};
use crate::run::{UNPRESSURED, Unpressured};

/// Kernels of the composition window; the first also computes the messages of lookup columns.
const WINDOW_KERNELS: [&str; 2] = ["program_run_*", "quotient_finish"];

/// Buffers in which a bit may flip.
const LABELS: [&str; 14] = [
    "trace",
    "LDE",
    "lookup trace",
    "quotient part",
    "preprocessed LDE",
    "row digests",
    "tree nodes",
    "codeword",
    "denominators",
    "twiddles",
    "weights",
    "powers",
    "messages",
    "constraint sums",
];

/// How far a fault reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Work is refused, and nothing has happened.
    Refused,
    /// A value of a composition or of lookup columns is wrong: the check at ζ notices.
    Composition,
    /// Some bit of some buffer is wrong. Where no equation of the proof system reads it, such as in a digest
    /// that is not opened, another proof of the same statement can come out.
    Memory,
    /// The device is unusable from there on.
    Broken,
}

/// One entry of the emulator's fault plan.
#[derive(Clone, Debug)]
pub struct PlannedFault {
    /// How far it reaches.
    pub reach: Reach,
    /// The entry, as the emulator reads it.
    pub entry: Value,
}

/// Allocations that are refused.
#[derive(Clone, Copy, Debug)]
pub struct Denied {
    /// Allocations of the proof before the first of them.
    pub after: u64,
    /// How many.
    pub count: u64,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where all else comes from.
    pub seed: u64,
    /// Which of the [`MIXES`] is proven.
    pub mix: usize,
    /// Budget in percent of the peak of a run that has enough.
    pub budget_percent: u64,
    /// When the emulator runs what nothing waits for.
    pub schedule: &'static str,
    /// Contents of fresh memory.
    pub junk: u64,
    /// Whether compositions take turns.
    pub serialize_window: bool,
    /// How far to go.
    pub policy: Policy,
    /// Whether memory that holds nothing is filled with poison.
    pub poison: bool,
    /// Whether the arena hands out memory as if no work were pending on it.
    pub forgets_pending_work: bool,
    /// Whether to find out what was wrong.
    pub xcheck: bool,
    /// Bytes of a chunk's messages and sums.
    pub chunk_bytes: u64,
    /// Allocations that are refused.
    pub denied: Option<Denied>,
    /// What else goes wrong.
    pub faults: Vec<PlannedFault>,
}

impl Plan {
    /// The plan of a seed.
    pub fn new(seed: u64) -> Self {
        let mut draw = Draw(seed);
        let mix = draw.below(MIXES.len() as u64) as usize;
        let unpressured = &UNPRESSURED[mix];
        let mut plan = Self {
            seed,
            mix,
            budget_percent: draw.one_of([100, 100, 100, 100, 75, 50, 35, 20, 5, 0]),
            schedule: draw.one_of(["random", "random", "lazy", "eager"]),
            junk: draw.one_of([0, u64::MAX, 0x0123_4567_89ab_cdef]),
            serialize_window: draw.below(2) == 0,
            policy: if draw.below(3) == 0 { Policy::Strict } else { Policy::Recover },
            poison: draw.below(8) == 0,
            forgets_pending_work: draw.below(16) == 0,
            xcheck: draw.below(4) == 0,
            chunk_bytes: draw.one_of([256 << 20, 256 << 20, 1 << 14, 1 << 11]),
            denied: None,
            faults: Vec::new(),
        };
        for _ in 0..draw.one_of([0, 1, 1, 1, 2, 2, 3]) {
            match draw.below(6) {
                0 => {
                    let after = draw.below(unpressured.allocations);
                    plan.denied = Some(Denied { after, count: draw.one_of([1, 2, 5, 30, 1 << 40]) });
                }
                1 => plan.faults.push(refused(&mut draw, unpressured)),
                2 => plan.faults.push(wrong_composition(&mut draw)),
                3 | 4 => plan.faults.push(flipped(&mut draw, unpressured)),
                _ => plan.faults.push(broken(&mut draw, unpressured)),
            }
        }
        plan
    }

    /// What is proven.
    pub fn mix(&self) -> &'static Mix {
        &MIXES[self.mix]
    }

    /// What proving it takes when nothing goes wrong.
    pub fn unpressured(&self) -> &'static Unpressured {
        &UNPRESSURED[self.mix]
    }

    /// Whether some fault reaches so far.
    pub fn reaches(&self, reach: Reach) -> bool {
        self.faults.iter().any(|fault| fault.reach == reach)
    }

    /// The emulated device of the run.
    pub fn device(&self) -> Value {
        let faults: Vec<&Value> = self.faults.iter().map(|fault| &fault.entry).collect();
        json!({"seed": self.seed, "schedule": self.schedule, "junk": self.junk, "faults": faults})
    }
}

fn refused(draw: &mut Draw, unpressured: &Unpressured) -> PlannedFault {
    let times = draw.one_of([1, 1, 2, 3, 1000]);
    let (launches, copies) = (unpressured.launches, unpressured.copies);
    let entry = match draw.below(3) {
        0 => json!({"at": "launch", "nth": draw.nth(launches), "times": times, "kind": "out_of_resources"}),
        1 => json!({"at": "copy", "nth": 1 + draw.nth(copies), "times": times, "kind": "out_of_resources"}),
        _ => {
            let kind = draw.one_of(["bad_ptx", "unsupported_ptx", "no_image", "oom"]);
            json!({"at": "module", "nth": draw.nth(unpressured.modules), "times": times, "kind": kind})
        }
    };
    PlannedFault { reach: Reach::Refused, entry }
}

fn wrong_composition(draw: &mut Draw) -> PlannedFault {
    let kernel = draw.one_of(WINDOW_KERNELS);
    let (nth, times) = (draw.nth(30), draw.one_of([1, 1, 2, 1000]));
    let entry = json!({"at": "launch", "entry": kernel, "nth": nth, "times": times, "kind": "flip"});
    PlannedFault { reach: Reach::Composition, entry }
}

fn flipped(draw: &mut Draw, unpressured: &Unpressured) -> PlannedFault {
    let label = draw.one_of(LABELS);
    let entry = if draw.below(4) == 0 {
        json!({"at": "copy", "nth": 1 + draw.nth(unpressured.copies), "kind": "flip", "label": label})
    } else {
        json!({"at": "launch", "nth": draw.nth(unpressured.launches), "kind": "flip", "label": label})
    };
    PlannedFault { reach: Reach::Memory, entry }
}

fn broken(draw: &mut Draw, unpressured: &Unpressured) -> PlannedFault {
    let kind = draw.one_of(["device_lost", "illegal_address", "launch_failed", "misaligned"]);
    let entry = if draw.below(3) == 0 {
        json!({"at": "copy", "nth": 1 + draw.nth(unpressured.copies), "kind": kind})
    } else {
        json!({"at": "launch", "nth": draw.nth(unpressured.launches), "kind": kind})
    };
    PlannedFault { reach: Reach::Broken, entry }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, budget_percent, schedule, policy, denied, .. } = self;
        let mix = self.mix().name;
        write!(
            f,
            "LAMBDA_SWEEP_SEED={seed}: {mix}, {budget_percent} % of the memory, {schedule}, {policy:?}"
        )?;
        if !self.serialize_window {
            write!(f, ", no window lock")?;
        }
        if self.poison {
            write!(f, ", poison")?;
        }
        if self.forgets_pending_work {
            write!(f, ", pending work forgotten")?;
        }
        if self.xcheck {
            write!(f, ", cross-check")?;
        }
        write!(f, ", chunks of {} bytes", self.chunk_bytes)?;
        if let Some(Denied { after, count }) = denied {
            write!(f, ", {count} allocations refused after {after}")?;
        }
        self.faults.iter().try_for_each(|fault| write!(f, ", {}", fault.entry))
    }
}

/// Choices from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        random(&mut self.0) % bound
    }

    /// A number from one to a little more than `count`: the last ones of a plan may never come.
    fn nth(&mut self, count: u64) -> u64 {
        1 + self.below(count + count / 16 + 1)
    }

    fn one_of<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N as u64) as usize]
    }
}
