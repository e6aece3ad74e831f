//! One AIR over all heights: the cost per cell grows as the logarithm of the height.
#![forbid(unsafe_code)]

use std::error::Error;
use std::process::{Command, Stdio};

use clap::Parser;
use lambda_air::{Table, TableBuilder};
use lambda_benches::args::Args;
use lambda_benches::result;
use lambda_benches::timing::Seconds;
use lambda_math::{Columns, Goldilocks};
use lambda_prover::{HostBackend, Profile, System, Witness, prove};
use lambda_verifier::Statement;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: Args,
    /// Shortest trace, log2 of rows; below 15 the grinding, which does not depend on it, outweighs the rest
    #[arg(long, default_value_t = 15)]
    min_height_log2: u32,
    /// Tallest trace, log2 of rows
    #[arg(long, default_value_t = 22)]
    max_height_log2: u32,
    /// Time this height only and print its row as JSON
    #[arg(long, hide = true)]
    one_height_log2: Option<u32>,
}

/// Columns of the AIR.
const WIDTH: usize = 16;

/// Each column but the first is the product of the two before it; the first counts rows.
struct Products;

impl BaseAir<Goldilocks> for Products {
    fn width(&self) -> usize {
        WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for Products {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (row, next) = (main.current_slice(), main.next_slice());
        builder.when_first_row().assert_zero(row[0]);
        let following: AB::Expr = row[0].into() + AB::Expr::ONE;
        builder.when_transition().assert_eq(next[0], following);
        for k in 2..WIDTH {
            builder.assert_eq(row[k - 2] * row[k - 1], row[k]);
        }
    }
}

fn trace(height_log2: u32) -> Columns {
    let height = 1 << height_log2;
    let mut columns = Columns::zeros(height, WIDTH);
    let factor = Goldilocks::from_u64(0x9e37_79b9_7f4a_7c15);
    for row in 0..height {
        let mut pair = [Goldilocks::from_usize(row), factor * Goldilocks::from_usize(row + 1)];
        for column in 0..WIDTH {
            columns.column_mut(column)[row] = pair[0];
            pair = [pair[1], pair[0] * pair[1]];
        }
    }
    columns
}

fn main() -> Result<(), Box<dyn Error>> {
    let Cli { args, min_height_log2, max_height_log2, one_height_log2 } = Cli::parse();
    if let Some(height_log2) = one_height_log2 {
        println!("{}", measure(height_log2, args.runs)?);
        return Ok(());
    }
    let mut rows = Vec::new();
    for height_log2 in (min_height_log2..=max_height_log2).filter(|k| args.selects(&format!("2^{k}"))) {
        // A process of its own: memory that an earlier proof freed would hide what a later one needs.
        let output = Command::new(std::env::current_exe()?)
            .args(["--one-height-log2", &height_log2.to_string(), "--runs", &args.runs.to_string()])
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err(format!("the proof of height 2^{height_log2} failed").into());
        }
        let row: Value = serde_json::from_slice(&output.stdout)?;
        println!("bench scaling 2^{height_log2} {:.1} ns", row["ns_per_cell"].as_f64().unwrap_or(f64::NAN));
        rows.push(row);
    }
    Ok(result::write(args.json.as_deref(), "scaling", rows)?)
}

/// Proofs of one height: the median time, and the memory of the first.
fn measure(height_log2: u32, runs: usize) -> Result<Value, Box<dyn Error>> {
    let system = System::new(Profile::Default, vec![Table::new("products", Products)])?;
    let mut times = Seconds::default();
    let mut memory = None;
    for _ in 0..runs {
        let statement = Statement { public_values: vec![Vec::new()], messages: Vec::new() };
        let witness = Witness { traces: vec![trace(height_log2)], statement };
        let report = prove(&system, &HostBackend, witness, &())?.report;
        times.0.push(report.seconds);
        memory.get_or_insert((report.planned_peak_bytes, report.measured_peak_bytes));
    }
    let (planned, measured) = memory.unwrap_or_default();
    Ok(json!({
        "height_log2": height_log2,
        "ns_per_cell": times.median() * 1e9 / (WIDTH << height_log2) as f64,
        "prove_seconds": times,
        "planned_peak_bytes": planned,
        "measured_peak_bytes": measured,
    }))
}
