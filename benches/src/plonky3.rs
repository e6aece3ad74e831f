//! The peer's set-up: Goldilocks, its cubic extension, BLAKE3, 227 queries, 20 bits of grinding, folds by
//! up to 8.

use lambda_math::Goldilocks;
use p3_blake3::Blake3;
use p3_challenger::{HashChallenger, SerializingChallenger64};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::CubicTrinomialExtensionField;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, SerializingHasher};
use p3_uni_stark::StarkConfig;

/// The extension field.
pub type Challenge = CubicTrinomialExtensionField<Goldilocks>;
type RowHash = SerializingHasher<Blake3>;
type Compression = CompressionFunctionFromHasher<Blake3, 2, 32>;
/// Merkle trees over base field matrices.
pub type Mmcs = MerkleTreeMmcs<Goldilocks, u8, RowHash, Compression, 2, 32>;
type Pcs = TwoAdicFriPcs<
    Goldilocks,
    Radix2DitParallel<Goldilocks>,
    Mmcs,
    ExtensionMmcs<Goldilocks, Challenge, Mmcs>,
>;
type Challenger = SerializingChallenger64<Goldilocks, HashChallenger<u8, Blake3, 32>>;
/// The proof system's configuration.
pub type Config = StarkConfig<Pcs, Challenge, Challenger>;

/// Trees with whole roots.
pub fn mmcs() -> Mmcs {
    Mmcs::new(RowHash::new(Blake3), Compression::new(Blake3), 0)
}

/// The configuration of our default profile.
pub fn config() -> Config {
    let mmcs = mmcs();
    let fri = FriParameters {
        log_blowup: 1,
        log_final_poly_len: 6,
        max_log_arity: 3,
        num_queries: 227,
        batch_proof_of_work_bits: 0,
        commit_proof_of_work_bits: 0,
        query_proof_of_work_bits: 20,
        mmcs: ExtensionMmcs::new(mmcs.clone()),
    };
    let pcs = Pcs::new(Radix2DitParallel::default(), mmcs, fri);
    Config::new(pcs, Challenger::from_hasher(Vec::new(), Blake3))
}
