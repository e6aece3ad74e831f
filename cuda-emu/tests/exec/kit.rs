//! Memory, launches and the evaluation of single instructions for the tests of this binary.

use std::sync::atomic::{AtomicU64, Ordering};

use lambda_cuda_emu::exec::{KernelFault, LaunchOptions, LaunchShape, LaunchStats, launch};
use lambda_cuda_emu::memory::{Access, AccessFault, GlobalMemory, Place};
use lambda_cuda_emu::ptx::Module;

/// Address of the first buffer.
const BASE: u64 = 0x7000_0000_0000;
/// Distance between buffers: an overrun does not reach the next one.
const STRIDE: u64 = 1 << 32;

/// Buffers that a launch may access, checked for bounds and alignment.
#[derive(Default)]
pub struct Memory {
    buffers: Vec<Vec<AtomicU64>>,
}

impl Memory {
    /// Adds a buffer; returns its address.
    pub fn add(&mut self, words: &[u64]) -> u64 {
        self.buffers.push(words.iter().map(|&word| AtomicU64::new(word)).collect());
        BASE + (self.buffers.len() as u64 - 1) * STRIDE
    }

    /// The contents of buffer `index`.
    pub fn words(&self, index: usize) -> Vec<u64> {
        self.buffers[index].iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }
}

impl GlobalMemory for Memory {
    fn access(&self, _: u32, address: u64, bytes: u32, access: Access) -> Result<*mut u8, AccessFault> {
        if !address.is_multiple_of(bytes.into()) {
            return Err(AccessFault::Misaligned { access, address, bytes: bytes.into() });
        }
        let index = (address.wrapping_sub(BASE) / STRIDE) as usize;
        let offset = address.wrapping_sub(BASE) % STRIDE;
        let len = self.buffers.get(index).map_or(0, |buffer| buffer.len() as u64 * 8);
        if offset + u64::from(bytes) > len {
            let nearest = Place { label: format!("buffer {index}"), bytes: len, offset: offset as i64 };
            let nearest = Some(nearest);
            return Err(AccessFault::OutOfBounds { access, address, bytes: bytes.into(), nearest });
        }
        Ok(self.buffers[index].as_ptr().cast::<u8>().cast_mut().wrapping_add(offset as usize))
    }
}

/// A module of one kernel `k` with parameters `in`, `out` (pointers) and `n`, and registers of every kind:
/// predicates `%p`, 16-bit `%h`, 32-bit `%r`, 64-bit `%d`, floats `%f` and `%g`, eighty of each. When `body`
/// starts, `%r70` is the thread's index in its block, `%d70` and `%d71` are the addresses of `in` and `out`,
/// and `%r71` is `n`.
pub fn module(declarations: &str, body: &str) -> Module {
    let text = text(declarations, body);
    Module::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The text of [`module`].
pub fn text(declarations: &str, body: &str) -> String {
    format!(
        ".version 9.0
.target sm_80
.address_size 64
{declarations}
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{{
.reg .pred %p<80>; .reg .b16 %h<80>; .reg .b32 %r<80>; .reg .b64 %d<80>; .reg .f32 %f<80>; .reg .f64 %g<80>;
ld.param.u64 %d70, [in];
ld.param.u64 %d71, [out];
ld.param.u32 %r71, [n];
mov.u32 %r70, %tid.x;
{body}
ret;
}}
"
    )
}

/// The line of [`text`] that contains `needle`, counted from 1.
pub fn line_of(text: &str, needle: &str) -> u32 {
    text.lines().position(|line| line.contains(needle)).expect("the text has the line") as u32 + 1
}

/// What a launch of [`module`]'s kernel is given.
pub struct Run<'a> {
    /// Blocks and threads of each.
    pub shape: (u32, u32),
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Contents of `in`.
    pub input: &'a [u64],
    /// Words of `out`, zero before the launch.
    pub output: usize,
    /// The parameter `n`.
    pub n: u32,
    /// Seed, junk, threads and step limit.
    pub options: LaunchOptions,
}

impl Default for Run<'_> {
    fn default() -> Self {
        Self { shape: (1, 32), shared: 0, input: &[], output: 64, n: 0, options: options(0) }
    }
}

/// Options of a seed, with a step limit that a test's kernel does not reach.
pub fn options(seed: u64) -> LaunchOptions {
    LaunchOptions { seed, step_limit: 1 << 20, ..LaunchOptions::default() }
}

impl Run<'_> {
    /// Launches; returns `out`.
    pub fn on(&self, module: &Module) -> Result<Vec<u64>, KernelFault> {
        self.with_stats(module).map(|(output, _)| output)
    }

    /// Launches; returns `out` and the statistics.
    pub fn with_stats(&self, module: &Module) -> Result<(Vec<u64>, LaunchStats), KernelFault> {
        let mut memory = Memory::default();
        let addresses = [memory.add(self.input), memory.add(&vec![0; self.output])];
        let mut parameters: Vec<u8> = addresses.iter().flat_map(|address| address.to_le_bytes()).collect();
        parameters.extend_from_slice(&self.n.to_le_bytes());
        let (blocks, threads) = self.shape;
        let shape =
            LaunchShape { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes: self.shared };
        let kernel = module.kernel("k").expect("the module has the kernel");
        let stats = launch(module, kernel, shape, &parameters, &memory, &self.options)?;
        Ok((memory.words(1), stats))
    }
}

/// Numbers at which integer operations change their behaviour.
const EDGES: [u64; 22] = [
    0,
    1,
    2,
    3,
    16,
    31,
    32,
    33,
    63,
    64,
    0x7F,
    0x80,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    0xFFFF_FFFF_0000_0001,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// Quadruples of operands: all pairs of edges with further edges behind them, and random ones.
pub fn operands() -> Vec<[u64; 4]> {
    let mut random = 1u64;
    let mut next = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random ^ random >> 29
    };
    let mut all = Vec::new();
    for (i, a) in EDGES.into_iter().enumerate() {
        for (j, b) in EDGES.into_iter().enumerate() {
            all.push([a, b, EDGES[(i * 5 + j * 3) % EDGES.len()], EDGES[(i + j * 7) % EDGES.len()]]);
        }
    }
    for _ in 0..300 {
        let [a, b] = [next(), next()];
        all.push([a, b, next(), next() & 127]);
        all.push([a, b >> (b & 63), next() & 63, next() & 63]);
    }
    all
}

/// Executes `body` for each quadruple of operands, one a thread. It finds them in `%d0` to `%d3`, their low
/// bits in `%r0`.., `%h0`.., `%f0`.., and all bits in `%g0`..; `%p0`.. are the operands' lowest bits. Returns
/// `%d9`.
pub fn evaluate(body: &str, operands: &[[u64; 4]]) -> Vec<u64> {
    let loads: String = (0..4)
        .map(|i| {
            format!(
                "ld.global.u64 %d{i}, [%d72+{}]; cvt.u32.u64 %r{i}, %d{i}; cvt.u16.u64 %h{i}, %d{i};
                 mov.b32 %f{i}, %r{i}; mov.b64 %g{i}, %d{i}; and.b32 %r79, %r{i}, 1; \
                 setp.ne.u32 %p{i}, %r79, 0;\n",
                8 * i
            )
        })
        .collect();
    // The last warps of the grid are partly and wholly idle.
    let module = module(
        "",
        &format!(
            "mov.u32 %r73, %ctaid.x; mov.u32 %r74, %ntid.x; mad.lo.u32 %r70, %r73, %r74, %r70;
             setp.ge.u32 %p79, %r70, %r71; @%p79 bra END;
             mul.wide.u32 %d72, %r70, 32; add.u64 %d72, %d70, %d72;
             {loads}
             {body}
             mul.wide.u32 %d73, %r70, 8; add.u64 %d73, %d71, %d73; st.global.u64 [%d73], %d9;
             END:"
        ),
    );
    let input: Vec<u64> = operands.iter().flatten().copied().collect();
    let n = operands.len() as u32;
    let run =
        Run { shape: (n.div_ceil(96) + 1, 96), input: &input, output: operands.len(), n, ..Run::default() };
    run.on(&module).unwrap_or_else(|fault| panic!("{fault}\n{body}"))
}

/// Checks `instruction` against `expected` on [`operands`]. Results are taken from `%d9`, or from `%r9`,
/// `%h9` or `%p9` where the instruction names that.
pub fn check(instruction: &str, expected: impl Fn([u64; 4]) -> u64) {
    let names = |register: &str| instruction.contains(register);
    let move_result = if names("%d9") {
        ""
    } else if names("%r9") {
        "cvt.u64.u32 %d9, %r9;"
    } else if names("%h9") {
        "cvt.u64.u16 %d9, %h9;"
    } else if names("%f9") {
        "mov.b32 %r9, %f9; cvt.u64.u32 %d9, %r9;"
    } else if names("%g9") {
        "mov.b64 %d9, %g9;"
    } else {
        "selp.b64 %d9, 1, 0, %p9;"
    };
    let operands = operands();
    let found = evaluate(&format!("{instruction} {move_result}"), &operands);
    for (operands, found) in operands.into_iter().zip(found) {
        let expected = expected(operands);
        assert_eq!(found, expected, "{instruction} on {operands:#x?}: {found:#x} instead of {expected:#x}");
    }
}
