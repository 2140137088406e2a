//! Tests of all formats, in one binary to link once.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

mod errors;
mod fixtures;
mod losses;
mod mutations;
mod round_trip;
