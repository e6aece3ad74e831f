//! The window in which a two-part composition is evaluated and split on the device, one at a time.
//!
//! It holds the largest transient buffers of a proof: constraint sums, messages and two parts. With the lock
//! at most one table of the process has them. Only the device's work of tables with two parts takes it: what
//! runs on the host does not, nor do tables with one part.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

static WINDOW: Mutex<()> = Mutex::new(());

/// Enters the window; returns the guard and how long that took. A panic in the window does not close it.
pub fn enter() -> (MutexGuard<'static, ()>, Option<Duration>) {
    match WINDOW.try_lock() {
        Ok(guard) => (guard, None),
        Err(TryLockError::Poisoned(poisoned)) => (poisoned.into_inner(), None),
        Err(TryLockError::WouldBlock) => {
            let start = Instant::now();
            let guard = WINDOW.lock().unwrap_or_else(PoisonError::into_inner);
            (guard, Some(start.elapsed()))
        }
    }
}
