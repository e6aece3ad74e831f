//! A panic is an exit with a message on the log.

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use crate::{exit, log};

/// Exit code of a program that panicked, as `std` has it.
pub const PANIC_EXIT_CODE: i32 = 101;

struct Log;

impl Write for Log {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        log(text);
        Ok(())
    }
}

#[panic_handler]
fn on_panic(info: &PanicInfo<'_>) -> ! {
    // Neither writing to the log nor, then, formatting can fail; exiting comes first in any case.
    let _ = writeln!(Log, "{info}");
    exit(PANIC_EXIT_CODE)
}
