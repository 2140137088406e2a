//! A model file, damaged.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pleach_fuzz::damaged_model(bytes));
