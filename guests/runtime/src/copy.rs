//! `memcpy`, to which the compiler turns every move of a large value.
//!
//! Most such moves are of whole cells between cells, and this copies eight a turn, where the one in
//! `compiler_builtins` copies one. That one is weak, so that the linker prefers this; everything misaligned
//! is left to its `memmove`.

use core::arch::global_asm;

global_asm!(
    ".section .text.memcpy, \"ax\"",
    ".globl memcpy",
    ".type memcpy, @function",
    // a0: destination, which is also the result. a1: source. a2: bytes left.
    "memcpy:",
    "or t0, a0, a1",
    "andi t0, t0, 7",
    "bnez t0, 6f",
    "mv t1, a0",
    "li t2, 64",
    "bltu a2, t2, 3f",
    // Eight cells a turn.
    "2:",
    "ld a3, 0(a1)",
    "ld a4, 8(a1)",
    "ld a5, 16(a1)",
    "ld a6, 24(a1)",
    "ld a7, 32(a1)",
    "ld t3, 40(a1)",
    "ld t4, 48(a1)",
    "ld t5, 56(a1)",
    "sd a3, 0(t1)",
    "sd a4, 8(t1)",
    "sd a5, 16(t1)",
    "sd a6, 24(t1)",
    "sd a7, 32(t1)",
    "sd t3, 40(t1)",
    "sd t4, 48(t1)",
    "sd t5, 56(t1)",
    "addi a2, a2, -64",
    "addi a1, a1, 64",
    "addi t1, t1, 64",
    "bgeu a2, t2, 2b",
    // A cell a turn.
    "3:",
    "li t2, 8",
    "bltu a2, t2, 5f",
    "4:",
    "ld a3, 0(a1)",
    "addi a2, a2, -8",
    "sd a3, 0(t1)",
    "addi a1, a1, 8",
    "addi t1, t1, 8",
    "bgeu a2, t2, 4b",
    // A byte a turn.
    "5:",
    "beqz a2, 7f",
    "lbu a3, 0(a1)",
    "addi a2, a2, -1",
    "sb a3, 0(t1)",
    "addi a1, a1, 1",
    "addi t1, t1, 1",
    "j 5b",
    "6:",
    "tail memmove",
    "7:",
    "ret",
    ".size memcpy, . - memcpy",
);
