//! Operations among the lanes of a warp.

use super::kit::{Run, module};

const OWN: &str = "mul.wide.u32 %d72, %r70, 8; add.u64 %d72, %d71, %d72;";

/// Runs one warp; `body` leaves each thread's result in `%r9`.
fn warp(body: &str) -> Vec<u64> {
    let body = format!("{OWN} mov.u32 %r0, %laneid; {body} cvt.u64.u32 %d9, %r9; st.global.u64 [%d72], %d9;");
    let mut found = Run::default().on(&module("", &body)).unwrap_or_else(|fault| panic!("{fault}"));
    found.truncate(32);
    found
}

/// `shfl` by the manual's pseudocode: the source lane and whether it is in the segment.
fn source(mode: &str, lane: i64, b: i64, c: i64) -> (i64, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let first = lane & segment;
    let last = first | clamp & !segment & 31;
    let (j, valid) = match mode {
        "up" => (lane - b, lane - b >= last),
        "down" => (lane + b, lane + b <= last),
        "bfly" => (lane ^ b, lane ^ b <= last),
        _ => (first | b & !segment & 31, first | b & !segment & 31 <= last),
    };
    if valid { (j, true) } else { (lane, false) }
}

#[test]
fn shuffles_in_every_mode_and_segment() {
    for mode in ["up", "down", "bfly", "idx"] {
        // Segments of 32, 16 and 4 lanes.
        for width in [32, 16, 4] {
            let c = (32 - width) << 8 | if mode == "up" { 0 } else { 31 };
            for b in [0, 1, 3, 5, 16, 31] {
                let found = warp(&format!(
                    "mul.lo.u32 %r1, %r0, 3; shfl.sync.{mode}.b32 %r2|%p1, %r1, {b}, {c}, -1;
                     selp.b32 %r3, 1000, 0, %p1; add.u32 %r9, %r2, %r3;"
                ));
                for (lane, found) in found.into_iter().enumerate() {
                    let (from, valid) = source(mode, lane as i64, b, c);
                    let expected = from as u64 * 3 + if valid { 1000 } else { 0 };
                    assert_eq!(found, expected, "{mode} width {width} by {b}, lane {lane}");
                }
            }
        }
    }
}

#[test]
fn shuffles_with_a_source_for_each_lane() {
    let found =
        warp("mul.lo.u32 %r1, %r0, 7; and.b32 %r1, %r1, 31; shfl.sync.idx.b32 %r9, %r0, %r1, 31, -1;");
    assert!((0..32).all(|lane| found[lane as usize] == lane * 7 % 32));
}

#[test]
fn halves_of_a_warp_shuffle_apart() {
    // The two halves take different ways to the same shuffle, each with a mask of its own.
    let found = warp(
        "setp.lt.u32 %p1, %r0, 16; selp.b32 %r5, 0xFFFF, 0xFFFF0000, %p1;
         shfl.sync.bfly.b32 %r9, %r0, 1, 31, %r5;",
    );
    assert!((0..32).all(|lane| found[lane as usize] == lane ^ 1));
    let found = warp(
        "mov.u32 %r9, 77; setp.lt.u32 %p1, %r0, 16; @!%p1 bra OVER; \
         shfl.sync.bfly.b32 %r9, %r0, 3, 31, 0xFFFF; OVER:",
    );
    assert!((0..32).all(|lane| found[lane as usize] == if lane < 16 { lane ^ 3 } else { 77 }));
}

#[test]
fn lanes_wait_for_the_members_of_a_mask() {
    // Odd lanes arrive from code that lies behind the shuffle.
    let found = warp(
        "and.b32 %r1, %r0, 1; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, 10; @%p1 bra LATE;
         MEET: add.u32 %r3, %r0, %r2; shfl.sync.bfly.b32 %r9, %r3, 1, 31, -1; bra DONE;
         LATE: mov.u32 %r2, 20; bra MEET; DONE:",
    );
    let expected = |lane: u64| (lane ^ 1) + if (lane ^ 1) & 1 == 1 { 20 } else { 10 };
    assert!((0..32).all(|lane| found[lane as usize] == expected(lane)));
}

#[test]
fn votes() {
    assert!(warp("setp.lt.u32 %p1, %r0, 5; vote.sync.ballot.b32 %r9, %p1, -1;").iter().all(|&x| x == 31));
    assert!(
        warp("setp.lt.u32 %p1, %r0, 5; vote.sync.ballot.b32 %r9, !%p1, -1;")
            .iter()
            .all(|&x| x == 0xFFFF_FFE0)
    );
    let outcome = |vote: &str, below: u32| {
        let found = warp(&format!(
            "setp.lt.u32 %p1, %r0, {below}; vote.sync.{vote}.pred %p2, %p1, -1; selp.b32 %r9, 1, 0, %p2;"
        ));
        assert!(found.iter().all(|&x| x == found[0]));
        found[0]
    };
    assert_eq!([0, 5, 32].map(|below| outcome("all", below)), [0, 0, 1]);
    assert_eq!([0, 5, 32].map(|below| outcome("any", below)), [0, 1, 1]);
    assert_eq!([0, 5, 32].map(|below| outcome("uni", below)), [1, 0, 1]);
}

#[test]
fn matches_and_reductions() {
    let found = warp("and.b32 %r1, %r0, 3; match.any.sync.b32 %r9, %r1, -1;");
    assert!((0..32).all(|lane| found[lane] == 0x1111_1111 << (lane & 3)));
    let found = warp("mov.u64 %d1, 5; match.all.sync.b64 %r1|%p1, %d1, -1; selp.b32 %r9, %r1, 9, %p1;");
    assert!(found.iter().all(|&x| x == 0xFFFF_FFFF));
    let found = warp("match.all.sync.b32 %r1|%p1, %r0, -1; selp.b32 %r9, 1, %r1, %p1;");
    assert!(found.iter().all(|&x| x == 0));
    assert!(warp("redux.sync.add.u32 %r9, %r0, -1;").iter().all(|&x| x == 496));
    assert!(warp("sub.u32 %r1, %r0, 16; redux.sync.min.s32 %r9, %r1, -1;").iter().all(|&x| x == 0xFFFF_FFF0));
    assert!(warp("redux.sync.or.b32 %r9, %r0, -1;").iter().all(|&x| x == 31));
}

#[test]
fn lane_registers() {
    let found = warp(
        "mov.u32 %r1, %lanemask_lt; mov.u32 %r2, %lanemask_ge; xor.b32 %r3, %r1, %r2; \
         mov.u32 %r4, %lanemask_eq;
         mov.u32 %r5, %lanemask_le; sub.u32 %r5, %r5, %r1; sub.u32 %r5, %r5, %r4; mov.u32 %r6, %lanemask_gt;
         add.u32 %r6, %r6, %r4; sub.u32 %r6, %r6, %r2; or.b32 %r5, %r5, %r6; not.b32 %r3, %r3;
         or.b32 %r9, %r3, %r5;",
    );
    assert!(found.iter().all(|&x| x == 0));
}

#[test]
fn a_warp_barrier_orders_shared_memory() {
    let found = warp(
        ".shared .align 4 .b8 s[128]; mul.wide.u32 %d1, %r0, 4; mov.u64 %d2, s; add.u64 %d1, %d2, %d1;
         st.shared.u32 [%d1], %r0; bar.warp.sync -1; xor.b32 %r1, %r0, 5; mul.wide.u32 %d3, %r1, 4;
         add.u64 %d3, %d2, %d3; ld.shared.u32 %r9, [%d3];",
    );
    assert!((0..32).all(|lane| found[lane as usize] == lane ^ 5));
}
