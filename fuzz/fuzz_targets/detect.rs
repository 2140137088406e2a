//! Anything at all: the format is told from the content, compression included.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pleach_fuzz::detect(bytes));
