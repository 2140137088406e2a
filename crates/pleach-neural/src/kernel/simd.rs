//! Element-wise loops compiled for the vectors that the processor has.
//!
//! The loops are plain Rust that the compiler vectorises; `vectorised!` compiles a function a second time with AVX2
//! allowed and chooses at run time. Other processors take the plain version (on AArch64 that has vectors already).
//! Since Rust never fuses a multiplication and an addition by itself, both versions give the same bits.

/// Defines functions that exist for every instruction set worth having, behind one safe name.
macro_rules! vectorised {
    ($($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => {$(
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn plain($($arg: $ty),*) $(-> $ret)? $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                #[allow(clippy::too_many_arguments)]
                fn avx2($($arg: $ty),*) $(-> $ret)? {
                    plain($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has AVX2, as the line above has found out.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    )*};
}
pub(crate) use vectorised;
