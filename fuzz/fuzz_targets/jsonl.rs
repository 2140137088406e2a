//! Anything given to the reader of this format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pleach_fuzz::read_and_write(bytes, pleach_formats::Format::Jsonl));
