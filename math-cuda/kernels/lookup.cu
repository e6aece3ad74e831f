// The terms of a table's bus interactions, group by group: Σ m/f over the one or two interactions of a group.
#include "inverse.cuh"
#include "messages.cuh"

// For a chunk of `rows` rows, whose messages are in `messages`: extension column g of `columns`, which is
// three base columns of `height` words from 3 · g · height on, gets the terms of group g; the last one gets
// the sum of the terms of all groups. `columns` points to the chunk's first row. A factor that is zero is
// reported in `flag` and its group counts as zero.
//
// With 1/f = adjugate(f) / norm(f), all inverses are of norms, in the base field:
//
//     m_a/f_a + m_b/f_b = (m_a·n_b·adj(f_a) + m_b·n_a·adj(f_b)) / (n_a·n_b)
//
// A row and group of two takes 88 bytes, read and written once, 48 more in the second-level cache for the
// sum, and some 42 products: bound by integer arithmetic.
KERNEL(lookup_terms)(const u64* RESTRICT messages, u64 rows, const u32* RESTRICT groups, u32 group_count,
                     u64* columns, u64 height, u32* flag) {
    SHARED(u64, shared, 2 * RUN_ROWS);
    SHARED(u64, numerators, 3 * RUN_ROWS);
    const u64 first = (u64)BLOCK_X * RUN_ROWS + THREAD_X;
    u64* const sums = columns + 3 * (u64)(group_count - 1) * height;
    Run run = run_new(shared);
    NO_UNROLL
    for (u32 group = 0; group < group_count; ++group) {
        const u32 a = groups[2 * group], b = groups[2 * group + 1];
        NO_UNROLL
        for (u64 row = first; row < rows && run.length < RUN_LENGTH; row += RUN_THREADS) {
            const ExtInverse inverse_a = ext_adjugate(message_factor(messages, rows, a, row));
            const u64 m_a = message_multiplicity(messages, rows, a, row);
            Ext3 numerator;
            u64 norm = inverse_a.norm;
            if (b == NO_SECOND) {
                numerator = ext_scale(inverse_a.adjugate, m_a);
            } else {
                const ExtInverse inverse_b = ext_adjugate(message_factor(messages, rows, b, row));
                const u64 m_b = message_multiplicity(messages, rows, b, row);
                const u64 weight_a = field_mul(m_a, inverse_b.norm);
                const u64 weight_b = field_mul(m_b, inverse_a.norm);
                const Ext3 y = inverse_a.adjugate, z = inverse_b.adjugate;
                numerator = Ext3{
                    wide_reduce(wide_mul_add(wide_mul(weight_a, y.c0), weight_b, z.c0)),
                    wide_reduce(wide_mul_add(wide_mul(weight_a, y.c1), weight_b, z.c1)),
                    wide_reduce(wide_mul_add(wide_mul(weight_a, y.c2), weight_b, z.c2)),
                };
                norm = field_mul(norm, inverse_b.norm);
            }
            run_store(numerators, run.length, numerator);
            run_push(run, norm);
        }
        run_invert(run);
        NO_UNROLL
        while (run.length > 0) {
            const u64 inverse = run_pop(run);
            const u64 row = first + run.length * RUN_THREADS;
            const Ext3 terms = ext_scale(run_load(numerators, run.length), inverse);
            const Ext3 sum = group == 0 ? terms : ext_add(ext_load(sums, height, row), terms);
            if (group + 1 < group_count) ext_store(columns + 3 * (u64)group * height, height, row, terms);
            ext_store(sums, height, row, sum);
        }
        run_reset(run);
    }
    run_report(run, flag);
}
