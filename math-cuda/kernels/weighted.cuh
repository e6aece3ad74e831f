// Sums of products of base field elements with weights, reduced late.
//
// A weight w is prepared once for many terms: w and 2^32 · w mod p, each in three limbs of 22, 22 and 20
// bits. A term x · w = x0 · w + x1 · (2^32 · w), with x = x0 + 2^32 · x1, is then six products of 32 by 22
// bits, added to three sums of 64 bits without any carry: six multiply-adds a term, where a product of 64
// by 64 bits and its addition to a sum take some fifteen instructions.
#pragma once

#include "goldilocks.cuh"

// Terms that a LimbSum has room for: each adds less than 2^55 to a limb.
#define LIMB_SUM_CAPACITY 512u
// Words of a prepared weight.
#define LIMBS 3u

// Limb `k` of w in the low half of word k, that of 2^32 · w in the high half. Any representative will do.
struct Limbs {
    u64 words[LIMBS];
};

DEVICE Limbs limbs(u64 w) {
    const u64 mask = (1u << 22) - 1;
    const u64 shifted = field_reduce(w << 32, w >> 32);
    return Limbs{{
        (w & mask) | (shifted & mask) << 32,
        (w >> 22 & mask) | (shifted >> 22 & mask) << 32,
        w >> 44 | (shifted >> 44) << 32,
    }};
}

// limbs[0] + 2^22 · limbs[1] + 2^44 · limbs[2].
struct LimbSum {
    u64 limbs[LIMBS];
};

// sum += x · w; any representative x.
DEVICE void limb_sum_add(LimbSum& sum, u64 x, const Limbs& w) {
    const u32 x0 = (u32)x, x1 = (u32)(x >> 32);
    UNROLL
    for (u32 k = 0; k < LIMBS; ++k) {
        sum.limbs[k] += (u64)x0 * (u32)w.words[k];
        sum.limbs[k] += (u64)x1 * (u32)(w.words[k] >> 32);
    }
}

// The element that the sum stands for.
DEVICE u64 limb_sum_reduce(const LimbSum& sum) {
    Wide total{sum.limbs[0], 0, 0};
    total = wide_add(total, Wide{sum.limbs[1] << 22, sum.limbs[1] >> 42, 0});
    total = wide_add(total, Wide{sum.limbs[2] << 44, sum.limbs[2] >> 20, 0});
    return field_reduce(total.low, total.high);
}
