//! A device: its context, its arena, and the one lock under which work is issued.
//!
//! Issuing a piece of work is short: look up the buffers, make the stream wait, call the driver, note what
//! was used. All of it happens under one lock, with allocations, frees and resets, so that no interleaving
//! lets a block change hands between the check of its epoch and the use of its address.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::arena::{
    Access, Allocation, Arena, ArenaStats, Flaws, Freed, Ledger, Lifetime, StreamId, Ticket, Uses,
};
use crate::buffer::{DeviceBuffer, DeviceSlice, DeviceSliceMut};
use crate::context::{Context, DeviceInfo};
use crate::driver::{Code, Driver, Handle};
use crate::error::{DeviceError, Owners};
use crate::kernel::Functions;
use crate::staging::Staging;
use crate::stream::Stream;
use crate::timeline::Timeline;
use crate::word::DeviceWord;

/// What fills memory that holds nothing, in poison mode: as a field element it is not canonical.
pub const POISON: u64 = u64::MAX;

/// How a device is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Bytes of device memory to reserve, once; `None` takes seven eighths of what is free.
    pub budget_bytes: Option<u64>,
    /// Fills memory that holds nothing with [`POISON`], and looks for it where field elements are read.
    pub poison: bool,
    /// Waits after each launch, so that a fault is reported by the launch that caused it.
    pub synchronous: bool,
    /// Bytes of each of four page-locked pieces for copies.
    pub staging_bytes: usize,
    /// Faults planted into the arena.
    #[doc(hidden)]
    pub flaws: Flaws,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        Self {
            budget_bytes: None,
            poison: false,
            synchronous: false,
            staging_bytes: 4 << 20,
            flaws: Flaws::default(),
        }
    }
}

/// An open device. Clones are the same one; so is a second opening with the same options.
#[derive(Clone, Debug)]
pub struct Device(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Unlike that of any other device opened in this process.
    serial: u64,
    options: DeviceOptions,
    /// Address of the arena.
    base: u64,
    ledger: Arc<Ledger>,
    state: Mutex<State>,
    uploads: Mutex<Staging>,
    downloads: Mutex<Staging>,
    /// Last, so that it is released last.
    context: Arc<Context>,
}

#[derive(Debug)]
struct State {
    arena: Arena,
    timeline: Timeline,
    functions: Functions,
    /// The stream that fills memory with poison.
    poisoner: Option<StreamId>,
}

/// The devices that are open in this process.
static OPEN: Mutex<Vec<(PathBuf, u32, Weak<Inner>)>> = Mutex::new(Vec::new());
static SERIAL: AtomicU64 = AtomicU64::new(0);

impl Device {
    /// Opens the device `ordinal` and reserves its budget.
    ///
    /// # Errors
    /// [`DeviceError::NoDevice`], [`DeviceError::WrongArchitecture`], [`DeviceError::OutOfMemory`] when the
    /// budget is not free, [`DeviceError::AlreadyOpen`] when it is open with other options.
    pub fn open(driver: &Driver, ordinal: u32, options: DeviceOptions) -> Result<Self, DeviceError> {
        let mut open = lock(&OPEN);
        open.retain(|(_, _, device)| device.strong_count() > 0);
        let same =
            |(path, other, _): &&(PathBuf, u32, Weak<Inner>)| path == driver.path() && *other == ordinal;
        if let Some(inner) = open.iter().find(same).and_then(|(_, _, device)| device.upgrade()) {
            return if inner.options == options {
                Ok(Self(inner))
            } else {
                Err(DeviceError::AlreadyOpen { ordinal })
            };
        }
        let inner = Arc::new(Inner::new(driver, ordinal, options)?);
        open.push((driver.path().to_owned(), ordinal, Arc::downgrade(&inner)));
        drop(open);
        Ok(Self(inner))
    }

    /// What it is.
    pub fn info(&self) -> &DeviceInfo {
        &self.0.context.info
    }

    /// How it was opened.
    pub fn options(&self) -> &DeviceOptions {
        &self.0.options
    }

    /// The driver behind it.
    pub fn driver(&self) -> &Driver {
        &self.0.context.driver
    }

    /// The budget's promises, shared by all users of the device.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.0.ledger
    }

    /// A stream.
    ///
    /// # Errors
    /// Any that the driver reports.
    pub fn stream(&self) -> Result<Stream, DeviceError> {
        self.0.context.enter()?;
        let id = self.state().timeline.open(&self.0.context.driver);
        Ok(Stream::new(self.clone(), self.0.context.note(id)?))
    }

    /// Numbers of the arena.
    pub fn stats(&self) -> ArenaStats {
        self.state().arena.stats()
    }

    /// Most bytes in use after any allocation since there had been `allocations`
    /// ([`ArenaStats::allocations`]), 0 where there was none. All users of the device count.
    pub fn highest_bytes_since(&self, allocations: u64) -> u64 {
        self.state().arena.highest_bytes_since(allocations)
    }

    /// Forgets the arena's peak so far.
    pub fn reset_peak(&self) {
        self.state().arena.reset_peak();
    }

    /// Ends the arena's epoch: all transient buffers lose their memory, persistent ones stay.
    ///
    /// # Errors
    /// What broke the device; the epoch has ended all the same.
    pub fn reset(&self) -> Result<(), DeviceError> {
        let mut state = self.state();
        let mut result = Ok(());
        if self.0.options.poison {
            for allocation in state.arena.transient() {
                result = result.and(self.0.poison_block(&mut state, &allocation));
            }
        }
        for allocation in state.arena.reset() {
            self.note_free(&allocation);
        }
        result
    }

    /// Waits on the host until all work of all streams is done.
    ///
    /// # Errors
    /// What broke the device.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let calls = self.0.context.enter()?;
        // SAFETY: the call takes nothing.
        let code = unsafe { (calls.context_synchronize)() };
        self.0.context.check("cuCtxSynchronize", code)
    }

    /// Refuses `count` allocations, the first of them after `after` others, so that a test can see what
    /// happens then. A count of zero refuses none.
    pub fn deny_allocations(&self, after: u64, count: u64) {
        let mut state = self.state();
        if count == 0 { state.arena.deny_none() } else { state.arena.deny(after, count) }
    }

    pub(crate) fn serial(&self) -> u64 {
        self.0.serial
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.0.context
    }

    pub(crate) fn handle_of(&self, stream: StreamId) -> Handle {
        self.state().timeline.stream(stream)
    }

    pub(crate) fn close_stream(&self, stream: StreamId) {
        self.state().timeline.close(stream);
    }

    pub(crate) fn alloc<T: DeviceWord>(
        &self,
        len: usize,
        label: &'static str,
        lifetime: Lifetime,
    ) -> Result<DeviceBuffer<T>, DeviceError> {
        self.0.context.enter()?;
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let mut state = self.state();
        let allocation = state.arena.alloc(bytes, label, lifetime)?;
        if let Some(emulator) = self.driver().emulator() {
            emulator.note_alloc(self.0.base + allocation.offset, allocation.wanted_bytes, label);
        }
        if self.0.options.poison
            && let Err(error) = self.0.poison_block(&mut state, &allocation)
        {
            state.arena.free(&allocation);
            self.note_free(&allocation);
            return Err(error);
        }
        Ok(DeviceBuffer::new(self.clone(), allocation, len))
    }

    /// Takes a buffer's block back.
    pub(crate) fn give_back(&self, allocation: &Allocation) {
        let mut state = self.state();
        if self.0.options.poison {
            // A stale buffer's bytes have other owners, and a broken device says so at its next use.
            let _ = self.0.poison_block(&mut state, allocation);
        }
        if state.arena.free(allocation) == Freed::Returned {
            self.note_free(allocation);
        }
    }

    /// Issues one piece of work that does `uses`, each block's reads before its writes.
    pub(crate) fn enqueue(
        &self,
        stream: &Stream,
        uses: &[(Allocation, Access)],
        issue: impl FnOnce(u64, Handle, &mut Functions) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.0.context.enter()?;
        let mut state = self.state();
        let mut waits = Uses::default();
        for (allocation, access) in uses {
            waits.merge(&state.arena.waits(allocation, *access)?);
        }
        let waited = state.timeline.wait(self.driver(), stream.id(), &waits);
        self.0.context.note(waited)?;
        let handle = state.timeline.stream(stream.id());
        issue(self.0.base, handle, &mut state.functions)?;
        let ticket = state.timeline.issue(stream.id());
        for (allocation, access) in uses {
            state.arena.note_use(allocation, *access, stream.id(), ticket)?;
        }
        Ok(())
    }

    pub(crate) fn upload<T: DeviceWord>(
        &self,
        stream: &Stream,
        to: DeviceSliceMut<'_, T>,
        values: &[T],
    ) -> Result<(), DeviceError> {
        lock(&self.0.uploads).upload(self, stream, to, values)
    }

    pub(crate) fn download<T: DeviceWord>(
        &self,
        stream: &Stream,
        from: DeviceSlice<'_, T>,
    ) -> Result<Vec<T>, DeviceError> {
        let values = lock(&self.0.downloads).download(self, stream, from)?;
        if self.0.options.poison && T::IS_FIELD && holds_poison(&values) {
            return Err(DeviceError::Poisoned { label: from.allocation().label });
        }
        Ok(values)
    }

    fn note_free(&self, allocation: &Allocation) {
        if let Some(emulator) = self.driver().emulator() {
            emulator.note_free(self.0.base + allocation.offset);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0.state)
    }
}

impl Inner {
    fn new(driver: &Driver, ordinal: u32, options: DeviceOptions) -> Result<Self, DeviceError> {
        let context = Context::new(driver, ordinal)?;
        let budget = match options.budget_bytes {
            Some(bytes) => bytes,
            None => free_bytes(&context)? / 8 * 7,
        };
        let uploads = Staging::new(&context, options.staging_bytes)?;
        let downloads = Staging::new(&context, options.staging_bytes)?;
        let base = reserve(&context, budget)?;
        let state = State {
            arena: Arena::with_flaws(budget, options.flaws),
            timeline: Timeline::default(),
            functions: Functions::default(),
            poisoner: None,
        };
        let inner = Self {
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            base,
            ledger: Ledger::new(state.arena.stats().budget_bytes),
            state: Mutex::new(state),
            uploads: Mutex::new(uploads),
            downloads: Mutex::new(downloads),
            context,
            options,
        };
        if inner.options.poison {
            let mut state = lock(&inner.state);
            let bytes = state.arena.stats().budget_bytes;
            inner.fill_with_poison(&mut state, &Uses::default(), 0, bytes)?;
        }
        Ok(inner)
    }

    /// Fills a block with poison, after all work that may touch it and before any that comes.
    fn poison_block(&self, state: &mut State, allocation: &Allocation) -> Result<(), DeviceError> {
        let pending = state.arena.waits(allocation, Access::Write)?;
        let Allocation { offset, wanted_bytes, .. } = *allocation;
        let (poisoner, ticket) = self.fill_with_poison(state, &pending, offset, wanted_bytes)?;
        state.arena.note_use(allocation, Access::Write, poisoner, ticket)
    }

    fn fill_with_poison(
        &self,
        state: &mut State,
        pending: &Uses,
        offset: u64,
        bytes: u64,
    ) -> Result<(StreamId, Ticket), DeviceError> {
        let calls = self.context.enter()?;
        let driver = &self.context.driver;
        let poisoner = match state.poisoner {
            Some(stream) => stream,
            None => *state.poisoner.insert(self.context.note(state.timeline.open(driver))?),
        };
        self.context.note(state.timeline.wait(driver, poisoner, pending))?;
        let handle = state.timeline.stream(poisoner);
        // SAFETY: nobody owns what the range holds, and the stream waits for whoever used it.
        let code = unsafe { (calls.fill_bytes)(self.base + offset, POISON as u8, bytes as usize, handle) };
        self.context.check("cuMemsetD8Async", code)?;
        Ok((poisoner, state.timeline.issue(poisoner)))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Ok(calls) = self.context.bind() else { return };
        // SAFETY: no buffer, stream or launch holds the device any more, and the first call waits for all
        // work; on a broken device there is none.
        unsafe { (calls.context_synchronize)() };
        state.functions.destroy(&self.context);
        state.timeline.destroy(&self.context.driver);
        if self.base != 0 {
            // SAFETY: as above.
            unsafe { (calls.memory_free)(self.base) };
        }
    }
}

/// Whether one of the values, field elements, is [`POISON`] as stored.
fn holds_poison<T: DeviceWord>(values: &[T]) -> bool {
    // SAFETY: any bytes are bytes.
    let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
    let (words, _) = bytes.as_chunks::<{ size_of::<u64>() }>();
    words.contains(&POISON.to_ne_bytes())
}

fn free_bytes(context: &Context) -> Result<u64, DeviceError> {
    let calls = context.enter()?;
    let (mut free, mut total) = (0, 0);
    // SAFETY: the numbers are ours to write.
    let code = unsafe { (calls.memory_info)(&raw mut free, &raw mut total) };
    context.check("cuMemGetInfo", code)?;
    Ok(free as u64)
}

/// Reserves the arena; an address of 0 stands for an empty one.
fn reserve(context: &Context, budget: u64) -> Result<u64, DeviceError> {
    if budget == 0 {
        return Ok(0);
    }
    let calls = context.enter()?;
    let mut base = 0;
    // SAFETY: the address is ours to write.
    match Code(unsafe { (calls.memory_alloc)(&raw mut base, budget as usize) }) {
        Code::OUT_OF_MEMORY => {
            let free = free_bytes(context)?;
            let owners = Owners(vec![("other processes and the driver", budget.saturating_sub(free))]);
            Err(DeviceError::OutOfMemory {
                label: "arena",
                wanted: budget,
                free,
                largest: free,
                budget,
                owners,
            })
        }
        Code(code) => context.check("cuMemAlloc", code).map(|()| base),
    }
}

/// A lock that a panic elsewhere does not spoil: what it guards is consistent between calls.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
