//! Modules, their kernels, and the attributes of those.

use std::sync::Arc;

use super::{Code, Engine};
use crate::exec::LaunchShape;
use crate::faults::At;
use crate::ptx::Module;

/// Shared memory of a block unless a kernel asks for more, in bytes.
pub const DEFAULT_SHARED_BYTES: u32 = 48 << 10;

/// A kernel of a loaded module.
pub(super) struct Function {
    module_id: u32,
    pub(super) module: Arc<Module>,
    pub(super) entry: Arc<str>,
    /// Most dynamic shared memory that a launch may ask for, in bytes.
    pub(super) max_dynamic_bytes: u32,
}

/// What can be asked about a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionAttribute {
    /// Threads of a block at most.
    MaxThreads,
    /// Static shared memory in bytes.
    StaticSharedBytes,
    /// Local memory of a thread in bytes.
    LocalBytes,
    /// PTX version, ten times major plus minor.
    PtxVersion,
    /// Capability, ten times major plus minor.
    BinaryVersion,
    /// Most dynamic shared memory in bytes.
    MaxDynamicBytes,
}

impl Engine {
    /// Loads PTX text; the module's number.
    ///
    /// # Errors
    /// The code, and what the compiler's log says.
    pub fn module_load(&mut self, image: &[u8]) -> Result<u32, (Code, String)> {
        let planned = self.planned_at_once(At::Module);
        planned.map_err(|code| (code, "planned fault at Module".into()))?;
        let text = std::str::from_utf8(image)
            .map_err(|_| (Code::INVALID_IMAGE, "the image is no PTX text".into()))?;
        self.check_version(text)?;
        let module = Module::parse(text).map_err(|error| (Code::INVALID_PTX, error.to_string()))?;
        self.context.modules_made += 1;
        self.context.modules.insert(self.context.modules_made, Arc::new(module));
        Ok(self.context.modules_made)
    }

    /// Unloads a module. Launches under way keep it.
    pub fn module_unload(&mut self, module: u32) -> Result<(), Code> {
        self.context.modules.remove(&module).map(|_| ()).ok_or(Code::INVALID_HANDLE)
    }

    /// The number of a module's kernel.
    pub fn function(&mut self, module_id: u32, entry: &str) -> Result<u32, Code> {
        let module = self.context.modules.get(&module_id).ok_or(Code::INVALID_HANDLE)?.clone();
        let kernel = module.kernel(entry).ok_or(Code::NOT_FOUND)?;
        let functions = &mut self.context.functions;
        let known = functions.iter().position(|known| known.module_id == module_id && &*known.entry == entry);
        if let Some(known) = known {
            return Ok(known as u32);
        }
        let max_dynamic_bytes = DEFAULT_SHARED_BYTES.saturating_sub(kernel.static_shared_bytes());
        functions.push(Function {
            module_id,
            module: module.clone(),
            entry: entry.into(),
            max_dynamic_bytes,
        });
        Ok(functions.len() as u32 - 1)
    }

    /// Offset and length in bytes of a parameter.
    pub fn function_parameter(&self, function: u32, index: usize) -> Result<(usize, usize), Code> {
        let function = self.loaded(function)?;
        let kernel = function.module.kernel(&function.entry).ok_or(Code::INVALID_HANDLE)?;
        let parameter = kernel.parameters().get(index).ok_or(Code::INVALID_VALUE)?;
        Ok((parameter.offset as usize, parameter.bytes as usize))
    }

    /// A kernel's attribute.
    pub fn function_attribute(&self, function: u32, attribute: FunctionAttribute) -> Result<u32, Code> {
        let function = self.loaded(function)?;
        let kernel = function.module.kernel(&function.entry).ok_or(Code::INVALID_HANDLE)?;
        let [major, minor] = self.config.compute_capability;
        Ok(match attribute {
            FunctionAttribute::MaxThreads => kernel.max_threads().unwrap_or(LaunchShape::MAX_THREADS),
            FunctionAttribute::StaticSharedBytes => kernel.static_shared_bytes(),
            FunctionAttribute::LocalBytes => kernel.local_bytes(),
            FunctionAttribute::PtxVersion | FunctionAttribute::BinaryVersion => 10 * major + minor,
            FunctionAttribute::MaxDynamicBytes => function.max_dynamic_bytes,
        })
    }

    /// Allows a kernel more dynamic shared memory.
    pub fn set_max_dynamic_bytes(&mut self, function: u32, bytes: u32) -> Result<(), Code> {
        let loaded = self.loaded(function)?;
        let kernel = loaded.module.kernel(&loaded.entry).ok_or(Code::INVALID_HANDLE)?;
        if bytes > LaunchShape::MAX_SHARED_BYTES.saturating_sub(kernel.static_shared_bytes()) {
            return Err(Code::INVALID_VALUE);
        }
        self.context.functions[function as usize].max_dynamic_bytes = bytes;
        Ok(())
    }

    /// A kernel whose module is still loaded.
    pub(super) fn loaded(&self, function: u32) -> Result<&Function, Code> {
        let function = self.context.functions.get(function as usize).ok_or(Code::INVALID_HANDLE)?;
        let loaded = self.context.modules.contains_key(&function.module_id);
        if loaded { Ok(function) } else { Err(Code::INVALID_HANDLE) }
    }

    /// Whether driver and device take PTX of the version and target that the text names.
    fn check_version(&self, text: &str) -> Result<(), (Code, String)> {
        let directive = |name: &str| text.lines().find_map(|line| line.trim().strip_prefix(name));
        let missing = |name: &str| (Code::INVALID_PTX, format!("the PTX names no {name}"));

        let version = directive(".version").and_then(|version| {
            let (major, minor) = version.trim().split_once('.')?;
            Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
        });
        let (major, minor) = version.ok_or_else(|| missing(".version"))?;
        let newest = self.config.newest_ptx();
        if (major, minor) > newest {
            let text = format!("PTX {major}.{minor} is newer than the driver's {}.{}", newest.0, newest.1);
            return Err((Code::UNSUPPORTED_PTX_VERSION, text));
        }

        let target = directive(".target").and_then(|target| target.trim().strip_prefix("sm_"));
        let digits = target.map(|target| target.trim_end_matches(|c: char| !c.is_ascii_digit()));
        let digits = digits.and_then(|digits| digits.split(|c: char| !c.is_ascii_digit()).next());
        let target: u32 =
            digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| missing(".target sm_…"))?;
        let [major, minor] = self.config.compute_capability;
        if target > 10 * major + minor {
            let text = format!("the PTX is for sm_{target}, the device is sm_{major}{minor}");
            return Err((Code::NO_BINARY_FOR_GPU, text));
        }
        Ok(())
    }
}
