//! NVIDIA's run-time compiler, loaded from a folder; needs neither a GPU nor a driver.
//!
//! The version is pinned: it decides every byte of the committed PTX, and a newer one would write a PTX
//! version that the drivers of its predecessors refuse. The signatures are those of NVRTC's reference,
//! section "Functions"; results are plain integers, so that an unknown one is only a number.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use libloading::Library;

const VERSION: (c_int, c_int) = (13, 0);
const PACKAGE: &str = "nvidia-cuda-nvrtc==13.0.88";
/// Loaded first: the compiler looks this one up by its bare name.
const BUILTINS: &str = "libnvrtc-builtins.so.13.0";
const COMPILER: &str = "libnvrtc.so.13";

/// `nvrtcProgram`.
type Program = *mut c_void;
type SizeOf = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type CopyOf = unsafe extern "C" fn(Program, *mut c_char) -> c_int;

/// What to compile for; the number is the compute capability times ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Ptx(u32),
    MachineCode(u32),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ptx(architecture) => write!(f, "compute_{architecture}"),
            Self::MachineCode(architecture) => write!(f, "sm_{architecture}"),
        }
    }
}

/// One compilation.
pub struct Output {
    /// PTX or cubin; `None` where the source has an error.
    pub code: Option<Vec<u8>>,
    /// What compiler and assembler had to say.
    pub log: String,
    pub time: Duration,
}

/// The loaded compiler. May be used by several threads at once.
pub struct Nvrtc {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    log_size: SizeOf,
    log: CopyOf,
    ptx_size: SizeOf,
    ptx: CopyOf,
    cubin_size: SizeOf,
    cubin: CopyOf,
    /// Keeps the functions above loaded.
    _libraries: [Library; 2],
}

impl Nvrtc {
    /// Loads the libraries in `folder`.
    ///
    /// # Errors
    /// They are missing or not the pinned version; the message says how to get them.
    pub fn load(folder: &Path) -> Result<Self> {
        let open = |name: &str| {
            let path = folder.join(name);
            // SAFETY: NVIDIA's libraries; their initialisers ask nothing of the process.
            unsafe { Library::new(&path) }.with_context(|| {
                let unpack = "python3 -m pip install --no-deps --target target/nvrtc";
                format!("cannot load {}; `make gen-ptx` runs `{unpack} {PACKAGE}`", path.display())
            })
        };
        let libraries = [open(BUILTINS)?, open(COMPILER)?];
        let nvrtc = Self::bind(libraries).with_context(|| format!("{COMPILER} is not NVRTC"))?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to live integers.
        nvrtc.succeed("nvrtcVersion", unsafe { (nvrtc.version)(&mut major, &mut minor) })?;
        if (major, minor) != VERSION {
            bail!(
                "NVRTC is {major}.{minor}, the committed PTX is of {}.{}: install {PACKAGE}",
                VERSION.0,
                VERSION.1
            );
        }
        Ok(nvrtc)
    }

    fn bind(libraries: [Library; 2]) -> Result<Self> {
        let library = &libraries[1];
        // SAFETY: each field has the signature that NVRTC's reference gives the function, and the library
        // lives as long as the struct.
        unsafe {
            Ok(Self {
                version: *library.get(b"nvrtcVersion")?,
                create: *library.get(b"nvrtcCreateProgram")?,
                compile: *library.get(b"nvrtcCompileProgram")?,
                destroy: *library.get(b"nvrtcDestroyProgram")?,
                log_size: *library.get(b"nvrtcGetProgramLogSize")?,
                log: *library.get(b"nvrtcGetProgramLog")?,
                ptx_size: *library.get(b"nvrtcGetPTXSize")?,
                ptx: *library.get(b"nvrtcGetPTX")?,
                cubin_size: *library.get(b"nvrtcGetCUBINSize")?,
                cubin: *library.get(b"nvrtcGetCUBIN")?,
                _libraries: libraries,
            })
        }
    }

    /// Compiles `source`, called `name` in messages, with headers from the folders of `include`.
    ///
    /// # Errors
    /// NVRTC itself fails. A mistake in the source is an [`Output`] without code.
    pub fn compile(&self, name: &str, source: &str, include: &[PathBuf], target: Target) -> Result<Output> {
        let start = Instant::now();
        let (name, source) = (CString::new(name)?, CString::new(source)?);
        let mut options = vec![
            CString::new(format!("--gpu-architecture={target}"))?,
            CString::new("--std=c++17")?,
            CString::new("--ptxas-options=-v")?,
        ];
        for folder in include {
            let folder = folder.to_str().context("the repository's path is not UTF-8")?;
            options.push(CString::new(format!("--include-path={folder}"))?);
        }
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = ptr::null_mut();
        // SAFETY: both texts end in NUL and outlive the program; it has no headers of its own.
        let created = unsafe {
            (self.create)(&mut program, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null())
        };
        self.succeed("nvrtcCreateProgram", created)?;
        // SAFETY: a live program, and `options` are that many texts that end in NUL.
        let compiled = unsafe { (self.compile)(program, options.len() as c_int, options.as_ptr()) };
        let output = self.collect(program, compiled == 0, target);
        // SAFETY: a live program, not used again.
        unsafe { (self.destroy)(&mut program) };
        let (code, log) = output?;
        Ok(Output { code, log, time: start.elapsed() })
    }

    /// Code and log of a compiled program.
    fn collect(&self, program: Program, compiled: bool, target: Target) -> Result<(Option<Vec<u8>>, String)> {
        let log = self.text(program, self.log_size, self.log)?;
        let code = match target {
            _ if !compiled => None,
            Target::Ptx(_) => Some(self.text(program, self.ptx_size, self.ptx)?.into_bytes()),
            Target::MachineCode(_) => Some(self.bytes(program, self.cubin_size, self.cubin)?),
        };
        Ok((code, log))
    }

    fn bytes(&self, program: Program, size_of: SizeOf, copy_of: CopyOf) -> Result<Vec<u8>> {
        let mut size = 0;
        // SAFETY: a live program and a live integer.
        self.succeed("size of a result", unsafe { size_of(program, &mut size) })?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: the buffer has the size that the program asked for.
        self.succeed("a result", unsafe { copy_of(program, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }

    /// As [`Self::bytes`], up to the final NUL.
    fn text(&self, program: Program, size_of: SizeOf, copy_of: CopyOf) -> Result<String> {
        let bytes = self.bytes(program, size_of, copy_of)?;
        let text = CStr::from_bytes_until_nul(&bytes).context("NVRTC returned an unterminated text")?;
        Ok(text.to_str().context("NVRTC returned text that is not UTF-8")?.to_owned())
    }

    fn succeed(&self, what: &str, result: c_int) -> Result<()> {
        if result != 0 {
            bail!("NVRTC failed with {result}: {what}");
        }
        Ok(())
    }
}
