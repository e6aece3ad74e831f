// One word written over a buffer, and the search for it: what poisons memory and finds what was not
// overwritten. One thread for several words, 8 bytes each.

#include "portable.cuh"

// words[i] = word.
KERNEL(fill_words)(u64* RESTRICT words, u64 count, u64 word) {
    for (u64 i = GLOBAL_THREAD; i < count; i += GLOBAL_THREADS) words[i] = word;
}

// Adds to `found` how many of the words equal `word`.
KERNEL(fill_count)(const u64* RESTRICT words, u64 count, u64 word, u64* RESTRICT found) {
    u64 equal = 0;
    for (u64 i = GLOBAL_THREAD; i < count; i += GLOBAL_THREADS) equal += words[i] == word;
    if (equal != 0) atomic_add(found, equal);
}
