//! A template file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pleach_fuzz::templates(bytes));
