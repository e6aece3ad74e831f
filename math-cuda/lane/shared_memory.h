// Shared memory of a block: each array a piece of its own and of exactly its size, so that one element past
// its end is nobody's.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace lane {

class SharedMemory {
public:
    void begin_block(unsigned char junk) { junk_ = junk; }

    // So many bytes of junk, aligned to 16.
    void* allocate(size_t bytes) {
        void* memory = take(bytes);
        // Not memset(), which ThreadSanitizer would count as a write by the thread that got here first.
        volatile unsigned char* byte = static_cast<unsigned char*>(memory);
        for (size_t i = 0; i < bytes; i++) byte[i] = junk_;
        return memory;
    }

#if defined(LANE_THREAD)
    // Every block of a launch has addresses of its own; the next launch is ordered after this one and may
    // use them again.
    void end_block() {}
    void end_launch() { used_ = chunk_ = 0; }

private:
    static constexpr size_t CHUNK_BYTES = 64 << 20;

    void* take(size_t bytes) {
        constexpr size_t GAP = 64;
        size_t rounded = (bytes + GAP) / GAP * GAP;
        if (used_ + rounded > CHUNK_BYTES) {
            chunk_++;
            used_ = 0;
        }
        if (chunk_ == chunks_.size()) {
            // The bare system call: mmap() counts as a write.
            long address = syscall(SYS_mmap, nullptr, CHUNK_BYTES, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (address == -1) {
                perror("shared memory");
                exit(2);
            }
            chunks_.push_back(reinterpret_cast<unsigned char*>(address));
        }
        void* memory = chunks_[chunk_] + used_;
        used_ += rounded;
        return memory;
    }

    std::vector<unsigned char*> chunks_;
    size_t chunk_ = 0, used_ = 0;
#else
    // A piece of the heap, with AddressSanitizer's guards around it.
    void end_block() {
        for (void* piece : pieces_) free(piece);
        pieces_.clear();
    }
    void end_launch() {}

private:
    void* take(size_t bytes) {
        pieces_.push_back(malloc(bytes));
        return pieces_.back();
    }

    std::vector<void*> pieces_;
#endif
    unsigned char junk_ = 0;
};

}  // namespace lane
