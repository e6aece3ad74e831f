// Columns combined into the DEEP codeword, on slab 0.
#include "weighted.cuh"

#define DEEP_THREADS 256u
// Rows of a thread, which share the loads of weights.
#define DEEP_THREAD_ROWS 4u
#define DEEP_ROWS (DEEP_THREADS * DEEP_THREAD_ROWS)

// out[j] += (value - Σ_c weights[c] · column_c[j]) · denominators[j - rotation], indices modulo height;
// with `first` set, out[j] = that. `out` and `denominators` are three base columns of `height` words each;
// column c of `count`, at most 512, is number list[c] (c itself where `list` is null) of `columns`, which
// start `stride` words apart; `weights` has three words a column; value = (value0, value1, value2).
//
// A row takes 8 bytes and 18 multiply-adds of 32 bits a column, 72 bytes and nine products besides.
KERNEL_BOUNDED(deep_add, 256, 2)(const u64* RESTRICT columns, u64 stride, const u32* RESTRICT list, u32 count,
                                 const u64* RESTRICT weights, u64 value0, u64 value1, u64 value2,
                                 const u64* RESTRICT denominators, u64 height, u32 rotation, u32 first,
                                 u64* out) {
    // Prepared weights, three of LIMBS words a column; in the end, the threads' sums.
    SHARED(u64, shared, 3 * LIMBS * LIMB_SUM_CAPACITY);
    NO_UNROLL
    for (u32 i = THREAD_X; i < 3 * count; i += DEEP_THREADS) {
        const Limbs words = limbs(weights[i]);
        UNROLL
        for (u32 k = 0; k < LIMBS; ++k) shared[i * LIMBS + k] = words.words[k];
    }
    BARRIER();

    const u64 first_row = (u64)BLOCK_X * DEEP_ROWS + THREAD_X;
    u32 rows[DEEP_THREAD_ROWS];
    LimbSum sums[DEEP_THREAD_ROWS][3];
    UNROLL
    for (u32 r = 0; r < DEEP_THREAD_ROWS; ++r) {
        // Past the last row the last one is summed again and not stored.
        const u64 row = first_row + r * DEEP_THREADS;
        rows[r] = (u32)(row < height ? row : height - 1);
        UNROLL
        for (u32 k = 0; k < 3; ++k) sums[r][k] = LimbSum{{0, 0, 0}};
    }
    NO_UNROLL
    for (u32 c = 0; c < count; ++c) {
        const u64* const column = columns + (list ? list[c] : c) * stride;
        u64 values[DEEP_THREAD_ROWS];
        UNROLL
        for (u32 r = 0; r < DEEP_THREAD_ROWS; ++r) values[r] = column[rows[r]];
        UNROLL
        for (u32 k = 0; k < 3; ++k) {
            Limbs weight;
            UNROLL
            for (u32 i = 0; i < LIMBS; ++i) weight.words[i] = shared[(c * 3 + k) * LIMBS + i];
            UNROLL
            for (u32 r = 0; r < DEEP_THREAD_ROWS; ++r) limb_sum_add(sums[r][k], values[r], weight);
        }
    }

    // Through shared memory, each thread its own: the rest is a loop over rows, not four copies of it.
    BARRIER();
    UNROLL
    for (u32 r = 0; r < DEEP_THREAD_ROWS; ++r) {
        UNROLL
        for (u32 k = 0; k < 3; ++k) {
            shared[(3 * r + k) * DEEP_THREADS + THREAD_X] = limb_sum_reduce(sums[r][k]);
        }
    }
    NO_UNROLL
    for (u32 r = 0; r < DEEP_THREAD_ROWS; ++r) {
        const u64 row = first_row + r * DEEP_THREADS;
        if (row >= height) break;
        const Ext3 sum = ext_load(shared, DEEP_THREADS, 3 * r * DEEP_THREADS + THREAD_X);
        const Ext3 denominator = ext_load(denominators, height, (row + height - rotation) & (height - 1));
        Ext3 quotient = ext_mul(ext_sub(Ext3{value0, value1, value2}, sum), denominator);
        if (!first) quotient = ext_add(quotient, ext_load(out, height, row));
        ext_store(out, height, row, quotient);
    }
}
