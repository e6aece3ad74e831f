//! Launching a kernel: its arguments, checked, and what they make the stream wait for.

use std::ffi::c_void;

use lambda_math::field::ext_coefficients;
use lambda_math::{Ext3, Goldilocks};
use p3_field::PrimeField64;

use crate::arena::{Access, Allocation};
use crate::buffer::{DeviceSlice, DeviceSliceMut};
use crate::device::POISON;
use crate::driver::{Code, Handle};
use crate::error::DeviceError;
use crate::kernel::Kernel;
use crate::kernels;
use crate::stream::Stream;
use crate::word::DeviceWord;

/// Shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks in x, y and z. A launch of none does nothing.
    pub blocks: [u32; 3],
    /// Threads of a block in x, y and z.
    pub threads: [u32; 3],
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
}

impl Grid {
    /// One thread for each of `items`, in blocks of `threads`.
    ///
    /// # Panics
    /// When that takes 2^31 blocks or more.
    pub fn linear(items: u64, threads: u32) -> Self {
        let blocks = u32::try_from(items.div_ceil(u64::from(threads))).expect("fewer than 2^32 blocks");
        assert!(blocks < 1 << 31, "a grid has fewer than 2^31 blocks in x");
        Self { blocks: [blocks, 1, 1], threads: [threads, 1, 1], shared_bytes: 0 }
    }

    /// The same with `y` rows of blocks.
    #[must_use]
    pub fn rows(mut self, y: u32) -> Self {
        self.blocks[1] = y;
        self
    }

    /// The same with dynamic shared memory.
    #[must_use]
    pub fn shared(mut self, bytes: u32) -> Self {
        self.shared_bytes = bytes;
        self
    }
}

#[derive(Clone, Copy, Debug)]
enum Argument {
    Buffer { allocation: Allocation, byte_offset: u64, access: Access },
    Pointer(u64),
    U32(u32),
    U64(u64),
}

/// A launch in the making. Arguments are given in the kernel's order.
#[derive(Debug)]
#[must_use = "nothing is launched before `run`"]
pub struct Launch<'s> {
    stream: &'s Stream,
    kernel: &'static Kernel,
    grid: Grid,
    arguments: Vec<Argument>,
    /// Field elements that are read, to be looked at in poison mode.
    fields: Vec<DeviceSlice<'s, Goldilocks>>,
}

impl<'s> Launch<'s> {
    pub(crate) fn new(stream: &'s Stream, kernel: &'static Kernel, grid: Grid) -> Self {
        Self { stream, kernel, grid, arguments: Vec::new(), fields: Vec::new() }
    }

    /// A pointer through which the kernel reads.
    pub fn read<'b, T: DeviceWord>(mut self, values: impl Into<DeviceSlice<'b, T>>) -> Self {
        let values = values.into();
        if T::IS_FIELD && self.stream.device().options().poison {
            self.fields.push(values.as_fields());
        }
        self.buffer(values, Access::Read)
    }

    /// The same without a look for poison: for the kernel that looks for it.
    pub(crate) fn read_unseen<T: DeviceWord>(self, values: DeviceSlice<'_, T>) -> Self {
        self.buffer(values, Access::Read)
    }

    /// A pointer through which the kernel writes, and perhaps reads.
    pub fn write<'b, T: DeviceWord>(self, values: impl Into<DeviceSliceMut<'b, T>>) -> Self {
        self.buffer(values.into().as_slice(), Access::Write)
    }

    /// A null pointer.
    pub fn null(mut self) -> Self {
        self.arguments.push(Argument::Pointer(0));
        self
    }

    /// A 32-bit number.
    pub fn u32(mut self, value: u32) -> Self {
        self.arguments.push(Argument::U32(value));
        self
    }

    /// A 64-bit number.
    pub fn u64(mut self, value: u64) -> Self {
        self.arguments.push(Argument::U64(value));
        self
    }

    /// A field element, as a canonical 64-bit number.
    pub fn field(self, value: Goldilocks) -> Self {
        self.u64(value.as_canonical_u64())
    }

    /// An element of the extension, as three numbers.
    pub fn ext(self, value: Ext3) -> Self {
        ext_coefficients(value).into_iter().fold(self, Self::field)
    }

    fn buffer<T: DeviceWord>(mut self, values: DeviceSlice<'_, T>, access: Access) -> Self {
        assert_eq!(
            values.device(),
            self.stream.device().serial(),
            "a buffer is used on the device that it is on"
        );
        self.arguments.push(Argument::Buffer {
            allocation: *values.allocation(),
            byte_offset: values.byte_offset(),
            access,
        });
        self
    }

    /// Issues it. The stream waits, on the device, for what other streams do with the buffers.
    ///
    /// # Errors
    /// [`DeviceError::Launch`] when arguments or shape do not fit the kernel, [`DeviceError::Stale`] for a
    /// buffer of an earlier epoch, [`DeviceError::Module`] when the driver refuses the kernel, and what broke
    /// the device, which may be work issued earlier.
    pub fn run(self) -> Result<(), DeviceError> {
        if self.grid.blocks.contains(&0) {
            return Ok(());
        }
        for &cells in &self.fields {
            if kernels::fill::count(self.stream, cells, POISON)? > 0 {
                return Err(DeviceError::Poisoned { label: cells.allocation().label });
            }
        }
        let device = self.stream.device();
        device.enqueue(self.stream, &self.uses(), |base, stream, functions| {
            let function = functions.get(device.context(), self.kernel, self.grid.shared_bytes)?;
            self.check_arguments(&function.arguments)?;
            self.issue(base, stream, function.handle)
        })?;
        if device.options().synchronous {
            self.stream.synchronize()?;
        }
        Ok(())
    }

    /// What is done with which buffers, reads first: a buffer that is read and written counts as written.
    fn uses(&self) -> Vec<(Allocation, Access)> {
        let of = |wanted: Access| {
            self.arguments.iter().filter_map(move |argument| match argument {
                Argument::Buffer { allocation, access, .. } if *access == wanted => {
                    Some((*allocation, wanted))
                }
                _ => None,
            })
        };
        of(Access::Read).chain(of(Access::Write)).collect()
    }

    fn check_arguments(&self, wanted: &[usize]) -> Result<(), DeviceError> {
        let refuse = |reason: String| Err(DeviceError::Launch { kernel: self.kernel.name(), reason });
        if wanted.len() != self.arguments.len() {
            return refuse(format!(
                "it takes {} arguments and is given {}",
                wanted.len(),
                self.arguments.len()
            ));
        }
        for (index, (&wanted, argument)) in wanted.iter().zip(&self.arguments).enumerate() {
            let given = match argument {
                Argument::Buffer { .. } | Argument::Pointer(_) | Argument::U64(_) => 8,
                Argument::U32(_) => 4,
            };
            if given != wanted {
                return refuse(format!("argument {index} has {wanted} bytes and is given {given}"));
            }
        }
        Ok(())
    }

    fn issue(&self, base: u64, stream: Handle, function: Handle) -> Result<(), DeviceError> {
        let context = self.stream.device().context();
        let calls = context.enter()?;
        // Little-endian: the first four bytes of a number are the 32-bit number.
        let mut values: Vec<u64> = self
            .arguments
            .iter()
            .map(|argument| match *argument {
                Argument::Buffer { allocation, byte_offset, .. } => base + allocation.offset + byte_offset,
                Argument::Pointer(value) | Argument::U64(value) => value,
                Argument::U32(value) => value.into(),
            })
            .collect();
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|value| (&raw mut *value).cast()).collect();
        let ([x, y, z], [threads_x, threads_y, threads_z]) = (self.grid.blocks, self.grid.threads);
        // SAFETY: count and sizes of the arguments are those that the driver named for the function, and
        // every pointer among them is to a live block, which the stream waits for.
        let code = unsafe {
            (calls.launch)(
                function,
                x,
                y,
                z,
                threads_x,
                threads_y,
                threads_z,
                self.grid.shared_bytes,
                stream,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        match Code(code) {
            Code::INVALID_VALUE | Code::LAUNCH_OUT_OF_RESOURCES => Err(DeviceError::Launch {
                kernel: self.kernel.name(),
                reason: format!(
                    "the driver refuses {:?} blocks of {:?} threads with {} bytes of shared memory ({})",
                    self.grid.blocks,
                    self.grid.threads,
                    self.grid.shared_bytes,
                    context.driver.name_of(Code(code))
                ),
            }),
            Code(code) => context.check("cuLaunchKernel", code),
        }
    }
}
