//! Named arrays of numbers: what a section's weights are.

use bytemuck::{AnyBitPattern, NoUninit};
pub use safetensors::tensor::Dtype;
use std::borrow::Cow;

/// A named array that is to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<'a> {
    /// Its name within the section.
    pub name: String,
    /// What its numbers are.
    pub dtype: Dtype,
    /// Its extents.
    pub shape: Vec<usize>,
    /// Its numbers, little-endian.
    pub data: Cow<'a, [u8]>,
}

impl<'a> Tensor<'a> {
    /// A tensor over borrowed numbers.
    pub fn of<T: NoUninit>(name: &str, dtype: Dtype, shape: Vec<usize>, numbers: &'a [T]) -> Self {
        Tensor { name: name.to_owned(), dtype, shape, data: Cow::Borrowed(bytemuck::cast_slice(numbers)) }
    }

    /// A tensor that owns its numbers.
    pub fn owned<T: NoUninit>(name: &str, dtype: Dtype, shape: Vec<usize>, numbers: &[T]) -> Self {
        let data = bytemuck::cast_slice(numbers).to_vec();
        Tensor { name: name.to_owned(), dtype, shape, data: Cow::Owned(data) }
    }
}

/// A named array of an open file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TensorView<'a> {
    /// What its numbers are.
    pub dtype: Dtype,
    /// Its extents.
    pub shape: &'a [usize],
    /// Its numbers, little-endian.
    pub data: &'a [u8],
}

impl<'a> TensorView<'a> {
    /// The numbers, if they are of this kind and lie where such numbers can.
    pub fn numbers<T: AnyBitPattern>(&self, dtype: Dtype) -> Option<&'a [T]> {
        (self.dtype == dtype).then(|| bytemuck::try_cast_slice(self.data).ok()).flatten()
    }
}
