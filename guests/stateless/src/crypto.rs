//! Makes alloy and revm recover keys as `guest-crypto` does: senders, EIP-7702 authorities and the
//! precompile at address 1.

use alloc::sync::Arc;

use alloy_consensus::crypto::{CryptoProvider, RecoveryError, install_default_provider};
use alloy_primitives::Address;
use guest_crypto::ecrecover;
use revm::precompile::{Crypto, PrecompileHalt, install_crypto};

/// Registers with both libraries, once a process. Whoever was first stays.
pub fn install() {
    let _ = install_default_provider(Arc::new(Recovery));
    install_crypto(Recovery);
}

#[derive(Debug)]
struct Recovery;

impl CryptoProvider for Recovery {
    fn recover_signer_unchecked(&self, sig: &[u8; 65], msg: &[u8; 32]) -> Result<Address, RecoveryError> {
        let [signature @ .., recovery_id] = sig;
        ecrecover(msg, signature, *recovery_id).map(Address::from).ok_or_else(RecoveryError::new)
    }

    /// No transaction names its signer's key: what is asked for does not occur here.
    fn verify_and_compute_signer_unchecked(
        &self,
        _: &[u8; 65],
        _: &[u8; 64],
        _: &[u8; 32],
    ) -> Result<Address, RecoveryError> {
        Err(RecoveryError::new())
    }
}

impl Crypto for Recovery {
    fn secp256k1_ecrecover(
        &self,
        sig: &[u8; 64],
        recid: u8,
        msg: &[u8; 32],
    ) -> Result<[u8; 32], PrecompileHalt> {
        let address = ecrecover(msg, sig, recid).ok_or(PrecompileHalt::Secp256k1RecoverFailed)?;
        Ok(Address::from(address).into_word().0)
    }
}
