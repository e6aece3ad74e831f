// A block runs as one fiber a thread, in turn, each until it waits or ends. Blocks run one after another.
//
// For ThreadSanitizer, what orders two threads is this and nothing else: a barrier, a warp operation, the
// start of the launch (after all that the host did) and its end. Hence the care below that nothing of the
// executor's own adds an order or looks like an access:
// - A barrier has two edges, used in turn. With one, a thread already past the barrier could release into
//   it for the next before another has acquired it, which would order what is unordered.
// - Edges belong to one block: shared ones would order blocks.
// - A fiber, with its stack, serves thread t of block b and thread t - 1 of block b + 1: what one fiber does
//   is ordered, so that equal threads of neighbouring blocks must be different fibers.
// - Shared memory is at fresh addresses in each block of a launch, from a bare system call, because
//   malloc() and free() count as writes.
#include "executor.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "fiber.h"
#include "shared_memory.h"

namespace lane {

Position position;

namespace {

enum class State { Ready, AtBarrier, InWarp, Ended };

struct Place {
    const char* file;
    int line;

    bool operator!=(const Place& other) const { return line != other.line || strcmp(file, other.file) != 0; }
};

struct Thread {
    Fiber* fiber;
    Index index;
    u32 linear;
    State state;
    // Where it waits.
    Place place;
    u32 barriers;
};

// Lanes of a warp that execute one operation together, known by the lowest of them. Values are kept in two
// sets, used in turn: a lane may begin the next operation before another has read the values of this one.
struct Group {
    u32 mask, arrived, operations;
    Place place;
    u64 values[2][WARP_THREADS];
};

struct Warp {
    Group groups[WARP_THREADS];
};

struct WarpEdges {
    Edge groups[WARP_THREADS][2];
};

struct BlockEdges {
    Edge barriers[2];
    std::vector<WarpEdges> warps;
};

const Launch* launch;
// Kept from launch to launch: ThreadSanitizer takes half a millisecond to make one.
std::vector<std::unique_ptr<Fiber>> fibers;
std::vector<Thread> threads;
std::vector<Warp> warps;
// One for each block of the launch so far; the last is the running block's.
std::vector<std::unique_ptr<BlockEdges>> edges;
Thread* current;
Edge launch_start, launch_end;
SharedMemory shared_memory;
// Static shared arrays of the block, by where they are declared.
std::vector<std::pair<const void*, void*>> shared_arrays;

[[noreturn, gnu::format(printf, 2, 3)]] void fault(const Thread& thread, const char* format, ...) {
    const Index &block = position.block, &index = thread.index;
    fprintf(stderr, "kernel fault: %s, block (%u, %u, %u), thread (%u, %u, %u): ", launch->entry->name,
            block.x, block.y, block.z, index.x, index.y, index.z);
    va_list words;
    va_start(words, format);
    vfprintf(stderr, format, words);
    va_end(words);
    fputc('\n', stderr);
    _exit(1);
}

// Body of every fiber: serves one thread after another.
void serve(void*) {
    for (;;) {
        launch_start.acquire();
        launch->entry->call(launch->arguments);
        launch_end.release();
        current->state = State::Ended;
        current->fiber->leave();
    }
}

void wait(State state, Place place) {
    current->state = state;
    current->place = place;
    current->fiber->leave();
}

// Waits for the lanes of `mask` and returns their values.
const u64* meet(u32 mask, u64 value, Place place) {
    Thread& thread = *current;
    u32 lane = thread.linear % WARP_THREADS;
    if (!(mask >> lane & 1)) {
        fault(thread, "lane %u is not in its mask at %s:%d", lane, place.file, place.line);
    }
    u32 lowest = __builtin_ctz(mask);
    Group& group = warps[thread.linear / WARP_THREADS].groups[lowest];
    if (group.arrived == 0) {
        group.mask = mask;
        group.place = place;
    } else if (group.mask != mask || group.place != place) {
        fault(thread, "lanes of a warp meet at %s:%d (mask %08x) and %s:%d (mask %08x)", group.place.file,
              group.place.line, group.mask, place.file, place.line, mask);
    }
    u32 turn = group.operations & 1;
    Edge& edge = edges.back()->warps[thread.linear / WARP_THREADS].groups[lowest][turn];
    group.values[turn][lane] = value;
    group.arrived |= 1u << lane;
    edge.release();
    if (group.arrived == mask) {
        group.arrived = 0;
        group.operations++;
        u32 base = thread.linear - lane;
        for (u32 other = 0; other < WARP_THREADS; other++) {
            if (other != lane && mask >> other & 1) threads[base + other].state = State::Ready;
        }
    } else {
        wait(State::InWarp, place);
    }
    edge.acquire();
    return group.values[turn];
}

// Lets all threads go on from their barrier, where they are all at one.
void open_barrier() {
    const Thread* first = nullptr;
    const Thread* ended = nullptr;
    for (const Thread& thread : threads) {
        if (thread.state == State::InWarp) {
            fault(thread, "%s:%d waits for lanes that never arrive", thread.place.file, thread.place.line);
        } else if (thread.state == State::Ended) {
            ended = &thread;
        } else if (!first) {
            first = &thread;
        } else if (thread.place != first->place) {
            fault(thread, "threads of a block wait at different barriers: %s:%d and %s:%d", thread.place.file,
                  thread.place.line, first->place.file, first->place.line);
        }
    }
    if (ended) {
        fault(*ended, "ended without reaching the barrier at %s:%d", first->place.file, first->place.line);
    }
    for (Thread& thread : threads) thread.state = State::Ready;
}

// Runs each ready thread until it waits or ends. Returns whether there was one.
bool run_ready(Order order) {
    bool any = false;
    for (size_t i = 0; i < threads.size(); i++) {
        Thread& thread = threads[order == Order::Forward ? i : threads.size() - 1 - i];
        if (thread.state != State::Ready) continue;
        any = true;
        current = &thread;
        position.thread = thread.index;
        thread.fiber->resume();
        if (thread.fiber->overflowed()) fault(thread, "the stack is full");
    }
    return any;
}

bool all_ended() {
    for (const Thread& thread : threads) {
        if (thread.state != State::Ended) return false;
    }
    return true;
}

void execute_block(u64 number, Order order, u8 junk) {
    const Index &grid = launch->grid, &size = launch->block;
    position.block = {static_cast<u32>(number % grid.x), static_cast<u32>(number / grid.x % grid.y),
                      static_cast<u32>(number / grid.x / grid.y)};
    warps.assign((threads.size() + WARP_THREADS - 1) / WARP_THREADS, Warp());
    edges.push_back(std::make_unique<BlockEdges>());
    edges.back()->warps.resize(warps.size());
    for (u32 i = 0; i < threads.size(); i++) {
        Index index = {i % size.x, i / size.x % size.y, i / size.x / size.y};
        Fiber* fiber = fibers[(i + number) % (threads.size() + 1)].get();
        threads[i] = {fiber, index, i, State::Ready, {}, 0};
    }
    shared_memory.begin_block(junk);
    shared_arrays.clear();
    position.dynamic_shared = shared_memory.allocate(launch->dynamic_shared_bytes);
    launch_start.release();
    for (;;) {
        if (run_ready(order)) continue;
        if (all_ended()) break;
        open_barrier();
    }
    shared_memory.end_block();
}

}  // namespace

void execute(const Launch& what, Order order, u8 junk) {
    launch = &what;
    position.block_dim = what.block;
    position.grid_dim = what.grid;
    u64 count = static_cast<u64>(what.grid.x) * what.grid.y * what.grid.z;
    threads.resize(static_cast<size_t>(what.block.x) * what.block.y * what.block.z);
    // One more than threads, so that a thread's fiber moves on with the block.
    while (fibers.size() < threads.size() + 1) fibers.push_back(std::make_unique<Fiber>(serve, nullptr));
    for (u64 i = 0; i < count; i++) execute_block(order == Order::Forward ? i : count - 1 - i, order, junk);
    launch_end.acquire();
    edges.clear();
    shared_memory.end_launch();
}

void barrier(const char* file, int line) {
    Edge& edge = edges.back()->barriers[current->barriers++ & 1];
    edge.release();
    wait(State::AtBarrier, {file, line});
    edge.acquire();
}

void sync_warp(u32 mask, const char* file, int line) { meet(mask, 0, {file, line}); }

u64 exchange(u32 mask, u64 value, u32 source, const char* file, int line) {
    const u64* values = meet(mask, value, {file, line});
    if (source >= WARP_THREADS) return value;
    if (!(mask >> source & 1)) {
        fault(*current, "reads lane %u, not in its mask, at %s:%d", source, file, line);
    }
    return values[source];
}

u32 ballot(u32 mask, bool predicate, const char* file, int line) {
    const u64* values = meet(mask, predicate, {file, line});
    u32 votes = 0;
    for (u32 lane = 0; lane < WARP_THREADS; lane++) {
        if (mask >> lane & 1) votes |= static_cast<u32>(values[lane]) << lane;
    }
    return votes;
}

u32 lane_index() { return current->linear % WARP_THREADS; }

void* shared_array(const void* site, u64 bytes) {
    for (const auto& [declared, memory] : shared_arrays) {
        if (declared == site) return memory;
    }
    void* memory = shared_memory.allocate(bytes);
    shared_arrays.emplace_back(site, memory);
    return memory;
}

}  // namespace lane
