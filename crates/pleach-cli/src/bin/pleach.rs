//! The `pleach` command; all of it is in the library, which Python's command calls too.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(pleach_cli::run(std::env::args_os()))
}
