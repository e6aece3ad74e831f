// Table machine_memory: 5 constraints, 5 interactions.
// Generated from its graph by gpu-lde/src/codegen; a test compares this file with what the graph gives.
#include "constraints.cuh"

// A row: 10 cells read, 9 operations, 17 values weighed, 20 words written.
KERNEL_BOUNDED(machine_memory_interactions, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    const u64 v7 = field_add(row.main(0), row.main(1));
    out.multiplicity(0, field_minus(v7));
    ExtProducts f0(weights, 0);
    Products s22(0, 0);
    s22.add(row.main(0), 4);
    s22.add(row.main(1), 11);
    const u64 v22 = s22.reduce();
    f0.add(v22, weights, 5);
    f0.add(row.main(2), weights, 6);
    const u64 v26 = field_mul(row.main(3), 8);
    f0.add(v26, weights, 7);
    f0.add(row.main(6), weights, 8);
    f0.add(row.main(7), weights, 9);
    out.factor(0, f0);
    out.multiplicity(1, field_minus(v7));
    ExtProducts f1(weights, 1);
    f1.add(row.main(3), weights, 6);
    f1.add(row.main(4), weights, 7);
    f1.add(row.main(5), weights, 8);
    f1.add(row.main(8), weights, 9);
    out.factor(1, f1);
    out.multiplicity(2, v7);
    ExtProducts f2(weights, 2);
    f2.add(row.main(3), weights, 6);
    f2.add(row.main(6), weights, 7);
    f2.add(row.main(7), weights, 8);
    f2.add(row.main(2), weights, 9);
    out.factor(2, f2);
    out.multiplicity(3, v7);
    ExtProducts f3(weights, 3);
    f3.add(row.main(9), weights, 5);
    out.factor(3, f3);
    out.multiplicity(4, v7);
    ExtProducts f4(weights, 4);
    Products s34(0, 0x10000ull);
    s34.add(row.main(2), 0xfffeffff00010001ull);
    s34.add(row.main(8), 0xffffffff0000ull);
    s34.add(row.main(9), 0xffffffff0000ull);
    const u64 v34 = s34.reduce();
    f4.add(v34, weights, 5);
    out.factor(4, f4);
}

// A row: 6 cells read, 11 operations, 5 values weighed, 3 words written.
KERNEL_BOUNDED(machine_memory_constraints, 128, 4)(CONSTRAINT_PARAMETERS) {
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
    const u64 v7 = field_add(row.main(0), row.main(1));
    const u64 v8 = field_sub_canonical(v7, 1);
    const u64 v9 = field_mul(v7, v8);
    sum.add(v9, weights, 12);
    const u64 v12 = field_sub(row.main(4), row.main(6));
    const u64 v13 = field_mul(row.main(0), v12);
    sum.add(v13, weights, 13);
    const u64 v16 = field_sub(row.main(5), row.main(7));
    const u64 v17 = field_mul(row.main(0), v16);
    sum.add(v17, weights, 14);
    out.sum(sum);
}
