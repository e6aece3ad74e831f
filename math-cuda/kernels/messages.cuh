// Bus messages of a chunk of rows, as the constraint kernels leave them, and the terms of a group.
//
// Interaction i has four columns of `rows` words, from 4 · i · rows on: the three coefficients of its factor
// f = γ - fingerprint, and its multiplicity m, signed by the direction. A group is one or two interactions,
// two words in the list of groups: the first one's index and the second one's, or NO_SECOND.
#pragma once

#include "goldilocks.cuh"

// Second interaction of a group that has one only.
#define NO_SECOND 0xffffffffu

DEVICE Ext3 message_factor(const u64* RESTRICT messages, u64 rows, u32 interaction, u64 row) {
    return ext_load(messages + 4 * interaction * rows, rows, row);
}

DEVICE u64 message_multiplicity(const u64* RESTRICT messages, u64 rows, u32 interaction, u64 row) {
    return messages[(4 * (u64)interaction + 3) * rows + row];
}
