//! Columns out of domain against the polynomials they are.

use lambda_math::field::{EXT_DEGREE, ext_from_coefficients};
use lambda_math::ntt::{NttPlan, coset_lde, intt};
use lambda_math::{Columns, Ext3, Goldilocks, domain};
use lambda_math_cuda::kernels::{domain as domain_kernels, ood};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::extension::ext_values;
use crate::kit::{each_device, values};

/// The polynomial with the values `column` on `H_N`, at `point`.
fn at(column: &[Goldilocks], point: Ext3) -> Ext3 {
    let mut coefficients = column.to_vec();
    intt(&mut coefficients);
    coefficients.iter().rev().fold(Ext3::ZERO, |sum, &coefficient| sum * point + coefficient)
}

/// Rows or columns left out or counted twice where blocks meet; weights for ζ·ω that are not one row later.
#[test]
fn values_are_those_of_the_polynomials() {
    // Columns around those of a warp and a block; rows around those of a tile, a part and several blocks.
    let shapes = [(1, 3), (3, 4), (7, 33), (9, 5), (10, 31), (13, 2)];
    for (height_log2, width) in shapes {
        let height = 1usize << height_log2;
        let trace = Columns::from_values(values(width * height, u64::from(height_log2)), height);
        let lde = coset_lde(&NttPlan::new(height_log2, 1), &trace, Goldilocks::ONE);
        let zeta = ext_values(1, 77)[0];
        let next: Vec<usize> = vec![width - 1, 0, width / 2];
        let rotated = zeta * domain::root_of_unity(height_log2);
        let expected: Vec<Ext3> = (0..width).map(|column| at(trace.column(column), zeta)).collect();
        let expected_next: Vec<Ext3> = next.iter().map(|&column| at(trace.column(column), rotated)).collect();
        each_device(|_, stream| {
            let denominators = domain_kernels::denominators(stream, height_log2, zeta).unwrap();
            let lde = stream.upload(lde.values(), "lde").unwrap();
            let found = ood::evaluate(stream, &lde, 2 * height, &denominators, zeta, &next).unwrap();
            assert_eq!(
                found,
                (expected.clone(), expected_next.clone()),
                "{width} columns of 2^{height_log2}"
            );
            let (_, none) = ood::evaluate(stream, &lde, 2 * height, &denominators, zeta, &[]).unwrap();
            assert!(none.is_empty());
        });
    }
}

/// Sums that overflow before they are reduced.
#[test]
fn the_largest_values_fit() {
    let height_log2 = 13;
    let height = 1usize << height_log2;
    let largest = [Goldilocks::new(u64::MAX), Goldilocks::new(u64::from(u32::MAX))];
    let column = vec![largest[0]; 2 * height];
    each_device(|_, stream| {
        // With all weights one, the sum is N·x_j·value over the points.
        let denominators = vec![largest[1]; EXT_DEGREE * height];
        let weights: Goldilocks =
            domain::root_of_unity(height_log2).shifted_powers(domain::SHIFT).take(height).sum();
        let denominators = stream.upload(&denominators, "denominators").unwrap();
        let lde = stream.upload(&column, "lde").unwrap();
        let (found, _) = ood::evaluate(stream, &lde, 2 * height, &denominators, Ext3::ONE, &[]).unwrap();
        let shift = domain::SHIFT.exp_power_of_2(height_log2 as usize);
        let scale = (Goldilocks::ONE - shift) * (shift * Goldilocks::from_usize(height)).inverse();
        let sum = largest[0] * largest[1] * weights * scale;
        assert_eq!(found, [ext_from_coefficients([sum; 3])]);
    });
}
