//! `lambda-prove plan`: what a proof would have on a device.

mod support;

use serde_json::{Value, json};
use support::{Folder, HELLO};

fn plan(args: &[&str]) -> Value {
    let ended = Folder::new().run(["plan", HELLO, "--json"].iter().chain(args).copied());
    serde_json::from_str(&ended.succeeds().stdout).unwrap()
}

#[test]
fn a_plan_grows_with_the_run() {
    let (short, long) = (plan(&["--cycles", "65536"]), plan(&["--cycles", "1048576"]));
    let peak = |plan: &Value| plan["peak_bytes"].as_u64().unwrap();
    assert_eq!((&short["cycles"], &long["cycles"]), (&json!(65536), &json!(1_048_576)));
    assert!(peak(&short) < peak(&long), "{short} {long}");
    let rounds: Vec<u64> =
        long["rounds"].as_array().unwrap().iter().filter_map(|round| round[1].as_u64()).collect();
    assert_eq!(rounds.iter().max(), Some(&peak(&long)), "the peak is the fullest round's");
    let cpu = long["tables"].as_array().unwrap().iter().find(|table| table["table"] == "cpu").unwrap();
    assert_eq!(cpu["rows"], 1 << 20);
}

#[test]
fn cards_are_compared() {
    let plan = plan(&["--vram", "1MB"]);
    assert_eq!(plan["cards"], json!([{ "vram_bytes": 1_000_000, "fits": false }]));
    let text = Folder::new().run(["plan", HELLO]);
    assert!(text.succeeds().stdout.contains("on a card of     24.0 GB   all tables stay"), "{text:?}");
    assert_eq!(Folder::new().run(["plan", HELLO, "--vram", "50%"]).code, Some(2));
}
