#include "fiber.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#if !defined(__x86_64__)
#error "the switch between fibers is written for x86-64"
#endif

// This file is not instrumented for ThreadSanitizer: it calls its interface instead.
#if defined(LANE_THREAD)
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* cell);
void __tsan_release(void* cell);
}
#elif defined(LANE_ADDRESS)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// void lane_switch(void** save, void* load): pushes the registers that the ABI preserves, leaves the stack
// pointer in *save and continues on the stack `load`.
extern "C" void lane_switch(void** save, void* load);
asm(R"(
    .text
    .globl lane_switch
    .type lane_switch, @function
lane_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size lane_switch, . - lane_switch
)");

namespace lane {

namespace {

constexpr int PRESERVED_REGISTERS = 6;

void* main_stack_pointer;
Fiber* running;
#if defined(LANE_THREAD)
void* main_sanitizer;
#elif defined(LANE_ADDRESS)
const void* main_stack;
size_t main_stack_bytes;
#endif

}  // namespace

Fiber::Fiber(void (*body)(void*), void* argument) : body_(body), argument_(argument) {
    // The bare system call: ThreadSanitizer counts mmap() as a write by the caller.
    long address = syscall(SYS_mmap, nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == -1) {
        perror("stack of a fiber");
        exit(2);
    }
    stack_ = reinterpret_cast<unsigned char*>(address);
    *reinterpret_cast<uint64_t*>(stack_) = CANARY;
    // As if start() had been called with the return address 0 and had called lane_switch.
    void** top = reinterpret_cast<void**>(stack_ + STACK_BYTES - 64);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(&Fiber::start);
    for (int i = 0; i < PRESERVED_REGISTERS; i++) *--top = nullptr;
    stack_pointer_ = top;
#if defined(LANE_THREAD)
    sanitizer_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(LANE_THREAD)
    __tsan_destroy_fiber(sanitizer_);
#elif defined(LANE_ADDRESS)
    __asan_unpoison_memory_region(stack_, STACK_BYTES);
#endif
    syscall(SYS_munmap, stack_, STACK_BYTES);
}

void Fiber::resume() {
    running = this;
#if defined(LANE_THREAD)
    constexpr unsigned NO_ORDER = 1;
    main_sanitizer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(sanitizer_, NO_ORDER);
    lane_switch(&main_stack_pointer, stack_pointer_);
    __tsan_switch_to_fiber(main_sanitizer, NO_ORDER);
#elif defined(LANE_ADDRESS)
    void* frames;
    __sanitizer_start_switch_fiber(&frames, stack_, STACK_BYTES);
    lane_switch(&main_stack_pointer, stack_pointer_);
    __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#else
    lane_switch(&main_stack_pointer, stack_pointer_);
#endif
}

void Fiber::leave() {
#if defined(LANE_ADDRESS)
    __sanitizer_start_switch_fiber(&sanitizer_, main_stack, main_stack_bytes);
    lane_switch(&stack_pointer_, main_stack_pointer);
    __sanitizer_finish_switch_fiber(sanitizer_, &main_stack, &main_stack_bytes);
#else
    lane_switch(&stack_pointer_, main_stack_pointer);
#endif
}

void Fiber::start() {
#if defined(LANE_ADDRESS)
    __sanitizer_finish_switch_fiber(nullptr, &main_stack, &main_stack_bytes);
#endif
    running->body_(running->argument_);
    abort();
}

bool Fiber::overflowed() const {
    return *reinterpret_cast<const uint64_t*>(stack_) != CANARY;
}

void Edge::release() {
#if defined(LANE_THREAD)
    __tsan_release(&cell_);
#endif
}

void Edge::acquire() {
#if defined(LANE_THREAD)
    __tsan_acquire(&cell_);
#endif
}

}  // namespace lane
