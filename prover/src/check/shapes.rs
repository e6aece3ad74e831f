//! Traces and statements whose shape is not the system's.

use lambda_math::Columns;
use lambda_verifier::key::TableKey;
use lambda_verifier::profile::{MAX_HEIGHT_LOG2, MIN_HEIGHT_LOG2};
use lambda_verifier::{Statement, VerifyingKey};

/// A shape that does not fit the system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeFault {
    /// There is not one trace for each table.
    #[error("the number of traces is {got}, that of tables {expected}")]
    Traces {
        /// Tables of the system.
        expected: usize,
        /// Traces given.
        got: usize,
    },
    /// A trace has the wrong number of columns.
    #[error("table {table}: the trace's width is {got}, the AIR's is {expected}")]
    Width {
        /// Name of the table.
        table: String,
        /// Main columns of the AIR.
        expected: usize,
        /// Columns of the trace.
        got: usize,
    },
    /// A trace's height is not one that the protocol allows.
    #[error(
        "table {table}: the trace's height is {height}, not a power of two \
         from 2^{MIN_HEIGHT_LOG2} to 2^{MAX_HEIGHT_LOG2}"
    )]
    Height {
        /// Name of the table.
        table: String,
        /// Rows of the trace.
        height: usize,
    },
    /// A trace is not as high as the table's preprocessed columns.
    #[error("table {table}: the trace's height is {got}, that of the preprocessed columns {expected}")]
    PreprocessedHeight {
        /// Name of the table.
        table: String,
        /// Rows of the preprocessed columns.
        expected: usize,
        /// Rows of the trace.
        got: usize,
    },
    /// The statement does not have one list of public values for each table.
    #[error("the statement's lists of public values number {got}, the tables {expected}")]
    PublicValueLists {
        /// Tables of the system.
        expected: usize,
        /// Lists given.
        got: usize,
    },
    /// A table has the wrong number of public values.
    #[error("table {table}: the number of public values is {got} in the statement, {expected} in the AIR")]
    PublicValues {
        /// Name of the table.
        table: String,
        /// Public values of the AIR.
        expected: usize,
        /// Public values given.
        got: usize,
    },
    /// A message of the statement is on a bus that no table uses.
    #[error("message {message} of the statement is on bus id {bus}, which no table uses")]
    UnknownBus {
        /// Index of the message.
        message: usize,
        /// The bus.
        bus: u64,
    },
    /// A message of the statement has the wrong number of fields.
    #[error("message {message} of the statement: its length is {got}, on bus {bus} it is {expected}")]
    MessageFields {
        /// Index of the message.
        message: usize,
        /// Name of the bus.
        bus: &'static str,
        /// Fields of the bus's messages.
        expected: usize,
        /// Fields of the message.
        got: usize,
    },
}

/// Everything about the shapes of `traces` and `statement` that does not fit the system of `key`.
pub fn shape_faults(key: &VerifyingKey, traces: &[Columns], statement: &Statement) -> Vec<ShapeFault> {
    let mut faults = Vec::new();
    let tables = key.tables.len();
    if traces.len() != tables {
        faults.push(ShapeFault::Traces { expected: tables, got: traces.len() });
    }
    for (table, trace) in key.tables.iter().zip(traces) {
        trace_faults(table, trace, &mut faults);
    }
    if statement.public_values.len() != tables {
        faults.push(ShapeFault::PublicValueLists { expected: tables, got: statement.public_values.len() });
    }
    for (table, values) in key.tables.iter().zip(&statement.public_values) {
        let (expected, got) = (table.shape.public_values, values.len());
        if expected != got {
            faults.push(ShapeFault::PublicValues { table: table.name.clone(), expected, got });
        }
    }
    message_faults(key, statement, &mut faults);
    faults
}

fn trace_faults(key: &TableKey, trace: &Columns, faults: &mut Vec<ShapeFault>) {
    let table = || key.name.clone();
    let height = trace.height();
    let allowed = (1usize << MIN_HEIGHT_LOG2)..=(1usize << MAX_HEIGHT_LOG2);
    if !height.is_power_of_two() || !allowed.contains(&height) {
        faults.push(ShapeFault::Height { table: table(), height });
    } else if let Some(expected) = key.preprocessed_log2.map(|log2| 1 << log2)
        && expected != height
    {
        faults.push(ShapeFault::PreprocessedHeight { table: table(), expected, got: height });
    }
    // Without rows there is no telling the number of columns.
    if height > 0 && trace.width() != key.shape.main_width {
        faults.push(ShapeFault::Width { table: table(), expected: key.shape.main_width, got: trace.width() });
    }
}

fn message_faults(key: &VerifyingKey, statement: &Statement, faults: &mut Vec<ShapeFault>) {
    for (index, message) in statement.messages.iter().enumerate() {
        let bus = u32::try_from(message.bus).ok().and_then(|id| key.buses.get(&id));
        match bus {
            None => faults.push(ShapeFault::UnknownBus { message: index, bus: message.bus }),
            Some(bus) if bus.arity() != message.fields.len() => faults.push(ShapeFault::MessageFields {
                message: index,
                bus: bus.name,
                expected: bus.arity(),
                got: message.fields.len(),
            }),
            Some(_) => {}
        }
    }
}
