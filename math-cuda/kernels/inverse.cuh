// Many inverses for the price of one (Montgomery's trick), by each thread for a run of its own elements.
//
// A thread pushes up to RUN_LENGTH values, inverts their product, and pops the inverses, last one first:
// three products a value and 72 products for the whole run. Runs lie in shared memory, in slots that no
// other thread touches, so that loops over them need neither barriers nor registers, and are not unrolled.
#pragma once

#include "goldilocks.cuh"

// Threads of a block that keeps runs.
#define RUN_THREADS 128u
// Values of a run.
#define RUN_LENGTH 8u
// Rows of a block whose threads have one value per row; thread t has rows t, t + RUN_THREADS and so on.
#define RUN_ROWS (RUN_THREADS * RUN_LENGTH)

// A stack of values and the products of those below each. `values` and `products` point to the thread's first
// slots in shared memory; the next ones are RUN_THREADS words on.
struct Run {
    u64* values;
    u64* products;
    // Product of all values in the stack but zeros; from run_invert on its inverse.
    u64 product;
    u32 length;
    // Whether a zero was pushed.
    bool met_zero;
};

// An empty run in `shared`, 2 · RUN_ROWS words.
DEVICE Run run_new(u64* shared) {
    return Run{shared + THREAD_X, shared + RUN_ROWS + THREAD_X, 1, 0, false};
}

DEVICE void run_push(Run& run, u64 value) {
    value = field_canonical(value);
    run.values[run.length * RUN_THREADS] = value;
    run.products[run.length * RUN_THREADS] = run.product;
    if (value == 0) {
        run.met_zero = true;
    } else {
        run.product = field_mul(run.product, value);
    }
    ++run.length;
}

// Between the last push and the first pop.
DEVICE void run_invert(Run& run) { run.product = field_inverse(run.product); }

// The inverse of the last value pushed and not popped, 0 for 0.
DEVICE u64 run_pop(Run& run) {
    --run.length;
    const u64 value = run.values[run.length * RUN_THREADS];
    if (value == 0) return 0;
    const u64 inverse = field_mul(run.product, run.products[run.length * RUN_THREADS]);
    run.product = field_mul(run.product, value);
    return inverse;
}

// After the last pop: ready for other values.
DEVICE void run_reset(Run& run) { run.product = 1; }

// Sets `flag` if the run met a zero. Atomic because other threads may do the same.
DEVICE void run_report(const Run& run, u32* flag) {
    if (run.met_zero) atomic_or(flag, 1u);
}

// 1/a = adjugate / norm, for a other than zero.
struct ExtInverse {
    Ext3 adjugate;
    u64 norm;
};

// Multiplication by `a` is the matrix with columns a, a·x, a·x²,
//
//     | a0  a2     a1      |
//     | a1  a0+a2  a1+a2   |
//     | a2  a1     a0+a2   |
//
// and 1/a solves (matrix) · y = (1, 0, 0): the cofactors of its first row over its determinant, which is in
// the base field and zero for a = 0 alone. Nine products, seven reductions.
DEVICE ExtInverse ext_adjugate(Ext3 a) {
    const u64 s = field_add(a.c0, a.c2), t = field_add(a.c1, a.c2);
    const Ext3 y{
        field_sub(field_square(s), field_mul(t, a.c1)),
        field_sub(field_mul(t, a.c2), field_mul(a.c1, s)),
        field_sub(field_square(a.c1), field_mul(s, a.c2)),
    };
    const Wide norm = wide_mul_add(wide_mul_add(wide_mul(a.c0, y.c0), a.c2, y.c1), a.c1, y.c2);
    return ExtInverse{y, wide_reduce(norm)};
}

// An extension element at each place of a run, 3 · RUN_ROWS words of shared memory.
DEVICE void run_store(u64* shared, u32 i, Ext3 a) {
    u64* const slot = shared + i * RUN_THREADS + THREAD_X;
    slot[0] = a.c0;
    slot[RUN_ROWS] = a.c1;
    slot[2 * RUN_ROWS] = a.c2;
}

DEVICE Ext3 run_load(const u64* shared, u32 i) {
    return ext_load(shared, RUN_ROWS, i * RUN_THREADS + THREAD_X);
}
