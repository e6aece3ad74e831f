//! Whole proofs: time, size, memory, verification, under both profiles.
#![forbid(unsafe_code)]

use std::error::Error;

use clap::Parser;
use lambda_benches::args::Args;
use lambda_benches::result;
use lambda_benches::timing::{Seconds, repeat};
use lambda_benches::workload::{NAMES, Workload};
use lambda_prover::Profile;
use lambda_verifier::{ProofFile, verify};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let mut rows = Vec::new();
    for profile in [Profile::Default, Profile::Compact] {
        for name in NAMES.into_iter().filter(|name| args.selects(name)) {
            let workload = Workload::new(name, profile);
            let mut times = Seconds::default();
            let mut last = workload.prove();
            for _ in 0..args.runs {
                last = workload.prove();
                times.0.push(last.report.seconds);
            }
            let key = workload.system.verifying_key();
            let verified = repeat(args.runs, || {
                let _ = verify(key, &last.statement, &last.proof).expect("the proof is valid");
            });
            let bytes = ProofFile::new(key, last.statement.clone(), last.proof.clone()).encode().len();
            let ns_per_cell = times.median() * 1e9 / workload.cells() as f64;
            println!("bench {name} {profile} prove {:.3} s", times.median());
            println!("bench {name} {profile} cell {ns_per_cell:.1} ns");
            println!("bench {name} {profile} proof {bytes} bytes");
            println!("bench {name} {profile} verify {:.1} ms", verified.median() * 1e3);
            rows.push(json!({
                "workload": name,
                "profile": profile.name(),
                "cells": workload.cells(),
                "prove_seconds": times,
                "ns_per_cell": ns_per_cell,
                "proof_bytes": bytes,
                "verify_seconds": verified,
                "planned_peak_bytes": last.report.planned_peak_bytes,
                "measured_peak_bytes": last.report.measured_peak_bytes,
            }));
        }
    }
    Ok(result::write(args.json.as_deref(), "end_to_end", rows)?)
}
