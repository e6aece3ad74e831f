//! A 256-bit hash value.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use core::fmt;

/// Size of a [`Digest`].
pub const DIGEST_BYTES: usize = 32;

/// Output of one hash: a row digest, a tree node, or a cap entry.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Digest([u8; DIGEST_BYTES]);

impl Digest {
    /// The digest with these bytes.
    pub const fn from_bytes(bytes: [u8; DIGEST_BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes, in BLAKE3's output order.
    pub const fn as_bytes(&self) -> &[u8; DIGEST_BYTES] {
        &self.0
    }

    /// The first eight bytes as a little-endian number.
    pub(super) fn low_word(&self) -> u64 {
        self.0.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}

impl From<[u8; DIGEST_BYTES]> for Digest {
    fn from(bytes: [u8; DIGEST_BYTES]) -> Self {
        Self(bytes)
    }
}

impl From<Digest> for [u8; DIGEST_BYTES] {
    fn from(digest: Digest) -> Self {
        digest.0
    }
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Self {
        Self(hash.into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_lower_case_hex_first_byte_first() {
        let mut bytes = [0; DIGEST_BYTES];
        bytes[..3].copy_from_slice(&[0x01, 0xab, 0xf0]);
        let digest = Digest::from_bytes(bytes);
        assert_eq!(digest.to_string(), format!("01abf0{}", "00".repeat(29)));
        assert_eq!(format!("{digest:?}"), digest.to_string());
    }
}
