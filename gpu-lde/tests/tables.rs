//! The tables that have kernels of their own.

use lambda_air::{ConstraintDag, Table};
use lambda_machine::tables::TableId;
use lambda_machine::tables::image::ImageAir;
use lambda_machine::tables::rom::RomAir;

/// Every table of the machine and of the demo, with the name of its kernels and its body.
pub fn all() -> Vec<(String, Table, ConstraintDag)> {
    let machine = TableId::ALL.map(|id| {
        let rom = || Table::committed(id.name(), RomAir::unknown(), 16);
        let image = || Table::committed(id.name(), ImageAir::unknown(), 16);
        (format!("machine_{}", id.name()), id.table(rom, image))
    });
    let demo = lambda_demo::tables().into_iter().map(|table| (format!("demo_{}", table.name), table));
    machine
        .into_iter()
        .chain(demo)
        .map(|(name, table)| {
            let dag = ConstraintDag::new(&table.air.capture());
            (name, table, dag)
        })
        .collect()
}
