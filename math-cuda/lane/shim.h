// What portable.cuh's names mean to g++: the calls a kernel makes into the executor (executor.cpp), which
// runs each thread of a block as a fiber, and plain C++ for the rest.
//
// Waiting and exchanging calls take the place of the call as two last arguments, for messages and to see
// that all threads wait at the same place.
#pragma once

namespace lane {

struct Index {
    u32 x, y, z;
};

// What the running thread sees of its launch.
struct Position {
    Index thread, block, block_dim, grid_dim;
    // Start of the block's dynamic shared memory.
    void* dynamic_shared;
};
extern Position position;

// Waits for all threads of the block.
void barrier(const char* file, int line);
// Waits for the lanes of `mask`.
void sync_warp(u32 mask, const char* file, int line);
// `value` of lane `source`; the caller's own where there is no such lane.
u64 exchange(u32 mask, u64 value, u32 source, const char* file, int line);
u32 ballot(u32 mask, bool predicate, const char* file, int line);
u32 lane_index();
// The block's static shared array that is declared at `site`; the same for each of its threads.
void* shared_array(const void* site, u64 bytes);

template <typename T>
T shuffle(u32 mask, T value, u32 source, const char* file, int line) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "words of 32 or 64 bits");
    return static_cast<T>(exchange(mask, static_cast<u64>(value), source, file, line));
}

}  // namespace lane

#define KERNEL(name) extern "C" void name
#define KERNEL_BOUNDED(name, threads, blocks) KERNEL(name)
// Also of a member function. Sources are included in a namespace without a name, so that functions of one
// name in two families stay two.
#define DEVICE [[maybe_unused]] inline
#define CONSTANT [[maybe_unused]] static const

// A reference to the array, so that the compiler knows its bounds.
#define SHARED(T, name, count)       \
    static const char name##_site{}; \
    T(&name)[count] = *static_cast<T(*)[count]>(::lane::shared_array(&name##_site, sizeof(T) * (count)))
#define DYNAMIC_SHARED(T, name) T* const name = static_cast<T*>(::lane::position.dynamic_shared)

#define THREAD_X (::lane::position.thread.x)
#define THREAD_Y (::lane::position.thread.y)
#define THREAD_Z (::lane::position.thread.z)
#define BLOCK_X (::lane::position.block.x)
#define BLOCK_Y (::lane::position.block.y)
#define BLOCK_Z (::lane::position.block.z)
#define BLOCK_DIM_X (::lane::position.block_dim.x)
#define BLOCK_DIM_Y (::lane::position.block_dim.y)
#define BLOCK_DIM_Z (::lane::position.block_dim.z)
#define GRID_DIM_X (::lane::position.grid_dim.x)
#define GRID_DIM_Y (::lane::position.grid_dim.y)
#define GRID_DIM_Z (::lane::position.grid_dim.z)

#define BARRIER() ::lane::barrier(__FILE__, __LINE__)
#define SYNC_WARP(mask) ::lane::sync_warp(mask, __FILE__, __LINE__)
#define SHUFFLE_XOR(mask, value, bits) \
    ::lane::shuffle(mask, value, ::lane::lane_index() ^ (bits), __FILE__, __LINE__)
#define SHUFFLE_DOWN(mask, value, delta) \
    ::lane::shuffle(mask, value, ::lane::lane_index() + (delta), __FILE__, __LINE__)
#define SHUFFLE(mask, value, source) ::lane::shuffle(mask, value, (source) % WARP_THREADS, __FILE__, __LINE__)
#define BALLOT(mask, predicate) ::lane::ballot(mask, predicate, __FILE__, __LINE__)

#define RESTRICT __restrict
#define UNROLL
#define NO_UNROLL

struct alignas(16) u64x2 {
    u64 x, y;
};
struct alignas(16) u32x4 {
    u32 x, y, z, w;
};

DEVICE u64 mul_hi(u64 a, u64 b) {
    return static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64);
}
DEVICE u32 rotate_right(u32 x, u32 count) {
    return (x >> (count % 32)) | (x << ((32 - count % 32) % 32));
}
DEVICE u32 reverse_bits(u32 x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(x);
}
DEVICE u64 reverse_bits(u64 x) {
    u64 high = reverse_bits(static_cast<u32>(x));
    return (high << 32) | reverse_bits(static_cast<u32>(x >> 32));
}
DEVICE u32 count_ones(u32 x) { return static_cast<u32>(__builtin_popcount(x)); }
DEVICE u32 leading_zeros(u32 x) { return x ? static_cast<u32>(__builtin_clz(x)) : 32; }

namespace lane {

template <typename T>
T atomic_min(T* at, T x) {
    T held = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (x < held && !__atomic_compare_exchange_n(at, &held, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return held;
}

}  // namespace lane

DEVICE u32 atomic_add(u32* at, u32 x) { return __atomic_fetch_add(at, x, __ATOMIC_RELAXED); }
DEVICE u64 atomic_add(u64* at, u64 x) { return __atomic_fetch_add(at, x, __ATOMIC_RELAXED); }
DEVICE u32 atomic_min(u32* at, u32 x) { return lane::atomic_min(at, x); }
DEVICE u64 atomic_min(u64* at, u64 x) { return lane::atomic_min(at, x); }
DEVICE u32 atomic_or(u32* at, u32 x) { return __atomic_fetch_or(at, x, __ATOMIC_RELAXED); }
DEVICE u64 atomic_or(u64* at, u64 x) { return __atomic_fetch_or(at, x, __ATOMIC_RELAXED); }
