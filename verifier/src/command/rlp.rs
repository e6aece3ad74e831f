//! Reads RLP (Yellow Paper, appendix B), in its one canonical form only.
//!
//! Nothing is copied and nothing recurses, so any bytes take time linear in their length.

/// Something is missing, of another type, or not in canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its {what} is missing or malformed")]
pub struct Malformed {
    /// What was expected.
    pub what: &'static str,
}

/// Reads items one after another.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

/// A list, as it stands in a reader's bytes.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// Its bytes, those included that say how long it is.
    pub encoded: &'a [u8],
    /// Its items.
    pub items: Reader<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    String,
    List,
}

impl<'a> Reader<'a> {
    /// Reads `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether all has been read.
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Checks that all has been read.
    pub const fn end(self, what: &'static str) -> Result<(), Malformed> {
        if self.is_empty() { Ok(()) } else { Err(Malformed { what }) }
    }

    /// Reads a list.
    pub fn list(&mut self, what: &'static str) -> Result<List<'a>, Malformed> {
        let whole = self.rest;
        let items = self.item(Kind::List).ok_or(Malformed { what })?;
        let length = whole.len().saturating_sub(self.rest.len());
        let encoded = whole.get(..length).ok_or(Malformed { what })?;
        Ok(List { encoded, items: Self::new(items) })
    }

    /// Reads a byte string.
    pub fn string(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        self.item(Kind::String).ok_or(Malformed { what })
    }

    /// Reads 32 bytes.
    pub fn hash(&mut self, what: &'static str) -> Result<[u8; 32], Malformed> {
        self.string(what)?.try_into().map_err(|_| Malformed { what })
    }

    /// Reads a number below 2^64.
    pub fn number(&mut self, what: &'static str) -> Result<u64, Malformed> {
        big_endian(self.string(what)?).ok_or(Malformed { what })
    }

    /// Reads over so many byte strings.
    pub fn skip(&mut self, count: usize, what: &'static str) -> Result<(), Malformed> {
        (0..count).try_for_each(|_| self.string(what).map(|_| ()))
    }

    /// The payload of the next item, if it is of this kind.
    fn item(&mut self, kind: Kind) -> Option<&'a [u8]> {
        let (&first, rest) = self.rest.split_first()?;
        if first < 0x80 {
            // The byte is its own payload.
            let (payload, rest) = self.rest.split_at_checked(1)?;
            self.rest = rest;
            return (kind == Kind::String).then_some(payload);
        }
        let (found, size) =
            if first < 0xc0 { (Kind::String, first & 0x3f) } else { (Kind::List, first & 0x3f) };
        // Up to 55, the size itself; beyond, the bytes that hold it.
        let (length, rest) = match size.checked_sub(55) {
            None | Some(0) => (usize::from(size), rest),
            Some(bytes) => {
                let (length, rest) = rest.split_at_checked(usize::from(bytes))?;
                let length = big_endian(length).filter(|length| *length > 55)?;
                (usize::try_from(length).ok()?, rest)
            }
        };
        let (payload, rest) = rest.split_at_checked(length)?;
        let is_its_own = matches!(payload, [byte] if *byte < 0x80);
        if found != kind || (kind == Kind::String && is_its_own) {
            return None;
        }
        self.rest = rest;
        Some(payload)
    }
}

/// A number without leading zeros.
fn big_endian(bytes: &[u8]) -> Option<u64> {
    if bytes.first() == Some(&0) {
        return None;
    }
    let mut padded = [0; 8];
    let start = padded.len().checked_sub(bytes.len())?;
    padded.get_mut(start..)?.copy_from_slice(bytes);
    Some(u64::from_be_bytes(padded))
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn string(bytes: &[u8]) -> Option<Vec<u8>> {
        let mut reader = Reader::new(bytes);
        let string = reader.string("it").ok()?.to_vec();
        reader.end("it").ok().map(|()| string)
    }

    /// `prefix` followed by so many bytes that are no item by themselves.
    fn with_payload(prefix: &[u8], length: usize) -> Vec<u8> {
        [prefix, &std::vec![0xff; length]].concat()
    }

    #[test]
    fn strings_have_one_form() {
        assert_eq!(string(&[0x00]), Some(std::vec![0]));
        assert_eq!(string(&[0x7f]), Some(std::vec![0x7f]));
        assert_eq!(string(&[0x80]), Some(Vec::new()));
        assert_eq!(string(&[0x81, 0x80]), Some(std::vec![0x80]));
        assert_eq!(string(&with_payload(&[0xb7], 55)).map(|string| string.len()), Some(55));
        assert_eq!(string(&with_payload(&[0xb8, 56], 56)).map(|string| string.len()), Some(56));
        let refused = [
            (std::vec![0x81, 0x7f], "a byte that is its own item"),
            (with_payload(&[0xb8, 55], 55), "a long form that is not needed"),
            (with_payload(&[0xb9, 0, 56], 56), "a length with a leading zero"),
            (with_payload(&[0xb8, 57], 56), "a byte less than the length says"),
            (with_payload(&[0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 9), "2^64 - 1 bytes"),
            (std::vec![0xb9, 1], "half a length"),
            (std::vec![0xc0], "a list"),
            (Vec::new(), "nothing"),
        ];
        for (bytes, why) in refused {
            assert_eq!(string(&bytes), None, "{why}");
        }
    }

    #[test]
    fn lists_hold_their_items_and_know_their_bytes() -> Result<(), Malformed> {
        let bytes = [0xc3, 0x01, 0x81, 0x80, 0x05];
        let mut reader = Reader::new(&bytes);
        let mut list = reader.list("it")?;
        assert_eq!(list.encoded, &[0xc3, 0x01, 0x81, 0x80]);
        assert_eq!([list.items.number("it")?, list.items.number("it")?], [1, 0x80]);
        list.items.end("it")?;
        assert_eq!(reader.end("it"), Err(Malformed { what: "it" }));
        // One byte as an item is no list, whatever it is.
        assert!(Reader::new(&[0x05]).list("it").is_err());
        Reader::new(&[0xc1, 0x05]).list("it").map(|_| ())
    }

    #[test]
    fn numbers_have_no_leading_zeros() {
        let number = |bytes: &[u8]| Reader::new(bytes).number("it").ok();
        assert_eq!(number(&[0x80]), Some(0));
        assert_eq!(number(&[0x00]), None);
        assert_eq!(number(&[0x88, 1, 0, 0, 0, 0, 0, 0, 0]), Some(1 << 56));
        assert_eq!(number(&[0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0]), None);
    }

    /// The one form of an item that starts at `base`, 0x80 or 0xc0.
    fn encoded(base: u8, payload: &[u8]) -> Vec<u8> {
        if base == 0x80 && matches!(payload, [byte] if *byte < 0x80) {
            return payload.to_vec();
        }
        let length = payload.len().to_be_bytes();
        let digits: Vec<u8> = length.into_iter().skip_while(|byte| *byte == 0).collect();
        let sum = |size: usize| base.saturating_add(u8::try_from(size).unwrap_or(u8::MAX));
        match payload.len() {
            size @ ..=55 => [&[sum(size)], payload].concat(),
            _ => [&[sum(digits.len().saturating_add(55))], digits.as_slice(), payload].concat(),
        }
    }

    proptest! {
        /// What is read has one encoding, and it is what was read.
        #[test]
        fn nothing_but_the_one_form_is_read(
            start in prop_oneof![0x7d..0x84_u8, 0xb5..0xbb_u8, 0xc0..0xc3_u8, 0xf6..0xfb_u8],
            next in prop_oneof![0..3_u8, 53..60_u8, any::<u8>()],
            rest in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let bytes = [&[start, next], rest.as_slice()].concat();
            if let Ok(string) = Reader::new(&bytes).string("it") {
                prop_assert!(bytes.starts_with(&encoded(0x80, string)));
            }
            if let Ok(list) = Reader::new(&bytes).list("it") {
                prop_assert_eq!(list.encoded, encoded(0xc0, list.items.rest));
                prop_assert!(bytes.starts_with(list.encoded));
            }
        }

        #[test]
        fn every_payload_can_be_read(payload in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(string(&encoded(0x80, &payload)), Some(payload.clone()));
            let encoded = encoded(0xc0, &payload);
            let list = Reader::new(&encoded).list("it");
            prop_assert_eq!(list.map(|list| list.items.rest), Ok(payload.as_slice()));
        }
    }
}
