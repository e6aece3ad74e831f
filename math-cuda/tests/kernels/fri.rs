//! Folds against the coefficients of the polynomials.

use lambda_math::hash::hash_row;
use lambda_math::{Digest, Ext3, Goldilocks, domain};
use lambda_math_cuda::DeviceBuffer;
use lambda_math_cuda::kernels::fri::{Fold, Joining, LEAF_LOG2, join};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::extension::{base_columns, ext_values};
use crate::kit::each_device;

/// The codeword of the polynomial in `y` with these coefficients, `2^height_log2` of them.
fn codeword(coefficients: &[Ext3], height_log2: u32, blowup_log2: u32) -> Vec<Ext3> {
    let root = domain::root_of_unity(height_log2);
    (0..1 << blowup_log2)
        .flat_map(|slab| {
            // Slabs begin at g·ω_n^c, and y leaves out g.
            let first = domain::slab_shift(slab, height_log2, blowup_log2) * domain::SHIFT.inverse();
            root.shifted_powers(first).take(1 << height_log2)
        })
        .map(|y| coefficients.iter().rev().fold(Ext3::ZERO, |sum, &coefficient| sum * y + coefficient))
        .collect()
}

/// Coefficient `i` of the folded polynomial is `Σ_k β^k·c_(a·i+k)`.
fn folded(coefficients: &[Ext3], arity: usize, challenge: Ext3) -> Vec<Ext3> {
    let fold = |group: &[Ext3]| group.iter().rev().fold(Ext3::ZERO, |sum, &c| sum * challenge + c);
    coefficients.chunks_exact(arity).map(fold).collect()
}

/// A codeword, its shape, its fold and the challenge.
struct Case {
    codeword: Vec<Goldilocks>,
    height_log2: u32,
    arity_log2: u32,
    challenge: Ext3,
    folded: Vec<Ext3>,
    name: String,
}

impl Case {
    fn new(height_log2: u32, blowup_log2: u32, arity_log2: u32) -> Self {
        let coefficients = ext_values(1 << height_log2, height_log2.into());
        let challenge = ext_values(3, 2)[2];
        let after = folded(&coefficients, 1 << arity_log2, challenge);
        Self {
            codeword: base_columns(&codeword(&coefficients, height_log2, blowup_log2)),
            height_log2,
            arity_log2,
            challenge,
            folded: codeword(&after, height_log2 - arity_log2, blowup_log2),
            name: format!("2^{height_log2} by 2^{arity_log2}, blowup 2^{blowup_log2}"),
        }
    }

    fn on<'a>(&self, codeword: &'a DeviceBuffer<Goldilocks>) -> Fold<'a> {
        Fold {
            codeword: codeword.as_slice(),
            height_log2: self.height_log2,
            arity_log2: self.arity_log2,
            challenge: self.challenge,
        }
    }
}

/// A point of another slab or entry, a power of β or ω wrong in one of the steps.
#[test]
fn folds_fold_the_coefficients() {
    for (height_log2, blowup_log2) in [(3, 1), (4, 0), (6, 3), (10, 1)] {
        for arity_log2 in 1..=3 {
            let case = Case::new(height_log2, blowup_log2, arity_log2);
            let expected = base_columns(&case.folded);
            each_device(|_, stream| {
                let input = stream.upload(&case.codeword, "codeword").unwrap();
                let found = case.on(&input).run(stream, None).unwrap();
                assert_eq!(stream.download(&found).unwrap(), expected, "{}", case.name);
            });
        }
    }
}

/// A leaf of another coset or in another order, or hashed before all of its values are there.
#[test]
fn leaves_are_those_of_the_folded_codeword() {
    for (height_log2, blowup_log2, arity_log2) in [(4, 2, 1), (6, 1, 3), (9, 0, 2), (11, 1, 2)] {
        let case = Case::new(height_log2, blowup_log2, arity_log2);
        let to_log2 = height_log2 - arity_log2;
        let at = |position: usize| {
            let (slab, entry) = domain::slab_and_entry(position, to_log2);
            case.folded[(slab << to_log2) + entry]
        };
        // In position order a leaf is a run; in slab order it is where its first value is.
        let mut expected = vec![Digest::default(); case.folded.len() >> LEAF_LOG2];
        for group in 0..expected.len() {
            let points: Vec<Ext3> =
                (0..1 << LEAF_LOG2).map(|point| at((group << LEAF_LOG2) + point)).collect();
            let row: Vec<Goldilocks> = points.iter().flat_map(|&point| base_columns(&[point])).collect();
            let (slab, entry) = domain::slab_and_entry(group, to_log2 - LEAF_LOG2);
            expected[(slab << (to_log2 - LEAF_LOG2)) + entry] = hash_row(&row);
        }
        each_device(|_, stream| {
            let input = stream.upload(&case.codeword, "codeword").unwrap();
            let (found, leaves) = case.on(&input).run_with_leaves(stream).unwrap();
            assert_eq!(stream.download(&found).unwrap(), base_columns(&case.folded), "{}", case.name);
            assert_eq!(stream.download(&leaves).unwrap(), expected, "{}", case.name);
        });
    }
}

/// A shorter codeword that is left out, or joins without its weight; the two ways of joining differ.
#[test]
fn shorter_codewords_join() {
    let case = Case::new(8, 1, 3);
    let short = ext_values(case.folded.len(), 6);
    let weight = ext_values(1, 7)[0];
    let sums = case.folded.iter().zip(&short).map(|(&value, &joined)| value + joined * weight);
    let expected = base_columns(&sums.collect::<Vec<_>>());
    each_device(|_, stream| {
        let input = stream.upload(&case.codeword, "codeword").unwrap();
        let short = stream.upload(&base_columns(&short), "shorter").unwrap();
        let joining = Joining { codeword: short.as_slice(), weight };
        let mut plain = case.on(&input).run(stream, None).unwrap();
        let joined = case.on(&input).run(stream, Some(joining)).unwrap();
        join(stream, &mut plain, joining).unwrap();
        assert_eq!(stream.download(&plain).unwrap(), expected);
        assert_eq!(stream.download(&joined).unwrap(), expected);
    });
}
