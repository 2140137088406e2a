//! What a checkpoint has of a scorer: named arrays whose bytes come in pieces, so that what was learnt never lies in memory twice.

use pleach_model::{Dtype, Tensor};
use std::borrow::Cow;
use std::fmt;

/// An array that is to be written into a checkpoint.
pub struct Saved<'a> {
    /// Its name.
    pub name: String,
    /// What its numbers are.
    pub dtype: Dtype,
    /// Its extents.
    pub shape: Vec<usize>,
    /// Its numbers, little-endian: together as many bytes as the extents say.
    pub pieces: Box<dyn Iterator<Item = Cow<'a, [u8]>> + 'a>,
}

impl Saved<'_> {
    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.bitsize() / 8
    }
}

impl<'a> From<Tensor<'a>> for Saved<'a> {
    fn from(Tensor { name, dtype, shape, data }: Tensor<'a>) -> Self {
        Saved { name, dtype, shape, pieces: Box::new(std::iter::once(data)) }
    }
}

impl fmt::Debug for Saved<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Saved { name, dtype, shape, .. } = self;
        f.debug_struct("Saved").field("name", name).field("dtype", dtype).field("shape", shape).finish()
    }
}
