//! A hint that memory will be read soon.

/// Starts loading the cache line of `slice[index]`; does nothing when out of bounds or on other processors.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = slice.get(index) {
        #[allow(unsafe_code, reason = "there is no other way to say it")]
        // SAFETY: the address is that of a live element, and a prefetch never faults or writes.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
