//! Streams and events.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::work::Task;
use super::{Code, Engine};
use crate::memory::Footprint;
use crate::schedule::{Goal, LEGACY_STREAM, Point, StreamKind};

/// An event: its last recording, if any. A later one leaves waits for the earlier as they are.
pub(super) struct Event {
    timing: bool,
    recorded: Option<Recording>,
}

struct Recording {
    point: Point,
    executed: Arc<OnceLock<Instant>>,
}

impl Engine {
    /// A new stream.
    pub fn stream_create(&mut self, kind: StreamKind) -> u32 {
        self.context.scheduler.create_stream(kind) as u32
    }

    /// Closes a stream; its pending work runs some time later.
    pub fn stream_destroy(&mut self, stream: usize) -> Result<(), Code> {
        if stream == LEGACY_STREAM {
            return Err(Code::INVALID_HANDLE);
        }
        self.context.scheduler.destroy_stream(stream);
        Ok(())
    }

    /// Waits for everything the stream was given.
    pub fn stream_synchronize(&mut self, stream: usize) -> Result<(), Code> {
        self.context.scheduler.ends(stream).iter().try_for_each(|point| self.wait_for(point))
    }

    /// Asks whether the stream has finished; a question may move it on.
    pub fn stream_query(&mut self, stream: usize) -> Result<(), Code> {
        self.context.scheduler.ends(stream).iter().try_for_each(|point| self.query(point))
    }

    /// Orders what the stream is given from now on after the event's last recording.
    pub fn stream_wait_event(&mut self, stream: usize, event: u32) -> Result<(), Code> {
        let Some(recording) = &self.event(event)?.recorded else { return Ok(()) };
        let point = recording.point.clone();
        self.enqueue(stream, Task::Wait, Footprint::default(), None, Some(&point));
        self.advance();
        Ok(())
    }

    /// A new event.
    pub fn event_create(&mut self, timing: bool) -> u32 {
        self.context.events_made += 1;
        self.context.events.insert(self.context.events_made, Event { timing, recorded: None });
        self.context.events_made
    }

    /// Forgets an event; recordings and waits under way are not disturbed.
    pub fn event_destroy(&mut self, event: u32) -> Result<(), Code> {
        self.context.events.remove(&event).map(|_| ()).ok_or(Code::INVALID_HANDLE)
    }

    /// Records the stream's present end.
    pub fn event_record(&mut self, event: u32, stream: usize) -> Result<(), Code> {
        self.event(event)?;
        let executed = Arc::new(OnceLock::new());
        let task = Task::Record(executed.clone());
        let point = self.enqueue(stream, task, Footprint::default(), None, None);
        let entry = self.context.events.get_mut(&event).ok_or(Code::INVALID_HANDLE)?;
        entry.recorded = Some(Recording { point, executed });
        self.advance();
        Ok(())
    }

    /// Asks whether the last recording has finished; a question may move it on.
    pub fn event_query(&mut self, event: u32) -> Result<(), Code> {
        let Some(recording) = &self.event(event)?.recorded else { return Ok(()) };
        let point = recording.point.clone();
        self.query(&point)
    }

    /// Waits for the last recording.
    pub fn event_synchronize(&mut self, event: u32) -> Result<(), Code> {
        let Some(recording) = &self.event(event)?.recorded else { return Ok(()) };
        let point = recording.point.clone();
        self.wait_for(&point)
    }

    /// Milliseconds from one recording to another.
    pub fn event_elapsed(&mut self, start: u32, end: u32) -> Result<f32, Code> {
        let executed = |event: u32| {
            let event = self.event(event)?;
            match &event.recorded {
                Some(recording) if event.timing => recording.executed.get().ok_or(Code::NOT_READY),
                _ => Err(Code::INVALID_HANDLE),
            }
        };
        let (start, end) = (*executed(start)?, *executed(end)?);
        let seconds = match end.checked_duration_since(start) {
            Some(elapsed) => elapsed.as_secs_f32(),
            None => -start.duration_since(end).as_secs_f32(),
        };
        Ok(seconds * 1000.0)
    }

    fn event(&self, event: u32) -> Result<&Event, Code> {
        self.context.events.get(&event).ok_or(Code::INVALID_HANDLE)
    }

    fn wait_for(&mut self, point: &Point) -> Result<(), Code> {
        self.run(Goal::Reach { stream: point.stream, index: point.index })?;
        self.learn(&point.clock)
    }

    fn query(&mut self, point: &Point) -> Result<(), Code> {
        let Point { stream, index, .. } = *point;
        if let Some(operation) = self.context.scheduler.next_for_query(stream, index) {
            self.perform(operation)?;
        }
        if !self.context.scheduler.is_complete(stream, index) {
            return Err(Code::NOT_READY);
        }
        self.learn(&point.clock)
    }
}
