//! Networks in model files: vocabulary and weights as named tensors of a section, the settings in its description.
//!
//! Files that were written before 0.2 have all of it as the bytes of one tensor.

use crate::scorer::BoxError;
use pleach_model::{Dtype, Tensor, View};
use pleach_neural::network::{Network, Settings};
use pleach_neural::tensors::{self, Encoded};

/// The tensor of older files.
const WHOLE: &str = "network";

/// The types of tensors that networks have.
const KINDS: [(&str, Dtype); 4] =
    [("F32", Dtype::F32), ("F16", Dtype::F16), ("I8", Dtype::I8), ("U32", Dtype::U32)];

/// The network of a section.
pub fn read(view: &View, settings: Settings) -> Result<Network<'static>, BoxError> {
    if let Some(whole) = view.tensor(WHOLE) {
        return Ok(Network::from_bytes(whole.data)?.into_owned());
    }
    let kind = |dtype: Dtype| KINDS.iter().find(|(_, known)| *known == dtype).map(|(name, _)| *name);
    let tensors = view
        .tensors()
        .filter_map(|(name, tensor)| Some((name, kind(tensor.dtype)?.to_owned(), tensor.shape, tensor.data)));
    let view = tensors::View::loose(tensors)?;
    Ok(Network::from_tensors(settings, &view)?.into_owned())
}

/// The network of tensors that are to be written.
pub fn again(settings: Settings, tensors: &[Encoded]) -> Result<Network<'static>, BoxError> {
    let parts = tensors.iter().map(|tensor| {
        (tensor.name.as_str(), tensor.kind.to_owned(), tensor.shape.as_slice(), tensor.bytes.as_slice())
    });
    Ok(Network::from_tensors(settings, &tensors::View::loose(parts)?)?.into_owned())
}

/// Tensors of a network as those of a section.
pub fn tensors(encoded: &[Encoded]) -> Vec<Tensor<'_>> {
    let known = encoded.iter().filter_map(|encoded| {
        let (_, dtype) = KINDS.into_iter().find(|(known, _)| *known == encoded.kind)?;
        let Encoded { name, shape, bytes, .. } = encoded;
        Some(Tensor { name: name.clone(), dtype, shape: shape.clone(), data: bytes.as_slice().into() })
    });
    known.collect()
}
