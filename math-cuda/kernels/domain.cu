// Points, selectors and denominators of a domain shift · H_N as columns; x_j = shift · ω_N^j.
//
// A thread computes its first point by squaring and goes on by a constant factor: `root` is ω_N and `step` is
// ω_N^RUN_THREADS, the factor between two rows of a thread. A block of 128 threads takes 1024 rows.
#include "inverse.cuh"

// out[j] = x_j for j < rows. 8 bytes and 6 products a row.
KERNEL(domain_points)(u64* RESTRICT out, u64 rows, u64 shift, u64 root, u64 step) {
    const u64 first = (u64)BLOCK_X * RUN_ROWS + THREAD_X;
    u64 x = field_mul(shift, field_pow(root, first));
    NO_UNROLL
    for (u32 i = 0; i < RUN_LENGTH; ++i) {
        const u64 row = first + i * RUN_THREADS;
        if (row < rows) out[row] = field_canonical(x);
        x = field_mul(x, step);
    }
}

// The selectors on a coset away from H_N, three columns of `rows` words: the Lagrange polynomials of the
// rows 0 and N - 1, and the transition selector.
//
//     first = Z / (N · (x - 1))     last = ω^-1 · Z / (N · (x - ω^-1))     transition = x - ω^-1
//
// `first_factor` and `last_factor` are the numerators, over N; `last_row` is ω^-1. A row takes 24 bytes and
// some 25 products, most of them for the inverse of (x - 1) · (x - ω^-1).
KERNEL(domain_coset_selectors)(u64* RESTRICT out, u64 rows, u64 shift, u64 root, u64 step, u64 last_row,
                               u64 first_factor, u64 last_factor) {
    SHARED(u64, shared, 2 * RUN_ROWS);
    SHARED(u64, points, RUN_ROWS);
    const u64 first = (u64)BLOCK_X * RUN_ROWS + THREAD_X;
    u64 x = field_mul(shift, field_pow(root, first));
    Run run = run_new(shared);
    NO_UNROLL
    for (u64 row = first; row < rows && run.length < RUN_LENGTH; row += RUN_THREADS) {
        points[run.length * RUN_THREADS + THREAD_X] = x;
        run_push(run, field_mul(field_sub(x, 1), field_sub(x, last_row)));
        x = field_mul(x, step);
    }
    run_invert(run);
    NO_UNROLL
    while (run.length > 0) {
        const u64 inverse = run_pop(run);
        const u64 point = points[run.length * RUN_THREADS + THREAD_X];
        const u64 row = first + run.length * RUN_THREADS;
        const u64 to_first = field_sub(point, 1), to_last = field_sub(point, last_row);
        const Ext3 selectors{
            field_mul(field_mul(inverse, to_last), first_factor),
            field_mul(field_mul(inverse, to_first), last_factor),
            to_last,
        };
        ext_store(out, rows, row, selectors);
    }
}

// The same on H_N itself: two unit columns, and x - ω^-1. 24 bytes and 6 products a row.
KERNEL(domain_trace_selectors)(u64* RESTRICT out, u64 rows, u64 root, u64 step, u64 last_row) {
    const u64 first = (u64)BLOCK_X * RUN_ROWS + THREAD_X;
    u64 x = field_pow(root, first);
    NO_UNROLL
    for (u32 i = 0; i < RUN_LENGTH; ++i) {
        const u64 row = first + i * RUN_THREADS;
        if (row < rows) ext_store(out, rows, row, Ext3{row == 0, row == rows - 1, field_sub(x, last_row)});
        x = field_mul(x, step);
    }
}

// out = 1/(ζ - x), three base columns of `rows` words, ζ = (zeta0, zeta1, zeta2) not one of the points.
// 24 bytes and 25 products a row.
KERNEL(domain_denominators)(u64* RESTRICT out, u64 rows, u64 shift, u64 root, u64 step, u64 zeta0, u64 zeta1,
                            u64 zeta2) {
    SHARED(u64, shared, 2 * RUN_ROWS);
    SHARED(u64, adjugates, 3 * RUN_ROWS);
    const u64 first = (u64)BLOCK_X * RUN_ROWS + THREAD_X;
    u64 x = field_mul(shift, field_pow(root, first));
    Run run = run_new(shared);
    NO_UNROLL
    for (u64 row = first; row < rows && run.length < RUN_LENGTH; row += RUN_THREADS) {
        const ExtInverse inverse = ext_adjugate(Ext3{field_sub(zeta0, x), zeta1, zeta2});
        run_store(adjugates, run.length, inverse.adjugate);
        run_push(run, inverse.norm);
        x = field_mul(x, step);
    }
    run_invert(run);
    NO_UNROLL
    while (run.length > 0) {
        const u64 inverse = run_pop(run);
        const Ext3 value = ext_scale(run_load(adjugates, run.length), inverse);
        ext_store(out, rows, first + run.length * RUN_THREADS, value);
    }
}
