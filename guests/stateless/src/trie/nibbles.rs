//! Keys and paths as half-bytes, and the compact form in which nodes hold them.

use alloc::vec::Vec;

use alloy_primitives::B256;

use crate::error::WitnessError;

/// A path of half-bytes, one a byte.
pub type Nibbles = Vec<u8>;

/// Compact form, first half-byte: the path ends at a value.
const IS_LEAF: u8 = 0x20;
/// Compact form, first half-byte: the path's length is odd, and its first nibble follows at once.
const IS_ODD: u8 = 0x10;

/// The nibbles of a key, high half first.
pub fn of_key(key: &B256) -> [u8; 64] {
    let mut nibbles = [0; 64];
    for (pair, byte) in nibbles.as_chunks_mut().0.iter_mut().zip(key) {
        *pair = [byte >> 4, byte & 0xf];
    }
    nibbles
}

/// How many nibbles two paths share at their start.
pub fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Reads the compact form: the path, and whether it ends at a value.
pub fn decode(compact: &[u8]) -> Result<(Nibbles, bool), WitnessError> {
    let (&first, rest) = compact.split_first().ok_or(WitnessError::MalformedNode)?;
    // An even path is padded with a zero nibble; the two highest bits mean nothing.
    let is_padded = first & IS_ODD != 0 || first & 0xf == 0;
    if first & !(IS_LEAF | IS_ODD | 0xf) != 0 || !is_padded {
        return Err(WitnessError::MalformedNode);
    }
    let mut path = Nibbles::with_capacity(2 * compact.len());
    if first & IS_ODD != 0 {
        path.push(first & 0xf);
    }
    for byte in rest {
        path.push(byte >> 4);
        path.push(byte & 0xf);
    }
    Ok((path, first & IS_LEAF != 0))
}

/// Writes the compact form.
pub fn encode(path: &[u8], is_leaf: bool) -> Vec<u8> {
    let flag = if is_leaf { IS_LEAF } else { 0 };
    let (head, pairs) = path.as_rchunks();
    let first = match head {
        [nibble] => flag | IS_ODD | nibble,
        _ => flag,
    };
    let mut compact = Vec::with_capacity(1 + pairs.len());
    compact.push(first);
    compact.extend(pairs.iter().map(|[high, low]| high << 4 | low));
    compact
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The examples of the Ethereum wiki's page on the trie.
    #[test]
    fn compact_forms_are_as_published() {
        assert_eq!(encode(&[1, 2, 3, 4, 5], false), [0x11, 0x23, 0x45]);
        assert_eq!(encode(&[0, 1, 2, 3, 4, 5], false), [0x00, 0x01, 0x23, 0x45]);
        assert_eq!(encode(&[0, 15, 1, 12, 11, 8], true), [0x20, 0x0f, 0x1c, 0xb8]);
        assert_eq!(encode(&[15, 1, 12, 11, 8], true), [0x3f, 0x1c, 0xb8]);
    }

    #[test]
    fn a_compact_form_has_no_stray_bits() {
        for compact in [&[][..], &[0x40], &[0x80, 0x12], &[0x01], &[0x2f]] {
            assert_eq!(decode(compact), Err(WitnessError::MalformedNode), "{compact:?}");
        }
    }

    proptest! {
        #[test]
        fn decoding_inverts_encoding(path in prop::collection::vec(0..16_u8, 0..65), is_leaf: bool) {
            prop_assert_eq!(decode(&encode(&path, is_leaf)), Ok((path, is_leaf)));
        }
    }
}
