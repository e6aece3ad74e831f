//! The Fiat-Shamir transcript: one method per message, used by both sides; nothing else absorbs or squeezes.
//!
//! The state is one BLAKE3 hash over frames `label length ‖ label ‖ payload length ‖ payload`, so that no
//! two sequences of messages give the same bytes. A challenge is read from the extendable output of
//! everything absorbed so far, after a frame that names it. Field elements are drawn by rejection from
//! 64-bit words, never reduced.

use alloc::vec::Vec;

use lambda_math::field::{ORDER, ext_from_coefficients};
use lambda_math::{Digest, Ext3, Goldilocks, domain};
use p3_field::PrimeCharacteristicRing;

use crate::key::VerifyingKey;
use crate::layout::Layout;
use crate::proof::TableValues;
use crate::statement::Statement;
use crate::wire::Wire;

/// A hash over labelled, length-prefixed frames.
#[derive(Clone, Debug)]
pub struct Frames(blake3::Hasher);

impl Frames {
    /// Starts with `protocol`, the domain separator.
    pub fn new(protocol: &str) -> Self {
        Self(blake3::Hasher::new()).absorb("protocol", protocol.as_bytes())
    }

    /// Adds a frame.
    #[must_use]
    pub fn absorb(mut self, label: &str, payload: &[u8]) -> Self {
        self.push(label, payload);
        self
    }

    /// Ends in a digest called `label`.
    pub fn digest(mut self, label: &str) -> [u8; 32] {
        self.push(label, &[]);
        self.0.finalize().into()
    }

    fn push(&mut self, label: &str, payload: &[u8]) {
        for part in [label.as_bytes(), payload] {
            self.0.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            self.0.update(part);
        }
    }

    fn words(&mut self, label: &str) -> Words {
        self.push(label, &[]);
        Words(self.0.finalize_xof())
    }
}

/// 64-bit words of a challenge's extendable output.
struct Words(blake3::OutputReader);

impl Words {
    fn word(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn base(&mut self) -> Goldilocks {
        draw(|| self.word())
    }

    fn extension(&mut self) -> Ext3 {
        ext_from_coefficients([self.base(), self.base(), self.base()])
    }
}

/// The first element that `words` give. Uniform if they are: words of at least `p` are passed over (one in
/// 2^32).
fn draw(mut words: impl FnMut() -> u64) -> Goldilocks {
    loop {
        let word = words();
        if word < ORDER {
            return Goldilocks::new(word);
        }
    }
}

/// Challenges of the bus argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookupChallenges {
    /// Powers of it weigh the elements of a message.
    pub alpha: Ext3,
    /// The pole: a message with fingerprint `f` counts `1/(gamma - f)`.
    pub gamma: Ext3,
}

/// Challenges of one FRI layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldChallenges {
    /// The point the folded polynomial is taken at.
    pub fold: Ext3,
    /// Weight of a shorter codeword that joins after the fold.
    pub join: Ext3,
}

/// The transcript of one proof. Methods are called in the order in which they stand here.
#[derive(Clone, Debug)]
pub struct Transcript(Frames);

impl Transcript {
    /// Round 01: the system, the statement and the shape.
    pub fn new(key: &VerifyingKey, statement: &Statement, layout: &Layout) -> Self {
        let mut heights = Vec::new();
        for height in &layout.heights_log2 {
            heights.extend(height.to_le_bytes());
        }
        Self(
            Frames::new("lambda-prove protocol v1")
                .absorb("verifying key", &key.digest())
                .absorb("statement", &statement.digest())
                .absorb("heights", &heights),
        )
    }

    /// Round 02: main commitment → lookup challenges.
    pub fn main(&mut self, cap: &[Digest]) -> LookupChallenges {
        self.absorb_cap("main", cap);
        let mut words = self.0.words("lookup challenges");
        LookupChallenges { alpha: words.extension(), gamma: words.extension() }
    }

    /// Round 03: lookup commitment and the tables' sums → constraint challenge.
    pub fn lookup(&mut self, cap: &[Digest], sums: &[Ext3]) -> Ext3 {
        self.absorb_cap("lookup", cap);
        self.absorb_extension("sums", sums);
        self.0.words("constraint challenge").extension()
    }

    /// Round 04: quotient commitment → out-of-domain point ζ, outside of every trace domain and evaluation
    /// coset.
    pub fn quotient(&mut self, cap: &[Digest], layout: &Layout) -> Ext3 {
        self.absorb_cap("quotient", cap);
        let mut words = self.0.words("out-of-domain point");
        let log2 = usize::try_from(layout.domain_log2()).unwrap_or(usize::MAX);
        let coset = domain::SHIFT.exp_power_of_2(log2);
        loop {
            let zeta = words.extension();
            let power = zeta.exp_power_of_2(log2);
            if power != Ext3::ONE && power != Ext3::from(coset) {
                return zeta;
            }
        }
    }

    /// Round 05: all out-of-domain values → batching challenge.
    pub fn out_of_domain(&mut self, values: &[TableValues]) -> Ext3 {
        for table in values {
            let mut bytes = Vec::new();
            table.encode(&mut bytes);
            self.0.push("out-of-domain values", &bytes);
        }
        self.0.words("batching challenge").extension()
    }

    /// Round 06, per layer: commitment → fold challenges.
    pub fn fri_layer(&mut self, cap: &[Digest]) -> FoldChallenges {
        self.absorb_cap("fri layer", cap);
        let mut words = self.0.words("fold challenges");
        FoldChallenges { fold: words.extension(), join: words.extension() }
    }

    /// Round 06: final polynomial → seed of the grinding.
    pub fn final_polynomial(&mut self, coefficients: &[Ext3]) -> [u8; 32] {
        self.absorb_extension("final polynomial", coefficients);
        let mut seed = [0; 32];
        self.0.words("grinding seed").0.fill(&mut seed);
        seed
    }

    /// Round 06: grinding nonce → `count` query positions below `2^domain_log2`, with replacement.
    pub fn queries(&mut self, nonce: u64, count: u32, domain_log2: u32) -> Vec<u64> {
        self.0.push("grinding nonce", &nonce.to_le_bytes());
        let mut words = self.0.words("query positions");
        let mask = 1u64.checked_shl(domain_log2).map_or(u64::MAX, |size| size.wrapping_sub(1));
        (0..count).map(|_| words.word() & mask).collect()
    }

    fn absorb_cap(&mut self, label: &str, cap: &[Digest]) {
        let mut bytes = Vec::new();
        for digest in cap {
            digest.encode(&mut bytes);
        }
        self.0.push(label, &bytes);
    }

    fn absorb_extension(&mut self, label: &str, values: &[Ext3]) {
        let mut bytes = Vec::new();
        for value in values {
            value.encode(&mut bytes);
        }
        self.0.push(label, &bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What [`draw`] makes of `words`, and how many of them it leaves.
    fn drawn(words: &[u64]) -> (Goldilocks, usize) {
        let mut rest = words.iter().copied();
        let element = draw(|| rest.next().unwrap_or_default());
        (element, rest.len())
    }

    #[test]
    fn words_of_at_least_p_are_passed_over_and_not_reduced() {
        assert_eq!(drawn(&[ORDER, 7, 8]), (Goldilocks::new(7), 1));
        assert_eq!(drawn(&[u64::MAX, ORDER + 1, ORDER, 7, 8]), (Goldilocks::new(7), 1));
    }

    #[test]
    fn words_below_p_are_taken_as_they_are() {
        for word in [0, 1, u64::from(u32::MAX), ORDER - 1] {
            assert_eq!(drawn(&[word, 8]), (Goldilocks::new(word), 1));
        }
    }
}
