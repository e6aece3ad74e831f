//! The address space of a running program: what exists, and how bytes, words and cells are read and written.

use lambda_machine::isa::MemoryOp;
use lambda_machine::memory::CELL_BYTES;
use lambda_machine::program::Program;

use crate::error::Trap;
use crate::pages::{PAGE_BYTES, Pages};
use crate::watch::{Access, Change, Watch};

/// First address that does not exist.
const ADDRESS_END: u64 = 1 << 32;

/// Memory of a running program.
#[derive(Debug)]
pub struct Memory {
    cells: Pages<u64>,
    /// Lowest address that exists, a multiple of 8.
    start: u64,
    /// Most pages.
    page_limit: usize,
}

impl Memory {
    /// The memory that a program starts with. `limit_bytes` counts pages that hold anything.
    pub fn new(program: &Program, limit_bytes: u64) -> Result<Self, Trap> {
        let page_limit = usize::try_from(limit_bytes / PAGE_BYTES as u64).unwrap_or(usize::MAX);
        let start = u64::from(program.image_base) * u64::from(CELL_BYTES);
        let mut memory = Self { cells: Pages::new(), start, page_limit };
        let cells = (start..).step_by(CELL_BYTES as usize).zip(&program.image);
        for (address, &cell) in cells.filter(|(_, cell)| **cell != 0) {
            memory.write(address as u32, cell)?;
        }
        Ok(memory)
    }

    /// The cell around `address`.
    pub fn cell(&self, address: u32) -> u64 {
        self.cells.get(address)
    }

    /// Bytes of the pages that hold anything.
    pub const fn bytes(&self) -> u64 {
        (self.cells.count() * PAGE_BYTES) as u64
    }

    /// The bytes from `address`, without those that do not exist.
    pub fn bytes_at(&self, address: u64, length: u64) -> Vec<u8> {
        let end = address.saturating_add(length).min(ADDRESS_END);
        let byte = |address: u64| (self.cells.get(address as u32) >> (8 * (address % 8))) as u8;
        (address.max(self.start)..end).map(byte).collect()
    }

    /// Does a load; gives the register's value.
    #[inline(always)]
    pub fn load<W: Watch>(&self, op: MemoryOp, address: u64, watch: &mut W) -> Result<u64, Trap> {
        if !self.is_simple(op, address) {
            return self.load_misaligned(op, address, watch);
        }
        let address = address as u32;
        let cell = self.cells.get(address);
        let value = op.extend(cell >> (8 * (address % CELL_BYTES)) & mask(op));
        watch.aligned(Access { op, address, value, cell: Change { before: cell, after: cell } });
        Ok(value)
    }

    /// Does a store of a register's value.
    #[inline(always)]
    pub fn store<W: Watch>(
        &mut self,
        op: MemoryOp,
        address: u64,
        value: u64,
        watch: &mut W,
    ) -> Result<(), Trap> {
        if !self.is_simple(op, address) {
            return self.store_misaligned(op, address, value, watch);
        }
        let address = address as u32;
        let shift = 8 * (address % CELL_BYTES);
        let merge = |before: u64| before & !(mask(op) << shift) | (value & mask(op)) << shift;
        let cell = if let Some(cell) = self.cells.get_mut(address) {
            let before = *cell;
            *cell = merge(before);
            Change { before, after: *cell }
        } else {
            let after = merge(0);
            self.write(address, after)?;
            Change { before: 0, after }
        };
        watch.aligned(Access { op, address, value, cell });
        Ok(())
    }

    /// Whether an access stays within a cell because its address is a multiple of its width, and exists.
    #[inline(always)]
    fn is_simple(&self, op: MemoryOp, address: u64) -> bool {
        // An aligned access ends before the end of the address space if it starts there.
        address.wrapping_sub(self.start) < ADDRESS_END - self.start
            && address.is_multiple_of(u64::from(op.bytes()))
    }

    #[cold]
    #[inline(never)]
    fn load_misaligned<W: Watch>(&self, op: MemoryOp, address: u64, watch: &mut W) -> Result<u64, Trap> {
        let (address, shift, crosses) = self.misaligned(op, address)?;
        let first = self.cells.get(address);
        let second = crosses.then(|| self.cells.get(address + CELL_BYTES));
        let both = u128::from(second.unwrap_or(0)) << 64 | u128::from(first);
        let value = op.extend((both >> shift) as u64 & mask(op));
        let unchanged = |cell| Change { before: cell, after: cell };
        watch.misaligned(Access { op, address, value, cell: unchanged(first) }, second.map(unchanged));
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    fn store_misaligned<W: Watch>(
        &mut self,
        op: MemoryOp,
        address: u64,
        value: u64,
        watch: &mut W,
    ) -> Result<(), Trap> {
        let (address, shift, crosses) = self.misaligned(op, address)?;
        let first = self.cells.get(address);
        let second = crosses.then(|| self.cells.get(address + CELL_BYTES));
        let both = u128::from(second.unwrap_or(0)) << 64 | u128::from(first);
        let cleared = both & !(u128::from(mask(op)) << shift);
        let after = cleared | u128::from(value & mask(op)) << shift;
        let cell = Change { before: first, after: after as u64 };
        let second = second.map(|before| Change { before, after: (after >> 64) as u64 });
        self.write(address, cell.after)?;
        if let Some(second) = second {
            self.write(address + CELL_BYTES, second.after)?;
        }
        watch.misaligned(Access { op, address, value, cell }, second);
        Ok(())
    }

    /// Address, bits below it in its cell, and whether the access reaches into the next cell.
    fn misaligned(&self, op: MemoryOp, address: u64) -> Result<(u32, u32, bool), Trap> {
        let bytes = u64::from(op.bytes());
        if address < self.start || address >= ADDRESS_END || address + bytes > ADDRESS_END {
            return Err(Trap::Address { op, address, start: self.start });
        }
        let offset = address as u32 % CELL_BYTES;
        Ok((address as u32, 8 * offset, offset + op.bytes() > CELL_BYTES))
    }

    #[cold]
    #[inline(never)]
    fn write(&mut self, address: u32, cell: u64) -> Result<(), Trap> {
        *self.cells.get_or_insert(address) = cell;
        if self.cells.count() > self.page_limit {
            return Err(Trap::MemoryLimit { limit_bytes: (self.page_limit * PAGE_BYTES) as u64 });
        }
        Ok(())
    }
}

/// Ones in the low bytes that `op` moves.
const fn mask(op: MemoryOp) -> u64 {
    u64::MAX >> (64 - 8 * op.bytes())
}
