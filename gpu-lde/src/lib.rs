//! The device as a backend of the prover, and the constraint kernels that only it can know.
//!
//! [`DeviceBackend`] has a device arm and a host arm for each stage of a proof; [`Resident`] columns are on
//! the host, on the device, or on both; [`DevicePlan`] gives each table a [`Place`] beforehand, and says how
//! many bytes that takes. What happens after a fault is decided in the prover, not here.
//!
//! Constraints are evaluated by kernels generated from the tables' graphs: [`codegen`] makes the sources
//! in `kernels/`, `cargo xtask gen-ptx` their PTX. A table finds its kernels by the digest of its graph
//! ([`kernels`]); one that has none is interpreted ([`encode`]).
#![forbid(unsafe_code)]

pub mod backend;
pub mod codegen;
pub mod encode;
pub mod evaluate;
mod failure;
mod generated;
pub mod kernels;
mod options;
mod pieces;
mod placement;
mod plan;
mod resident;
mod resident_tree;
mod upload;
pub mod weights;
pub mod window;

pub use backend::DeviceBackend;
pub use evaluate::ConstraintEvaluator;
pub use options::BackendOptions;
pub use placement::{Counters, Place};
pub use plan::{DevicePlan, PlannedTable};
pub use resident::{Residency, Resident};
