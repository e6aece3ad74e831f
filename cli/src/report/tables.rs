//! The tables that were proven, and their sizes.

use lambda_prover::report::TableReport;

use super::file::ReportFile;
use super::markup::{Element, element};
use super::page::{self, heads, number, paragraph, row_head, wide};
use super::units::{bytes, count, share};
use crate::device::shown::{PlaceReport, PlanReport};

/// The tables, the largest first, with their places where a device computed.
pub fn section(file: &ReportFile) -> Element {
    let plan = file.device.device.as_ref().and_then(|device| device.plan.as_ref());
    let mut tables: Vec<(&TableReport, f64)> =
        file.report.tables.iter().map(|table| (table, cells(table))).collect();
    tables.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let all: f64 = tables.iter().map(|(_, cells)| cells).sum();
    let rows = tables.into_iter().map(|(table, cells)| {
        element("tr")
            .child(row_head(&table.table))
            .child(number(count(table.rows)))
            .child(number(table.main_columns))
            .child(number(table.preprocessed_columns))
            .child(number(table.lookup_columns))
            .child(number(table.constraints))
            .child(number(count(cells as u64)))
            .child(number(share(cells, all)))
            .children(plan.map(|plan| element("td").text(place(plan, &table.table))))
    });
    let numbers = ["rows", "main", "preprocessed", "lookup", "constraints", "cells", "share"];
    let place = plan.map(|_| ("place", false));
    let head = [("table", false)].into_iter().chain(numbers.map(|head| (head, true))).chain(place);
    let table = element("table").child(heads(head)).child(element("tbody").children(rows));
    page::section("tables", "Tables")
        .child(paragraph(
            "Columns of each kind: a lookup column holds extension field elements and counts as three in the \
             cells, which are rows × (main + 3 × lookup).",
        ))
        .child(wide(table))
}

/// Where a table was to be computed, and why not in a better place.
fn place(plan: &PlanReport, table: &str) -> String {
    match plan.places.iter().find(|place| place.table == table) {
        None => String::new(),
        Some(PlaceReport { place, missing_bytes: None, .. }) => place.clone(),
        Some(PlaceReport { place, missing_bytes: Some(missing), .. }) => {
            format!("{place}, {} short", bytes(*missing))
        }
    }
}

/// Committed cells, in elements of the base field.
fn cells(table: &TableReport) -> f64 {
    table.rows as f64 * (table.main_columns as f64 + 3.0 * table.lookup_columns as f64)
}
