//! Planted bugs: each must be found, and named by line, thread and words.

use lambda_cuda_emu::exec::KernelFault;

use super::kit::{Run, line_of, module, options, text};

/// A thread's own word of shared memory in `%d1`, that of its neighbour in `%d3`.
const SHARED: &str =
    ".shared .align 8 .b8 s[512]; mov.u64 %d2, s; mul.wide.u32 %d1, %r70, 8; xor.b64 %d3, %d1, 8;
    add.u64 %d1, %d2, %d1; add.u64 %d3, %d2, %d3; cvt.u64.u32 %d4, %r70;";

/// The fault of `body` on a block of `threads`, the same for several seeds up to the order of warps; it must
/// be at the line that contains `line` and say `words`.
fn fault(threads: u32, body: &str, line: &str, words: &[&str]) -> KernelFault {
    let module = module("", body);
    let mut first = None;
    for seed in [0, 1, 7, 1 << 40] {
        let run = Run { shape: (1, threads), options: options(seed), ..Run::default() };
        let fault = run.on(&module).expect_err("the bug is not found");
        assert_eq!(fault.ptx_line, line_of(&text("", body), line), "{fault}");
        for word in words {
            assert!(fault.what.contains(word), "{fault}");
        }
        first.get_or_insert(fault);
    }
    first.unwrap()
}

#[test]
fn missing_barrier() {
    // The neighbour is in the same warp, or in another.
    let same = format!("{SHARED} st.shared.u64 [%d1], %d4;\nld.shared.u64 %d5, [%d3];");
    fault(64, &same, "ld.shared", &["read", "after a write by thread", "bar.warp.sync or barrier"]);
    let other = same.replace("xor.b64 %d3, %d1, 8", "xor.b64 %d3, %d1, 256");
    // Whichever warp comes first reads what the other has not written yet.
    fault(64, &other, "ld.shared", &["which no thread of the block has written"]);
}

#[test]
fn missing_barrier_between_reading_and_writing() {
    let body = format!(
        "{SHARED} st.shared.u64 [%d1], %d4; bar.sync 0;\nld.shared.u64 %d5, [%d3];\nst.shared.u64 [%d1], %d5;"
    );
    let found =
        fault(64, &body, "[%d1], %d5", &["write", "after a read by thread", "bar.warp.sync or barrier"]);
    assert!(found.what.contains(&format!("PTX line {}", line_of(&text("", &body), "ld.shared"))), "{found}");
}

#[test]
fn a_barrier_in_between_is_enough() {
    let body = format!("{SHARED} st.shared.u64 [%d1], %d4; bar.sync 0; ld.shared.u64 %d5, [%d3];");
    Run { shape: (1, 64), ..Run::default() }.on(&module("", &body)).unwrap();
}

#[test]
fn a_shuffle_orders_no_memory() {
    let body = format!(
        "{SHARED} st.shared.u64 [%d1], %d4; \
         shfl.sync.bfly.b32 %r1, %r70, 1, 31, -1;\nld.shared.u64 %d5, [%d3];"
    );
    fault(32, &body, "ld.shared", &["read", "bar.warp.sync"]);
}

#[test]
fn a_warp_barrier_orders_only_its_members() {
    let body = |mask: &str| {
        format!("{SHARED} st.shared.u64 [%d1], %d4; bar.warp.sync {mask};\nld.shared.u64 %d5, [%d3];")
    };
    // Pairs synchronise with each other: enough, neighbours are pairs.
    let pairs = body("%r9").replace(
        "cvt.u64.u32 %d4",
        "mov.u32 %r8, %laneid; and.b32 %r8, %r8, 30; shl.b32 %r9, 3, %r8; cvt.u64.u32 %d4",
    );
    Run { shape: (1, 32), ..Run::default() }.on(&module("", &pairs)).unwrap();
    // Even lanes with each other, odd ones with each other: not enough.
    let parities = body("%r9").replace(
        "cvt.u64.u32 %d4",
        "mov.u32 %r8, %laneid; and.b32 %r8, %r8, 1; shl.b32 %r9, 0x55555555, %r8; cvt.u64.u32 %d4",
    );
    fault(32, &parities, "ld.shared", &["read", "bar.warp.sync"]);
}

#[test]
fn two_lanes_write_the_same_word() {
    let body = format!("{SHARED}\nst.shared.u64 [s], %d4;");
    fault(32, &body, "st.shared", &["write", "after a write by thread"]);
}

#[test]
fn plain_access_beside_an_atomic_one() {
    let body = format!(
        "{SHARED} st.shared.u64 [%d1], 0; bar.sync 0; \
         atom.shared.add.u64 %d5, [s], 1;\nld.shared.u64 %d6, [s];"
    );
    fault(64, &body, "ld.shared", &["read", "after an atomic access"]);
}

#[test]
fn bytes_beside_each_other_do_not_conflict() {
    let body = ".shared .align 1 .b8 s[64]; mov.u64 %d2, s; cvt.u64.u32 %d4, %r70; add.u64 %d1, %d2, %d4;
        st.shared.u8 [%d1], %r70; ld.shared.u8 %r1, [%d1];";
    Run { shape: (1, 64), ..Run::default() }.on(&module("", body)).unwrap();
}

#[test]
fn shared_memory_out_of_bounds_by_one() {
    let body = format!("{SHARED}\nst.shared.u64 [%d1+8], %d4;");
    let found = fault(64, &body, "st.shared", &["write of 8 bytes at 512", "out of bounds", "512 bytes"]);
    assert_eq!(found.thread, [63, 0, 0]);
    let below = format!("{SHARED}\nld.shared.u64 %d5, [s+-8];");
    fault(1, &below, "ld.shared", &["out of bounds"]);
}

#[test]
fn shared_memory_between_the_parts() {
    let declarations = ".extern .shared .align 16 .b8 dynamic[];";
    let body = ".shared .align 4 .b8 s[4]; \
    st.shared.u32 [s], 1;\nst.shared.u32 [s+4], 1; st.shared.u32 [dynamic], 1;";
    let run = Run { shape: (1, 1), shared: 16, ..Run::default() };
    let found = run.on(&module(declarations, body)).unwrap_err();
    assert_eq!(found.ptx_line, line_of(&text(declarations, body), "[s+4]"));
    assert!(found.what.contains("the dynamic part starts at 16"), "{found}");
}

#[test]
fn misaligned_accesses() {
    fault(1, &format!("{SHARED}\nst.shared.u64 [s+4], %d4;"), "st.shared", &["at 4", "misaligned"]);
    fault(1, "ld.global.u64 %d1,\n[%d71+4];", "ld.global.u64 %d1,", &["misaligned"]);
    // A vector is aligned as a whole.
    fault(1, "\nld.global.v2.u64 {%d1, %d2}, [%d71+8];", "ld.global.v2", &["16 bytes", "misaligned"]);
    fault(1, "\natom.global.add.u64 %d1, [%d71+4], 1;", "atom.global", &["misaligned"]);
}

#[test]
fn global_memory_out_of_bounds() {
    let body = "mul.wide.u32 %d1, %r70, 8; add.u64 %d1, %d71, %d1;\nst.global.u64 [%d1+8], 1;";
    let found = fault(64, body, "st.global", &["global memory", "out of bounds", "buffer 1"]);
    assert_eq!(found.thread, [63, 0, 0]);
    fault(1, "\nld.global.u32 %r1, [0];", "[0]", &["global memory"]);
}

#[test]
fn local_and_constant_memory_out_of_bounds() {
    fault(
        1,
        ".local .align 8 .b8 l[16];\nst.local.u64 [l+16], %d1;",
        "st.local",
        &["local memory", "out of bounds"],
    );
    fault(1, "mov.u64 %d1, 0;\nld.const.u32 %r1, [%d1];", "ld.const", &["constant memory", "out of bounds"]);
}

#[test]
fn uninitialised_shared_memory() {
    let body = format!(
        "{SHARED} setp.ne.u32 %p1, %r70, 5; @%p1 st.shared.u64 [%d1], %d4; \
         bar.sync 0;\nld.shared.u64 %d5, [%d3];"
    );
    let found = fault(32, &body, "ld.shared", &["read of byte 40", "no thread of the block has written"]);
    assert_eq!(found.thread, [4, 0, 0]);
}

#[test]
fn what_an_earlier_block_wrote_is_not_initialised() {
    let body = "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; .shared .align 8 .b8 s[8];
        @%p1 st.shared.u64 [s], 1; ld.shared.u64 %d1, [s];";
    let run = Run { shape: (2, 1), ..Run::default() };
    assert_eq!(run.on(&module("", body)).unwrap_err().block, [1, 0, 0]);
}

#[test]
fn divergent_barrier() {
    let body = "and.b32 %r1, %r70, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra EVEN;\nbar.sync 0; bra END;
        EVEN:\nbarrier.sync 0;\nEND:";
    let module = module("", body);
    let found = Run { shape: (1, 64), ..Run::default() }.on(&module).unwrap_err();
    assert!(found.what.contains("divergent barrier"), "{found}");
    let lines = [line_of(&text("", body), "bar.sync"), line_of(&text("", body), "barrier.sync")];
    assert!(lines.contains(&found.ptx_line));
    let other = lines.into_iter().find(|&line| line != found.ptx_line).unwrap();
    assert!(found.what.contains(&format!("PTX line {other}")), "{found}");
}

#[test]
fn exit_before_a_barrier() {
    let body = "setp.ge.u32 %p1, %r70, 40; @%p1 ret;\nbar.sync 0;";
    fault(64, body, "bar.sync", &["24 of the block's 64 threads", "exited"]);
}

#[test]
fn shuffle_with_a_missing_lane() {
    let body = "setp.ge.u32 %p1, %r70, 20; @%p1 bra OVER;\nshfl.sync.bfly.b32 %r1, %r70, 1, 31, -1;\nOVER:";
    fault(32, body, "shfl", &["member mask 0xffffffff", "lane 20 has exited"]);
    let waits = format!("{body} bar.sync 0;");
    fault(32, &waits, "shfl", &["lane 20 waits at PTX line"]);
    // The block has no such thread.
    fault(20, "\nshfl.sync.bfly.b32 %r1, %r70, 1, 31, -1;", "shfl", &["lane 20 is no thread of the block"]);
}

#[test]
fn shuffle_reads_a_lane_outside_its_mask() {
    let body =
        "setp.ge.u32 %p1, %r70, 16; @%p1 bra OVER;\nshfl.sync.idx.b32 %r1, %r70, 20, 31, 0xFFFF;\nOVER:";
    fault(32, body, "shfl", &["reads lane 20", "0xffff"]);
}

#[test]
fn a_lane_outside_its_own_mask() {
    fault(32, "\nvote.sync.ballot.b32 %r1, %p1, 0xFFFF;", "vote", &["0xffff", "lane 16"]);
}

#[test]
fn infinite_loop() {
    let found = fault(32, "\nAGAIN: bra AGAIN;", "AGAIN", &["limit"]);
    assert!(found.what.contains(&(1u64 << 20).to_string()), "{found}");
}

#[test]
fn trap() {
    let found = fault(32, "setp.eq.u32 %p1, %r70, 9;\n@%p1 trap;", "trap", &["trap"]);
    assert_eq!(found.thread, [9, 0, 0]);
}

#[test]
fn a_fault_says_where_in_words() {
    let found = fault(64, "setp.eq.u32 %p1, %r70, 33;\n@%p1 trap;", "trap", &[]);
    let line = found.ptx_line;
    let expected = format!("kernel `k`, block (0, 0, 0), thread (33, 0, 0), PTX line {line}: a trap");
    assert_eq!(found.to_string(), expected);
}
