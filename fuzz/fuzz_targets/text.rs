//! From text to graphs to every format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pleach_fuzz::text_to_graphs(bytes));
