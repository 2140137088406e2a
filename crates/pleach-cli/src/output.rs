//! Writing to standard output, where a closed pipe is an error to report and not a panic.

use crate::failure::Failure;
use std::fmt::Display;
use std::io::Write;

/// Prints to standard output.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    write!(out, "{text}")?;
    Ok(out.flush()?)
}
