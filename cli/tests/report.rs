//! Reports, and `lambda-prove report`, which draws them.

mod support;

use std::fs;

use serde_json::{Value, json};
use support::{Ended, Folder, HELLO};

/// The page of `report`.
fn page(report: &Value) -> String {
    let folder = Folder::with("report.json", report.to_string().as_bytes());
    assert_eq!(draw(&folder).succeeds().stdout, "");
    assert_eq!(folder.names(), ["report.html", "report.json"]);
    fs::read_to_string(folder.path("report.html")).expect("the page was written")
}

fn draw(folder: &Folder) -> Ended {
    folder.run(["report", "report.json", "-o", "report.html"])
}

/// The report of a proof on a device that is short of memory, with one table of this name.
fn made_up(table: &str) -> Value {
    let memory = |used: u64, highest: u64| -> Value {
        json!({"used_bytes": used, "highest_bytes": highest, "budget_bytes": 50_000_000})
    };
    json!({
        "format": 1,
        "version": "0.1.0",
        "program_id": "2848109f",
        "cycles": 1_234_567,
        "profile": "default",
        "johnson_bits": "128.0",
        "unique_decoding_bits": "114.2",
        "seconds": 4.0,
        "tables": [{
            "table": table, "rows": 4096, "main_columns": 10, "preprocessed_columns": 2,
            "lookup_columns": 3, "constraints": 77,
        }],
        "rounds": [
            {"round": "main", "start_seconds": 0.0, "seconds": 1.5,
             "steps": [{"step": table, "seconds": 1.4}]},
            {"round": "fri", "start_seconds": 1.5, "seconds": 2.5, "steps": []},
        ],
        "stages": [
            {"stage": "extend", "scope": table, "round": "main", "start_seconds": 0.0, "end_seconds": 1.25,
             "memory": memory(10_000_000, 45_000_000)},
            {"stage": "deep", "scope": "height 2^12", "round": "fri", "start_seconds": 1.5,
             "end_seconds": 3.0, "memory": memory(20_000_000, 20_000_000)},
        ],
        "recovery": [
            {"at_seconds": 0.5, "round": "main", "stage": "extend", "scope": table,
             "fault": "60000000 bytes wanted, 40000000 free in one piece",
             "shortage": {"wanted_bytes": 60_000_000, "free_bytes": 40_000_000}, "action": "evict"},
            {"at_seconds": 2.0, "round": "fri", "stage": "deep", "scope": "height 2^12", "fault": "refused",
             "shortage": null, "action": "downgrade"},
        ],
        "planned_peak_bytes": 7_000_000,
        "measured_peak_bytes": null,
        "device": {
            "kind": "emu", "name": "a card", "reason": "as asked for", "compute_capability": "9.0",
            "driver": {"path": "driver.so", "cuda_version": "13.0"}, "budget_bytes": 50_000_000,
            "peak_bytes": 45_000_000, "peak_extent_bytes": 46_000_000, "allocations": 9,
            "counters": {
                "downgrades": 1, "drains": 0, "spilled_bytes": 3_000_000, "evicted_bytes": 5_000_000,
                "window_waits": 2, "window_wait_seconds": 0.25,
            },
            "plan": {
                "peak_bytes": 44_000_000, "spills_trees": false, "host_only": false,
                "places": [{"table": table, "place": "streamed", "missing_bytes": 8_000_000}],
            },
            "findings": [],
        },
    })
}

fn count(page: &str, what: &str) -> usize {
    page.matches(what).count()
}

/// Bug: something that the report tells is not on the page, or without its unit.
#[test]
fn the_page_tells_what_the_report_does() {
    let page = page(&made_up("cpu.0"));
    for word in [
        "Proof of 1\u{202f}234\u{202f}567 cycles on a card",
        "2848109f",
        "128.0",
        "114.2",
        "4.00 s",
        "90.0 % of 50.0 MB",
        ">1 streamed<",
        "planned: 44.0 MB at most",
        "streamed, 8.0 MB short",
        "7.0 MB planned",
        "02 main",
        "1.50 s",
        "cpu.0, extend: 1.25 s, from 0 to 1.25 s; device memory 45.0 MB at most, 10.0 MB at its end",
        "height 2^12",
        "At most 45.0 MB of a budget of 50.0 MB were in use, 90.0 %.",
        "60.0 MB wanted, 40.0 MB free in one piece",
        "evict: made room, and tried again",
        "downgrade: went on on the host",
        "250.0 ms of compositions waiting",
        "77\u{202f}824",
    ] {
        assert!(page.contains(word), "{word:?} is not in {page}");
    }
    // Each fault is marked with its number, in the lane of its table.
    assert_eq!((count(&page, "class=\"mark\""), count(&page, "class=\"lozenge\"")), (2, 2));
    assert!(page.contains("fault 1: extend: 60.0 MB wanted"), "{page}");
    // The pictures say what they are.
    assert_eq!((count(&page, "<title>Device memory in time"), count(&page, "<desc>")), (1, 2));
}

/// Bug: the page asks the network for something, or has something run.
#[test]
fn the_page_has_all_that_it_needs() {
    let page = page(&made_up("cpu"));
    for word in ["http:", "https:", "<script", "<link", "<img", "src=", "href=", "url(", "@import"] {
        assert!(!page.contains(word), "{word:?} is in {page}");
    }
    assert!(page.contains("Content-Security-Policy") && page.contains("prefers-color-scheme"));
}

/// Bug: text of a report becomes markup.
#[test]
fn names_come_out_as_text() {
    let name = "<script>alert(1)</script>\"><b x='";
    let page = page(&made_up(name));
    assert!(!page.contains("<script") && !page.contains("<b "), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;b x='"), "{page}");
}

/// Bug: a report of the host, or one that has next to nothing in it, cannot be drawn.
#[test]
fn a_report_may_lack_a_device_and_all_else() {
    let mut report = made_up("cpu");
    report["device"] = json!({"kind": "host", "name": "host", "reason": "no driver"});
    for stage in report["stages"].as_array_mut().expect("a list") {
        stage["memory"] = Value::Null;
    }
    for lists in [&[][..], &["recovery"], &["recovery", "stages", "rounds", "tables"]] {
        for list in lists {
            report[list] = json!([]);
        }
        let page = page(&report);
        assert!(
            page.contains("no device memory to show") && !page.contains("Device memory in time"),
            "{page}"
        );
        assert_eq!(page.contains("No stage met a fault."), !lists.is_empty());
    }
}

/// Bug: numbers that no proof has stop the command.
#[test]
fn any_numbers_can_be_drawn() {
    for number in [json!(-1.0), json!(0), json!(1e300), json!(5e-324)] {
        let mut report = made_up("cpu");
        report["seconds"] = number.clone();
        report["rounds"][0]["start_seconds"] = number.clone();
        report["stages"][0]["end_seconds"] = number.clone();
        report["recovery"][0]["at_seconds"] = number;
        report["tables"][0]["rows"] = json!(u64::MAX);
        report["stages"][1]["memory"]["used_bytes"] = json!(u64::MAX);
        report["stages"][0]["memory"]["budget_bytes"] = json!(0);
        let page = page(&report);
        assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    }
}

/// Bug: a page of what is no report, or a message that does not say which file, what is wrong, what to do.
#[test]
fn what_is_no_report_is_3() {
    let damaged = |change: fn(&mut Value)| {
        let mut report = made_up("cpu");
        change(&mut report);
        report.to_string().into_bytes()
    };
    let wanted = "prove --report FILE";
    let cases: [(Vec<u8>, &[&str]); 7] = [
        (b" \n".to_vec(), &["is empty", wanted]),
        (b"\x7fELF".to_vec(), &["not JSON", wanted]),
        (b"{\"format\": 1".to_vec(), &["not JSON", "line 1", wanted]),
        (b"[{\"format\": 1}]".to_vec(), &["JSON, but not a report", wanted]),
        (
            damaged(|report| report["format"] = json!(2)),
            &["format 2", "reads format 1", "newer lambda-prove"],
        ),
        (
            damaged(|report| _ = report.as_object_mut().unwrap().remove("rounds")),
            &["damaged", "rounds", wanted],
        ),
        (damaged(|report| report["rounds"][0]["round"] = json!("eighth")), &["damaged", "eighth", wanted]),
    ];
    for (bytes, words) in cases {
        let folder = Folder::with("report.json", &bytes);
        draw(&folder).fails(3, &[&["report.json: "], words].concat());
        assert_eq!(folder.names(), ["report.json"], "{words:?}");
    }
    let folder = Folder::new();
    draw(&folder).fails(3, &["cannot read report.json", "name a file"]);
    folder.run(["report", ".", "-o", "report.html"]).fails(3, &["cannot read .", "name a file"]);
    assert!(folder.names().is_empty());
}

/// Bug: a page that cannot be written, or must not be, leaves half of it or takes the report's place.
#[test]
fn a_page_appears_whole_or_not_at_all() {
    let report = made_up("cpu").to_string();
    let folder = Folder::with("report.json", report.as_bytes());
    let to = |output| folder.run(["report", "report.json", "-o", output]);
    to("missing/report.html").fails(5, &["missing/report.html", "make its folder first"]);
    to("report.json").fails(2, &["cannot be the same file"]);
    assert_eq!(folder.names(), ["report.json"]);
    assert_eq!(fs::read_to_string(folder.path("report.json")).expect("it is there"), report);
    fs::write(folder.path("report.html"), "older").expect("the folder can be written");
    fs::write(folder.path("report.json"), "{}").expect("the folder can be written");
    draw(&folder).fails(3, &["report.json"]);
    assert_eq!(fs::read_to_string(folder.path("report.html")).expect("it is there"), "older");
}

/// Bug: what `prove` writes is not what `report` reads, or is about another proof.
#[test]
fn a_real_report_is_drawn() {
    let folder = Folder::new();
    let args = ["--device", "host", "--report", "report.json", "--json"];
    let ended = folder.run([&["prove", HELLO, "-o", "proof"], &args[..]].concat());
    let result: Value = serde_json::from_str(&ended.succeeds().stdout).expect("an object");
    let report = fs::read(folder.path("report.json")).expect("the report was written");
    let report: Value = serde_json::from_slice(&report).expect("an object");
    assert_eq!(report["format"], 1);
    for member in ["program_id", "cycles", "profile", "johnson_bits", "device"] {
        assert_eq!(report[member], result[member], "{member}");
    }
    let stages = report["stages"].as_array().expect("a list");
    assert!(stages.iter().any(|stage| stage["stage"] == "quotient" && stage["scope"] == "cpu"), "{stages:?}");
    assert!(stages.iter().all(|stage| stage["memory"].is_null()), "{stages:?}");
    draw(&folder).succeeds();
    let page = fs::read_to_string(folder.path("report.html")).expect("the page was written");
    assert!(page.contains("cpu, quotient: "), "{page}");
}
