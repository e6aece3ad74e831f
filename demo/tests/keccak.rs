//! What the Keccak table proves against FIPS 202: its rows hold permutations of its inputs.

use core::array;
use core::borrow::Borrow;

use lambda_demo::keccak;
use lambda_math::{Columns, Goldilocks};
use p3_field::PrimeField64;
use p3_keccak_air::{KeccakCols, NUM_ROUNDS, U64_LIMBS};
use proptest::prelude::*;

type State = [u64; 25];

/// Keccak-f\[1600\], FIPS 202, section 3: every constant is derived as the standard derives it, none is
/// tabulated.
fn keccak_f(mut state: State) -> State {
    let mut register = 1u8;
    for _ in 0..NUM_ROUNDS {
        // θ
        let parity: [u64; 5] = array::from_fn(|x| (0..5).fold(0, |sum, y| sum ^ state[x + 5 * y]));
        for (lane, value) in state.iter_mut().enumerate() {
            let x = lane % 5;
            *value ^= parity[(x + 4) % 5] ^ parity[(x + 1) % 5].rotate_left(1);
        }
        // ρ and π: lane (x, y) is rotated and goes to (y, 2x + 3y).
        let mut moved = state;
        let (mut x, mut y) = (1, 0);
        for t in 0..24u32 {
            let target = (y, (2 * x + 3 * y) % 5);
            moved[target.0 + 5 * target.1] = state[x + 5 * y].rotate_left((t + 1) * (t + 2) / 2 % 64);
            (x, y) = target;
        }
        // χ
        state = array::from_fn(|lane| {
            let (x, row) = (lane % 5, lane - lane % 5);
            moved[lane] ^ (!moved[row + (x + 1) % 5] & moved[row + (x + 2) % 5])
        });
        // ι: bit 2^j - 1 of the round constant is the j-th output of the register x^8 + x^6 + x^5 + x^4 + 1.
        for j in 0..7 {
            state[0] ^= u64::from(register & 1) << ((1 << j) - 1);
            register = register << 1 ^ if register >> 7 == 1 { 0x71 } else { 0 };
        }
    }
    state
}

/// The state whose limbs are `limb(x, y, i)`.
fn state(limb: impl Fn(usize, usize, usize) -> Goldilocks) -> State {
    array::from_fn(|lane| {
        let limbs = (0..U64_LIMBS).rev().map(|i| limb(lane % 5, lane / 5, i).as_canonical_u64());
        limbs.fold(0, |word, limb| word << 16 | limb)
    })
}

/// Input and output of each whole permutation of the table.
fn permutations(trace: &Columns) -> Vec<(State, State)> {
    (NUM_ROUNDS - 1..trace.height())
        .step_by(NUM_ROUNDS)
        .map(|last| {
            let cells = trace.row(last);
            let row: &KeccakCols<Goldilocks> = cells.as_slice().borrow();
            (state(|x, y, i| row.preimage[y][x][i]), state(|x, y, i| row.a_prime_prime_prime(y, x, i)))
        })
        .collect()
}

/// The Keccak team's known answer for the all-zero state, first two and last lanes.
#[test]
fn the_reference_gives_the_known_answer() {
    let output = keccak_f([0; 25]);
    assert_eq!(output[..2], [0xf125_8f79_40e1_dde7, 0x84d5_ccf9_33c0_478a]);
    assert_eq!(output[24], 0xeaf1_ff7b_5cec_a249);
}

/// A transposition that mixes up rows or columns, or a padding that is not a permutation, shows here.
#[test]
fn padding_holds_permutations_of_zero() {
    let input = array::from_fn(|lane| (lane as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let all = permutations(&keccak::trace(vec![input, input, input]));
    assert_eq!(all.len(), 128 / NUM_ROUNDS);
    assert_eq!(all[..3], [(input, keccak_f(input)); 3]);
    assert_eq!(all[3..], [([0; 25], keccak_f([0; 25])); 2]);
}

fn lane() -> impl Strategy<Value = u64> {
    prop_oneof![prop::sample::select(vec![0, 1, 0xffff, 1 << 32, u64::MAX]), any::<u64>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn rows_hold_permutations_of_the_inputs(
        inputs in prop::collection::vec(prop::array::uniform25(lane()), 1..12)
    ) {
        let all = permutations(&keccak::trace(inputs.clone()));
        let expected: Vec<(State, State)> = inputs.iter().map(|&input| (input, keccak_f(input))).collect();
        prop_assert_eq!(&all[..inputs.len()], &expected);
    }
}
