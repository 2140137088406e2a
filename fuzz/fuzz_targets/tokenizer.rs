//! Text, cut into words.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pleach_fuzz::words_of_text(bytes));
