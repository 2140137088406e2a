//! Pretrained encoders: a folder as Hugging Face has it, to vectors of words.
//!
//! A folder has `config.json`, `tokenizer.json` and `model.safetensors`; BERT (MiniLM), RoBERTa, XLM-R and ELECTRA are
//! read. Nothing is downloaded. The vectors go into a network as the caller's
//! ([`crate::network::Features::set_vectors`]), and their gradients come out of
//! [`Pass::backward_to_vectors`](crate::network::Pass::backward_to_vectors): an encoder is frozen, or learns too
//! ([`Pretrained::tune`]).
//!
//! Invariant: the vectors of a sentence don't depend on the sentences beside it.

mod config;
pub mod find;
mod pieces;
mod stored;
mod tokenizer;
mod transformer;
mod vocabulary;
mod weights;

pub use config::{Config, Family};
pub use pieces::Pooling;
pub use stored::fingerprint_of;

use crate::NeuralError;
use crate::kernel::elementwise::add;
use crate::memory::Memory;
use crate::tensors::Layout;
use pieces::{Pieces, Window};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;
use tokenizer::Tokenizer;
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
    /// The program was built without what reads tokenizers.
    #[error(
        "this program was built without pretrained encoders (the cargo feature `encoders`); `cargo install --path \
         crates/pleach-cli` builds all of it"
    )]
    NotBuilt,
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
#[derive(Clone, Debug)]
pub struct Pretrained {
    config: Config,
    weights: Weights,
    /// The tokenizer, and the texts of `config.json` and `tokenizer.json`.
    texts: Arc<(Pieces, String, String)>,
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
        let text = |name: &str| -> Result<String, PretrainedError> {
            Ok(String::from_utf8_lossy(&stored::read(folder, name)?).into_owned())
        };
        let config = text("config.json")?;
        let tokenizer = text("tokenizer.json")?;
        // Before hundreds of megabytes are read.
        Tokenizer::there()?;
        let bytes = stored::read(folder, "model.safetensors")?;
        let fingerprint = stored::fingerprint(&[&bytes, tokenizer.as_bytes()]);
        let shape = Config::read(&config)?;
        let weights = Weights::read(&shape, Some(&bytes))?;
        Self::together(shape, weights, config, tokenizer, fingerprint)
    }

    fn together(
        shape: Config,
        weights: Weights,
        config: String,
        tokenizer: String,
        fingerprint: u64,
    ) -> Result<Self, PretrainedError> {
        let pieces = Pieces::read(tokenizer.as_bytes(), &shape)?;
        Ok(Pretrained { config: shape, weights, texts: Arc::new((pieces, config, tokenizer)), fingerprint })
    }

    /// The encoder's shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A hash of weights and tokenizer, for a model to say which encoder it was trained with.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Where the encoder's tensors stand in [`weights`](Self::weights).
    pub fn layout(&self) -> &Layout {
        &self.weights.layout
    }

    /// All weights.
    pub fn weights(&self) -> &[f32] {
        &self.weights.flat
    }

    /// All weights, to be changed by an optimiser.
    pub fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights.flat
    }

    /// Where the embeddings of pieces and positions end in [`weights`](Self::weights): the layers stand behind them.
    pub fn layers_from(&self) -> usize {
        self.weights.words.of(&self.weights.flat).len() + self.weights.positions.of(&self.weights.flat).len()
    }

    /// The vectors of the words of sentences, for each sentence a row a node: the root first, whose vector is that of the
    /// first special piece. A row has the chosen layers one after the other.
    pub fn vectors<W: AsRef<str>>(
        &self,
        sentences: &[&[W]],
        wanted: &Vectors,
        memory: &mut Memory,
    ) -> Result<Vec<Vec<f32>>, PretrainedError> {
        let windows = self.windows(sentences, wanted)?;
        let all: Vec<&Window> = windows.iter().flatten().collect();
        let states = transformer::forward(&self.config, &self.weights, &all, &wanted.layers, None, memory);
        let out = self.pool(&windows, wanted, &states);
        memory.give(states);
        Ok(out)
    }

    /// The same vectors, and what it takes to learn from their gradients.
    pub fn tune<W: AsRef<str>>(
        &self,
        sentences: &[&[W]],
        wanted: &Vectors,
        memory: &mut Memory,
    ) -> Result<(Vec<Vec<f32>>, Tuning<'_>), PretrainedError> {
        let windows = self.windows(sentences, wanted)?;
        let all: Vec<&Window> = windows.iter().flatten().collect();
        let mut saved = transformer::Saved::default();
        let kept = Some(&mut saved);
        let states = transformer::forward(&self.config, &self.weights, &all, &wanted.layers, kept, memory);
        let out = self.pool(&windows, wanted, &states);
        memory.give(states);
        Ok((out, Tuning { encoder: self, windows, wanted: wanted.clone(), saved }))
    }

    fn windows<W: AsRef<str>>(
        &self,
        sentences: &[&[W]],
        wanted: &Vectors,
    ) -> Result<Vec<Vec<Window>>, PretrainedError> {
        let layers = self.config.num_hidden_layers;
        if let Some(&layer) = wanted.layers.iter().find(|&&layer| layer > layers) {
            return Err(PretrainedError::Layer { layer, layers });
        }
        sentences.iter().map(|words| self.texts.0.windows(words)).collect()
    }

    fn pool(&self, windows: &[Vec<Window>], wanted: &Vectors, states: &[f32]) -> Vec<Vec<f32>> {
        let width = self.config.hidden_size * wanted.layers.len();
        let mut start = 0;
        let sentences = windows.iter().map(|windows| {
            let mut vectors = Vec::new();
            for (i, window) in windows.iter().enumerate() {
                let rows = &states[start * width..(start + window.pieces.len()) * width];
                if i == 0 {
                    vectors.extend_from_slice(&rows[..width]);
                }
                window.pool(rows, width, wanted.pooling, &mut vectors);
                start += window.pieces.len();
            }
            vectors
        });
        sentences.collect()
    }
}

/// A forward pass that can be learnt from.
#[derive(Debug)]
pub struct Tuning<'a> {
    encoder: &'a Pretrained,
    windows: Vec<Vec<Window>>,
    wanted: Vectors,
    saved: transformer::Saved,
}

impl Tuning<'_> {
    /// Adds the gradients of the encoder's weights, from those of the vectors of all nodes, sentence after sentence.
    pub fn backward(self, d_vectors: &[f32], gradient: &mut [f32], memory: &mut Memory) {
        let Tuning { encoder, windows, wanted, saved } = self;
        let width = encoder.config.hidden_size * wanted.layers.len();
        let all: Vec<&Window> = windows.iter().flatten().collect();
        let pieces: usize = all.iter().map(|window| window.pieces.len()).sum();
        let mut d_states = memory.zeros(pieces * width);
        let (mut node, mut piece) = (0, 0);
        for windows in &windows {
            for (i, window) in windows.iter().enumerate() {
                let rows = &mut d_states[piece * width..][..window.pieces.len() * width];
                if i == 0 {
                    add(&mut rows[..width], &d_vectors[node * width..][..width]);
                    node += 1;
                }
                let own = &d_vectors[node * width..][..window.len() * width];
                window.pool_back(own, width, wanted.pooling, rows);
                node += window.len();
                piece += window.pieces.len();
            }
        }
        let (config, weights) = (&encoder.config, &encoder.weights);
        transformer::backward(config, weights, &all, &wanted.layers, saved, &d_states, gradient, memory);
        memory.give(d_states);
    }
}
