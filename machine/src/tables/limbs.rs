//! 64-bit values as field elements: two words, or halves of a word.

use lambda_math::Goldilocks;
use p3_field::{Field, PrimeCharacteristicRing};

/// Low and high word of `value`.
pub fn words(value: u64) -> [Goldilocks; 2] {
    [Goldilocks::from_u32(value as u32), Goldilocks::from_u32((value >> 32) as u32)]
}

/// 2^-`bits` in the field.
pub fn inverse_power(bits: u32) -> Goldilocks {
    Goldilocks::from_u64(1 << bits).inverse()
}

/// The upper half of a word whose lower half is `low`, as an expression: `(word - low) / 2^16`.
///
/// With both halves looked up in `range16`, the word is below 2^32.
pub fn high_half<E>(word: E, low: E) -> E
where
    E: PrimeCharacteristicRing + core::ops::Mul<Goldilocks, Output = E>,
{
    (word - low) * inverse_power(16)
}

/// Lower and upper half of `word`.
pub fn halves(word: u32) -> [Goldilocks; 2] {
    [Goldilocks::from_u32(word & 0xffff), Goldilocks::from_u32(word >> 16)]
}

/// The word whose halves are `[low, high]`, as an expression.
pub fn join<V, E>([low, high]: [V; 2]) -> E
where
    V: core::ops::Add<E, Output = E> + core::ops::Mul<Goldilocks, Output = E>,
{
    low + high * power_of_two(16)
}

/// The low 15 bits of `value`, which is below 2^31, and the others.
pub fn narrow_halves(value: u32) -> [u16; 2] {
    [(value & 0x7fff) as u16, (value >> 15) as u16]
}

/// The value whose narrow halves are `[low, high]`, as an expression.
///
/// With both looked up in `range16` it is below 2^31 + 2^15, so that 2^32 times it is below the modulus.
pub fn join_narrow<V, E>([low, high]: [V; 2]) -> E
where
    V: core::ops::Add<E, Output = E> + core::ops::Mul<Goldilocks, Output = E>,
{
    low + high * power_of_two(15)
}

/// 2^`bits` in the field; `bits` below 64.
pub fn power_of_two(bits: u32) -> Goldilocks {
    Goldilocks::from_u64(1 << bits)
}

/// 2^32 - 1, the largest word and the high word of -1.
pub fn all_ones() -> Goldilocks {
    Goldilocks::from_u32(u32::MAX)
}

/// 1 or 0.
pub fn flag(condition: bool) -> Goldilocks {
    Goldilocks::from_bool(condition)
}
