// Fibers: stacks of their own that one operating-system thread switches between, announced to whichever
// sanitizer the program is built with.
//
// To AddressSanitizer a fiber is a stack to find frames on. To ThreadSanitizer it is a thread: switching
// orders nothing, so two fibers race unless an Edge orders them. x86-64 with the System V ABI.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lane {

class Fiber {
public:
    // A fiber that runs body(argument) once it is first resumed. The body never returns.
    Fiber(void (*body)(void*), void* argument);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // From the main stack: runs the fiber until it calls leave().
    void resume();
    // From the fiber: goes back to the main stack.
    void leave();
    // Whether the far end of the stack has been written to.
    bool overflowed() const;

private:
    [[noreturn]] static void start();

    static constexpr size_t STACK_BYTES = 64 * 1024;
    static constexpr uint64_t CANARY = 0x6b636174735f6f66;

    void (*body_)(void*);
    void* argument_;
    unsigned char* stack_;
    void* stack_pointer_;
    // What the sanitizer knows the fiber by.
    void* sanitizer_ = nullptr;
};

// A place where threads hand over what they did: whoever acquires is ordered after all who released before.
// Only ThreadSanitizer looks; the value is never touched.
class Edge {
public:
    void release();
    void acquire();

private:
    uint64_t cell_;
};

}  // namespace lane
