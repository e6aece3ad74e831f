//! The page: grid, axes, lines, and each line's name at its right end.
//!
//! Colours live in a style sheet that follows the reader's light or dark preference. The background is
//! left transparent, so that the chart takes on that of the page it stands in.

use std::fmt::Write;

use super::scale::{Scale, ticks_from_zero};
use super::{Chart, Series};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
/// Edges of the plot area on the page.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 590.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 340.0;
/// Least distance between the baselines of two names.
const NAME_PITCH: f64 = 17.0;
/// Inset that keeps the outermost points off the frame.
const INSET: f64 = 16.0;

/// How many series have a colour of their own in [`STYLE`].
pub const COLOURS: usize = 4;

const STYLE: &str = "\
text { font: 13px system-ui, 'DejaVu Sans', sans-serif; fill: #333d47 }
.title { font-size: 16px; font-weight: 600 }
.axis { fill: #5c6670 }
.grid { stroke: #d5dae0; stroke-width: 1 }
.base { stroke: #848d97; stroke-width: 1 }
polyline { fill: none; stroke-width: 2.2; stroke-linejoin: round }
.s0 { stroke: #0969da } circle.s0, text.s0 { fill: #0969da }
.s1 { stroke: #bc4c00 } circle.s1, text.s1 { fill: #bc4c00 }
.s2 { stroke: #1a7f37 } circle.s2, text.s2 { fill: #1a7f37 }
.s3 { stroke: #8250df } circle.s3, text.s3 { fill: #8250df }
text.name { stroke: none; font-weight: 600 }
@media (prefers-color-scheme: dark) {
text { fill: #d1d7e0 }
.axis { fill: #9198a1 }
.grid { stroke: #343b44 }
.base { stroke: #656c76 }
.s0 { stroke: #58a6ff } circle.s0, text.s0 { fill: #58a6ff }
.s1 { stroke: #f0883e } circle.s1, text.s1 { fill: #f0883e }
.s2 { stroke: #3fb950 } circle.s2, text.s2 { fill: #3fb950 }
.s3 { stroke: #bc8cff } circle.s3, text.s3 { fill: #bc8cff }
}
";

/// Draws the whole document.
pub fn draw(chart: &Chart) -> String {
    let points = || chart.series.iter().flat_map(|series| &series.points);
    let first = points().map(|p| p[0]).fold(f64::INFINITY, f64::min);
    let last = points().map(|p| p[0]).fold(0.0, f64::max);
    let ticks = ticks_from_zero(points().map(|p| p[1]).fold(0.0, f64::max));
    let top = ticks.last().copied().unwrap_or(1.0);
    // A single height gets a range around it.
    let range = if first < last { [first, last] } else { [first - 1.0, last + 1.0] };
    let x = Scale::new(range, [LEFT + INSET, RIGHT - INSET]);
    let y = Scale::new([0.0, top], [BOTTOM, TOP]);

    let title = escape(&chart.title);
    let mut svg = String::new();
    put(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n\
             <text class=\"title\" x=\"{LEFT}\" y=\"26\">{title}</text>"
        ),
    );
    draw_axes(&mut svg, &x, first, last, &y, &ticks);
    for (index, series) in chart.series.iter().enumerate() {
        draw_series(&mut svg, index, series, &x, &y);
    }
    draw_names(&mut svg, &chart.series, &y);
    svg.push_str("</svg>\n");
    svg
}

fn draw_axes(svg: &mut String, x: &Scale, first: f64, last: f64, y: &Scale, ticks: &[f64]) {
    let decimals = if ticks.iter().all(|tick| tick.fract() == 0.0) { 0 } else { 2 };
    for &tick in ticks {
        let class = if tick == 0.0 { "base" } else { "grid" };
        let (at, text_at) = (y.place(tick), y.place(tick) + 4.5);
        put(
            svg,
            format_args!(
                "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\n\
                 <text class=\"axis\" x=\"{:.1}\" y=\"{text_at:.1}\" text-anchor=\"end\">\
                 {tick:.decimals$}</text>",
                LEFT - 8.0
            ),
        );
    }
    let stride = if last - first > 14.0 { 2 } else { 1 };
    // Exponents sit above the line by hand: SVG viewers disagree about `baseline-shift`.
    for height_log2 in (first.ceil() as u64..=last.floor() as u64).step_by(stride) {
        put(
            svg,
            format_args!(
                "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">2<tspan dy=\"-5\" \
                 font-size=\"10\">{height_log2}</tspan></text>",
                x.place(height_log2 as f64),
                BOTTOM + 20.0
            ),
        );
    }
    put(
        svg,
        format_args!(
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">trace height, rows</text>\n\
             <text class=\"axis\" transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">\
             nanoseconds per cell</text>",
            (LEFT + RIGHT) / 2.0,
            BOTTOM + 44.0,
            (TOP + BOTTOM) / 2.0
        ),
    );
}

fn draw_series(svg: &mut String, index: usize, series: &Series, x: &Scale, y: &Scale) {
    let places: Vec<(f64, f64)> = series.points.iter().map(|p| (x.place(p[0]), y.place(p[1]))).collect();
    let line: Vec<String> = places.iter().map(|(px, py)| format!("{px:.1},{py:.1}")).collect();
    put(svg, format_args!("<polyline class=\"s{index}\" points=\"{}\"/>", line.join(" ")));
    for (point, (px, py)) in series.points.iter().zip(&places) {
        put(
            svg,
            format_args!(
                "<circle class=\"s{index}\" cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"3\"><title>2^{}: {:.2} \
                 ns</title></circle>",
                point[0], point[1]
            ),
        );
    }
}

/// Puts each name beside its line's last point, moved apart where lines end close together: upwards
/// first from the axis, then down from the top edge of the plot.
fn draw_names(svg: &mut String, series: &[Series], y: &Scale) {
    let mut names: Vec<(f64, usize)> = series
        .iter()
        .enumerate()
        .filter_map(|(index, one)| one.points.last().map(|point| (y.place(point[1]), index)))
        .collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut floor = BOTTOM;
    for (place, _) in &mut names {
        *place = place.min(floor);
        floor = *place - NAME_PITCH;
    }
    let mut ceiling = TOP;
    for (place, _) in names.iter_mut().rev() {
        *place = place.max(ceiling);
        ceiling = *place + NAME_PITCH;
    }
    for (place, index) in names {
        put(
            svg,
            format_args!(
                "<text class=\"name s{index}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                RIGHT + 4.0,
                place + 4.5,
                escape(&series[index].name)
            ),
        );
    }
}

/// Appends one line.
fn put(svg: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(svg, "{line}").expect("writing to a String cannot fail");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
