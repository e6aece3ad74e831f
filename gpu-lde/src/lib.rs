//! The gpu-lde crate.
