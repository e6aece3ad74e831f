//! The transforms against direct evaluation of the polynomial.

use p3_field::{PrimeCharacteristicRing, PrimeField64};

use super::*;

fn horner(coefficients: &[Goldilocks], x: Goldilocks) -> Goldilocks {
    coefficients.iter().rev().fold(Goldilocks::ZERO, |acc, &c| acc * x + c)
}

fn sample(seed: u64, len: usize) -> Vec<Goldilocks> {
    let mut state = seed;
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            Goldilocks::new(state ^ (state >> 29))
        })
        .collect()
}

#[test]
fn extension_is_the_polynomial_on_every_slab() {
    for height_log2 in 0..=9 {
        for blowup_log2 in 0..=3 {
            for input_shift in [Goldilocks::ONE, slab_shift(0, height_log2, blowup_log2)] {
                let height = 1 << height_log2;
                let coefficients = sample(u64::from(height_log2 * 8 + blowup_log2), height);
                let root = root_of_unity(height_log2);
                let input: Vec<_> =
                    root.shifted_powers(input_shift).take(height).map(|x| horner(&coefficients, x)).collect();
                let plan = NttPlan::new(height_log2, blowup_log2);
                let mut output = Goldilocks::zero_vec(height << blowup_log2);
                coset_lde_column(&plan, &input, input_shift, &mut output);
                for (slab, values) in output.chunks_exact(height).enumerate() {
                    let shift = slab_shift(slab, height_log2, blowup_log2);
                    for (x, y) in root.shifted_powers(shift).zip(values) {
                        assert_eq!(y.as_canonical_u64(), horner(&coefficients, x).as_canonical_u64());
                    }
                }
            }
        }
    }
}
