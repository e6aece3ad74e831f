// Sums and running sums of columns, in tiles of SCAN_ROWS rows: tile sums, sums of those, and so on to one
// row; then back down, each level's running sums starting from those of the level above. A column is read
// twice and written once, 24 bytes a row; all other levels together are less than a thousandth of that.
#include "goldilocks.cuh"

#define SCAN_THREADS 256u
// Rows that a thread adds up.
#define SCAN_RUN 8u
#define SCAN_ROWS (SCAN_THREADS * SCAN_RUN)
#define SCAN_WARPS (SCAN_THREADS / WARP_THREADS)

// Sum of `value` over the lanes up to this one.
DEVICE u64 warp_running_sum(u64 value) {
    NO_UNROLL
    for (u32 delta = 1; delta < WARP_THREADS; delta *= 2) {
        const bool has_lower = LANE_X >= delta;
        const u64 lower = SHUFFLE(ALL_LANES, value, has_lower ? LANE_X - delta : LANE_X);
        if (has_lower) value = field_add(value, lower);
    }
    return value;
}

// Sum of `value` over the threads below this one; `shared` has SCAN_WARPS words. Reached by all threads.
DEVICE u64 block_sum_below(u64* shared, u64 value) {
    const u64 inclusive = warp_running_sum(value);
    const u32 warp = THREAD_X / WARP_THREADS;
    if (LANE_X == WARP_THREADS - 1) shared[warp] = inclusive;
    BARRIER();
    u64 sum = field_sub(inclusive, value);
    NO_UNROLL
    for (u32 lower = 0; lower < warp; ++lower) sum = field_add(sum, shared[lower]);
    return sum;
}

// sums[c · GRID_DIM_X + t] = Σ columns[c][i] over the rows i of tile t = BLOCK_X, for column c = BLOCK_Y,
// which starts at c · stride. 8 bytes and one addition a row.
KERNEL(scan_tile_sums)(const u64* RESTRICT columns, u64 stride, u64 rows, u64* RESTRICT sums) {
    SHARED(u64, warps, SCAN_WARPS);
    const u64* const column = columns + BLOCK_Y * stride;
    const u64 first = (u64)BLOCK_X * SCAN_ROWS + THREAD_X;
    u64 sum = 0;
    UNROLL
    for (u32 i = 0; i < SCAN_RUN; ++i) {
        const u64 row = first + i * SCAN_THREADS;
        if (row < rows) sum = field_add(sum, column[row]);
    }
    const u64 below = block_sum_below(warps, sum);
    if (THREAD_X == SCAN_THREADS - 1) {
        sums[(u64)BLOCK_Y * GRID_DIM_X + BLOCK_X] = field_canonical(field_add(below, sum));
    }
}

// Slot of row `row` of a tile in shared memory: runs are padded to an odd number of words, so that the
// threads of a warp, each on its own run, use different banks.
DEVICE u32 scan_slot(u32 row) { return row + row / SCAN_RUN; }

// Replaces row i of column c = BLOCK_Y by starts[c][tile of i] + Σ_{k<i in its tile} columns[c][k] - i ·
// mean_c, where mean_c = totals[c] · mean_factor. `starts` has GRID_DIM_X words a column; null stands for
// zeros. 16 bytes, three additions and an eighth of a product a row.
KERNEL(scan_running_sums)(u64* columns, u64 stride, u64 rows, const u64* RESTRICT starts,
                          const u64* RESTRICT totals, u64 mean_factor) {
    SHARED(u64, tile, SCAN_ROWS + SCAN_THREADS);
    SHARED(u64, warps, SCAN_WARPS);
    u64* const column = columns + BLOCK_Y * stride;
    const u64 first = (u64)BLOCK_X * SCAN_ROWS;
    UNROLL
    for (u32 i = 0; i < SCAN_RUN; ++i) {
        const u32 row = i * SCAN_THREADS + THREAD_X;
        tile[scan_slot(row)] = first + row < rows ? column[first + row] : 0;
    }
    BARRIER();
    u64* const run = tile + scan_slot(THREAD_X * SCAN_RUN);
    u64 sum = 0;
    UNROLL
    for (u32 i = 0; i < SCAN_RUN; ++i) sum = field_add(sum, run[i]);
    u64 running = block_sum_below(warps, sum);
    if (starts) running = field_add(running, starts[(u64)BLOCK_Y * GRID_DIM_X + BLOCK_X]);
    const u64 mean = field_mul(totals[BLOCK_Y], mean_factor);
    running = field_sub(running, field_mul(mean, first + THREAD_X * SCAN_RUN));
    UNROLL
    for (u32 i = 0; i < SCAN_RUN; ++i) {
        const u64 value = run[i];
        run[i] = field_canonical(running);
        running = field_add(running, field_sub(value, mean));
    }
    BARRIER();
    UNROLL
    for (u32 i = 0; i < SCAN_RUN; ++i) {
        const u32 row = i * SCAN_THREADS + THREAD_X;
        if (first + row < rows) column[first + row] = tile[scan_slot(row)];
    }
}
