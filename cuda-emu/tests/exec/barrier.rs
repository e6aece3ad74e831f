//! Barriers of the block.

use super::kit::{Run, module, options};

const OWN: &str = "mul.wide.u32 %d72, %r70, 8; add.u64 %d72, %d71, %d72;";

#[test]
fn a_barrier_orders_all_warps_whatever_the_seed() {
    // Rotates a row by one place eight times.
    let body = format!(
        ".shared .align 8 .b8 s[2048]; {OWN}
         mov.u32 %r1, %ntid.x; mov.u64 %d1, s; mul.wide.u32 %d2, %r70, 8; add.u64 %d3, %d1, %d2;
         add.u32 %r2, %r70, 1; rem.u32 %r2, %r2, %r1; mul.wide.u32 %d4, %r2, 8; add.u64 %d4, %d1, %d4;
         cvt.u64.u32 %d5, %r70; st.shared.u64 [%d3], %d5; mov.u32 %r3, 8;
         LOOP: bar.sync 0; ld.shared.u64 %d5, [%d4]; barrier.sync 0; st.shared.u64 [%d3], %d5;
         sub.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra LOOP;
         st.global.u64 [%d72], %d5;"
    );
    let module = module("", &body);
    for (seed, threads) in [(0, 256), (1, 100), (2, 33), (3, 1)] {
        let run = Run { shape: (1, threads), output: 256, options: options(seed), ..Run::default() };
        let found = run.on(&module).unwrap();
        let threads = u64::from(threads);
        assert!((0..threads).all(|thread| found[thread as usize] == (thread + 8) % threads));
    }
}

#[test]
fn barriers_count_votes() {
    let body = format!(
        "{OWN} setp.lt.u32 %p1, %r70, 40; setp.lt.u32 %p2, %r70, 64; setp.gt.u32 %p3, %r70, 64;
         bar.red.popc.u32 %r1, 0, %p1; bar.red.and.pred %p4, 0, %p2; bar.red.or.pred %p5, 0, %p3;
         bar.red.popc.u32 %r2, 0, !%p1;
         selp.b32 %r3, 1000, 0, %p4; selp.b32 %r4, 10000, 0, %p5;
         add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; mul.lo.u32 %r2, %r2, 100; add.u32 %r1, %r1, %r2;
         cvt.u64.u32 %d1, %r1; st.global.u64 [%d72], %d1;"
    );
    let run = Run { shape: (1, 64), ..Run::default() };
    let found = run.on(&module("", &body)).unwrap();
    assert!(found.iter().all(|&count| count == 40 + 1000 + 2400));
}

#[test]
fn lanes_that_come_late_still_reach_the_barrier() {
    // Half of each warp takes a detour that lies behind the barrier in the text.
    let body = format!(
        ".shared .align 4 .b8 s[256]; {OWN}
         mul.wide.u32 %d1, %r70, 4; mov.u64 %d2, s; add.u64 %d1, %d2, %d1; and.b32 %r1, %r70, 1;
         setp.eq.u32 %p1, %r1, 0; @%p1 bra DETOUR; mov.u32 %r2, 1;
         MEET: st.shared.u32 [%d1], %r2; bar.sync 0; xor.b32 %r3, %r70, 1; mul.wide.u32 %d3, %r3, 4;
         add.u64 %d3, %d2, %d3; ld.shared.u32 %r4, [%d3]; \
         cvt.u64.u32 %d4, %r4; st.global.u64 [%d72], %d4; ret;
         DETOUR: mov.u32 %r2, 2; bra MEET;"
    );
    let run = Run { shape: (1, 64), ..Run::default() };
    let found = run.on(&module("", &body)).unwrap();
    assert!((0..64).all(|thread| found[thread] == if thread & 1 == 0 { 1 } else { 2 }));
}
