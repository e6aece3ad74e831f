//! A decoded module.

use std::sync::atomic::AtomicU64;

use super::PtxError;
use super::decode::decode;
use super::kernel::Kernel;
use super::layout::ModuleLayout;
use super::parser::parse;

/// A module: its kernels, constants and variables.
#[derive(Debug)]
pub struct Module {
    kernels: Vec<Kernel>,
    pub(crate) constants: Vec<u8>,
    /// The module's own variables in global memory, which launches may change.
    pub(crate) globals: Vec<AtomicU64>,
    pub(crate) global_bytes: u64,
}

impl Module {
    /// Parses and decodes PTX text.
    ///
    /// # Errors
    /// Text that is no PTX, and PTX outside the part understood here; see the module's documentation.
    pub fn parse(text: &str) -> Result<Self, PtxError> {
        let source = parse(text)?;
        let layout = ModuleLayout::new(&source.variables);
        let kernels = source.entries.iter().map(|entry| decode(entry, &layout)).collect::<Result<_, _>>()?;
        let words = layout.globals.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            AtomicU64::new(u64::from_le_bytes(word))
        });
        let globals = words.collect();
        Ok(Self { kernels, constants: layout.constants, globals, global_bytes: layout.globals.len() as u64 })
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name() == name)
    }

    /// All kernels, in the order of the text.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }
}
