//! The recipe keys of what words are given beside embeddings.

use super::encoder::Use;
use pleach_neural::pretrained::Pooling;
use pleach_neural::tensors::Precision;
use serde::{Deserialize, Serialize};

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivenKeys {
    /// The folder of a pretrained encoder as Hugging Face has it; empty for none.
    pub encoder: String,
    /// `frozen`: its weights stay as they are, and models hold its hash; `tuned`: it learns too, and models hold it.
    pub encoder_use: Use,
    /// Its layers that are mixed: `all`, or numbers from 0, the embeddings.
    pub encoder_layers: String,
    /// The vector of a word: that of its `first` piece, or the `mean` of all.
    pub encoder_pooling: Pooling,
    /// The highest learning rate of a tuned encoder.
    pub encoder_rate: f32,
    /// The share of the steps after which a tuned encoder begins to learn. Until then it is as good as frozen, which is
    /// several times as fast, and the network's first gradients, which say little, don't reach it.
    pub encoder_from: f32,
    /// How exactly models store a tuned encoder: `f32`, `f16` or `int8`.
    pub encoder_precision: Precision,
    /// What a frozen encoder says of the training sentences is computed once: so many megabytes of it are kept in
    /// memory, the rest in a file.
    pub encoder_memory: usize,
    /// A file of word vectors (word2vec in text or binary, fastText's `.vec`, GloVe), or the folder of a pretrained encoder,
    /// whose embeddings of whole words are taken; empty for none. Models hold what they need of it.
    pub vectors: String,
    /// The width that the embeddings of an encoder are narrowed to, by their principal components.
    pub vectors_width: usize,
    /// `frozen`: they stay as they are; `tuned`: a difference is learnt for each.
    pub vectors_use: Use,
    /// Beside the words of the training sentences, so many from the beginning of the file are kept for words that
    /// training has not seen.
    pub vectors_most: usize,
    /// A language model that `pleach train lm` made; empty for none. Models hold it, without the words it predicts.
    pub lm: String,
    /// How exactly models store it: `f32`, `f16` or `int8`.
    pub lm_precision: Precision,
}

impl Default for GivenKeys {
    fn default() -> Self {
        GivenKeys {
            encoder: String::new(),
            encoder_use: Use::Frozen,
            encoder_layers: "all".into(),
            encoder_pooling: Pooling::Mean,
            encoder_rate: 5e-5,
            encoder_from: 0.6,
            encoder_precision: Precision::F16,
            encoder_memory: 2048,
            vectors: String::new(),
            vectors_width: 100,
            vectors_use: Use::Frozen,
            vectors_most: 50_000,
            lm: String::new(),
            lm_precision: Precision::F16,
        }
    }
}

impl GivenKeys {
    /// Says what makes no sense.
    pub fn check(&self) -> Result<(), String> {
        if !self.encoder_rate.is_finite() || self.encoder_rate <= 0.0 {
            return Err("'encoder_rate' is above 0".into());
        }
        if !(0.0..1.0).contains(&self.encoder_from) {
            return Err("'encoder_from' is from 0 to below 1".into());
        }
        if self.vectors_width == 0 {
            return Err("'vectors_width' is above 0".into());
        }
        self.layers(usize::MAX).map(|_| ())
    }

    /// The layers of an encoder that has so many beside its embeddings.
    pub fn layers(&self, most: usize) -> Result<Vec<usize>, String> {
        if self.encoder_layers == "all" {
            return Ok(if most == usize::MAX { Vec::new() } else { (0..=most).collect() });
        }
        let wrong =
            || format!("'encoder_layers' is 'all' or a list of numbers, found '{}'", self.encoder_layers);
        let names = self.encoder_layers.split([' ', ',']).filter(|name| !name.is_empty());
        let layers: Vec<usize> =
            names.map(|name| name.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
        match layers.iter().find(|&&layer| layer > most) {
            Some(layer) => Err(format!("'encoder_layers' has {layer}, the encoder has {most} layers")),
            None if layers.is_empty() => Err(wrong()),
            None => Ok(layers),
        }
    }
}
