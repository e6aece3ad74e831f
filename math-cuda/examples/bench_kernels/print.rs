//! Results as lines of a Markdown table, and as JSON.

use lambda_math_cuda::Device;
use serde_json::{Value, json};

use crate::case::{Case, Measured};
use crate::floor::{by_bytes, by_instructions, by_operations};

/// Costs of entry points that `cargo xtask gen-ptx` recorded.
const RESOURCES: [&str; 16] = [
    include_str!("../../kernels/batch_inverse.resources.json"),
    include_str!("../../kernels/deep.resources.json"),
    include_str!("../../kernels/domain.resources.json"),
    include_str!("../../kernels/fill.resources.json"),
    include_str!("../../kernels/fri.resources.json"),
    include_str!("../../kernels/gather.resources.json"),
    include_str!("../../kernels/grind.resources.json"),
    include_str!("../../kernels/lookup.resources.json"),
    include_str!("../../kernels/ntt.resources.json"),
    include_str!("../../kernels/ood.resources.json"),
    include_str!("../../kernels/program.resources.json"),
    include_str!("../../kernels/quotient.resources.json"),
    include_str!("../../kernels/rows.resources.json"),
    include_str!("../../kernels/scan.resources.json"),
    include_str!("../../kernels/tree.resources.json"),
    include_str!("../../kernels/widen.resources.json"),
];
/// The architecture of an H200.
const ARCHITECTURE: &str = "90";

/// The first two lines of the table for this device.
pub fn head(device: &Device) -> &'static str {
    if device.driver().emulator().is_some() {
        "| kernel | blocks of threads | element | bytes | operations | PTX instructions | registers | \
         shared KiB | ps by bytes | by operations | by instructions | bound by |\n\
         |---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"
    } else {
        "| kernel | element | elements | bytes | operations | ms | GB/s | Gop/s | \
         share of the H200's floor |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|"
    }
}

/// The line of a case.
pub fn row(kernel: &str, case: &Case, measured: Measured) -> String {
    match measured {
        Measured::Instructions(count) => counted_row(kernel, case, count as f64 / case.elements as f64),
        Measured::Time(milliseconds) => timed_row(kernel, case, milliseconds),
    }
}

fn counted_row(kernel: &str, case: &Case, instructions: f64) -> String {
    let Case { grid, element, bytes, operations, .. } = case;
    let floors = [
        ("bytes", by_bytes(*bytes)),
        ("operations", by_operations(*operations)),
        ("instructions", by_instructions(instructions)),
    ];
    let bound = floors.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or("", |(name, _)| name);
    format!(
        "| `{}` | {grid} | {element} | {bytes:.1} | {operations:.0} | {instructions:.0} | {} | {} | {:.1} | \
         {:.1} | {:.1} | {bound} |",
        kernel.replace(", ", "`, `"),
        registers(kernel),
        shared_kib(kernel),
        floors[0].1,
        floors[1].1,
        floors[2].1,
    )
}

fn timed_row(kernel: &str, case: &Case, milliseconds: f64) -> String {
    let Case { element, elements, bytes, operations, .. } = case;
    let per_second = |amount: f64| amount * *elements as f64 / milliseconds / 1e6;
    let floor = by_bytes(*bytes).max(by_operations(*operations)) * *elements as f64 / 1e9;
    format!(
        "| `{kernel}` | {element} | {elements} | {bytes:.1} | {operations:.0} | {milliseconds:.3} | {:.0} | \
         {:.0} | {:.0} % |",
        per_second(*bytes),
        per_second(*operations),
        100.0 * floor / milliseconds
    )
}

/// The case as JSON.
pub fn json_row(kernel: &str, case: &Case, measured: Measured) -> Value {
    let mut row = json!({
        "kernel": kernel,
        "element": case.element,
        "elements": case.elements,
        "bytes_per_element": case.bytes,
        "operations_per_element": case.operations,
    });
    match measured {
        Measured::Time(milliseconds) => row["milliseconds"] = milliseconds.into(),
        Measured::Instructions(count) => row["ptx_instructions"] = count.into(),
    }
    row
}

/// What was recorded of each of the kernels.
fn recorded(kernels: &str, number: impl Fn(&Value) -> String) -> String {
    let files: Vec<Value> =
        RESOURCES.iter().map(|text| serde_json::from_str(text).expect("xtask wrote JSON")).collect();
    let of = |kernel: &str| {
        let found = files.iter().find_map(|file| file.get(kernel));
        number(found.expect("every kernel has resources"))
    };
    kernels.split(", ").map(of).collect::<Vec<_>>().join(", ")
}

fn registers(kernels: &str) -> String {
    recorded(kernels, |costs| costs["registers"][ARCHITECTURE].to_string())
}

fn shared_kib(kernels: &str) -> String {
    recorded(kernels, |costs| {
        let bytes = costs["shared_bytes"].as_f64().expect("a number of bytes");
        if bytes == 0.0 { "0".to_owned() } else { format!("{:.1}", bytes / 1024.0) }
    })
}
