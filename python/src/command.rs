//! The command `pleach`: the same as the program's, in this process.

use crate::border::caught;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs a command line, the program's name first; gives the exit code.
#[pyfunction]
#[pyo3(name = "_command")]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    // A panic has said what it is on standard error.
    py.detach(|| caught(|| pleach_cli::run(arguments)).unwrap_or(101))
}
