//! The kernels alone: extension, row digests, trees, weighted sums, grinding. Parts for `--only`: `lde`,
//! `hash`, `sums`, `grind`.
#![forbid(unsafe_code)]

use std::error::Error;

use clap::Parser;
use lambda_benches::args::Args;
use lambda_benches::result;
use lambda_benches::timing::{Seconds, repeat};
use lambda_math::hash::{grind, hash_rows};
use lambda_math::ntt::{NttPlan, coset_lde};
use lambda_math::weighted::{RowWeights, WeightedRows};
use lambda_math::{Columns, Digest, Ext3, Goldilocks, MerkleTree};
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let mut rows = Vec::new();
    if args.selects("lde") {
        for (height_log2, width) in [(14, 2633), (18, 40), (20, 100), (22, 8)] {
            rows.push(extension(args.runs, height_log2, width));
        }
    }
    if args.selects("hash") {
        for (height_log2, width) in [(15, 2633), (19, 40), (21, 100)] {
            rows.extend(hashing(args.runs, height_log2, width));
        }
    }
    if args.selects("sums") {
        for (height_log2, width) in [(14, 2633), (18, 40)] {
            rows.extend(sums(args.runs, height_log2, width));
        }
    }
    if args.selects("grind") {
        let time = repeat(args.runs, || {
            grind(&[7; 32], 20);
        });
        rows.push(row("grinding of 20 bits, one seed", 1.0, &time));
    }
    Ok(result::write(args.json.as_deref(), "kernels", rows)?)
}

fn row(name: &str, elements: f64, time: &Seconds) -> Value {
    let ns = time.median() * 1e9 / elements;
    println!("bench {name} {ns:.2} ns");
    json!({ "kernel": name, "ns_per_element": ns, "seconds": time })
}

fn matrix(height: usize, width: usize) -> Columns {
    let step = Goldilocks::from_u64(0x9e37_79b9_7f4a_7c15);
    Columns::from_values(step.shifted_powers(step).take(height * width).collect(), height)
}

fn extension(runs: usize, height_log2: u32, width: usize) -> Value {
    let columns = matrix(1 << height_log2, width);
    let plan = NttPlan::new(height_log2, 1);
    let time = repeat(runs, || {
        coset_lde(&plan, &columns, Goldilocks::ONE);
    });
    let elements = columns.values().len() as f64;
    row(&format!("coset-lde 2^{height_log2}x{width} per-input-element"), elements, &time)
}

fn hashing(runs: usize, height_log2: u32, width: usize) -> [Value; 2] {
    let columns = matrix(1 << height_log2, width);
    let slices: Vec<&[Goldilocks]> = columns.iter().collect();
    let mut digests = vec![Digest::default(); columns.height()];
    let rows = repeat(runs, || hash_rows(&slices, &mut digests));
    let tree = repeat(runs, || {
        MerkleTree::build(vec![(height_log2, digests.clone())], 1, 4);
    });
    [
        row(
            &format!("row-digests 2^{height_log2}x{width} per-element"),
            columns.values().len() as f64,
            &rows,
        ),
        row(&format!("tree 2^{height_log2} per-leaf"), columns.height() as f64, &tree),
    ]
}

/// On the calling thread, in blocks of 256 rows, as DEEP and out-of-domain evaluation use them.
fn sums(runs: usize, height_log2: u32, width: usize) -> [Value; 2] {
    const ROWS: usize = 256;
    let columns = matrix(1 << height_log2, width);
    let weight = Ext3::new([3, 5, 7].map(Goldilocks::new));
    let weights: Vec<Ext3> = weight.powers().take(width).collect();
    let block = |start: usize| -> Vec<&[Goldilocks]> {
        columns.iter().map(|column| &column[start..start + ROWS]).collect()
    };
    let mut out = Columns::zeros(ROWS, 3);
    let by_row = repeat(runs, || {
        let mut sums = WeightedRows::new(ROWS);
        for start in (0..columns.height()).step_by(ROWS) {
            sums.add(&block(start), &weights);
            let mut blocks = out.row_blocks_mut(ROWS);
            if let Some(Ok(out)) = blocks.pop().map(<[&mut [Goldilocks]; 3]>::try_from) {
                sums.take(out);
            }
        }
    });
    let row_weights = matrix(columns.height(), 3);
    let by_column = repeat(runs, || {
        let mut sums = vec![Ext3::ZERO; width];
        for start in (0..columns.height()).step_by(ROWS) {
            let weights = [0, 1, 2].map(|k| &row_weights.column(k)[start..start + ROWS]);
            RowWeights::new(weights).add_dots(&mut sums, &block(start));
        }
    });
    let elements = columns.values().len() as f64;
    [
        row(&format!("weighted-rows 2^{height_log2}x{width} per-element"), elements, &by_row),
        row(&format!("weighted-columns 2^{height_log2}x{width} per-element"), elements, &by_column),
    ]
}
