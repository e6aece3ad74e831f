//! Random programs of copies, kernels and events on several streams. A program in which everything that
//! conflicts is ordered gives the result of running it from top to bottom, under every schedule; any other
//! one is refused under every schedule.

use proptest::prelude::*;

use crate::kit::Arg::{U32, U64};
use crate::kit::*;

const BUFFERS: usize = 4;
const STREAMS: usize = 3;
const WORDS: usize = 40;

/// What a step does to which buffers.
#[derive(Clone, Copy, Debug)]
enum Action {
    Upload {
        to: usize,
        value: u64,
    },
    Step {
        on: usize,
        value: u64,
    },
    Add {
        to: usize,
        a: usize,
        b: usize,
    },
    Copy {
        to: usize,
        from: usize,
    },
    Zero {
        to: usize,
    },
    /// The host waits for the stream.
    Wait,
}

/// One action on one stream, after waiting for some other streams.
#[derive(Clone, Debug)]
struct Step {
    stream: usize,
    joins: [bool; STREAMS],
    action: Action,
}

impl Action {
    fn reads(self) -> Vec<usize> {
        match self {
            Self::Upload { .. } | Self::Zero { .. } | Self::Wait => vec![],
            Self::Step { on, .. } => vec![on],
            Self::Add { a, b, .. } => vec![a, b],
            Self::Copy { from, .. } => vec![from],
        }
    }

    fn write(self) -> Option<usize> {
        match self {
            Self::Upload { to, .. } | Self::Add { to, .. } | Self::Copy { to, .. } | Self::Zero { to } => {
                Some(to)
            }
            Self::Step { on, .. } => Some(on),
            Self::Wait => None,
        }
    }

    fn conflicts(self, other: Self) -> bool {
        let one_way = |a: Self, b: Self| {
            a.write().is_some_and(|buffer| b.write() == Some(buffer) || b.reads().contains(&buffer))
        };
        one_way(self, other) || one_way(other, self)
    }

    fn apply(self, buffers: &mut [Vec<u64>; BUFFERS]) {
        match self {
            Self::Upload { to, value } => buffers[to].fill(value),
            Self::Step { on, value } => {
                buffers[on].iter_mut().for_each(|word| *word = word.wrapping_mul(3).wrapping_add(value));
            }
            Self::Add { to, a, b } => {
                let sums = buffers[a].iter().zip(&buffers[b]).map(|(a, b)| a.wrapping_add(*b));
                buffers[to] = sums.collect();
            }
            Self::Copy { to, from } => buffers[to] = buffers[from].clone(),
            Self::Zero { to } => buffers[to].fill(0),
            Self::Wait => {}
        }
    }
}

fn action() -> impl Strategy<Value = Action> {
    let buffer = 0..BUFFERS;
    prop_oneof![
        2 => (buffer.clone(), any::<u64>()).prop_map(|(to, value)| Action::Upload { to, value }),
        4 => (buffer.clone(), any::<u64>()).prop_map(|(on, value)| Action::Step { on, value }),
        4 => (buffer.clone(), buffer.clone(), buffer.clone()).prop_map(|(to, a, b)| Action::Add { to, a, b }),
        2 => (buffer.clone(), buffer.clone()).prop_map(|(to, from)| Action::Copy { to, from }),
        1 => buffer.prop_map(|to| Action::Zero { to }),
        1 => Just(Action::Wait),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let joins = prop::array::uniform3(prop::bool::weighted(0.3));
    let step = (0..STREAMS, joins, action());
    let step = step.prop_map(|(stream, joins, action)| Step { stream, joins, action });
    prop::collection::vec(step, 1..24)
}

/// For each step the set of steps that are ordered before it, and what the host has waited for.
#[derive(Default)]
struct Order {
    before: Vec<u64>,
    streams: [u64; STREAMS],
    host: u64,
}

impl Order {
    fn push(&mut self, step: &Step) {
        let mut known = self.host | self.streams[step.stream];
        for (joined, stream) in step.joins.iter().zip(self.streams) {
            known |= if *joined { stream } else { 0 };
        }
        self.streams[step.stream] = known | 1 << self.before.len();
        self.before.push(known);
        if matches!(step.action, Action::Wait) {
            self.host |= self.streams[step.stream];
        }
    }
}

/// Whether two steps conflict and nothing orders them.
fn races(steps: &[Step]) -> bool {
    let mut order = Order::default();
    steps.iter().for_each(|step| order.push(step));
    steps.iter().enumerate().any(|(later, step)| {
        let unordered = |earlier: usize| order.before[later] >> earlier & 1 == 0;
        (0..later).any(|earlier| unordered(earlier) && step.action.conflicts(steps[earlier].action))
    })
}

/// The steps with joins added wherever something conflicting is not ordered.
fn ordered(mut steps: Vec<Step>) -> Vec<Step> {
    let mut order = Order::default();
    for later in 0..steps.len() {
        let mut trial = Order { before: order.before.clone(), ..order };
        trial.push(&steps[later]);
        for earlier in 0..later {
            let unordered = trial.before[later] >> earlier & 1 == 0;
            if unordered && steps[later].action.conflicts(steps[earlier].action) {
                let other = steps[earlier].stream;
                steps[later].joins[other] = true;
            }
        }
        order.push(&steps[later]);
    }
    steps
}

/// Runs the steps; the buffers at the end.
fn run(config: &str, steps: &[Step]) -> Result<Vec<Vec<u64>>, Error> {
    let gpu = Gpu::with_kernels(config);
    let streams = [(); STREAMS].map(|()| gpu.stream());
    let buffers = [(); BUFFERS].map(|()| gpu.alloc(WORDS).unwrap());
    for buffer in buffers {
        gpu.zero(&streams[0], buffer, WORDS)?;
    }
    gpu.sync(&streams[0])?;
    let n = U32(WORDS as u32);
    for Step { stream, joins, action } in steps {
        let own = &streams[*stream];
        for (_, other) in joins.iter().zip(&streams).filter(|(joined, _)| **joined) {
            gpu.join(own, other)?;
        }
        match *action {
            Action::Upload { to, value } => gpu.upload(own, buffers[to], &[value; WORDS])?,
            Action::Step { on, value } => gpu.launch(own, "step", 2, &[U64(buffers[on]), n, U64(value)])?,
            Action::Add { to, a, b } => {
                let args = [U64(buffers[to]), U64(buffers[a]), U64(buffers[b]), n];
                gpu.launch(own, "add", 2, &args)?;
            }
            Action::Copy { to, from } => gpu.copy(own, buffers[to], buffers[from], WORDS)?,
            Action::Zero { to } => gpu.zero(own, buffers[to], WORDS)?,
            Action::Wait => gpu.sync(own)?,
        }
    }
    gpu.sync_all()?;
    buffers.iter().map(|buffer| gpu.download(&streams[0], *buffer, WORDS)).collect()
}

fn configs(seed: u64) -> [String; 4] {
    [("lazy", seed), ("eager", seed), ("random", seed), ("random", seed ^ 1)]
        .map(|(schedule, seed)| format!(r#"{{"schedule":"{schedule}","seed":{seed},"memory_bytes":65536}}"#))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn an_ordered_program_has_one_result(steps in steps().prop_map(ordered), seed in 0..u64::MAX >> 1) {
        prop_assert!(!races(&steps));
        let mut expected = [(); BUFFERS].map(|()| vec![0; WORDS]);
        steps.iter().for_each(|step| step.action.apply(&mut expected));
        for config in configs(seed) {
            prop_assert_eq!(run(&config, &steps), Ok(expected.to_vec()), "{}", config);
        }
    }

    #[test]
    fn a_program_is_refused_exactly_if_it_races(steps in steps(), seed in 0..u64::MAX >> 1) {
        let racy = races(&steps);
        for config in configs(seed) {
            prop_assert_eq!(run(&config, &steps).err(), racy.then_some(LAUNCH_FAILED), "{}", config);
        }
    }
}

#[test]
fn schedules_differ() {
    let pending = |config: &str| {
        let gpu = Gpu::with_kernels(config);
        let (first, second) = (gpu.stream(), gpu.stream());
        let data = [gpu.alloc(8).unwrap(), gpu.alloc(8).unwrap()];
        let mut trace = vec![];
        for value in 0..6 {
            gpu.launch(&first, "store", 1, &[U64(data[0]), U32(8), U64(value)]).unwrap();
            gpu.launch(&second, "store", 1, &[U64(data[1]), U32(8), U64(value)]).unwrap();
            trace.push(gpu.report()["held"]["pending"].as_u64().unwrap());
        }
        trace
    };
    assert_eq!(pending(r#"{"schedule":"eager"}"#), [0; 6]);
    assert_eq!(pending(r#"{"schedule":"lazy"}"#), [2, 4, 6, 8, 10, 12]);
    let random = |seed: u64| pending(&format!(r#"{{"schedule":"random","seed":{seed}}}"#));
    assert_eq!(random(1), random(1), "a seed is a schedule");
    assert_ne!(random(1), random(2));
}
