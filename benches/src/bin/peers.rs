//! Plonky3 beside us, in turns within one run, on the same work.
//!
//! Prints a line `peer NAME ratio R` per comparison at the end: the peer's time over ours.
#![forbid(unsafe_code)]

use std::error::Error;

use clap::Parser;
use lambda_air::Table;
use lambda_benches::args::Args;
use lambda_benches::plonky3::{self, Config};
use lambda_benches::timing::{Pairs, seconds};
use lambda_benches::{keccak, result, zkvm};
use lambda_math::hash::{digest_buffer, hash_rows};
use lambda_math::ntt::{NttPlan, coset_lde};
use lambda_math::{Columns, Goldilocks, MerkleTree, domain};
use lambda_prover::memory::PeakMeter;
use lambda_prover::{HostBackend, Profile, System, Witness, prove};
use lambda_verifier::{ProofFile, Statement, verify};
use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_commit::Mmcs as _;
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::PrimeCharacteristicRing;
use p3_keccak_air::KeccakAir;
use p3_matrix::dense::RowMajorMatrix;
use serde_json::{Value, json};

/// Times both sides, so many runs each.
type Comparison = fn(usize) -> Result<Value, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let comparisons: [(&str, Comparison); 4] =
        [("lde", lde), ("hash", hash), ("keccak", keccak_proof), ("zkvm", zkvm_proof)];
    let mut rows = Vec::new();
    for (name, compare) in comparisons {
        if args.selects(name) {
            let mut row = compare(args.runs)?;
            row["name"] = name.into();
            eprintln!("{row:#}");
            rows.push(row);
        }
    }
    result::write(args.json.as_deref(), "peers", rows.clone())?;
    for row in rows {
        println!(
            "peer {} ratio {:.2}",
            row["name"].as_str().unwrap_or(""),
            row["ratio"].as_f64().unwrap_or(0.0)
        );
    }
    Ok(())
}

fn pairs_row(pairs: &Pairs) -> Value {
    json!({
        "ratio": pairs.ratio(),
        "ours_median_seconds": pairs.ours.median(),
        "peer_median_seconds": pairs.peer.median(),
        "ours_seconds": pairs.ours,
        "peer_seconds": pairs.peer,
    })
}

fn pseudo_random(height: usize, width: usize) -> Vec<Goldilocks> {
    let step = Goldilocks::from_u64(0x9e37_79b9_7f4a_7c15);
    step.shifted_powers(step).take(height * width).collect()
}

/// Coset LDE of 2^20 × 100 at blowup 2.
fn lde(runs: usize) -> Result<Value, Box<dyn Error>> {
    let (height, width) = (1 << 20, 100);
    let values = pseudo_random(height, width);
    let columns = Columns::from_values(values.clone(), height);
    let plan = NttPlan::new(20, 1);
    let dft = Radix2DitParallel::<Goldilocks>::default();
    let pairs = Pairs::time(
        runs,
        || seconds(|| coset_lde(&plan, &columns, Goldilocks::ONE)).0,
        || {
            let rows = RowMajorMatrix::new(values.clone(), width);
            seconds(|| dft.coset_lde_batch(rows, 1, domain::SHIFT)).0
        },
    );
    let mut row = pairs_row(&pairs);
    let cells = (height * width) as f64;
    row["work"] = "coset LDE of 2^20 x 100, blowup 2, against p3-dft Radix2DitParallel".into();
    row["ours_ns_per_element"] = (pairs.ours.median() * 1e9 / cells).into();
    row["peer_ns_per_element"] = (pairs.peer.median() * 1e9 / cells).into();
    Ok(row)
}

/// Row digests and tree of 2^21 × 100.
fn hash(runs: usize) -> Result<Value, Box<dyn Error>> {
    let (height_log2, width) = (21, 100);
    let height = 1usize << height_log2;
    let values = pseudo_random(height, width);
    let columns = Columns::from_values(values.clone(), height);
    let mmcs = plonky3::mmcs();
    let pairs = Pairs::time(
        runs,
        || {
            let slices: Vec<&[Goldilocks]> = columns.iter().collect();
            seconds(|| {
                let mut digests = digest_buffer(height);
                hash_rows(&slices, &mut digests);
                MerkleTree::build(vec![(height_log2, digests)], 1, 4)
            })
            .0
        },
        || {
            let rows = RowMajorMatrix::new(values.clone(), width);
            seconds(|| mmcs.commit_matrix(rows)).0
        },
    );
    let mut row = pairs_row(&pairs);
    let cells = (height * width) as f64;
    row["work"] = "row digests and tree of 2^21 x 100, against p3-merkle-tree with p3-blake3".into();
    row["ours_ns_per_element"] = (pairs.ours.median() * 1e9 / cells).into();
    row["peer_ns_per_element"] = (pairs.peer.median() * 1e9 / cells).into();
    Ok(row)
}

/// What a proof cost.
#[derive(Default)]
struct Cost {
    proof_bytes: usize,
    verify_seconds: Vec<f64>,
    peak_bytes: Option<u64>,
}

impl Cost {
    fn record(&mut self, proof_bytes: usize, verify_seconds: f64, peak_bytes: Option<u64>) {
        self.proof_bytes = proof_bytes;
        self.verify_seconds.push(verify_seconds);
        self.peak_bytes = self.peak_bytes.max(peak_bytes);
    }

    fn write(mut self, side: &str, row: &mut Value) {
        self.verify_seconds.sort_by(f64::total_cmp);
        row[format!("{side}_proof_bytes")] = self.proof_bytes.into();
        row[format!("{side}_verify_ms")] = (self.verify_seconds[self.verify_seconds.len() / 2] * 1e3).into();
        row[format!("{side}_peak_bytes")] = self.peak_bytes.into();
    }
}

fn prove_ours(system: &System, traces: Vec<Columns>, cost: &mut Cost) -> f64 {
    let statement = Statement { public_values: vec![Vec::new(); traces.len()], messages: Vec::new() };
    let witness = Witness { traces, statement };
    let (time, proven) =
        seconds(|| prove(system, &HostBackend, witness, &()).expect("the trace is satisfied"));
    let key = system.verifying_key();
    let (verify_seconds, accepted) = seconds(|| verify(key, &proven.statement, &proven.proof));
    let _ = accepted.expect("the proof is valid");
    let bytes = ProofFile::new(key, proven.statement, proven.proof).encode().len();
    cost.record(bytes, verify_seconds, proven.report.measured_peak_bytes);
    time
}

fn system(tables: Vec<Table>) -> Result<System, Box<dyn Error>> {
    Ok(System::new(Profile::Default, tables)?)
}

/// `p3-keccak-air`, 680 permutations.
fn keccak_proof(runs: usize) -> Result<Value, Box<dyn Error>> {
    let system = system(keccak::tables())?;
    let config = plonky3::config();
    let (mut ours, mut peer) = (Cost::default(), Cost::default());
    let pairs = Pairs::time(
        runs,
        || {
            let columns = keccak::columns(&keccak::rows(keccak::PERMUTATIONS));
            prove_ours(&system, vec![columns], &mut ours)
        },
        || {
            let rows = keccak::rows(keccak::PERMUTATIONS);
            let meter = PeakMeter::start((rows.values.len() * size_of::<Goldilocks>()) as u64);
            let (time, proof) =
                seconds(|| p3_uni_stark::prove(&config, &KeccakAir {}, rows, &[]).expect("a proof"));
            let peak = meter.peak_bytes();
            let (verify_seconds, valid) =
                seconds(|| p3_uni_stark::verify(&config, &KeccakAir {}, &proof, &[]));
            valid.expect("the peer's proof is valid");
            let bytes = postcard::to_allocvec(&proof).expect("a proof serialises").len();
            peer.record(bytes, verify_seconds, peak);
            time
        },
    );
    let mut row = pairs_row(&pairs);
    row["work"] = "p3-keccak-air, 680 permutations (2^14 x 2633), against p3-uni-stark".into();
    ours.write("ours", &mut row);
    peer.write("peer", &mut row);
    Ok(row)
}

/// The zkVM-shaped set.
fn zkvm_proof(runs: usize) -> Result<Value, Box<dyn Error>> {
    let system = system(zkvm::tables())?;
    let config = plonky3::config();
    let traces = zkvm::traces();
    let rows: Vec<RowMajorMatrix<Goldilocks>> = traces
        .iter()
        .map(|trace| RowMajorMatrix::new(trace.values().to_vec(), trace.height()))
        .map(|columns| columns.transpose())
        .collect();
    let public_values = vec![Vec::new(); rows.len()];
    let (mut ours, mut peer) = (Cost::default(), Cost::default());
    let instances: Vec<StarkInstance<'_, Config, zkvm::Shape>> = zkvm::SHAPES
        .iter()
        .zip(&rows)
        .zip(&public_values)
        .map(|((air, trace), public_values)| StarkInstance {
            air,
            trace,
            public_values: public_values.clone(),
        })
        .collect();
    let prover_data =
        ProverData::from_instances(&config, &instances).map_err(|error| format!("{error:?}"))?;
    let pairs = Pairs::time(
        runs,
        || prove_ours(&system, traces.clone(), &mut ours),
        || {
            let owned = rows.iter().map(|rows| rows.values.len() * size_of::<Goldilocks>()).sum::<usize>();
            let meter = PeakMeter::start(owned as u64);
            let (time, proof) = seconds(|| prove_batch(&config, &instances, &prover_data).expect("a proof"));
            let peak = meter.peak_bytes();
            let (verify_seconds, valid) =
                seconds(|| verify_batch(&config, &zkvm::SHAPES, &proof, &public_values, &prover_data.common));
            valid.expect("the peer's proof is valid");
            let bytes = postcard::to_allocvec(&proof).expect("a proof serialises").len();
            peer.record(bytes, verify_seconds, peak);
            time
        },
    );
    let mut row = pairs_row(&pairs);
    row["work"] =
        "2^18 x 40, 2^17 x 30, 2^16 x 60, 2^16 x 4 with lookups, against p3-batch-stark and p3-lookup".into();
    ours.write("ours", &mut row);
    peer.write("peer", &mut row);
    Ok(row)
}
