//! Launches: what a driver refuses at the call.

use super::work::{Launch, Task};
use super::{Code, Engine};
use crate::exec::LaunchShape;
use crate::faults::At;

impl Engine {
    /// Enqueues a launch. `argument(index)` is the address of an argument's bytes.
    ///
    /// # Safety
    /// For each parameter `argument` returns readable memory of the parameter's length, or zero.
    pub unsafe fn launch(
        &mut self,
        function: u32,
        shape: LaunchShape,
        argument: impl Fn(usize) -> usize,
        stream: usize,
    ) -> Result<(), Code> {
        let function = self.loaded(function)?;
        let kernel = function.module.kernel(&function.entry).ok_or(Code::INVALID_HANDLE)?;
        if shape.problem(kernel).is_some() || shape.dynamic_shared_bytes > function.max_dynamic_bytes {
            return Err(Code::INVALID_VALUE);
        }

        let mut params = vec![0; kernel.parameter_bytes() as usize];
        let mut arguments = vec![];
        for (index, parameter) in kernel.parameters().iter().enumerate() {
            let (offset, bytes) = (parameter.offset as usize, parameter.bytes as usize);
            let from = argument(index);
            if from == 0 {
                return Err(Code::INVALID_VALUE);
            }
            let to = &mut params[offset..offset + bytes];
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to.as_mut_ptr(), bytes) };
            let mut value = [0; 8];
            value[..bytes.min(8)].copy_from_slice(&to[..bytes.min(8)]);
            arguments.push((parameter.bytes, u64::from_le_bytes(value)));
        }

        let (module, entry) = (function.module.clone(), function.entry.clone());
        let injected = self.planned(At::Launch, &entry)?;
        let pointers = arguments.iter().filter(|(bytes, _)| *bytes == 8).map(|&(_, value)| value);
        let footprint = self.context.memory.footprint(pointers);
        let task = Task::Launch(Launch { module, entry, shape, params, arguments });
        self.enqueue(stream, task, footprint, injected, None);
        self.advance();
        Ok(())
    }
}
