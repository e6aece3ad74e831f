// The levels of a Merkle tree over several heights, and the leaves of tables that share one.
//
// Levels are stored as lambda-math stores them, in slab order: the children of entry j of a slab of N' nodes
// are the entries j and j + N' of the slab below. A node costs one compression (680 operations), reads 64
// bytes and writes 32; levels that one launch computes together are not read again.

#include "blake3.cuh"

// Nodes of the first level that a block computes, at most.
#define TREE_TILE 512u

// Computes `levels` levels above the one in `below`, one after the other in `above`, the last one of slabs of
// 2^top_log2 nodes in 2^slabs_log2 slabs. Where `injected` is not null, its leaves join the last level.
//
// A block computes the subtrees of 2^tile_log2 consecutive nodes of the last level; with the first level's
// 2^(tile_log2 + levels - 1) <= TREE_TILE nodes. Words of digests in shared memory are TREE_TILE apart, so
// that neighbouring threads use neighbouring banks.
KERNEL(tree_levels)(const u32x4* RESTRICT below, u32x4* RESTRICT above, const u32x4* RESTRICT injected, u32 top_log2,
                    u32 slabs_log2, u32 levels, u32 tile_log2) {
    SHARED(u32, words, 8 * TREE_TILE);
    const u32 tiles_log2 = top_log2 - tile_log2;
    const u64 slab = BLOCK_X >> tiles_log2;
    const u64 first = (u64)(BLOCK_X & ((1u << tiles_log2) - 1)) << tile_log2;
    u64 level_start = 0;
    for (u32 level = 1; level <= levels; ++level) {
        const u32 count = 1u << (tile_log2 + levels - level);
        const u32 height_log2 = top_log2 + levels - level;
        for (u32 i = THREAD_X; i < count; i += BLOCK_DIM_X) {
            const u64 entry = first + (i & ((1u << tile_log2) - 1)) + ((u64)(i >> tile_log2) << top_log2);
            Digest left, right;
            if (level == 1) {
                const u64 child = (slab << (height_log2 + 1)) + entry;
                left = digest_load(below, child);
                right = digest_load(below, child + (1ull << height_log2));
            } else {
                UNROLL for (u32 w = 0; w < 8; ++w) {
                    left.words[w] = words[w * TREE_TILE + i];
                    right.words[w] = words[w * TREE_TILE + i + count];
                }
            }
            Digest node = hash_node(left, right);
            if (level == levels && injected != nullptr) {
                node = hash_inject(node, digest_load(injected, (slab << height_log2) + entry));
            }
            digest_store(above, level_start + (slab << height_log2) + entry, node);
            // No other thread reads or writes words of i at this level, nor of i + count.
            UNROLL for (u32 w = 0; w < 8; ++w) words[w * TREE_TILE + i] = node.words[w];
        }
        level_start += 1ull << (height_log2 + slabs_log2);
        BARRIER();
    }
}

// Continues each leaf's hash over row digests by one block: the digest of one table, and that of another
// unless `second` is null. One thread a leaf; `chunk` … `merges` are the ChunkPlace.
KERNEL(tree_join)(const u32x4* RESTRICT first, const u32x4* RESTRICT second, u64 count, u64 chunk, u32 first_block,
                  u32 ends_chunk, u32 ends_leaf, u32 depth, u32 merges, u32x4* RESTRICT stack, u32x4* RESTRICT leaves) {
    const u64 leaf = GLOBAL_THREAD;
    if (leaf >= count) return;
    const ChunkPlace place{chunk, first_block, ends_chunk, ends_leaf, depth, merges};
    const Digest key = leaf_key();
    const Digest left = digest_load(first, leaf);
    Digest right = {};
    if (second != nullptr) right = digest_load(second, leaf);
    u32 message[16];
    UNROLL for (u32 i = 0; i < 8; ++i) {
        message[i] = left.words[i];
        message[i + 8] = right.words[i];
    }
    const u32 bytes = second == nullptr ? BLAKE3_BLOCK_BYTES / 2 : BLAKE3_BLOCK_BYTES;
    const Digest chaining = chunk_begin(place, key, leaves, leaf);
    const Digest next = blake3_compress(chaining, message, chunk, bytes, chunk_flags(place, 0, 1));
    chunk_end(place, key, next, stack, leaves, leaf, count);
}
