//! A recipe.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pleach_fuzz::recipe(bytes));
