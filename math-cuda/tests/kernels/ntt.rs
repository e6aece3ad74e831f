//! Extensions and coefficients against `lambda_math::ntt`.

use lambda_math::domain::slab_shift;
use lambda_math::ntt::{NttPlan, coset_lde, intt};
use lambda_math::{Columns, Goldilocks};
use lambda_math_cuda::kernels::ntt::{self, Twiddles};
use lambda_math_cuda::{Device, DeviceOptions, Stream};
use p3_field::{PrimeCharacteristicRing, PrimeField64};

use crate::kit;

/// Values of which some are not canonical.
fn representatives(count: usize, seed: u64) -> Vec<Goldilocks> {
    let shifted = |(index, value): (usize, Goldilocks)| {
        let sum = value.as_canonical_u64().checked_add(Goldilocks::ORDER_U64);
        sum.filter(|_| index % 2 == 0).map_or(value, Goldilocks::new)
    };
    kit::values(count, seed).into_iter().enumerate().map(shifted).collect()
}

/// One emulated device, where three take too long or there is another option.
fn emulated(poison: bool) -> Device {
    let description = serde_json::json!({ "memory_bytes": kit::BUDGET_BYTES + (1 << 20) });
    kit::emulated(description, DeviceOptions { poison, ..kit::options() })
}

fn extends_like_the_host(
    stream: &Stream,
    twiddles: &Twiddles,
    shape: (u32, u32),
    width: usize,
    input_shift: Goldilocks,
) {
    let values = representatives(width << shape.0, u64::from(shape.0) + 100 * width as u64);
    extends_values_like_the_host(stream, twiddles, shape, values, input_shift);
}

/// `values` are columns of `2^height_log2` rows, one after the other.
fn extends_values_like_the_host(
    stream: &Stream,
    twiddles: &Twiddles,
    (height_log2, blowup_log2): (u32, u32),
    values: Vec<Goldilocks>,
    input_shift: Goldilocks,
) {
    let height = 1usize << height_log2;
    let width = values.len() / height;
    let trace = stream.upload(&values, "trace").unwrap();
    let mut lde = stream.alloc(values.len() << blowup_log2, "lde").unwrap();
    let (input, output) = (trace.as_slice(), lde.as_slice_mut());
    ntt::coset_lde(stream, twiddles, height_log2, blowup_log2, input, input_shift, output).unwrap();
    let plan = NttPlan::new(height_log2, blowup_log2);
    let expected = coset_lde(&plan, &Columns::from_values(values, height), input_shift);
    assert!(
        stream.download(&lde).unwrap() == expected.values(),
        "{width} columns of 2^{height_log2} rows at blowup 2^{blowup_log2} from {input_shift}"
    );
}

// A wrong twiddle or digit at heights that fill no tile, columns of one tile taken for each other, slabs in
// the wrong order, an input shift ignored.
#[test]
fn short_columns_extend_like_on_the_host() {
    kit::each_device(|_, stream| {
        let twiddles = Twiddles::new(stream).unwrap();
        for height_log2 in 0..=12 {
            let (blowup_log2, width) = (height_log2 % 4, [1, 5, 2][height_log2 as usize % 3]);
            let shape = (height_log2, blowup_log2);
            extends_like_the_host(stream, &twiddles, shape, width, Goldilocks::ONE);
        }
        extends_like_the_host(stream, &twiddles, (4, 1), 300, Goldilocks::new(0x1234_5678));
        extends_like_the_host(stream, &twiddles, (3, 3), 1, slab_shift(5, 3, 3));
        extends_like_the_host(stream, &twiddles, (9, 1), 17, slab_shift(0, 9, 1));
    });
}

// A sum of sixteen that leaves its 96 bits, or is negative where it is taken for positive: every column has
// another pattern of the largest and the smallest words.
#[test]
fn extreme_columns_extend_like_on_the_host() {
    const P: u64 = Goldilocks::ORDER_U64;
    kit::each_device(|_, stream| {
        let twiddles = Twiddles::new(stream).unwrap();
        for (high, low) in [(u64::MAX, 0), (P - 1, P)] {
            let words = (0..1u64 << 12).flat_map(|pattern| {
                let pattern = pattern.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                (0..16).map(move |bit| if pattern >> bit & 1 == 1 { high } else { low })
            });
            let values = words.map(Goldilocks::new).collect();
            extends_values_like_the_host(stream, &twiddles, (4, 0), values, Goldilocks::ONE);
        }
    });
}

// Twiddles between passes, weights of tiles, rows and runs of the passes above the tiles: with digits of one
// to four bits, and of two digits.
#[test]
fn tall_columns_extend_like_on_the_host() {
    kit::each_device(|_, stream| {
        let twiddles = Twiddles::new(stream).unwrap();
        for (height_log2, blowup_log2, width) in [(13, 1, 2), (14, 0, 1), (15, 1, 1), (16, 0, 1), (17, 0, 1)]
        {
            let shift = if width == 2 { Goldilocks::new(99) } else { Goldilocks::ONE };
            extends_like_the_host(stream, &twiddles, (height_log2, blowup_log2), width, shift);
        }
    });
}

// The twiddles between two passes above the tiles, and blocks of blocks. Only heights above 2^22 need two
// passes by themselves; an emulator takes minutes for those.
#[test]
fn columns_that_take_two_passes_extend_like_on_the_host() {
    let extends = |stream: &Stream| {
        let twiddles = Twiddles::new(stream).unwrap().with_max_levels(7);
        extends_like_the_host(stream, &twiddles, (20, 0), 1, Goldilocks::new(3));
    };
    if kit::is_real() {
        return kit::each_device(|_, stream| {
            extends(stream);
            let twiddles = Twiddles::new(stream).unwrap();
            extends_like_the_host(stream, &twiddles, (22, 0), 1, Goldilocks::ONE);
            extends_like_the_host(stream, &twiddles, (23, 0), 1, Goldilocks::ONE);
        });
    }
    extends(&emulated(false).stream().unwrap());
}

// A pass that is said to read slabs which are not there yet.
#[test]
fn nothing_unwritten_is_read() {
    if kit::is_real() {
        return println!("skipped: poison mode is for a device of its own");
    }
    let stream = emulated(true).stream().unwrap();
    let twiddles = Twiddles::new(&stream).unwrap();
    for height_log2 in [5, 12, 13] {
        extends_like_the_host(&stream, &twiddles, (height_log2, 1), 1, Goldilocks::ONE);
    }
}

// A width of no columns launches nothing, and is no error.
#[test]
fn no_columns_are_extended_to_none() {
    kit::each_device(|_, stream| {
        let twiddles = Twiddles::new(stream).unwrap();
        extends_like_the_host(stream, &twiddles, (4, 1), 0, Goldilocks::ONE);
    });
}

// Coefficients in bit-reversed order, a wrong scale, the other slabs of a codeword taken for its first.
#[test]
fn interpolation_gives_coefficients() {
    kit::each_device(|_, stream| {
        let twiddles = Twiddles::new(stream).unwrap();
        for (height_log2, slabs, width) in [(0, 2, 3), (1, 1, 1), (3, 8, 3), (6, 2, 3), (9, 1, 2), (12, 2, 1)]
        {
            let (height, stride) = (1usize << height_log2, slabs << height_log2);
            let values = representatives(width * stride, u64::from(height_log2));
            let columns = stream.upload(&values, "codeword").unwrap();
            let coefficients =
                ntt::interpolate(stream, &twiddles, height_log2, columns.as_slice(), stride).unwrap();
            let expected = values.chunks_exact(stride).flat_map(|column| {
                let mut column = column[..height].to_vec();
                intt(&mut column);
                column
            });
            assert!(
                expected.eq(stream.download(&coefficients).unwrap()),
                "{width} columns of 2^{height_log2} values in {slabs} slabs"
            );
        }
    });
}
