// Sums of many products, each added in four 32-bit multiply-adds.
//
// With a = a0 + 2^32 a1 and b likewise, a·b = a0·b0 + 2^64 a1·b1 + 2^32 (a0·b1 + a1·b0). The even part and the
// odd part are summed up apart, so that each 64-bit partial product is added where a multiply-add leaves it, at
// an even register, and only carries are left over: six instructions a product, against the twenty of a
// product, its reduction and a modular addition. `reduce` puts the parts together.
#pragma once

#include "goldilocks.cuh"

class Products {
    // The even part in five words and the odd part in three, least significant first. The last words count
    // carries, so that 2^31 products and values can be added.
    u32 e0, e1, e2, e3, e4, o0, o1, o2;

public:
    // first + 2^64 · second.
    DEVICE explicit Products(u64 first, u64 second = 0)
        : e0((u32)first), e1((u32)(first >> 32)), e2((u32)second), e3((u32)(second >> 32)), e4(0), o0(0), o1(0), o2(0) {}

    // Adds a · b.
    DEVICE void add(u64 a, u64 b) {
#ifdef __CUDA_ARCH__
        // Words are written before all operands are read ("&"): a may be the value that the sum began with.
        asm("mad.lo.cc.u32 %0, %8, %10, %0;\n\t"
            "madc.hi.cc.u32 %1, %8, %10, %1;\n\t"
            "madc.lo.cc.u32 %2, %9, %11, %2;\n\t"
            "madc.hi.cc.u32 %3, %9, %11, %3;\n\t"
            "addc.u32 %4, %4, 0;\n\t"
            "mad.lo.cc.u32 %5, %8, %11, %5;\n\t"
            "madc.hi.cc.u32 %6, %8, %11, %6;\n\t"
            "addc.u32 %7, %7, 0;\n\t"
            "mad.lo.cc.u32 %5, %9, %10, %5;\n\t"
            "madc.hi.cc.u32 %6, %9, %10, %6;\n\t"
            "addc.u32 %7, %7, 0;"
            : "+&r"(e0), "+&r"(e1), "+&r"(e2), "+&r"(e3), "+&r"(e4), "+&r"(o0), "+&r"(o1), "+&r"(o2)
            : "r"((u32)a), "r"((u32)(a >> 32)), "r"((u32)b), "r"((u32)(b >> 32)));
#else
        set_even(wide_mul_add(even(), a, b));
#endif
    }

    // Adds a.
    DEVICE void add(u64 a) {
#ifdef __CUDA_ARCH__
        asm("add.cc.u32 %0, %0, %5;\n\t"
            "addc.cc.u32 %1, %1, %6;\n\t"
            "addc.cc.u32 %2, %2, 0;\n\t"
            "addc.cc.u32 %3, %3, 0;\n\t"
            "addc.u32 %4, %4, 0;"
            : "+&r"(e0), "+&r"(e1), "+&r"(e2), "+&r"(e3), "+&r"(e4)
            : "r"((u32)a), "r"((u32)(a >> 32)));
#else
        set_even(wide_add(even(), Wide{a, 0, 0}));
#endif
    }

    // The element that the sum stands for.
    DEVICE u64 reduce() const {
        const Wide odd{(u64)o0 << 32, (u64)o2 << 32 | o1, 0};
        return wide_reduce(wide_add(even(), odd));
    }

private:
    DEVICE Wide even() const { return Wide{(u64)e1 << 32 | e0, (u64)e3 << 32 | e2, e4}; }
    DEVICE void set_even(Wide sum) {
        e0 = (u32)sum.low, e1 = (u32)(sum.low >> 32);
        e2 = (u32)sum.high, e3 = (u32)(sum.high >> 32);
        e4 = sum.top;
    }
};

// An extension element as a sum of products by base elements.
class ExtProducts {
    Products c0, c1, c2;

public:
    DEVICE ExtProducts() : c0(0), c1(0), c2(0) {}
    // elements[index] of an array of extension elements, three words each.
    DEVICE ExtProducts(const u64* elements, u32 index)
        : c0(elements[3 * (u64)index]), c1(elements[3 * (u64)index + 1]), c2(elements[3 * (u64)index + 2]) {}

    // Adds a · elements[index].
    DEVICE void add(u64 a, const u64* elements, u32 index) {
        const u64* element = elements + 3 * (u64)index;
        c0.add(a, element[0]);
        c1.add(a, element[1]);
        c2.add(a, element[2]);
    }

    DEVICE Ext3 reduce() const { return Ext3{c0.reduce(), c1.reduce(), c2.reduce()}; }
};
