//! What a validator is handed, and its encoding.

use alloc::vec::Vec;

use alloy_primitives::B256;
use alloy_rlp::{BufMut, Decodable, Encodable, Header};

use crate::error::InputError;

/// A block and what it takes to validate it.
///
/// Encoded as the RLP list
///
/// ```text
/// [chain_id, block, [header…], pre_root, [block_hash…], [node…], [code…]]
/// ```
///
/// in which blocks, headers, nodes and codes are byte strings. Borrows from the encoded bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input<'a> {
    /// Selects the rules ([`crate::Chain`]).
    pub chain_id: u64,
    /// The block's RLP.
    pub block: &'a [u8],
    /// The ancestors' RLP, parent first. Empty where the parent's header is not at hand.
    pub headers: Vec<&'a [u8]>,
    /// State root that the block starts from. Zero where `headers` tell it.
    pub pre_root: B256,
    /// Hashes of the ancestors, parent last. Empty where `headers` tell them.
    pub block_hashes: Vec<B256>,
    /// RLP of trie nodes, of the state's trie and of storage tries, in any order.
    pub nodes: Vec<&'a [u8]>,
    /// Contract codes, in any order.
    pub codes: Vec<&'a [u8]>,
}

impl<'a> Input<'a> {
    /// Reads an input that takes up all of `bytes`.
    ///
    /// # Errors
    /// Anything but the list above: wrong types, wrong lengths, bytes left over.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, InputError> {
        let mut rest = bytes;
        let mut fields = Field::new("input").list(&mut rest)?;
        finish("input", rest)?;
        let fields = &mut fields;
        let input = Self {
            chain_id: Field::new("chain id").value(fields)?,
            block: Field::new("block").string(fields)?,
            headers: Field::new("headers").strings(fields)?,
            pre_root: Field::new("pre-state root").value(fields)?,
            block_hashes: Field::new("block hashes").values(fields)?,
            nodes: Field::new("trie nodes").strings(fields)?,
            codes: Field::new("codes").strings(fields)?,
        };
        finish("codes", fields)?;
        Ok(input)
    }

    /// The encoded input.
    pub fn encode(&self) -> Vec<u8> {
        let mut fields = Vec::new();
        self.chain_id.encode(&mut fields);
        self.block.encode(&mut fields);
        encode_list(&self.headers, &mut fields);
        self.pre_root.encode(&mut fields);
        encode_list(&self.block_hashes, &mut fields);
        encode_list(&self.nodes, &mut fields);
        encode_list(&self.codes, &mut fields);
        let mut bytes = Vec::with_capacity(fields.len() + 9);
        Header { list: true, payload_length: fields.len() }.encode(&mut bytes);
        bytes.extend_from_slice(&fields);
        bytes
    }
}

fn encode_list<T: Encodable>(items: &[T], out: &mut Vec<u8>) {
    let payload_length = items.iter().map(Encodable::length).sum();
    Header { list: true, payload_length }.encode(out as &mut dyn BufMut);
    items.iter().for_each(|item| item.encode(out));
}

/// Checks that nothing is left behind `what`.
pub fn finish(what: &'static str, rest: &[u8]) -> Result<(), InputError> {
    match rest.len() {
        0 => Ok(()),
        count => Err(InputError::TrailingBytes { what, count }),
    }
}

/// Reads one field and names it in errors.
struct Field {
    what: &'static str,
}

impl Field {
    fn new(what: &'static str) -> Self {
        Self { what }
    }

    fn error(&self) -> impl Fn(alloy_rlp::Error) -> InputError + use<> {
        let what = self.what;
        move |error| InputError::Rlp { what, error }
    }

    /// The payload of a list.
    fn list<'a>(&self, bytes: &mut &'a [u8]) -> Result<&'a [u8], InputError> {
        Header::decode_bytes(bytes, true).map_err(self.error())
    }

    fn string<'a>(&self, bytes: &mut &'a [u8]) -> Result<&'a [u8], InputError> {
        Header::decode_bytes(bytes, false).map_err(self.error())
    }

    fn value<T: Decodable>(&self, bytes: &mut &[u8]) -> Result<T, InputError> {
        T::decode(bytes).map_err(self.error())
    }

    fn strings<'a>(&self, bytes: &mut &'a [u8]) -> Result<Vec<&'a [u8]>, InputError> {
        let mut items = self.list(bytes)?;
        let mut strings = Vec::new();
        while !items.is_empty() {
            strings.push(self.string(&mut items)?);
        }
        Ok(strings)
    }

    fn values<T: Decodable>(&self, bytes: &mut &[u8]) -> Result<Vec<T>, InputError> {
        let mut items = self.list(bytes)?;
        let mut values = Vec::new();
        while !items.is_empty() {
            values.push(self.value(&mut items)?);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(Vec::new()),
            any::<u8>().prop_map(|byte| alloc::vec![byte]),
            prop::collection::vec(any::<u8>(), 0..80),
        ]
    }

    fn many<T: core::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
        prop::collection::vec(one, 0..4)
    }

    fn slices(all: &[Vec<u8>]) -> Vec<&[u8]> {
        all.iter().map(Vec::as_slice).collect()
    }

    proptest! {
        /// Decoding inverts encoding, and any byte behind the input is refused.
        #[test]
        fn what_was_encoded_comes_back(
            chain_id in prop_oneof![Just(0), Just(127), Just(128), Just(u64::MAX), any::<u64>()],
            block in bytes(),
            headers in many(bytes()),
            root in any::<[u8; 32]>(),
            hashes in many(any::<[u8; 32]>()),
            nodes in many(bytes()),
            codes in many(bytes()),
        ) {
            let input = Input {
                chain_id,
                block: &block,
                headers: slices(&headers),
                pre_root: root.into(),
                block_hashes: hashes.into_iter().map(B256::from).collect(),
                nodes: slices(&nodes),
                codes: slices(&codes),
            };
            let mut encoded = input.encode();
            prop_assert_eq!(Input::decode(&encoded), Ok(input));
            encoded.push(0);
            prop_assert_eq!(
                Input::decode(&encoded),
                Err(InputError::TrailingBytes { what: "input", count: 1 })
            );
        }

        #[test]
        fn any_bytes_are_decoded_or_refused(bytes in bytes()) {
            if let Ok(input) = Input::decode(&bytes) {
                prop_assert_eq!(input.encode(), bytes);
            }
        }
    }

    #[test]
    fn an_eighth_field_is_refused() {
        let mut encoded = Input::default().encode();
        encoded.push(0xc0);
        encoded[0] += 1;
        let expected = InputError::TrailingBytes { what: "codes", count: 1 };
        assert_eq!(Input::decode(&encoded), Err(expected));
    }
}
