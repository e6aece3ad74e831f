//! A launch that went wrong.

use std::fmt;

use crate::memory::AccessFault;

/// What a thread of a kernel did that it must not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFault {
    /// The kernel's name.
    pub kernel: String,
    /// Index of the block in the grid.
    pub block: [u32; 3],
    /// Index of the thread in its block.
    pub thread: [u32; 3],
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// What happened, in words.
    pub what: String,
    /// The access to device memory that it was, if it was one.
    pub access: Option<Box<AccessFault>>,
}

impl fmt::Display for KernelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, block: [bx, by, bz], thread: [tx, ty, tz], ptx_line, what, .. } = self;
        write!(
            f,
            "kernel `{kernel}`, block ({bx}, {by}, {bz}), \
             thread ({tx}, {ty}, {tz}), PTX line {ptx_line}: {what}"
        )
    }
}

impl std::error::Error for KernelFault {}

/// A fault of one lane, before it is known which thread that is.
#[derive(Debug)]
pub(super) struct LaneFault {
    pub(super) lane: u32,
    /// Program counter, where it is not the instruction at hand.
    pub(super) pc: Option<u32>,
    pub(super) what: String,
    /// Program counter of the other access that `what` ends with.
    pub(super) other: Option<u32>,
    /// The access to device memory that it was, if it was one.
    pub(super) access: Option<Box<AccessFault>>,
}

impl LaneFault {
    pub(super) fn new(lane: u32, what: String) -> Self {
        Self { lane, pc: None, what, other: None, access: None }
    }

    pub(super) fn of_access(lane: u32, fault: AccessFault) -> Self {
        Self { access: Some(Box::new(fault.clone())), ..Self::new(lane, format!("global memory: {fault}")) }
    }
}
