//! Batch inverses against the field's own.

use lambda_math::field::{EXT_DEGREE, ORDER, ext_coefficients, ext_from_coefficients};
use lambda_math::{Ext3, Goldilocks};
use lambda_math_cuda::kernels::batch_inverse::{ZeroFlag, invert_base, invert_ext};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::kit::{each_device, random, values};

/// Around the threads and the rows of a block.
const ROWS: [usize; 8] = [1, 2, 127, 129, 1023, 1024, 1025, 2500];

fn inverse<F: Field>(value: F) -> F {
    value.try_inverse().unwrap_or(F::ZERO)
}

/// Values of a run mixed up, or a product that a zero has spoilt.
#[test]
fn base_columns() {
    each_device(|_, stream| {
        for (seed, rows) in ROWS.into_iter().enumerate() {
            // Many edge values, and representatives that are not canonical, zeros among them.
            let mut columns = values(3 * rows, seed as u64);
            columns[rows - 1] = Goldilocks::new(u64::MAX);
            columns[rows / 2] = Goldilocks::new(ORDER);
            let mut buffer = stream.upload(&columns, "columns").unwrap();
            let mut flag = ZeroFlag::new(stream).unwrap();
            invert_base(stream, &mut buffer, rows, &mut flag).unwrap();
            let expected: Vec<Goldilocks> = columns.iter().map(|&value| inverse(value)).collect();
            assert_eq!(stream.download(&buffer).unwrap(), expected, "{rows} rows");
            assert_eq!(flag.is_set(stream).unwrap(), columns.contains(&Goldilocks::ZERO), "{rows} rows");
        }
    });
}

/// A flag that is set by anything but a zero, or forgotten at the next launch.
#[test]
fn only_zeros_set_the_flag() {
    each_device(|_, stream| {
        let mut flag = ZeroFlag::new(stream).unwrap();
        let mut ones = stream.upload(&[Goldilocks::ONE; 1500], "ones").unwrap();
        invert_base(stream, &mut ones, 1500, &mut flag).unwrap();
        assert!(!flag.is_set(stream).unwrap());
        // Zero in the last place, for which nothing comes after; and as the order itself.
        for zero in [Goldilocks::ZERO, Goldilocks::new(ORDER)] {
            let mut flag = ZeroFlag::new(stream).unwrap();
            let mut values = [Goldilocks::ONE; 1500];
            values[1499] = zero;
            let mut values = stream.upload(&values, "values").unwrap();
            invert_base(stream, &mut values, 1500, &mut flag).unwrap();
            invert_base(stream, &mut ones, 1500, &mut flag).unwrap();
            assert!(flag.is_set(stream).unwrap());
        }
    });
}

/// A coefficient of the cofactors wrong, or an element with some zero coefficients taken for zero.
#[test]
fn extension_columns() {
    each_device(|_, stream| {
        for (seed, rows) in ROWS.into_iter().enumerate() {
            let mut columns = values(2 * EXT_DEGREE * rows, seed as u64);
            let mut state = seed as u64;
            // Some zero coefficients, here and there all three.
            for column in 0..2 {
                for row in 0..rows {
                    let mask = random(&mut state) % 16;
                    for k in (0..EXT_DEGREE).filter(|k| mask >> k & 1 == 1) {
                        columns[(EXT_DEGREE * column + k) * rows + row] = Goldilocks::ZERO;
                    }
                }
            }
            let mut expected = columns.clone();
            let mut has_zero = false;
            for column in 0..2 {
                for row in 0..rows {
                    let cell = |k: usize| (EXT_DEGREE * column + k) * rows + row;
                    let value = ext_from_coefficients([0, 1, 2].map(|k| columns[cell(k)]));
                    has_zero |= value == Ext3::ZERO;
                    for (k, coefficient) in ext_coefficients(inverse(value)).into_iter().enumerate() {
                        expected[cell(k)] = coefficient;
                    }
                }
            }
            let mut buffer = stream.upload(&columns, "columns").unwrap();
            let mut flag = ZeroFlag::new(stream).unwrap();
            invert_ext(stream, &mut buffer, rows, &mut flag).unwrap();
            assert_eq!(stream.download(&buffer).unwrap(), expected, "{rows} rows");
            assert_eq!(flag.is_set(stream).unwrap(), has_zero, "{rows} rows");
        }
    });
}
