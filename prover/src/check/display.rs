//! A report's text.

use core::fmt;

use lambda_air::Bus;
use lambda_air::dag::{Leaf, RowOffset, Selector};
use lambda_math::Goldilocks;
use lambda_math::field::ORDER;
use p3_field::{PrimeCharacteristicRing, PrimeField64};

use super::ledger::is_negative;
use super::report::{
    ConstraintFailure, Place, Reading, RowFailure, Side, TableFailure, TraceReport, UnbalancedMessage,
};

/// Values this close below the field's order are shown as negative numbers.
const NEGATIVE_SPAN: u64 = 1 << 32;

impl fmt::Display for TraceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.shapes.is_empty() {
            write!(f, "the traces do not have the system's shape:")?;
            return self.shapes.iter().try_for_each(|fault| write!(f, "\n  {fault}"));
        }
        write!(f, "the traces are wrong")?;
        let constraints: usize = self.tables.iter().map(|table| table.failing_constraints).sum();
        if constraints > 0 {
            let verb = if constraints == 1 { "fails" } else { "fail" };
            write!(f, "; {} {verb}", Count(constraints, "constraint"))?;
        }
        let messages: usize = self.buses.iter().map(|bus| bus.unbalanced_messages).sum();
        if messages > 0 {
            let verb = if messages == 1 { "does" } else { "do" };
            write!(f, "; {} {verb} not balance", Count(messages, "bus message"))?;
        }
        for table in &self.tables {
            self.write_table(f, table)?;
        }
        for failure in &self.buses {
            for message in &failure.messages {
                self.write_message(f, &failure.bus, message)?;
            }
            let more = failure.unbalanced_messages - failure.messages.len();
            write_more(f, "\n\n", more, "message", format_args!(" on bus {}", failure.bus.name))?;
        }
        if self.unexamined_interactions > 0 {
            let count = self.unexamined_interactions;
            write!(
                f,
                "\n\n{count} further interactions, some of them with unbalanced messages, were not examined"
            )?;
        }
        Ok(())
    }
}

impl TraceReport {
    fn table_name(&self, table: usize) -> &str {
        self.table_names.get(table).map_or("?", String::as_str)
    }

    fn write_table(&self, f: &mut fmt::Formatter<'_>, failure: &TableFailure) -> fmt::Result {
        let table = self.table_name(failure.table);
        for constraint in &failure.constraints {
            write!(f, "\n\ntable {table}, {}", ConstraintTitle(constraint))?;
            write!(f, " fails on {}", Count(constraint.failing_rows, "row"))?;
            constraint.rows.iter().try_for_each(|row| write_row(f, row))?;
            let more = constraint.failing_rows - constraint.rows.len();
            write_more(f, "\n  ", more, "row", format_args!(""))?;
        }
        let more = failure.failing_constraints - failure.constraints.len();
        write_more(f, "\n\n", more, "constraint", format_args!(" of table {table}"))
    }

    fn write_message(
        &self,
        f: &mut fmt::Formatter<'_>,
        bus: &Bus,
        message: &UnbalancedMessage,
    ) -> fmt::Result {
        write!(f, "\n\nbus {}, message {} is ", bus.name, Fields(&message.fields))?;
        write!(
            f,
            "sent {} and received {}",
            Times(message.sent.multiplicity),
            Times(message.received.multiplicity)
        )?;
        self.write_side(f, "sent by", &message.sent)?;
        self.write_side(f, "received by", &message.received)?;
        if let Some(nearest) = &message.nearest {
            let (more, less, times) = match is_negative(nearest.net) {
                false => ("sent", "received", nearest.net),
                true => ("received", "sent", -nearest.net),
            };
            let (field, fields) = (nearest.field, &nearest.fields);
            write!(f, "\n  nearest: {}, {more} {} more than {less};", Fields(fields), Times(times))?;
            write!(
                f,
                " its field {field} is {}, not {}",
                Value(fields[field]),
                Value(message.fields[field])
            )?;
        }
        Ok(())
    }

    fn write_side(&self, f: &mut fmt::Formatter<'_>, title: &str, side: &Side) -> fmt::Result {
        for place in &side.places {
            match *place {
                Place::Statement(message) => write!(f, "\n  {title} the statement, message {message}")?,
                Place::Row { table, row, interaction } => {
                    let table = self.table_name(table);
                    write!(f, "\n  {title} table {table}, row {row}, interaction {interaction}")?;
                }
            }
        }
        write_more(f, "\n  ", side.total_places - side.places.len(), "place", format_args!(""))
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, failure: &RowFailure) -> fmt::Result {
    write!(f, "\n  row {}: its value is {}", failure.row, Value(failure.value))?;
    failure.readings.iter().try_for_each(|reading| write!(f, "\n    {reading}"))?;
    let more = failure.total_readings - failure.readings.len();
    write_more(f, "\n    ", more, "value", format_args!(" it reads"))
}

/// `and 17 more rows`, nothing for 0.
fn write_more(
    f: &mut fmt::Formatter<'_>,
    before: &str,
    more: usize,
    noun: &str,
    after: fmt::Arguments<'_>,
) -> fmt::Result {
    let plural = if more == 1 { "" } else { "s" };
    if more == 0 { Ok(()) } else { write!(f, "{before}and {more} more {noun}{plural}{after}") }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.leaf {
            Leaf::Constant(_) => write!(f, "constant")?,
            Leaf::Main(column, RowOffset::Current) => write!(f, "main[{column}]")?,
            Leaf::Main(column, RowOffset::Next) => write!(f, "main'[{column}] (next row)")?,
            Leaf::Preprocessed(column, RowOffset::Current) => write!(f, "preprocessed[{column}]")?,
            Leaf::Preprocessed(column, RowOffset::Next) => write!(f, "preprocessed'[{column}] (next row)")?,
            Leaf::Public(index) => write!(f, "public[{index}]")?,
            Leaf::Selector(Selector::FirstRow) => write!(f, "is_first_row")?,
            Leaf::Selector(Selector::LastRow) => write!(f, "is_last_row")?,
            Leaf::Selector(Selector::Transition) => write!(f, "is_transition")?,
        }
        write!(f, " = {}", Value(self.value))
    }
}

/// `constraint #3`, or with the name that the AIR gives it, `constraint "next pc" (#3)`.
struct ConstraintTitle<'a>(&'a ConstraintFailure);

impl fmt::Display for ConstraintTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConstraintFailure { constraint, name, .. } = self.0;
        let number = format!("#{constraint}");
        if *name == number {
            write!(f, "constraint {number}")
        } else {
            write!(f, "constraint \"{name}\" ({number})")
        }
    }
}

/// `1 row`, `18 rows`.
struct Count(usize, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.0, self.1, if self.0 == 1 { "" } else { "s" })
    }
}

/// A multiplicity: `once`, `3 times`.
struct Times(Goldilocks);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            times if times == Goldilocks::ONE => write!(f, "once"),
            times => write!(f, "{} times", Value(times)),
        }
    }
}

/// A message: `(17, -1)`.
struct Fields<'a>(&'a [Goldilocks]);

impl fmt::Display for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(")?;
        for (index, &field) in self.0.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { ", " }, Value(field))?;
        }
        write!(f, ")")
    }
}

/// A field element in decimal, `-k` for `p - k` with a small `k`.
struct Value(Goldilocks);

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0.as_canonical_u64();
        let below = ORDER - value;
        if below <= NEGATIVE_SPAN { write!(f, "-{below}") } else { write!(f, "{value}") }
    }
}
