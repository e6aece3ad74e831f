//! Kernels as they are named in source, and as the driver knows them.

use std::collections::HashMap;
use std::ffi::{CString, c_void};

use crate::context::Context;
use crate::driver::{
    Code, FUNCTION_MAX_DYNAMIC_SHARED_BYTES, Handle, JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_BYTES,
};
use crate::error::DeviceError;

/// Dynamic shared memory that needs no permission, bytes.
const FREE_SHARED_BYTES: u32 = 48 << 10;

/// PTX of a family of kernels.
#[derive(Debug)]
pub struct PtxModule {
    name: &'static str,
    ptx: &'static str,
}

impl PtxModule {
    /// A module: its name, and the PTX that is committed for it.
    pub const fn new(name: &'static str, ptx: &'static str) -> Self {
        Self { name, ptx }
    }
}

/// A kernel: an entry point of a module. Entry points have different names in all modules.
#[derive(Debug)]
pub struct Kernel {
    module: &'static PtxModule,
    entry: &'static str,
}

impl Kernel {
    /// The entry point `entry` of `module`.
    pub const fn new(module: &'static PtxModule, entry: &'static str) -> Self {
        Self { module, entry }
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.entry
    }
}

/// A kernel that the driver has compiled.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) handle: Handle,
    /// Bytes of each argument.
    pub(crate) arguments: Vec<usize>,
    shared_bytes: u32,
}

/// Modules and kernels that a device has loaded, each when it is first used.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    modules: HashMap<&'static str, Handle>,
    functions: HashMap<&'static str, Function>,
}

impl Functions {
    /// The kernel, ready for `shared_bytes` of dynamic shared memory.
    pub(crate) fn get(
        &mut self,
        context: &Context,
        kernel: &Kernel,
        shared_bytes: u32,
    ) -> Result<&Function, DeviceError> {
        if !self.functions.contains_key(kernel.entry) {
            let module = self.module(context, kernel.module)?;
            let function = load(context, module, kernel)?;
            self.functions.insert(kernel.entry, function);
        }
        let function = self.functions.get_mut(kernel.entry).expect("it was inserted if it was missing");
        if shared_bytes > function.shared_bytes.max(FREE_SHARED_BYTES) {
            let calls = context.enter()?;
            let attribute = FUNCTION_MAX_DYNAMIC_SHARED_BYTES;
            // SAFETY: the function is loaded.
            let code = unsafe { (calls.function_set)(function.handle, attribute, shared_bytes as i32) };
            context.check("cuFuncSetAttribute", code)?;
            function.shared_bytes = shared_bytes;
        }
        Ok(function)
    }

    fn module(&mut self, context: &Context, module: &'static PtxModule) -> Result<Handle, DeviceError> {
        if let Some(&handle) = self.modules.get(module.name) {
            return Ok(handle);
        }
        let handle = compile(context, module)?;
        self.modules.insert(module.name, handle);
        Ok(handle)
    }

    /// Unloads all modules.
    pub(crate) fn destroy(&mut self, context: &Context) {
        self.functions.clear();
        for (_, module) in self.modules.drain() {
            // SAFETY: no work is pending.
            unsafe { (context.driver.entry_points().module_unload)(module) };
        }
    }
}

fn compile(context: &Context, module: &PtxModule) -> Result<Handle, DeviceError> {
    let calls = context.enter()?;
    let image = CString::new(module.ptx).expect("PTX is text");
    let mut log = vec![0u8; 1 << 13];
    let mut names = [JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_BYTES];
    // Numbers are passed in place of pointers.
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len())];
    let mut handle = Handle::NULL;
    // SAFETY: the image ends with a zero, and the options name a buffer with its length.
    let code = unsafe {
        (calls.module_load)(
            &raw mut handle,
            image.as_ptr().cast(),
            names.len() as u32,
            names.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    match Code(code) {
        Code::SUCCESS => Ok(handle),
        code if code.is_sticky() => context.check("cuModuleLoadDataEx", code.0).map(|()| handle),
        code => {
            let length = log.iter().position(|&byte| byte == 0).unwrap_or(0);
            let text = String::from_utf8_lossy(&log[..length]).trim().to_owned();
            let log = if text.is_empty() { "it gave no reason".to_owned() } else { text };
            Err(DeviceError::Module { module: module.name, code, name: context.driver.name_of(code), log })
        }
    }
}

fn load(context: &Context, module: Handle, kernel: &Kernel) -> Result<Function, DeviceError> {
    let calls = context.enter()?;
    let name = CString::new(kernel.entry).expect("a kernel's name has no zero");
    let mut handle = Handle::NULL;
    // SAFETY: the module is loaded, and the name ends with a zero.
    let code = unsafe { (calls.module_function)(&raw mut handle, module, name.as_ptr()) };
    context.check("cuModuleGetFunction", code).map_err(|error| match error {
        DeviceError::Driver { name, .. } => DeviceError::Launch {
            kernel: kernel.entry,
            reason: format!("its module has none of that name ({name})"),
        },
        error => error,
    })?;
    let mut arguments = Vec::new();
    loop {
        let (mut offset, mut bytes) = (0, 0);
        // SAFETY: the numbers are ours to write.
        let code =
            unsafe { (calls.function_argument)(handle, arguments.len(), &raw mut offset, &raw mut bytes) };
        match Code(code) {
            Code::SUCCESS => arguments.push(bytes),
            // Past the last one.
            Code::INVALID_VALUE => return Ok(Function { handle, arguments, shared_bytes: 0 }),
            code => context.check("cuFuncGetParamInfo", code.0)?,
        }
    }
}
