//! The budget of a device as promises: who may use how much, before anything is allocated.

use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a device that have been promised. All users of the device share one.
#[derive(Debug)]
pub struct Ledger {
    budget_bytes: u64,
    reserved_bytes: Mutex<u64>,
}

impl Ledger {
    /// A ledger over `budget_bytes`.
    pub fn new(budget_bytes: u64) -> Arc<Self> {
        Arc::new(Self { budget_bytes, reserved_bytes: Mutex::new(0) })
    }

    /// Promises `bytes`, or as many as are left, until the reservation is dropped.
    pub fn reserve(self: &Arc<Self>, bytes: u64) -> Reservation {
        let mut reserved = self.reserved_bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = bytes.min(self.budget_bytes - *reserved);
        *reserved += bytes;
        Reservation { ledger: self.clone(), bytes }
    }

    /// Bytes that are not promised.
    pub fn unreserved_bytes(&self) -> u64 {
        self.budget_bytes - *self.reserved_bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All bytes.
    pub fn budget_bytes(&self) -> u64 {
        self.budget_bytes
    }
}

/// A promise; dropping it gives the bytes back.
#[derive(Debug)]
pub struct Reservation {
    ledger: Arc<Ledger>,
    bytes: u64,
}

impl Reservation {
    /// Bytes promised.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        *self.ledger.reserved_bytes.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
    }
}
