// Table machine_bytepair: 0 constraints, 2 interactions.
// Generated from its graph by gpu-lde/src/codegen; a test compares this file with what the graph gives.
#include "constraints.cuh"

// A row: 5 cells read, 0 operations, 5 values weighed, 8 words written.
KERNEL_BOUNDED(machine_bytepair_interactions, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    out.multiplicity(0, field_minus(row.main(0)));
    ExtProducts f0(weights, 0);
    f0.add(row.preprocessed(0), weights, 2);
    f0.add(row.preprocessed(1), weights, 3);
    f0.add(row.preprocessed(2), weights, 4);
    out.factor(0, f0);
    out.multiplicity(1, field_minus(row.main(1)));
    ExtProducts f1(weights, 1);
    f1.add(row.preprocessed(0), weights, 2);
    f1.add(row.preprocessed(1), weights, 3);
    out.factor(1, f1);
}
