//! Device memory in time, against the budget.

use lambda_prover::Report;
use lambda_prover::report::DeviceMemory;

use super::super::markup::{Element, element};
use super::super::units::{Axis, bytes, share};
use super::Frame;

/// Height of the picture, in pixels.
const HEIGHT: u32 = 200;
/// Units that its width is divided into.
const WIDTH: f64 = 100_000.0;
/// Room above the highest value, for the budget's name.
const TOP: f64 = 20.0;
/// A budget is drawn where the most that was used is at least this part of it.
const DRAWN_PART: f64 = 0.2;

/// What there is to draw.
pub struct Vram {
    /// The times of stages, and the memory then.
    stages: Vec<(f64, f64, DeviceMemory)>,
    highest_bytes: u64,
    budget_bytes: u64,
    bytes: Axis,
}

impl Vram {
    /// The device's memory, where one computed.
    pub fn new(report: &Report) -> Option<Self> {
        let stages: Vec<(f64, f64, DeviceMemory)> = report
            .stages
            .iter()
            .filter_map(|stage| Some((stage.start_seconds, stage.end_seconds, stage.memory?)))
            .collect();
        let highest_bytes =
            stages.iter().map(|(.., memory)| memory.highest_bytes.max(memory.used_bytes)).max()?;
        let budget_bytes = stages.iter().map(|(.., memory)| memory.budget_bytes).max()?;
        let is_drawn = highest_bytes as f64 >= DRAWN_PART * budget_bytes as f64;
        let top = if is_drawn { budget_bytes } else { 0 };
        let bytes = Axis::over([highest_bytes as f64, top as f64]);
        Some(Self { stages, highest_bytes, budget_bytes, bytes })
    }

    /// The place of so many bytes, in pixels from the top.
    fn y(&self, bytes: f64) -> f64 {
        f64::from(HEIGHT) - self.bytes.percent(bytes) / 100.0 * (f64::from(HEIGHT) - TOP)
    }

    fn summary(&self) -> String {
        format!(
            "At most {} of a budget of {} were in use, {}.",
            bytes(self.highest_bytes),
            bytes(self.budget_bytes),
            share(self.highest_bytes as f64, self.budget_bytes as f64)
        )
    }
}

/// What the areas mean.
pub fn legend(memory: &Vram) -> Element {
    let swatch = |class: &str, text: &str| {
        let swatch = element("svg")
            .attr("width", 14)
            .attr("height", 14)
            .attr("aria-hidden", "true")
            .child(element("rect").class(class).attr("width", 14).attr("height", 14).attr("rx", 2));
        element("li").child(swatch).text(format!(" {text}"))
    };
    element("ul").class("legend").children([
        swatch("used", "device memory in use at the end of the last stage"),
        swatch("highest", "the most within a stage"),
        element("li").text(memory.summary()),
    ])
}

/// The picture, with its scale.
pub fn row(frame: &Frame<'_>, memory: &Vram) -> [Element; 2] {
    let highest = memory.stages.iter().map(|(start, end, at)| (*start, *end, at.highest_bytes));
    // What a stage leaves in use is in use until the next one ends.
    let nexts = memory.stages.iter().skip(1);
    let used = memory.stages.iter().zip(nexts).map(|((_, from, at), (_, to, _))| (*from, *to, at.used_bytes));
    let ticks = memory.bytes.ticks(8);
    let lines = ticks.iter().map(|tick| horizontal("grid", memory.y(*tick)));
    let areas = element("svg")
        .attr("width", "100%")
        .attr("height", HEIGHT)
        .attr("viewBox", format!("0 0 {WIDTH} {HEIGHT}"))
        .attr("preserveAspectRatio", "none")
        .child(area("highest", frame, memory, highest))
        .child(area("used", frame, memory, used));
    let picture =
        frame.picture(HEIGHT, Some(("Device memory in time", memory.summary()))).children(lines).child(areas);
    let budget = memory.budget_bytes as f64;
    let named = |text: String, y: f64| {
        element("text")
            .class("budget")
            .attr("x", "100%")
            .attr("dx", -4)
            .attr("y", y)
            .attr("text-anchor", "end")
            .text(text)
    };
    let name = format!("budget {}", bytes(memory.budget_bytes));
    let picture = if budget <= memory.bytes.end {
        picture.child(horizontal("budget", memory.y(budget))).child(named(name, memory.y(budget) - 5.0))
    } else {
        picture.child(named(format!("{name}, far above ↑"), 13.0))
    };
    let labels = ticks.iter().map(|tick| {
        let y = memory.y(*tick);
        let text = element("text").attr("x", "100%").attr("dx", -8).attr("text-anchor", "end");
        text.attr("y", format!("{:.1}", (y + 4.0).min(f64::from(HEIGHT) - 2.0))).text(bytes(*tick as u64))
    });
    let scale = element("svg").attr("width", "100%").attr("height", HEIGHT).attr("aria-hidden", "true");
    [scale.children(labels), picture]
}

/// Steps of so many bytes, each from one time to another, as one shape without seams.
fn area(
    class: &str,
    frame: &Frame<'_>,
    memory: &Vram,
    steps: impl Iterator<Item = (f64, f64, u64)>,
) -> Element {
    let x = |time: f64| frame.axis.percent(time) / 100.0 * WIDTH;
    let steps: String = steps
        .map(|(from, to, bytes)| {
            format!("M{:.0} {HEIGHT}V{:.1}H{:.0}V{HEIGHT}z", x(from), memory.y(bytes as f64), x(to))
        })
        .collect();
    element("path").class(class).attr("d", steps)
}

fn horizontal(class: &str, y: f64) -> Element {
    let y = format!("{y:.1}");
    element("line").class(class).attr("x2", "100%").attr("y1", &y).attr("y2", y)
}
