//! Domains against their formulas, one point at a time.

use lambda_math::{Ext3, Goldilocks, domain};
use lambda_math_cuda::kernels::domain as kernels;
use p3_field::{Field, PrimeCharacteristicRing};

use crate::extension::{base_columns, ext_values};
use crate::kit::each_device;

/// One row; a part of a block; a block; several blocks.
const HEIGHTS_LOG2: [u32; 6] = [0, 1, 6, 10, 11, 13];

fn points(height_log2: u32, shift: Goldilocks) -> Vec<Goldilocks> {
    domain::root_of_unity(height_log2).shifted_powers(shift).take(1 << height_log2).collect()
}

/// A power of ω taken from the wrong row, in the first block or in later ones.
#[test]
fn points_are_the_coset() {
    each_device(|_, stream| {
        for height_log2 in HEIGHTS_LOG2 {
            for shift in [Goldilocks::ONE, domain::slab_shift(1, height_log2, 1)] {
                let found = kernels::points(stream, height_log2, shift).unwrap();
                assert_eq!(stream.download(&found).unwrap(), points(height_log2, shift), "2^{height_log2}");
            }
        }
    });
}

/// First and last row mixed up, or a factor of the Lagrange polynomials left out.
#[test]
fn selectors_of_a_coset_are_their_formulas() {
    each_device(|_, stream| {
        for height_log2 in HEIGHTS_LOG2 {
            let shift = domain::slab_shift(1, height_log2, 1);
            let last = domain::root_of_unity(height_log2).inverse();
            let height = Goldilocks::from_usize(1 << height_log2);
            let vanishing = shift.exp_power_of_2(height_log2 as usize) - Goldilocks::ONE;
            let lagrange = |x: Goldilocks, row: Goldilocks| row * vanishing * (height * (x - row)).inverse();
            let points = points(height_log2, shift);
            let expected: Vec<Goldilocks> = [
                points.iter().map(|&x| lagrange(x, Goldilocks::ONE)).collect::<Vec<_>>(),
                points.iter().map(|&x| lagrange(x, last)).collect(),
                points.iter().map(|&x| x - last).collect(),
            ]
            .concat();
            let found = kernels::coset_selectors(stream, height_log2, shift).unwrap();
            assert_eq!(stream.download(&found).unwrap(), expected, "2^{height_log2}");
        }
    });
}

/// A unit column with its one elsewhere.
#[test]
fn selectors_of_the_trace_are_units() {
    each_device(|_, stream| {
        for height_log2 in HEIGHTS_LOG2 {
            let height = 1usize << height_log2;
            let unit = |row: usize| (0..height).map(move |j| Goldilocks::from_bool(j == row));
            let last = domain::root_of_unity(height_log2).inverse();
            let transition = points(height_log2, Goldilocks::ONE).into_iter().map(|x| x - last);
            let expected: Vec<Goldilocks> = unit(0).chain(unit(height - 1)).chain(transition).collect();
            let found = kernels::trace_selectors(stream, height_log2).unwrap();
            assert_eq!(stream.download(&found).unwrap(), expected, "2^{height_log2}");
        }
    });
}

/// An inverse stored in another row of its run.
#[test]
fn denominators_are_inverses() {
    each_device(|_, stream| {
        for height_log2 in HEIGHTS_LOG2 {
            // A base element is the other case: its cofactors have zeros.
            for zeta in [ext_values(1, 11)[0], Ext3::TWO] {
                let inverses: Vec<Ext3> =
                    points(height_log2, domain::SHIFT).into_iter().map(|x| (zeta - x).inverse()).collect();
                let found = kernels::denominators(stream, height_log2, zeta).unwrap();
                assert_eq!(stream.download(&found).unwrap(), base_columns(&inverses), "2^{height_log2}");
            }
        }
    });
}
