//! Everything that the command prints. Names, reasons and versions come from drivers, files and forges: what
//! steers a terminal is replaced here, whoever forgot it before.

use std::fmt;
use std::io::{self, Write};

use tlslab_text::clean_lines;

/// Like `println!`, for text that may hold anything.
macro_rules! outln {
    () => { $crate::output::out(format_args!("\n")) };
    ($($argument:tt)*) => { $crate::output::out(format_args!("{}\n", format_args!($($argument)*))) };
}

/// Like `print!`, for text that may hold anything.
macro_rules! out {
    ($($argument:tt)*) => { $crate::output::out(format_args!($($argument)*)) };
}

/// Like `eprintln!`, for text that may hold anything.
macro_rules! errln {
    ($($argument:tt)*) => { $crate::output::err(format_args!("{}\n", format_args!($($argument)*))) };
}

/// What the shell says of a program that a closed pipe has ended.
const ENDED_BY_PIPE: i32 = 128 + 13;

/// Prints to standard output. Whoever reads it may have enough, as `head` has: that is no error of the
/// program's.
pub(crate) fn out(text: fmt::Arguments<'_>) {
    coloured(&clean_lines(&text.to_string()));
}

/// The same of a text that is clean but for colours.
pub(crate) fn coloured(text: &str) {
    if let Err(cause) = io::stdout().lock().write_all(text.as_bytes()) {
        match cause.kind() {
            io::ErrorKind::BrokenPipe => std::process::exit(ENDED_BY_PIPE),
            _ => panic!("cannot write to standard output: {cause}"),
        }
    }
}

/// Prints to standard error. Where that is closed nobody can be told.
pub(crate) fn err(text: fmt::Arguments<'_>) {
    let _ = io::stderr().lock().write_all(clean_lines(&text.to_string()).as_bytes());
}
