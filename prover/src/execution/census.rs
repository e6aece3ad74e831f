//! What an execution costs, table by table, before it is proven.

use lambda_machine::memory::REGISTER_CELLS;
use lambda_machine::program::Program;
use lambda_machine::record::ExecutionRecord;
use lambda_machine::tables::{TableId, fixed};
use lambda_math::field::EXT_DEGREE;
use lambda_verifier::VerifyingKey;
use serde::Serialize;

use super::fill::height;
use super::instances;

/// The cells of an execution's proof, table by table.
#[derive(Clone, Debug, Serialize)]
pub struct Census {
    /// Instructions executed.
    pub cycles: u64,
    /// The tables that have rows, in registry order.
    pub tables: Vec<TableCensus>,
}

/// The cells of one kind of table.
#[derive(Clone, Debug, Serialize)]
pub struct TableCensus {
    /// Its name.
    pub table: &'static str,
    /// Rows that hold something.
    pub rows: u64,
    /// Rows with padding, over all instances.
    pub padded_rows: u64,
    /// Instances.
    pub instances: u64,
    /// Main columns.
    pub main_columns: u64,
    /// Lookup columns over the base field.
    pub lookup_columns: u64,
    /// Preprocessed columns, committed once for the program.
    pub preprocessed_columns: u64,
}

impl TableCensus {
    /// Main and lookup cells of the rows that hold something.
    pub const fn cells(&self) -> u64 {
        self.rows * (self.main_columns + self.lookup_columns)
    }

    /// Main and lookup cells of padding.
    pub const fn padding_cells(&self) -> u64 {
        (self.padded_rows - self.rows) * (self.main_columns + self.lookup_columns)
    }
}

impl Census {
    /// The census of `record`, an execution of `program` proven with `key`'s tables, in instances of at most
    /// `max_rows` rows.
    pub fn new(key: &VerifyingKey, program: &Program, record: &ExecutionRecord, max_rows: usize) -> Self {
        let tables = TableId::ALL
            .into_iter()
            .zip(&key.tables)
            .filter_map(|(id, table)| {
                let rows = rows(id, program, record);
                let heights = heights(id, rows, max_rows);
                (rows > 0).then_some(TableCensus {
                    table: id.name(),
                    rows: rows as u64,
                    padded_rows: heights.iter().map(|&height| height as u64).sum(),
                    instances: heights.len() as u64,
                    main_columns: table.shape.main_width as u64,
                    lookup_columns: (table.shape.lookup_columns() * EXT_DEGREE) as u64,
                    preprocessed_columns: table.shape.preprocessed_width as u64,
                })
            })
            .collect();
        Self { cycles: record.cpu.len() as u64, tables }
    }

    /// The census of a run of `cycles` instructions that is otherwise like this one: tables whose rows grow
    /// with a run have as many rows per instruction.
    #[must_use]
    pub fn scaled(mut self, cycles: u64, max_rows: usize) -> Self {
        let ids = TableId::ALL.into_iter().filter(|id| id.is_chunked());
        let names: Vec<&str> = ids.map(TableId::name).collect();
        for table in self.tables.iter_mut().filter(|table| names.contains(&table.table)) {
            let rows = u128::from(table.rows) * u128::from(cycles) / u128::from(self.cycles.max(1));
            table.rows = u64::try_from(rows).unwrap_or(u64::MAX).max(1);
            let heights = instances::heights(table.rows as usize, max_rows);
            table.instances = heights.len() as u64;
            table.padded_rows = heights.into_iter().map(|height| height as u64).sum();
        }
        Self { cycles, ..self }
    }

    /// How often each table occurs, and the heights (`log2`) of all instances, both in registry order.
    pub fn heights_log2(&self, max_rows: usize) -> (Vec<usize>, Vec<u8>) {
        let mut heights_log2 = Vec::new();
        let instances = TableId::ALL
            .into_iter()
            .map(|id| {
                let table = self.tables.iter().find(|table| table.table == id.name());
                let heights = table.map_or_else(Vec::new, |table| heights(id, table.rows as usize, max_rows));
                heights_log2.extend(heights.iter().map(|height| height.trailing_zeros() as u8));
                heights.len()
            })
            .collect();
        (instances, heights_log2)
    }

    /// Main and lookup cells of all rows that hold something, per instruction.
    pub fn cells_per_cycle(&self) -> f64 {
        self.tables.iter().map(TableCensus::cells).sum::<u64>() as f64 / self.cycles as f64
    }

    /// Main and lookup cells of padding, per instruction.
    pub fn padding_per_cycle(&self) -> f64 {
        self.tables.iter().map(TableCensus::padding_cells).sum::<u64>() as f64 / self.cycles as f64
    }
}

/// Heights of the instances of table `id` with `rows` rows.
fn heights(id: TableId, rows: usize, max_rows: usize) -> Vec<usize> {
    if id.is_chunked() { instances::heights(rows, max_rows) } else { vec![height(rows)] }
}

/// Rows of table `id` that hold something.
fn rows(id: TableId, program: &Program, record: &ExecutionRecord) -> usize {
    match id {
        TableId::Cpu => record.cpu.len(),
        TableId::Memory => record.memory.len(),
        TableId::Subword => record.subword.len(),
        TableId::Misaligned => record.misaligned.len(),
        TableId::Io => record.io.len(),
        TableId::Boundary => record.boundary.len(),
        TableId::Compare => record.compare.len(),
        TableId::Bitwise => record.bitwise.len(),
        TableId::Shift => record.shift.len(),
        TableId::Word => record.word.len(),
        TableId::Mul => record.mul.len(),
        TableId::Divrem => record.divrem.len(),
        TableId::Registers => REGISTER_CELLS,
        TableId::Rom => program.code.iter().flatten().count(),
        TableId::Image => program.image.len(),
        TableId::Range16 | TableId::BytePair => fixed::HEIGHT,
        TableId::Power => fixed::MAX_EXPONENT + 1,
    }
}
