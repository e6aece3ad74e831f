//! Inputs damaged byte by byte: refused, or the valid encoding of another block, whose hash says so.

mod drafts;

use std::ops::Range;

use alloy_primitives::Address;
use drafts::{GAS_LIMIT, make, sign, transfer};
use lambda_block::maker::EXTRA_DATA;
use proptest::prelude::*;
use stateless::validate;

fn two_transfers() -> Vec<u8> {
    let transfers = [0, 1].map(|i| sign(i, transfer(i, 0, Address::repeat_byte(0xaa))));
    make(transfers.to_vec(), &[]).as_input().encode()
}

/// Where `part` lies inside `whole`.
fn range_of(part: &[u8], whole: &[u8]) -> Range<usize> {
    let start = whole.windows(part.len()).position(|window| window == part).expect("it is there");
    start..start + part.len()
}

/// A header holds three fields that nothing in these blocks reads and that their proposer chooses: extra
/// data, the randomness and, within bounds, the gas limit. Changing them makes another valid block.
#[test]
fn every_damaged_byte_is_refused_or_makes_another_block() {
    let input = two_transfers();
    let honest = validate(&input).unwrap();
    let gas_limit = u32::try_from(GAS_LIMIT).unwrap().to_be_bytes();
    let free = [EXTRA_DATA, &[9; 32], &gas_limit].map(|field| range_of(field, &input));
    for at in 0..input.len() {
        // A different bit in each place; all eight in each would take eight times as long.
        let mut damaged = input.clone();
        damaged[at] ^= 1 << (at % 8);
        match validate(&damaged) {
            Err(_) => {}
            Ok(validated) => {
                assert!(free.iter().any(|range| range.contains(&at)), "byte {at} is not covered");
                assert_ne!(validated.block_hash, honest.block_hash, "byte {at}");
            }
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    let input = two_transfers();
    for length in 0..input.len() {
        assert!(validate(&input[..length]).is_err(), "{length} bytes");
    }
}

proptest! {
    /// Panics fail the test; so does accepting another output for the same block hash.
    #[test]
    fn bursts_of_damage_never_panic(
        at in any::<prop::sample::Index>(),
        burst in prop::collection::vec(any::<u8>(), 1..40),
        resize in -2_isize..3,
    ) {
        let mut input = two_transfers();
        let honest = validate(&input).unwrap();
        let at = at.index(input.len());
        let end = (at + burst.len()).min(input.len());
        let replaced = end.saturating_add_signed(-resize).clamp(at, input.len());
        input.splice(at..replaced, burst);
        if let Ok(validated) = validate(&input) {
            prop_assert!(validated == honest || validated.block_hash != honest.block_hash);
        }
    }
}
