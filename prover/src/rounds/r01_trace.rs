//! Round 01, trace: the traces are checked against the system and handed to the backend.

use std::sync::Arc;

use lambda_math::Columns;
use lambda_verifier::Statement;
use lambda_verifier::layout::Layout;

use crate::backend::{Backend, Preprocessed, TableContext};
use crate::error::ProveError;
use crate::fault::{Fault, Scope, Stage};
use crate::recorder::Recorder;
use crate::recovery::Recovery;
use crate::system::System;

/// Everything that later rounds read and none changes.
pub struct Job<'a, B: Backend> {
    /// Who computes.
    pub backend: &'a B,
    /// Who sees to it that stages end.
    pub recovery: &'a Recovery<'a, B>,
    /// The system.
    pub system: &'a System,
    /// What is proven.
    pub statement: &'a Statement,
    /// The proof's shape.
    pub layout: Layout,
    /// Preprocessed columns per table.
    pub preprocessed: Vec<Option<Preprocessed<B>>>,
    /// Their tree.
    pub preprocessed_tree: Option<B::Tree>,
}

impl<B: Backend> Job<'_, B> {
    /// Runs a stage of a table.
    pub fn table_stage<T>(
        &self,
        stage: Stage,
        table: usize,
        run: impl FnMut() -> Result<T, Fault>,
    ) -> Result<T, ProveError> {
        self.recovery.attempt(stage, Scope::Table(table), run)
    }

    /// Table `index` as backends see it.
    pub fn table(&self, index: usize) -> TableContext<'_> {
        TableContext {
            index,
            key: &self.system.verifying_key().tables[index],
            height_log2: self.layout.heights_log2[index],
            public_values: &self.statement.public_values[index],
        }
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = TableContext<'_>> {
        (0..self.layout.heights_log2.len()).map(|index| self.table(index))
    }

    /// `log2` of the blowup.
    pub fn blowup_log2(&self) -> u32 {
        self.layout.profile.blowup_log2()
    }
}

/// The heights of `traces`, `log2`, if they fit the system.
pub fn heights_log2(system: &System, traces: &[Arc<Columns>]) -> Result<Vec<u8>, ProveError> {
    let tables = &system.verifying_key().tables;
    if tables.len() != traces.len() {
        return Err(ProveError::Traces { expected: tables.len(), got: traces.len() });
    }
    tables
        .iter()
        .zip(traces)
        .map(|(table, trace)| {
            let expected_width = table.shape.main_width;
            if trace.width() == expected_width && trace.height().is_power_of_two() {
                Ok(trace.height().trailing_zeros() as u8)
            } else {
                Err(ProveError::TraceShape {
                    table: table.name.clone(),
                    height: trace.height(),
                    width: trace.width(),
                    expected_width,
                })
            }
        })
        .collect()
}

/// Hands traces and preprocessed columns to the backend.
pub fn load<'a, B: Backend>(
    recorder: &Recorder<'_>,
    recovery: &'a Recovery<'a, B>,
    system: &'a System,
    statement: &'a Statement,
    layout: Layout,
    traces: Vec<Arc<Columns>>,
) -> Result<(Job<'a, B>, Vec<B::Trace>), ProveError> {
    let backend = recovery.backend();
    let tables = &system.verifying_key().tables;
    let mut loaded = Vec::with_capacity(traces.len());
    let mut preprocessed = Vec::with_capacity(traces.len());
    for (index, trace) in traces.into_iter().enumerate() {
        let rows = trace.height() as u64;
        recorder.step(&tables[index].name, rows, || -> Result<(), ProveError> {
            let scope = Scope::Table(index);
            loaded.push(recovery.attempt(Stage::Load, scope, || backend.load(index, &trace))?);
            preprocessed.push(
                recovery.attempt(Stage::LoadPreprocessed, scope, || {
                    backend.load_preprocessed(&system.key, index)
                })?,
            );
            Ok(())
        })?;
    }
    let preprocessed_tree = recovery
        .attempt(Stage::LoadPreprocessed, Scope::Proof, || backend.load_preprocessed_tree(&system.key))?;
    Ok((Job { backend, recovery, system, statement, layout, preprocessed, preprocessed_tree }, loaded))
}
