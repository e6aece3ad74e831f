//! Where the time of a proof goes, by round and table.
#![forbid(unsafe_code)]

use std::error::Error;

use clap::Parser;
use lambda_benches::args::Args;
use lambda_benches::result;
use lambda_benches::workload::{NAMES, Workload};
use lambda_prover::Profile;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let mut rows = Vec::new();
    for name in NAMES.into_iter().filter(|name| args.selects(name)) {
        let workload = Workload::new(name, Profile::Default);
        workload.prove();
        // The fastest proof: its rounds belong together, which medians of single rounds do not.
        let best = (0..args.runs)
            .map(|_| workload.prove().report)
            .min_by(|a, b| a.seconds.total_cmp(&b.seconds))
            .expect("there is a run");
        for round in &best.rounds {
            let share = 100.0 * round.seconds / best.seconds;
            println!("bench {name} {} {:.1} ms ({share:.0} %)", round.round, round.seconds * 1e3);
        }
        println!("bench {name} total {:.1} ms", best.seconds * 1e3);
        rows.push(json!({ "workload": name, "cells": workload.cells(), "report": best }));
    }
    Ok(result::write(args.json.as_deref(), "rounds", rows)?)
}
