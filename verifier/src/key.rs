//! The verifying key: a system of tables as the verifier knows it.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use lambda_air::table::Preprocessed;
use lambda_air::{AnyAir, Bus, ConstraintDag, ShapeError, Table, TableShape};
use lambda_math::Digest;

use crate::error::KeyError;
use crate::profile::{CAP_LOG2, MAX_HEIGHT_LOG2, MAX_TABLES, MIN_HEIGHT_LOG2, PROTOCOL_VERSION, Profile};
use crate::transcript::Frames;
use crate::wire::Wire;

/// A table as the verifier knows it; everything but name and AIR is derived from the AIR.
#[derive(Clone)]
pub struct TableKey {
    /// Name for reports.
    pub name: String,
    /// The AIR, whose body the verifier evaluates.
    pub air: Arc<dyn AnyAir>,
    /// The body as a graph, for provers and for the key's digest.
    pub dag: Arc<ConstraintDag>,
    /// Counts, degrees, layouts.
    pub shape: TableShape,
    /// Height of the preprocessed columns, `log2`; `None` where there are none.
    pub preprocessed_log2: Option<u32>,
}

impl fmt::Debug for TableKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableKey")
            .field("name", &self.name)
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

/// A system of tables with its parameters.
#[derive(Debug)]
pub struct VerifyingKey {
    /// Parameters.
    pub profile: Profile,
    /// The tables in registry order.
    pub tables: Vec<TableKey>,
    /// Buses by id.
    pub buses: BTreeMap<u32, Bus>,
    /// Commitment to all preprocessed columns; empty where there are none.
    pub preprocessed_cap: Vec<Digest>,
    digest: [u8; 32],
}

/// A system whose preprocessed columns are not committed yet.
#[derive(Debug)]
pub struct Draft {
    profile: Profile,
    tables: Vec<TableKey>,
    buses: BTreeMap<u32, Bus>,
    /// Preprocessed columns of each table.
    pub preprocessed: Vec<Option<Preprocessed>>,
}

impl Draft {
    /// Derives the shapes of `tables` and checks them against the protocol's rules.
    pub fn new(profile: Profile, tables: Vec<Table>) -> Result<Self, KeyError> {
        if tables.is_empty() || tables.len() > MAX_TABLES {
            return Err(KeyError::Tables { tables: tables.len(), limit: MAX_TABLES });
        }
        let mut draft =
            Self { profile, tables: Vec::new(), buses: BTreeMap::new(), preprocessed: Vec::new() };
        for table in tables {
            draft.push(table)?;
        }
        Ok(draft)
    }

    fn push(&mut self, table: Table) -> Result<(), KeyError> {
        let Table { name, air, committed_height } = table;
        if self.tables.iter().any(|other| other.name == name) {
            return Err(KeyError::DuplicateName { name });
        }
        if let Some(feature) = air.unsupported() {
            return Err(KeyError::Shape { table: name, error: ShapeError::Unsupported { feature } });
        }
        let dag = ConstraintDag::new(&air.capture());
        for interaction in &dag.interactions {
            self.register(interaction.bus)?;
        }
        let preprocessed = if committed_height.is_some() { None } else { air.preprocessed() };
        let preprocessed_log2 = match committed_height.or(preprocessed.as_ref().map(|p| p.height)) {
            None => None,
            Some(height) => Some(
                height_log2(height)
                    .ok_or_else(|| KeyError::PreprocessedHeight { table: name.clone(), height })?,
            ),
        };
        let width = match &preprocessed {
            Some(columns) => columns.values.len().checked_div(columns.height).unwrap_or(0),
            None => committed_height.map_or(0, |_| air.preprocessed_width()),
        };
        let shape = TableShape::new(air.as_ref(), &dag, width)
            .map_err(|error| KeyError::Shape { table: name.clone(), error })?;
        let (air, dag) = (Arc::from(air), Arc::new(dag));
        self.tables.push(TableKey { name, air, dag, shape, preprocessed_log2 });
        self.preprocessed.push(preprocessed);
        Ok(())
    }

    fn register(&mut self, bus: Bus) -> Result<(), KeyError> {
        if bus.id == 0 {
            return Err(KeyError::BusZero { name: bus.name });
        }
        let first = *self.buses.entry(bus.id).or_insert(bus);
        if first == bus {
            Ok(())
        } else {
            Err(KeyError::BusClash { id: bus.id, first: first.name, second: bus.name })
        }
    }

    /// Errs unless the preprocessed columns of every table that has some are at hand.
    pub fn check_contents(&self) -> Result<(), KeyError> {
        let missing = |(table, columns): &(&TableKey, &Option<Preprocessed>)| {
            table.preprocessed_log2.is_some() && columns.is_none()
        };
        match self.tables.iter().zip(&self.preprocessed).find(missing) {
            Some((table, _)) => Err(KeyError::PreprocessedUnknown { table: table.name.clone() }),
            None => Ok(()),
        }
    }

    /// The key, given the commitment to the preprocessed columns.
    pub fn finish(self, preprocessed_cap: Vec<Digest>) -> Result<VerifyingKey, KeyError> {
        let tallest = self.tables.iter().filter_map(|table| table.preprocessed_log2).max();
        let expected = tallest.map_or(0, |log2| {
            let leaves_log2 = log2.saturating_add(self.profile.blowup_log2());
            1usize.checked_shl(leaves_log2.min(CAP_LOG2)).unwrap_or(0)
        });
        if expected != preprocessed_cap.len() {
            return Err(KeyError::PreprocessedCap { expected, got: preprocessed_cap.len() });
        }
        let digest = digest(self.profile, &self.tables, &preprocessed_cap);
        let Self { profile, tables, buses, .. } = self;
        Ok(VerifyingKey { profile, tables, buses, preprocessed_cap, digest })
    }
}

impl VerifyingKey {
    /// Identity of the system and its parameters: the program id of a proof file.
    pub const fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The system in which table `i` occurs `instances[i]` times, in registry order, as `name.0`, `name.1`, …
    /// where that is not once.
    ///
    /// # Errors
    /// When a table with preprocessed columns does not occur once, or there are too many tables or none.
    pub fn with_instances(&self, instances: &[usize]) -> Result<Self, KeyError> {
        let total = instances.iter().fold(0, |sum: usize, &count| sum.saturating_add(count));
        if instances.len() != self.tables.len() || total == 0 || total > MAX_TABLES {
            return Err(KeyError::Tables { tables: total, limit: MAX_TABLES });
        }
        let mut tables = Vec::new();
        let mut frames = Frames::new("lambda-prove instances v1").absorb("system", &self.digest);
        for (table, &count) in self.tables.iter().zip(instances) {
            if table.preprocessed_log2.is_some() && count != 1 {
                return Err(KeyError::PreprocessedInstances { table: table.name.clone(), count });
            }
            frames = frames.absorb("instances", &u64::try_from(count).unwrap_or(u64::MAX).to_le_bytes());
            for index in 0..count {
                let name = if count == 1 { table.name.clone() } else { format!("{}.{index}", table.name) };
                tables.push(TableKey { name, ..table.clone() });
            }
        }
        Ok(Self {
            profile: self.profile,
            tables,
            buses: self.buses.clone(),
            preprocessed_cap: self.preprocessed_cap.clone(),
            digest: frames.digest("digest"),
        })
    }
}

fn height_log2(height: usize) -> Option<u32> {
    let log2 = height.checked_ilog2()?;
    (height.is_power_of_two() && (MIN_HEIGHT_LOG2..=MAX_HEIGHT_LOG2).contains(&log2)).then_some(log2)
}

/// Binds everything that verification depends on: the protocol, the profile, each table's body, its shape and
/// the preprocessed columns.
fn digest(profile: Profile, tables: &[TableKey], preprocessed_cap: &[Digest]) -> [u8; 32] {
    let mut frames = Frames::new("lambda-prove verifying key v1")
        .absorb("protocol version", &PROTOCOL_VERSION.to_le_bytes())
        .absorb("profile", &profile.id().to_le_bytes());
    for table in tables {
        let shape = &table.shape;
        let words = [shape.main_width, shape.preprocessed_width, shape.public_values];
        let mut bytes = Vec::new();
        for word in words {
            u64::try_from(word).unwrap_or(u64::MAX).encode(&mut bytes);
        }
        bytes.extend(table.preprocessed_log2.unwrap_or(u32::MAX).to_le_bytes());
        for word in table.dag.encode() {
            word.encode(&mut bytes);
        }
        frames = frames.absorb("table", table.name.as_bytes()).absorb("body", &bytes);
    }
    let mut cap = Vec::new();
    for node in preprocessed_cap {
        node.encode(&mut cap);
    }
    frames.absorb("preprocessed", &cap).digest("digest")
}
