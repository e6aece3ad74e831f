//! `--device` and its switches, and `doctor`. The stand-in driver of these tests is the one that cargo builds
//! with them.

mod support;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use support::{Ended, Folder, HELLO, PROOF, end};

/// All that the environment may say about devices.
const VARIABLES: [&str; 8] = [
    "LAMBDA_VM_CUDA_EMU",
    "LAMBDA_VM_VRAM_BUDGET_MB",
    "LAMBDA_VM_GPU_SERIALIZE_R2",
    "LAMBDA_VM_GPU_FORCE_DOWNGRADE",
    "LAMBDA_VM_GPU_XCHECK",
    "LAMBDA_VM_ARENA_POISON",
    "LAMBDA_VM_GPU_SYNC",
    "LAMBDA_EMU_CONFIG",
];

/// The stand-in driver.
fn emulator() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let name = format!("{}lambda_cuda_emu{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    test.parent().expect("a test lies in a folder").join(name)
}

/// The command in `folder`, with `environment` and nothing else about devices in it.
fn command(folder: &Folder, environment: &[(&str, &str)]) -> Command {
    let mut command = folder.command();
    for name in VARIABLES {
        command.env_remove(name);
    }
    command.env("LAMBDA_VM_CUDA_EMU", emulator()).envs(environment.iter().copied());
    command
}

fn prove(folder: &Folder, environment: &[(&str, &str)], more: &[&str]) -> Ended {
    end(command(folder, environment).args(["prove", HELLO, "-o", "new.proof"]).args(more))
}

/// Bug: the device makes another proof than the host, or nobody is told that one was used.
#[test]
fn the_stand_in_makes_the_hosts_proof() {
    let folder = Folder::new();
    let more = ["--device", "emu", "--report", "report.json", "--json", "--xcheck"];
    let ended = prove(&folder, &[], &more);
    let result: Value = serde_json::from_str(&ended.succeeds().stdout).expect("an object");
    assert!(fs::read(folder.path("new.proof")).expect("the proof was written") == *PROOF, "another proof");
    let report = fs::read(folder.path("report.json")).expect("the report was written");
    let report: Value = serde_json::from_slice(&report).expect("an object");
    for device in [&result["device"], &report["device"]] {
        assert_eq!(device["kind"], "emu", "{device}");
        assert!(device["allocations"].as_u64() > Some(0), "{device}");
        assert!(device["peak_bytes"].as_u64() > Some(0), "{device}");
        assert!(device["peak_bytes"].as_u64() <= device["budget_bytes"].as_u64(), "{device}");
        assert_eq!(device["counters"]["downgrades"], 0, "{device}");
    }
    assert_eq!(result["device"]["findings"], serde_json::json!([]));
    assert_eq!(result["recovery"], report["recovery"]);
    assert_eq!(result["recovery"], serde_json::json!([]));
}

/// Bug: a device without the memory for anything ends the proof, or its work moves in silence.
#[test]
fn a_tiny_budget_leaves_the_work_to_the_host() {
    let folder = Folder::new();
    let environment = [("LAMBDA_VM_VRAM_BUDGET_MB", "1"), ("LAMBDA_VM_GPU_FORCE_DOWNGRADE", "grind")];
    let ended = prove(&folder, &environment, &["--device", "emu"]);
    let device = ended.succeeds().stdout.lines().find(|line| line.starts_with("device"));
    let device = device.expect("a line about it");
    assert!(fs::read(folder.path("new.proof")).expect("the proof was written") == *PROOF, "another proof");
    assert!(device.contains("of 1.0 MB, tables: all on the host"), "{device}");
}

/// Bug: no memory at all is something else than little of it.
#[test]
fn no_budget_at_all_leaves_everything_to_the_host() {
    let folder = Folder::new();
    let ended = prove(&folder, &[], &["--device", "emu", "--vram-budget", "0"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("peak 0 bytes of 0 bytes"), "{ended:?}");
    assert!(fs::read(folder.path("new.proof")).expect("the proof was written") == *PROOF, "another proof");
}

/// Bug: `strict` goes on on the host, or does not say what was missing and tried.
#[test]
fn strict_is_5_and_leaves_the_existing_proof() {
    let folder = Folder::with("new.proof", b"older");
    let strict = ["--device", "emu", "--policy", "strict", "--quiet", "--vram-budget"];
    let words = [
        "the device failed at ",
        " wanted, ",
        "free in one piece",
        "tried evict, drain",
        "nothing was written",
        "--vram-budget",
    ];
    prove(&folder, &[], &[&strict[..], &["1MiB"]].concat()).fails(5, &words);
    prove(&folder, &[], &[&strict[..], &["0"]].concat()).fails(5, &words);
    assert_eq!(folder.names(), ["new.proof"]);
    assert_eq!(fs::read(folder.path("new.proof")).expect("it is there"), b"older");
}

/// Bug: a device that goes away takes the proof with it, or nobody is told.
#[test]
fn a_lost_device_is_recovered_from_unless_strict() {
    let folder = Folder::new();
    let faults = r#"{"faults": [{"at": "launch", "nth": 20, "kind": "device_lost"}]}"#;
    let environment = [("LAMBDA_EMU_CONFIG", faults)];
    let strict = prove(&folder, &environment, &["--device", "emu", "--policy", "strict"]);
    strict.fails(
        5,
        &["the device is lost", "nothing could be tried", "nothing was written", "--policy recover"],
    );
    assert_eq!(folder.names(), [""; 0]);
    let ended = prove(&folder, &environment, &["--device", "emu", "--progress", "json", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let result: Value = serde_json::from_str(&ended.stdout).expect("an object");
    assert_eq!(result["recovery"].as_array().map(Vec::len), Some(1), "{result}");
    assert_eq!(result["recovery"][0]["action"], "restart", "{result}");
    let events = ended.stderr.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
    assert_eq!(events.filter(|event| event["event"] == "recovered").count(), 1, "{ended:?}");
    assert!(fs::read(folder.path("new.proof")).expect("the proof was written") == *PROOF, "another proof");
}

/// Bug: the host steps in where the device was asked for.
#[test]
fn a_device_that_is_not_there_is_5() {
    let folder = Folder::new();
    let absent = [("LAMBDA_VM_CUDA_EMU", "absent.so")];
    prove(&folder, &absent, &["--device", "emu"])
        .fails(5, &["absent.so", "cargo build --release -p lambda-cuda-emu"]);
    let none = [("LAMBDA_VM_CUDA_EMU", HELLO)];
    prove(&folder, &none, &["--device", "emu"])
        .fails(5, &["hello.elf", "cannot be used", "nothing was written"]);
    // The real driver would be found on a machine that has one.
    let ended = prove(&folder, &[("CUDA_VISIBLE_DEVICES", "")], &["--device", "cuda"]);
    ended.fails(5, &["--device cuda", "nothing was written", "--device host"]);
    assert_eq!(folder.names(), [""; 0]);
}

/// Bug: a switch that is not understood is passed over.
#[test]
fn switches_that_are_not_understood_are_2() {
    let folder = Folder::new();
    for (more, word) in [
        (["--vram-budget", "24XB"], "24GB"),
        (["--vram-budget", "101%"], "0% to 100%"),
        (["--force-downgrade", "quotiend"], "quotient"),
        (["--policy", "host"], "strict"),
        (["--device", "gpu"], "cuda"),
    ] {
        let ended = prove(&folder, &[], &more);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(word), "{word:?} is not in {ended:?}");
    }
    for (name, value, word) in [
        ("LAMBDA_VM_VRAM_BUDGET_MB", "24GB", "MiB"),
        ("LAMBDA_VM_GPU_SERIALIZE_R2", "no", "1, 0"),
        ("LAMBDA_VM_GPU_FORCE_DOWNGRADE", "quotiend", "open-tree"),
        ("LAMBDA_VM_GPU_XCHECK", "yes", "1, 0"),
        ("LAMBDA_VM_ARENA_POISON", "2", "1, 0"),
        ("LAMBDA_VM_GPU_SYNC", "on", "1, 0"),
    ] {
        prove(&folder, &[(name, value)], &[]).fails(2, &[name, value, word]);
    }
    assert_eq!(folder.names(), [""; 0]);
}

/// Bug: the environment wins over a flag, or a variable that is empty counts.
#[test]
fn a_flag_wins_over_the_environment() {
    let folder = Folder::new();
    let environment = [("LAMBDA_VM_VRAM_BUDGET_MB", "1"), ("LAMBDA_VM_GPU_SYNC", "")];
    let more = ["--device", "emu", "--force-downgrade", "all", "--vram-budget", "64MiB", "--json"];
    let ended = prove(&folder, &environment, &more);
    let result: Value = serde_json::from_str(&ended.succeeds().stdout).expect("an object");
    assert_eq!(result["device"]["budget_bytes"], 64 << 20);
    assert!(result["device"]["counters"]["downgrades"].as_u64() > Some(0), "{result}");
}

/// Bug: a share is taken of something else than the default.
#[test]
fn a_budget_may_be_a_share() {
    let folder = Folder::new();
    let budget = |more: &[&str]| {
        let more = [&["--device", "emu", "--force-downgrade", "all", "--json"], more].concat();
        let ended = prove(&folder, &[], &more);
        let result: Value = serde_json::from_str(&ended.succeeds().stdout).expect("an object");
        result["device"]["budget_bytes"].as_u64().expect("a number")
    };
    let whole = budget(&[]);
    assert_eq!(budget(&["--vram-budget", "100%"]), whole);
    // Up to what rounding takes.
    assert_eq!(budget(&["--vram-budget", "50%"]) >> 10, whole >> 11);
}

#[test]
fn the_host_is_named() {
    let folder = Folder::new();
    let ended = prove(&folder, &[], &["--device", "host"]);
    assert!(ended.succeeds().stdout.ends_with("device     host\n"), "{ended:?}");
    let ended = prove(&folder, &[], &["--device", "host", "--json"]);
    let result: Value = serde_json::from_str(&ended.succeeds().stdout).expect("an object");
    assert_eq!(result["device"]["kind"], "host");
}

/// Bug: the doctor is of no help just where something is missing.
#[test]
fn the_doctor_says_what_is_there() {
    let folder = Folder::new();
    let ended = end(command(&folder, &[]).arg("doctor"));
    for word in ["driver", "devices", "emulator", "memory", "cores", "lanes", "auto", "to fix"] {
        let has = |line: &str| line.starts_with(word);
        assert!(ended.succeeds().stdout.lines().any(has), "{word:?} is not in {ended:?}");
    }
    let environment = [("LAMBDA_VM_GPU_SYNC", "perhaps"), ("LAMBDA_VM_CUDA_EMU", "absent.so")];
    let ended = end(command(&folder, &environment).args(["doctor", "--json"]));
    let found: Value = serde_json::from_str(&ended.succeeds().stdout).expect("an object");
    assert!(found["cores"].as_u64() > Some(0), "{found}");
    assert_eq!(found["emulator"]["path"], Value::Null);
    assert_eq!(found["auto"], Value::Null);
    assert!(found["to_fix"].to_string().contains("LAMBDA_VM_GPU_SYNC=perhaps"), "{found}");
}

/// Bug: progress and report do not tell of the device's memory, or of what moved to the host.
#[test]
fn memory_and_faults_are_told() {
    let folder = Folder::new();
    let faults = r#"{"faults": [{"at": "launch", "nth": 40, "times": 2, "kind": "out_of_resources"}]}"#;
    let more = ["--device", "emu", "--vram-budget", "64MiB", "--report", "report.json", "--progress", "json"];
    let ended = prove(&folder, &[("LAMBDA_EMU_CONFIG", faults)], &more);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines: Vec<Value> =
        ended.stderr.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let of = |event: &'static str| lines.iter().filter(move |line| line["event"] == event);
    let budget = 64 << 20;
    for line in of("step_done").chain(of("round_done")) {
        assert_eq!(line["memory"]["budget_bytes"], budget, "{line}");
        assert!(line["memory"]["used_bytes"].as_u64() <= Some(budget), "{line}");
    }
    let report = fs::read(folder.path("report.json")).expect("the report was written");
    let report: Value = serde_json::from_slice(&report).expect("an object");
    let list = |name: &str| report[name].as_array().expect("a list").clone();
    let highest = list("stages").iter().filter_map(|stage| stage["memory"]["highest_bytes"].as_u64()).max();
    assert_eq!(highest, report["device"]["peak_bytes"].as_u64(), "the peak is some stage's");
    assert_eq!(report["device"]["plan"]["places"].as_array().map(Vec::len), Some(list("tables").len()));
    let names: Vec<Value> = list("tables").iter().map(|table| table["table"].clone()).collect();
    let actions: Vec<Value> = list("recovery").iter().map(|event| event["action"].clone()).collect();
    assert_eq!(actions, ["drain", "downgrade"]);
    for (event, line) in list("recovery").iter().zip(of("recovered")) {
        for member in ["at_seconds", "stage", "scope", "fault", "shortage", "action"] {
            assert_eq!(event[member], line[member], "{member}");
        }
        assert!(names.contains(&event["scope"]), "{event}");
    }
    assert_eq!(of("recovered").count(), 2);

    let ended = prove(&folder, &[], &["--device", "emu", "--vram-budget", "64MiB", "--progress", "plain"]);
    let main = ended.stderr.lines().find(|line| line.starts_with("02 main")).expect("a line a round");
    assert!(main.contains(" MB / 67.1 MB"), "{main}");
}

/// Bug: a line about a fault does not say which table it was, what was missing, or what was done.
#[test]
fn a_fault_is_told_with_table_and_reason() {
    let folder = Folder::new();
    let more = ["--device", "emu", "--vram-budget", "1MiB", "--policy", "strict", "--progress", "plain"];
    let ended = prove(&folder, &[], &more);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let told = |line: &str| {
        line.starts_with("device       range16: extend: ")
            && line.contains(" MB wanted, ")
            && line.ends_with("free in one piece; went on a piece at a time")
    };
    assert!(ended.stderr.lines().any(told), "{ended:?}");
    assert!(ended.stderr.contains("the device failed at extend of range16: "), "{ended:?}");
}
