// Table machine_word: 4 constraints, 3 interactions.
// Generated from its graph by gpu-lde/src/codegen; a test compares this file with what the graph gives.
#include "constraints.cuh"

// A row: 9 cells read, 14 operations, 9 values weighed, 12 words written.
KERNEL_BOUNDED(machine_word_interactions, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    out.multiplicity(0, field_minus(row.main(0)));
    ExtProducts f0(weights, 0);
    Products s15(row.main(1), 0);
    s15.add(row.main(0), 13);
    const u64 v15 = s15.reduce();
    f0.add(v15, weights, 3);
    Products s25(row.main(5), 0x8000000000000000ull);
    s25.add(row.main(6), 0x10000ull);
    s25.add(row.main(8), 0x100000000ull);
    const u64 v25 = s25.reduce();
    Products s32(v25, 0);
    Products s30(row.main(3), 0);
    s30.add(row.main(7), 0xfffffffe00000001ull);
    const u64 v30 = s30.reduce();
    Products s26(0, 0);
    s26.add(row.main(1), 2);
    const u64 v26 = s26.reduce();
    s32.add(v30, field_sub_canonical(v26, 1));
    const u64 v32 = s32.reduce();
    f0.add(v32, weights, 4);
    f0.add(row.main(2), weights, 5);
    f0.add(row.main(3), weights, 6);
    f0.add(row.main(4), weights, 7);
    f0.add(v25, weights, 8);
    const u64 v36 = field_mul(row.main(8), 0xffffffffull);
    f0.add(v36, weights, 9);
    out.factor(0, f0);
    out.multiplicity(1, row.main(0));
    ExtProducts f1(weights, 1);
    f1.add(row.main(5), weights, 3);
    out.factor(1, f1);
    out.multiplicity(2, row.main(0));
    ExtProducts f2(weights, 2);
    f2.add(row.main(6), weights, 3);
    out.factor(2, f2);
}

// A row: 4 cells read, 8 operations, 4 values weighed, 3 words written.
KERNEL_BOUNDED(machine_word_constraints, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    ExtProducts sum;
    const u64 v2 = field_sub_canonical(row.main(0), 1);
    const u64 v3 = field_mul(row.main(0), v2);
    sum.add(v3, weights, 10);
    const u64 v5 = field_sub_canonical(row.main(1), 1);
    const u64 v6 = field_mul(row.main(1), v5);
    sum.add(v6, weights, 11);
    const u64 v8 = field_sub_canonical(row.main(7), 1);
    const u64 v9 = field_mul(row.main(7), v8);
    sum.add(v9, weights, 12);
    const u64 v11 = field_sub_canonical(row.main(8), 1);
    const u64 v12 = field_mul(row.main(8), v11);
    sum.add(v12, weights, 13);
    out.sum(sum);
}
