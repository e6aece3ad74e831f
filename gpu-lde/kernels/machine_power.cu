// Table machine_power: 0 constraints, 1 interactions.
// Generated from its graph by gpu-lde/src/codegen; a test compares this file with what the graph gives.
#include "constraints.cuh"

// A row: 3 cells read, 0 operations, 2 values weighed, 4 words written.
KERNEL_BOUNDED(machine_power_interactions, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    out.multiplicity(0, field_minus(row.main(0)));
    ExtProducts f0(weights, 0);
    f0.add(row.preprocessed(0), weights, 1);
    f0.add(row.preprocessed(1), weights, 2);
    out.factor(0, f0);
}
