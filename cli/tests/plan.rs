//! `lambda-prove plan`: what a proof would have on a device.

mod support;

use std::collections::BTreeSet;

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
    let text = Folder::new().run(["plan", HELLO]);
    assert!(text.succeeds().stdout.contains("on a card of     24.0 GB   all tables stay"), "{text:?}");
    assert_eq!(Folder::new().run(["plan", HELLO, "--vram", "50%"]).code, Some(2));
}

/// Bug: a plan for a card that exceeds it, or that does not say what became of the tables.
#[test]
fn a_small_card_has_streamed_tables() {
    let mut seen = BTreeSet::new();
    for vram in ["1MB", "20MB", "60MB", "24GB"] {
        let plan = plan(&["--vram", vram]);
        let card = &plan["cards"][0];
        let number = |value: &Value| value.as_u64().unwrap();
        assert!(number(&card["peak_bytes"]) <= number(&card["usable_bytes"]), "{card}");
        assert_eq!(card["peak_bytes"], plan["peak_bytes"]);
        let tables = plan["tables"].as_array().unwrap();
        for (place, count) in [("resident", "resident"), ("streamed", "streamed"), ("host", "on_host")] {
            let tables = tables.iter().filter(|table| table["place"] == place).count();
            assert_eq!(card[count], tables, "{card}");
            seen.extend((tables > 0).then_some(place));
        }
        for table in tables {
            assert_eq!(table["missing_bytes"].is_null(), table["place"] == "resident", "{table}");
        }
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
}
