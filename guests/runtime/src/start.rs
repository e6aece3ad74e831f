//! The first instructions of a program: set up the registers that compiled code relies on, then call it.

use core::arch::global_asm;

global_asm!(
    ".section .text.start, \"ax\"",
    ".globl _start",
    ".type _start, @function",
    "_start:",
    // The linker would shorten this load to one relative to gp itself.
    ".option push",
    ".option norelax",
    "la gp, __global_pointer$",
    ".option pop",
    "la sp, _stack_top",
    "call lambda_guest_main",
    "li a0, 0",
    "li a7, 93",
    "ecall",
    "unimp",
    ".size _start, . - _start",
);

/// Names the function, without arguments or result, at which the program begins.
#[macro_export]
macro_rules! entry {
    ($main:path) => {
        const _: () = {
            // SAFETY: no other item of the program has this name, which only this macro defines.
            #[unsafe(no_mangle)]
            extern "C" fn lambda_guest_main() {
                let main: fn() = $main;
                main()
            }
        };
    };
}
