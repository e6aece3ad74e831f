// Columns uploaded in one, two or four bytes a cell, as words of the field. One thread a cell: 1, 2 or 4
// bytes read, 8 written.

#include "portable.cuh"

template <typename Narrow>
DEVICE void widen(const Narrow* narrow, u64 cells, u64* wide) {
    const u64 cell = GLOBAL_THREAD;
    if (cell < cells) wide[cell] = narrow[cell];
}

KERNEL(widen_u8)(const u8* RESTRICT narrow, u64 cells, u64* RESTRICT wide) { widen(narrow, cells, wide); }

KERNEL(widen_u16)(const u16* RESTRICT narrow, u64 cells, u64* RESTRICT wide) { widen(narrow, cells, wide); }

KERNEL(widen_u32)(const u32* RESTRICT narrow, u64 cells, u64* RESTRICT wide) { widen(narrow, cells, wide); }
