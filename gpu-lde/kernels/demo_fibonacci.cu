// Table demo_fibonacci: 7 constraints, 2 interactions.
// Generated from its graph by gpu-lde/src/codegen; a test compares this file with what the graph gives.
#include "constraints.cuh"

// A row: 2 cells read, 0 operations, 2 values weighed, 8 words written.
KERNEL_BOUNDED(demo_fibonacci_interactions, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    out.multiplicity(0, 1);
    ExtProducts f0(weights, 0);
    f0.add(row.main(2), weights, 2);
    out.factor(0, f0);
    out.multiplicity(1, 1);
    ExtProducts f1(weights, 1);
    f1.add(row.main(3), weights, 2);
    out.factor(1, f1);
}

// A row: 11 cells read, 19 operations, 7 values weighed, 3 words written.
KERNEL_BOUNDED(demo_fibonacci_constraints, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    ExtProducts sum;
    const u64 v3 = field_sub(row.main(0), row.public_value(0));
    const u64 v4 = field_mul(row.selector(0), v3);
    sum.add(v4, weights, 3);
    const u64 v7 = field_sub(row.main(1), row.public_value(1));
    const u64 v8 = field_mul(row.selector(0), v7);
    sum.add(v8, weights, 4);
    Products s13(row.main(2), 0);
    s13.add(row.main(3), 0x10000ull);
    const u64 v13 = s13.reduce();
    const u64 v14 = field_mul(row.selector(0), v13);
    sum.add(v14, weights, 5);
    const u64 v17 = field_sub(row.main_next(0), row.main(1));
    const u64 v18 = field_mul(row.selector(2), v17);
    sum.add(v18, weights, 6);
    const u64 v20 = field_add(row.main(0), row.main(1));
    const u64 v21 = field_sub(row.main_next(1), v20);
    const u64 v22 = field_mul(row.selector(2), v21);
    sum.add(v22, weights, 7);
    Products s29(row.main_next(2), 0xffffffff00000000ull);
    s29.add(row.main_next(3), 0x10000ull);
    s29.add(~v13);
    const u64 v29 = s29.reduce();
    const u64 v30 = field_mul(row.selector(2), v29);
    sum.add(v30, weights, 8);
    const u64 v33 = field_sub(row.main(0), row.public_value(2));
    const u64 v34 = field_mul(row.selector(1), v33);
    sum.add(v34, weights, 9);
    out.sum(sum);
}
