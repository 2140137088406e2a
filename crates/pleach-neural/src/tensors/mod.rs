//! The parameters of a network as named tensors: [`Layout`] in memory, [`write()`], [`encode`] and [`View`] in files.

mod file;
mod layout;
mod number;

pub use file::{Encoded, Stored, View, encode, write};
pub use layout::{Initial, Layout, Slot, Tensor};
pub use number::Precision;
