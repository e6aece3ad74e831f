// BLAKE3 in keyed mode (BLAKE3 paper, sections 2.2 and 2.3): the compression of one block, and the hashes
// that commitments are made of. One thread hashes one message.
//
// A compression is 7 rounds of 8 mixings of 12 32-bit operations, 680 in all. A Digest lies in memory as 32
// bytes, 16-byte aligned.
#pragma once

#include "portable.cuh"

// A chaining value or a digest.
struct Digest {
    u32 words[8];
};

// First block of a chunk.
#define BLAKE3_CHUNK_START 1u
// Last block of a chunk.
#define BLAKE3_CHUNK_END 2u
// Two chaining values instead of message bytes.
#define BLAKE3_PARENT 4u
// The last compression of a hash.
#define BLAKE3_ROOT 8u
// Keyed mode: set in every compression here.
#define BLAKE3_KEYED 16u
// A message of one block.
#define BLAKE3_ONLY_BLOCK (BLAKE3_CHUNK_START | BLAKE3_CHUNK_END | BLAKE3_ROOT)

// Bytes of a block; a chunk is sixteen.
#define BLAKE3_BLOCK_BYTES 64u
// Cells of a table's row in a block.
#define BLAKE3_BLOCK_CELLS 8u

// The keys of lambda-math's HashDomain.
DEVICE Digest row_key() {
    return Digest{{0x064c994du, 0xf7de8442u, 0xce01d8c7u, 0x735be4fdu, 0xc19c9ac0u, 0xb2e83759u, 0x8ee2bab8u,
                   0x0c58a6f0u}};
}
DEVICE Digest leaf_key() {
    return Digest{{0xb2cd6bd4u, 0x69d30a18u, 0x095cff6eu, 0xfceff190u, 0xefa64622u, 0xf3a44593u, 0x75a50b29u,
                   0xcef19032u}};
}
DEVICE Digest node_key() {
    return Digest{{0x122c302cu, 0x4fd460bau, 0x0284ac82u, 0x6026190cu, 0x75c48092u, 0x65ea6645u, 0x94ad508du,
                   0x777319a9u}};
}
DEVICE Digest inject_key() {
    return Digest{{0x1e591da0u, 0x9f758a2bu, 0x33f4336cu, 0xfd7c3ef1u, 0x10bb976du, 0x27cef742u, 0xe48899aeu,
                   0xff507593u}};
}
DEVICE Digest grinding_key() {
    return Digest{{0xd5213b4bu, 0xae959ac9u, 0xc3563a53u, 0x6f15e9ddu, 0x3adeba71u, 0x4d3ae850u, 0x7cdb8a56u,
                   0x7b6b612eu}};
}

// One mixing of four words of the state with two of the message.
DEVICE void blake3_mix(u32& a, u32& b, u32& c, u32& d, u32 x, u32 y) {
    a = a + b + x;
    d = rotate_right(d ^ a, 16);
    c = c + d;
    b = rotate_right(b ^ c, 12);
    a = a + b + y;
    d = rotate_right(d ^ a, 8);
    c = c + d;
    b = rotate_right(b ^ c, 7);
}

// Chaining value after a block: `message` compressed under `chaining`, for chunk number `counter`, a block of
// `bytes` bytes and the given flags.
DEVICE Digest blake3_compress(const Digest& chaining, const u32 (&message)[16], u64 counter, u32 bytes, u32 flags) {
    u32 m[16], v[16];
    UNROLL for (u32 i = 0; i < 16; ++i) m[i] = message[i];
    UNROLL for (u32 i = 0; i < 8; ++i) v[i] = chaining.words[i];
    v[8] = 0x6a09e667u;
    v[9] = 0xbb67ae85u;
    v[10] = 0x3c6ef372u;
    v[11] = 0xa54ff53au;
    v[12] = (u32)counter;
    v[13] = (u32)(counter >> 32);
    v[14] = bytes;
    v[15] = flags | BLAKE3_KEYED;
    UNROLL for (u32 round = 0; round < 7; ++round) {
        blake3_mix(v[0], v[4], v[8], v[12], m[0], m[1]);
        blake3_mix(v[1], v[5], v[9], v[13], m[2], m[3]);
        blake3_mix(v[2], v[6], v[10], v[14], m[4], m[5]);
        blake3_mix(v[3], v[7], v[11], v[15], m[6], m[7]);
        blake3_mix(v[0], v[5], v[10], v[15], m[8], m[9]);
        blake3_mix(v[1], v[6], v[11], v[12], m[10], m[11]);
        blake3_mix(v[2], v[7], v[8], v[13], m[12], m[13]);
        blake3_mix(v[3], v[4], v[9], v[14], m[14], m[15]);
        // The message permutation of the paper's table 2; it names registers anew and costs nothing.
        const u32 p[16] = {m[2], m[6],  m[3],  m[10], m[7], m[0],  m[4],  m[13],
                           m[1], m[11], m[12], m[5],  m[9], m[14], m[15], m[8]};
        UNROLL for (u32 i = 0; i < 16; ++i) m[i] = p[i];
    }
    Digest out;
    UNROLL for (u32 i = 0; i < 8; ++i) out.words[i] = v[i] ^ v[i + 8];
    return out;
}

// The message of a block that is two digests or chaining values.
DEVICE Digest blake3_pair(const Digest& key, const Digest& left, const Digest& right, u32 flags) {
    u32 message[16];
    UNROLL for (u32 i = 0; i < 8; ++i) {
        message[i] = left.words[i];
        message[i + 8] = right.words[i];
    }
    return blake3_compress(key, message, 0, BLAKE3_BLOCK_BYTES, flags);
}

// Chaining value of a subtree of BLAKE3's own tree of chunks; `root` is BLAKE3_ROOT for the whole, else 0.
DEVICE Digest blake3_parent(const Digest& key, const Digest& left, const Digest& right, u32 root) {
    return blake3_pair(key, left, right, BLAKE3_PARENT | root);
}

// lambda-math's hash_node.
DEVICE Digest hash_node(const Digest& left, const Digest& right) {
    return blake3_pair(node_key(), left, right, BLAKE3_ONLY_BLOCK);
}

// lambda-math's hash_inject.
DEVICE Digest hash_inject(const Digest& node, const Digest& leaf) {
    return blake3_pair(inject_key(), node, leaf, BLAKE3_ONLY_BLOCK);
}

// lambda-math's hash_row of COUNT canonical cells in registers, at least one and at most 128 (one chunk).
// Every index is a constant once unrolled: 1 compression for 8 cells.
template <u32 COUNT>
DEVICE Digest hash_cells(const u64 (&cells)[COUNT]) {
    static_assert(COUNT >= 1 && COUNT <= 128, "the cells of one chunk");
    constexpr u32 BLOCKS = (COUNT + BLAKE3_BLOCK_CELLS - 1) / BLAKE3_BLOCK_CELLS;
    Digest chaining = row_key();
    UNROLL for (u32 block = 0; block < BLOCKS; ++block) {
        const u32 first = block * BLAKE3_BLOCK_CELLS;
        const u32 count = COUNT - first < BLAKE3_BLOCK_CELLS ? COUNT - first : BLAKE3_BLOCK_CELLS;
        u32 message[16];
        UNROLL for (u32 i = 0; i < BLAKE3_BLOCK_CELLS; ++i) {
            const u64 cell = i < count ? cells[first + (i < count ? i : 0)] : 0;
            message[2 * i] = (u32)cell;
            message[2 * i + 1] = (u32)(cell >> 32);
        }
        const u32 start = block == 0 ? BLAKE3_CHUNK_START : 0;
        const u32 end = block == BLOCKS - 1 ? BLAKE3_CHUNK_END | BLAKE3_ROOT : 0;
        chaining = blake3_compress(chaining, message, 0, 8 * count, start | end);
    }
    return chaining;
}

// Where in BLAKE3's tree of chunks the messages of a launch are: all at the same place. The subtrees that are
// complete wait on a stack, for each of its entries a list of chaining values, one a message.
struct ChunkPlace {
    // Number of the chunk.
    u64 chunk;
    // Blocks of the chunk that an earlier launch has absorbed: their chaining values are in the output.
    u32 first_block;
    // Whether the chunk ends with this launch, and whether the message does.
    u32 ends_chunk, ends_message;
    // Subtrees on the stack, and how many of them, from the top, the chunk is joined with when it ends.
    u32 depth, merges;
};

// Flags of block `block` of the `blocks` that a launch absorbs.
DEVICE u32 chunk_flags(const ChunkPlace& place, u32 block, u32 blocks) {
    const u32 start = place.first_block + block == 0 ? BLAKE3_CHUNK_START : 0;
    if (block + 1 != blocks || !place.ends_chunk) return start;
    return start | BLAKE3_CHUNK_END | (place.ends_message && place.merges == 0 ? BLAKE3_ROOT : 0);
}

// Digest `i` of a list.
DEVICE Digest digest_load(const u32x4* digests, u64 i) {
    const u32x4 low = digests[2 * i], high = digests[2 * i + 1];
    return Digest{{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
}

// Makes `digest` digest `i` of a list.
DEVICE void digest_store(u32x4* digests, u64 i, const Digest& digest) {
    const u32* w = digest.words;
    digests[2 * i] = u32x4{w[0], w[1], w[2], w[3]};
    digests[2 * i + 1] = u32x4{w[4], w[5], w[6], w[7]};
}

// What `chaining` starts a launch with: message `i`'s value from before, or the key.
DEVICE Digest chunk_begin(const ChunkPlace& place, const Digest& key, const u32x4* out, u64 i) {
    return place.first_block == 0 ? key : digest_load(out, i);
}

// Puts away the chaining value that message `i` of `count` has after a launch: on the stack when it completes
// a subtree, in `out` when the chunk goes on or the message ends, and then it is the digest.
DEVICE void chunk_end(const ChunkPlace& place, const Digest& key, Digest chaining, u32x4* stack, u32x4* out, u64 i,
                      u64 count) {
    for (u32 merge = 1; merge <= place.merges; ++merge) {
        const Digest subtree = digest_load(stack, (place.depth - merge) * count + i);
        const u32 root = place.ends_message && merge == place.merges ? BLAKE3_ROOT : 0;
        chaining = blake3_parent(key, subtree, chaining, root);
    }
    if (place.ends_chunk && !place.ends_message) {
        digest_store(stack, (place.depth - place.merges) * count + i, chaining);
    } else {
        digest_store(out, i, chaining);
    }
}
