//! The constraint language.
//!
//! An AIR is a `p3_air::Air`: one `eval` body over an `AirBuilder`. This crate adds typed buses
//! ([`Bus`], [`BusBuilder`]) and runs the same body three ways:
//!
//! - [`RowBuilder`] evaluates it on one pair of rows: over [`Ext3`](lambda_math::Ext3) for the verifier at
//!   the out-of-domain point, over the base field for the trace checker;
//! - [`capture`](capture::capture) records it as a [`ConstraintDag`] with constants folded and common
//!   subexpressions shared;
//! - the DAG is lowered to a [`ConstraintProgram`], a flat register program that the host interprets on
//!   vectors of rows and that a device backend compiles or interprets.
//!
//! Everything a prover or verifier needs to know of a table (degrees, next-row columns, lookup columns) is
//! derived from the body as a [`TableShape`]; nothing is declared twice.
#![forbid(unsafe_code)]
#![no_std]

extern crate alloc;

pub mod bus;
pub mod capture;
pub mod dag;
pub mod interpreter;
pub mod lookup;
pub mod program;
pub mod rows;
pub mod shape;
pub mod table;

pub use bus::{Bus, BusBuilder, Direction, TableBuilder};
pub use dag::{ConstraintDag, NodeId};
pub use program::ConstraintProgram;
pub use rows::RowBuilder;
pub use shape::{ShapeError, TableShape};
pub use table::{AnyAir, Table};
