//! Streams, and the order in which their operations are executed.
//!
//! An operation may run when all operations before it in its stream have run and those it waits for have.
//! Within that rule the [`Policy`] and the seed choose. What is *ordered* does not depend on the choice: it
//! is computed with vector clocks when an operation is enqueued, from stream order, event waits and what
//! the host had synchronised with by then. The host counts as one actor: a call that returned before
//! another was made is known to it, whichever threads made the two.
//!
//! Stream 0 is the legacy default stream: it waits for all blocking streams, and they for it.

mod clock;
mod history;
mod random;

use std::collections::VecDeque;
use std::sync::Arc;

pub use clock::Clock;
pub use history::{History, OperationId};
pub use random::Random;
use serde::Deserialize;

/// The legacy default stream.
pub const LEGACY_STREAM: usize = 0;

/// When work is done that nothing waits for yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// Only what a synchronisation needs, at the last moment.
    Lazy,
    /// Everything at once.
    Eager,
    /// Random streams advance at random calls.
    Random,
}

/// Whether a stream takes part in the order of the legacy default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// It does.
    Blocking,
    /// It does not.
    NonBlocking,
}

/// A place in a stream's order: after its first `index` operations.
#[derive(Clone, Debug)]
pub struct Point {
    /// The stream.
    pub stream: usize,
    /// How many of its operations come before.
    pub index: u32,
    /// What is known to have finished at this place.
    pub clock: Arc<Clock>,
}

/// How far to execute.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// As far as the policy likes to run unasked.
    Background,
    /// Until the first `index` operations of `stream` have run.
    Reach {
        /// The stream.
        stream: usize,
        /// How many of its operations.
        index: u32,
    },
    /// Until nothing is pending.
    Everything,
}

/// One unit of work in a stream's order.
pub struct Operation<W> {
    /// Its number.
    pub id: OperationId,
    /// Its stream.
    pub stream: usize,
    /// Its number in its stream, from one.
    pub index: u32,
    /// What is ordered before it, itself included.
    pub clock: Arc<Clock>,
    /// What it does.
    pub work: W,
    /// Stream and index of operations that it waits for.
    after: Vec<(usize, u32)>,
}

struct Stream<W> {
    kind: StreamKind,
    open: bool,
    enqueued: u32,
    completed: u32,
    clock: Clock,
    queue: VecDeque<Operation<W>>,
}

impl<W> Stream<W> {
    fn new(kind: StreamKind) -> Self {
        Self { kind, open: true, enqueued: 0, completed: 0, clock: Clock::default(), queue: VecDeque::new() }
    }
}

/// The streams of one device.
pub struct Scheduler<W> {
    policy: Policy,
    random: Random,
    streams: Vec<Stream<W>>,
    host: Clock,
    history: History,
}

impl<W> Scheduler<W> {
    /// The legacy stream and nothing to do.
    pub fn new(policy: Policy, seed: u64) -> Self {
        let streams = vec![Stream::new(StreamKind::Blocking)];
        Self {
            policy,
            random: Random::new(seed),
            streams,
            host: Clock::default(),
            history: History::default(),
        }
    }

    /// A new stream; numbers are never used again.
    pub fn create_stream(&mut self, kind: StreamKind) -> usize {
        self.streams.push(Stream::new(kind));
        self.streams.len() - 1
    }

    /// Closes a stream. Its pending operations stay and run some time later.
    pub fn destroy_stream(&mut self, stream: usize) {
        self.streams[stream].open = false;
    }

    /// Whether `stream` was created and not destroyed.
    pub fn is_open(&self, stream: usize) -> bool {
        self.streams.get(stream).is_some_and(|stream| stream.open)
    }

    /// Streams that were ever created, the legacy stream included.
    pub fn streams(&self) -> usize {
        self.streams.len()
    }

    /// How many operations `stream` was given so far.
    pub fn enqueued(&self, stream: usize) -> u32 {
        self.streams[stream].enqueued
    }

    /// Streams that were created and not destroyed, without the legacy stream.
    pub fn open_streams(&self) -> usize {
        self.streams[1..].iter().filter(|stream| stream.open).count()
    }

    /// Adds an operation to `stream`, ordered after `after` too if it is given.
    pub fn enqueue(&mut self, stream: usize, name: &str, work: W, after: Option<&Point>) -> Point {
        let mut clock = std::mem::take(&mut self.streams[stream].clock);
        clock.join(&self.host);
        let mut waits: Vec<(usize, u32)> = vec![];
        if stream == LEGACY_STREAM {
            for (other, blocking) in self.streams.iter().enumerate().skip(1) {
                if blocking.kind == StreamKind::Blocking {
                    clock.join(&blocking.clock);
                    waits.push((other, blocking.enqueued));
                }
            }
        } else if self.streams[stream].kind == StreamKind::Blocking {
            clock.join(&self.streams[LEGACY_STREAM].clock);
            waits.push((LEGACY_STREAM, self.streams[LEGACY_STREAM].enqueued));
        }
        if let Some(point) = after {
            clock.join(&point.clock);
            waits.push((point.stream, point.index));
        }
        waits.retain(|&(stream, index)| !self.is_complete(stream, index));

        let entry = &mut self.streams[stream];
        entry.enqueued += 1;
        let index = entry.enqueued;
        clock.learn(stream, index);
        entry.clock = clock.clone();
        let clock = Arc::new(clock);
        let id = self.history.push(stream, index, name);
        let operation = Operation { id, stream, index, clock: clock.clone(), work, after: waits };
        self.streams[stream].queue.push_back(operation);
        Point { stream, index, clock }
    }

    /// The place after everything that `stream` was given so far.
    pub fn point(&self, stream: usize) -> Point {
        let entry = &self.streams[stream];
        Point { stream, index: entry.enqueued, clock: Arc::new(entry.clock.clone()) }
    }

    /// What has to be reached for `stream` to have finished: its end, and for the legacy stream the end of
    /// every blocking stream too.
    pub fn ends(&self, stream: usize) -> Vec<Point> {
        let belongs = |other: usize| {
            let both = stream == LEGACY_STREAM && self.streams[other].kind == StreamKind::Blocking;
            other == stream || both
        };
        (0..self.streams.len()).filter(|&other| belongs(other)).map(|other| self.point(other)).collect()
    }

    /// Takes the next operation to execute on the way to `goal`; none when it is reached. The caller executes
    /// it and then calls [`Self::complete`].
    pub fn next(&mut self, goal: Goal) -> Option<Operation<W>> {
        if let Goal::Reach { stream, index } = goal
            && self.is_complete(stream, index)
        {
            return None;
        }
        let stream = match (self.policy, goal) {
            (Policy::Lazy, Goal::Background) => None,
            (Policy::Lazy, Goal::Reach { stream, .. }) => Some(self.needed_for(stream)),
            (Policy::Random, Goal::Background) if self.random.coin() => None,
            (Policy::Random, _) => {
                let ready: Vec<usize> = self.ready().collect();
                (!ready.is_empty()).then(|| ready[self.random.below(ready.len())])
            }
            (Policy::Eager, _) => self.ready().next(),
            (Policy::Lazy, Goal::Everything) => self.ready().last(),
        }?;
        self.streams[stream].queue.pop_front()
    }

    /// Takes one operation of those that stand before the place; whether a query makes such progress is a
    /// coin's choice, so that polling ends and yet sees pending work.
    pub fn next_for_query(&mut self, stream: usize, index: u32) -> Option<Operation<W>> {
        if self.random.coin() { self.next(Goal::Reach { stream, index }) } else { None }
    }

    /// Notes that an operation taken from [`Self::next`] has run.
    pub fn complete(&mut self, stream: usize, index: u32) {
        self.streams[stream].completed = index;
    }

    /// Whether the first `index` operations of `stream` have run.
    pub fn is_complete(&self, stream: usize, index: u32) -> bool {
        self.streams[stream].completed >= index
    }

    /// The host has synchronised with a place.
    pub fn host_learns(&mut self, clock: &Clock) {
        self.host.join(clock);
    }

    /// What is known when everything has finished.
    pub fn everything(&self) -> Clock {
        let mut all = Clock::default();
        self.streams.iter().for_each(|stream| all.join(&stream.clock));
        all
    }

    /// What the host knows to have finished.
    pub fn host(&self) -> &Clock {
        &self.host
    }

    /// Every operation so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Operations that have not run yet.
    pub fn pending(&self) -> impl Iterator<Item = &Operation<W>> {
        self.streams.iter().flat_map(|stream| &stream.queue)
    }

    /// Drops everything that is pending.
    pub fn clear(&mut self) {
        self.streams.iter_mut().for_each(|stream| stream.queue.clear());
    }

    /// Streams whose first operation may run.
    fn ready(&self) -> impl Iterator<Item = usize> {
        (0..self.streams.len()).filter(|&stream| {
            self.streams[stream].queue.front().is_some_and(|operation| self.unmet(operation).is_none())
        })
    }

    fn unmet(&self, operation: &Operation<W>) -> Option<usize> {
        let waits = operation.after.iter();
        waits.copied().find(|&(stream, index)| !self.is_complete(stream, index)).map(|(stream, _)| stream)
    }

    /// The stream to advance so that the first operation of `stream` comes nearer. Waits refer to operations
    /// that were enqueued earlier, so the walk ends.
    fn needed_for(&self, stream: usize) -> usize {
        let mut stream = stream;
        while let Some(other) = self.streams[stream].queue.front().and_then(|first| self.unmet(first)) {
            stream = other;
        }
        stream
    }
}
