// Folding of codewords. A codeword of height N is three base columns of B slabs of N words; entry j of slab s
// is its value at y = ω_n^c · ω_N^j, c the bit reversal of s, n = B·N.
#include "blake3.cuh"
#include "goldilocks.cuh"

#define FRI_THREADS 256u
// Values of a coset that are left after the first step of a fold by eight.
#define FRI_MAX_HALF 4u
// Words between the coefficients of a value in shared memory, where each thread has its own of every
// FRI_THREADS words.
#define FRI_SHARED_STRIDE (FRI_MAX_HALF * FRI_THREADS)
#define FRI_SHARED_WORDS (3 * FRI_SHARED_STRIDE)
// Points of a leaf's coset.
#define FRI_LEAF_LOG2 3u
#define FRI_LEAF_POINTS (1u << FRI_LEAF_LOG2)
#define FRI_BLOCK_LEAVES (FRI_THREADS / FRI_LEAF_POINTS)

// What a fold by 2^arity_log2 of a codeword in `input` is made with; see fri_fold.
struct Fold {
    const u64* input;
    u64 input_stride;
    u64 folded_height;
    u32 blowup_log2, arity_log2;
    Ext3 beta;
    u64 inverse, root_inverse, scale;
};

// One step of a fold for the values at y and -y, ratio = β/y; twice what it should be:
//
//     2 · f'(y²) = (f(y) + f(-y)) + (f(y) - f(-y)) · β/y
DEVICE Ext3 fold_pair(Ext3 a, Ext3 b, Ext3 ratio) {
    return ext_add(ext_add(a, b), ext_mul(ext_sub(a, b), ratio));
}

// Entry `entry` of slab `slab` of the folded codeword. It comes from the entries entry + i · folded_height,
// which are the values at y · ω^i for ω of order 2^arity_log2. Every step halves that coset, with β and y
// squared after each. What is left of it is in the thread's own words of `shared`.
DEVICE Ext3 fold_value(Fold fold, u32 slab, u64 entry, u64* shared) {
    const u32 coset = fold.blowup_log2 == 0 ? 0 : reverse_bits(slab) >> (32 - fold.blowup_log2);
    Ext3 ratio = ext_scale(fold.beta, field_pow(fold.inverse, coset + (entry << fold.blowup_log2)));
    u64* const values = shared + THREAD_X;
    const u64 first = (slab * fold.folded_height << fold.arity_log2) + entry;
    u32 half = 1u << (fold.arity_log2 - 1);
    Ext3 twiddled = ratio;
    NO_UNROLL
    for (u32 i = 0; i < half; ++i) {
        const Ext3 a = ext_load(fold.input, fold.input_stride, first + i * fold.folded_height);
        const Ext3 b = ext_load(fold.input, fold.input_stride, first + (i + half) * fold.folded_height);
        ext_store(values, FRI_SHARED_STRIDE, i * FRI_THREADS, fold_pair(a, b, twiddled));
        twiddled = ext_scale(twiddled, fold.root_inverse);
    }
    NO_UNROLL
    while (half > 1) {
        half /= 2;
        ratio = ext_square(ratio);
        fold.root_inverse = field_square(fold.root_inverse);
        twiddled = ratio;
        NO_UNROLL
        for (u32 i = 0; i < half; ++i) {
            const Ext3 a = ext_load(values, FRI_SHARED_STRIDE, i * FRI_THREADS);
            const Ext3 b = ext_load(values, FRI_SHARED_STRIDE, (i + half) * FRI_THREADS);
            ext_store(values, FRI_SHARED_STRIDE, i * FRI_THREADS, fold_pair(a, b, twiddled));
            twiddled = ext_scale(twiddled, fold.root_inverse);
        }
    }
    return ext_scale(ext_load(values, FRI_SHARED_STRIDE, 0), fold.scale);
}

// The codeword folded by 2^arity_log2, plus `weight` times `shorter`, a codeword of the folded height, unless
// that is null.
//
// One thread a folded value: an entry of slab BLOCK_Y, below `folded_height` = N / 2^arity_log2. Columns of
// `input` are `input_stride` = B·N words apart, those of the other two `output_stride`. `inverse` is ω_n^-1,
// `root_inverse` that of the root of order 2^arity_log2, `scale` = 2^-arity_log2 makes up for the steps.
//
// A value takes 24 · (2^arity_log2 + 1) bytes, 24 more for a shorter codeword, and at arity 8 some 140
// products, of which 40 are for 1/y: bound by integer arithmetic.
KERNEL(fri_fold)(const u64* RESTRICT input, u64 input_stride, u64* RESTRICT output, u64 output_stride,
                 u64 folded_height, u32 blowup_log2, u32 arity_log2, u64 beta0, u64 beta1, u64 beta2,
                 u64 inverse, u64 root_inverse, u64 scale, const u64* RESTRICT shorter, u64 weight0, u64 weight1,
                 u64 weight2) {
    SHARED(u64, shared, FRI_SHARED_WORDS);
    const u64 entry = GLOBAL_THREAD;
    if (entry >= folded_height) return;
    const Ext3 beta{beta0, beta1, beta2};
    const Fold fold{input, input_stride, folded_height, blowup_log2, arity_log2, beta, inverse, root_inverse, scale};
    Ext3 value = fold_value(fold, BLOCK_Y, entry, shared);
    const u64 row = BLOCK_Y * folded_height + entry;
    if (shorter) {
        const Ext3 joined = ext_load(shorter, output_stride, row);
        value = ext_add(value, ext_mul(joined, Ext3{weight0, weight1, weight2}));
    }
    ext_store(output, output_stride, row, value);
}

// The same, without a shorter codeword, and the digests of the folded codeword's cosets of eight points, the
// leaves of its tree: leaf j of a slab has the values at j + o · folded_height/8, o in bit-reversed order.
//
// A block folds the cosets of 32 leaves, then its first warp hashes them: a value costs 24 bytes less than
// when the leaves are read again, and four bytes and three eighths of a compression are those of the leaf.
KERNEL(fri_fold_leaves)(const u64* RESTRICT input, u64 input_stride, u64* RESTRICT output, u64 output_stride,
                        u64 folded_height, u32 blowup_log2, u32 arity_log2, u64 beta0, u64 beta1, u64 beta2,
                        u64 inverse, u64 root_inverse, u64 scale, u32x4* RESTRICT digests) {
    SHARED(u64, shared, FRI_SHARED_WORDS);
    const u64 leaves = folded_height / FRI_LEAF_POINTS;
    const u64 leaf = (u64)BLOCK_X * FRI_BLOCK_LEAVES + THREAD_X % FRI_BLOCK_LEAVES;
    if (leaf < leaves) {
        const u64 entry = leaf + THREAD_X / FRI_BLOCK_LEAVES * leaves;
        const Ext3 beta{beta0, beta1, beta2};
        const Fold fold{input,      input_stride, folded_height, blowup_log2, arity_log2,
                        beta,       inverse,      root_inverse,  scale};
        const Ext3 value = fold_value(fold, BLOCK_Y, entry, shared);
        ext_store(output, output_stride, BLOCK_Y * folded_height + entry, value);
        ext_store(shared, FRI_SHARED_STRIDE, THREAD_X, value);
    }
    BARRIER();
    if (THREAD_X < FRI_BLOCK_LEAVES && leaf < leaves) {
        u64 cells[3 * FRI_LEAF_POINTS];
        UNROLL
        for (u32 point = 0; point < FRI_LEAF_POINTS; ++point) {
            const u32 offset = reverse_bits(point) >> (32 - FRI_LEAF_LOG2);
            const Ext3 value = ext_load(shared, FRI_SHARED_STRIDE, offset * FRI_BLOCK_LEAVES + THREAD_X);
            cells[3 * point] = value.c0;
            cells[3 * point + 1] = value.c1;
            cells[3 * point + 2] = value.c2;
        }
        digest_store(digests, BLOCK_Y * leaves + leaf, hash_cells(cells));
    }
}

// codeword += weight · shorter, three columns of `rows` words each. 72 bytes and nine products a value.
KERNEL(fri_join)(u64* codeword, const u64* RESTRICT shorter, u64 rows, u64 weight0, u64 weight1,
                 u64 weight2) {
    const u64 row = GLOBAL_THREAD;
    if (row >= rows) return;
    const Ext3 joined = ext_mul(ext_load(shorter, rows, row), Ext3{weight0, weight1, weight2});
    ext_store(codeword, rows, row, ext_add(ext_load(codeword, rows, row), joined));
}
