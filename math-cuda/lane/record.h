// A recorded launch: its arguments, and the memory they point into before and after. The format is that of
// cuda-emu/src/record.
#pragma once

#include <string>
#include <vector>

#include "executor.h"

namespace lane {

struct Buffer {
    std::string label;
    u64 address;
    std::string before, after;
};

struct RecordedArgument {
    static constexpr u32 NO_BUFFER = 0xffffffff;

    u32 bytes;
    // Index of the buffer that the argument points into, or NO_BUFFER.
    u32 buffer;
    // Offset into the buffer; without one, the argument itself.
    u64 value;
};

struct Record {
    std::string entry;
    Index grid, block;
    u32 dynamic_shared_bytes;
    std::vector<RecordedArgument> arguments;
    std::vector<Buffer> buffers;
};

// Reads a file. One that is not a record ends the program with status 2.
Record read_record(const std::string& path);

}  // namespace lane
