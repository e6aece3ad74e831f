//! Line chart of prover cost against height: one SVG that reads on light and dark pages.
//!
//! Input is a result file of the scaling bench. Only `rows` is required, unknown keys are ignored, so
//! that a result may carry whatever else it likes:
//!
//! ```json
//! {
//!   "title": "Prover cost by height",
//!   "name": "lambda-prove",
//!   "rows": [{"height_log2": 16, "ns_per_cell": 21.5}],
//!   "series": [{"name": "a peer", "points": [[16, 30.2]]}]
//! }
//! ```
//!
//! `x` is the base-2 logarithm of the height, `y` nanoseconds per committed trace cell. The vertical
//! axis starts at zero: heights on the page are to scale.

mod scale;
mod svg;

use anyhow::{Result, ensure};
use serde::Deserialize;

/// What a result file says.
#[derive(Debug, Deserialize)]
struct Input {
    #[serde(default = "default_title")]
    title: String,
    #[serde(default = "default_name")]
    name: String,
    rows: Vec<Row>,
    #[serde(default)]
    series: Vec<Series>,
}

#[derive(Debug, Deserialize)]
struct Row {
    height_log2: f64,
    ns_per_cell: f64,
}

/// One line of the chart.
#[derive(Debug, Deserialize)]
struct Series {
    name: String,
    /// `[height_log2, ns_per_cell]`.
    points: Vec<[f64; 2]>,
}

fn default_title() -> String {
    "Prover time per trace cell, by height".to_owned()
}

fn default_name() -> String {
    "lambda-prove".to_owned()
}

/// A chart ready to be drawn: at least one series, all points finite, `y >= 0`, sorted by `x`.
#[derive(Debug)]
pub struct Chart {
    title: String,
    series: Vec<Series>,
}

impl Chart {
    /// Reads a result file. Our own line comes first, peers after it in their order.
    ///
    /// # Errors
    /// Malformed JSON; no series, or more than the palette has colours; a series without points; a
    /// negative number.
    pub fn parse(json: &str) -> Result<Self> {
        let input: Input = serde_json::from_str(json)?;
        let points = input.rows.iter().map(|row| [row.height_log2, row.ns_per_cell]).collect();
        let mut series = vec![Series { name: input.name, points }];
        series.extend(input.series);
        ensure!(series.len() <= svg::COLOURS, "at most {} series can be told apart", svg::COLOURS);
        for Series { name, points } in &mut series {
            ensure!(!points.is_empty(), "series {name:?} has no points");
            // JSON has no infinities; a number too large for f64 is refused by the parser.
            ensure!(points.iter().flatten().all(|&v| v >= 0.0), "series {name:?} has a negative number");
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        }
        Ok(Self { title: input.title, series })
    }

    /// The drawing, as a standalone SVG document.
    pub fn to_svg(&self) -> String {
        svg::draw(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"machine": "ignored", "rows": [
        {"height_log2": 18, "ns_per_cell": 21.0, "seconds": 1.5}, {"height_log2": 16, "ns_per_cell": 25.0}],
        "series": [{"name": "peer <1>", "points": [[16, 30.5], [18, 28]]}]}"#;

    #[test]
    fn rows_become_the_first_series_in_order_of_height() {
        let chart = Chart::parse(GOOD).unwrap();
        assert_eq!(chart.series[0].points, [[16.0, 25.0], [18.0, 21.0]]);
        assert_eq!(chart.series[1].name, "peer <1>");
    }

    #[test]
    fn input_that_cannot_be_drawn_is_refused() {
        for bad in [
            "{}",
            r#"{"rows": []}"#,
            r#"{"rows": [{"height_log2": 1, "ns_per_cell": -1}]}"#,
            r#"{"rows": [{"height_log2": 1, "ns_per_cell": 1e999}]}"#,
            r#"{"rows": [{"height_log2": 1, "ns_per_cell": 1}], "series": [{"name": "p", "points": []}]}"#,
        ] {
            assert!(Chart::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_point_is_drawn_and_names_are_escaped() {
        let svg = Chart::parse(GOOD).unwrap().to_svg();
        assert_eq!(svg.matches("<circle").count(), 4);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("peer &lt;1&gt;") && !svg.contains("peer <1>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn a_single_point_and_a_flat_zero_line_are_drawable() {
        let one = r#"{"rows": [{"height_log2": 20, "ns_per_cell": 0}]}"#;
        let svg = Chart::parse(one).unwrap().to_svg();
        assert!(svg.contains("<circle") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}
