//! The page: what is on it, in order.

use super::file::ReportFile;
use super::markup::{Element, element, style};
use super::{faults, rounds, tables, timeline, units};

/// Nothing may be loaded, and nothing run: what the page has is in it.
const POLICY: &str = "script-src 'none'; connect-src 'none'; img-src 'none'; font-src 'none'; \
                      media-src 'none'; object-src 'none'; frame-src 'none'; form-action 'none'";

/// The page of `file`, whole.
pub fn page(file: &ReportFile) -> String {
    let title = format!("Proof of {} cycles on {}", units::count(file.cycles), file.device.name);
    let meta = |name: &'static str, value: &str, content: &str| {
        element("meta").attr(name, value).attr("content", content)
    };
    let head = element("head")
        .child(element("meta").attr("charset", "utf-8"))
        .child(meta("http-equiv", "Content-Security-Policy", POLICY))
        .child(meta("name", "viewport", "width=device-width, initial-scale=1"))
        .child(meta("name", "color-scheme", "light dark"))
        .child(element("title").text(&title))
        .child(style(include_str!("style.css")));
    let main = element("main").children(
        [
            heading(file, &title),
            rounds::times(&file.report),
            timeline::section(&file.report),
            rounds::tables(&file.report),
            rounds::stages(&file.report),
            faults::section(file),
            tables::section(file),
        ]
        .into_iter()
        .chain([footer(file)]),
    );
    let html = element("html").attr("lang", "en").child(head).child(element("body").child(main));
    format!("<!DOCTYPE html>\n{html}\n")
}

/// A section with its title.
pub fn section(id: &str, title: &str) -> Element {
    element("section").attr("id", id).child(element("h2").text(title))
}

/// A sentence or two.
pub fn paragraph(text: impl ToString) -> Element {
    element("p").text(text)
}

/// Names and what they are, as tiles.
pub fn tiles(tiles: impl IntoIterator<Item = (&'static str, String, String)>) -> Element {
    element("dl").class("tiles").children(tiles.into_iter().map(|(name, value, more)| {
        let value = element("dd").text(value);
        let value = if more.is_empty() { value } else { value.child(element("small").text(more)) };
        element("div").child(element("dt").text(name)).child(value)
    }))
}

/// A table that may be wider than the page.
pub fn wide(table: Element) -> Element {
    element("div").class("wide").attr("tabindex", "0").child(table)
}

/// A row of heads; those that `numbers` says are of numbers.
pub fn heads<'a>(heads: impl IntoIterator<Item = (&'a str, bool)>) -> Element {
    element("thead").child(element("tr").children(heads.into_iter().map(|(head, is_number)| {
        let cell = element("th").attr("scope", "col").text(head);
        if is_number { cell.class("number") } else { cell }
    })))
}

/// A cell of a number.
pub fn number(text: impl ToString) -> Element {
    element("td").class("number").text(text)
}

/// The head of a row.
pub fn row_head(text: impl ToString) -> Element {
    element("th").attr("scope", "row").text(text)
}

fn heading(file: &ReportFile, title: &str) -> Element {
    let ReportFile { report, device, .. } = file;
    let mut list = vec![
        ("time", units::seconds(report.seconds), per_second(file)),
        ("profile", report.profile.clone(), format!("{} tables", report.tables.len())),
        (
            "provable bits",
            report.johnson_bits.clone(),
            format!("Johnson; {} unique decoding", report.unique_decoding_bits),
        ),
        ("computed by", device.name.clone(), format!("{}: {}", device.kind, device.reason)),
    ];
    if let Some(card) = &device.device {
        list.push((
            "device memory",
            format!("{} at most", units::bytes(card.peak_bytes)),
            format!(
                "{} of {}",
                units::share(card.peak_bytes as f64, card.budget_bytes as f64),
                units::bytes(card.budget_bytes)
            ),
        ));
    }
    if let Some(plan) = device.device.as_ref().and_then(|card| card.plan.as_ref()) {
        let trees = if plan.spills_trees { "; trees go to the host" } else { "" };
        list.push((
            "tables",
            plan.text(),
            format!("planned: {} at most{trees}", units::bytes(plan.peak_bytes)),
        ));
    }
    let planned = units::bytes(report.planned_peak_bytes);
    list.push(match report.measured_peak_bytes {
        Some(measured) => {
            ("host memory", format!("{} at most", units::bytes(measured)), format!("{planned} planned"))
        }
        None => ("host memory", format!("{planned} planned"), "not measured on this system".to_owned()),
    });
    list.push(match report.recovery.len() {
        0 => ("faults", "none".to_owned(), String::new()),
        count => ("faults", count.to_string(), "all recovered from".to_owned()),
    });
    element("header")
        .child(element("h1").text(title))
        .child(element("p").class("id").text(format!("program {}", file.program_id)))
        .child(tiles(list))
}

fn per_second(file: &ReportFile) -> String {
    // A time of nothing is a rate of nothing that could be shown.
    let rate = file.cycles as f64 / file.report.seconds;
    if rate.is_finite() { format!("{rate:.0} cycles a second") } else { String::new() }
}

fn footer(file: &ReportFile) -> Element {
    element("footer").child(paragraph(format!(
        "Written by lambda-prove {}. All times are wall time on the host's clock, and count from the start \
         of the proof: work that a stage has left to a device may go on after the stage's end.",
        file.version
    )))
}
