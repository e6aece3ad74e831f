//! What gas and blobs cost, block by block. All arithmetic is checked: a header may hold any numbers.

use alloy_eips::eip4844::DATA_GAS_PER_BLOB;
use alloy_eips::eip7840::BlobParams;

/// Target gas is the limit over this (EIP-1559).
const ELASTICITY: u64 = 2;
/// The base fee moves by at most one part in this many (EIP-1559).
const CHANGE_DENOMINATOR: u128 = 8;

/// Base fee of the block after one with these numbers, by EIP-1559. `None` where it cannot be computed: the
/// limit is below 2, or the fee exceeds 64 bits.
pub fn next_base_fee(gas_limit: u64, gas_used: u64, base_fee: u64) -> Option<u64> {
    let target = gas_limit / ELASTICITY;
    if gas_used == target {
        return Some(base_fee);
    }
    let step = u128::from(base_fee)
        .checked_mul(u128::from(gas_used.abs_diff(target)))?
        .checked_div(u128::from(target))?
        / CHANGE_DENOMINATOR;
    let base_fee = u128::from(base_fee);
    let next =
        if gas_used > target { base_fee.checked_add(step.max(1))? } else { base_fee.checked_sub(step)? };
    u64::try_from(next).ok()
}

/// Wei per blob gas at this excess, by EIP-4844. `None` where an intermediate value exceeds 128 bits, far
/// beyond any excess that blocks can reach.
pub fn blob_base_fee(params: &BlobParams, excess_blob_gas: u64) -> Option<u128> {
    fake_exponential(params.min_blob_fee, u128::from(excess_blob_gas), params.update_fraction)
}

/// About `factor * e^(numerator / denominator)`: the Taylor series as EIP-4844 writes it.
fn fake_exponential(factor: u128, numerator: u128, denominator: u128) -> Option<u128> {
    let mut sum = 0_u128;
    let mut term = factor.checked_mul(denominator)?;
    for i in 1_u128.. {
        if term == 0 {
            break;
        }
        sum = sum.checked_add(term)?;
        term = term.checked_mul(numerator)?.checked_div(denominator.checked_mul(i)?)?;
    }
    sum.checked_div(denominator)
}

/// Excess blob gas of the block after one with these numbers, under the child's `params`, by EIP-4844 and,
/// where they name a base cost, EIP-7918. `None` where it cannot be computed.
pub fn next_excess_blob_gas(
    params: &BlobParams,
    excess_blob_gas: u64,
    blob_gas_used: u64,
    base_fee: u64,
) -> Option<u64> {
    let sum = excess_blob_gas.checked_add(blob_gas_used)?;
    let target = params.target_blob_gas_per_block();
    if sum < target {
        return Some(0);
    }
    let reserve = u128::from(params.blob_base_cost).checked_mul(u128::from(base_fee))?;
    let price = u128::from(DATA_GAS_PER_BLOB).checked_mul(blob_base_fee(params, excess_blob_gas)?)?;
    if reserve > price {
        let above_target = params.max_blob_count.checked_sub(params.target_blob_count)?;
        let scaled = blob_gas_used.checked_mul(above_target)?.checked_div(params.max_blob_count)?;
        excess_blob_gas.checked_add(scaled)
    } else {
        sum.checked_sub(target)
    }
}

#[cfg(test)]
mod tests {
    use alloy_eips::calc_next_block_base_fee;
    use alloy_eips::eip1559::BaseFeeParams;
    use proptest::prelude::*;

    use super::*;

    /// The example table of EIP-1559's test cases: limit, used, fee, next fee.
    #[test]
    fn base_fees_move_as_published() {
        for (limit, used, fee, next) in [
            (20_000_000, 10_000_000, 1_000_000_000, 1_000_000_000),
            (20_000_000, 9_000_000, 1_000_000_000, 987_500_000),
            (20_000_000, 11_000_000, 1_000_000_000, 1_012_500_000),
            (20_000_000, 20_000_000, 7, 8),
            (20_000_000, 0, 0, 0),
        ] {
            assert_eq!(next_base_fee(limit, used, fee), Some(next), "{limit} {used} {fee}");
        }
    }

    #[test]
    fn extreme_headers_have_no_next_fee_instead_of_a_panic() {
        assert_eq!(next_base_fee(0, 1, 1), None);
        assert_eq!(next_base_fee(1, 1, 1), None);
        assert_eq!(next_base_fee(2, u64::MAX, u64::MAX), None);
        assert_eq!(blob_base_fee(&BlobParams::prague(), u64::MAX), None);
        assert_eq!(next_excess_blob_gas(&BlobParams::prague(), u64::MAX, 1, 1), None);
        assert_eq!(next_excess_blob_gas(&BlobParams::osaka(), 0, u64::MAX, u64::MAX), None);
    }

    proptest! {
        #[test]
        fn base_fees_agree_with_alloy(
            limit in 5_000..1_u64 << 40,
            used in 0..1_u64 << 40,
            fee in 0..1_u64 << 50,
        ) {
            let used = used % (limit + 1);
            let expected = calc_next_block_base_fee(used, limit, fee, BaseFeeParams::ethereum());
            prop_assert_eq!(next_base_fee(limit, used, fee), Some(expected));
        }

        #[test]
        fn blob_fees_agree_with_alloy(
            excess in prop_oneof![Just(0), 0..150_000_000_u64],
            blobs in 0..=9_u64,
            base_fee in prop_oneof![Just(0), Just(u64::MAX), any::<u64>()],
        ) {
            let (cancun, prague) = (BlobParams::cancun(), BlobParams::prague());
            for params in [cancun, prague, BlobParams::osaka(), BlobParams::bpo2()] {
                prop_assert_eq!(blob_base_fee(&params, excess), Some(params.calc_blob_fee(excess)));
                let used = blobs * DATA_GAS_PER_BLOB;
                let expected = params.next_block_excess_blob_gas_osaka(excess, used, base_fee);
                prop_assert_eq!(next_excess_blob_gas(&params, excess, used, base_fee), Some(expected));
            }
        }
    }
}
