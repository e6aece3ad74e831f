//! One row per division: `Div`, `Divu`, `Rem`, `Remu` and their forms on low words.
//!
//! - Receives on `ALU`: the quotient or remainder.
//! - Sends on `RANGE16`: halves of magnitudes, of the remainder's distance from the divisor, of a carry, and
//!   of the words whose signs matter.
//!
//! The forms on low words divide the low words, extended to 64 bits. **Magnitudes** are what is divided: the
//! operands, negated where they are signed and negative. In halves of words,
//!
//! ```text
//! quotient·divisor + remainder = dividend        remainder < divisor, unless that is 0
//! ```
//!
//! The result is the quotient, negated where the operands' signs differ, or the remainder, with the
//! dividend's sign, modulo 2^64 (2^32 on low words, then extended).
//!
//! The specification's two special cases:
//! - Divisor 0: the equation makes the remainder the dividend, as it should be. The quotient is all ones and
//!   never negated.
//! - Overflow, -2^63 / -1: the magnitudes are 2^63 and 1, and the quotient 2^63 is not negated but is -2^63
//!   as a result. On low words likewise.
//!
//! # Why it is sound
//! - **Magnitudes.** Each equation between words has terms below 2^34, so it holds over the integers.
//!   Quotient, divisor and remainder are below 2^64, as their halves are looked up. The dividend's magnitude
//!   is `-a_low + 2^32·(2^32 - a_high)` where negated: its low part may be below 0, which the carry absorbs.
//! - **Product.** The carry is below 2^31 + 2^15, so the low word's equation has terms below 2^63 + 2^48 (a
//!   carry of 32 bits would let it wrap). The high word's has terms below 2^52, and what is beyond 64 bits is
//!   a sum of products of halves, 0 only if each is. All hold over the integers, so the equation above does,
//!   without overflow, and with `remainder < divisor` it has one solution.
//! - **`divisor_is_zero`** makes the divisor's halves 0 (their sum is). Left out where the divisor is 0, a
//!   remainder below 0 would be needed.
//! - **Signs** as in [`shift`](super::shift): `flipped` plus `2^32·negative` is the word, plus 2^31 where its
//!   sign matters.
//! - **Result.** `c` is words, which the sender owes; `borrows` are boolean, so the words of `c` are those of
//!   the value modulo 2^64.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::limbs::{all_ones, flag, halves, join, join_narrow, narrow_halves, power_of_two, words};
use super::{Lookups, columns};
use crate::buses::{ALU, RANGE16};
use crate::isa::AluOp;
use crate::record::AluEvent;

/// Name of the table.
pub const NAME: &str = "divrem";

/// Operations, in the order of the flags.
const OPS: [AluOp; 8] =
    [AluOp::Div, AluOp::Divu, AluOp::Rem, AluOp::Remu, AluOp::Divw, AluOp::Divuw, AluOp::Remw, AluOp::Remuw];

columns! {
    /// The columns.
    pub struct DivremColumns<T> {
        /// The operation: `Div`, `Divu`, `Rem`, `Remu`, `Divw`, `Divuw`, `Remw`, `Remuw`.
        pub op: [T; 8],
        /// Low and high word of `a`.
        pub a: [T; 2],
        /// Low and high word of `b`.
        pub b: [T; 2],
        /// Low and high word of the result.
        pub c: [T; 2],
        /// Magnitude of the quotient, in halves of words.
        pub quotient: [T; 4],
        /// Magnitude of the divisor.
        pub divisor: [T; 4],
        /// Magnitude of the remainder.
        pub remainder: [T; 4],
        /// Carry of the product's low 32 bits, in narrow halves.
        pub carry: [T; 2],
        /// `divisor - remainder - 1`; free where the divisor is 0.
        pub distance: [T; 4],
        /// Borrow of the distance's low word.
        pub distance_borrow: T,
        /// The divisor is 0.
        pub divisor_is_zero: T,
        /// The word of `a` whose sign matters, with the sign flipped if it does, in halves.
        pub a_flipped: [T; 2],
        /// `a` is signed and negative.
        pub a_negative: T,
        /// The word of `b` whose sign matters.
        pub b_flipped: [T; 2],
        /// `b` is signed and negative.
        pub b_negative: T,
        /// Carry of the negated divisor's low word.
        pub divisor_borrow: T,
        /// The quotient is negated.
        pub quotient_negative: T,
        /// Low and high word of the result's magnitude.
        pub value: [T; 2],
        /// The result is negated.
        pub value_negative: T,
        /// What the result's words borrow where it is negated.
        pub borrows: [T; 2],
        /// The result's low word with the sign flipped on low words, in halves.
        pub c_flipped: [T; 2],
        /// The result's low word is negative; on low words.
        pub c_negative: T,
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct DivremAir;

impl BaseAir<Goldilocks> for DivremAir {
    fn width(&self) -> usize {
        DivremColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for DivremAir {
    fn eval(&self, builder: &mut AB) {
        let row = DivremColumns::<AB::Var>::from_row(builder.main().current_slice());
        let sum =
            |members: [usize; 4]| members.map(|i| AB::Expr::from(row.op[i])).into_iter().sum::<AB::Expr>();
        let kinds = Kinds { signed: sum([0, 2, 4, 6]), word: sum([4, 5, 6, 7]), quotient: sum([0, 1, 4, 5]) };
        let real = sum([0, 1, 2, 3]) + kinds.word.clone();
        builder.assert_bools_named(row.op, "operations are boolean");
        builder.assert_bool_named(real.clone(), "a row has at most one operation");
        signs(builder, &row, &kinds);
        magnitudes(builder, &row, &kinds);
        division(builder, &row, real.clone());
        result(builder, &row, &kinds);
        interactions(builder, &row, real);
    }
}

/// What kind of operation a row is.
struct Kinds<E> {
    /// On signed operands.
    signed: E,
    /// On low words.
    word: E,
    /// Results in the quotient.
    quotient: E,
}

/// `value`, or its negative where `negative`.
fn negated<E: PrimeCharacteristicRing>(value: E, negative: E) -> E {
    (E::ONE - negative.double()) * value
}

/// Low and high word of `value`, in halves.
fn pair<AB: TableBuilder>([half_0, half_1, half_2, half_3]: [AB::Var; 4]) -> [AB::Expr; 2] {
    [join([half_0, half_1]), join([half_2, half_3])]
}

fn signs<AB: TableBuilder>(builder: &mut AB, row: &DivremColumns<AB::Var>, kinds: &Kinds<AB::Expr>) {
    let signs = [row.a_negative, row.b_negative, row.c_negative];
    builder.assert_bools_named(signs, "signs are boolean");
    let operand = |[low, high]: [AB::Var; 2]| kinds.word.clone() * (low - high) + high;
    let claims = [
        (operand(row.a), kinds.signed.clone(), row.a_flipped, row.a_negative, "the sign of a"),
        (operand(row.b), kinds.signed.clone(), row.b_flipped, row.b_negative, "the sign of b"),
        (row.c[0].into(), kinds.word.clone(), row.c_flipped, row.c_negative, "the sign of c's low word"),
    ];
    for (word, matters, flipped, negative, name) in claims {
        builder.assert_eq_named(
            join::<_, AB::Expr>(flipped) + negative * power_of_two(32),
            word + matters * power_of_two(31),
            name,
        );
    }
}

/// The high word of an operand: its own, or the extension of the low one.
fn extended<AB: TableBuilder>(high: AB::Var, negative: AB::Var, kinds: &Kinds<AB::Expr>) -> AB::Expr {
    (AB::Expr::ONE - kinds.word.clone()) * high + kinds.word.clone() * negative * all_ones()
}

fn magnitudes<AB: TableBuilder>(builder: &mut AB, row: &DivremColumns<AB::Var>, kinds: &Kinds<AB::Expr>) {
    let above = || power_of_two(32);
    let negative = AB::Expr::from(row.b_negative);
    let high = extended::<AB>(row.b[1], row.b_negative, kinds);
    let [divisor_low, divisor_high] = pair::<AB>(row.divisor);
    builder.assert_bool_named(row.divisor_borrow, "the divisor's borrow is boolean");
    builder.assert_eq_named(
        divisor_low,
        negated(row.b[0].into(), negative.clone()) + row.divisor_borrow * above(),
        "magnitude of the divisor: low word",
    );
    builder.assert_eq_named(
        divisor_high,
        negated(high, negative) + row.b_negative * above() - row.divisor_borrow,
        "magnitude of the divisor: high word",
    );

    let negative = AB::Expr::from(row.a_negative);
    let high = extended::<AB>(row.a[1], row.a_negative, kinds);
    let (q, d) = (row.quotient, row.divisor);
    let [remainder_low, remainder_high] = pair::<AB>(row.remainder);
    let carry = join_narrow::<_, AB::Expr>(row.carry);
    let upper = || power_of_two(16);
    builder.assert_eq_named(
        q[0] * d[0] + (q[0] * d[1] + q[1] * d[0]) * upper() + remainder_low,
        negated(row.a[0].into(), negative.clone()) + carry.clone() * above(),
        "quotient times divisor plus remainder: low word",
    );
    builder.assert_eq_named(
        q[0] * d[2]
            + q[1] * d[1]
            + q[2] * d[0]
            + (q[0] * d[3] + q[1] * d[2] + q[2] * d[1] + q[3] * d[0]) * upper()
            + remainder_high
            + carry,
        negated(high, negative) + row.a_negative * above(),
        "quotient times divisor plus remainder: high word",
    );
    builder.assert_zero_named(
        q[1] * d[3] + q[2] * d[2] + q[3] * d[1] + q[2] * d[3] + q[3] * d[2] + q[3] * d[3],
        "quotient times divisor has 64 bits",
    );
}

fn division<AB: TableBuilder>(builder: &mut AB, row: &DivremColumns<AB::Var>, real: AB::Expr) {
    let is_zero = row.divisor_is_zero;
    builder.assert_bool_named(is_zero, "being zero is boolean");
    let [divisor_low, divisor_high] = pair::<AB>(row.divisor);
    let [remainder_low, remainder_high] = pair::<AB>(row.remainder);
    let [distance_low, distance_high] = pair::<AB>(row.distance);
    let mut zero = builder.when(is_zero);
    zero.assert_zero_named(divisor_low.clone() + divisor_high.clone(), "where zero, the divisor is");
    for half in row.quotient {
        zero.assert_eq_named(half, Goldilocks::from_u32(0xffff), "a quotient by 0 is all ones");
    }
    builder.assert_bool_named(row.distance_borrow, "the distance's borrow is boolean");
    let mut nonzero = builder.when(real - is_zero);
    nonzero.assert_eq_named(
        distance_low + remainder_low + AB::Expr::ONE,
        row.distance_borrow * power_of_two(32) + divisor_low,
        "the remainder is less than the divisor: low word",
    );
    nonzero.assert_eq_named(
        distance_high + remainder_high + row.distance_borrow,
        divisor_high,
        "the remainder is less than the divisor: high word",
    );
}

fn result<AB: TableBuilder>(builder: &mut AB, row: &DivremColumns<AB::Var>, kinds: &Kinds<AB::Expr>) {
    let DivremColumns { a_negative, b_negative, quotient_negative, borrows, .. } = *row;
    let differ = a_negative + b_negative - (a_negative * b_negative).double();
    builder.assert_eq_named(
        quotient_negative,
        differ * (AB::Expr::ONE - row.divisor_is_zero),
        "a quotient is negated where signs differ",
    );
    let is_quotient = || kinds.quotient.clone();
    let is_remainder = || row.op[2] + row.op[3] + row.op[6] + row.op[7];
    builder.assert_eq_named(
        row.value_negative,
        is_quotient() * quotient_negative + is_remainder() * a_negative,
        "the result is negated as quotient or remainder",
    );
    let [quotient, remainder] = [row.quotient, row.remainder].map(pair::<AB>);
    for i in 0..2 {
        builder.assert_eq_named(
            row.value[i],
            is_quotient() * quotient[i].clone() + is_remainder() * remainder[i].clone(),
            "the result's magnitude is quotient or remainder",
        );
    }
    builder.assert_bools_named(borrows, "the result's borrows are boolean");
    let above = || power_of_two(32);
    let [low, high] = row.value.map(|word| negated(word.into(), row.value_negative.into()));
    builder.assert_eq_named(row.c[0], low + borrows[0] * above(), "low word of the result");
    builder.when(AB::Expr::ONE - kinds.word.clone()).assert_eq_named(
        row.c[1],
        high - borrows[0] + borrows[1] * above(),
        "high word of the result",
    );
    builder.when(kinds.word.clone()).assert_eq_named(
        row.c[1],
        row.c_negative * all_ones(),
        "on low words, the high word is the sign",
    );
}

fn interactions<AB: TableBuilder>(builder: &mut AB, row: &DivremColumns<AB::Var>, real: AB::Expr) {
    let op =
        row.op.into_iter().zip(OPS).map(|(flag, op)| flag * Goldilocks::from_u8(op as u8)).sum::<AB::Expr>();
    let [[a_low, a_high], [b_low, b_high], [c_low, c_high]] =
        [row.a, row.b, row.c].map(|words| words.map(Into::into));
    builder.receive(&ALU, real.clone(), [op, a_low, a_high, b_low, b_high, c_low, c_high]);
    let values = [row.quotient, row.divisor, row.remainder, row.distance];
    let words = [row.carry, row.a_flipped, row.b_flipped, row.c_flipped];
    for half in values.into_iter().flatten().chain(words.into_iter().flatten()) {
        builder.send(&RANGE16, real.clone(), [half]);
    }
}

/// The row of `event`.
pub fn row(event: &AluEvent, lookups: &mut impl Lookups) -> DivremColumns<Goldilocks> {
    let AluEvent { op, a, b } = *event;
    let signed = matches!(op, AluOp::Div | AluOp::Rem | AluOp::Divw | AluOp::Remw);
    let word = matches!(op, AluOp::Divw | AluOp::Divuw | AluOp::Remw | AluOp::Remuw);
    let is_quotient = matches!(op, AluOp::Div | AluOp::Divu | AluOp::Divw | AluOp::Divuw);
    let operand = |value: u64| match (word, signed) {
        (false, _) => value,
        (true, false) => u64::from(value as u32),
        (true, true) => i64::from(value as i32).cast_unsigned(),
    };
    let negative = |value: u64| signed && value.cast_signed() < 0;
    let magnitude = |value: u64| if negative(value) { value.wrapping_neg() } else { value };
    let (dividend, divisor) = (magnitude(operand(a)), magnitude(operand(b)));
    let (a_negative, b_negative) = (negative(operand(a)), negative(operand(b)));
    let is_zero = divisor == 0;
    let quotient = dividend.checked_div(divisor).unwrap_or(u64::MAX);
    let remainder = dividend.checked_rem(divisor).unwrap_or(dividend);
    let quotient_negative = a_negative != b_negative && !is_zero;

    let half = |value: u64, i: u32| value >> (16 * i) & 0xffff;
    let low_product = half(quotient, 0) * half(divisor, 0)
        + ((half(quotient, 0) * half(divisor, 1) + half(quotient, 1) * half(divisor, 0)) << 16)
        + u64::from(remainder as u32);
    let low_dividend = i64::from(a as u32) * if a_negative { -1 } else { 1 };
    let carry = ((low_product.cast_signed() - low_dividend) >> 32) as u32;
    let distance = if is_zero { 0 } else { divisor - remainder - 1 };
    let distance_borrow = !is_zero && remainder as u32 >= divisor as u32;

    let c = op.apply(a, b);
    let (value, value_negative) =
        if is_quotient { (quotient, quotient_negative) } else { (remainder, a_negative) };
    let borrows = [value_negative && value as u32 != 0, value_negative && value != 0 && !word];
    let sign_word = |value: u64| if word { value as u32 } else { (value >> 32) as u32 };
    let flip = |word: u32, matters: bool| word ^ (u32::from(matters) << 31);
    let a_flipped = flip(sign_word(a), signed);
    let b_flipped = flip(sign_word(b), signed);
    let c_flipped = flip(c as u32, word);

    let values = [quotient, divisor, remainder, distance];
    for value in values {
        lookups.word(value as u32);
        lookups.word((value >> 32) as u32);
    }
    let carry = narrow_halves(carry);
    for half in carry {
        lookups.range16(half);
    }
    for word in [a_flipped, b_flipped, c_flipped] {
        lookups.word(word);
    }
    let [quotient, divisor_halves, remainder, distance] =
        values.map(|value| [0, 1, 2, 3].map(|i| Goldilocks::from_u64(half(value, i))));
    DivremColumns {
        op: OPS.map(|other| flag(op == other)),
        a: words(a),
        b: words(b),
        c: words(c),
        quotient,
        divisor: divisor_halves,
        remainder,
        carry: carry.map(Goldilocks::from_u16),
        distance,
        distance_borrow: flag(distance_borrow),
        divisor_is_zero: flag(is_zero),
        a_flipped: halves(a_flipped),
        a_negative: flag(a_negative),
        b_flipped: halves(b_flipped),
        b_negative: flag(b_negative),
        divisor_borrow: flag(b_negative && b as u32 != 0),
        quotient_negative: flag(quotient_negative),
        value: words(value),
        value_negative: flag(value_negative),
        borrows: borrows.map(flag),
        c_flipped: halves(c_flipped),
        c_negative: flag(word && (c as u32).cast_signed() < 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::testing::{AluTable, Counts, fraction, quarters};

    /// The field's modulus.
    const MODULUS: u64 = 0xffff_ffff_0000_0001;

    fn table() -> AluTable {
        AluTable::new(DivremAir, DivremColumns::<u8>::names(), &OPS, row)
    }

    #[test]
    fn honest_rows_are_valid() {
        table().check_honest();
        table().check_padding();
    }

    #[test]
    fn constraints_stop_forged_rows() {
        let table = table();
        let max = 0xffff_ffff;
        let thirds = (u64::MAX - 6) / 3;
        let forgeries = [
            table
                .forge("operations are boolean", AluOp::Div, 10, 3)
                .put_field("op", [fraction(1, 2), Goldilocks::ZERO, fraction(1, 2)])
                .put("value", [2])
                .put("c", [2])
                .put("c_flipped", [2, 0]),
            table
                .forge("a quotient by 0 is all ones", AluOp::Divu, 7, 0)
                .put("quotient", quarters(5))
                .put("value", [5, 0])
                .put("c", [5, 0])
                .put("c_flipped", [5, 0]),
            table
                .forge("a quotient is negated where signs differ", AluOp::Div, (-6_i64).cast_unsigned(), 3)
                .put("quotient_negative", [0, 2, 0, 0, 0, 0])
                .put("c", [2, 0])
                .put("c_flipped", [2, 0]),
            table
                .forge(
                    "the result is negated as quotient or remainder",
                    AluOp::Div,
                    (-6_i64).cast_unsigned(),
                    3,
                )
                .put("value_negative", [0, 0, 0])
                .put("c", [2, 0])
                .put("c_flipped", [2, 0]),
            table
                .forge("quotient times divisor has 64 bits", AluOp::Divu, 0, 1 << 48)
                .put("quotient", [0, 1])
                .put("value", [1 << 16])
                .put("c", [1 << 16])
                .put("c_flipped", [0, 1]),
            // The field's modulus is added to a divisor, or to a distance.
            table
                .forge("the divisor's borrow is boolean", AluOp::Divu, 10, 3)
                .put("divisor", quarters(3 + MODULUS))
                .put_field("divisor_borrow", [fraction(1, 1 << 32)])
                .put("quotient", quarters(0))
                .put("remainder", quarters(10))
                .put("distance", quarters(3 + MODULUS - 10 - 1))
                .put("distance_borrow", [1])
                .put("value", [0])
                .put("c", [0])
                .put("c_flipped", [0, 0]),
            table
                .forge("the distance's borrow is boolean", AluOp::Divu, 9, 3)
                .put("quotient", quarters(2))
                .put("remainder", quarters(3))
                .put("distance", quarters(max << 32))
                .put_field("distance_borrow", [fraction(1, 1 << 32)])
                .put("value", [2])
                .put("c", [2])
                .put("c_flipped", [2, 0]),
            table
                .forge("the remainder is less than the divisor: low word", AluOp::Divu, 10, 3)
                .put("quotient", quarters(2))
                .put("remainder", quarters(4))
                .put("value", [2])
                .put("c", [2])
                .put("c_flipped", [2, 0]),
            table
                .forge("the remainder is less than the divisor: high word", AluOp::Divu, 1 << 33, 1 << 32)
                .put("quotient", quarters(1))
                .put("remainder", quarters(1 << 32))
                .put("distance", quarters(max))
                .put("value", [1])
                .put("c", [1])
                .put("c_flipped", [1, 0]),
            table
                .forge("the result's borrows are boolean", AluOp::Divu, 10, 3)
                .put_field("borrows", [Goldilocks::ZERO, fraction(7, 1 << 32)])
                .put("c", [3, 7])
                .put("c_flipped", [3, 0]),
            // A divisor of 0 whose sign is a fraction, so that its magnitude is 2^32.
            table
                .forge("signs are boolean", AluOp::Rem, (1 << 32) + 5, 0)
                .put_field("b_negative", [fraction(1, 1 << 32)])
                .put("b_flipped", [0xffff, 0x7fff])
                .put("divisor", quarters(1 << 32))
                .put("divisor_is_zero", [0])
                .put("quotient", quarters(1))
                .put("remainder", quarters(5))
                .put("distance", quarters((1 << 32) - 6))
                .put("distance_borrow", [1])
                .put_field("quotient_negative", [fraction(1, 1 << 32)])
                .put("value", [5, 0])
                .put("c", [5, 0])
                .put("c_flipped", [5, 0]),
            table
                .forge("the sign of a", AluOp::Div, (-6_i64).cast_unsigned(), 3)
                .put("a_negative", [0])
                .put("quotient", quarters(thirds))
                .put("remainder", quarters(1))
                .put("carry", [0, 0])
                .put("distance", quarters(1))
                .put("quotient_negative", [0, thirds & max, thirds >> 32, 0, 0, 0])
                .put("c", [thirds & max, thirds >> 32])
                .put("c_flipped", [thirds & 0xffff, thirds >> 16 & 0xffff]),
            table
                .forge("the sign of b", AluOp::Div, 6, (-3_i64).cast_unsigned())
                .put("b_negative", [0, 0, 0, 0, 0, 0, 0, 0])
                .put("divisor", quarters((-3_i64).cast_unsigned()))
                .put("quotient", quarters(0))
                .put("remainder", quarters(6))
                .put("distance", quarters((-10_i64).cast_unsigned()))
                .put("c", [0, 0])
                .put("c_flipped", [0, 0]),
        ];
        // Neither zero nor one, it asks for a divisor that is 0 and above the remainder. Said of another
        // divisor, it asks for a quotient of all ones, whose product fits only with 1, where it is right.
        let implied = ["being zero is boolean", "where zero, the divisor is"];
        table.check_constraints(10_000, &forgeries, &implied);
    }

    #[test]
    fn equations_hold_over_the_integers() {
        let word = u32::MAX.into();
        table().check_wraps(&[("a", word), ("b", word), ("c", word), ("value", word)], &[]);
    }

    #[test]
    fn counts() {
        let expected = Counts { main: 50, lookup: 13, interactions: 25, constraints: 39, degree: 3 };
        assert_eq!(table().counts(), expected);
    }
}
