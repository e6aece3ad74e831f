// Arithmetic in the field of order p = 2^64 - 2^32 + 1 and in its cubic extension by x^3 = x + 1.
//
// Any u64 represents an element, and every function takes and gives any representative, unless it says
// "canonical", which is the one below p. Kernels store canonical words (field_canonical), so that what they
// write can be hashed and compared.
//
// Reduction rests on 2^64 = EPSILON and 2^96 = -1 modulo p, with EPSILON = 2^32 - 1. On the GPU a 64-bit
// number is two registers, so the sums below are carry chains over halves, written out in PTX; the branch
// beside each says the same in C++, for other compilers and for readers.
#pragma once

#include "portable.cuh"

// The order of the field.
#define FIELD_ORDER 0xffffffff00000001ull
// 2^64 modulo the order.
#define FIELD_EPSILON 0x00000000ffffffffull

// The canonical representative.
DEVICE u64 field_canonical(u64 x) { return x >= FIELD_ORDER ? x - FIELD_ORDER : x; }

// a + b. A second wrap is possible only when both are almost 2^64.
DEVICE u64 field_add(u64 a, u64 b) {
#ifdef __CUDA_ARCH__
    u64 sum;
    asm("{\n\t"
        ".reg .u32 al, ah, bl, bh, c;\n\t"
        "mov.b64 {al, ah}, %1;\n\t"
        "mov.b64 {bl, bh}, %2;\n\t"
        "add.cc.u32 al, al, bl;\n\t"
        "addc.cc.u32 ah, ah, bh;\n\t"
        "addc.u32 c, 0, 0;\n\t"
        "neg.s32 c, c;\n\t"
        "add.cc.u32 al, al, c;\n\t"
        "addc.cc.u32 ah, ah, 0;\n\t"
        "addc.u32 c, 0, 0;\n\t"
        "neg.s32 c, c;\n\t"
        "add.cc.u32 al, al, c;\n\t"
        "addc.u32 ah, ah, 0;\n\t"
        "mov.b64 %0, {al, ah};\n\t"
        "}"
        : "=l"(sum)
        : "l"(a), "l"(b));
    return sum;
#else
    u64 sum = a + b;
    if (sum < b) {
        sum += FIELD_EPSILON;
        if (sum < FIELD_EPSILON) sum += FIELD_EPSILON;
    }
    return sum;
#endif
}

// a - b for a canonical b, which may also be p itself; a is any representative.
DEVICE u64 field_sub_canonical(u64 a, u64 b) {
#ifdef __CUDA_ARCH__
    u64 difference;
    asm("{\n\t"
        ".reg .u32 al, ah, bl, bh, c;\n\t"
        "mov.b64 {al, ah}, %1;\n\t"
        "mov.b64 {bl, bh}, %2;\n\t"
        "sub.cc.u32 al, al, bl;\n\t"
        "subc.cc.u32 ah, ah, bh;\n\t"
        "subc.u32 c, 0, 0;\n\t"
        "sub.cc.u32 al, al, c;\n\t"
        "subc.u32 ah, ah, 0;\n\t"
        "mov.b64 %0, {al, ah};\n\t"
        "}"
        : "=l"(difference)
        : "l"(a), "l"(b));
    return difference;
#else
    const u64 difference = a - b;
    return a < b ? difference - FIELD_EPSILON : difference;
#endif
}

// a - b. A second wrap is possible only when b is not canonical.
DEVICE u64 field_sub(u64 a, u64 b) {
#ifdef __CUDA_ARCH__
    u64 difference;
    asm("{\n\t"
        ".reg .u32 al, ah, bl, bh, c;\n\t"
        "mov.b64 {al, ah}, %1;\n\t"
        "mov.b64 {bl, bh}, %2;\n\t"
        "sub.cc.u32 al, al, bl;\n\t"
        "subc.cc.u32 ah, ah, bh;\n\t"
        "subc.u32 c, 0, 0;\n\t"
        "sub.cc.u32 al, al, c;\n\t"
        "subc.cc.u32 ah, ah, 0;\n\t"
        "subc.u32 c, 0, 0;\n\t"
        "sub.cc.u32 al, al, c;\n\t"
        "subc.u32 ah, ah, 0;\n\t"
        "mov.b64 %0, {al, ah};\n\t"
        "}"
        : "=l"(difference)
        : "l"(a), "l"(b));
    return difference;
#else
    u64 difference = a - b;
    if (a < b) {
        const u64 wrapped = difference - FIELD_EPSILON;
        difference = difference < FIELD_EPSILON ? wrapped - FIELD_EPSILON : wrapped;
    }
    return difference;
#endif
}

// -a; canonical for every a but zero, for which it is p.
DEVICE u64 field_neg(u64 a) { return FIELD_ORDER - field_canonical(a); }

// low + 2^64 · high, which is low + EPSILON · high. Where that wraps, at most (2^32 - 1)^2 is left.
DEVICE u64 field_fold(u64 low, u32 high) {
#ifdef __CUDA_ARCH__
    u64 result;
    asm("{\n\t"
        ".reg .u32 l0, l1, c;\n\t"
        "mov.b64 {l0, l1}, %1;\n\t"
        "mad.lo.cc.u32 l0, %2, 0xffffffff, l0;\n\t"
        "madc.hi.cc.u32 l1, %2, 0xffffffff, l1;\n\t"
        "addc.u32 c, 0, 0;\n\t"
        "neg.s32 c, c;\n\t"
        "add.cc.u32 l0, l0, c;\n\t"
        "addc.u32 l1, l1, 0;\n\t"
        "mov.b64 %0, {l0, l1};\n\t"
        "}"
        : "=l"(result)
        : "l"(low), "r"(high));
    return result;
#else
    const u64 sum = low + high * FIELD_EPSILON;
    return sum < low ? sum + FIELD_EPSILON : sum;
#endif
}

// low + 2^64 · high: with high = h + 2^32 · g, that is low - g + 2^64 · h.
DEVICE u64 field_reduce(u64 low, u64 high) { return field_fold(field_sub_canonical(low, high >> 32), (u32)high); }

// a · b.
DEVICE u64 field_mul(u64 a, u64 b) { return field_reduce(a * b, mul_hi(a, b)); }

// a².
DEVICE u64 field_square(u64 a) { return field_mul(a, a); }

// base^exponent, with 0^0 = 1.
DEVICE u64 field_pow(u64 base, u64 exponent) {
    u64 result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result = field_mul(result, base);
        base = field_square(base);
    }
    return result;
}

// 1 / a, and 0 for 0: a^(p - 2) in 64 squarings and 9 products. The exponent's bits are thirty-one ones, a
// zero, and thirty-two ones.
DEVICE u64 field_inverse(u64 a) {
    // ones(k) = a^(2^k - 1); ones(j + k) = ones(j)^(2^k) · ones(k).
    const u64 ones2 = field_mul(field_square(a), a);
    const u64 ones3 = field_mul(field_square(ones2), a);
    u64 ones6 = ones3;
    for (u32 i = 0; i < 3; ++i) ones6 = field_square(ones6);
    ones6 = field_mul(ones6, ones3);
    u64 ones12 = ones6;
    for (u32 i = 0; i < 6; ++i) ones12 = field_square(ones12);
    ones12 = field_mul(ones12, ones6);
    u64 ones24 = ones12;
    for (u32 i = 0; i < 12; ++i) ones24 = field_square(ones24);
    ones24 = field_mul(ones24, ones12);
    u64 ones30 = ones24;
    for (u32 i = 0; i < 6; ++i) ones30 = field_square(ones30);
    ones30 = field_mul(ones30, ones6);
    const u64 ones31 = field_mul(field_square(ones30), a);
    const u64 ones32 = field_mul(field_square(ones31), a);
    u64 result = ones31;
    for (u32 i = 0; i < 33; ++i) result = field_square(result);
    return field_mul(result, ones32);
}

// A sum of products before reduction: low + 2^64 · high + 2^128 · top. Holds 2^32 products.
struct Wide {
    u64 low, high;
    u32 top;
};

// a · b.
DEVICE Wide wide_mul(u64 a, u64 b) { return Wide{a * b, mul_hi(a, b), 0}; }

// a + b.
DEVICE Wide wide_add(Wide a, Wide b) {
#ifdef __CUDA_ARCH__
    Wide sum;
    asm("add.cc.u64 %0, %3, %6;\n\t"
        "addc.cc.u64 %1, %4, %7;\n\t"
        "addc.u32 %2, %5, %8;"
        : "=l"(sum.low), "=l"(sum.high), "=r"(sum.top)
        : "l"(a.low), "l"(a.high), "r"(a.top), "l"(b.low), "l"(b.high), "r"(b.top));
    return sum;
#else
    Wide sum;
    sum.low = a.low + b.low;
    const u64 high = a.high + b.high;
    sum.high = high + (sum.low < a.low);
    sum.top = a.top + b.top + (high < a.high) + (sum.high < high);
    return sum;
#endif
}

// sum + a · b.
DEVICE Wide wide_mul_add(Wide sum, u64 a, u64 b) { return wide_add(sum, wide_mul(a, b)); }

// The element that the sum stands for. 2^128 = -2^32 modulo p, and 2^32 · top is canonical or at most p.
DEVICE u64 wide_reduce(Wide sum) {
    return field_sub_canonical(field_reduce(sum.low, sum.high), (u64)sum.top << 32);
}

// A signed number before reduction: low + 2^64 · high in two's complement.
struct Signed96 {
    u64 low;
    u32 high;
};

DEVICE Signed96 signed_add(Signed96 a, Signed96 b) {
#ifdef __CUDA_ARCH__
    Signed96 sum;
    asm("add.cc.u64 %0, %2, %4;\n\t"
        "addc.u32 %1, %3, %5;"
        : "=l"(sum.low), "=r"(sum.high)
        : "l"(a.low), "r"(a.high), "l"(b.low), "r"(b.high));
    return sum;
#else
    const u64 low = a.low + b.low;
    return Signed96{low, a.high + b.high + (low < b.low)};
#endif
}

DEVICE Signed96 signed_sub(Signed96 a, Signed96 b) {
#ifdef __CUDA_ARCH__
    Signed96 difference;
    asm("sub.cc.u64 %0, %2, %4;\n\t"
        "subc.u32 %1, %3, %5;"
        : "=l"(difference.low), "=r"(difference.high)
        : "l"(a.low), "r"(a.high), "l"(b.low), "r"(b.high));
    return difference;
#else
    return Signed96{a.low - b.low, a.high - b.high - (a.low < b.low)};
#endif
}

// c0 + c1 · x + c2 · x² with x³ = x + 1.
struct Ext3 {
    u64 c0, c1, c2;
};

// The three coefficients of element `i` of an extension column, whose base columns are `stride` apart.
DEVICE Ext3 ext_load(const u64* column, u64 stride, u64 i) {
    return Ext3{column[i], column[i + stride], column[i + 2 * stride]};
}

// Stores the canonical coefficients; see ext_load.
DEVICE void ext_store(u64* column, u64 stride, u64 i, Ext3 a) {
    column[i] = field_canonical(a.c0);
    column[i + stride] = field_canonical(a.c1);
    column[i + 2 * stride] = field_canonical(a.c2);
}

// The base field's element as an extension element.
DEVICE Ext3 ext_from_base(u64 a) { return Ext3{a, 0, 0}; }

DEVICE Ext3 ext_add(Ext3 a, Ext3 b) {
    return Ext3{field_add(a.c0, b.c0), field_add(a.c1, b.c1), field_add(a.c2, b.c2)};
}

DEVICE Ext3 ext_sub(Ext3 a, Ext3 b) {
    return Ext3{field_sub(a.c0, b.c0), field_sub(a.c1, b.c1), field_sub(a.c2, b.c2)};
}

DEVICE Ext3 ext_neg(Ext3 a) { return Ext3{field_neg(a.c0), field_neg(a.c1), field_neg(a.c2)}; }

// a · b for b in the base field.
DEVICE Ext3 ext_scale(Ext3 a, u64 b) {
    return Ext3{field_mul(a.c0, b), field_mul(a.c1, b), field_mul(a.c2, b)};
}

// a + b for b in the base field.
DEVICE Ext3 ext_add_base(Ext3 a, u64 b) { return Ext3{field_add(a.c0, b), a.c1, a.c2}; }

// a - b for b in the base field.
DEVICE Ext3 ext_sub_base(Ext3 a, u64 b) { return Ext3{field_sub(a.c0, b), a.c1, a.c2}; }

// The product's five coefficients d0 … d4, folded with x³ = x + 1 and x⁴ = x² + x before the one reduction
// of each result: nine products, three reductions.
DEVICE Ext3 ext_mul(Ext3 a, Ext3 b) {
    const Wide d3 = wide_mul_add(wide_mul(a.c1, b.c2), a.c2, b.c1);
    const Wide d4 = wide_mul(a.c2, b.c2);
    const Wide d0 = wide_mul_add(d3, a.c0, b.c0);
    const Wide d1 = wide_mul_add(wide_mul_add(wide_add(d3, d4), a.c0, b.c1), a.c1, b.c0);
    const Wide d2 = wide_mul_add(wide_mul_add(wide_mul_add(d4, a.c0, b.c2), a.c1, b.c1), a.c2, b.c0);
    return Ext3{wide_reduce(d0), wide_reduce(d1), wide_reduce(d2)};
}

// a²: six products.
DEVICE Ext3 ext_square(Ext3 a) {
    const Wide p01 = wide_mul(a.c0, a.c1), p02 = wide_mul(a.c0, a.c2), p12 = wide_mul(a.c1, a.c2);
    const Wide d3 = wide_add(p12, p12);
    const Wide d4 = wide_mul(a.c2, a.c2);
    const Wide d0 = wide_mul_add(d3, a.c0, a.c0);
    const Wide d1 = wide_add(wide_add(d3, d4), wide_add(p01, p01));
    const Wide d2 = wide_mul_add(wide_add(d4, wide_add(p02, p02)), a.c1, a.c1);
    return Ext3{wide_reduce(d0), wide_reduce(d1), wide_reduce(d2)};
}
