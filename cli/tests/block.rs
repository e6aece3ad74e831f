//! `lambda-prove block`, and blocks in the other commands: what is written, printed and refused.

mod support;

use std::fs;

use lambda_block::OwnedInput;
use serde_json::{Value, json};
use support::{Ended, Folder, HELLO, PROOF};

/// A folder with `some.block`, a block with one transfer, in it.
fn with_block() -> Folder {
    let folder = Folder::new();
    folder.run(["block", "gen", "--txs", "1", "-o", "some.block"]).succeeds();
    folder
}

fn object(ended: &Ended) -> Value {
    serde_json::from_str(&ended.succeeds().stdout).unwrap()
}

#[test]
fn a_generated_block_is_valid() {
    let folder = Folder::new();
    let made = object(&folder.run(["block", "gen", "--txs", "2", "--json", "-o", "some.block"]));
    assert_eq!(folder.names(), ["some.block"]);
    assert_eq!((&made["transactions"], &made["gas_used"]), (&json!(2), &json!(42_000)));

    let run = object(&folder.run(["block", "run", "some.block", "--json"]));
    let block = &run["block"];
    assert_eq!((&block["block_hash"], &block["number"]), (&made["block_hash"], &made["number"]));
    assert_eq!((&block["post_state_root"], &block["gas_used"]), (&made["state_root"], &made["gas_used"]));
    assert_eq!((&block["chain_id"], &block["timestamp"]), (&made["chain_id"], &made["timestamp"]));

    let text = folder.run(["block", "run", "some.block"]);
    for line in ["block      42 0x", "pre-state  0x", "post-state 0x", "gas used   42000", "chain id   1337"]
    {
        assert!(text.succeeds().stdout.contains(line), "{line:?} is not in {text:?}");
    }
}

#[test]
fn more_transfers_than_fit_are_2() {
    let folder = Folder::new();
    folder.run(["block", "gen", "--txs", "10001", "-o", "some.block"]).fails(2, &["10000", "10001"]);
    assert!(folder.names().is_empty());
}

#[test]
fn a_refused_block_is_4_and_says_why() {
    let folder = with_block();
    let mut bytes = fs::read(folder.path("some.block")).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(folder.path("some.block"), bytes).unwrap();
    let why = "guest: block refused: ";
    let run = folder.run(["block", "run", "some.block", "-o", "output"]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.stderr.starts_with(why) && run.stdout.starts_with("output     none"), "{run:?}");
    let prove = folder.run(["block", "prove", "some.block", "-o", "some.proof"]);
    assert_eq!((prove.code, prove.stdout.as_str()), (Some(4), ""), "{prove:?}");
    assert!(prove.stderr.starts_with(why), "{prove:?}");
    assert!(!folder.names().contains(&"some.proof".to_owned()));
}

#[test]
fn inspect_knows_blocks() {
    let folder = with_block();
    let ended = folder.run(["inspect", "some.block"]);
    assert!(ended.succeeds().stdout.contains("not validated"), "{ended:?}");
    let value = object(&folder.run(["inspect", "some.block", "--json"]));
    assert_eq!((&value["kind"], &value["transactions"]), (&json!("block"), &json!(1)));
    assert_eq!(value["witness"]["headers"], 1);
}

#[test]
fn what_a_node_answers_is_imported() {
    let folder = with_block();
    let made = fs::read(folder.path("some.block")).unwrap();
    let block = OwnedInput::decode(&made).unwrap();
    let digits = |bytes: &Vec<u8>| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    let list =
        |all: &[Vec<u8>]| -> Value { all.iter().map(|bytes| format!("0x{}", digits(bytes))).collect() };
    let mut witness = json!({
        "state": list(&block.nodes), "codes": list(&block.codes), "headers": list(&block.headers),
    });
    fs::write(folder.path("raw.json"), json!({"result": digits(&block.block)}).to_string()).unwrap();
    fs::write(folder.path("witness.json"), witness.to_string()).unwrap();
    let import =
        ["block", "import", "--raw", "raw.json", "--witness", "witness.json", "-o", "imported.block"];
    let imported = folder.run(import);
    assert!(imported.succeeds().stdout.contains("imported.block"), "{imported:?}");
    assert!(fs::read(folder.path("imported.block")).unwrap() == made);

    folder.run(["block", "import", "--input", "some.block", "-o", "again.block"]).succeeds();
    assert!(fs::read(folder.path("again.block")).unwrap() == made);

    witness["state"] = json!(5);
    fs::write(folder.path("witness.json"), witness.to_string()).unwrap();
    fs::remove_file(folder.path("imported.block")).unwrap();
    folder.run(import).fails(3, &["the witness's state is a number", "nothing was written"]);
    assert!(!folder.names().contains(&"imported.block".to_owned()));
}

/// Nodes answer with more than it takes; the validator refuses that, so it does not get it.
#[test]
fn what_a_witness_holds_in_vain_is_left_out() {
    let folder = with_block();
    let mut block = OwnedInput::decode(&fs::read(folder.path("some.block")).unwrap()).unwrap();
    block.codes.push(vec![0xfe; 100]);
    fs::write(folder.path("more.block"), block.as_input().encode()).unwrap();
    let run = folder.run(["block", "run", "more.block"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.starts_with("note: more.block: 102 bytes of witness"), "{run:?}");
    // The line with the cycles has the speed.
    let said = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with("cycles")).map(str::to_owned).collect()
    };
    assert_eq!(said(&run.stdout), said(&folder.run(["block", "run", "some.block"]).succeeds().stdout));
}

#[test]
fn import_takes_one_source() {
    let cases: [&[&str]; 4] = [
        &["block", "import", "-o", "x"],
        &["block", "import", "--raw", "raw.json", "-o", "x"],
        &["block", "import", "--input", "some.block", "--witness", "witness.json", "-o", "x"],
        &["block", "import", "--input", "some.block", "--chain-id", "1", "-o", "x"],
    ];
    for args in cases {
        assert_eq!(Folder::new().run(args.iter().copied()).code, Some(2), "{args:?}");
    }
}

#[test]
fn a_proof_about_no_block_or_another_is_1() {
    let folder = with_block();
    fs::write(folder.path("some.proof"), &*PROOF).unwrap();
    let verify = ["verify", "some.proof", "--elf", HELLO, "--block", "some.block"];
    folder.run(verify).fails(1, &["some.proof", "9 bytes", "160", "that you meant"]);

    // A greeting as long as what the validator writes.
    fs::write(folder.path("name"), "x".repeat(160 - "Hello, !\n".len())).unwrap();
    folder.run(["prove", HELLO, "--input", "name", "-o", "some.proof"]).succeeds();
    folder.run(verify).fails(1, &["some.proof", "a block with block hash 0x48656c6c6f", "that you meant"]);
}

#[test]
fn what_is_no_block_file_is_3() {
    let folder = Folder::with("some.proof", &PROOF);
    let verify = ["verify", "some.proof", "--elf", HELLO, "--block"];
    let with = |block| [&verify[..], &[block]].concat();
    folder.run(with("some.proof")).fails(3, &["some.proof", "not a block file", "lambda-prove block"]);
    folder.run(with("missing.block")).fails(3, &["missing.block", "name a block file"]);
}
