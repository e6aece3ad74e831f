// Table machine_boundary: 11 constraints, 7 interactions.
// Generated from its graph by gpu-lde/src/codegen; a test compares this file with what the graph gives.
#include "constraints.cuh"

// A row: 11 cells read, 4 operations, 17 values weighed, 28 words written.
KERNEL_BOUNDED(machine_boundary_interactions, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    out.multiplicity(0, row.main(0));
    ExtProducts f0(weights, 0);
    f0.add(row.main(3), weights, 7);
    out.factor(0, f0);
    out.multiplicity(1, row.main(0));
    ExtProducts f1(weights, 1);
    f1.add(row.main(4), weights, 7);
    out.factor(1, f1);
    const u64 v40 = field_sub(row.main(0), row.main(1));
    out.multiplicity(2, v40);
    ExtProducts f2(weights, 2);
    f2.add(row.main(5), weights, 7);
    out.factor(2, f2);
    out.multiplicity(3, v40);
    ExtProducts f3(weights, 3);
    Products s50(0, 0);
    s50.add(row.main(2), 0xfffeffff00010001ull);
    s50.add(row.public_value(2), 0xffffffff0000ull);
    s50.add(row.main(5), 0xffffffff0000ull);
    const u64 v50 = s50.reduce();
    f3.add(v50, weights, 7);
    out.factor(3, f3);
    out.multiplicity(4, row.main(0));
    ExtProducts f4(weights, 4);
    f4.add(row.main(2), weights, 8);
    f4.add(row.main(6), weights, 9);
    f4.add(row.main(7), weights, 10);
    out.factor(4, f4);
    out.multiplicity(5, field_minus(row.main(0)));
    ExtProducts f5(weights, 5);
    f5.add(row.main(2), weights, 8);
    f5.add(row.main(8), weights, 9);
    f5.add(row.main(9), weights, 10);
    f5.add(row.main(10), weights, 11);
    out.factor(5, f5);
    out.multiplicity(6, row.main(1));
    ExtProducts f6(weights, 6);
    f6.add(row.main(2), weights, 7);
    f6.add(row.main(6), weights, 8);
    f6.add(row.main(7), weights, 9);
    out.factor(6, f6);
}

// A row: 14 cells read, 27 operations, 11 values weighed, 3 words written.
KERNEL_BOUNDED(machine_boundary_constraints, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    ExtProducts sum;
    const u64 v2 = field_sub_canonical(row.main(0), 1);
    const u64 v3 = field_mul(row.main(0), v2);
    sum.add(v3, weights, 12);
    const u64 v5 = field_sub_canonical(row.main(1), 1);
    const u64 v6 = field_mul(row.main(1), v5);
    sum.add(v6, weights, 13);
    const u64 v7 = field_mul(v2, row.main(1));
    sum.add(v7, weights, 14);
    const u64 v9 = field_mul(v2, row.main(3));
    sum.add(v9, weights, 15);
    const u64 v11 = field_mul(v2, row.main(4));
    sum.add(v11, weights, 16);
    const u64 v14 = field_sub_canonical(row.main(2), 0xffffffff00000000ull);
    Products s21(v14, 0xfffffffbfffffffeull);
    s21.add(~row.main(0));
    s21.add(~row.public_value(0));
    s21.add(~row.main(3));
    s21.add(row.main(4), 0xfffffffeffff0001ull);
    const u64 v21 = s21.reduce();
    const u64 v22 = field_mul(row.selector(0), v21);
    sum.add(v22, weights, 17);
    const u64 v25 = field_sub(v14, row.public_value(1));
    const u64 v26 = field_mul(row.selector(1), v25);
    sum.add(v26, weights, 18);
    Products s36(row.main_next(2), 0xfffffffbfffffffeull);
    s36.add(~row.main(2));
    s36.add(~row.main_next(0));
    s36.add(~row.main_next(3));
    s36.add(row.main_next(4), 0xfffffffeffff0001ull);
    const u64 v36 = s36.reduce();
    const u64 v37 = field_mul(row.selector(2), v36);
    sum.add(v37, weights, 19);
    const u64 v38 = field_mul(v2, row.main_next(0));
    const u64 v39 = field_mul(row.selector(2), v38);
    sum.add(v39, weights, 20);
    const u64 v40 = field_sub(row.main(0), row.main(1));
    const u64 v42 = field_mul(v40, row.main(6));
    sum.add(v42, weights, 21);
    const u64 v44 = field_mul(v40, row.main(7));
    sum.add(v44, weights, 22);
    out.sum(sum);
}
