//! Prints how fast the executor is: millions of PTX instructions a second, per kernel and number of host
//! threads.
//!
//! `cargo run --release -p lambda-cuda-emu --example throughput`

use std::sync::atomic::AtomicU64;
use std::time::Instant;

use lambda_cuda_emu::exec::{LaunchOptions, LaunchShape, launch};
use lambda_cuda_emu::memory::{Access, AccessFault, GlobalMemory};
use lambda_cuda_emu::ptx::Module;

/// Three kernels over `data`: `multiply` (64-bit products and carries in a loop), `rotate` (32-bit additions,
/// exclusive-ors and rotations in a loop), `exchange` (shared memory, a barrier in every turn).
const KERNELS: &str = "
.version 9.0
.target sm_80
.address_size 64
.visible .entry multiply(.param .u64 data) {
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %d2, %r4, 8; add.s64 %d3, %d1, %d2; ld.global.u64 %d4, [%d3];
    mov.u32 %r5, 64;
LOOP:
    mul.lo.s64 %d5, %d4, %d4; mul.hi.u64 %d6, %d4, %d4; shr.u64 %d7, %d6, 32; and.b64 %d8, %d6, 4294967295;
    sub.s64 %d9, %d5, %d7; setp.lt.u64 %p1, %d5, %d7; add.s64 %d10, %d9, -4294967295;
    selp.b64 %d11, %d10, %d9, %p1; shl.b64 %d12, %d6, 32; sub.s64 %d13, %d12, %d8; add.s64 %d14, %d11, %d13;
    setp.lt.u64 %p2, %d14, %d11; add.s64 %d15, %d14, 4294967295; selp.b64 %d4, %d15, %d14, %p2;
    add.s32 %r5, %r5, -1; setp.ne.s32 %p3, %r5, 0; @%p3 bra LOOP;
    st.global.u64 [%d3], %d4; ret;
}
.visible .entry rotate(.param .u64 data) {
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %d2, %r4, 8; add.s64 %d3, %d1, %d2;
    ld.global.v2.u32 {%r5, %r6}, [%d3]; mov.u32 %r7, %r4; mov.u32 %r8, 7; mov.u32 %r9, 64;
LOOP:
    add.s32 %r5, %r5, %r6; xor.b32 %r8, %r8, %r5; shf.l.wrap.b32 %r8, %r8, %r8, 16; add.s32 %r7, %r7, %r8;
    xor.b32 %r6, %r6, %r7; shf.l.wrap.b32 %r6, %r6, %r6, 20; add.s32 %r5, %r5, %r6; xor.b32 %r8, %r8, %r5;
    shf.l.wrap.b32 %r8, %r8, %r8, 24; add.s32 %r7, %r7, %r8; xor.b32 %r6, %r6, %r7;
    shf.l.wrap.b32 %r6, %r6, %r6, 25; add.s32 %r9, %r9, -1; setp.ne.s32 %p1, %r9, 0; @%p1 bra LOOP;
    st.global.v2.u32 [%d3], {%r5, %r6}; ret;
}
.visible .entry exchange(.param .u64 data) {
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<16>;
    .shared .align 8 .b8 tile[2048];
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %d2, %r4, 8; add.s64 %d3, %d1, %d2; ld.global.u64 %d4, [%d3];
    mov.u64 %d5, tile; mul.wide.u32 %d6, %r1, 8; add.s64 %d7, %d5, %d6; st.shared.u64 [%d7], %d4;
    mov.u32 %r5, 128; bar.sync 0;
LOOP:
    xor.b32 %r6, %r1, %r5; mul.wide.u32 %d8, %r6, 8; add.s64 %d9, %d5, %d8; ld.shared.u64 %d10, [%d9];
    ld.shared.u64 %d11, [%d7]; add.s64 %d12, %d10, %d11; xor.b64 %d13, %d12, %d10; bar.sync 0;
    st.shared.u64 [%d7], %d13; bar.sync 0;
    shr.u32 %r5, %r5, 1; setp.ne.s32 %p1, %r5, 0; @%p1 bra LOOP;
    ld.shared.u64 %d14, [%d7]; st.global.u64 [%d3], %d14; ret;
}
";

/// Blocks of a launch.
const BLOCKS: u32 = 256;
/// Threads of a block.
const THREADS: u32 = 256;
/// Launches of which the fastest counts.
const ROUNDS: usize = 5;

/// One buffer that starts at the address of its storage.
struct Buffer(Vec<AtomicU64>);

impl GlobalMemory for Buffer {
    fn access(&self, _: u32, address: u64, bytes: u32, access: Access) -> Result<*mut u8, AccessFault> {
        let start = self.0.as_ptr() as u64;
        let len = self.0.len() as u64 * 8;
        if address < start || address - start + u64::from(bytes) > len {
            return Err(AccessFault::OutOfBounds { access, address, bytes: bytes.into(), nearest: None });
        }
        Ok(self.0.as_ptr().cast::<u8>().cast_mut().wrapping_add((address - start) as usize))
    }
}

fn main() {
    let module = Module::parse(KERNELS).expect("the kernels are valid PTX");
    let all = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    println!("{:>10} {:>8} {:>12} {:>14}", "kernel", "threads", "instructions", "million a second");
    for kernel in module.kernels() {
        for threads in [1, all] {
            let words = (BLOCKS * THREADS) as u64;
            let buffer =
                Buffer((0..words).map(|i| AtomicU64::new(i.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect());
            let parameters = (buffer.0.as_ptr() as u64).to_le_bytes();
            let shape = LaunchShape { grid: [BLOCKS, 1, 1], block: [THREADS, 1, 1], dynamic_shared_bytes: 0 };
            let options = LaunchOptions { threads, ..LaunchOptions::default() };
            let mut fastest = f64::INFINITY;
            let mut instructions = 0;
            for _ in 0..ROUNDS {
                let start = Instant::now();
                let stats = launch(&module, kernel, shape, &parameters, &buffer, &options);
                fastest = fastest.min(start.elapsed().as_secs_f64());
                instructions = stats.expect("the kernels are correct").instructions;
            }
            let rate = instructions as f64 / fastest / 1e6;
            println!("{:>10} {threads:>8} {instructions:>12} {rate:>14.0}", kernel.name());
            if all == 1 {
                break;
            }
        }
    }
}
