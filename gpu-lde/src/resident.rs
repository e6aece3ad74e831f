//! Columns that are on the host, on the device, or on both.
//!
//! A handle to a device buffer *is* the admission: whoever asks for columns on the device gets the buffer or
//! a fault, and nobody asks beforehand whether they would be there. Of columns that are on the host a stage
//! may ask for a part: a [`View`] of some columns, or a [`Window`] of some rows.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lambda_math::{Columns, Digest, Goldilocks};
use lambda_math_cuda::kernels::program::ColumnSlice;
use lambda_math_cuda::kernels::quotient::LookupRows;
use lambda_math_cuda::{DeviceBuffer, DeviceError, DeviceSlice, Stream};
use lambda_prover::Scope;

use crate::upload::Piece;

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
    /// Row digests that were made together with the columns, until somebody takes them.
    digests: Mutex<Option<DeviceBuffer<Digest>>>,
}

/// The first rows of neighbouring columns on the device, as whole columns: those of a resident buffer, or a
/// copy made for the occasion.
#[derive(Debug)]
pub struct View {
    buffer: Arc<DeviceBuffer<Goldilocks>>,
    values: Range<usize>,
    stride: usize,
}

/// Rows of all columns on the device, and the rows after them.
#[derive(Debug)]
pub struct Window {
    buffer: Arc<DeviceBuffer<Goldilocks>>,
    /// Where the first column's row 0 is.
    first: usize,
    /// Values from a column to the next.
    stride: usize,
    /// The first of the rows.
    start: usize,
    /// After so many rows comes row 0.
    cycle: usize,
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
        Self::new(scope, label, [height, width], Copies::Host(columns), None)
    }

    /// Columns on the host whose row digests are on the device.
    pub fn with_digests(
        scope: Scope,
        label: &'static str,
        columns: Columns,
        digests: DeviceBuffer<Digest>,
    ) -> Arc<Self> {
        let size = [columns.height(), columns.width()];
        Self::new(scope, label, size, Copies::Host(Arc::new(columns)), Some(digests))
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
        Self::new(scope, label, [height, width], Copies::Device(Arc::new(buffer)), None)
    }

    fn new(
        scope: Scope,
        label: &'static str,
        [height, width]: [usize; 2],
        copies: Copies,
        digests: Option<DeviceBuffer<Digest>>,
    ) -> Arc<Self> {
        let (copies, digests) = (Mutex::new(copies), Mutex::new(digests));
        Arc::new(Self { scope, label, height, width, copies, digests })
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
        let buffer = Arc::new(Piece::all(&columns).upload(stream, self.label)?);
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

    /// The first `rows` rows of the columns `which` on the device: where they are, or else a copy of these
    /// alone, which is not kept.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`] and of copying.
    pub fn view(&self, stream: &Stream, which: Range<usize>, rows: usize) -> Result<View, DeviceError> {
        let copies = self.copies().clone();
        let (buffer, stride, first) = match copies {
            Copies::Device(buffer) | Copies::Both(_, buffer) => {
                (buffer, self.height, which.start * self.height)
            }
            Copies::Host(columns) => {
                let piece = Piece { columns: &columns, which: which.clone(), rows: [0..rows, 0..0] };
                (Arc::new(piece.upload(stream, self.label)?), rows, 0)
            }
        };
        Ok(View { buffer, values: first..first + which.len() * stride, stride })
    }

    /// All columns on the device, for work on the rows `rows` of `slab`, counted from its start.
    ///
    /// # Errors
    /// Those of [`device`](Self::device).
    pub fn slab(
        &self,
        stream: &Stream,
        slab: &Range<usize>,
        rows: &Range<usize>,
    ) -> Result<Window, DeviceError> {
        let buffer = self.device(stream)?;
        let (first, stride) = (slab.start, self.height);
        Ok(Window { buffer, first, stride, start: rows.start, cycle: slab.len() })
    }

    /// A copy on the device of the rows `rows` of `slab`, counted from its start, and of the row after them,
    /// which for the slab's last row is its first one.
    ///
    /// # Errors
    /// Those of [`host`](Self::host), [`Stream::alloc`] and of copying.
    pub fn window(
        &self,
        stream: &Stream,
        slab: &Range<usize>,
        rows: &Range<usize>,
    ) -> Result<Window, DeviceError> {
        let columns = self.host(stream)?;
        let after = slab.start + rows.end % slab.len();
        let after = if rows.len() == slab.len() { 0..0 } else { after..after + 1 };
        let rows = slab.start + rows.start..slab.start + rows.end;
        let stride = rows.len() + after.len();
        let piece = Piece { columns: &columns, which: 0..self.width, rows: [rows, after] };
        let buffer = Arc::new(piece.upload(stream, self.label)?);
        Ok(Window { buffer, first: 0, stride, start: 0, cycle: stride })
    }

    /// Drops what is on the device if the columns are on the host. Returns the bytes that it had.
    pub fn evict(&self) -> u64 {
        let mut copies = self.copies();
        let columns = match &*copies {
            Copies::Device(_) => return 0,
            Copies::Host(columns) | Copies::Both(columns, _) => columns.clone(),
        };
        let bytes = match &*copies {
            Copies::Both(_, buffer) => buffer.bytes(),
            _ => 0,
        };
        *copies = Copies::Host(columns);
        bytes + self.take_digests().map_or(0, |digests| digests.bytes())
    }

    /// The row digests that were made together with the columns.
    pub fn take_digests(&self) -> Option<DeviceBuffer<Digest>> {
        self.digests.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn copies(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl View {
    /// The columns, one after the other.
    pub fn values(&self) -> DeviceSlice<'_, Goldilocks> {
        self.buffer.slice(self.values.clone())
    }

    /// Rows of a column, those beyond the ones asked for included.
    pub fn height(&self) -> usize {
        self.stride
    }
}

impl Window {
    /// For the evaluation of a body.
    pub fn columns(&self) -> ColumnSlice<'_> {
        ColumnSlice { values: self.buffer.slice(self.first..), stride: self.stride }
    }

    /// For lookup constraints.
    pub fn lookup(&self) -> LookupRows<'_> {
        let values = self.buffer.slice(self.first..);
        LookupRows { values, stride: self.stride, start: self.start, rows: self.cycle }
    }

    /// The first of the rows, counted from the columns' start.
    pub fn start(&self) -> usize {
        self.start
    }

    /// A power of two, at least as many as there are rows; where it is more, the row after the last one
    /// that is asked for is there.
    pub fn height(&self) -> usize {
        self.cycle.next_power_of_two()
    }
}
