// Runs one kernel of bugs.cu in both thread orders and compares what they wrote: `bugs NAME`.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "executor.h"

using namespace lane;

static const Index GRID = {2, 1, 1}, BLOCK = {64, 1, 1};
static const u32 WORDS = 128;
static const u32 DYNAMIC_SHARED_BYTES = 64 * sizeof(u64);

// The output, in memory of exactly its size; the caller frees it.
static u64* run(const EntryPoint* entry, Order order, u8 junk) {
    u64* input = static_cast<u64*>(malloc(WORDS * sizeof(u64)));
    u64* output = static_cast<u64*>(calloc(WORDS, sizeof(u64)));
    for (u32 i = 0; i < WORDS; i++) input[i] = i * 0x9e3779b97f4a7c15;
    void* arguments[] = {&input, &output};
    execute({entry, GRID, BLOCK, DYNAMIC_SHARED_BYTES, arguments}, order, junk);
    free(input);
    return output;
}

int main(int count, char** words) {
    if (count != 2) {
        fprintf(stderr, "usage: bugs NAME\n");
        return 2;
    }
    const EntryPoint* entry = EntryPoint::first();
    while (entry && strcmp(entry->name, words[1]) != 0) entry = entry->next;
    if (!entry) {
        fprintf(stderr, "no kernel %s\n", words[1]);
        return 2;
    }
    u64* forward = run(entry, Order::Forward, 0x00);
    u64* reverse = run(entry, Order::Reverse, 0xff);
    bool agree = memcmp(forward, reverse, WORDS * sizeof(u64)) == 0;
    free(forward);
    free(reverse);
    puts(agree ? "no difference" : "the orders disagree");
    return agree ? 0 : 1;
}
