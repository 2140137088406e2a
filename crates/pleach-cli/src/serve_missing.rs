//! `pleach serve` in a program that was built without the service: it says how to get it.

use crate::failure::Failure;
use std::ffi::OsString;

/// Serve parsing over HTTP, with a page to look at graphs (not part of this build)
#[derive(clap::Args)]
pub struct Args {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

/// Runs the verb.
pub fn run(_: Args) -> Result<(), Failure> {
    Err(Failure::Usage(
        "this program was built without the service (the cargo feature `serve`); `cargo install --path crates/pleach-cli` \
         builds all of it, and so does `cargo run --release -p pleach-cli -- serve`"
            .to_owned(),
    ))
}
