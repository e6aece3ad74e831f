//! Shared memory of a block, and who accessed each part of it.
//!
//! Two accesses to the same bytes by different threads, at least one of them a plain write or one plain and
//! one atomic, are a race unless a barrier of the block lies between them or, within a warp, a chain of
//! `bar.warp.sync` ([`super::clock`]). Two lanes that write the same bytes in the same instruction race too.
//! Memory is tracked in granules: the shortest access the kernel has, so that bytes next to each other are
//! not taken for the same. Sets of several readers keep one time, that of the last: a write is then also
//! checked against reads as if all had happened at that time, which matters only where parts of a warp
//! synchronise.

use super::clock::WarpClock;
use super::fault::LaneFault;
use super::registers::LANES;
use crate::ptx::Kernel;

/// In place of a warp: threads of several warps.
const SEVERAL_WARPS: u32 = u32::MAX;

/// Shared memory, reused by the blocks that one host thread executes.
#[derive(Debug)]
pub(super) struct SharedMemory {
    bytes: Vec<u8>,
    /// Bytes between static and dynamic memory, which belong to nothing.
    gap: std::ops::Range<u64>,
    shadow: Vec<Shadow>,
    granule_log2: u32,
    /// Advances with every block and every barrier.
    epoch: u32,
    /// The epoch in which the block at hand started.
    first_epoch: u32,
}

/// The last accesses to a granule.
#[derive(Clone, Copy, Debug, Default)]
struct Shadow {
    written: Accesses,
    /// Whether the writes are atomic.
    atomic: bool,
    read: Accesses,
}

/// Accesses by one thread, by lanes of one warp, or by several warps, between two barriers.
#[derive(Clone, Copy, Debug, Default)]
struct Accesses {
    /// 0 before the first.
    epoch: u32,
    /// Of the last one, by the warp's clock.
    time: u32,
    warp: u32,
    lanes: u32,
    /// Program counter of the last one.
    pc: u32,
}

/// Who accesses.
#[derive(Clone, Copy)]
pub(super) struct Accessor<'a> {
    pub(super) warp: u32,
    pub(super) lane: u32,
    pub(super) pc: u32,
    pub(super) clock: &'a WarpClock,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Atomic,
}

impl SharedMemory {
    pub(super) fn new(kernel: &Kernel, dynamic_bytes: u32, junk: u64) -> Self {
        let static_bytes = kernel.static_shared_bytes;
        let (len, gap) = match dynamic_bytes {
            0 => (static_bytes, 0..0),
            _ => {
                let start = kernel.dynamic_shared_start;
                (start + dynamic_bytes, u64::from(static_bytes)..u64::from(start))
            }
        };
        let granule_log2 = kernel.shared_granule.trailing_zeros();
        let granules = (len as usize).div_ceil(kernel.shared_granule as usize);
        Self {
            bytes: junk.to_le_bytes().into_iter().cycle().take(len as usize).collect(),
            gap,
            shadow: vec![Shadow::default(); granules],
            granule_log2,
            epoch: 0,
            first_epoch: 0,
        }
    }

    /// A new block: nothing is written.
    pub(super) fn start_block(&mut self) {
        self.epoch += 1;
        self.first_epoch = self.epoch;
    }

    /// A barrier of the block.
    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// The bytes of an access that was checked.
    #[inline(always)]
    pub(super) fn bytes(&mut self, address: u64, bytes: u32) -> &mut [u8] {
        &mut self.bytes[address as usize..address as usize + bytes as usize]
    }

    /// Checks an access and notes it.
    #[inline(always)]
    pub(super) fn check(
        &mut self,
        who: Accessor<'_>,
        address: u64,
        bytes: u32,
        kind: Kind,
    ) -> Result<(), LaneFault> {
        let (len, end) = (self.bytes.len() as u64, address.wrapping_add(u64::from(bytes)));
        let gap = address < self.gap.end && end > self.gap.start;
        if end > len || end < address || gap || address & u64::from(bytes - 1) != 0 {
            return Err(self.misplaced(who, address, bytes, kind));
        }
        let first = address >> self.granule_log2;
        let last = (end - 1) >> self.granule_log2;
        for granule in first..=last {
            let shadow = &mut self.shadow[granule as usize];
            if let Err(problem) = shadow.note(who, kind, self.epoch, self.first_epoch) {
                return Err(problem.fault(who, kind, granule << self.granule_log2));
            }
        }
        Ok(())
    }

    /// The fault of an access outside the block's memory, or misaligned.
    #[cold]
    fn misplaced(&self, who: Accessor<'_>, address: u64, bytes: u32, kind: Kind) -> LaneFault {
        let len = self.bytes.len() as u64;
        let wrong = if address.checked_add(u64::from(bytes)).is_none_or(|end| end > len) {
            format!("out of bounds: the block has {len} bytes")
        } else if !address.is_multiple_of(u64::from(bytes)) {
            "misaligned".to_owned()
        } else {
            format!("out of bounds: the dynamic part starts at {}", self.gap.end)
        };
        let verb = kind.verb();
        LaneFault::new(who.lane, format!("shared memory: {verb} of {bytes} bytes at {address} is {wrong}"))
    }
}

/// What is wrong with an access to a granule.
enum Problem {
    Uninitialised,
    Race { earlier: &'static str, accesses: Accesses },
}

impl Problem {
    #[cold]
    fn fault(self, who: Accessor<'_>, kind: Kind, byte: u64) -> LaneFault {
        let verb = kind.verb();
        let Self::Race { earlier, accesses } = self else {
            let what =
                format!("shared memory: {verb} of byte {byte}, which no thread of the block has written");
            return LaneFault::new(who.lane, what);
        };
        let first = accesses.warp.wrapping_mul(LANES as u32) + accesses.lanes.trailing_zeros();
        let others = match (accesses.warp, accesses.lanes.count_ones()) {
            (SEVERAL_WARPS, _) => "threads of several warps".to_owned(),
            (_, 1) => format!("thread {first}"),
            (_, count) => format!("{count} threads from thread {first} on"),
        };
        let missing = if accesses.warp == who.warp { "bar.warp.sync or barrier" } else { "barrier" };
        let what =
            format!("shared memory: {verb} of byte {byte} without a {missing} after {earlier} by {others}");
        LaneFault { other: Some(accesses.pc), ..LaneFault::new(who.lane, what) }
    }
}

impl Kind {
    fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Atomic => "atomic access",
        }
    }
}

impl Shadow {
    #[inline(always)]
    fn note(&mut self, who: Accessor<'_>, kind: Kind, epoch: u32, first_epoch: u32) -> Result<(), Problem> {
        if kind != Kind::Write && self.written.epoch < first_epoch.max(1) {
            return Err(Problem::Uninitialised);
        }
        let atomics = kind == Kind::Atomic && self.atomic;
        if !atomics && self.written.conflict(who, epoch) {
            let earlier = if self.atomic { "an atomic access" } else { "a write" };
            return Err(Problem::Race { earlier, accesses: self.written });
        }
        if kind == Kind::Read {
            self.read.add(who, epoch);
            return Ok(());
        }
        if self.read.conflict(who, epoch) {
            return Err(Problem::Race { earlier: "a read", accesses: self.read });
        }
        if atomics {
            self.written.add(who, epoch);
        } else {
            self.written = Accesses::one(who, epoch);
            self.atomic = kind == Kind::Atomic;
            // Whoever comes after this write comes after the reads before it.
            self.read = Accesses::default();
        }
        Ok(())
    }
}

impl Accesses {
    fn one(who: Accessor<'_>, epoch: u32) -> Self {
        Self { epoch, time: who.clock.now(), warp: who.warp, lanes: 1 << who.lane, pc: who.pc }
    }

    /// Whether an access of another thread among these is not ordered before `who`.
    #[inline(always)]
    fn conflict(&self, who: Accessor<'_>, epoch: u32) -> bool {
        if self.epoch != epoch {
            return false;
        }
        if self.warp != who.warp {
            return true;
        }
        let others = self.lanes & !(1 << who.lane);
        others != 0 && !who.clock.ordered(who.lane, others, self.time)
    }

    /// Adds an access. Those that come before it need not be kept: what comes after it comes after them.
    #[inline(always)]
    fn add(&mut self, who: Accessor<'_>, epoch: u32) {
        if !self.conflict(who, epoch) {
            *self = Self::one(who, epoch);
        } else if self.warp == who.warp {
            (self.time, self.lanes, self.pc) = (who.clock.now(), self.lanes | 1 << who.lane, who.pc);
        } else {
            (self.warp, self.pc) = (SEVERAL_WARPS, who.pc);
        }
    }
}
