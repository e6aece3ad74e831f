//! False executions: each test makes a mistake that machines of this kind have been built with, and demands
//! that the constraint or bus that is responsible, and nothing else, notices
//! (`docs/src/soundness.md`, "Executions").
//!
//! | module | holds |
//! |---|---|
//! | [`forge`] | honest tables of a small program, and ways to change them |
//! | [`judge`] | what changed tables break |
//! | [`oracle`] | whether what a row tells the other tables is true |
//! | [`programs`] | programs |
//! | [`instance`] | a table of one of them with a row replaced |
//! | the others | the tests, by topic |
//!
//! Tables whose entries are preprocessed are not evaluated: counts are the prover's, so a lookup is right
//! exactly if the table has the entry. `judge` has a test that compares this with the trace checker.

mod arithmetic;
mod cells;
mod claim;
mod cpu;
mod forge;
mod instance;
mod io;
mod judge;
mod jumps;
mod memory;
mod needed;
mod oracle;
mod programs;
mod shapes;
mod shifts;
