//! Timing in turns.

use std::time::Instant;

use serde::Serialize;

/// Seconds of each run, in order.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Seconds(pub Vec<f64>);

impl Seconds {
    /// The middle run.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }
}

/// Runs of two sides, in pairs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Pairs {
    /// Our times.
    pub ours: Seconds,
    /// The peer's times.
    pub peer: Seconds,
}

impl Pairs {
    /// Runs `ours` and `peer` in turn, `count` times after one warm-up of each. Both return the seconds
    /// that count.
    pub fn time(count: usize, mut ours: impl FnMut() -> f64, mut peer: impl FnMut() -> f64) -> Self {
        let mut pairs = Self::default();
        ours();
        peer();
        for _ in 0..count {
            pairs.ours.0.push(ours());
            pairs.peer.0.push(peer());
        }
        pairs
    }

    /// Median of the pairs' ratios, the peer's time over ours: above one means that we are faster.
    pub fn ratio(&self) -> f64 {
        median(self.ours.0.iter().zip(&self.peer.0).map(|(ours, peer)| peer / ours).collect())
    }
}

/// Seconds that `run` takes, and what it returns.
pub fn seconds<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed().as_secs_f64(), result)
}

/// Seconds of each of `count` calls after a warm-up.
pub fn repeat(count: usize, mut run: impl FnMut()) -> Seconds {
    run();
    Seconds((0..count).map(|_| seconds(&mut run).0).collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}
