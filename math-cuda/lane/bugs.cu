// One mistake a kernel, each with the tool of `make kernel-sanitize` that must find it and the words it
// must say: the checks are shown to fail before they are believed to pass. Every kernel runs in two blocks
// of 64 threads on 128 words of input and output and 64 words of dynamic shared memory.
#include "portable.cuh"

// EXPECT address: no difference
// EXPECT thread: no difference
KERNEL(bugs_none)(const u64* RESTRICT input, u64* RESTRICT output) {
    SHARED(u64, fixed, 64);
    DYNAMIC_SHARED(u64, dynamic);
    fixed[THREAD_X] = input[GLOBAL_THREAD];
    BARRIER();
    dynamic[THREAD_X] = fixed[THREAD_X ^ 63];
    SYNC_WARP(ALL_LANES);
    u64 sum = dynamic[THREAD_X ^ 1];
    for (u32 bits = 1; bits < WARP_THREADS; bits *= 2) sum += SHUFFLE_XOR(ALL_LANES, sum, bits);
    if (LANE_X < 16) sum += SHUFFLE(0xffffu, sum, 3) ^ BALLOT(0xffffu, sum & 1);
    BARRIER();
    fixed[THREAD_X] = sum;
    BARRIER();
    atomic_add(&output[0], fixed[63 - THREAD_X]);
}

// Written by all, read by all, without a barrier between.
// EXPECT thread: data race
KERNEL(bugs_missing_barrier)(const u64* RESTRICT input, u64* RESTRICT output) {
    DYNAMIC_SHARED(u64, tile);
    tile[THREAD_X] = input[GLOBAL_THREAD];
    output[GLOBAL_THREAD] = tile[THREAD_X ^ 1];
}

// A second round that overwrites what the first still reads.
// EXPECT thread: data race
KERNEL(bugs_missing_second_barrier)(const u64* RESTRICT input, u64* RESTRICT output) {
    DYNAMIC_SHARED(u64, tile);
    u64 sum = 0;
    for (u32 round = 0; round < 2; round++) {
        tile[THREAD_X] = input[GLOBAL_THREAD] + round;
        BARRIER();
        sum += tile[63 - THREAD_X];
    }
    output[GLOBAL_THREAD] = sum;
}

// Right in the one order where the last thread really is last.
// EXPECT thread: data race
KERNEL(bugs_last_thread_reads)(const u64* RESTRICT input, u64* RESTRICT output) {
    SHARED(u64, tile, 64);
    tile[THREAD_X] = input[GLOBAL_THREAD];
    if (THREAD_X == 63) output[BLOCK_X] = tile[0];
}

// Relies on the lanes of a warp advancing together.
// EXPECT thread: data race
KERNEL(bugs_warp_in_step)(const u64* RESTRICT input, u64* RESTRICT output) {
    SHARED(u64, tile, 64);
    tile[THREAD_X] = input[GLOBAL_THREAD];
    BARRIER();
    u64 other = tile[THREAD_X ^ 1];
    tile[THREAD_X] = other + 1;
    BARRIER();
    output[GLOBAL_THREAD] = tile[THREAD_X];
}

// Relies on the block before having run.
// EXPECT thread: data race
KERNEL(bugs_block_waits_for_none)(const u64* RESTRICT input, u64* RESTRICT output) {
    if (THREAD_X == 0) output[BLOCK_X] = input[BLOCK_X] + (BLOCK_X > 0 ? output[BLOCK_X - 1] : 0);
}

// Plain additions to one word.
// EXPECT thread: data race
KERNEL(bugs_sum_without_atomics)(const u64* RESTRICT input, u64* RESTRICT output) {
    output[0] += input[GLOBAL_THREAD];
}

// EXPECT address: heap-buffer-overflow
KERNEL(bugs_dynamic_shared_by_one)(const u64* RESTRICT input, u64* RESTRICT output) {
    DYNAMIC_SHARED(u64, tile);
    tile[THREAD_X + 1] = input[GLOBAL_THREAD];
    BARRIER();
    output[GLOBAL_THREAD] = tile[THREAD_X];
}

// EXPECT address: index 64 out of bounds
KERNEL(bugs_static_shared_by_one)(const u64* RESTRICT input, u64* RESTRICT output) {
    SHARED(u64, tile, 64);
    tile[THREAD_X + 1] = input[GLOBAL_THREAD];
    BARRIER();
    output[GLOBAL_THREAD] = tile[THREAD_X];
}

// EXPECT address: heap-buffer-overflow
KERNEL(bugs_global_by_one)(const u64* RESTRICT input, u64* RESTRICT output) {
    output[GLOBAL_THREAD] = input[GLOBAL_THREAD + 1];
}

// EXPECT address: heap-buffer-overflow
KERNEL(bugs_global_before)(const u64* RESTRICT input, u64* RESTRICT output) {
    output[GLOBAL_THREAD - 1] = input[GLOBAL_THREAD];
}

// EXPECT address: misaligned address
KERNEL(bugs_misaligned)(const u64* RESTRICT input, u64* RESTRICT output) {
    const u64* shifted = reinterpret_cast<const u64*>(reinterpret_cast<const u8*>(input) + 4);
    if (GLOBAL_THREAD < 127) output[GLOBAL_THREAD] = shifted[GLOBAL_THREAD];
}

// EXPECT address: shift exponent
KERNEL(bugs_wide_shift)(const u64* RESTRICT input, u64* RESTRICT output) {
    output[GLOBAL_THREAD] = input[GLOBAL_THREAD] << (THREAD_X + 10);
}

// EXPECT address: the orders disagree
KERNEL(bugs_uninitialised_shared)(const u64* RESTRICT input, u64* RESTRICT output) {
    DYNAMIC_SHARED(u64, tile);
    if (THREAD_X < 63) tile[THREAD_X] = input[GLOBAL_THREAD];
    BARRIER();
    output[GLOBAL_THREAD] = tile[63 - THREAD_X];
}

// EXPECT address: wait at different barriers
KERNEL(bugs_divergent_barrier)(const u64* RESTRICT input, u64* RESTRICT output) {
    SHARED(u64, tile, 64);
    tile[THREAD_X] = input[GLOBAL_THREAD];
    if (THREAD_X & 1) {
        BARRIER();
        output[GLOBAL_THREAD] = tile[0];
    } else {
        BARRIER();
        output[GLOBAL_THREAD] = tile[1];
    }
}

// EXPECT address: ended without reaching the barrier
KERNEL(bugs_early_return)(const u64* RESTRICT input, u64* RESTRICT output) {
    SHARED(u64, tile, 64);
    tile[THREAD_X] = input[GLOBAL_THREAD];
    if (THREAD_X >= 40) return;
    BARRIER();
    output[GLOBAL_THREAD] = tile[THREAD_X ^ 1];
}

// EXPECT address: waits for lanes that never arrive
KERNEL(bugs_missing_lanes)(const u64* RESTRICT input, u64* RESTRICT output) {
    u64 sum = input[GLOBAL_THREAD];
    if (LANE_X < 20) sum += SHUFFLE_XOR(ALL_LANES, sum, 1);
    output[GLOBAL_THREAD] = sum;
}
