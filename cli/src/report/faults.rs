//! Faults that were met, and what was done about them.

use super::file::ReportFile;
use super::markup::{Element, element};
use super::page::{self, heads, number, paragraph, row_head, tiles, wide};
use super::units::{bytes, seconds};
use crate::device::shown::{DeviceReport, done, fault};

/// The faults in order, and what they cost.
pub fn section(file: &ReportFile) -> Element {
    let section = page::section("recovery", "Recovery");
    let section = match file.report.recovery.is_empty() {
        true => section.child(paragraph("No stage met a fault.")),
        false => section
            .child(paragraph("The numbers are those of the marks in the timeline."))
            .child(wide(events(file))),
    };
    match &file.device.device {
        None => section,
        Some(device) => section.child(tiles(counters(device))).children(findings(device)),
    }
}

fn events(file: &ReportFile) -> Element {
    let rows = file.report.recovery.iter().zip(1..).map(|(event, number_shown)| {
        element("tr")
            .child(row_head(number_shown))
            .child(number(seconds(event.at_seconds)))
            .child(element("td").text(event.round))
            .child(element("td").text(&event.scope))
            .child(element("td").text(&event.stage))
            .child(element("td").class("words").text(fault(event)))
            .child(element("td").class("words").text(format!("{}: {}", event.action, done(event))))
    });
    let words = ["round", "table", "stage", "fault", "action"].map(|head| (head, false));
    element("table")
        .child(heads([("no.", false), ("at", true)].into_iter().chain(words)))
        .child(element("tbody").children(rows))
}

fn counters(device: &DeviceReport) -> [(&'static str, String, String); 7] {
    let counters = device.counters;
    [
        ("downgrades", counters.downgrades.to_string(), "moved to the host".to_owned()),
        ("drains", counters.drains.to_string(), "waits for all work".to_owned()),
        ("evicted", bytes(counters.evicted_bytes), "copies dropped to make room".to_owned()),
        ("spilled", bytes(counters.spilled_bytes), "copied to the host in downgrades".to_owned()),
        (
            "window waits",
            counters.window_waits.to_string(),
            format!("{} of compositions waiting", seconds(counters.window_wait_seconds)),
        ),
        ("allocations", device.allocations.to_string(), "refused ones included".to_owned()),
        (
            "smallest budget",
            bytes(device.peak_extent_bytes),
            "in which the same would have fitted".to_owned(),
        ),
    ]
}

fn findings(device: &DeviceReport) -> Vec<Element> {
    device.findings.iter().map(|finding| paragraph(format!("Finding: {finding}"))).collect()
}
