//! The timeline: rounds as bands, device memory, stages in a lane for each table, faults as numbered marks.
//!
//! Positions in time are percentages, so that the pictures are as wide as there is room while their text
//! keeps its size. Each row of the timeline is a picture of its own; all have the same axis and the same
//! backdrop.

mod lanes;
mod vram;

use lambda_prover::Report;

use super::markup::{Element, element};
use super::page::{self, paragraph};
use super::rounds::numbered;
use super::units::{self, Axis};

pub use lanes::FAMILIES;

/// Height of the rows of round names, marks and ticks, in pixels.
const STRIP: u32 = 22;
/// Width that a mark's number takes, in percent of a narrow plot.
const MARK_PERCENT: f64 = 6.0;
/// Marks beside each other would cover each other: they take turns in so many heights.
const MARK_ROWS: usize = 2;

/// What all rows of the timeline have in common.
struct Frame<'a> {
    report: &'a Report,
    axis: Axis,
    marks: Vec<Mark>,
}

/// Faults that are too close to each other to be shown one by one.
struct Mark {
    first: usize,
    last: usize,
    at: f64,
}

/// The timeline.
pub fn section(report: &Report) -> Element {
    let ends = report.stages.iter().map(|stage| stage.end_seconds);
    let axis = Axis::over(ends.chain([report.seconds]));
    let frame = Frame { report, axis, marks: marks(report, axis) };
    let mut rows = vec![row("round", frame.rounds())];
    if !frame.marks.is_empty() {
        rows.push(row("fault", frame.numbers()));
    }
    let memory = vram::Vram::new(report);
    if let Some(memory) = &memory {
        rows.push(vram::row(&frame, memory));
    }
    rows.push(lanes::row(&frame));
    rows.push(row("time", frame.ticks()));
    let figure = element("figure").class("timeline").children(rows.into_iter().flatten());
    let section = page::section("timeline", "Timeline").child(paragraph(
        "A lane for each table, height of codewords, and the proof as a whole; a block for each stage. \
         Columns are rounds. Point at a block for its numbers.",
    ));
    let section = match &memory {
        None => section.child(paragraph("The host computed, so there is no device memory to show.")),
        Some(memory) => section.child(vram::legend(memory)),
    };
    section.child(lanes::legend()).child(wide(figure))
}

fn wide(figure: Element) -> Element {
    page::wide(figure)
}

/// A row of the timeline: its name, and its picture.
fn row(name: &str, picture: Element) -> [Element; 2] {
    [element("div").class("name").text(name), picture]
}

/// Puts faults together whose numbers would cover each other.
fn marks(report: &Report, axis: Axis) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for (event, number) in report.recovery.iter().zip(1..) {
        let at = axis.percent(event.at_seconds);
        match marks.last_mut() {
            Some(mark) if at - mark.at < MARK_PERCENT => mark.last = number,
            _ => marks.push(Mark { first: number, last: number, at }),
        }
    }
    marks
}

impl Mark {
    fn text(&self) -> String {
        if self.first == self.last {
            self.first.to_string()
        } else {
            format!("{}–{}", self.first, self.last)
        }
    }
}

impl Frame<'_> {
    /// A picture of so many pixels' height over the backdrop. One without a title repeats what others say.
    fn picture(&self, height: u32, title: Option<(&str, String)>) -> Element {
        let picture = element("svg").attr("width", "100%").attr("height", height);
        let picture = match title {
            None => picture.attr("aria-hidden", "true"),
            Some((title, description)) => picture
                .attr("role", "img")
                .child(element("title").text(title))
                .child(element("desc").text(description)),
        };
        let bands = self.report.rounds.iter().enumerate().map(|(index, round)| {
            let class = if index % 2 == 0 { "band" } else { "band odd" };
            self.block(round.start_seconds, round.start_seconds + round.seconds)
                .class(class)
                .attr("height", height)
        });
        let lines = self.report.recovery.iter().map(|event| {
            let x = format!("{:.3}%", self.axis.percent(event.at_seconds));
            element("line").class("fault").attr("x1", &x).attr("x2", x).attr("y2", height)
        });
        picture.children(bands).children(lines)
    }

    /// A rectangle from one time to another, without a height.
    fn block(&self, start: f64, end: f64) -> Element {
        let (start, end) = (self.axis.percent(start), self.axis.percent(end));
        element("rect")
            .attr("x", format!("{start:.3}%"))
            .attr("width", format!("{:.3}%", (end - start).max(0.05)))
    }

    /// The rounds' names: whole, or their numbers, where there is room.
    fn rounds(&self) -> Element {
        let names = numbered(self.report.rounds.iter().map(|round| round.round));
        let labels = self.report.rounds.iter().zip(names).filter_map(|(round, name)| {
            let start = self.axis.percent(round.start_seconds);
            let width = self.axis.percent(round.start_seconds + round.seconds) - start;
            let text = if width >= 2.0 * name.len() as f64 {
                name
            } else if width >= 4.5 {
                name.chars().take(2).collect()
            } else {
                return None;
            };
            let x = format!("{:.3}%", start + width / 2.0);
            Some(element("text").attr("x", x).attr("y", 15).attr("text-anchor", "middle").text(text))
        });
        self.picture(STRIP, None).children(labels)
    }

    /// The faults' numbers.
    fn numbers(&self) -> Element {
        let height = STRIP * MARK_ROWS as u32;
        let marks = self.marks.iter().enumerate().map(|(index, mark)| {
            let text = mark.text();
            let width = 12 + 7 * text.chars().count() as u32;
            let y = (index % MARK_ROWS) as u32 * STRIP + 2;
            // The last one ends where the plot does.
            let middle = if mark.at > 100.0 - MARK_PERCENT { 10.0 - f64::from(width) / 2.0 } else { 0.0 };
            let badge = element("rect")
                .attr("x", middle - f64::from(width) / 2.0)
                .attr("y", y)
                .attr("width", width)
                .attr("height", STRIP - 5)
                .attr("rx", 8);
            let number =
                element("text").attr("x", middle).attr("y", y + 13).attr("text-anchor", "middle").text(text);
            element("svg")
                .class("mark")
                .attr("x", format!("{:.3}%", mark.at))
                .attr("overflow", "visible")
                .children([badge, number])
        });
        self.picture(height, None).children(marks)
    }

    /// The axis of time.
    fn ticks(&self) -> Element {
        let labels = self.axis.ticks(8).into_iter().map(|tick| {
            let percent = self.axis.percent(tick);
            let anchor = match percent {
                ..1.0 => "start",
                96.0.. => "end",
                _ => "middle",
            };
            let x = format!("{percent:.3}%");
            element("text").attr("x", x).attr("y", 15).attr("text-anchor", anchor).text(units::tick(tick))
        });
        self.picture(STRIP, None).children(labels)
    }
}
