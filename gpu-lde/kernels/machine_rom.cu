// Table machine_rom: 0 constraints, 1 interactions.
// Generated from its graph by gpu-lde/src/codegen; a test compares this file with what the graph gives.
#include "constraints.cuh"

// A row: 9 cells read, 0 operations, 8 values weighed, 4 words written.
KERNEL_BOUNDED(machine_rom_interactions, 128, 4)(CONSTRAINT_PARAMETERS) {
    const u64 index = GLOBAL_THREAD;
    if (index >= rows) return;
    CONSTRAINT_ROW(index);
    out.multiplicity(0, field_minus(row.main(0)));
    ExtProducts f0(weights, 0);
    f0.add(row.preprocessed(0), weights, 1);
    f0.add(row.preprocessed(1), weights, 2);
    f0.add(row.preprocessed(2), weights, 3);
    f0.add(row.preprocessed(3), weights, 4);
    f0.add(row.preprocessed(4), weights, 5);
    f0.add(row.preprocessed(5), weights, 6);
    f0.add(row.preprocessed(6), weights, 7);
    f0.add(row.preprocessed(7), weights, 8);
    out.factor(0, f0);
}
