//! The block's bytes, its body against its header, and who sent its transactions.

use alloc::vec::Vec;

use alloy_consensus::transaction::{Recovered, SignerRecoverable};
use alloy_consensus::{Block, TxEip4844Variant, TxEnvelope, proofs};
use alloy_primitives::{B256, Sealed};
use revm::primitives::hardfork::SpecId;

use crate::chain::Rules;
use crate::error::{InputError, ValidationError};
use crate::input::finish;

/// 10 MiB less 2 MiB for the consensus layer's part (EIP-7934).
const MAX_BLOCK_LENGTH: usize = 8 << 20;

/// Reads the block that takes up all of `bytes`, together with its hash.
pub fn decode(bytes: &[u8]) -> Result<Sealed<Block<TxEnvelope>>, ValidationError> {
    const WHAT: &str = "block";
    let mut rest = bytes;
    let block: Sealed<Block<TxEnvelope>> =
        Block::decode_sealed(&mut rest).map_err(|error| InputError::Rlp { what: WHAT, error })?;
    finish(WHAT, rest)?;
    for (transaction, tx) in block.body.transactions.iter().enumerate() {
        let blobs = tx.as_eip4844().map(|signed| signed.tx());
        if matches!(blobs, Some(TxEip4844Variant::TxEip4844WithSidecar(_))) {
            return Err(ValidationError::BlobSidecar { transaction });
        }
    }
    // Decoding forgives some encodings that no block may have; encoding makes but one.
    if alloy_rlp::encode(block.inner()) != bytes {
        return Err(InputError::NotCanonical { what: WHAT }.into());
    }
    Ok(block)
}

/// Checks that the header is about this body.
pub fn check(block: &Block<TxEnvelope>, length: usize, rules: &Rules) -> Result<(), ValidationError> {
    let Block { header, body } = block;
    if rules.spec >= SpecId::OSAKA && length > MAX_BLOCK_LENGTH {
        return Err(ValidationError::BlockTooLong { got: length, limit: MAX_BLOCK_LENGTH });
    }
    if !body.ommers.is_empty() {
        return Err(ValidationError::Ommers { count: body.ommers.len() });
    }
    let got = proofs::calculate_transaction_root(&body.transactions);
    if got != header.transactions_root {
        return Err(ValidationError::TransactionsRoot { header: header.transactions_root, got });
    }
    let got: Option<B256> = body.withdrawals.as_deref().map(|all| proofs::calculate_withdrawals_root(all));
    if got != header.withdrawals_root {
        return Err(ValidationError::WithdrawalsRoot { header: header.withdrawals_root, got });
    }
    Ok(())
}

/// Each transaction with its sender.
pub fn recover_senders(block: &Block<TxEnvelope>) -> Result<Vec<Recovered<&TxEnvelope>>, ValidationError> {
    let transactions = block.body.transactions.iter().enumerate();
    // Refuses a high s, too.
    transactions
        .map(|(transaction, tx)| {
            tx.try_to_recovered_ref().map_err(|_| ValidationError::Signature { transaction })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use alloy_consensus::transaction::SignableTransaction;
    use alloy_consensus::{Header, TxEip1559};
    use alloy_eips::Encodable2718;
    use alloy_primitives::Signature;

    use super::*;

    /// EIP-7934 came with Osaka, and the limit itself is allowed.
    #[test]
    fn the_length_is_limited_since_osaka() {
        let block = Block::default();
        let check = |spec, length| check(&block, length, &Rules { spec, blobs: None });
        assert_eq!(check(SpecId::OSAKA, MAX_BLOCK_LENGTH), Ok(()));
        let got = MAX_BLOCK_LENGTH + 1;
        let expected = ValidationError::BlockTooLong { got, limit: MAX_BLOCK_LENGTH };
        assert_eq!(check(SpecId::OSAKA, got), Err(expected));
        assert_eq!(check(SpecId::PRAGUE, got), Ok(()));
    }

    /// A typed transaction stands in a block as a string, but decoding also takes it bare.
    #[test]
    fn an_encoding_that_only_decoding_knows_is_refused() {
        let signed: TxEnvelope = TxEip1559::default().into_signed(Signature::test_signature()).into();
        let encode = |transaction: &[u8]| {
            let fields = [&alloy_rlp::encode(Header::default()), &list(transaction), &list(&[])[..]];
            list(&fields.concat())
        };
        assert!(decode(&encode(&alloy_rlp::encode(&signed))).is_ok());
        let expected = InputError::NotCanonical { what: "block" };
        assert_eq!(decode(&encode(&signed.encoded_2718())), Err(expected.into()));
    }

    fn list(payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        alloy_rlp::Header { list: true, payload_length: payload.len() }.encode(&mut bytes);
        [bytes.as_slice(), payload].concat()
    }
}
