//! Extensions against direct evaluation of the polynomial, and against plain transforms when tall.

use p3_field::PrimeCharacteristicRing;

use super::*;
use crate::field::ORDER;

/// Reproducible elements; one in eight is at an edge of the representation.
fn sample(seed: u64, len: usize) -> Vec<Goldilocks> {
    const EDGES: [u64; 8] = [0, 1, 0xffff_ffff, 1 << 32, ORDER - 1, ORDER, ORDER + 1, u64::MAX];
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let mixed = state ^ (state >> 29);
        Goldilocks::new(if mixed.is_multiple_of(8) { EDGES[(mixed >> 32) as usize % 8] } else { mixed })
    };
    core::iter::repeat_with(next).take(len).collect()
}

fn horner(coefficients: &[Goldilocks], x: Goldilocks) -> Goldilocks {
    coefficients.iter().rev().fold(Goldilocks::ZERO, |sum, &c| sum * x + c)
}

/// Values of the polynomial on `shift · H_N` by [`ntt`].
fn evaluations(coefficients: &[Goldilocks], shift: Goldilocks) -> Vec<Goldilocks> {
    let mut values: Vec<_> = coefficients.iter().zip(shift.powers()).map(|(&c, power)| c * power).collect();
    ntt(&mut values);
    values
}

// Wrong twiddles or transform order at small sizes: these two are the reference of the tests below.
#[test]
fn plain_transforms_evaluate_and_interpolate() {
    for log2 in 0..=8 {
        let coefficients = sample(log2.into(), 1 << log2);
        let mut values = coefficients.clone();
        ntt(&mut values);
        let points = root_of_unity(log2).powers().take(1 << log2);
        assert_eq!(values, points.map(|x| horner(&coefficients, x)).collect::<Vec<_>>());
        intt(&mut values);
        assert_eq!(values, coefficients);
    }
}

// Slabs in the wrong order or at the wrong points, an input shift ignored, a copied slab misplaced.
#[test]
fn extension_is_the_polynomial_on_every_slab() {
    for height_log2 in 0..=8 {
        for blowup_log2 in 0..=3 {
            let plan = NttPlan::new(height_log2, blowup_log2);
            let shift_of = |slab| slab_shift(slab, height_log2, blowup_log2);
            for input_shift in [Goldilocks::ONE, shift_of(0), shift_of(plan.blowup() - 1)] {
                let coefficients = sample(u64::from(8 * height_log2 + blowup_log2), plan.height());
                let coset = |shift| root_of_unity(height_log2).shifted_powers(shift).take(plan.height());
                let input: Vec<_> = coset(input_shift).map(|x| horner(&coefficients, x)).collect();
                let mut output = sample(1, plan.height() * plan.blowup());
                coset_lde_column(&plan, &input, input_shift, &mut output);
                let expected = (0..plan.blowup()).flat_map(|slab| coset(shift_of(slab)));
                assert!(output.iter().copied().eq(expected.map(|x| horner(&coefficients, x))));
            }
        }
    }
}

// Twiddles, segments or strides of any stage that small heights do not have: every mix of radices, within
// a chunk, across chunks, and on the way through a tile.
#[test]
fn tall_extensions_match_plain_transforms() {
    for height_log2 in (9..=16).chain([18, 19]) {
        let plan = NttPlan::new(height_log2, 1);
        let coefficients = sample(height_log2.into(), plan.height());
        let input = evaluations(&coefficients, Goldilocks::ONE);
        let mut output = Goldilocks::zero_vec(2 * plan.height());
        coset_lde_column(&plan, &input, Goldilocks::ONE, &mut output);
        for (slab, values) in output.chunks_exact(plan.height()).enumerate() {
            let expected = evaluations(&coefficients, slab_shift(slab, height_log2, 1));
            assert!(values == expected, "height 2^{height_log2}, slab {slab}");
        }
    }
}

// Columns of a group that disturb each other, threads that share an element, groups that are not full.
#[test]
fn tables_are_their_columns() {
    for (height_log2, blowup_log2, width) in [(3, 1, 3), (6, 4, 9), (13, 2, 17), (15, 1, 3), (16, 1, 9)] {
        let plan = NttPlan::new(height_log2, blowup_log2);
        let input_shift = slab_shift(1, height_log2, blowup_log2);
        let input = Columns::from_values(sample(9, plan.height() * width), plan.height());
        let output = coset_lde(&plan, &input, input_shift);
        assert_eq!((output.width(), output.height()), (width, plan.height() * plan.blowup()));
        for (input, output) in input.iter().zip(output.iter()) {
            let mut expected = Goldilocks::zero_vec(output.len());
            coset_lde_column(&plan, input, input_shift, &mut expected);
            assert!(output == expected, "2^{height_log2} x {width}");
        }
    }
    let plan = NttPlan::new(4, 1);
    assert_eq!(coset_lde(&plan, &Columns::zeros(16, 0), Goldilocks::ONE).width(), 0);
}

/// In place every column is read before something is written over it.
#[test]
fn owned_extension_equals_borrowed() {
    for (height_log2, blowup_log2, width) in
        [(0, 1, 3), (4, 0, 5), (4, 1, 1), (5, 1, 7), (6, 3, 2), (6, 2, 33), (13, 1, 3)]
    {
        let height = 1 << height_log2;
        let step = Goldilocks::from_u64(0x1234_5678_9abc_def1);
        let values: Vec<Goldilocks> = step.powers().take(height * width).collect();
        let columns = Columns::from_values(values, height);
        let plan = NttPlan::new(height_log2, blowup_log2);
        let expected = coset_lde(&plan, &columns, Goldilocks::ONE);
        assert_eq!(coset_lde_owned(&plan, columns, Goldilocks::ONE), expected, "2^{height_log2} x {width}");
    }
}
