//! A warp's registers: three banks of rows of 32 lanes.

use super::lane::Lane;
use crate::ptx::{Place, Slot};

/// Threads in a warp.
pub(super) const LANES: usize = 32;

/// The registers of a warp. Predicates are masks, bit `i` for lane `i`.
#[derive(Debug)]
pub(super) struct Registers {
    pub(super) predicates: Vec<u32>,
    pub(super) words: Vec<[u32; LANES]>,
    pub(super) wides: Vec<[u64; LANES]>,
}

/// What a lane of a row is: `u32` or `u64`.
pub(super) trait Raw: Copy + Default + PartialEq + 'static {
    fn rows(registers: &Registers) -> &[[Self; LANES]];
    fn rows_mut(registers: &mut Registers) -> &mut [[Self; LANES]];
}

impl Raw for u32 {
    #[inline(always)]
    fn rows(registers: &Registers) -> &[[Self; LANES]] {
        &registers.words
    }
    #[inline(always)]
    fn rows_mut(registers: &mut Registers) -> &mut [[Self; LANES]] {
        &mut registers.words
    }
}

impl Raw for u64 {
    #[inline(always)]
    fn rows(registers: &Registers) -> &[[Self; LANES]] {
        &registers.wides
    }
    #[inline(always)]
    fn rows_mut(registers: &mut Registers) -> &mut [[Self; LANES]] {
        &mut registers.wides
    }
}

impl Registers {
    #[inline(always)]
    pub(super) fn row<R: Raw>(&self, slot: Slot) -> &[R; LANES] {
        &R::rows(self)[slot as usize]
    }

    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub(super) fn write<R: Raw>(&mut self, d: Slot, mask: u32, values: &[R; LANES]) {
        let row = &mut R::rows_mut(self)[d as usize];
        if mask == u32::MAX {
            *row = *values;
        } else {
            for lane in 0..LANES {
                row[lane] = if mask >> lane & 1 == 1 { values[lane] } else { row[lane] };
            }
        }
    }

    #[inline(always)]
    pub(super) fn predicate(&self, slot: Slot) -> u32 {
        self.predicates[slot as usize]
    }

    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub(super) fn set_predicate(&mut self, d: Slot, mask: u32, values: u32) {
        let row = &mut self.predicates[d as usize];
        *row = *row & !mask | values & mask;
    }

    /// A lane of a row in either bank, zero-extended.
    #[inline(always)]
    pub(super) fn get(&self, place: Place, lane: u32) -> u64 {
        if place.wide {
            self.wides[place.slot as usize][lane as usize]
        } else {
            u64::from(self.words[place.slot as usize][lane as usize])
        }
    }

    /// Sets a lane of a row in either bank, truncated.
    #[inline(always)]
    pub(super) fn set(&mut self, place: Place, lane: u32, value: u64) {
        if place.wide {
            self.wides[place.slot as usize][lane as usize] = value;
        } else {
            self.words[place.slot as usize][lane as usize] = value as u32;
        }
    }

    /// `d = f(a)` in the lanes of `mask`, from lanes of one type to lanes of another.
    #[inline(always)]
    pub(super) fn map1<T: Lane, D: Lane>(&mut self, mask: u32, d: Slot, a: Slot, f: impl Fn(T) -> D) {
        let a = self.row::<T::Raw>(a);
        let mut values = [D::Raw::default(); LANES];
        for lane in 0..LANES {
            values[lane] = f(T::of(a[lane])).raw();
        }
        self.write(d, mask, &values);
    }

    /// `d = f(a, b)` in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn map2<T: Lane, U: Lane, D: Lane>(
        &mut self,
        mask: u32,
        d: Slot,
        [a, b]: [Slot; 2],
        f: impl Fn(T, U) -> D,
    ) {
        let (a, b) = (self.row::<T::Raw>(a), self.row::<U::Raw>(b));
        let mut values = [D::Raw::default(); LANES];
        for lane in 0..LANES {
            values[lane] = f(T::of(a[lane]), U::of(b[lane])).raw();
        }
        self.write(d, mask, &values);
    }

    /// `d = f(a, b, c)` in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn map3<T: Lane, U: Lane, V: Lane, D: Lane>(
        &mut self,
        mask: u32,
        d: Slot,
        [a, b, c]: [Slot; 3],
        f: impl Fn(T, U, V) -> D,
    ) {
        let (a, b, c) = (self.row::<T::Raw>(a), self.row::<U::Raw>(b), self.row::<V::Raw>(c));
        let mut values = [D::Raw::default(); LANES];
        for lane in 0..LANES {
            values[lane] = f(T::of(a[lane]), U::of(b[lane]), V::of(c[lane])).raw();
        }
        self.write(d, mask, &values);
    }

    /// The lanes where `f(a, b)` holds.
    #[inline(always)]
    pub(super) fn test<T: Lane>(&self, a: Slot, b: Slot, f: impl Fn(T, T) -> bool) -> u32 {
        let (a, b) = (self.row::<T::Raw>(a), self.row::<T::Raw>(b));
        let mut mask = 0;
        for lane in 0..LANES {
            mask |= u32::from(f(T::of(a[lane]), T::of(b[lane]))) << lane;
        }
        mask
    }
}

/// The lanes of a mask, in ascending order.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        Some(lane)
    })
}
