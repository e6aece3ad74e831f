// Inverse transforms, and the low-degree extension of columns.
//
// The inverse transform takes evaluations in natural order to coefficients in bit-reversed order (decimation
// in frequency), the forward transform takes those back to evaluations in natural order (decimation in time),
// so nothing is ever permuted.
//
// # Passes
// A pass transforms tiles of 2^12 elements in shared memory, 16 elements a thread. A column of 2^n elements
// is
//
//     inverse:  [ntt_inverse: the top n - 12 levels]  [ntt_extend: the last 12 levels …
//     forward:   … the same 12 levels of every slab]  [ntt_forward: the top n - 12 levels]
//
// so ntt_extend reads coefficients never written and memory is swept twice for each of the two transforms, up
// to n = 22. A tile of the passes above is 2^d rows, 2^(n - d) apart, of 2^(12 - d) consecutive elements; for
// n > 22 the top levels are shared by two such passes. A column shorter than a tile shares it with others.
//
// # Rounds
// Within a tile, four levels at a time are one transform of 16 elements in a thread's registers, whose roots
// are powers of two: 2^156 generates the 16th roots of unity. The elements are kept as signed 96-bit numbers
// meanwhile (Signed96), so that an addition is three instructions, and are reduced once per round. Between
// rounds they are multiplied by the one twiddle that four levels have left over, and change threads through
// shared memory.
//
// Per element and round: about 30 operations for the product and the reduction, 15 for the butterflies, 16
// for the exchange. An extension of 2^22 elements at blowup 2 is about 1100 operations and 72 bytes of
// traffic an element: bound by the operations.

#include "goldilocks.cuh"

// log2 of a tile's elements; a thread has 16 of them.
#define TILE_LOG2 12u
#define TILE 4096u
#define TILE_THREADS 256u
#define THREAD_ELEMENTS 16u
// Words of shared memory for a tile: one more after every 16, so that neither strides of 1 nor of 16 elements
// meet in one bank.
#define TILE_PADDED (TILE + TILE / 16)

// The table of roots (src/kernels/ntt.rs, Twiddles), in words: for the root w of order 2^26 and e < 2^13,
// first w^e, then w^(e · 2^13); then the twiddles of inverse rounds, then of forward rounds: for 5 <= s <=
// 12, r < 16 and j < 2^(s - 4), entry 2^s + r · 2^(s - 4) + j is the root of order 2^s to the power of -j ·
// rev(r), or j · rev(r).
#define ROOTS_LOG2 26u
#define WINDOW_LOG2 13u
#define ROOTS_HIGH (1u << WINDOW_LOG2)
#define ROOTS_INVERSE_ROUNDS (2u << WINDOW_LOG2)
#define ROOTS_FORWARD_ROUNDS (3u << WINDOW_LOG2)

// Reverses the low `bits` bits of `x`; the others are zero.
DEVICE u32 reverse_low_bits(u32 x, u32 bits) { return bits == 0 ? x : reverse_bits(x) >> (32 - bits); }

// w^exponent for the root w of order 2^26 and any exponent.
DEVICE u64 root_power(const u64* roots, u32 exponent) {
    const u32 mask = (1u << WINDOW_LOG2) - 1;
    return field_mul(roots[exponent & mask], roots[ROOTS_HIGH + ((exponent >> WINDOW_LOG2) & mask)]);
}

// A number between -2^65 and 2^65 that is a · 2^shift modulo p, for a constant shift below 96. The product
// with 2^(shift mod 32) must be between -2^95 and 2^95.
DEVICE Signed96 signed_shift(Signed96 a, u32 shift) {
    const u32 bits = shift % 32;
    // The product is m0 + 2^32 · m1 + 2^64 · m2 with a signed m2.
    const u64 low = a.low << bits;
    const u32 m0 = (u32)low, m1 = (u32)(low >> 32);
    const u32 m2 = bits == 0 ? a.high : a.high << bits | (u32)(a.low >> (64 - bits));
    const u32 sign = (u32)((i32)m2 >> 31);
    // 2^64 = 2^32 - 1 and 2^96 = -1 turn 2^32, 2^64 and 2^96 times the product into these.
    const Signed96 m2_low{(u64)sign << 32 | m2, sign};
    const Signed96 m2_high{(u64)m2 << 32, sign};
    if (shift < 32) return signed_add(signed_sub(Signed96{low, 0}, m2_low), m2_high);
    if (shift < 64) {
        return signed_sub(signed_add(Signed96{(u64)m0 << 32, 0}, Signed96{m1 * FIELD_EPSILON, 0}), m2_low);
    }
    return signed_sub(signed_sub(Signed96{m0 * FIELD_EPSILON, 0}, Signed96{m1, 0}), m2_high);
}

// (a - b) · 2^shift modulo p, for a constant shift below 192; 2^96 = -1.
DEVICE Signed96 signed_sub_shift(Signed96 a, Signed96 b, u32 shift) {
    const Signed96 difference = shift < 96 ? signed_sub(a, b) : signed_sub(b, a);
    return shift % 96 == 0 ? difference : signed_shift(difference, shift % 96);
}

// log2 of the root of unity of order 2 · half, which is a power of two, or of its inverse, to the power of j.
DEVICE constexpr u32 root_shift(u32 half, u32 j) { return 156 * (8 / half) * j % 192; }
DEVICE constexpr u32 inverse_root_shift(u32 half, u32 j) { return 36 * (8 / half) * j % 192; }

// 2^8 · p. The transforms below give sums of which x[0] is a term that no root multiplies, and whose other
// terms together are above -2^69: with this added to x[0], no result is negative.
DEVICE Signed96 signed_bias() { return Signed96{0xffffff0000000100ull, 255}; }

// One level: butterflies of elements `half` apart in the 2 · half elements from `first` on.
template <u32 HALF>
DEVICE void inverse_level(Signed96 (&x)[THREAD_ELEMENTS], u32 first) {
    UNROLL for (u32 j = 0; j < HALF; ++j) {
        const Signed96 u = x[first + j], v = x[first + j + HALF];
        x[first + j] = signed_add(u, v);
        x[first + j + HALF] = signed_sub_shift(u, v, inverse_root_shift(HALF, j));
    }
}

template <u32 HALF>
DEVICE void forward_level(Signed96 (&x)[THREAD_ELEMENTS], u32 first) {
    UNROLL for (u32 j = 0; j < HALF; ++j) {
        const u32 shift = root_shift(HALF, j);
        const Signed96 u = x[first + j];
        const Signed96 v = shift % 96 == 0 ? x[first + j + HALF] : signed_shift(x[first + j + HALF], shift % 96);
        const Signed96 sum = signed_add(u, v), difference = signed_sub(u, v);
        x[first + j] = shift < 96 ? sum : difference;
        x[first + j + HALF] = shift < 96 ? difference : sum;
    }
}

// Transforms of each 2^BITS of a thread's elements: from natural to bit-reversed order.
template <u32 BITS>
DEVICE void inverse_fourier(u64 (&elements)[THREAD_ELEMENTS]) {
    Signed96 x[THREAD_ELEMENTS];
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) x[e] = Signed96{elements[e], 0};
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 1u << BITS) x[e] = signed_add(x[e], signed_bias());
    if (BITS >= 4) UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 16) inverse_level<8>(x, e);
    if (BITS >= 3) UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 8) inverse_level<4>(x, e);
    if (BITS >= 2) UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 4) inverse_level<2>(x, e);
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 2) inverse_level<1>(x, e);
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) elements[e] = field_fold(x[e].low, x[e].high);
}

// The same with the inverse roots' inverses, from bit-reversed to natural order.
template <u32 BITS>
DEVICE void forward_fourier(u64 (&elements)[THREAD_ELEMENTS]) {
    Signed96 x[THREAD_ELEMENTS];
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) x[e] = Signed96{elements[e], 0};
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 1u << BITS) x[e] = signed_add(x[e], signed_bias());
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 2) forward_level<1>(x, e);
    if (BITS >= 2) UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 4) forward_level<2>(x, e);
    if (BITS >= 3) UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 8) forward_level<4>(x, e);
    if (BITS >= 4) UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; e += 16) forward_level<8>(x, e);
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) elements[e] = field_fold(x[e].low, x[e].high);
}

// A tile's rows are the upper `levels` bits of a place in it, and what a round transforms are up to four of
// them.
struct Digit {
    // The lowest bit, and how many.
    u32 low, bits;
};

// Rounds of a tile of 2^levels rows: four bits each from the top, the last has what remains.
DEVICE u32 digit_count(u32 levels) { return levels == 0 ? 1 : (levels + 3) / 4; }

DEVICE Digit digit_of(u32 levels, u32 round) {
    const u32 above = 4 * round;
    const u32 bits = levels - above < 4 ? levels - above : 4;
    return Digit{TILE_LOG2 - above - bits, bits};
}

// In the round of a digit, element e of a thread lies at the sum of these two places, which have no bit in
// common: its low bits are the digit's, and thread and the others of its bits number the 2^(12 - bits)
// transforms.
DEVICE u32 thread_place(Digit digit) {
    const u32 low = THREAD_X & ((1u << digit.low) - 1);
    return (THREAD_X >> digit.low) << (digit.low + digit.bits) | low;
}
// log2 of the distance of a thread's transforms.
DEVICE u32 transform_log2(Digit digit) { return digit.low >= 8 ? 8 : 8 + digit.bits; }
DEVICE u32 element_place(Digit digit, u32 e) {
    const u32 transform = e >> digit.bits, entry = e & ((1u << digit.bits) - 1);
    return entry << digit.low | transform << transform_log2(digit);
}

// Index in shared memory of a place in the tile. The index of a sum of places that have no bit in common is
// the sum of theirs.
DEVICE u32 padded(u32 place) { return place + place / 16; }

// Where the thread's elements lie in shared memory in the round of a digit of BITS bits: element e at
// first + (e mod 2^BITS) · entry + (e / 2^BITS) · transform.
struct Layout {
    u32 first, entry, transform;
};
DEVICE Layout shared_layout(Digit digit) {
    return Layout{padded(thread_place(digit)), padded(1u << digit.low), padded(1u << transform_log2(digit))};
}
template <u32 BITS>
DEVICE u32 shared_index(const Layout& layout, u32 e) {
    return layout.first + e % (1u << BITS) * layout.entry + (e >> BITS) * layout.transform;
}

// Elements change threads between rounds: each writes those of the round before, and after a barrier reads
// those of the next. A thread writes words that it was the last to read, so one barrier is enough.
template <u32 BITS>
DEVICE void give_elements(u64* shared, Digit digit, const u64 (&x)[THREAD_ELEMENTS]) {
    const Layout layout = shared_layout(digit);
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) shared[shared_index<BITS>(layout, e)] = x[e];
    BARRIER();
}
template <u32 BITS>
DEVICE void take_elements(const u64* shared, Digit digit, u64 (&x)[THREAD_ELEMENTS]) {
    const Layout layout = shared_layout(digit);
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) x[e] = shared[shared_index<BITS>(layout, e)];
}

// The twiddles between the round of a digit of four bits and those below it.
DEVICE void multiply_twiddles(u64 (&x)[THREAD_ELEMENTS], const u64* table, Digit digit, u32 levels) {
    const u32 run_log2 = TILE_LOG2 - levels;
    const u32 below_log2 = digit.low - run_log2;
    const u32 j = (THREAD_X & ((1u << digit.low) - 1)) >> run_log2;
    const u64* const twiddle = table + (16u << below_log2) + j;
    UNROLL for (u32 e = 1; e < THREAD_ELEMENTS; ++e) x[e] = field_mul(x[e], twiddle[e << below_log2]);
}

// A round of fewer than four bits: the last of an inverse transform, or the first of a forward one.
template <u32 BITS>
DEVICE void inverse_short_round(u64* shared, u64 (&x)[THREAD_ELEMENTS], Digit digit, bool only) {
    if (!only) take_elements<BITS>(shared, digit, x);
    inverse_fourier<BITS>(x);
}
template <u32 BITS>
DEVICE void forward_short_round(u64* shared, u64 (&x)[THREAD_ELEMENTS], Digit digit, bool only) {
    forward_fourier<BITS>(x);
    if (!only) give_elements<BITS>(shared, digit, x);
}

// Transforms a tile of 2^levels rows: in the layout of the first digit to that of the last, from natural to
// bit-reversed order of rows.
DEVICE void inverse_tile(u64* shared, u64 (&x)[THREAD_ELEMENTS], u32 levels, const u64* roots) {
    const u32 rounds = digit_count(levels);
    NO_UNROLL for (u32 round = 0; round < levels / 4; ++round) {
        const Digit digit = digit_of(levels, round);
        if (round > 0) take_elements<4>(shared, digit, x);
        inverse_fourier<4>(x);
        if (round + 1 < rounds) {
            multiply_twiddles(x, roots + ROOTS_INVERSE_ROUNDS, digit, levels);
            give_elements<4>(shared, digit, x);
        }
    }
    const Digit last = digit_of(levels, rounds - 1);
    switch (levels % 4) {
        case 3: inverse_short_round<3>(shared, x, last, rounds == 1); break;
        case 2: inverse_short_round<2>(shared, x, last, rounds == 1); break;
        case 1: inverse_short_round<1>(shared, x, last, rounds == 1); break;
    }
}

// The way back: in the layout of the last digit to that of the first, from bit-reversed to natural order of
// rows.
DEVICE void forward_tile(u64* shared, u64 (&x)[THREAD_ELEMENTS], u32 levels, const u64* roots) {
    const u32 rounds = digit_count(levels);
    const Digit last = digit_of(levels, rounds - 1);
    switch (levels % 4) {
        case 3: forward_short_round<3>(shared, x, last, rounds == 1); break;
        case 2: forward_short_round<2>(shared, x, last, rounds == 1); break;
        case 1: forward_short_round<1>(shared, x, last, rounds == 1); break;
    }
    NO_UNROLL for (u32 round = levels / 4; round-- > 0;) {
        const Digit digit = digit_of(levels, round);
        if (round + 1 < rounds) {
            take_elements<4>(shared, digit, x);
            multiply_twiddles(x, roots + ROOTS_FORWARD_ROUNDS, digit, levels);
        }
        forward_fourier<4>(x);
        if (round > 0) give_elements<4>(shared, digit, x);
    }
}

// The twiddles between a block and the passes above it, in the layout of a first digit of four bits: element
// i of the block is multiplied by scale · w^(i · block), w of order 2^parent_log2 or its inverse, where
// `block` is the block's number in its parent, bit-reversed. `first` is i of the thread's first element,
// `step` from one to the next.
DEVICE void multiply_block_twiddles(u64 (&x)[THREAD_ELEMENTS], const u64* roots, bool inverse, u32 parent_log2,
                                    u32 block, u32 first, u32 step, u64 scale) {
    u32 unit = block << (ROOTS_LOG2 - parent_log2);
    if (inverse) unit = 0 - unit;
    const u64 ratio = root_power(roots, unit * step);
    u64 twiddle = field_mul(root_power(roots, unit * first), scale);
    x[0] = field_mul(x[0], twiddle);
    UNROLL for (u32 e = 1; e < THREAD_ELEMENTS; ++e) {
        twiddle = field_mul(twiddle, ratio);
        x[e] = field_mul(x[e], twiddle);
    }
}

// A tile of the top levels of blocks of 2^block_log2 elements, in columns of whole blocks.
struct TopTile {
    // log2 of the distance of rows and of the consecutive elements of a row.
    u32 row_log2, run_log2;
    // First element of the tile in its column, and in its block.
    u64 start, start_in_block;
    // The block's number in a parent of 2^parent_log2 elements, bit-reversed.
    u32 block;
};

// Offset of a place in the tile; linear for summands that have no bit in common.
DEVICE u64 tile_offset(const TopTile& tile, u32 place) {
    return (u64)(place >> tile.run_log2) << tile.row_log2 | (place & ((1u << tile.run_log2) - 1));
}

DEVICE TopTile top_tile(u32 block_log2, u32 levels, u32 parent_log2) {
    const u32 run_log2 = TILE_LOG2 - levels;
    const u32 tiles_log2 = block_log2 - TILE_LOG2;
    const u32 block = BLOCK_X >> tiles_log2;
    const u64 start_in_block = (u64)(BLOCK_X & ((1u << tiles_log2) - 1)) << run_log2;
    const u32 siblings_log2 = parent_log2 - block_log2;
    const u32 in_parent = block & ((1u << siblings_log2) - 1);
    return TopTile{block_log2 - levels, run_log2, ((u64)block << block_log2) + start_in_block, start_in_block,
                   reverse_low_bits(in_parent, siblings_log2)};
}

// The top `levels` levels of the inverse transforms of blocks of 2^block_log2 elements, from column BLOCK_Y
// of `input` to that of `output`, which may be the same. When a pass above has split columns of 2^parent_log2
// elements into these blocks, its twiddles come first (then levels >= 4); else parent_log2 = block_log2. One
// block a tile: 8 bytes read and 8 written an element.
KERNEL_BOUNDED(ntt_inverse, TILE_THREADS, 3)(const u64* input, u64 input_stride, u64* output, u64 output_stride,
                                             u32 block_log2, u32 levels, u32 parent_log2, const u64* RESTRICT roots) {
    SHARED(u64, shared, TILE_PADDED);
    const TopTile tile = top_tile(block_log2, levels, parent_log2);
    u64 x[THREAD_ELEMENTS];
    const Digit first = digit_of(levels, 0);
    const u64* const from = input + BLOCK_Y * input_stride + tile.start + tile_offset(tile, thread_place(first));
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) x[e] = from[tile_offset(tile, element_place(first, e))];
    if (parent_log2 != block_log2) {
        multiply_block_twiddles(x, roots, true, parent_log2, tile.block,
                                (u32)(tile.start_in_block + tile_offset(tile, thread_place(first))),
                                (u32)tile_offset(tile, element_place(first, 1)), 1);
    }
    inverse_tile(shared, x, levels, roots);
    const Digit last = digit_of(levels, digit_count(levels) - 1);
    u64* const to = output + BLOCK_Y * output_stride + tile.start + tile_offset(tile, thread_place(last));
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) {
        to[tile_offset(tile, element_place(last, e))] = field_canonical(x[e]);
    }
}

// The top `levels` levels of the forward transforms of blocks, in place: ntt_inverse backwards.
KERNEL_BOUNDED(ntt_forward, TILE_THREADS, 3)(u64* columns, u64 stride, u32 block_log2, u32 levels, u32 parent_log2,
                                             const u64* RESTRICT roots) {
    SHARED(u64, shared, TILE_PADDED);
    const TopTile tile = top_tile(block_log2, levels, parent_log2);
    u64* const column = columns + BLOCK_Y * stride + tile.start;
    u64 x[THREAD_ELEMENTS];
    const Digit last = digit_of(levels, digit_count(levels) - 1);
    const u64* const from = column + tile_offset(tile, thread_place(last));
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) x[e] = from[tile_offset(tile, element_place(last, e))];
    forward_tile(shared, x, levels, roots);
    const Digit first = digit_of(levels, 0);
    if (parent_log2 != block_log2) {
        multiply_block_twiddles(x, roots, false, parent_log2, tile.block,
                                (u32)(tile.start_in_block + tile_offset(tile, thread_place(first))),
                                (u32)tile_offset(tile, element_place(first, 1)), 1);
    }
    u64* const to = column + tile_offset(tile, thread_place(first));
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) {
        to[tile_offset(tile, element_place(first, e))] = field_canonical(x[e]);
    }
}

// The lowest twelve levels of the inverse transforms of columns of 2^height_log2 >= 2^12 elements, and of the
// forward transforms of their extensions: slab s of column BLOCK_Y goes to output + BLOCK_Y · output_stride +
// s · 2^height_log2. `input` may be slab 0 of `output`. `weights` holds, for each slab, TILE words for the
// elements of a tile and one for each tile of a column (ntt_weights). Passes above have split parents of
// 2^parent_log2 elements into tiles, or there are none and parent_log2 = 12.
//
// One block a tile: 16 bytes read and 8 written an element, 8 and 8 a slab, of which the first halves of each
// stay in the cache.
KERNEL_BOUNDED(ntt_extend, TILE_THREADS, 3)(const u64* input, u64 input_stride, u64* output, u64 output_stride,
                                            u32 height_log2, u32 slabs, u32 parent_log2, const u64* RESTRICT weights,
                                            const u64* RESTRICT roots) {
    SHARED(u64, shared, TILE_PADDED);
    const u32 siblings_log2 = parent_log2 - TILE_LOG2;
    const u32 block = reverse_low_bits(BLOCK_X & ((1u << siblings_log2) - 1), siblings_log2);
    // The thread's elements are 256 apart in the layout of the first digit.
    const u64 first = (u64)BLOCK_X * TILE + THREAD_X;
    const u64* const from = input + BLOCK_Y * input_stride + first;
    u64* const to = output + BLOCK_Y * output_stride + first;

    u64 x[THREAD_ELEMENTS];
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) x[e] = from[e * TILE_THREADS];
    if (siblings_log2 != 0) {
        multiply_block_twiddles(x, roots, true, parent_log2, block, THREAD_X, TILE_THREADS, 1);
    }
    inverse_tile(shared, x, TILE_LOG2, roots);
    // The coefficients wait where the thread's elements of slab 0 will be, which is done last.
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) to[e * TILE_THREADS] = x[e];

    NO_UNROLL for (u32 slab = slabs; slab-- > 0;) {
        const u64 slab_weights = (u64)slab * (TILE + (1u << (height_log2 - TILE_LOG2)));
        UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) {
            x[e] = field_mul(to[e * TILE_THREADS], weights[slab_weights + e * TILE_THREADS + THREAD_X]);
        }
        // All have read what was exchanged before.
        BARRIER();
        forward_tile(shared, x, TILE_LOG2, roots);
        if (siblings_log2 != 0) {
            multiply_block_twiddles(x, roots, false, parent_log2, block, THREAD_X, TILE_THREADS,
                                    weights[slab_weights + TILE + BLOCK_X]);
        }
        u64* const result = to + ((u64)slab << height_log2);
        UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) result[e * TILE_THREADS] = field_canonical(x[e]);
    }
}

// A tile of columns of 2^levels <= 2^12 elements: 2^(12 - levels) of them, and the first.
struct ShortTile {
    u32 columns_log2;
    u64 first;
};

DEVICE ShortTile short_tile(u32 levels) {
    const u32 columns_log2 = TILE_LOG2 - levels;
    return ShortTile{columns_log2, (u64)BLOCK_Y << columns_log2};
}

// Column and element of a place in the tile.
DEVICE u64 tile_column(const ShortTile& tile, u32 place) {
    return tile.first + (place & ((1u << tile.columns_log2) - 1));
}
DEVICE u32 tile_element(const ShortTile& tile, u32 place) { return place >> tile.columns_log2; }

// The thread's elements in the layout of the first digit; 0 for columns that are not there.
DEVICE void load_short_tile(const ShortTile& tile, Digit first, const u64* input, u64 stride, u32 width,
                            u64 (&x)[THREAD_ELEMENTS]) {
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) {
        const u32 place = thread_place(first) + element_place(first, e);
        const u64 column = tile_column(tile, place);
        x[e] = column < width ? input[column * stride + tile_element(tile, place)] : 0;
    }
}

// Extension of `width` columns of 2^height_log2 < 2^12 elements, as ntt_extend has it. One block for slab
// BLOCK_X of as many columns as fill a tile: 8 bytes read and 8 written an element and slab.
KERNEL_BOUNDED(ntt_extend_short, TILE_THREADS, 2)(const u64* RESTRICT input, u64 input_stride, u32 width,
                                                  u64* RESTRICT output, u64 output_stride, u32 height_log2,
                                                  const u64* RESTRICT weights, const u64* RESTRICT roots) {
    SHARED(u64, shared, TILE_PADDED);
    const ShortTile tile = short_tile(height_log2);
    const Digit first = digit_of(height_log2, 0);
    u64 x[THREAD_ELEMENTS];
    load_short_tile(tile, first, input, input_stride, width, x);
    inverse_tile(shared, x, height_log2, roots);
    const u64* const weight = weights + BLOCK_X * (u64)(TILE + 1);
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) x[e] = field_mul(x[e], weight[e * TILE_THREADS + THREAD_X]);
    // All have read what was exchanged before.
    BARRIER();
    forward_tile(shared, x, height_log2, roots);
    u64* const to = output + ((u64)BLOCK_X << height_log2);
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) {
        const u32 place = thread_place(first) + element_place(first, e);
        const u64 column = tile_column(tile, place);
        if (column < width) to[column * output_stride + tile_element(tile, place)] = field_canonical(x[e]);
    }
}

// The weights of ntt_extend. Coefficient k of slab s is multiplied by scale · ratio^k with ratio = first ·
// root^rev(s), root of the extended height's order. The coefficient at place i of tile t is k = rev(i) ·
// 2^(height_log2 - levels) + rev(t): entry e · 256 + thread of a slab is scale · ratio^(k of i) for element e
// of the thread in the layout of the last digit, entry TILE + t is ratio^(rev(t)). One thread a weight; about
// 60 products each.
KERNEL(ntt_weights)(u64* RESTRICT weights, u64 first, u64 root, u64 scale, u32 height_log2, u32 slabs_log2,
                    u64 count) {
    const u64 index = GLOBAL_THREAD;
    if (index >= count) return;
    const u32 levels = height_log2 < TILE_LOG2 ? height_log2 : TILE_LOG2;
    const u32 tiles_log2 = height_log2 - levels;
    const u32 slab_words = TILE + (1u << tiles_log2);
    const u32 slab = (u32)(index / slab_words), entry = (u32)(index % slab_words);
    const u64 ratio = field_mul(first, field_pow(root, reverse_low_bits(slab, slabs_log2)));
    if (entry >= TILE) {
        weights[index] = field_canonical(field_pow(ratio, reverse_low_bits(entry - TILE, tiles_log2)));
        return;
    }
    const Digit last = digit_of(levels, digit_count(levels) - 1);
    const u32 e = entry / TILE_THREADS, thread = entry % TILE_THREADS;
    const u32 low = thread & ((1u << last.low) - 1);
    const u32 place = ((thread >> last.low) << (last.low + last.bits) | low) + element_place(last, e);
    const u32 k = reverse_low_bits(place >> (TILE_LOG2 - levels), levels) << tiles_log2;
    weights[index] = field_canonical(field_mul(scale, field_pow(ratio, k)));
}

// The coefficients of columns of 2^height_log2 <= 2^12 values, in natural order: scale = 2^-height_log2 times
// the inverse transform. One block for as many columns as fill a tile: 8 bytes read and 8 written an element.
KERNEL_BOUNDED(ntt_interpolate, TILE_THREADS, 2)(const u64* RESTRICT input, u64 input_stride, u32 width,
                                                 u64* RESTRICT output, u32 height_log2, u64 scale,
                                                 const u64* RESTRICT roots) {
    SHARED(u64, shared, TILE_PADDED);
    const ShortTile tile = short_tile(height_log2);
    u64 x[THREAD_ELEMENTS];
    load_short_tile(tile, digit_of(height_log2, 0), input, input_stride, width, x);
    inverse_tile(shared, x, height_log2, roots);
    const Digit last = digit_of(height_log2, digit_count(height_log2) - 1);
    UNROLL for (u32 e = 0; e < THREAD_ELEMENTS; ++e) {
        const u32 place = thread_place(last) + element_place(last, e);
        const u64 column = tile_column(tile, place);
        const u32 coefficient = reverse_low_bits(tile_element(tile, place), height_log2);
        if (column < width) output[(column << height_log2) + coefficient] = field_canonical(field_mul(x[e], scale));
    }
}
