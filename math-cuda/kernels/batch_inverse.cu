// Inverses of whole columns, in place. Zeros stay zeros and are reported.
//
// A block of 128 threads takes 1024 rows. Base: 16 bytes and 12 products a row; extension: 48 bytes and
// 24 products a row (nine for the cofactors and the norm, three for the inverse of the norm, three to scale,
// nine for the run's inversion). Bound by integer arithmetic.
#include "inverse.cuh"

// columns[c][i] = 1/columns[c][i] for i < rows; column c = BLOCK_Y starts at c · stride.
KERNEL(batch_inverse_base)(u64* columns, u64 stride, u64 rows, u32* flag) {
    SHARED(u64, shared, 2 * RUN_ROWS);
    u64* const column = columns + BLOCK_Y * stride;
    const u64 first = (u64)BLOCK_X * RUN_ROWS + THREAD_X;
    Run run = run_new(shared);
    NO_UNROLL
    for (u64 row = first; row < rows && run.length < RUN_LENGTH; row += RUN_THREADS) {
        run_push(run, column[row]);
    }
    run_invert(run);
    NO_UNROLL
    while (run.length > 0) {
        const u64 inverse = run_pop(run);
        column[first + run.length * RUN_THREADS] = field_canonical(inverse);
    }
    run_report(run, flag);
}

// The same for extension columns: the three base columns of column c start at 3 · c · stride.
KERNEL(batch_inverse_ext)(u64* columns, u64 stride, u64 rows, u32* flag) {
    SHARED(u64, shared, 2 * RUN_ROWS);
    SHARED(u64, adjugates, 3 * RUN_ROWS);
    u64* const column = columns + 3 * BLOCK_Y * stride;
    const u64 first = (u64)BLOCK_X * RUN_ROWS + THREAD_X;
    Run run = run_new(shared);
    NO_UNROLL
    for (u64 row = first; row < rows && run.length < RUN_LENGTH; row += RUN_THREADS) {
        const ExtInverse inverse = ext_adjugate(ext_load(column, stride, row));
        run_store(adjugates, run.length, inverse.adjugate);
        run_push(run, inverse.norm);
    }
    run_invert(run);
    NO_UNROLL
    while (run.length > 0) {
        const u64 inverse = run_pop(run);
        const Ext3 value = ext_scale(run_load(adjugates, run.length), inverse);
        ext_store(column, stride, first + run.length * RUN_THREADS, value);
    }
    run_report(run, flag);
}
