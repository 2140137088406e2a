//! Encoders as bytes: the files of a folder, and one that has learnt, within a model.

use super::config::Config;
use super::weights::Weights;
use super::{Pretrained, PretrainedError};
use crate::random::mix;
use crate::tensors::{Precision, Stored, View, write};
use std::path::Path;

pub(super) fn read(folder: &Path, name: &str) -> Result<Vec<u8>, PretrainedError> {
    let path = folder.join(name);
    std::fs::read(&path).map_err(|source| PretrainedError::File { path, source })
}

/// The hash of the weights and the tokenizer in a folder, as [`Pretrained::fingerprint`] has it.
pub fn fingerprint_of(folder: &Path) -> Result<u64, PretrainedError> {
    let (weights, tokenizer) = (read(folder, "model.safetensors")?, read(folder, "tokenizer.json")?);
    Ok(fingerprint(&[&weights, String::from_utf8_lossy(&tokenizer).as_bytes()]))
}

/// FNV-1a over words of eight bytes: 90 MB take a moment.
pub(super) fn fingerprint(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for part in parts {
        let (words, rest) = part.as_chunks::<8>();
        let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x100_0000_01B3);
        words.iter().for_each(|&word| add(u64::from_le_bytes(word)));
        rest.iter().for_each(|&byte| add(u64::from(byte)));
    }
    mix(hash)
}

impl Pretrained {
    /// All of the encoder, tokenizer and configuration too, as bytes.
    pub fn to_bytes(&self, precision: Precision) -> Vec<u8> {
        let (_, config, tokenizer) = &*self.texts;
        let fingerprint = format!("{:016x}", self.fingerprint);
        let metadata =
            [("config", config.clone()), ("tokenizer", tokenizer.clone()), ("fingerprint", fingerprint)];
        let tensors = self.layout().tensors().iter().map(|tensor| {
            let numbers = tensor.slot.of(self.weights());
            (tensor.name.clone(), Stored::Numbers(numbers, tensor.shape.clone(), precision))
        });
        write(&metadata, &tensors.collect::<Vec<_>>())
    }

    /// The encoder that [`to_bytes`](Self::to_bytes) wrote. Its fingerprint is that of the folder it came from.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PretrainedError> {
        let view = View::new(bytes)?;
        let text = |name: &str| view.metadata(name).map(str::to_owned);
        let (config, tokenizer) = (text("config")?, text("tokenizer")?);
        let fingerprint = u64::from_str_radix(&text("fingerprint")?, 16).unwrap_or(0);
        let shape = Config::read(&config)?;
        let mut weights = Weights::read(&shape, None)?;
        weights.flat = view.weights(&weights.layout)?.into_owned();
        Self::together(shape, weights, config, tokenizer, fingerprint)
    }
}
