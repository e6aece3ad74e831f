//! Atomic accesses.

use super::access::{aligned, element, set_element};
use super::fault::LaneFault;
use super::host;
use super::integer::with_int;
use super::lane::{Integer, combine};
use super::registers::lanes;
use super::shared::Kind;
use super::warp::{Context, Warp};
use crate::memory::Access;
use crate::ptx::{Address, Atomic, Int, Place, Slot, Space};

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
            aligned(lane, at, bytes, Access::Atomic)?;
            let pointer = cx.global(lane, at, bytes, Access::Atomic)?;
            // SAFETY: `global` checked `bytes` at the pointer and that it is aligned.
            unsafe { host::exchange(pointer, bytes, update) }
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
