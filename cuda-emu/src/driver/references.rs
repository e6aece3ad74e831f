//! Host functions that stand in for kernels.

use std::collections::HashMap;

use super::Failure;
use super::work::Launch;
use crate::memory::{Access, AccessFault, Footprint, OperationMemory};

/// A host function in place of a kernel: arguments as 64-bit words, how many there are, grid and block (six
/// numbers), dynamic shared bytes. Device addresses are host addresses, so pointer arguments are used as they
/// are. Zero is success; the function calls no driver function.
pub type Reference = unsafe extern "C" fn(*const u64, usize, *const u32, u32) -> i32;

/// References by entry name.
#[derive(Default)]
pub(super) struct References(HashMap<String, Reference>);

impl References {
    /// Sets or, with none, removes the reference of an entry.
    pub(super) fn bind(&mut self, entry: &str, reference: Option<Reference>) {
        match reference {
            Some(reference) => self.0.insert(entry.to_owned(), reference),
            None => self.0.remove(entry),
        };
    }

    pub(super) fn get(&self, entry: &str) -> Option<Reference> {
        self.0.get(entry).copied()
    }
}

/// Runs a reference. For the order between operations it has read its buffers whole and written the words
/// that it changed; accesses are not checked one by one.
///
/// # Errors
/// The reference's own failure, an unordered access, or an argument that points into freed memory.
pub(super) fn run_reference(
    reference: Reference,
    launch: &Launch,
    footprint: &Footprint,
    memory: &OperationMemory<'_>,
) -> Result<(), Failure> {
    let fault = |fault: AccessFault| Failure::of_access(&format!("reference of `{}`", launch.entry), &fault);
    if let Some(freed) = footprint.freed.first() {
        return Err(fault(memory.access_range(freed.base(), 1, Access::Read).expect_err("freed")));
    }
    let regions = &footprint.regions;
    let before: Vec<Vec<u8>> =
        regions.iter().map(|region| region.block.contents(region.base, region.bytes)).collect();
    regions.iter().try_for_each(|region| memory.read_whole(region)).map_err(fault)?;

    let arguments: Vec<u64> = launch.arguments.iter().map(|&(_, value)| value).collect();
    let shape: Vec<u32> = launch.shape.grid.into_iter().chain(launch.shape.block).collect();
    // SAFETY: the host bound a function of this type; its buffers are materialised and live until it returns.
    let result = unsafe {
        reference(arguments.as_ptr(), arguments.len(), shape.as_ptr(), launch.shape.dynamic_shared_bytes)
    };
    if result != 0 {
        let text = format!("the reference of kernel `{}` returned {result}", launch.entry);
        return Err(Failure::launch_failed(text));
    }

    for (region, before) in regions.iter().zip(&before) {
        let after = region.block.contents(region.base, region.bytes);
        let words = after.chunks(8).zip(before.chunks(8)).enumerate();
        for (word, (after, _)) in words.filter(|(_, (after, before))| after != before) {
            let address = region.base + 8 * word as u64;
            memory.access_range(address, after.len() as u64, Access::Write).map_err(fault)?;
        }
    }
    Ok(())
}
