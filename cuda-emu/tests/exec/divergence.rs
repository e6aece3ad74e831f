//! Lanes that branch apart and meet again.

use super::kit::{Run, line_of, module, text};

const OWN: &str = "mul.wide.u32 %d72, %r70, 8; add.u64 %d72, %d71, %d72;";

#[test]
fn nested_branches() {
    let body = format!(
        "{OWN} and.b32 %r1, %r70, 1; setp.eq.u32 %p1, %r1, 0; and.b32 %r2, %r70, 2; setp.eq.u32 %p2, %r2, 0;
         mov.u64 %d1, 0;
         @%p1 bra EVEN;
         add.u64 %d1, %d1, 1; @%p2 bra ODD_LOW; add.u64 %d1, %d1, 10; bra.uni JOIN;
         ODD_LOW: add.u64 %d1, %d1, 20; bra JOIN;
         EVEN: @!%p2 bra EVEN_HIGH; add.u64 %d1, %d1, 100; bra JOIN;
         EVEN_HIGH: add.u64 %d1, %d1, 200;
         JOIN: add.u64 %d1, %d1, 1000; st.global.u64 [%d72], %d1;"
    );
    let found = Run::default().on(&module("", &body)).unwrap();
    for thread in 0..32u64 {
        let expected = match (thread & 1, thread & 2) {
            (1, 0) => 1021,
            (1, _) => 1011,
            (_, 0) => 1100,
            (_, _) => 1200,
        };
        assert_eq!(found[thread as usize], expected, "thread {thread}");
    }
}

#[test]
fn loops_with_a_trip_count_for_each_lane() {
    let body = format!(
        "{OWN} mov.u64 %d1, 0; mov.u32 %r1, %r70;
         LOOP: setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
         cvt.u64.u32 %d2, %r1; add.u64 %d1, %d1, %d2; sub.u32 %r1, %r1, 1; bra LOOP;
         DONE: st.global.u64 [%d72], %d1;"
    );
    let run = Run { shape: (1, 45), ..Run::default() };
    let (found, stats) = run.with_stats(&module("", &body)).unwrap();
    assert!((0..45).all(|thread| found[thread as usize] == thread * (thread + 1) / 2));
    // Each thread counts its own instructions: 4 from the kit, 4 before the loop, 6 a turn, 4 from the last
    // test on.
    let expected: u64 = (0..45).map(|thread| 4 + 4 + 6 * thread + 4).sum();
    assert_eq!(stats.instructions, expected);
}

#[test]
fn lanes_meet_again_where_the_branch_ends() {
    // After the branch all lanes vote together: they are one fragment again.
    let body = format!(
        "{OWN} and.b32 %r1, %r70, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra JOIN; add.u32 %r2, %r70, 1;
         JOIN: activemask.b32 %r3; cvt.u64.u32 %d3, %r3; st.global.u64 [%d72], %d3;"
    );
    let found = Run::default().on(&module("", &body)).unwrap();
    assert!(found[..32].iter().all(|&mask| mask == 0xFFFF_FFFF));
}

#[test]
fn guarded_exits_leave_the_other_lanes() {
    let body = format!(
        "{OWN} setp.lt.u32 %p1, %r70, 10; mov.u64 %d1, 1; @%p1 exit; st.global.u64 [%d72], %d1;
         setp.lt.u32 %p1, %r70, 20; @%p1 ret; st.global.u64 [%d72], 2;"
    );
    let found = Run::default().on(&module("", &body)).unwrap();
    let expected = |thread: usize| u64::from(thread >= 10) + u64::from(thread >= 20);
    assert!((0..32).all(|thread| found[thread] == expected(thread)));
}

#[test]
fn branch_tables() {
    let body = format!(
        "{OWN} and.b32 %r1, %r70, 3; mov.u64 %d1, 9;
         TABLE: .branchtargets CASE_A, CASE_B, CASE_A, CASE_C;
         brx.idx %r1, TABLE;
         CASE_A: mov.u64 %d1, 1; bra END;
         CASE_B: mov.u64 %d1, 2; bra END;
         CASE_C: mov.u64 %d1, 3;
         END: st.global.u64 [%d72], %d1;"
    );
    let found = Run::default().on(&module("", &body)).unwrap();
    assert!((0..32).all(|thread| found[thread] == [1, 2, 1, 3][thread & 3]));
    let beyond = body.replace("and.b32 %r1, %r70, 3", "and.b32 %r1, %r70, 7");
    let fault = Run::default().on(&module("", &beyond)).unwrap_err();
    assert_eq!((fault.thread, fault.ptx_line), ([4, 0, 0], line_of(&text("", &beyond), "brx.idx")));
}

#[test]
fn scopes_hide_names() {
    let body = format!(
        "{OWN} mov.u32 %r1, 5;
         {{ .reg .b32 %r1; mov.u32 %r1, 7; setp.eq.u32 %p1, %r1, 7; \
         @%p1 bra INNER; trap; INNER: add.u32 %r2, %r1, 1; }}
         {{ .reg .b32 t; mov.u32 t, 3; bra INNER; trap; INNER: add.u32 %r2, %r2, t; }}
         add.u32 %r2, %r2, %r1; cvt.u64.u32 %d1, %r2; st.global.u64 [%d72], %d1;"
    );
    assert_eq!(Run::default().on(&module("", &body)).unwrap()[0], 8 + 3 + 5);
}
