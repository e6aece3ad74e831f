//! The streams of a device and their order.
//!
//! Work is issued under the device's lock, so the pieces of work of a stream have numbers, tickets. To wait
//! for a piece of another stream's work, a stream waits for that stream's event, which is recorded again
//! when it does not cover the piece yet: a wait stands for the event as it was recorded when the wait was
//! issued. Waits happen on the device; the host never waits here.

use crate::arena::{StreamId, Ticket, Uses};
use crate::driver::{Driver, EVENT_DISABLE_TIMING, Handle, STREAM_NON_BLOCKING};
use crate::error::DeviceError;

/// All streams ever opened on a device. One that its owner dropped keeps its order and is lent again.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    lanes: Vec<Lane>,
    idle: Vec<StreamId>,
}

#[derive(Debug)]
struct Lane {
    stream: Handle,
    event: Handle,
    /// Pieces of work so far.
    issued: Ticket,
    /// The last one that `event` covers.
    recorded: Ticket,
    /// For each other stream, the last piece of its work that this one waits for.
    joined: Vec<Ticket>,
}

impl Timeline {
    /// Lends a stream.
    pub(crate) fn open(&mut self, driver: &Driver) -> Result<StreamId, DeviceError> {
        if let Some(id) = self.idle.pop() {
            return Ok(id);
        }
        let calls = driver.entry_points();
        let (mut stream, mut event) = (Handle::NULL, Handle::NULL);
        // SAFETY: the handle is ours to write.
        let code = unsafe { (calls.stream_create)(&raw mut stream, STREAM_NON_BLOCKING) };
        driver.check("cuStreamCreate", code)?;
        // SAFETY: the handle is ours to write.
        let code = unsafe { (calls.event_create)(&raw mut event, EVENT_DISABLE_TIMING) };
        if let Err(error) = driver.check("cuEventCreate", code) {
            // SAFETY: the stream was just made and nobody else knows it.
            unsafe { (calls.stream_destroy)(stream) };
            return Err(error);
        }
        self.lanes.push(Lane { stream, event, issued: 0, recorded: 0, joined: Vec::new() });
        Ok(StreamId(self.lanes.len() as u32 - 1))
    }

    /// Takes a stream back. Its work goes on.
    pub(crate) fn close(&mut self, id: StreamId) {
        self.idle.push(id);
    }

    /// The driver's stream.
    pub(crate) fn stream(&self, id: StreamId) -> Handle {
        self.lanes[id.0 as usize].stream
    }

    /// Makes later work of `id` wait for `uses`.
    pub(crate) fn wait(&mut self, driver: &Driver, id: StreamId, uses: &Uses) -> Result<(), DeviceError> {
        let index = id.0 as usize;
        for (other, ticket) in uses.iter().filter(|(other, _)| *other != id) {
            let other = other.0 as usize;
            if self.lanes[index].joined.get(other).is_some_and(|&joined| joined >= ticket) {
                continue;
            }
            self.record(driver, other, ticket)?;
            let event = self.lanes[other].event;
            // SAFETY: stream and event live as long as the device.
            let code = unsafe { (driver.entry_points().stream_wait)(self.lanes[index].stream, event, 0) };
            driver.check("cuStreamWaitEvent", code)?;
            let recorded = self.lanes[other].recorded;
            let joined = &mut self.lanes[index].joined;
            joined.resize(joined.len().max(other + 1), 0);
            joined[other] = recorded;
        }
        Ok(())
    }

    /// Sees to it that the event of a stream covers `ticket`.
    fn record(&mut self, driver: &Driver, index: usize, ticket: Ticket) -> Result<(), DeviceError> {
        let lane = &mut self.lanes[index];
        if lane.recorded < ticket {
            // SAFETY: stream and event live as long as the device.
            let code = unsafe { (driver.entry_points().event_record)(lane.event, lane.stream) };
            driver.check("cuEventRecord", code)?;
            lane.recorded = lane.issued;
        }
        Ok(())
    }

    /// Numbers a piece of work that was just issued.
    pub(crate) fn issue(&mut self, id: StreamId) -> Ticket {
        let lane = &mut self.lanes[id.0 as usize];
        lane.issued += 1;
        lane.issued
    }

    /// Gives streams and events back to the driver.
    pub(crate) fn destroy(&mut self, driver: &Driver) {
        for lane in self.lanes.drain(..) {
            // SAFETY: nobody uses the device any more, and no work is pending.
            unsafe {
                (driver.entry_points().event_destroy)(lane.event);
                (driver.entry_points().stream_destroy)(lane.stream);
            }
        }
    }
}
