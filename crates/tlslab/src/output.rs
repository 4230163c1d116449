//! Everything that the command prints. Names, reasons and versions come from drivers, files and forges:
//! control characters of terminals are replaced here, for callers that did not replace them.

use std::fmt;
use std::io::{self, Write};

use tlslab_text::clean_lines;

/// Like `println!`, for untrusted text.
macro_rules! outln {
    () => { $crate::output::out(format_args!("\n")) };
    ($($argument:tt)*) => { $crate::output::out(format_args!("{}\n", format_args!($($argument)*))) };
}

/// Like `print!`, for untrusted text.
macro_rules! out {
    ($($argument:tt)*) => { $crate::output::out(format_args!($($argument)*)) };
}

/// Like `eprintln!`, for untrusted text.
macro_rules! errln {
    ($($argument:tt)*) => { $crate::output::err(format_args!("{}\n", format_args!($($argument)*))) };
}

/// The exit status that a shell reports of a program that a closed pipe has ended.
const ENDED_BY_PIPE: i32 = 128 + 13;

/// Prints to standard output. A reader may close it early, as `head` does: that is not an error.
pub(crate) fn out(text: fmt::Arguments<'_>) {
    coloured(&clean_lines(&text.to_string()));
}

/// The same for a text that contains the lab's own colours.
pub(crate) fn coloured(text: &str) {
    if let Err(cause) = io::stdout().lock().write_all(text.as_bytes()) {
        match cause.kind() {
            io::ErrorKind::BrokenPipe => std::process::exit(ENDED_BY_PIPE),
            _ => panic!("cannot write to standard output: {cause}"),
        }
    }
}

/// Prints to standard error. Errors are ignored: there is no place left to report them.
pub(crate) fn err(text: fmt::Arguments<'_>) {
    let _ = io::stderr().lock().write_all(clean_lines(&text.to_string()).as_bytes());
}
