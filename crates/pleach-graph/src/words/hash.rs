//! The hash functions that models depend on: part of the model format, never to be changed without a new version.

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The value of an attribute that a configuration doesn't have.
pub const ABSENT: u32 = u32::MAX;

/// A text as an attribute value; never [`ABSENT`].
pub fn text(text: &str) -> u32 {
    let mut h = 0xcbf2_9ce4_8422_2325_u64 ^ text.len() as u64;
    for &byte in text.as_bytes() {
        h = (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let value = (finish(h) >> 32) as u32;
    if value == ABSENT { 0 } else { value }
}

/// Starts the key of a feature.
#[inline]
pub fn seed(template: u32) -> u64 {
    (u64::from(template) + 1).wrapping_mul(MULTIPLIER)
}

/// Adds a value to a feature's key.
#[inline]
pub fn mix(h: u64, value: u32) -> u64 {
    (h.rotate_left(23) ^ u64::from(value)).wrapping_mul(MULTIPLIER)
}

/// Ends a feature's key: all bits depend on all values.
#[inline]
pub fn finish(h: u64) -> u64 {
    let h = (h ^ (h >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    h ^ (h >> 32)
}
