//! Tests of all formats, in one binary to link once.

mod errors;
mod fixtures;
mod losses;
mod mutations;
mod round_trip;
