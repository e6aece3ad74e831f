// Entry points by name, with the sizes of their arguments.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "../kernels/portable.cuh"

namespace lane {

struct Argument {
    u32 bytes;
    bool is_pointer;
};

// One kernel. Objects of the derived Entry put themselves on the list when the program starts; they are
// linked as object files, never from an archive, whose unused members a linker drops.
struct EntryPoint {
    const char* name;
    u32 count;
    const Argument* arguments;
    // Calls the kernel; values[i] points to its i-th argument.
    void (*call)(void* const* values);
    EntryPoint* next;

    // The first of all entry points.
    static EntryPoint*& first() {
        static EntryPoint* head = nullptr;
        return head;
    }
};

template <auto Kernel>
struct Entry;

template <typename... Arguments, void (*Kernel)(Arguments...)>
struct Entry<Kernel> : EntryPoint {
    static_assert(((std::is_pointer_v<Arguments> || std::is_same_v<Arguments, u32> ||
                    std::is_same_v<Arguments, u64>) && ...),
                  "an argument of a kernel is a pointer, a u32 or a u64");

    static constexpr Argument ARGUMENTS[] = {{sizeof(Arguments), std::is_pointer_v<Arguments>}...};

    explicit Entry(const char* name)
        : EntryPoint{name, sizeof...(Arguments), ARGUMENTS, &call_with, first()} {
        first() = this;
    }

    static void call_with(void* const* values) { spread(values, std::index_sequence_for<Arguments...>{}); }

    template <size_t... I>
    static void spread(void* const* values, std::index_sequence<I...>) {
        Kernel(*static_cast<Arguments*>(values[I])...);
    }
};

}  // namespace lane
