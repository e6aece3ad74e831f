// The search for a proof-of-work nonce: one compression (680 operations) a nonce, no memory but the result.

#include "blake3.cuh"

// Lowers `smallest` to the smallest of the `count` nonces from `first` on whose hash with the seed, four
// little-endian words, ends in zeros: the low word of its digest has no bit in common with `mask`.
KERNEL(grind_search)(u64 seed0, u64 seed1, u64 seed2, u64 seed3, u64 first, u64 count, u64 mask,
                     u64* RESTRICT smallest) {
    const Digest key = grinding_key();
    for (u64 i = GLOBAL_THREAD; i < count; i += GLOBAL_THREADS) {
        const u64 nonce = first + i;
        const u64 words[8] = {seed0, seed1, seed2, seed3, nonce, 0, 0, 0};
        u32 message[16];
        UNROLL for (u32 w = 0; w < 8; ++w) {
            message[2 * w] = (u32)words[w];
            message[2 * w + 1] = (u32)(words[w] >> 32);
        }
        // Seed and nonce are 40 bytes.
        const Digest digest = blake3_compress(key, message, 0, 40, BLAKE3_ONLY_BLOCK);
        if ((((u64)digest.words[1] << 32 | digest.words[0]) & mask) == 0) {
            atomic_min(smallest, nonce);
            return;
        }
    }
}
