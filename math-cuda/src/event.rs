//! Moments in a stream's order, to wait for and to measure with.

use std::sync::Arc;

use crate::context::Context;
use crate::driver::{Code, Handle};
use crate::error::DeviceError;

/// The end of a stream's work at the time when it was recorded.
#[derive(Debug)]
pub struct Event {
    context: Arc<Context>,
    handle: Handle,
}

impl Event {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, DeviceError> {
        let calls = context.enter()?;
        let mut handle = Handle::NULL;
        // SAFETY: the handle is ours to write.
        let code = unsafe { (calls.event_create)(&raw mut handle, 0) };
        context.check("cuEventCreate", code)?;
        Ok(Self { context: context.clone(), handle })
    }

    /// Moves it to the end of `stream`'s work so far.
    pub(crate) fn record(&self, stream: Handle) -> Result<(), DeviceError> {
        let calls = self.context.enter()?;
        // SAFETY: both live.
        let code = unsafe { (calls.event_record)(self.handle, stream) };
        self.context.check("cuEventRecord", code)
    }

    /// Waits on the host until it has happened.
    ///
    /// # Errors
    /// What broke the device, if something did.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let calls = self.context.enter()?;
        // SAFETY: the event lives.
        let code = unsafe { (calls.event_synchronize)(self.handle) };
        self.context.check("cuEventSynchronize", code)
    }

    /// Whether it has happened.
    ///
    /// # Errors
    /// What broke the device, if something did.
    pub fn is_done(&self) -> Result<bool, DeviceError> {
        let calls = self.context.enter()?;
        // SAFETY: the event lives.
        match Code(unsafe { (calls.event_query)(self.handle) }) {
            Code::NOT_READY => Ok(false),
            Code(code) => self.context.check("cuEventQuery", code).map(|()| true),
        }
    }

    /// Milliseconds from `earlier` to this one, both of which have happened.
    ///
    /// # Errors
    /// Any that the driver reports.
    pub fn milliseconds_since(&self, earlier: &Self) -> Result<f32, DeviceError> {
        let calls = self.context.enter()?;
        let mut milliseconds = 0.0;
        // SAFETY: both live, and the number is ours to write.
        let code = unsafe { (calls.event_elapsed)(&raw mut milliseconds, earlier.handle, self.handle) };
        self.context.check("cuEventElapsedTime", code)?;
        Ok(milliseconds)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(calls) = self.context.bind() {
            // SAFETY: the event was made by this value; the driver keeps what pending work needs of it.
            unsafe { (calls.event_destroy)(self.handle) };
        }
    }
}
