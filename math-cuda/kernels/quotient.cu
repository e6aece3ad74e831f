// The lookup constraints in a table's composition, and the division by the vanishing polynomial.
#include "messages.cuh"

// Finishes a chunk of `rows` rows of a slab, from row `start` on:
//
//     part = (sums + Σ_g (c_g·f_a·f_b - m_a·f_b - m_b·f_a) · power_g) · scale
//
// `sums`, three base columns of `rows` words, are the constraints of the body, weighed with powers of α;
// `part` has three of `height` words. c_g is extension column g of `lookup`, three base columns that are
// `stride` words apart, whose row `lookup_start` is the chunk's first; for the last group it is
// S' - S + mean - Σ c_g with S its column, S' the same one row later, where row 0 comes after `lookup_rows`
// rows, and Σ over the groups before. `powers` has three words a group. No groups: the scaling alone.
//
// A row and group of two takes 88 bytes and 30 products, a row 48 bytes and three products more: bound by
// integer arithmetic.
KERNEL(quotient_finish)(const u64* RESTRICT messages, const u64* RESTRICT sums, u64 rows,
                        const u32* RESTRICT groups, u32 group_count, const u64* RESTRICT lookup, u64 stride,
                        u64 lookup_start, u64 lookup_rows, const u64* RESTRICT powers, u64 mean0, u64 mean1,
                        u64 mean2, u64 scale, u64* RESTRICT part, u64 height, u64 start) {
    const u64 chunk_row = GLOBAL_THREAD;
    if (chunk_row >= rows) return;
    const u64 lookup_row = lookup_start + chunk_row;
    Ext3 sum = ext_load(sums, rows, chunk_row);
    Ext3 columns{0, 0, 0};
    NO_UNROLL
    for (u32 group = 0; group < group_count; ++group) {
        Ext3 column = ext_load(lookup + 3 * group * stride, stride, lookup_row);
        if (group + 1 < group_count) {
            columns = ext_add(columns, column);
        } else {
            const u64 next_row = lookup_row + 1 < lookup_rows ? lookup_row + 1 : 0;
            const Ext3 next = ext_load(lookup + 3 * group * stride, stride, next_row);
            const Ext3 growth = ext_add(ext_sub(next, column), Ext3{mean0, mean1, mean2});
            column = ext_sub(growth, columns);
        }
        const u32 a = groups[2 * group], b = groups[2 * group + 1];
        const Ext3 factor_a = message_factor(messages, rows, a, chunk_row);
        const u64 m_a = message_multiplicity(messages, rows, a, chunk_row);
        Ext3 constraint = ext_sub_base(ext_mul(column, factor_a), m_a);
        if (b != NO_SECOND) {
            const Ext3 factor_b = message_factor(messages, rows, b, chunk_row);
            const u64 m_b = message_multiplicity(messages, rows, b, chunk_row);
            constraint = ext_sub(ext_mul(constraint, factor_b), ext_scale(factor_a, m_b));
        }
        const Ext3 power{powers[3 * group], powers[3 * group + 1], powers[3 * group + 2]};
        sum = ext_add(sum, ext_mul(constraint, power));
    }
    ext_store(part, height, start + chunk_row, ext_scale(sum, scale));
}
