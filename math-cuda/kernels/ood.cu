// Sums of columns weighed by row: a table's columns at the out-of-domain point, from slab 0.
#include "weighted.cuh"

#define OOD_THREADS 256u
#define OOD_WARPS (OOD_THREADS / WARP_THREADS)
// Rows whose weights are in shared memory at a time.
#define OOD_TILE_ROWS 512u
// Columns that a warp adds up at a time, and those of a block.
#define OOD_WARP_COLUMNS 4u
#define OOD_BLOCK_COLUMNS (OOD_WARPS * OOD_WARP_COLUMNS)
// Words of a prepared row weight.
#define OOD_WEIGHT_WORDS (3 * LIMBS)

// sums[(3 · c + k) · GRID_DIM_Y + BLOCK_Y] = coefficient k of Σ_j w_(j-rotation) · column_c[j], for the
// `block_rows` rows j from BLOCK_Y · block_rows on, with w_j = x_j · denominators[j], x_j = shift · root^j,
// indices modulo height. BLOCK_X has columns 32 · BLOCK_X and so on of `count`, one warp four of them;
// column c is number list[c] (c itself where `list` is null) of `columns`, which start `stride` words
// apart. `block_rows` is a multiple of 512 and at most 8192; `step` is root^OOD_THREADS.
//
// A row and column takes 8 bytes and 18 multiply-adds of 32 bits; the weights of a row take 24 bytes and
// seven products for every 32 columns.
KERNEL_BOUNDED(ood_weighted_sums, 256, 2)(const u64* RESTRICT columns, u64 stride, const u32* RESTRICT list,
                                          u32 count, const u64* RESTRICT denominators, u64 height,
                                          u32 rotation, u64 shift, u64 root, u64 step, u32 block_rows,
                                          u64* RESTRICT sums) {
    // Word i of the weight of row r at i · OOD_TILE_ROWS + r; in the end, the threads' sums.
    SHARED(u64, shared, OOD_WEIGHT_WORDS * OOD_TILE_ROWS);
    const u32 lane = LANE_X, warp = THREAD_X / WARP_THREADS;
    const u64 first_row = (u64)BLOCK_Y * block_rows;

    const u64* column[OOD_WARP_COLUMNS];
    LimbSum totals[OOD_WARP_COLUMNS][3];
    UNROLL
    for (u32 c = 0; c < OOD_WARP_COLUMNS; ++c) {
        // Past the last column the last one is summed again and not stored.
        const u32 wanted = BLOCK_X * OOD_BLOCK_COLUMNS + warp * OOD_WARP_COLUMNS + c;
        const u32 index = wanted < count ? wanted : count - 1;
        column[c] = columns + (list ? list[index] : index) * stride;
        UNROLL
        for (u32 k = 0; k < 3; ++k) totals[c][k] = LimbSum{{0, 0, 0}};
    }

    u64 source = (first_row + THREAD_X + height - rotation) & (height - 1);
    u64 x = field_mul(shift, field_pow(root, source));
    NO_UNROLL
    for (u32 tile = 0; tile < block_rows && first_row + tile < height; tile += OOD_TILE_ROWS) {
        NO_UNROLL
        for (u32 row = THREAD_X; row < OOD_TILE_ROWS; row += OOD_THREADS) {
            Ext3 weight{0, 0, 0};
            if (first_row + tile + row < height) {
                weight = ext_scale(ext_load(denominators, height, source), x);
            }
            const Limbs words[3] = {limbs(weight.c0), limbs(weight.c1), limbs(weight.c2)};
            UNROLL
            for (u32 i = 0; i < OOD_WEIGHT_WORDS; ++i) {
                shared[i * OOD_TILE_ROWS + row] = words[i / LIMBS].words[i % LIMBS];
            }
            source = (source + OOD_THREADS) & (height - 1);
            x = field_mul(x, step);
        }
        BARRIER();
        NO_UNROLL
        for (u32 row = lane; row < OOD_TILE_ROWS; row += WARP_THREADS) {
            const u64 j = first_row + tile + row;
            if (j >= height) break;
            u64 values[OOD_WARP_COLUMNS];
            UNROLL
            for (u32 c = 0; c < OOD_WARP_COLUMNS; ++c) values[c] = column[c][j];
            UNROLL
            for (u32 k = 0; k < 3; ++k) {
                Limbs weight;
                UNROLL
                for (u32 i = 0; i < LIMBS; ++i) {
                    weight.words[i] = shared[(k * LIMBS + i) * OOD_TILE_ROWS + row];
                }
                UNROLL
                for (u32 c = 0; c < OOD_WARP_COLUMNS; ++c) limb_sum_add(totals[c][k], values[c], weight);
            }
        }
        BARRIER();
    }

    UNROLL
    for (u32 c = 0; c < OOD_WARP_COLUMNS; ++c) {
        UNROLL
        for (u32 k = 0; k < 3; ++k) {
            shared[(3 * c + k) * OOD_THREADS + THREAD_X] = limb_sum_reduce(totals[c][k]);
        }
    }
    BARRIER();
    // One thread per column and coefficient adds up the lanes.
    if (THREAD_X < 3 * OOD_BLOCK_COLUMNS) {
        const u32 block_column = THREAD_X / 3, k = THREAD_X % 3;
        const u32 c = block_column % OOD_WARP_COLUMNS;
        const u64* const lanes =
            shared + (3 * c + k) * OOD_THREADS + block_column / OOD_WARP_COLUMNS * WARP_THREADS;
        u64 sum = 0;
        NO_UNROLL
        // Each thread starts elsewhere: no two on one bank.
        for (u32 i = 0; i < WARP_THREADS; ++i) sum = field_add(sum, lanes[(i + THREAD_X) % WARP_THREADS]);
        const u32 index = BLOCK_X * OOD_BLOCK_COLUMNS + block_column;
        if (index < count) sums[(3 * (u64)index + k) * GRID_DIM_Y + BLOCK_Y] = field_canonical(sum);
    }
}
