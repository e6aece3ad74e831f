//! The keys, and the scalar hashes that define every commitment.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use blake3::Hasher;
use p3_field::PrimeField64;

use super::Digest;
use crate::field::Goldilocks;

/// What is being hashed. Each purpose has a BLAKE3 key of its own: `derive_key(context, "")`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashDomain {
    /// A row of one table.
    Row,
    /// The row digests of several tables of one height.
    Leaf,
    /// Two children.
    Node,
    /// A node and the leaf that joins the tree beside it.
    Inject,
    /// A seed and a proof-of-work nonce.
    Grinding,
}

impl HashDomain {
    /// All domains.
    pub const ALL: [Self; 5] = [Self::Row, Self::Leaf, Self::Node, Self::Inject, Self::Grinding];

    /// The string from which the key is derived.
    pub const fn context(self) -> &'static str {
        match self {
            Self::Row => "lambda-prove protocol 1 row",
            Self::Leaf => "lambda-prove protocol 1 leaf",
            Self::Node => "lambda-prove protocol 1 node",
            Self::Inject => "lambda-prove protocol 1 inject",
            Self::Grinding => "lambda-prove protocol 1 grinding",
        }
    }

    /// The BLAKE3 key.
    pub const fn key(self) -> &'static [u8; 32] {
        match self {
            Self::Row => &ROW_KEY,
            Self::Leaf => &LEAF_KEY,
            Self::Node => &NODE_KEY,
            Self::Inject => &INJECT_KEY,
            Self::Grinding => &GRINDING_KEY,
        }
    }
}

#[rustfmt::skip]
const ROW_KEY: [u8; 32] = [
    0x4d, 0x99, 0x4c, 0x06, 0x42, 0x84, 0xde, 0xf7, 0xc7, 0xd8, 0x01, 0xce, 0xfd, 0xe4, 0x5b, 0x73,
    0xc0, 0x9a, 0x9c, 0xc1, 0x59, 0x37, 0xe8, 0xb2, 0xb8, 0xba, 0xe2, 0x8e, 0xf0, 0xa6, 0x58, 0x0c,
];
#[rustfmt::skip]
const LEAF_KEY: [u8; 32] = [
    0xd4, 0x6b, 0xcd, 0xb2, 0x18, 0x0a, 0xd3, 0x69, 0x6e, 0xff, 0x5c, 0x09, 0x90, 0xf1, 0xef, 0xfc,
    0x22, 0x46, 0xa6, 0xef, 0x93, 0x45, 0xa4, 0xf3, 0x29, 0x0b, 0xa5, 0x75, 0x32, 0x90, 0xf1, 0xce,
];
#[rustfmt::skip]
const NODE_KEY: [u8; 32] = [
    0x2c, 0x30, 0x2c, 0x12, 0xba, 0x60, 0xd4, 0x4f, 0x82, 0xac, 0x84, 0x02, 0x0c, 0x19, 0x26, 0x60,
    0x92, 0x80, 0xc4, 0x75, 0x45, 0x66, 0xea, 0x65, 0x8d, 0x50, 0xad, 0x94, 0xa9, 0x19, 0x73, 0x77,
];
#[rustfmt::skip]
const INJECT_KEY: [u8; 32] = [
    0xa0, 0x1d, 0x59, 0x1e, 0x2b, 0x8a, 0x75, 0x9f, 0x6c, 0x33, 0xf4, 0x33, 0xf1, 0x3e, 0x7c, 0xfd,
    0x6d, 0x97, 0xbb, 0x10, 0x42, 0xf7, 0xce, 0x27, 0xae, 0x99, 0x88, 0xe4, 0x93, 0x75, 0x50, 0xff,
];
#[rustfmt::skip]
const GRINDING_KEY: [u8; 32] = [
    0x4b, 0x3b, 0x21, 0xd5, 0xc9, 0x9a, 0x95, 0xae, 0x53, 0x3a, 0x56, 0xc3, 0xdd, 0xe9, 0x15, 0x6f,
    0x71, 0xba, 0xde, 0x3a, 0x50, 0xe8, 0x3a, 0x4d, 0x56, 0x8a, 0xdb, 0x7c, 0x2e, 0x61, 0x6b, 0x7b,
];

/// Digest of one row of a table: BLAKE3 over its cells, 8 canonical little-endian bytes each.
pub fn hash_row(row: &[Goldilocks]) -> Digest {
    let mut hasher = Hasher::new_keyed(HashDomain::Row.key());
    for block in row.chunks(8) {
        let mut words = [[0; 8]; 8];
        for (word, cell) in words.iter_mut().zip(block) {
            *word = cell.as_canonical_u64().to_le_bytes();
        }
        hasher.update(words.get(..block.len()).unwrap_or_default().as_flattened());
    }
    hasher.finalize().into()
}

/// Leaf over the row digests of the tables that share a height, in the order given. A single digest is
/// its own leaf.
pub fn hash_leaf(row_digests: &[Digest]) -> Digest {
    match row_digests {
        [only] => *only,
        several => hash_digests(HashDomain::Leaf, several),
    }
}

/// Inner node over its two children.
pub fn hash_node(left: &Digest, right: &Digest) -> Digest {
    hash_digests(HashDomain::Node, &[*left, *right])
}

/// Node of a level at which a shorter height joins: `node` is the hash of the children, `leaf` the
/// shorter height's leaf at the same position.
pub fn hash_inject(node: &Digest, leaf: &Digest) -> Digest {
    hash_digests(HashDomain::Inject, &[*node, *leaf])
}

fn hash_digests(domain: HashDomain, digests: &[Digest]) -> Digest {
    let mut hasher = Hasher::new_keyed(domain.key());
    for digest in digests {
        hasher.update(digest.as_bytes());
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::ORDER;

    #[test]
    fn keys_are_derived_from_their_contexts_and_distinct() {
        for (index, domain) in HashDomain::ALL.into_iter().enumerate() {
            assert_eq!(*domain.key(), blake3::derive_key(domain.context(), &[]), "{domain:?}");
            assert!(HashDomain::ALL.iter().skip(index + 1).all(|other| other.key() != domain.key()));
        }
    }

    /// Two representatives of one element must not give two commitments.
    #[test]
    fn rows_are_hashed_canonically() {
        let canonical: Vec<_> = (0..20).map(Goldilocks::new).collect();
        let shifted: Vec<_> = (0..20).map(|x| Goldilocks::new(ORDER + x)).collect();
        assert_eq!(hash_row(&canonical), hash_row(&shifted));

        let bytes: Vec<u8> = (0u64..20).flat_map(u64::to_le_bytes).collect();
        assert_eq!(hash_row(&canonical), blake3::keyed_hash(HashDomain::Row.key(), &bytes).into());
    }

    #[test]
    fn one_row_digest_is_the_leaf_and_order_matters() {
        let (a, b) = (Digest::from([1; 32]), Digest::from([2; 32]));
        assert_eq!(hash_leaf(&[a]), a);
        assert_ne!(hash_leaf(&[a, b]), hash_leaf(&[b, a]));
        assert_ne!(hash_leaf(&[a, a]), a);
    }

    /// The same 64 bytes as leaf, node and injected node are three different hashes.
    #[test]
    fn domains_are_separated() {
        let (a, b) = (Digest::from([1; 32]), Digest::from([2; 32]));
        let hashes = [hash_leaf(&[a, b]), hash_node(&a, &b), hash_inject(&a, &b)];
        assert_ne!(hashes[0], hashes[1]);
        assert_ne!(hashes[0], hashes[2]);
        assert_ne!(hashes[1], hashes[2]);
    }
}
