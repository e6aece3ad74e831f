//! The address that signed a hash, by libsecp256k1 built for small tables (feature `lowmemory`).

use alloc::boxed::Box;

use once_cell::race::OnceBox;
use secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use secp256k1::{Message, Secp256k1, VerifyOnly};

use crate::keccak256;

/// Made on first use: making one costs a self-test, which a block without signatures need not pay.
static CONTEXT: OnceBox<Secp256k1<VerifyOnly>> = OnceBox::new();

/// The Ethereum address whose key made `signature` (r then s, big-endian) over `hash`.
///
/// `recovery_id` is 0 to 3: bit 0 is the parity of the nonce point's y, bit 1 says that its x exceeded the
/// group order. `None` where no key fits. Any s below the group order will do: whoever wants low s only
/// (EIP-2) compares it first.
pub fn ecrecover(hash: &[u8; 32], signature: &[u8; 64], recovery_id: u8) -> Option<[u8; 20]> {
    let recovery_id = RecoveryId::try_from(i32::from(recovery_id)).ok()?;
    let signature = RecoverableSignature::from_compact(signature, recovery_id).ok()?;
    let context = CONTEXT.get_or_init(|| Box::new(Secp256k1::verification_only()));
    let key = context.recover_ecdsa(Message::from_digest(*hash), &signature).ok()?;
    // An address is the tail of the hash of the key's coordinates, without the leading format byte.
    let digest = keccak256(&key.serialize_uncompressed()[1..]);
    digest.last_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The precompile example of the Ethereum tests (`ecrecover` at address 1).
    const HASH: [u8; 32] = hex(b"18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c");
    const R: [u8; 32] = hex(b"73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f");
    const S: [u8; 32] = hex(b"eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549");
    const SIGNER: [u8; 20] = hex(b"a94f5374fce5edbc8e2a8697c15331677e6ebf0b");

    const fn hex<const N: usize>(text: &[u8]) -> [u8; N] {
        const fn digit(c: u8) -> u8 {
            if c <= b'9' { c - b'0' } else { c - b'a' + 10 }
        }
        let mut bytes = [0; N];
        let mut i = 0;
        while i < N {
            bytes[i] = digit(text[2 * i]) << 4 | digit(text[2 * i + 1]);
            i += 1;
        }
        bytes
    }

    fn signature() -> [u8; 64] {
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&R);
        signature[32..].copy_from_slice(&S);
        signature
    }

    /// This signature has a high s, which the precompile accepts.
    #[test]
    fn a_known_signature_gives_its_signer() {
        assert_eq!(ecrecover(&HASH, &signature(), 1), Some(SIGNER));
    }

    #[test]
    fn the_other_parity_gives_another_signer() {
        let other = ecrecover(&HASH, &signature(), 0);
        assert!(other.is_some() && other != Some(SIGNER));
    }

    #[test]
    fn nonsense_gives_none() {
        assert_eq!(ecrecover(&HASH, &[0; 64], 0), None, "r and s are zero");
        assert_eq!(ecrecover(&HASH, &[0xff; 64], 0), None, "r and s exceed the group order");
        assert_eq!(ecrecover(&HASH, &signature(), 4), None, "no such recovery id");
        assert_eq!(ecrecover(&HASH, &signature(), 255), None, "no such recovery id");
    }
}
