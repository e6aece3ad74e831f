// What openings read: cells of rows, and digests, at the places in a list. Bound by latency, not by bytes.

#include "goldilocks.cuh"

// out[k · width + c] = the canonical cell of column c in row rows[k]; columns are `stride` words apart. One
// thread a cell: 16 bytes read, 8 written.
KERNEL(gather_rows)(const u64* RESTRICT columns, u64 stride, u32 width, const u64* RESTRICT rows, u64 cells,
                    u64* RESTRICT out) {
    const u64 cell = GLOBAL_THREAD;
    if (cell >= cells) return;
    out[cell] = field_canonical(columns[(cell % width) * stride + rows[cell / width]]);
}

// out[k] = digests[places[k]]. Two threads a digest, half of it each: 24 bytes read, 16 written.
KERNEL(gather_digests)(const u32x4* RESTRICT digests, const u64* RESTRICT places, u64 count, u32x4* RESTRICT out) {
    const u64 half = GLOBAL_THREAD;
    if (half >= 2 * count) return;
    out[half] = digests[2 * places[half / 2] + half % 2];
}
