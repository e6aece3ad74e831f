//! Stages in time, a lane for each table, height and the proof.

use lambda_prover::report::StageReport;

use super::super::markup::{Element, element};
use super::super::units::{bytes, seconds};
use super::Frame;
use crate::device::shown::{done, fault};

/// Height of a lane, in pixels.
const LANE: u32 = 18;
/// Height of a block in it.
const BLOCK: u32 = 14;
/// Width of a character in a block, in percent of a narrow plot.
const CHARACTER_PERCENT: f64 = 1.3;

/// Stages that are shown in one colour.
pub struct Family {
    /// What they do.
    pub name: &'static str,
    /// Its class in the style sheet.
    pub class: &'static str,
    /// Their names.
    pub stages: &'static [&'static str],
}

/// All stages, by what they do.
pub const FAMILIES: [Family; 9] = [
    Family { name: "load", class: "s1", stages: &["load", "load-preprocessed"] },
    Family { name: "extend", class: "s2", stages: &["extend"] },
    Family { name: "hash", class: "s3", stages: &["row-digests", "tree", "commit-codeword"] },
    Family { name: "lookup", class: "s4", stages: &["lookup"] },
    Family { name: "quotient", class: "s5", stages: &["quotient"] },
    Family { name: "out of domain", class: "s6", stages: &["denominators", "evaluate"] },
    Family { name: "low-degree test", class: "s7", stages: &["deep", "fold", "join", "interpolate"] },
    Family { name: "grind", class: "s8", stages: &["grind"] },
    Family { name: "open", class: "s9", stages: &["open-rows", "open-codeword", "open-tree"] },
];

/// What the colours mean.
pub fn legend() -> Element {
    element("ul").class("legend").children(FAMILIES.iter().map(|family| {
        let swatch =
            element("svg").attr("width", 14).attr("height", 14).attr("aria-hidden", "true").child(
                element("rect").class(family.class).attr("width", 14).attr("height", 14).attr("rx", 2),
            );
        element("li").child(swatch).text(format!(" {}", family.name))
    }))
}

/// The lanes.
pub fn row(frame: &Frame<'_>) -> [Element; 2] {
    let scopes = scopes(frame);
    let names = element("div")
        .class("names")
        .children(scopes.iter().map(|scope| element("div").attr("title", scope).text(scope)));
    let description = format!(
        "{} stages of {} tables, heights and the proof. The same times are in the tables below.",
        frame.report.stages.len(),
        scopes.len()
    );
    let lane = |scope: &str| scopes.iter().position(|other| *other == scope).unwrap_or(0) as u32;
    let blocks = frame.report.stages.iter().map(|stage| block(frame, stage, lane(&stage.scope)));
    let faults = frame.report.recovery.iter().zip(1..).map(|(event, number)| {
        let y = lane(&event.scope) * LANE + LANE / 2;
        let title = format!("fault {number}: {}: {}; {}", event.stage, fault(event), done(event));
        // A lozenge, on the line of the fault.
        let lozenge = element("path").attr("d", format!("M0 {}l5 5l-5 5l-5 -5z", y - 5));
        element("svg")
            .class("lozenge")
            .attr("x", format!("{:.3}%", frame.axis.percent(event.at_seconds)))
            .attr("overflow", "visible")
            .child(lozenge.child(element("title").text(title)))
    });
    let height = LANE * scopes.len() as u32;
    let lines = (1..scopes.len() as u32).map(|lane| {
        element("line").class("grid").attr("x2", "100%").attr("y1", lane * LANE).attr("y2", lane * LANE)
    });
    let picture = frame
        .picture(height, Some(("Stages of each table in time", description)))
        .class("lanes")
        .children(lines)
        .children(blocks)
        .children(faults);
    [names, picture]
}

/// What stages worked on, in the order of their first: tables, heights, the proof.
fn scopes<'a>(frame: &'a Frame<'_>) -> Vec<&'a str> {
    let mut scopes: Vec<&str> = frame.report.tables.iter().map(|table| table.table.as_str()).collect();
    let of_stages = frame.report.stages.iter().map(|stage| stage.scope.as_str());
    let of_events = frame.report.recovery.iter().map(|event| event.scope.as_str());
    for scope in of_stages.chain(of_events) {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes.sort_by_key(|scope| *scope == "the proof");
    scopes
}

fn block(frame: &Frame<'_>, stage: &StageReport, lane: u32) -> Element {
    let StageReport { start_seconds, end_seconds, .. } = *stage;
    let family = FAMILIES.iter().find(|family| family.stages.contains(&stage.stage.as_str()));
    let y = lane * LANE + (LANE - BLOCK) / 2;
    let mut title = format!(
        "{}, {}: {}, from {} to {}",
        stage.scope,
        stage.stage,
        seconds(end_seconds - start_seconds),
        seconds(start_seconds),
        seconds(end_seconds)
    );
    if let Some(memory) = stage.memory {
        let (used, highest) = (bytes(memory.used_bytes), bytes(memory.highest_bytes));
        title.push_str(&format!("; device memory {highest} at most, {used} at its end"));
    }
    let rect = frame.block(start_seconds, end_seconds).attr("y", y).attr("height", BLOCK);
    let group = element("g").class(family.map_or("s1", |family| family.class)).child(rect);
    let width = frame.axis.percent(end_seconds) - frame.axis.percent(start_seconds);
    let group = group.child(element("title").text(title));
    if width < CHARACTER_PERCENT * (stage.stage.len() as f64 + 1.0) {
        return group;
    }
    let x = format!("{:.3}%", frame.axis.percent(start_seconds));
    group.child(element("text").attr("x", x).attr("dx", 4).attr("y", y + 11).text(&stage.stage))
}
