//! A device of its own for each test, through the exported functions.

use std::ffi::{CStr, CString, c_void};

use lambda_cuda_emu::driver::*;
use serde_json::Value;

/// `CUresult` other than zero.
pub type Error = i32;

pub const OUT_OF_MEMORY: Error = 2;
pub const INVALID_VALUE: Error = 1;
pub const INVALID_CONTEXT: Error = 201;
pub const INVALID_HANDLE: Error = 400;
pub const NOT_READY: Error = 600;
pub const ILLEGAL_ADDRESS: Error = 700;
pub const MISALIGNED: Error = 716;
pub const LAUNCH_FAILED: Error = 719;

/// Kernels over 64-bit words: `n` words each, one thread a word.
pub const KERNELS: &str = include_str!("kernels.ptx");

/// A device with its context current on this thread.
pub struct Gpu {
    pub ordinal: i32,
    pub context: CUhandle,
    module: CUhandle,
}

pub struct Stream(pub CUhandle);
pub struct Event(pub CUhandle);

/// An argument of a launch.
#[derive(Clone, Copy)]
pub enum Arg {
    U64(u64),
    U32(u32),
}

pub fn check(code: Error) -> Result<(), Error> {
    if code == 0 { Ok(()) } else { Err(code) }
}

impl Gpu {
    /// A device of this configuration.
    pub fn new(json: &str) -> Self {
        let json = CString::new(json).unwrap();
        // SAFETY: strings end in a zero byte, and out pointers are to locals.
        unsafe {
            let ordinal = lambda_emu_device_new(json.as_ptr());
            assert!(ordinal > 0, "a bad configuration: {}", report(ordinal));
            assert_eq!(cuInit(0), 0);
            let mut context = std::ptr::null_mut();
            assert_eq!(cuDevicePrimaryCtxRetain(&raw mut context, ordinal), 0);
            assert_eq!(cuCtxSetCurrent(context), 0);
            Self { ordinal, context, module: std::ptr::null_mut() }
        }
    }

    /// With the test kernels loaded.
    pub fn with_kernels(json: &str) -> Self {
        let mut gpu = Self::new(json);
        gpu.module = gpu.load(KERNELS).unwrap();
        gpu
    }

    pub fn load(&self, ptx: &str) -> Result<CUhandle, Error> {
        let (mut module, ptx) = (std::ptr::null_mut(), CString::new(ptx).unwrap());
        // SAFETY: the text ends in a zero byte.
        check(unsafe { cuModuleLoadData(&raw mut module, ptx.as_ptr().cast()) })?;
        Ok(module)
    }

    /// Unloads the test kernels.
    pub fn unload(&mut self) {
        // SAFETY: the call reads no memory of the host.
        assert_eq!(unsafe { cuModuleUnload(self.module) }, 0);
    }

    pub fn function(&self, entry: &str) -> Result<CUhandle, Error> {
        let (mut function, entry) = (std::ptr::null_mut(), CString::new(entry).unwrap());
        // SAFETY: the name ends in a zero byte.
        check(unsafe { cuModuleGetFunction(&raw mut function, self.module, entry.as_ptr()) })?;
        Ok(function)
    }

    pub fn stream(&self) -> Stream {
        let mut stream = std::ptr::null_mut();
        // SAFETY: the out pointer is to a local.
        assert_eq!(unsafe { cuStreamCreate(&raw mut stream, 1) }, 0);
        Stream(stream)
    }

    pub fn event(&self) -> Event {
        self.try_event().unwrap()
    }

    fn try_event(&self) -> Result<Event, Error> {
        let mut event = std::ptr::null_mut();
        // SAFETY: the out pointer is to a local.
        check(unsafe { cuEventCreate(&raw mut event, 2) })?;
        Ok(Event(event))
    }

    /// A block of `words` 64-bit words.
    pub fn alloc(&self, words: usize) -> Result<u64, Error> {
        let mut address = 0;
        // SAFETY: the out pointer is to a local.
        check(unsafe { cuMemAlloc_v2(&raw mut address, 8 * words) })?;
        Ok(address)
    }

    pub fn free(&self, address: u64) -> Result<(), Error> {
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuMemFree_v2(address) })
    }

    /// Page-locked memory of `words` words.
    pub fn pinned(&self, words: usize) -> Result<*mut u64, Error> {
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the out pointer is to a local.
        check(unsafe { cuMemHostAlloc(&raw mut pointer, 8 * words, 0) })?;
        Ok(pointer.cast())
    }

    pub fn free_pinned(&self, pointer: *mut u64) -> Result<(), Error> {
        // SAFETY: the emulator refuses pointers that it did not give.
        check(unsafe { cuMemFreeHost(pointer.cast()) })
    }

    pub fn upload(&self, stream: &Stream, to: u64, words: &[u64]) -> Result<(), Error> {
        self.upload_raw(stream, to, words.as_ptr(), words.len())
    }

    pub fn upload_raw(&self, stream: &Stream, to: u64, from: *const u64, words: usize) -> Result<(), Error> {
        // SAFETY: callers pass slices, or page-locked memory that they keep.
        check(unsafe { cuMemcpyHtoDAsync_v2(to, from.cast(), 8 * words, stream.0) })
    }

    pub fn download_raw(&self, stream: &Stream, to: *mut u64, from: u64, words: usize) -> Result<(), Error> {
        // SAFETY: callers pass slices, or page-locked memory that they keep.
        check(unsafe { cuMemcpyDtoHAsync_v2(to.cast(), from, 8 * words, stream.0) })
    }

    /// Copies to the host and waits.
    pub fn download(&self, stream: &Stream, from: u64, words: usize) -> Result<Vec<u64>, Error> {
        let mut to = vec![0; words];
        self.download_raw(stream, to.as_mut_ptr(), from, words)?;
        self.sync(stream)?;
        Ok(to)
    }

    pub fn copy(&self, stream: &Stream, to: u64, from: u64, words: usize) -> Result<(), Error> {
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuMemcpyDtoDAsync_v2(to, from, 8 * words, stream.0) })
    }

    pub fn zero(&self, stream: &Stream, to: u64, words: usize) -> Result<(), Error> {
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuMemsetD8Async(to, 0, 8 * words, stream.0) })
    }

    pub fn sync(&self, stream: &Stream) -> Result<(), Error> {
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuStreamSynchronize(stream.0) })
    }

    pub fn sync_all(&self) -> Result<(), Error> {
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuCtxSynchronize() })
    }

    pub fn destroy(&self, stream: Stream) -> Result<(), Error> {
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuStreamDestroy_v2(stream.0) })
    }

    pub fn record(&self, event: &Event, stream: &Stream) -> Result<(), Error> {
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuEventRecord(event.0, stream.0) })
    }

    pub fn wait(&self, stream: &Stream, event: &Event) -> Result<(), Error> {
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuStreamWaitEvent(stream.0, event.0, 0) })
    }

    /// Makes everything that `stream` gets from now on wait for what `other` has got so far.
    pub fn join(&self, stream: &Stream, other: &Stream) -> Result<(), Error> {
        let event = self.try_event()?;
        self.record(&event, other)?;
        self.wait(stream, &event)?;
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuEventDestroy_v2(event.0) })
    }

    /// Launches `blocks` blocks of 32 threads.
    pub fn launch(&self, stream: &Stream, entry: &str, blocks: u32, args: &[Arg]) -> Result<(), Error> {
        self.launch_shaped(stream, entry, [blocks, 1, 1], [32, 1, 1], 0, args)
    }

    pub fn launch_shaped(
        &self,
        stream: &Stream,
        entry: &str,
        [gx, gy, gz]: [u32; 3],
        [bx, by, bz]: [u32; 3],
        shared: u32,
        args: &[Arg],
    ) -> Result<(), Error> {
        let function = self.function(entry)?;
        let words: Vec<u64> = args.iter().map(|arg| arg.word()).collect();
        let mut pointers: Vec<*mut c_void> =
            words.iter().map(|word| std::ptr::from_ref(word).cast_mut().cast()).collect();
        let (parameters, extra) = (pointers.as_mut_ptr(), std::ptr::null_mut());
        // SAFETY: each argument is as long as the kernel's parameter or longer; the driver reads it at once.
        let launched =
            unsafe { cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream.0, parameters, extra) };
        check(launched)
    }

    pub fn memory_info(&self) -> (usize, usize) {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the out pointers are to locals.
        assert_eq!(unsafe { cuMemGetInfo_v2(&raw mut free, &raw mut total) }, 0);
        (free, total)
    }

    pub fn report(&self) -> Value {
        report(self.ordinal)
    }

    /// What went wrong first, in words; panics if nothing did.
    pub fn fault(&self) -> String {
        let report = self.report();
        report["first_fault"]["text"].as_str().unwrap_or_else(|| panic!("no fault: {report}")).to_owned()
    }

    pub fn counter(&self, name: &str) -> u64 {
        self.report()["counters"][name].as_u64().unwrap()
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: the calls read no memory of the host.
        unsafe {
            cuCtxSetCurrent(std::ptr::null_mut());
            cuDevicePrimaryCtxRelease_v2(self.ordinal);
        }
    }
}

impl Arg {
    fn word(self) -> u64 {
        match self {
            Self::U64(word) => word,
            Self::U32(word) => u64::from(word),
        }
    }
}

/// A device's report.
pub fn report(ordinal: i32) -> Value {
    let mut text = vec![0u8; 1 << 14];
    // SAFETY: the buffer has the length that is passed.
    let needed = unsafe { lambda_emu_report(ordinal, text.as_mut_ptr().cast(), text.len()) };
    assert!(needed <= text.len());
    let text = CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap();
    serde_json::from_str(text).unwrap()
}

/// Announces a buffer of `words` words.
pub fn note_alloc(address: u64, words: usize, label: &str) {
    let label = CString::new(label).unwrap();
    // SAFETY: the label ends in a zero byte.
    unsafe { lambda_emu_note_alloc(address, 8 * words as u64, label.as_ptr()) };
}

/// Gives an announced buffer up.
pub fn note_free(address: u64) {
    // SAFETY: the call reads no memory of the host.
    unsafe { lambda_emu_note_free(address) };
}

/// `name`d schedules with a few seeds each: what is found must not depend on them.
pub fn schedules() -> Vec<String> {
    let seeds = |schedule: &'static str| {
        (0..3).map(move |seed| format!(r#"{{"schedule":"{schedule}","seed":{seed},"memory_bytes":1048576}}"#))
    };
    ["lazy", "eager", "random"].into_iter().flat_map(seeds).collect()
}
