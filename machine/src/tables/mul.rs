//! One row per product: `Mul`, `Mulh`, `Mulhsu`, `Mulhu`, `Mulw`.
//!
//! - Receives on `ALU`: the product.
//! - Sends on `RANGE16`: halves of the operands' high words, of the product's low 64 bits, of three carries,
//!   and three halves to show signs.
//!
//! Every row has the low 64 bits of the unsigned product, in steps with one carry each:
//!
//! ```text
//! a_low·b_low                              = product_0 + 2^16·product_1 + 2^32·carry_0
//! a_low·b_high_0 + b_low·a_high_0 + carry_0 = product_2 + 2^16·carry_1
//! a_low·b_high_1 + b_low·a_high_1 + carry_1 = product_3 + 2^16·carry_2
//! ```
//!
//! What remains is `high = a_high·b_high + carry_2`. Signed operands are `2^64` less where they are negative,
//! which takes `2^64` times the other operand from the product. A high part is `high` less that, and as a
//! 64-bit result `2^64` more where it is negative.
//!
//! # Why it is sound
//! - **Steps.** Words are below 2^32: the low ones because the sender owes it, the high ones because their
//!   halves are looked up. Carries are below 2^32, 2^33 and 2^33. The second and third steps have terms below
//!   2^50, so they hold over the integers, and their remainders are halves. In the first, the left side is
//!   at most `(2^32 - 1)^2`, which is below `p`; the right one is below 2^64 and could be `p` more only with
//!   a `carry_0` of `2^32 - 1`, which it is not, as its distance to that is inverted. (Honestly it is at most
//!   `2^32 - 2`.)
//! - **High part.** Its equation holds modulo `p`. The true high part `h` is from 0 to 2^64 - 2, or from
//!   -2^63 to 2^63 - 1 if signed; `c - 2^64·negative` differs from it by a multiple of `p`. With the right
//!   `negative`, there are three ways to differ:
//!     - `h ≥ 0` and `c = h + p`: the high word of `c` is all ones.
//!     - `h ≥ p` and `c = h - p`: the high word of `c` is 0. Then `a` and `b` are unsigned and at least `p`,
//!       so their high words are full, all ones. Where they are, `h ≥ 2^64 - 2^33`: the first way is closed.
//!     - `h < 0` and `c - 2^64 = h - p`: the high word of `c` is 0.
//!
//!   So the high word of `c` must not be 0 if `negative` or `both_full`, and not all ones otherwise, where
//!   `both_full` says that the product is unsigned and both high words are full. One product that is inverted
//!   shows all of that. Its second factor is `missing + both_full - signed`, where `missing` is how far the
//!   high words' sum is from that of full ones, at most 0. It is 0 where they are full and either the product
//!   is unsigned without `both_full` or signed with it. Honest results comply: negative ones and those of
//!   full words are never below 2^32, and others have all ones as the high word only if both words are full.
//! - **`negative`.** A product is negative if just one operand is and the other is not 0. `is_zero` is only
//!   possible where one operand is 0 (the sum of its words is, as they are not negative). If it is left out
//!   where just one operand is negative and the other is 0, the equation asks for `c = 2^64` modulo `p`,
//!   whose high word is 0, and that is excluded.
//! - **Signs.** A half with 2^15 added, less 2^16 if negative, is a half: so its highest bit is the sign.
//!   Where the operation does not use the sign nothing is added, and it is 0.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::{Field, PrimeCharacteristicRing};

use super::limbs::{all_ones, flag, halves, join, power_of_two, words};
use super::{Lookups, columns};
use crate::buses::{ALU, RANGE16};
use crate::isa::AluOp;
use crate::record::AluEvent;

/// Name of the table.
pub const NAME: &str = "mul";

columns! {
    /// The columns.
    pub struct MulColumns<T> {
        /// The operation is `Mul`.
        pub is_mul: T,
        /// The operation is `Mulh`.
        pub is_mulh: T,
        /// The operation is `Mulhsu`.
        pub is_mulhsu: T,
        /// The operation is `Mulhu`.
        pub is_mulhu: T,
        /// The operation is `Mulw`.
        pub is_mulw: T,
        /// Low word of `a`.
        pub a_low: T,
        /// Halves of `a`'s high word.
        pub a_high: [T; 2],
        /// Low word of `b`.
        pub b_low: T,
        /// Halves of `b`'s high word.
        pub b_high: [T; 2],
        /// Low and high word of the result.
        pub c: [T; 2],
        /// Low 64 bits of the unsigned product, in halves of words.
        pub product: [T; 4],
        /// Carry of the first step, in halves.
        pub carry_0: [T; 2],
        /// Carry of the second step: halves and bit 32.
        pub carry_1: [T; 3],
        /// Carry of the third step: halves and bit 32.
        pub carry_2: [T; 3],
        /// `a` is signed and negative.
        pub a_negative: T,
        /// `b` is signed and negative.
        pub b_negative: T,
        /// The product's low word is negative; for `Mulw`.
        pub word_negative: T,
        /// An operand is 0. Only said where the other is negative.
        pub is_zero: T,
        /// The signed product is negative.
        pub negative: T,
        /// The product is unsigned and both high words are all ones.
        pub both_full: T,
        /// Inverse that shows that the first step does not wrap.
        pub step_inverse: T,
        /// Inverse that shows that the high part does not wrap.
        pub high_inverse: T,
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct MulAir;

impl BaseAir<Goldilocks> for MulAir {
    fn width(&self) -> usize {
        MulColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for MulAir {
    fn eval(&self, builder: &mut AB) {
        let row = MulColumns::<AB::Var>::from_row(builder.main().current_slice());
        let MulColumns { is_mul, is_mulh, is_mulhsu, is_mulhu, is_mulw, .. } = row;
        let real = is_mul + is_mulh + is_mulhsu + is_mulhu + is_mulw;
        builder.assert_bools_named([is_mul, is_mulh, is_mulhsu, is_mulhu, is_mulw], "operations are boolean");
        builder.assert_bool_named(real.clone(), "a row has at most one operation");
        steps(builder, &row, real.clone());
        signs(builder, &row);
        results(builder, &row);
        interactions(builder, &row, real);
    }
}

/// A carry of 33 bits.
fn wide<AB: TableBuilder>([low, high, top]: [AB::Var; 3]) -> AB::Expr {
    join::<_, AB::Expr>([low, high]) + top * power_of_two(32)
}

fn steps<AB: TableBuilder>(builder: &mut AB, row: &MulColumns<AB::Var>, real: AB::Expr) {
    let MulColumns { a_low, a_high, b_low, b_high, product, .. } = *row;
    let carry_0 = join::<_, AB::Expr>(row.carry_0);
    builder.assert_eq_named(
        a_low * b_low,
        join::<_, AB::Expr>([product[0], product[1]]) + carry_0.clone() * power_of_two(32),
        "step 0: low words",
    );
    builder.assert_eq_named((carry_0.clone() - all_ones()) * row.step_inverse, real, "step 0 does not wrap");
    builder.assert_eq_named(
        a_low * b_high[0] + b_low * a_high[0] + carry_0,
        wide::<AB>(row.carry_1) * power_of_two(16) + product[2],
        "step 1: low words and lower halves of high words",
    );
    builder.assert_eq_named(
        a_low * b_high[1] + b_low * a_high[1] + wide::<AB>(row.carry_1),
        wide::<AB>(row.carry_2) * power_of_two(16) + product[3],
        "step 2: low words and upper halves of high words",
    );
    builder.assert_bools_named([row.carry_1[2], row.carry_2[2]], "bit 32 of a carry is boolean");
}

fn signs<AB: TableBuilder>(builder: &mut AB, row: &MulColumns<AB::Var>) {
    let MulColumns { a_negative, b_negative, is_zero, .. } = *row;
    builder.assert_bools_named([a_negative, b_negative, row.word_negative], "signs are boolean");
    builder.assert_bool_named(is_zero, "being zero is boolean");
    builder.when(is_zero).assert_zero_named(
        (join::<_, AB::Expr>(row.a_high) + row.a_low) * (join::<_, AB::Expr>(row.b_high) + row.b_low),
        "where zero, an operand is",
    );
    let differ = a_negative + b_negative - (a_negative * b_negative).double();
    builder.assert_eq_named(
        row.negative,
        differ * (AB::Expr::ONE - is_zero),
        "a product of different signs is negative or zero",
    );
}

fn results<AB: TableBuilder>(builder: &mut AB, row: &MulColumns<AB::Var>) {
    let MulColumns { a_low, b_low, a_negative, b_negative, negative, both_full, .. } = *row;
    let [c_low, c_high] = row.c;
    let [a_high, b_high] = [row.a_high, row.b_high].map(join::<_, AB::Expr>);
    let product_low = join::<_, AB::Expr>([row.product[0], row.product[1]]);
    let product_high = join::<_, AB::Expr>([row.product[2], row.product[3]]);
    builder.when(row.is_mul + row.is_mulw).assert_eq_named(c_low, product_low, "low part: low word");
    builder.when(row.is_mul).assert_eq_named(c_high, product_high, "low part: high word");
    builder.when(row.is_mulw).assert_eq_named(
        c_high,
        row.word_negative * all_ones(),
        "product of words: the high word is the sign",
    );

    let is_signed = row.is_mulh + row.is_mulhsu;
    let is_high = is_signed.clone() + row.is_mulhu;
    let above = || power_of_two(32);
    let two_to_64 = || power_of_two(32).square();
    builder.when(is_high.clone()).assert_eq_named(
        a_high.clone() * b_high.clone() + wide::<AB>(row.carry_2)
            - a_negative * (b_high.clone() * above() + b_low)
            - b_negative * (a_high.clone() * above() + a_low)
            + a_negative * b_negative * two_to_64(),
        c_high * above() + c_low - negative * two_to_64(),
        "high part modulo p",
    );
    let missing = a_high + b_high - all_ones().double();
    builder.assert_bool_named(both_full, "both words being full is boolean");
    builder.when(both_full).assert_zero_named(missing.clone(), "both words are full");
    let impossible = (AB::Expr::ONE - negative - both_full) * all_ones();
    builder.assert_eq_named(
        (AB::Expr::from(c_high) - impossible) * (missing + both_full - is_signed) * row.high_inverse,
        is_high,
        "the high part does not wrap",
    );
}

fn interactions<AB: TableBuilder>(builder: &mut AB, row: &MulColumns<AB::Var>, real: AB::Expr) {
    let MulColumns { is_mul, is_mulh, is_mulhsu, is_mulhu, is_mulw, .. } = *row;
    let number = |op: AluOp| Goldilocks::from_u8(op as u8);
    let op = is_mul * number(AluOp::Mul)
        + is_mulh * number(AluOp::Mulh)
        + is_mulhsu * number(AluOp::Mulhsu)
        + is_mulhu * number(AluOp::Mulhu)
        + is_mulw * number(AluOp::Mulw);
    let [c_low, c_high] = row.c;
    let [a_high, b_high] = [row.a_high, row.b_high].map(join::<_, AB::Expr>);
    let message = [op, row.a_low.into(), a_high, row.b_low.into(), b_high, c_low.into(), c_high.into()];
    builder.receive(&ALU, real.clone(), message);
    let [carry_1_low, carry_1_high, _] = row.carry_1;
    let [carry_2_low, carry_2_high, _] = row.carry_2;
    let carries = [row.carry_0, [carry_1_low, carry_1_high], [carry_2_low, carry_2_high]];
    let pairs = [row.a_high, row.b_high].into_iter().chain(carries);
    for half in pairs.flatten().chain(row.product) {
        builder.send(&RANGE16, real.clone(), [half]);
    }
    let signs = [
        (row.a_high[1], is_mulh + is_mulhsu, row.a_negative),
        (row.b_high[1], is_mulh.into(), row.b_negative),
        (row.product[1], is_mulw.into(), row.word_negative),
    ];
    for (half, matters, negative) in signs {
        let flipped = matters * power_of_two(15) + half - negative * power_of_two(16);
        builder.send(&RANGE16, real.clone(), [flipped]);
    }
}

/// The row of `event`.
pub fn row(event: &AluEvent, lookups: &mut impl Lookups) -> MulColumns<Goldilocks> {
    let AluEvent { op, a, b } = *event;
    let is = |other: AluOp| flag(op == other);
    let low = |value: u64| value & 0xffff_ffff;
    let product = a.wrapping_mul(b);
    let c = op.apply(a, b);

    let carry_0 = (low(a) * low(b)) >> 32;
    let step = |shift: u32, carry: u64| {
        (low(a) * (b >> shift & 0xffff) + low(b) * (a >> shift & 0xffff) + carry) >> 16
    };
    let carry_1 = step(32, carry_0);
    let carry_2 = step(48, carry_1);

    let a_negative = matches!(op, AluOp::Mulh | AluOp::Mulhsu) && a >> 63 == 1;
    let b_negative = op == AluOp::Mulh && b >> 63 == 1;
    let word_negative = op == AluOp::Mulw && product >> 31 & 1 == 1;
    let is_zero = a_negative != b_negative && (a == 0 || b == 0);
    let negative = a_negative != b_negative && !is_zero;
    let both_full = op == AluOp::Mulhu && (a & b) >> 32 == 0xffff_ffff;

    let is_signed = matches!(op, AluOp::Mulh | AluOp::Mulhsu);
    let [a_high, b_high, c_high] = [a, b, c].map(|value| words(value)[1]);
    let impossible = if negative || both_full { Goldilocks::ZERO } else { all_ones() };
    let missing = a_high + b_high - all_ones().double();
    let high_inverse = if is_signed || op == AluOp::Mulhu {
        ((c_high - impossible) * (missing + flag(both_full) - flag(is_signed))).inverse()
    } else {
        Goldilocks::ZERO
    };

    let high_words = [a, b].map(|value| (value >> 32) as u32);
    for word in high_words.into_iter().chain([carry_0, carry_1, carry_2].map(|carry| carry as u32)) {
        lookups.word(word);
    }
    lookups.word(product as u32);
    lookups.word((product >> 32) as u32);
    let flip = |half: u64, matters: bool| half as u16 ^ (u16::from(matters) << 15);
    lookups.range16(flip(a >> 48, is_signed));
    lookups.range16(flip(b >> 48, op == AluOp::Mulh));
    lookups.range16(flip(product >> 16, op == AluOp::Mulw));

    let wide = |carry: u64| {
        let [low, high] = halves(carry as u32);
        [low, high, Goldilocks::from_u64(carry >> 32)]
    };
    MulColumns {
        is_mul: is(AluOp::Mul),
        is_mulh: is(AluOp::Mulh),
        is_mulhsu: is(AluOp::Mulhsu),
        is_mulhu: is(AluOp::Mulhu),
        is_mulw: is(AluOp::Mulw),
        a_low: words(a)[0],
        a_high: halves(high_words[0]),
        b_low: words(b)[0],
        b_high: halves(high_words[1]),
        c: words(c),
        product: [0, 16, 32, 48].map(|shift| Goldilocks::from_u64(product >> shift & 0xffff)),
        carry_0: halves(carry_0 as u32),
        carry_1: wide(carry_1),
        carry_2: wide(carry_2),
        a_negative: flag(a_negative),
        b_negative: flag(b_negative),
        word_negative: flag(word_negative),
        is_zero: flag(is_zero),
        negative: flag(negative),
        both_full: flag(both_full),
        step_inverse: (Goldilocks::from_u64(carry_0) - all_ones()).inverse(),
        high_inverse,
    }
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeField64;

    use super::*;
    use crate::tables::testing::{AluTable, Counts, fraction};

    fn table() -> AluTable {
        AluTable::new(
            MulAir,
            MulColumns::<u8>::names(),
            &[AluOp::Mul, AluOp::Mulh, AluOp::Mulhsu, AluOp::Mulhu, AluOp::Mulw],
            row,
        )
    }

    #[test]
    fn honest_rows_are_valid() {
        table().check_honest();
        table().check_padding();
    }

    #[test]
    fn constraints_stop_forged_rows() {
        let table = table();
        let (low, high, full) = (1 << 63, (1 << 63) - 1, 0xffff_ffff);
        let inverse = |x: Goldilocks, y: Goldilocks| [(x * y).inverse()];
        let full_twice = all_ones().double();
        // A negative high part that is taken for a positive one, modulo p.
        let taken = AluOp::Mulh.apply(low, high) - full;
        let taken_inverse = inverse(
            words(taken)[1] - all_ones(),
            words(low)[1] + words(high)[1] - full_twice - Goldilocks::ONE,
        );
        let bit = -fraction(7, 1 << 16) / power_of_two(32);
        let zero_part = fraction(5, full);
        let sign_part = fraction(1, 1 << 16);
        let sign_result = sign_part * Goldilocks::from_u64(full - 5);
        let forgeries = [
            table
                .forge("a row has at most one operation", AluOp::Mul, 2, 3)
                .put("is_mulw", [1])
                .put_field("step_inverse", [-all_ones().inverse().double()]),
            table
                .forge("operations are boolean", AluOp::Mulhu, 9 << 60, 4)
                .put_field("is_mulh", [fraction(1, 2), Goldilocks::ZERO, fraction(1, 2)])
                .put_field(
                    "high_inverse",
                    inverse(-all_ones(), words(9 << 60)[1] - full_twice - fraction(1, 2)),
                ),
            table
                .forge("step 0 does not wrap", AluOp::Mul, 1, 1)
                .put("product", [2, 0, 0xffff, 0xffff])
                .put("carry_0", [0xffff, 0xffff])
                .put("carry_1", [0xffff])
                .put("c", [2, full]),
            table
                .forge("bit 32 of a carry is boolean", AluOp::Mul, 1, 1)
                .put("product", [1, 0, 7])
                .put_field("carry_1", [Goldilocks::ZERO, Goldilocks::ZERO, bit])
                .put_field("carry_2", [Goldilocks::ZERO, Goldilocks::ZERO, bit / power_of_two(16)])
                .put("c", [1, 7]),
            table
                .forge("signs are boolean", AluOp::Mulh, 3, 5)
                .put_field("a_negative", [sign_part])
                .put_field("negative", [sign_part])
                .put("c", {
                    let c = sign_result.as_canonical_u64();
                    [c & full, c >> 32]
                })
                .put_field("high_inverse", {
                    let c_high = Goldilocks::from_u64(sign_result.as_canonical_u64() >> 32);
                    let impossible = all_ones() * (Goldilocks::ONE - sign_part);
                    inverse(c_high - impossible, -full_twice - Goldilocks::ONE)
                }),
            table
                .forge("being zero is boolean", AluOp::Mulh, u64::MAX, 0)
                .put_field("is_zero", [Goldilocks::ONE - zero_part, zero_part])
                .put("c", [5, 0])
                .put_field(
                    "high_inverse",
                    inverse(all_ones() * (zero_part - Goldilocks::ONE), -all_ones() - Goldilocks::ONE),
                ),
            table
                .forge("where zero, an operand is", AluOp::Mulh, low, high)
                .put("is_zero", [1, 0])
                .put_field("c", words(taken))
                .put_field("high_inverse", taken_inverse),
            table
                .forge("a product of different signs is negative or zero", AluOp::Mulh, low, high)
                .put("negative", [0])
                .put_field("c", words(taken))
                .put_field("high_inverse", taken_inverse),
            // High parts with p added or taken away.
            table.forge("the high part does not wrap", AluOp::Mulhu, 1 << 32, 1 << 33).put("c", [3, full]),
            table
                .forge("the high part does not wrap", AluOp::Mulhu, u64::MAX, u64::MAX)
                .put("c", [full - 2, 0]),
            table
                .forge("the high part does not wrap", AluOp::Mulhu, u64::MAX, u64::MAX)
                .put("both_full", [0])
                .put("c", [full - 2, 0]),
            table.forge("the high part does not wrap", AluOp::Mulh, u64::MAX, 1).put("c", [full - 1, 0]),
            table
                .forge("both words are full", AluOp::Mulhu, 1 << 32, 1 << 33)
                .put("both_full", [1])
                .put("c", [3, full])
                .put_field("high_inverse", inverse(all_ones(), Goldilocks::from_u8(4) - full_twice)),
            table
                .forge("both words being full is boolean", AluOp::Mulhu, u64::MAX, u64::MAX)
                .put("both_full", [2])
                .put("c", [full - 2, 0])
                .put_field("high_inverse", inverse(all_ones(), Goldilocks::TWO)),
        ];
        table.check_constraints(10_000, &forgeries, &[]);
    }

    #[test]
    fn equations_hold_over_the_integers() {
        let word = u32::MAX.into();
        let known = [("a_low", word), ("b_low", word), ("c", word)];
        let inverses = [("step_inverse", u64::MAX), ("high_inverse", u64::MAX)];
        // What they could be modulo p is what the inverses exclude (module docs).
        let excluded = [
            "step 0: low words",
            "step 0 does not wrap",
            "high part modulo p",
            "the high part does not wrap",
        ];
        table().check_wraps(&[&known[..], &inverses].concat(), &excluded);
    }

    #[test]
    fn counts() {
        let expected = Counts { main: 33, lookup: 9, interactions: 18, constraints: 25, degree: 3 };
        assert_eq!(table().counts(), expected);
    }
}
