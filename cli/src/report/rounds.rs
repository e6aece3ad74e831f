//! Where the time went: by round, by table and round, by stage.

use std::collections::BTreeMap;

use lambda_prover::{Report, Round};

use super::markup::{Element, element};
use super::page::{heads, number, paragraph, row_head, section, wide};
use super::timeline::FAMILIES;
use super::units::{Axis, ratio, seconds, share};

/// Time of each round, as bars.
pub fn times(report: &Report) -> Element {
    let axis = Axis::over(report.rounds.iter().map(|round| round.seconds));
    let names = numbered(report.rounds.iter().map(|round| round.round));
    let rows = report.rounds.iter().zip(names).map(|(round, name)| {
        element("tr")
            .child(row_head(name))
            .child(number(seconds(round.seconds)))
            .child(number(share(round.seconds, report.seconds)))
            .child(element("td").class("bar").child(bar(axis.percent(round.seconds))))
    });
    let table = element("table")
        .child(heads([("round", false), ("time", true), ("share", true), ("", false)]))
        .child(element("tbody").children(rows));
    section("rounds", "Time per round").child(table)
}

/// Time of each table in each round, the longest first.
pub fn tables(report: &Report) -> Element {
    let mut scopes: BTreeMap<&str, [f64; Round::ALL.len()]> = BTreeMap::new();
    let mut rest = [0.0; Round::ALL.len()];
    for round in &report.rounds {
        rest[round.round as usize] += round.seconds;
    }
    let rounds_total = rest;
    for stage in &report.stages {
        let time = stage.end_seconds - stage.start_seconds;
        scopes.entry(&stage.scope).or_default()[stage.round as usize] += time;
        rest[stage.round as usize] -= time;
    }
    let hottest = Axis::over(scopes.values().flatten().copied());
    let mut scopes: Vec<(&str, [f64; Round::ALL.len()])> = scopes.into_iter().collect();
    let total = |times: &[f64]| times.iter().sum::<f64>();
    scopes.sort_by(|(_, one), (_, other)| total(other).total_cmp(&total(one)));
    let rest = rest.map(|time| time.max(0.0));

    // One unit for all cells, so that they can be compared.
    let (unit, factor, digits) = if report.seconds < 20.0 { ("ms", 1e3, 1) } else { ("s", 1.0, 2) };
    let cell = |time: f64, heat: f64| {
        let shown = format!("{:.digits$}", time * factor);
        let is_nothing = shown.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        let cell = number(if is_nothing { "·".to_owned() } else { shown });
        if heat > 0.005 { cell.attr("style", format!("--heat:{heat:.3}")) } else { cell }
    };
    let row = |name: &str, times: [f64; Round::ALL.len()], is_hot: bool| {
        let cells = times.map(|time| cell(time, if is_hot { ratio(time, hottest.end) } else { 0.0 }));
        element("tr")
            .child(row_head(name).attr("title", name))
            .child(cell(total(&times), 0.0))
            .children(cells)
    };
    let titles = Round::ALL.iter().map(|round| (round.title(), true));
    let table = element("table")
        .class("heat")
        .child(heads([("", false), ("all", true)].into_iter().chain(titles)))
        .child(element("tbody").children(scopes.iter().map(|(name, times)| row(name, *times, true))))
        .child(element("tfoot").child(row("outside of stages", rest, false)).child(row(
            "all",
            rounds_total,
            false,
        )));
    section("tables-by-round", "Time per table and round")
        .child(paragraph(format!(
            "Time in {unit} of the stages of each table, the longest first; the stronger its colour, the \
             longer. Heights are those of codewords. Outside of stages are the prover's own checks, the \
             transcript, and the verification."
        )))
        .child(wide(table))
}

/// Time of each stage, which is the legend of the timeline.
pub fn stages(report: &Report) -> Element {
    let mut stages: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for stage in &report.stages {
        let (runs, time) = stages.entry(&stage.stage).or_default();
        *runs += 1;
        *time += stage.end_seconds - stage.start_seconds;
    }
    let mut stages: Vec<(&str, (usize, f64))> = stages.into_iter().collect();
    stages.sort_by(|(_, (_, one)), (_, (_, other))| other.total_cmp(one));
    let axis = Axis::over(stages.iter().map(|(_, (_, time))| *time));
    let rows = stages.into_iter().map(|(stage, (runs, time))| {
        let family = FAMILIES.iter().find(|family| family.stages.contains(&stage));
        element("tr")
            .child(row_head(stage))
            .child(element("td").text(family.map_or("", |family| family.name)))
            .child(number(runs))
            .child(number(seconds(time)))
            .child(number(share(time, report.seconds)))
            .child(element("td").class("bar").child(bar(axis.percent(time))))
    });
    let table = element("table")
        .child(heads([
            ("stage", false),
            ("kind", false),
            ("runs", true),
            ("time", true),
            ("share", true),
            ("", false),
        ]))
        .child(element("tbody").children(rows));
    section("stages", "Time per stage").child(wide(table))
}

/// The titles of rounds, with the number of the time where one comes again.
pub fn numbered(rounds: impl Iterator<Item = Round>) -> Vec<String> {
    let mut seen = [0; Round::ALL.len()];
    rounds
        .map(|round| {
            seen[round as usize] += 1;
            match seen[round as usize] {
                1 => round.title().to_owned(),
                times => format!("{} ({times})", round.title()),
            }
        })
        .collect()
}

/// A bar of so many percent. The number beside it says the same.
fn bar(percent: f64) -> Element {
    element("svg")
        .attr("width", "100%")
        .attr("height", "14")
        .attr("aria-hidden", "true")
        .child(element("rect").attr("width", format!("{percent:.2}%")).attr("height", "14").attr("rx", "2"))
}
