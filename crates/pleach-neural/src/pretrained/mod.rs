//! Pretrained encoders: a folder as Hugging Face has it, to vectors of words.
//!
//! A folder has `config.json`, `tokenizer.json` and `model.safetensors`; BERT (MiniLM), RoBERTa, XLM-R and ELECTRA are
//! read. Nothing is downloaded. The encoder is frozen: its vectors go into a network as the caller's
//! ([`crate::network::Features::set_vectors`]).
//!
//! Invariant: the vectors of a sentence don't depend on the sentences beside it.

mod config;
mod pieces;
mod transformer;
mod weights;

pub use config::{Config, Family};
pub use pieces::Pooling;

use crate::NeuralError;
use crate::memory::Memory;
use pieces::Pieces;
use std::path::{Path, PathBuf};
use thiserror::Error;
use weights::Weights;

/// Why an encoder could not be read or used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PretrainedError {
    /// A file of the folder can't be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// `config.json` says something that is not understood.
    #[error("config.json: {0}")]
    Config(String),
    /// `tokenizer.json` is not understood, or fails on a text.
    #[error("tokenizer.json: {0}")]
    Tokenizer(String),
    /// A tensor is missing or has another shape.
    #[error("model.safetensors: {0}")]
    Weights(#[from] NeuralError),
    /// The tokenizer knows pieces that the weights don't.
    #[error("tokenizer.json has piece {piece}, the weights have {vocabulary}: they do not belong together")]
    Vocabulary {
        /// The piece's number.
        piece: u32,
        /// The number of pieces that have vectors.
        vocabulary: usize,
    },
    /// A layer that the encoder does not have.
    #[error("layer {layer} of an encoder with {layers} layers (0 are the embeddings)")]
    Layer {
        /// The layer asked for.
        layer: usize,
        /// The layers that there are.
        layers: usize,
    },
}

/// An encoder with its tokenizer.
#[derive(Debug)]
pub struct Pretrained {
    config: Config,
    weights: Weights,
    pieces: Pieces,
    fingerprint: u64,
}

/// Which vectors of an encoder are taken for a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vectors {
    /// The layers, one after the other; 0 are the embeddings.
    pub layers: Vec<usize>,
    /// How the vectors of pieces become one.
    pub pooling: Pooling,
}

impl Pretrained {
    /// Reads a folder.
    pub fn open(folder: &Path) -> Result<Self, PretrainedError> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read(&path).map_err(|source| PretrainedError::File { path, source })
        };
        let config = Config::read(&String::from_utf8_lossy(&read("config.json")?))?;
        let tokenizer = read("tokenizer.json")?;
        let bytes = read("model.safetensors")?;
        let fingerprint = fingerprint(&[&bytes, &tokenizer]);
        let weights = Weights::read(&config, &bytes)?;
        let pieces = Pieces::read(&tokenizer, &config)?;
        Ok(Pretrained { config, weights, pieces, fingerprint })
    }

    /// The encoder's shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A hash of weights and tokenizer, for a model to say which encoder it was trained with.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The vectors of the words of sentences, for each sentence a row a node: the root first, whose vector is that of the
    /// first special piece. A row has the chosen layers one after the other.
    pub fn vectors<W: AsRef<str>>(
        &self,
        sentences: &[&[W]],
        wanted: &Vectors,
        memory: &mut Memory,
    ) -> Result<Vec<Vec<f32>>, PretrainedError> {
        let layers = self.config.num_hidden_layers;
        if let Some(&layer) = wanted.layers.iter().find(|&&layer| layer > layers) {
            return Err(PretrainedError::Layer { layer, layers });
        }
        let windows: Vec<_> =
            sentences.iter().map(|words| self.pieces.windows(words)).collect::<Result<Vec<_>, _>>()?;
        let all: Vec<&pieces::Window> = windows.iter().flatten().collect();
        let states = transformer::run(&self.config, &self.weights, &all, &wanted.layers, memory);
        let width = self.config.hidden_size * wanted.layers.len();
        let (mut out, mut start) = (Vec::with_capacity(sentences.len()), 0);
        for (words, windows) in sentences.iter().zip(&windows) {
            let mut vectors = Vec::with_capacity((words.len() + 1) * width);
            for (i, window) in windows.iter().enumerate() {
                let rows = &states[start * width..(start + window.pieces.len()) * width];
                if i == 0 {
                    vectors.extend_from_slice(&rows[..width]);
                }
                window.pool(rows, width, wanted.pooling, &mut vectors);
                start += window.pieces.len();
            }
            out.push(vectors);
        }
        memory.give(states);
        Ok(out)
    }
}

/// FNV-1a over words of eight bytes: 90 MB take a moment.
fn fingerprint(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for part in parts {
        let (words, rest) = part.as_chunks::<8>();
        let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x100_0000_01B3);
        words.iter().for_each(|&word| add(u64::from_le_bytes(word)));
        rest.iter().for_each(|&byte| add(u64::from(byte)));
    }
    crate::random::mix(hash)
}
