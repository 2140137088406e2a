//! Standard error: what is for people and not for pipes.

use std::fmt::Arguments;
use std::io::Write;

/// Writes a line; what it quotes from files can't steer the terminal. A reader who has gone misses it, that is all.
pub fn line(text: Arguments<'_>) {
    let text = text.to_string();
    let _ = writeln!(std::io::stderr(), "{}", pleach_graph::visible_lines(&text));
}

/// Formats a line for standard error.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::say::line(format_args!($($text)*))
    };
}
pub(crate) use say;
