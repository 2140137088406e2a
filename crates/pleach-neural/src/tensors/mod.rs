//! The parameters of a network as named tensors.

mod layout;

pub use layout::{Initial, Layout, Slot, Tensor};
