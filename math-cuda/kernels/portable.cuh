// The language of the kernels: the names below mean the same to NVRTC, which compiles them for the GPU,
// and, with -DKERNEL_LANE, to g++, which compiles them for the sanitizers (see ../lane/shim.h).
//
// A kernel uses CUDA only through this file, so that both meanings exist. Arguments of an entry point are
// pointers, u32 and u64; shared memory comes from SHARED and DYNAMIC_SHARED; every thread of the block
// reaches every BARRIER; warp operations name their exact mask. docs/src/gpu/adding-a-kernel.md has the
// rules in full.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

static_assert(sizeof(u32) == 4 && sizeof(u64) == 8 && sizeof(void*) == 8, "a 64-bit target");

// Threads of a warp, and the mask that names them all.
#define WARP_THREADS 32u
#define ALL_LANES 0xffffffffu

#ifdef KERNEL_LANE
#include "../lane/shim.h"
#else

// Entry point: KERNEL(ntt_forward)(const u64* RESTRICT input, u32 height_log2) { ... }
#define KERNEL(name) extern "C" __global__ void name
// The same, compiled for at most `threads` a block with at least `blocks` resident on a multiprocessor: the
// compiler keeps its registers within that.
#define KERNEL_BOUNDED(name, threads, blocks) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name
// A function of kernels; always inlined.
#define DEVICE __device__ __forceinline__
// CONSTANT u64 ROUND[4] = { ... }; at file scope.
#define CONSTANT [[maybe_unused]] static __constant__ const

// T name[count] in the block's shared memory, uninitialised. `count` is a constant.
#define SHARED(T, name, count) __shared__ T name[count]
// T* name = the shared memory asked for at launch, 16-byte aligned, uninitialised. One a kernel.
#define DYNAMIC_SHARED(T, name)                                 \
    extern __shared__ __align__(16) u8 dynamic_shared_memory[]; \
    T* const name = reinterpret_cast<T*>(dynamic_shared_memory)

#define THREAD_X threadIdx.x
#define THREAD_Y threadIdx.y
#define THREAD_Z threadIdx.z
#define BLOCK_X blockIdx.x
#define BLOCK_Y blockIdx.y
#define BLOCK_Z blockIdx.z
#define BLOCK_DIM_X blockDim.x
#define BLOCK_DIM_Y blockDim.y
#define BLOCK_DIM_Z blockDim.z
#define GRID_DIM_X gridDim.x
#define GRID_DIM_Y gridDim.y
#define GRID_DIM_Z gridDim.z

// Waits for every thread of the block; orders shared and global memory within it.
#define BARRIER() __syncthreads()
// Waits for the lanes of `mask`; orders memory among them.
#define SYNC_WARP(mask) __syncwarp(mask)
// The u32 or u64 `value` of lane `lane ^ bits`, `lane + delta` (own value past the last lane) or `source`.
#define SHUFFLE_XOR(mask, value, bits) __shfl_xor_sync(mask, value, bits)
#define SHUFFLE_DOWN(mask, value, delta) __shfl_down_sync(mask, value, delta)
#define SHUFFLE(mask, value, source) __shfl_sync(mask, value, source)
// Bit i: whether `predicate` holds in lane i of `mask`.
#define BALLOT(mask, predicate) __ballot_sync(mask, predicate)

#define RESTRICT __restrict__
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")

// Loaded and stored in one access; 16-byte aligned.
typedef ulonglong2 u64x2;
typedef uint4 u32x4;

// High 64 bits of the product.
DEVICE u64 mul_hi(u64 a, u64 b) { return __umul64hi(a, b); }
// `count` is taken modulo 32.
DEVICE u32 rotate_right(u32 x, u32 count) { return __funnelshift_r(x, x, count); }
DEVICE u32 reverse_bits(u32 x) { return __brev(x); }
DEVICE u64 reverse_bits(u64 x) { return __brevll(x); }
DEVICE u32 count_ones(u32 x) { return __popc(x); }
// 32 for 0.
DEVICE u32 leading_zeros(u32 x) { return __clz(x); }

// Relaxed; each returns the value from before.
DEVICE u32 atomic_add(u32* at, u32 x) { return atomicAdd(at, x); }
DEVICE u64 atomic_add(u64* at, u64 x) { return atomicAdd(at, x); }
DEVICE u32 atomic_min(u32* at, u32 x) { return atomicMin(at, x); }
DEVICE u64 atomic_min(u64* at, u64 x) { return atomicMin(at, x); }
DEVICE u32 atomic_or(u32* at, u32 x) { return atomicOr(at, x); }
DEVICE u64 atomic_or(u64* at, u64 x) { return atomicOr(at, x); }

#endif

// Index of this thread among all threads of a one-dimensional launch, and their number.
#define GLOBAL_THREAD ((u64)BLOCK_X * BLOCK_DIM_X + THREAD_X)
#define GLOBAL_THREADS ((u64)GRID_DIM_X * BLOCK_DIM_X)
// Lane of this thread in its warp, in a block whose BLOCK_DIM_X is a multiple of 32.
#define LANE_X (THREAD_X % WARP_THREADS)
