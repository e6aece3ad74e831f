//! Loads and stores: addresses to the memory they belong to.

use std::ops::Range;

use super::fault::LaneFault;
use super::host;
use super::registers::lanes;
use super::shared::{Accessor, Kind};
use super::warp::{Context, Warp};
use crate::memory::{Access, AccessFault};
use crate::ptx::{
    Address, CONST_WINDOW, LOCAL_WINDOW, MODULE_WINDOW, Place, SHARED_WINDOW, Slot, Space, Type, WINDOW_BYTES,
};

/// Most bytes one access to device memory has.
const LONGEST_ACCESS: u32 = 16;

impl Warp {
    /// The address that `lane` means, and its space if it is not generic.
    #[inline(always)]
    pub(super) fn resolve(&self, address: &Address, lane: u32) -> (Space, u64) {
        let base = self.registers.get(address.base, lane);
        let full = base.wrapping_add_signed(address.offset);
        // A 32-bit register holds a 32-bit address: the sum wraps there.
        let full = if address.base.wide { full } else { u64::from(full as u32) };
        if address.space != Space::Generic {
            return (address.space, full);
        }
        let windows =
            [(SHARED_WINDOW, Space::Shared), (LOCAL_WINDOW, Space::Local), (CONST_WINDOW, Space::Const)];
        for (window, space) in windows {
            if (window..window + WINDOW_BYTES).contains(&full) {
                return (space, full - window);
            }
        }
        (Space::Global, full)
    }

    pub(super) fn load(
        &mut self,
        cx: &mut Context<'_>,
        mask: u32,
        address: &Address,
        (ty, count): (Type, u8),
        d: &[Option<Place>; 4],
    ) -> Result<(), LaneFault> {
        if let (1, Some(d)) = (count, d[0]) {
            for lane in lanes(mask) {
                let value = self.load_element(cx, lane, address, ty)?;
                self.registers.set(d, lane, extended(value, ty));
            }
            return Ok(());
        }
        let (bytes, total) = (ty.bytes(), ty.bytes() * u32::from(count));
        for lane in lanes(mask) {
            let (space, at) = self.resolve(address, lane);
            let mut values = [0; 4];
            match space {
                Space::Global | Space::Generic => {
                    aligned(lane, at, total, Access::Read)?;
                    for_each_part(bytes, total, |start, step, elements| {
                        let pointer = cx.global(lane, at + u64::from(start), step, Access::Read)?;
                        for (index, element) in elements.enumerate() {
                            // SAFETY: `global` checked `step` bytes, which are these elements.
                            values[element] =
                                unsafe { host::load(pointer.add(index * bytes as usize), bytes) };
                        }
                        Ok(())
                    })?;
                }
                Space::Shared => {
                    cx.shared.check(self.accessor(lane), at, total, Kind::Read)?;
                    unpack(cx.shared.bytes(at, total), bytes, &mut values);
                }
                Space::Local => unpack(self.local.access(lane, at, total)?, bytes, &mut values),
                Space::Const => unpack(cx.constant(lane, at, total)?, bytes, &mut values),
            }
            for (d, value) in d.iter().zip(values) {
                if let Some(d) = d {
                    self.registers.set(*d, lane, extended(value, ty));
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn load_element(
        &mut self,
        cx: &mut Context<'_>,
        lane: u32,
        address: &Address,
        ty: Type,
    ) -> Result<u64, LaneFault> {
        let bytes = ty.bytes();
        let (space, at) = self.resolve(address, lane);
        match space {
            Space::Global | Space::Generic => {
                let pointer = cx.global(lane, at, bytes, Access::Read)?;
                // SAFETY: `global` checked `bytes` at the pointer and that it is aligned.
                Ok(unsafe { host::load(pointer, bytes) })
            }
            Space::Shared => {
                cx.shared.check(self.accessor(lane), at, bytes, Kind::Read)?;
                Ok(element(cx.shared.bytes(at, bytes)))
            }
            Space::Local => self.local.access(lane, at, bytes).map(|found| element(found)),
            Space::Const => cx.constant(lane, at, bytes).map(element),
        }
    }

    pub(super) fn store(
        &mut self,
        cx: &mut Context<'_>,
        mask: u32,
        address: &Address,
        (ty, count): (Type, u8),
        a: &[Place; 4],
    ) -> Result<(), LaneFault> {
        let (bytes, total) = (ty.bytes(), ty.bytes() * u32::from(count));
        for lane in lanes(mask) {
            let (space, at) = self.resolve(address, lane);
            if count == 1 && matches!(space, Space::Global | Space::Shared | Space::Generic) {
                let value = self.registers.get(a[0], lane);
                if space == Space::Shared {
                    cx.shared.check(self.accessor(lane), at, bytes, Kind::Write)?;
                    set_element(cx.shared.bytes(at, bytes), value);
                } else {
                    let pointer = cx.global(lane, at, bytes, Access::Write)?;
                    // SAFETY: `global` checked `bytes` at the pointer and that it is aligned.
                    unsafe { host::store(pointer, bytes, value) };
                }
                continue;
            }
            let values = a.map(|a| self.registers.get(a, lane));
            match space {
                Space::Global | Space::Generic => {
                    aligned(lane, at, total, Access::Write)?;
                    for_each_part(bytes, total, |start, step, elements| {
                        let pointer = cx.global(lane, at + u64::from(start), step, Access::Write)?;
                        for (index, element) in elements.enumerate() {
                            // SAFETY: `global` checked `step` bytes, which are these elements.
                            unsafe {
                                host::store(pointer.add(index * bytes as usize), bytes, values[element])
                            };
                        }
                        Ok(())
                    })?;
                }
                Space::Shared => {
                    cx.shared.check(self.accessor(lane), at, total, Kind::Write)?;
                    pack(cx.shared.bytes(at, total), bytes, &values);
                }
                Space::Local => pack(self.local.access(lane, at, total)?, bytes, &values),
                Space::Const => return Err(LaneFault::new(lane, "a store to constant memory".to_owned())),
            }
        }
        Ok(())
    }

    /// `cp.async`.
    pub(super) fn copy_async(
        &mut self,
        cx: &mut Context<'_>,
        mask: u32,
        [to, from]: [&Address; 2],
        bytes: u32,
        source_bytes: Option<Slot>,
    ) -> Result<(), LaneFault> {
        for lane in lanes(mask) {
            let (_, source) = self.resolve(from, lane);
            let (_, target) = self.resolve(to, lane);
            aligned(lane, source, bytes, Access::Read)?;
            let wanted = source_bytes.map_or(bytes, |slot| self.registers.row::<u32>(slot)[lane as usize]);
            if wanted > bytes {
                return Err(LaneFault::new(lane, format!("copies {wanted} bytes of {bytes}")));
            }
            let mut copy = [0u8; LONGEST_ACCESS as usize];
            if wanted > 0 {
                // Only whole accesses are checked: a shorter source is read byte by byte.
                let step = if wanted == bytes { bytes } else { 1 };
                for start in (0..wanted).step_by(step as usize) {
                    let pointer = cx.global(lane, source + u64::from(start), step, Access::Read)?;
                    for index in 0..step {
                        // SAFETY: `global` checked `step` bytes.
                        copy[(start + index) as usize] =
                            unsafe { host::load(pointer.add(index as usize), 1) } as u8;
                    }
                }
            }
            cx.shared.check(self.accessor(lane), target, bytes, Kind::Write)?;
            cx.shared.bytes(target, bytes).copy_from_slice(&copy[..bytes as usize]);
        }
        Ok(())
    }

    pub(super) fn accessor(&self, lane: u32) -> Accessor<'_> {
        Accessor { warp: self.index, lane, pc: self.pc, clock: &self.clock }
    }
}

impl Context<'_> {
    /// The host pointer for an access to global memory: the module's own variables, or the launch's memory.
    #[inline(always)]
    pub(super) fn global(
        &self,
        lane: u32,
        address: u64,
        bytes: u32,
        access: Access,
    ) -> Result<*mut u8, LaneFault> {
        if address < MODULE_WINDOW {
            return self
                .memory
                .access(self.block, address, bytes, access)
                .map_err(|fault| LaneFault::of_access(lane, fault));
        }
        let offset = address - MODULE_WINDOW;
        aligned(lane, offset, bytes, access)?;
        if offset + u64::from(bytes) > self.module.global_bytes {
            let what = format!("global memory: {access} of {bytes} bytes outside the module's variables");
            return Err(LaneFault::new(lane, what));
        }
        // The words are atomics: they may be written through a shared reference.
        let base = self.module.globals.as_ptr().cast::<u8>().cast_mut();
        Ok(base.wrapping_add(offset as usize))
    }

    fn constant(&self, lane: u32, address: u64, bytes: u32) -> Result<&[u8], LaneFault> {
        let constants = &self.module.constants;
        let end = address.wrapping_add(u64::from(bytes));
        if end > constants.len() as u64 || end < address || !address.is_multiple_of(u64::from(bytes)) {
            let len = constants.len();
            let what = format!(
                "constant memory: read of {bytes} bytes at {address} is out of bounds or misaligned, \
                 the module has {len} bytes"
            );
            return Err(LaneFault::new(lane, what));
        }
        Ok(&constants[address as usize..end as usize])
    }
}

pub(super) fn aligned(lane: u32, address: u64, bytes: u32, access: Access) -> Result<(), LaneFault> {
    let bytes = u64::from(bytes);
    if address.is_multiple_of(bytes) {
        return Ok(());
    }
    Err(LaneFault::of_access(lane, AccessFault::Misaligned { access, address, bytes }))
}

/// Splits a vector of `total` bytes into accesses that device memory takes: calls `f` with the first byte of
/// each, its length and the elements of `bytes` in it.
fn for_each_part(
    bytes: u32,
    total: u32,
    mut f: impl FnMut(u32, u32, Range<usize>) -> Result<(), LaneFault>,
) -> Result<(), LaneFault> {
    let step = total.min(LONGEST_ACCESS);
    (0..total).step_by(step as usize).try_for_each(|start| {
        let first = (start / bytes) as usize;
        f(start, step, first..first + (step / bytes) as usize)
    })
}

/// The number in 1, 2, 4 or 8 bytes.
#[inline(always)]
pub(super) fn element(from: &[u8]) -> u64 {
    match *from {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => unreachable!("an element has 1, 2, 4 or 8 bytes"),
    }
}

/// Sets 1, 2, 4 or 8 bytes to the low ones of a number.
#[inline(always)]
pub(super) fn set_element(to: &mut [u8], value: u64) {
    match to.len() {
        1 => to.copy_from_slice(&(value as u8).to_le_bytes()),
        2 => to.copy_from_slice(&(value as u16).to_le_bytes()),
        4 => to.copy_from_slice(&(value as u32).to_le_bytes()),
        _ => to.copy_from_slice(&value.to_le_bytes()),
    }
}

/// Elements of `bytes` each, zero-extended.
fn unpack(from: &[u8], bytes: u32, values: &mut [u64; 4]) {
    for (value, chunk) in values.iter_mut().zip(from.chunks(bytes as usize)) {
        *value = element(chunk);
    }
}

/// The low `bytes` of each value.
fn pack(to: &mut [u8], bytes: u32, values: &[u64; 4]) {
    for (value, chunk) in values.iter().zip(to.chunks_mut(bytes as usize)) {
        set_element(chunk, *value);
    }
}

/// A loaded value as a register holds it: signed types are sign-extended.
#[inline(always)]
fn extended(value: u64, ty: Type) -> u64 {
    match ty {
        Type::S8 => value as i8 as u64,
        Type::S16 => value as i16 as u64,
        Type::S32 => value as i32 as u64,
        _ => value,
    }
}
