// What a kernel that evaluates a table's body reads and writes; the generated kernels (gpu-lde/kernels) and
// the interpreter (program.cu) share it, so that they take the same arguments.
//
// A thread evaluates one row. It reads the row and the cyclically next one of the main and preprocessed
// columns, the row's selectors and the table's public values, and writes
//
//   - of interaction i: its factor gamma - fingerprint and its multiplicity, signed by the direction, as the
//     columns 4i, 4i+1, 4i+2 and 4i+3 of `messages`;
//   - the sum of alpha^k times constraint k, as the three columns of `sums`.
//
// Both are columns of `rows` cells, canonical. `weights` holds, three words each: of every interaction the
// factor of a message of zeros; of every message field -alpha^(2+j); of every constraint alpha^k.
#pragma once

#include "products.cuh"

#ifdef KERNEL_LANE
#define UNROLL_4
#else
#define UNROLL_4 _Pragma("unroll 4")
#endif

#define CONSTRAINT_PARAMETERS                                                                                 \
    const u64 *main, u64 main_stride, const u64 *preprocessed, u64 preprocessed_stride, const u64 *selectors, \
        u64 selector_stride, const u64 *public_values, const u64 *weights, u64 *messages, u64 *sums,          \
        u64 height, u64 start, u64 rows

// The cells that a body reads. Columns are `stride` words apart and hold a power of two of rows.
struct Row {
    const u64 *main_cells, *preprocessed_cells, *selector_cells, *public_values;
    u64 main_stride, preprocessed_stride, selector_stride, current, next;

    DEVICE u64 main(u64 column) const { return main_cells[column * main_stride + current]; }
    DEVICE u64 main_next(u64 column) const { return main_cells[column * main_stride + next]; }
    DEVICE u64 preprocessed(u64 column) const { return preprocessed_cells[column * preprocessed_stride + current]; }
    DEVICE u64 preprocessed_next(u64 column) const { return preprocessed_cells[column * preprocessed_stride + next]; }
    // 0: first row, 1: last row, 2: transition.
    DEVICE u64 selector(u64 index) const { return selector_cells[index * selector_stride + current]; }
    DEVICE u64 public_value(u32 index) const { return public_values[index]; }
};

// -a.
DEVICE u64 field_minus(u64 a) { return field_sub_canonical(~a, 0xfffffffe); }

// Where a thread writes: at `index` of columns of `rows` cells.
struct Out {
    u64 *messages, *sums;
    u64 rows, index;

    DEVICE void factor(u64 interaction, const ExtProducts& factor) const {
        ext_store(messages, rows, 4 * interaction * rows + index, factor.reduce());
    }
    DEVICE void multiplicity(u64 interaction, u64 value) const {
        messages[(4 * interaction + 3) * rows + index] = field_canonical(value);
    }
    DEVICE void sum(const ExtProducts& sum) const { ext_store(sums, rows, index, sum.reduce()); }
};

// Defines `row` and `out` of the thread that is number `index` of `rows`, from the parameters.
#define CONSTRAINT_ROW(index)                                                                         \
    const u64 current = start + (index), next = (current + 1) & (height - 1);                         \
    const Row row{main, preprocessed, selectors, public_values, main_stride, preprocessed_stride,     \
                  selector_stride, current, next};                                                    \
    const Out out{messages, sums, rows, index}
