// Row digests: keyed BLAKE3 of the canonical little-endian words of each row, one thread a row.
//
// Neighbouring threads read neighbouring rows of a column, so every load of a warp is one run of 256 bytes.
// Per row: 8 bytes read a cell, 32 written, one compression (680 operations) for 8 cells. On an H200 that is
// bound by the compressions, at a quarter to a third of the memory's rate.

#include "blake3.cuh"
#include "goldilocks.cuh"

// Continues each row's hash by `width` cells of one chunk: those of columns `stride` words apart, of which
// this thread's row is one. `chunk` … `merges` are the ChunkPlace. `width` is a multiple of 8 unless the row
// ends, and 0 only for rows without cells.
KERNEL(rows_absorb)(const u64* RESTRICT columns, u64 stride, u64 rows, u32 width, u64 chunk, u32 first_block,
                    u32 ends_chunk, u32 ends_row, u32 depth, u32 merges, u32x4* RESTRICT stack,
                    u32x4* RESTRICT digests) {
    const u64 row = GLOBAL_THREAD;
    if (row >= rows) return;
    const ChunkPlace place{chunk, first_block, ends_chunk, ends_row, depth, merges};
    const Digest key = row_key();
    Digest chaining = chunk_begin(place, key, digests, row);
    const u64* cell = columns + row;
    const u32 blocks = width == 0 ? 1 : (width + BLAKE3_BLOCK_CELLS - 1) / BLAKE3_BLOCK_CELLS;
    u32 left = width;
    for (u32 block = 0; block < blocks; ++block) {
        const u32 count = left < BLAKE3_BLOCK_CELLS ? left : BLAKE3_BLOCK_CELLS;
        u32 message[16];
        UNROLL for (u32 i = 0; i < BLAKE3_BLOCK_CELLS; ++i) {
            const u64 word = i < count ? field_canonical(cell[i * stride]) : 0;
            message[2 * i] = (u32)word;
            message[2 * i + 1] = (u32)(word >> 32);
        }
        chaining = blake3_compress(chaining, message, chunk, 8 * count, chunk_flags(place, block, blocks));
        cell += BLAKE3_BLOCK_CELLS * stride;
        left -= count;
    }
    chunk_end(place, key, chaining, stack, digests, row, rows);
}

// Digests of a codeword's cosets of 2^arity_log2 points, the leaves of its tree: a leaf's cells are the
// values in position order, three words each. The codeword is one extension column of slabs of 2^height_log2
// values, its base columns `stride` words apart; leaf j of a slab has the values at j + o · 2^(height_log2 -
// arity_log2), o in bit-reversed order. One thread a leaf; at most 2^5 points, so that a leaf is one chunk.
KERNEL(rows_cosets)(const u64* RESTRICT codeword, u64 stride, u32 height_log2, u32 arity_log2, u64 leaves,
                    u32x4* RESTRICT digests) {
    const u64 leaf = GLOBAL_THREAD;
    if (leaf >= leaves) return;
    const u32 apart_log2 = height_log2 - arity_log2;
    const u64 slab = leaf >> apart_log2;
    const u64* value = codeword + (slab << height_log2) + (leaf & ((1ull << apart_log2) - 1));
    const u32 cells = 3u << arity_log2;
    Digest chaining = row_key();
    for (u32 first = 0; first < cells; first += BLAKE3_BLOCK_CELLS) {
        const u32 count = cells - first < BLAKE3_BLOCK_CELLS ? cells - first : BLAKE3_BLOCK_CELLS;
        u32 message[16];
        UNROLL for (u32 i = 0; i < BLAKE3_BLOCK_CELLS; ++i) {
            const u32 point = (first + i) / 3, column = (first + i) % 3;
            const u64 offset = arity_log2 == 0 ? 0 : (u64)(reverse_bits(point) >> (32 - arity_log2)) << apart_log2;
            const u64 word = i < count ? field_canonical(value[column * stride + offset]) : 0;
            message[2 * i] = (u32)word;
            message[2 * i + 1] = (u32)(word >> 32);
        }
        const u32 start = first == 0 ? BLAKE3_CHUNK_START : 0;
        const u32 end = first + count == cells ? BLAKE3_CHUNK_END | BLAKE3_ROOT : 0;
        chaining = blake3_compress(chaining, message, 0, 8 * count, start | end);
    }
    digest_store(digests, leaf, chaining);
}
