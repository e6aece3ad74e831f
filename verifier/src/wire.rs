//! The byte encoding of proofs: canonical, bounded, declared once.
//!
//! Integers are little-endian and of fixed width, a sequence is its length as a `u64` and its elements, a
//! struct is its fields in order: bincode 1's fixed-int layout. Decoding accepts exactly what encoding
//! produces: field elements below `p`, no spare byte. A length is compared with the bytes that are left
//! before anything is allocated, so that decoding allocates at most [`ALLOCATION_FACTOR`] times the input.
//!
//! `wire_struct!` declares a struct together with its codec and a visitor over its leaves; tests and
//! inspectors use the visitor to reach every field without a second list of them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use lambda_math::field::{ORDER, ext_coefficients, ext_from_coefficients};
use lambda_math::{Digest, Ext3, Goldilocks};
use p3_field::PrimeField64;

/// Bytes that decoding may allocate per byte of input: a list of lists reserves three times its bytes for
/// the inner lists' headers, and the first inner list may claim the rest of the input once more.
pub const ALLOCATION_FACTOR: usize = 4;

/// Why bytes are not a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The input ends inside a value.
    #[error("the file is truncated: what begins at byte {at} lacks {missing} bytes")]
    Truncated {
        /// Offset of the value that is cut.
        at: usize,
        /// Bytes missing.
        missing: usize,
    },
    /// A length is larger than the rest of the input.
    #[error("at byte {at} a list claims {length} elements, more than the rest of the data can hold")]
    Length {
        /// Offset of the length.
        at: usize,
        /// What it says.
        length: u64,
    },
    /// A field element is not below `p`.
    #[error("at byte {at} the word {word:#018x} is not a canonical field element")]
    NotCanonical {
        /// Offset of the word.
        at: usize,
        /// Its value.
        word: u64,
    },
    /// Bytes follow the value.
    #[error("{extra} more bytes than the data has follow its end")]
    Trailing {
        /// How many.
        extra: usize,
    },
}

/// Reads values off a byte slice.
#[derive(Debug)]
pub struct Reader<'a> {
    input: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `input`.
    pub const fn new(input: &'a [u8]) -> Self {
        Self { input, at: 0 }
    }

    /// Bytes not read yet.
    pub const fn remaining(&self) -> usize {
        self.input.len()
    }

    /// The next `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some((head, rest)) = self.input.split_first_chunk::<N>() else {
            let missing = N.saturating_sub(self.input.len());
            return Err(DecodeError::Truncated { at: self.at, missing });
        };
        self.input = rest;
        self.at = self.at.saturating_add(N);
        Ok(*head)
    }

    /// Errs unless everything has been read.
    pub const fn finish(self) -> Result<(), DecodeError> {
        match self.input.len() {
            0 => Ok(()),
            extra => Err(DecodeError::Trailing { extra }),
        }
    }
}

/// A leaf of a value, for visitors.
#[derive(Debug)]
pub enum LeafMut<'a> {
    /// A byte.
    Byte(&'a mut u8),
    /// A word.
    Word(&'a mut u64),
    /// A field element.
    Field(&'a mut Goldilocks),
    /// A digest.
    Digest(&'a mut Digest),
    /// The elements of a sequence, which are visited next.
    Sequence(&'a mut dyn SequenceMut),
}

/// A sequence whose length a visitor may change.
pub trait SequenceMut: core::fmt::Debug {
    /// Elements.
    fn length(&self) -> usize;
    /// Drops the last element.
    fn shorten(&mut self);
    /// Repeats the last element; nothing happens to an empty sequence.
    fn lengthen(&mut self);
    /// Exchanges the first and last element.
    fn exchange(&mut self);
}

impl<T: Clone + core::fmt::Debug> SequenceMut for Vec<T> {
    fn length(&self) -> usize {
        self.len()
    }

    fn shorten(&mut self) {
        self.pop();
    }

    fn lengthen(&mut self) {
        if let Some(last) = self.last().cloned() {
            self.push(last);
        }
    }

    fn exchange(&mut self) {
        if let [first, .., last] = self.as_mut_slice() {
            core::mem::swap(first, last);
        }
    }
}

/// Receives the path and a reference of each leaf.
pub type Visitor<'v> = dyn FnMut(&str, LeafMut<'_>) + 'v;

/// A value with a canonical encoding.
pub trait Wire: Sized {
    /// Fewest bytes a value takes.
    const MIN_BYTES: usize;
    /// Appends the encoding.
    fn encode(&self, out: &mut Vec<u8>);
    /// Reads a value.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;
    /// Shows every leaf to `visitor`, in encoding order.
    fn visit(&mut self, path: &str, visitor: &mut Visitor<'_>);
}

impl Wire for u8 {
    const MIN_BYTES: usize = 1;

    fn encode(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.bytes().map(Self::from_le_bytes)
    }

    fn visit(&mut self, path: &str, visitor: &mut Visitor<'_>) {
        visitor(path, LeafMut::Byte(self));
    }
}

impl Wire for u64 {
    const MIN_BYTES: usize = 8;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.bytes().map(Self::from_le_bytes)
    }

    fn visit(&mut self, path: &str, visitor: &mut Visitor<'_>) {
        visitor(path, LeafMut::Word(self));
    }
}

impl Wire for Goldilocks {
    const MIN_BYTES: usize = 8;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.as_canonical_u64().to_le_bytes());
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let at = reader.at;
        let word = u64::decode(reader)?;
        if word < ORDER { Ok(Self::new(word)) } else { Err(DecodeError::NotCanonical { at, word }) }
    }

    fn visit(&mut self, path: &str, visitor: &mut Visitor<'_>) {
        visitor(path, LeafMut::Field(self));
    }
}

impl Wire for Ext3 {
    const MIN_BYTES: usize = 24;

    fn encode(&self, out: &mut Vec<u8>) {
        for coefficient in ext_coefficients(*self) {
            coefficient.encode(out);
        }
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (a, b, c) = (Wire::decode(reader)?, Wire::decode(reader)?, Wire::decode(reader)?);
        Ok(ext_from_coefficients([a, b, c]))
    }

    fn visit(&mut self, path: &str, visitor: &mut Visitor<'_>) {
        let mut coefficients = ext_coefficients(*self);
        for (k, coefficient) in coefficients.iter_mut().enumerate() {
            coefficient.visit(&format!("{path}.{k}"), visitor);
        }
        *self = ext_from_coefficients(coefficients);
    }
}

impl Wire for Digest {
    const MIN_BYTES: usize = 32;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.as_bytes());
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.bytes().map(Self::from_bytes)
    }

    fn visit(&mut self, path: &str, visitor: &mut Visitor<'_>) {
        visitor(path, LeafMut::Digest(self));
    }
}

impl<T: Wire + Clone + core::fmt::Debug> Wire for Vec<T> {
    const MIN_BYTES: usize = 8;

    fn encode(&self, out: &mut Vec<u8>) {
        u64::try_from(self.len()).unwrap_or(u64::MAX).encode(out);
        for element in self {
            element.encode(out);
        }
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let at = reader.at;
        let length = u64::decode(reader)?;
        let fits =
            |count: &usize| count.checked_mul(T::MIN_BYTES).is_some_and(|bytes| bytes <= reader.remaining());
        let count = usize::try_from(length).ok().filter(fits).ok_or(DecodeError::Length { at, length })?;
        let mut elements = Self::with_capacity(count);
        for _ in 0..count {
            elements.push(T::decode(reader)?);
        }
        Ok(elements)
    }

    fn visit(&mut self, path: &str, visitor: &mut Visitor<'_>) {
        visitor(path, LeafMut::Sequence(self));
        for (index, element) in self.iter_mut().enumerate() {
            element.visit(&format!("{path}[{index}]"), visitor);
        }
    }
}

/// Joins a struct's path and a field's name.
pub fn field_path(path: &str, field: &str) -> String {
    if path.is_empty() { String::from(field) } else { format!("{path}.{field}") }
}

/// Declares a struct with its [`Wire`] implementation: the fields in order.
macro_rules! wire_struct {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)+ }

        impl $crate::wire::Wire for $name {
            const MIN_BYTES: usize = {
                let mut bytes: usize = 0;
                $(bytes = bytes.saturating_add(<$type as $crate::wire::Wire>::MIN_BYTES);)+
                bytes
            };

            fn encode(&self, out: &mut alloc::vec::Vec<u8>) {
                $($crate::wire::Wire::encode(&self.$field, out);)+
            }

            fn decode(
                reader: &mut $crate::wire::Reader<'_>,
            ) -> Result<Self, $crate::wire::DecodeError> {
                Ok(Self { $($field: $crate::wire::Wire::decode(reader)?,)+ })
            }

            fn visit(&mut self, path: &str, visitor: &mut $crate::wire::Visitor<'_>) {
                $(
                    let name = $crate::wire::field_path(path, stringify!($field));
                    $crate::wire::Wire::visit(&mut self.$field, &name, visitor);
                )+
            }
        }
    };
}
pub(crate) use wire_struct;
