//! Butterflies over the packing that `p3-field` chooses for the machine.

use core::array;

use p3_field::{Field, PackedValue, PrimeCharacteristicRing};

use super::{Fourier, Multiplier, Point, WIDTH, row_of};
use crate::field::Goldilocks;

type Packed = <Goldilocks as Field>::Packing;

/// Registers in a [`Lanes`].
const REGISTERS: usize = WIDTH / Packed::WIDTH;

/// Eight elements.
#[derive(Clone, Copy)]
pub(in super::super) struct Lanes([Packed; REGISTERS]);

impl Lanes {
    /// All lanes equal to `value`.
    #[inline(always)]
    pub(in super::super) fn splat(value: Goldilocks) -> Self {
        Self([value.into(); REGISTERS])
    }

    /// Reads eight consecutive elements.
    ///
    /// # Safety
    /// `from` must be readable for eight elements.
    #[inline(always)]
    pub(in super::super) unsafe fn load(from: *const Goldilocks) -> Self {
        // SAFETY: the caller's promise.
        let values = unsafe { from.cast::<[Goldilocks; WIDTH]>().read() };
        Self(array::from_fn(|r| *Packed::from_slice(&values[r * Packed::WIDTH..][..Packed::WIDTH])))
    }

    /// Writes eight consecutive elements.
    ///
    /// # Safety
    /// `to` must be writable for eight elements.
    #[inline(always)]
    pub(in super::super) unsafe fn store(self, to: *mut Goldilocks) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[Goldilocks; WIDTH]>().write(self.values()) }
    }

    /// Lane-wise product.
    #[inline(always)]
    pub(in super::super) fn times(self, other: Self) -> Self {
        Self(array::from_fn(|r| self.0[r] * other.0[r]))
    }

    /// Lane `i` of row `j` becomes lane `j` of row `i`.
    #[inline(always)]
    pub(in super::super) fn transpose(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        let values = rows.map(Self::values);
        array::from_fn(|i| {
            Self(array::from_fn(|r| Packed::from_fn(|lane| values[r * Packed::WIDTH + lane][i])))
        })
    }

    #[inline(always)]
    fn values(self) -> [Goldilocks; WIDTH] {
        array::from_fn(|i| self.0[i / Packed::WIDTH].as_slice()[i % Packed::WIDTH])
    }
}

impl Point for Lanes {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(array::from_fn(|r| self.0[r] + other.0[r]))
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(array::from_fn(|r| self.0[r] - other.0[r]))
    }

    #[inline(always)]
    fn plus_fourth(self, other: Self) -> Self {
        self.plus(Self(other.0.map(|x| x.mul_2exp_u64(48))))
    }

    #[inline(always)]
    fn minus_fourth(self, other: Self) -> Self {
        self.minus(Self(other.0.map(|x| x.mul_2exp_u64(48))))
    }

    #[inline(always)]
    fn times_eighth(self) -> Self {
        Self(self.0.map(|x| x.mul_2exp_u64(24)))
    }
}

/// A constant that multiplies all lanes.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Factor(Goldilocks);

impl Factor {
    /// Prepares `w`.
    pub(in super::super) fn new(w: Goldilocks) -> Self {
        Self(w)
    }
}

/// Eight constants, one a lane.
#[derive(Clone, Copy)]
pub(in super::super) struct LaneFactor(Lanes);

impl LaneFactor {
    /// Prepares the lanes of `w`.
    #[inline(always)]
    pub(in super::super) fn new(w: Lanes) -> Self {
        Self(w)
    }
}

impl Multiplier<Lanes> for Factor {
    type Prepared = LaneFactor;

    #[inline(always)]
    fn lanes(&self) -> LaneFactor {
        LaneFactor(Lanes::splat(self.0))
    }
}

impl Multiplier<Lanes> for LaneFactor {
    type Prepared = Self;

    #[inline(always)]
    fn lanes(&self) -> Self {
        *self
    }
}

/// Inverse butterfly: rows in natural order times `factors`, to the transform with `ω^-1` in bit-reversed
/// order. The first factor is taken to be one.
#[inline(always)]
pub(in super::super) fn inverse<const R: usize, M>(rows: [Lanes; R], factors: &[M; R]) -> [Lanes; R]
where
    M: Multiplier<Lanes, Prepared = LaneFactor>,
    [(); R]: Fourier<R>,
{
    let products = array::from_fn(|n| if n == 0 { rows[0] } else { rows[n].times(factors[n].lanes().0) });
    let transform = <[(); R]>::fourier(products);
    array::from_fn(|c| transform[(R - row_of(c, R)) % R])
}

/// Forward butterfly: rows in bit-reversed order times `factors`, to the transform in natural order.
#[inline(always)]
pub(in super::super) fn forward<const R: usize, M>(rows: [Lanes; R], factors: &[M; R]) -> [Lanes; R]
where
    M: Multiplier<Lanes, Prepared = LaneFactor>,
    [(); R]: Fourier<R>,
{
    <[(); R]>::fourier(array::from_fn(|n| {
        let row = row_of(n, R);
        rows[row].times(factors[row].lanes().0)
    }))
}

/// [`forward`] with all factors one.
#[inline(always)]
pub(in super::super) fn forward_plain<const R: usize>(rows: [Lanes; R]) -> [Lanes; R]
where
    [(); R]: Fourier<R>,
{
    <[(); R]>::fourier(array::from_fn(|n| rows[row_of(n, R)]))
}
