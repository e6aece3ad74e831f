//! Loads, stores and atomics: addresses to the memory they belong to.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::fault::LaneFault;
use super::integer::with_int;
use super::lane::{Integer, combine};
use super::registers::lanes;
use super::shared::{Accessor, Kind};
use super::warp::{Context, Warp};
use crate::memory::Access;
use crate::ptx::{
    Address, Atomic, CONST_WINDOW, Int, LOCAL_WINDOW, MODULE_WINDOW, Place, SHARED_WINDOW, Slot, Space, Type,
    WINDOW_BYTES,
};

/// Most bytes one access to device memory has.
const LONGEST_ACCESS: u32 = 16;

/// The operands of an atomic access.
#[derive(Clone, Copy)]
pub(super) struct AtomicOperands {
    pub(super) f: Atomic,
    pub(super) ty: Int,
    pub(super) d: Option<Slot>,
    pub(super) b: Slot,
    pub(super) c: Slot,
}

impl Warp {
    /// The address that `lane` means, and its space if it is not generic.
    #[inline(always)]
    fn resolve(&self, address: &Address, lane: u32) -> (Space, u64) {
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
                    aligned(lane, at, total)?;
                    for_each_part(bytes, total, |start, step, elements| {
                        let pointer = cx.global(lane, at + u64::from(start), step, Access::Read)?;
                        for (index, element) in elements.enumerate() {
                            // SAFETY: `global` checked `step` bytes, which are these elements.
                            values[element] = unsafe { load(pointer.add(index * bytes as usize), bytes) };
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
                Ok(unsafe { load(pointer, bytes) })
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
                    unsafe { store(pointer, bytes, value) };
                }
                continue;
            }
            let values = a.map(|a| self.registers.get(a, lane));
            match space {
                Space::Global | Space::Generic => {
                    aligned(lane, at, total)?;
                    for_each_part(bytes, total, |start, step, elements| {
                        let pointer = cx.global(lane, at + u64::from(start), step, Access::Write)?;
                        for (index, element) in elements.enumerate() {
                            // SAFETY: `global` checked `step` bytes, which are these elements.
                            unsafe { store(pointer.add(index * bytes as usize), bytes, values[element]) };
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

    pub(super) fn atomic(
        &mut self,
        cx: &mut Context<'_>,
        mask: u32,
        address: &Address,
        operands: AtomicOperands,
    ) -> Result<(), LaneFault> {
        // Which lane comes first is not defined; the seed says.
        let mut order: Vec<u32> = lanes(mask).collect();
        if cx.descending {
            order.reverse();
        }
        for lane in order {
            with_int!(operands.ty, atomic_lane(self, cx, lane, address, operands))?;
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
            aligned(lane, source, bytes)?;
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
                            unsafe { load(pointer.add(index as usize), 1) } as u8;
                    }
                }
            }
            cx.shared.check(self.accessor(lane), target, bytes, Kind::Write)?;
            cx.shared.bytes(target, bytes).copy_from_slice(&copy[..bytes as usize]);
        }
        Ok(())
    }

    fn accessor(&self, lane: u32) -> Accessor<'_> {
        Accessor { warp: self.index, lane, pc: self.pc, clock: &self.clock }
    }
}

fn atomic_lane<T: Integer>(
    warp: &mut Warp,
    cx: &mut Context<'_>,
    lane: u32,
    address: &Address,
    AtomicOperands { f, d, b, c, .. }: AtomicOperands,
) -> Result<(), LaneFault> {
    let bytes = T::BITS / 8;
    let value = |slot: Slot| T::of(warp.registers.row::<T::Raw>(slot)[lane as usize]);
    let (b, c) = (value(b), value(c));
    let update = |old: u64| combine(f, T::from_bits(old), b, c).bits();
    let (space, at) = warp.resolve(address, lane);
    let old = match space {
        Space::Shared => {
            cx.shared.check(warp.accessor(lane), at, bytes, Kind::Atomic)?;
            let found = cx.shared.bytes(at, bytes);
            let old = element(found);
            set_element(found, update(old));
            old
        }
        Space::Global | Space::Generic => {
            aligned(lane, at, bytes)?;
            let pointer = cx.global(lane, at, bytes, Access::Atomic)?;
            // SAFETY: `global` checked `bytes` at the pointer and that it is aligned.
            unsafe { exchange(pointer, bytes, update) }
        }
        Space::Local | Space::Const => {
            return Err(LaneFault::new(lane, "an atomic access to local or constant memory".to_owned()));
        }
    };
    if let Some(d) = d {
        let wide = bytes == 8;
        warp.registers.set(Place { slot: d, wide }, lane, old);
    }
    Ok(())
}

impl Context<'_> {
    /// The host pointer for an access to global memory: the module's own variables, or the launch's memory.
    #[inline(always)]
    fn global(&self, lane: u32, address: u64, bytes: u32, access: Access) -> Result<*mut u8, LaneFault> {
        if address < MODULE_WINDOW {
            return self
                .memory
                .access(self.block, address, bytes, access)
                .map_err(|fault| LaneFault::new(lane, format!("global memory: {fault}")));
        }
        let offset = address - MODULE_WINDOW;
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

fn aligned(lane: u32, address: u64, bytes: u32) -> Result<(), LaneFault> {
    if address.is_multiple_of(u64::from(bytes)) {
        return Ok(());
    }
    Err(LaneFault::new(lane, format!("global memory: access of {bytes} bytes at {address:#x} is misaligned")))
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
fn element(from: &[u8]) -> u64 {
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
fn set_element(to: &mut [u8], value: u64) {
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

/// A relaxed load of 1, 2, 4 or 8 bytes.
///
/// # Safety
/// `pointer` is valid for reads of `bytes` and aligned to them; other threads access it only atomically.
#[inline(always)]
unsafe fn load(pointer: *mut u8, bytes: u32) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            1 => u64::from(AtomicU8::from_ptr(pointer).load(Ordering::Relaxed)),
            2 => u64::from(AtomicU16::from_ptr(pointer.cast()).load(Ordering::Relaxed)),
            4 => u64::from(AtomicU32::from_ptr(pointer.cast()).load(Ordering::Relaxed)),
            _ => AtomicU64::from_ptr(pointer.cast()).load(Ordering::Relaxed),
        }
    }
}

/// A relaxed store of 1, 2, 4 or 8 bytes.
///
/// # Safety
/// `pointer` is valid for writes of `bytes` and aligned to them; other threads access it only atomically.
#[inline(always)]
unsafe fn store(pointer: *mut u8, bytes: u32, value: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(pointer).store(value as u8, Ordering::Relaxed),
            2 => AtomicU16::from_ptr(pointer.cast()).store(value as u16, Ordering::Relaxed),
            4 => AtomicU32::from_ptr(pointer.cast()).store(value as u32, Ordering::Relaxed),
            _ => AtomicU64::from_ptr(pointer.cast()).store(value, Ordering::Relaxed),
        }
    }
}

/// Replaces a word of 4 or 8 bytes by a function of it; returns the old one.
///
/// # Safety
/// `pointer` is valid for reads and writes of `bytes` and aligned to them; other threads access it only
/// atomically.
unsafe fn exchange(pointer: *mut u8, bytes: u32, update: impl Fn(u64) -> u64) -> u64 {
    let always = "the update always gives a value";
    // SAFETY: as the caller promises.
    unsafe {
        if bytes == 4 {
            let word = AtomicU32::from_ptr(pointer.cast());
            let update = |old| Some(update(u64::from(old)) as u32);
            u64::from(word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update).expect(always))
        } else {
            let word = AtomicU64::from_ptr(pointer.cast());
            word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(update(old))).expect(always)
        }
    }
}
