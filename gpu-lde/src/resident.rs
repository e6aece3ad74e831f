//! Columns that are on the host, on the device, or on both.
//!
//! A handle to a device buffer *is* the admission: whoever asks for columns on the device gets the buffer or
//! a fault, and nobody asks beforehand whether they would be there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lambda_math::{Columns, Goldilocks};
use lambda_math_cuda::{DeviceBuffer, DeviceError, Stream};
use lambda_prover::Scope;

use crate::upload::upload_columns;

/// Where columns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residency {
    /// On the host only.
    Host,
    /// On the device only.
    Device,
    /// On both.
    Both,
}

/// Columns of one height.
#[derive(Debug)]
pub struct Resident {
    scope: Scope,
    label: &'static str,
    height: usize,
    width: usize,
    copies: Mutex<Copies>,
}

/// At least one is there.
#[derive(Clone, Debug)]
enum Copies {
    Host(Arc<Columns>),
    Device(Arc<DeviceBuffer<Goldilocks>>),
    Both(Arc<Columns>, Arc<DeviceBuffer<Goldilocks>>),
}

impl Resident {
    /// Columns on the host.
    pub fn on_host(scope: Scope, label: &'static str, columns: Arc<Columns>) -> Arc<Self> {
        let (height, width) = (columns.height(), columns.width());
        Arc::new(Self { scope, label, height, width, copies: Mutex::new(Copies::Host(columns)) })
    }

    /// Columns of `height` rows on the device, one after the other.
    ///
    /// # Panics
    /// When they are not whole.
    pub fn on_device(
        scope: Scope,
        label: &'static str,
        height: usize,
        buffer: DeviceBuffer<Goldilocks>,
    ) -> Arc<Self> {
        assert!(buffer.len().is_multiple_of(height), "columns are whole");
        let width = buffer.len() / height;
        Arc::new(Self { scope, label, height, width, copies: Mutex::new(Copies::Device(Arc::new(buffer))) })
    }

    /// What they belong to.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Where they are.
    pub fn residency(&self) -> Residency {
        match &*self.copies() {
            Copies::Host(_) => Residency::Host,
            Copies::Device(_) => Residency::Device,
            Copies::Both(..) => Residency::Both,
        }
    }

    /// The columns on the device, where they are copied if they are not there.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`] and of copying.
    pub fn device(&self, stream: &Stream) -> Result<Arc<DeviceBuffer<Goldilocks>>, DeviceError> {
        let mut copies = self.copies();
        let columns = match &*copies {
            Copies::Device(buffer) | Copies::Both(_, buffer) => return Ok(buffer.clone()),
            Copies::Host(columns) => columns.clone(),
        };
        let buffer = Arc::new(upload_columns(stream, &columns, self.label)?);
        *copies = Copies::Both(columns, buffer.clone());
        Ok(buffer)
    }

    /// The columns on the host, where they are copied if they are not there. Waits for them.
    ///
    /// # Errors
    /// Those of [`Stream::download`].
    pub fn host(&self, stream: &Stream) -> Result<Arc<Columns>, DeviceError> {
        let mut copies = self.copies();
        let buffer = match &*copies {
            Copies::Host(columns) | Copies::Both(columns, _) => return Ok(columns.clone()),
            Copies::Device(buffer) => buffer.clone(),
        };
        let columns = Arc::new(Columns::from_values(stream.download(&*buffer)?, self.height));
        *copies = Copies::Both(columns.clone(), buffer);
        Ok(columns)
    }

    /// Drops the copy on the device if there is one on the host. Returns the bytes that it had.
    pub fn evict(&self) -> u64 {
        let mut copies = self.copies();
        let Copies::Both(columns, buffer) = &*copies else { return 0 };
        let bytes = buffer.bytes();
        *copies = Copies::Host(columns.clone());
        bytes
    }

    fn copies(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
