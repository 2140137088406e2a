//! The parameters of a network as named tensors: [`Layout`] in memory, [`write()`] and [`View`] in files.

mod file;
mod layout;
mod number;

pub use file::{Stored, View, write};
pub use layout::{Initial, Layout, Slot, Tensor};
pub use number::Precision;
