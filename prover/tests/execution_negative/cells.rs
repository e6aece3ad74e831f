//! Cells of honest tables changed, one at a time: none is free beyond the reviewed list.

use std::collections::BTreeSet;

use lambda_machine::tables::TableId;
use lambda_math::Goldilocks;
use p3_field::PrimeCharacteristicRing;
use rayon::prelude::*;

use crate::forge::{column_names, field};
use crate::instance::Instance;
use crate::programs::EVERYTHING;

#[test]
fn honest_tables_break_nothing() {
    let honest = EVERYTHING.honest();
    honest.breaks([]);
    for table in TableId::ALL.into_iter().filter(|table| table.is_chunked()) {
        assert!(honest.claim.instances[table.index()] > 0, "{table:?} has rows");
    }
}

/// Values that stand in for `honest`.
pub fn others(honest: Goldilocks) -> impl Iterator<Item = Goldilocks> {
    let near = [honest + Goldilocks::ONE, honest - Goldilocks::ONE];
    let special = [Goldilocks::ZERO, Goldilocks::ONE, honest.double(), honest.halve(), -honest];
    let weights = [8, 15, 16, 31, 32].map(|bits| field(1 << bits));
    let far = weights.into_iter().flat_map(move |weight| [honest + weight, honest - weight]);
    near.into_iter().chain(special).chain(far).filter(move |&other| other != honest)
}

/// Cells that nothing ties down, and why that is harmless.
struct Free {
    table: TableId,
    /// Columns; without an index, all that have one.
    columns: &'static [&'static str],
    /// In which rows.
    when: fn(&Named<'_>) -> bool,
    /// As long as lookups are entries and flags are flags.
    why: &'static str,
}

/// A row with the names of its columns.
struct Named<'a> {
    names: &'a [String],
    row: &'a [Goldilocks],
    /// The row takes part in no bus.
    is_padding: bool,
}

impl Named<'_> {
    fn is(&self, column: &str) -> bool {
        self.value(column) != Goldilocks::ZERO
    }

    fn value(&self, column: &str) -> Goldilocks {
        self.row
            [self.names.iter().position(|name| name == column).unwrap_or_else(|| panic!("column {column}"))]
    }

    fn any(&self, columns: &[&str]) -> bool {
        columns.iter().any(|column| self.is(column))
    }
}

/// Cells of rows that take part in no bus are free in the other tables, whose rows do not know each other.
const FREE: &[Free] = &[
    Free {
        table: TableId::Cpu,
        columns: &["bit"],
        when: |row| !row.any(&["flags[3]", "flags[6]"]),
        why: "neither a branch nor an indirect jump",
    },
    Free {
        table: TableId::Cpu,
        columns: &["carry"],
        when: |row| !row.any(&["flags[0]", "flags[1]", "flags[6]", "flags[7]", "flags[8]", "flags[9]"]),
        why: "neither a sum nor an address",
    },
    Free {
        table: TableId::Cpu,
        columns: &["time_before[1]", "gap_low[1]"],
        when: |row| !row.is("flags[10]"),
        why: "rs2 is not accessed",
    },
    Free {
        table: TableId::Cpu,
        columns: &["rd_before", "time_before[2]", "gap_low[2]"],
        when: |row| !row.is("flags[11]"),
        why: "rd is not accessed",
    },
    Free {
        table: TableId::Cpu,
        columns: &["flags[4]", "op", "rs1", "rs2", "rd", "a", "c", "c_low", "time_before", "gap_low"],
        when: |row| row.is_padding,
        why: "no instruction",
    },
    Free {
        table: TableId::Subword,
        columns: &["stored_bytes", "stored_half"],
        when: |row| !row.is("is_store"),
        why: "a load stores nothing",
    },
    Free {
        table: TableId::Misaligned,
        columns: &["stored"],
        when: |row| !row.is("is_store"),
        why: "a load stores nothing",
    },
    Free {
        table: TableId::Misaligned,
        columns: &["time_before[1]", "gap_low[1]"],
        when: |row| !row.is("crosses"),
        why: "the second cell is not accessed",
    },
    Free {
        table: TableId::Boundary,
        columns: &["above_low"],
        when: |row| row.is("in_image"),
        why: "a cell of the image is not above it",
    },
    Free {
        table: TableId::Boundary,
        columns: &["above_low", "first", "last", "last_time"],
        when: |row| row.is_padding,
        why: "no cell",
    },
    Free {
        table: TableId::Compare,
        columns: &["sign_gap"],
        when: |row| !row.is("is_lt"),
        why: "no sign matters",
    },
    Free {
        table: TableId::Shift,
        columns: &["carry"],
        when: |row| row.is("right_big") || row.is("right_word") && row.value("kind") == Goldilocks::TWO,
        why: "one product only, whose carry is the result",
    },
    Free {
        table: TableId::Shift,
        columns: &["spill"],
        when: |row| row.any(&["left_big", "left_word"]),
        why: "one product only",
    },
    Free {
        table: TableId::Shift,
        columns: &["inverse"],
        when: |row| !row.any(&["right_small", "right_big", "right_word"]),
        why: "to the left nothing wraps",
    },
    Free {
        table: TableId::Mul,
        columns: &["is_zero"],
        when: |row| row.value("a_negative") == row.value("b_negative"),
        why: "signs are equal; then an operand must be 0, and nothing follows",
    },
    Free {
        table: TableId::Mul,
        columns: &["both_full"],
        when: |row| !row.is("is_mulhu"),
        why: "words must be full, and nothing follows",
    },
    Free {
        table: TableId::Mul,
        columns: &["high_inverse"],
        when: |row| !row.any(&["is_mulh", "is_mulhsu", "is_mulhu"]),
        why: "not a high part",
    },
    Free {
        table: TableId::Divrem,
        columns: &["distance", "distance_borrow"],
        when: |row| row.is("divisor_is_zero"),
        why: "nothing is less than 0",
    },
    Free {
        table: TableId::Divrem,
        columns: &["borrows[1]"],
        when: |row| row.any(&["op[4]", "op[5]", "op[6]", "op[7]"]),
        why: "the high word is the sign",
    },
    Free {
        table: TableId::Io,
        columns: &["rest_low"],
        when: |row| !row.any(&["is_read", "is_write"]),
        why: "nothing is moved",
    },
    Free {
        table: TableId::Io,
        columns: &["bits"],
        when: |row| !row.any(&["is_short", "is_unaligned"]),
        why: "neither length nor address needs them",
    },
    Free {
        table: TableId::Io,
        columns: &["bits_inverse"],
        when: |row| !row.is("is_unaligned"),
        why: "the address needs no low bits",
    },
    Free {
        table: TableId::Io,
        columns: &["quotient_low", "quotient_high"],
        when: |row| !row.any(&["is_unaligned", "outputs_cell"]),
        why: "the address is not divided",
    },
    Free {
        table: TableId::Io,
        columns: &["output_index", "output_time_before", "output_gap_low"],
        when: |row| !row.is("is_write"),
        why: "nothing is counted",
    },
];

/// Whether the reviewed list has the cell; its number.
fn free(table: TableId, column: &str, row: &Named<'_>) -> Option<usize> {
    let base = column.split('[').next().unwrap_or(column);
    FREE.iter().position(|free| {
        let has = free.columns.iter().any(|own| *own == base || *own == column);
        free.table == table && has && (free.when)(row)
    })
}

#[test]
fn no_cell_of_the_machine_is_free() {
    let honest = EVERYTHING.honest();
    let found: Vec<(BTreeSet<usize>, BTreeSet<String>)> = Instance::all(&honest)
        .par_iter()
        .map(|instance| {
            let names = column_names(instance.table);
            let (edges, real) = (instance.edges(), instance.real_rows());
            let is_ordered = matches!(instance.table, TableId::Cpu | TableId::Boundary);
            let (mut used, mut unlisted) = (BTreeSet::new(), BTreeSet::new());
            for (index, row) in instance.rows.iter().enumerate() {
                let limit = if edges.contains(&index) { usize::MAX } else { 4 };
                for (column, name) in names.iter().enumerate() {
                    let mut changed = row.clone();
                    for other in others(row[column]).take(limit) {
                        changed[column] = other;
                        let outcome = instance.replaced(index, &changed);
                        if outcome.is_heard || !outcome.constraints.is_empty() || !outcome.missing.is_empty()
                        {
                            continue;
                        }
                        let named = Named { names: &names, row, is_padding: index >= real };
                        if named.is_padding && !is_ordered {
                            continue;
                        }
                        match free(instance.table, name, &named) {
                            Some(entry) => drop(used.insert(entry)),
                            None => drop(unlisted.insert(format!("{:?} {name}", instance.table))),
                        }
                    }
                }
            }
            (used, unlisted)
        })
        .collect();
    let unlisted: BTreeSet<String> = found.iter().flat_map(|(_, unlisted)| unlisted.clone()).collect();
    assert!(unlisted.is_empty(), "free: {unlisted:#?}");
    let used: BTreeSet<usize> = found.into_iter().flat_map(|(used, _)| used).collect();
    for (entry, Free { table, columns, why, .. }) in FREE.iter().enumerate() {
        assert!(used.contains(&entry), "{table:?} {columns:?} are listed as free, {why}, and are not");
    }
}
