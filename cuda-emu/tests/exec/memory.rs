//! Loads, stores and atomics in every address space.

use super::kit::{Run, module};

/// The address of the thread's own word of `out`, in `%d72`.
const OWN: &str = "mul.wide.u32 %d72, %r70, 8; add.u64 %d72, %d71, %d72;";

#[test]
fn narrow_loads_extend_and_narrow_stores_leave_the_rest() {
    let body = "ld.global.s8 %d1, [%d70]; ld.global.u8 %d2, [%d70]; ld.global.s16 %r3, [%d70+2];
        ld.global.u16 %h4, [%d70+2]; cvt.s64.s32 %d3, %r3; cvt.u64.u16 %d4, %h4; ld.global.s32 %d5, [%d70+4];
        st.global.u64 [%d71], %d1; st.global.u64 [%d71+8], %d2; st.global.u64 [%d71+16], %d3;
        st.global.u64 [%d71+24], %d4; st.global.u64 [%d71+32], %d5;
        st.global.u8 [%d71+41], %r3; st.global.u16 [%d71+44], %h4; st.global.u32 [%d71+48], %d5;";
    let run = Run { shape: (1, 1), input: &[0x8765_4321_FEDC_BA98], output: 7, ..Run::default() };
    let expected = [
        0xFFFF_FFFF_FFFF_FF98,
        0x98,
        0xFFFF_FFFF_FFFF_FEDC,
        0xFEDC,
        0xFFFF_FFFF_8765_4321,
        0x0000_FEDC_0000_DC00,
        0x8765_4321,
    ];
    assert_eq!(run.on(&module("", body)).unwrap(), expected);
}

#[test]
fn vectors_move_whole() {
    let body = "ld.global.v2.u64 {%d1, %d2}, [%d70]; st.global.v2.u64 [%d71], {%d2, %d1};
        ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%d70+16]; st.global.v4.b32 [%d71+16], {%r4, %r3, %r2, %r1};
        ld.global.v4.u64 {%d3, %d4, %d5, %d6}, [%d70+32]; st.global.v4.u64 [%d71+32], {%d6, %d5, %d4, %d3};
        ld.global.v2.u16 {_, %h1}, [%d70]; st.global.u16 [%d71+64], %h1;";
    let input: Vec<u64> = (1..=8).map(|i| (i << 32) | (0x1111 * i) | i << 16).collect();
    let run = Run { shape: (1, 1), input: &input, output: 9, ..Run::default() };
    let i = &input;
    let expected =
        [i[1], i[0], i[3].rotate_left(32), i[2].rotate_left(32), i[7], i[6], i[5], i[4], i[0] >> 16 & 0xFFFF];
    assert_eq!(run.on(&module("", body)).unwrap(), expected);
}

#[test]
fn cache_and_order_hints_change_nothing() {
    let body = "ld.volatile.global.u64 %d1, [%d70]; ld.relaxed.gpu.global.u64 %d2, [%d70];
        ld.global.cg.u64 %d3, [%d70]; ld.global.nc.L1::no_allocate.L2::128B.u64 %d4, [%d70];
        membar.gl; fence.acq_rel.gpu; membar.cta;
        add.u64 %d1, %d1, %d2; add.u64 %d3, %d3, %d4; st.volatile.global.u64 [%d71], %d1;
        st.global.wt.u64 [%d71+8], %d3; st.release.gpu.global.u64 [%d71+16], %d4;";
    let run = Run { shape: (1, 1), input: &[21], output: 3, ..Run::default() };
    assert_eq!(run.on(&module("", body)).unwrap(), [42, 42, 21]);
}

#[test]
fn parameters_load_at_every_width() {
    // `n` is the third parameter, at offset 16.
    let body = "ld.param.u32 %r1, [n]; ld.param.u16 %h1, [n+2]; ld.param.s8 %r2, [n]; ld.param.s32 %d3, [n];
        cvt.u64.u32 %d1, %r1; cvt.u64.u16 %d2, %h1; cvt.s64.s32 %d4, %r2;
        st.global.u64 [%d71], %d1; st.global.u64 [%d71+8], %d2; st.global.u64 [%d71+16], %d3;
        st.global.u64 [%d71+24], %d4;";
    let run = Run { shape: (1, 1), output: 4, n: 0xFEDC_BA98, ..Run::default() };
    let expected = [0xFEDC_BA98, 0xFEDC, 0xFFFF_FFFF_FEDC_BA98, 0xFFFF_FFFF_FFFF_FF98];
    assert_eq!(run.on(&module("", body)).unwrap(), expected);
}

#[test]
fn constants_and_module_variables() {
    let declarations = ".const .align 8 .b8 table[16] = {1, 0, 0, 0, 0, 0, 0, 128, 2};
        .const .align 4 .u32 words[3] = {7, -1, 9};
        .global .align 8 .u64 counter = 40;
        .global .align 4 .f32 half = 0f3F000000;";
    let body = "mov.u64 %d1, table; ld.const.u64 %d2, [%d1]; ld.const.u64 %d3, [table+8];
        ld.const.u32 %r1, [words+4]; cvt.u64.u32 %d4, %r1;
        cvta.const.u64 %d5, %d1; ld.u64 %d5, [%d5];
        ld.global.u64 %d6, [counter]; add.u64 %d6, %d6, 2; st.global.u64 [counter], %d6;
        ld.global.u32 %r2, [half]; cvt.u64.u32 %d7, %r2;
        st.global.v2.u64 [%d71], {%d2, %d3}; st.global.v2.u64 [%d71+16], {%d4, %d5};
        st.global.v2.u64 [%d71+32], {%d6, %d7};";
    let module = module(declarations, body);
    let run = Run { shape: (1, 1), output: 6, ..Run::default() };
    let first = 0x8000_0000_0000_0001;
    assert_eq!(run.on(&module).unwrap(), [first, 2, 0xFFFF_FFFF, first, 42, 0x3F00_0000]);
    // Variables live as long as the module.
    assert_eq!(run.on(&module).unwrap()[4], 44);
}

#[test]
fn local_memory_belongs_to_the_thread() {
    let body = format!(
        ".local .align 16 .b8 depot[64]; {OWN}
         mov.u64 %d1, depot; cvta.local.u64 %d2, %d1;
         and.b32 %r1, %r70, 7; mul.wide.u32 %d3, %r1, 8; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
         cvt.u64.u32 %d6, %r70; st.local.u64 [%d4], %d6;
         ld.u64 %d7, [%d5]; add.u64 %d7, %d7, 100; st.u64 [%d5], %d7;
         ld.local.u64 %d8, [%d4]; st.global.u64 [%d72], %d8;"
    );
    let run = Run { shape: (1, 40), ..Run::default() };
    let found = run.on(&module("", &body)).unwrap();
    assert!((0..40).all(|thread| found[thread as usize] == thread + 100));
}

#[test]
fn static_and_dynamic_shared_memory_do_not_overlap() {
    // Twelve bytes of static memory: the dynamic part starts at the next multiple of 16.
    let declarations = ".extern .shared .align 16 .b8 dynamic[];";
    let body = ".shared .align 4 .b8 a[8]; .shared .align 4 .u32 b;
        st.shared.u32 [a+4], 1; st.shared.u32 [b], 2; st.shared.u32 [dynamic], 3;
        mov.u32 %r1, dynamic; st.shared.u32 [%r1+4], 4; cvt.u64.u32 %d4, %r1;
        ld.shared.u32 %r2, [a+4]; ld.shared.u32 %r3, [b]; ld.shared.v2.u32 {%r4, %r5}, [dynamic];
        st.global.v4.u32 [%d71], {%r2, %r3, %r4, %r5}; st.global.u64 [%d71+16], %d4;
        mov.u32 %r6, %dynamic_smem_size; mov.u32 %r7, %total_smem_size;
        st.global.v2.u32 [%d71+24], {%r6, %r7};";
    let module = module(declarations, body);
    assert_eq!(module.kernel("k").unwrap().static_shared_bytes(), 12);
    let run = Run { shape: (1, 1), shared: 8, output: 4, ..Run::default() };
    assert_eq!(run.on(&module).unwrap(), [2 << 32 | 1, 4 << 32 | 3, 16, 20 << 32 | 8]);
}

#[test]
fn generic_addresses_reach_shared_memory() {
    let body = format!(
        ".shared .align 8 .b8 s[512]; {OWN}
         mov.u64 %d1, s; cvta.shared.u64 %d2, %d1; mul.wide.u32 %d3, %r70, 8; add.u64 %d2, %d2, %d3;
         cvt.u64.u32 %d4, %r70; st.u64 [%d2], %d4; bar.sync 0; xor.b64 %d5, %d3, 8;
         cvta.to.shared.u64 %d6, %d2; add.u64 %d1, %d1, %d5; \
         ld.shared.u64 %d7, [%d1]; ld.shared.u64 %d8, [%d6];
         shl.b64 %d7, %d7, 8; add.u64 %d7, %d7, %d8; st.global.u64 [%d72], %d7;"
    );
    let run = Run { shape: (1, 64), ..Run::default() };
    let found = run.on(&module("", &body)).unwrap();
    assert!((0..64).all(|thread| found[thread as usize] == (thread ^ 1) << 8 | thread));
}

#[test]
fn atomics_return_the_old_value_and_leave_the_new_one() {
    // (operation, old, b, c, new)
    let cases: [(&str, u64, u64, u64, u64); 15] = [
        ("add.u32", 0xFFFF_FFFF, 3, 0, 2),
        ("add.u64", u64::MAX, 3, 0, 2),
        ("min.u32", 5, 0xFFFF_FFFF, 0, 5),
        ("min.s32", 5, 0xFFFF_FFFF, 0, 0xFFFF_FFFF),
        ("max.s32", 5, 0xFFFF_FFFF, 0, 5),
        ("max.u64", 5, u64::MAX, 0, u64::MAX),
        ("min.s64", 5, u64::MAX, 0, u64::MAX),
        ("and.b32", 0xFF, 0x3C, 0, 0x3C),
        ("or.b64", 0xF0, 0x0F, 0, 0xFF),
        ("xor.b32", 0xFF, 0x0F, 0, 0xF0),
        ("exch.b64", 1, 2, 0, 2),
        ("cas.b32", 7, 7, 9, 9),
        ("cas.b64", 7, 8, 9, 7),
        ("inc.u32", 4, 4, 0, 0),
        ("dec.u32", 0, 4, 0, 4),
    ];
    for (operation, old, b, c, new) in cases {
        let wide = operation.ends_with("64");
        let (r, ty) = if wide { ("%d", "u64") } else { ("%r", "u32") };
        let third = if operation.starts_with("cas") { format!(", {r}3") } else { String::new() };
        let load = format!("ld.global.{ty} {r}2, [%d70+8]; ld.global.{ty} {r}3, [%d70+16];");
        for space in ["global", "shared"] {
            let address = if space == "shared" { "s" } else { "%d71" };
            let body = format!(
                ".shared .align 8 .b8 s[8]; ld.global.{ty} {r}1, [%d70]; {load}
                 st.{space}.{ty} [{address}], {r}1;
                 atom.{space}.{operation} {r}4, [{address}], {r}2{third};
                 ld.{space}.{ty} {r}5, [{address}];
                 st.global.{ty} [%d71], {r}5; st.global.{ty} [%d71+8], {r}4;"
            );
            let run = Run { shape: (1, 1), input: &[old, b, c], output: 2, ..Run::default() };
            assert_eq!(run.on(&module("", &body)).unwrap(), [new, old], "{space} {operation}");
        }
    }
}

#[test]
fn atomics_of_many_threads_and_blocks_add_up() {
    let body = ".shared .align 4 .u32 sum; setp.eq.u32 %p1, %r70, 0; @%p1 st.shared.u32 [sum], 0; bar.sync 0;
        atom.shared.add.u32 %r1, [sum], %r70; red.global.add.u64 [%d71], 1; bar.sync 0;
        ld.shared.u32 %r2, [sum]; cvt.u64.u32 %d2, %r2; @%p1 red.global.add.u64 [%d71+8], %d2;
        red.global.max.u32 [%d71+16], %r70;";
    let mut run = Run { shape: (37, 100), output: 3, ..Run::default() };
    run.options.threads = 2;
    assert_eq!(run.on(&module("", body)).unwrap(), [3700, 37 * 4950, 99]);
}

#[test]
fn asynchronous_copies() {
    let body = format!(
        ".shared .align 16 .b8 s[1024]; {OWN}
         mul.wide.u32 %d1, %r70, 16; mov.u64 %d2, s; add.u64 %d2, %d2, %d1; add.u64 %d3, %d70, %d1;
         cp.async.cg.shared.global.L2::128B [%d2], [%d3], 16; cp.async.commit_group; cp.async.wait_group 0;
         ld.shared.v2.u64 {{%d4, %d5}}, [%d2]; mov.u32 %r1, 4;
         cp.async.ca.shared.global [%d2], [%d3], 8, %r1; cp.async.wait_all; ld.shared.u64 %d6, [%d2];
         add.u64 %d4, %d4, %d5; xor.b64 %d4, %d4, %d6; st.global.u64 [%d72], %d4;"
    );
    let input: Vec<u64> = (0..64).map(|i| (i << 40) | (i * 7)).collect();
    let found = Run { input: &input, ..Run::default() }.on(&module("", &body)).unwrap();
    for thread in 0..32 {
        let (low, high) = (input[2 * thread], input[2 * thread + 1]);
        assert_eq!(found[thread], (low + high) ^ (low & 0xFFFF_FFFF));
    }
}
