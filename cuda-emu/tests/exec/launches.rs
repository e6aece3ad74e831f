//! Launches as a whole: shapes, parameters, determinism.

use lambda_cuda_emu::exec::{LaunchShape, launch};
use lambda_cuda_emu::ptx::{Module, ParamSize};

use super::kit::{Memory, Run, module, options};

#[test]
fn three_dimensions() {
    let text = ".visible .entry k(.param .u64 out) {
        .reg .b32 %r<30>; .reg .b64 %d<4>; .reg .pred %p;
        mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
        mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
        mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z;
        mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y; mov.u32 %r12, %nctaid.z;
        mad.lo.u32 %r13, %r3, %r5, %r2; mad.lo.u32 %r13, %r13, %r4, %r1;
        mad.lo.u32 %r14, %r9, %r11, %r8; mad.lo.u32 %r14, %r14, %r10, %r7;
        mul.lo.u32 %r15, %r4, %r5; mul.lo.u32 %r15, %r15, %r6; mad.lo.u32 %r16, %r14, %r15, %r13;
        mov.u32 %r17, %warpid; mad.lo.u32 %r18, %r12, 1000, %r17;
        ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r16, 8; add.u64 %d1, %d1, %d2;
        cvt.u64.u32 %d3, %r18; st.global.u64 [%d1], %d3; ret; }";
    let module = Module::parse(text).unwrap();
    let shape = LaunchShape { grid: [3, 2, 2], block: [5, 4, 3], dynamic_shared_bytes: 0 };
    let mut memory = Memory::default();
    let out = memory.add(&[0; 12 * 60]);
    let kernel = module.kernel("k").unwrap();
    launch(&module, kernel, shape, &out.to_le_bytes(), &memory, &options(5)).unwrap();
    let expected = (0..12 * 60).map(|thread| 2000 + thread % 60 / 32);
    assert!(memory.words(0).into_iter().eq(expected));
}

#[test]
fn parameters_are_laid_out_at_their_alignment() {
    let text =
        ".visible .entry k(.param .u32 a, .param .u64 .ptr .global .align 1 b, .param .u8 c, .param .u16 d,
        .param .align 16 .b8 e[20], .param .u8 f) .maxntid 64, 2, 1 .minnctapersm 2 { ret; }
        .weak .entry other() { ret; }";
    let module = Module::parse(text).unwrap();
    let kernel = module.kernel("k").unwrap();
    let expected = [(0, 4), (8, 8), (16, 1), (18, 2), (32, 20), (52, 1)];
    let expected = expected.map(|(offset, bytes)| ParamSize { offset, bytes });
    assert_eq!(kernel.parameters(), expected);
    assert_eq!((kernel.parameter_bytes(), kernel.max_threads()), (53, Some(128)));
    let names: Vec<&str> = module.kernels().iter().map(|kernel| kernel.name()).collect();
    assert_eq!(names, ["k", "other"]);
    assert!(module.kernel("absent").is_none());
}

#[test]
fn shapes_that_a_gpu_refuses() {
    let module = Module::parse(".visible .entry k() .maxntid 128 { ret; }").unwrap();
    let kernel = module.kernel("k").unwrap();
    let problem = |grid, block| LaunchShape { grid, block, dynamic_shared_bytes: 0 }.problem(kernel);
    assert_eq!(problem([1, 1, 1], [128, 1, 1]), None);
    assert!(problem([0, 1, 1], [1, 1, 1]).is_some());
    assert!(problem([1, 65_536, 1], [1, 1, 1]).is_some());
    assert!(problem([1 << 20, 1 << 15, 1], [1, 1, 1]).is_some());
    assert!(problem([1, 1, 1], [1, 0, 1]).is_some());
    assert!(problem([1, 1, 1], [1, 1, 65]).is_some());
    assert!(problem([1, 1, 1], [129, 1, 1]).unwrap().contains("128"));
    let too_much = LaunchShape { grid: [1; 3], block: [1; 3], dynamic_shared_bytes: (227 << 10) + 1 };
    assert!(too_much.problem(kernel).unwrap().contains("dynamic shared memory"));
}

#[test]
fn the_lowest_faulty_block_is_reported_whatever_the_order() {
    // Blocks 11, 31, 51 and so on fail.
    let module =
        module("", "mov.u32 %r1, %ctaid.x; rem.u32 %r1, %r1, 20; setp.eq.u32 %p1, %r1, 11; @%p1 trap;");
    for seed in 0..20u64 {
        for threads in [1, 2, 4] {
            let mut run =
                Run { shape: (200, 40), options: options(seed * 0x1234_5678_9ABC), ..Run::default() };
            run.options.threads = threads;
            assert_eq!(run.on(&module).unwrap_err().block, [11, 0, 0]);
        }
    }
}

#[test]
fn the_seed_alone_decides() {
    // The order in which threads reach an atomic counter.
    let module = module(
        "",
        "mul.wide.u32 %d1, %r70, 8; add.u64 %d1, %d71, %d1; atom.global.add.u64 %d2, [%d71], 1;
         st.global.u64 [%d1+8], %d2;",
    );
    let order = |seed| {
        let run = Run { shape: (1, 256), output: 257, options: options(seed), ..Run::default() };
        run.on(&module).unwrap()
    };
    assert_eq!(order(3), order(3));
    assert!((0..8).any(|seed| order(seed) != order(3)), "every seed gives the same order");
    let mut turns = order(4)[1..].to_vec();
    turns.sort_unstable();
    assert!(turns.into_iter().eq(0..256));
}

#[test]
fn registers_hold_junk_before_they_are_written() {
    let module = module("", "mul.wide.u32 %d1, %r70, 8; add.u64 %d1, %d71, %d1; st.global.u64 [%d1], %d5;");
    let found = |junk| {
        let mut run = Run { shape: (1, 1), output: 1, ..Run::default() };
        run.options.junk = junk;
        run.on(&module).unwrap()[0]
    };
    assert_ne!(found(1), found(2));
}

#[test]
fn instructions_count_a_thread_each() {
    let module = module("", "setp.lt.u32 %p1, %r70, 3; @%p1 add.u32 %r1, %r70, 1;");
    let run = Run { shape: (3, 40), ..Run::default() };
    // Four instructions of the kit, two here, and the return; guards that fail count.
    assert_eq!(run.with_stats(&module).unwrap().1.instructions, 3 * 40 * 7);
}
