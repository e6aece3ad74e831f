// Runs a launch, one thread of the GPU after another.
#pragma once

#include "entry.h"

namespace lane {

// Which ready thread of a block, and which block of a grid, goes first. What differs between the two orders
// depends on the order.
enum class Order { Forward, Reverse };

struct Launch {
    const EntryPoint* entry;
    Index grid, block;
    u32 dynamic_shared_bytes;
    void* const* arguments;
};

// Executes the launch to its end; `junk` fills shared memory beforehand. A thread that breaks the rules of
// barriers and warps, or overflows its stack, ends the program with status 1 and a line that says where.
void execute(const Launch& launch, Order order, u8 junk);

}  // namespace lane
