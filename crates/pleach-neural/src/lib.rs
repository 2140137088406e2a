//! Neural scorers: networks that read sentences and score arcs, labels, transitions and tags.
//!
//! Everything is written by hand on matrix products: a few [`kernel`]s, each with its gradient; a [`network`] of an
//! encoder and heads; training ([`learn`]); the weights as named [`tensors`]. There is no tape and no graph of
//! operations: a caller asks a [`network::Pass`] for scores and gives gradients for them.
//!
//! ```
//! use pleach_graph::Sentence;
//! use pleach_neural::memory::Memory;
//! use pleach_neural::network::{Arcs, Encoder, Input, Network, Pass, Settings, Source, Table, Vocabulary};
//!
//! let sentences = [Sentence::from_forms(["cats", "sleep"]), Sentence::from_forms(["dogs", "bark", "loudly"])];
//! let settings = Settings {
//!     inputs: vec![Input { source: Source::Lower, width: 16, table: Table::Known { at_least: 1 } }],
//!     encoder: Encoder { layers: 1, hidden: 8 },
//!     arcs: Some(Arcs { channels: 1, width: 8 }),
//!     ..Settings::default()
//! };
//! let vocabulary = Vocabulary::collect(&settings, &sentences);
//! let network = Network::new(settings, vocabulary, 1)?;
//!
//! // Ids once a sentence, then batches of them; a thread has its own memory.
//! let features: Vec<_> = sentences.iter().map(|sentence| network.features(sentence)).collect();
//! let batch = network.batch(&features.iter().collect::<Vec<_>>())?;
//! let mut memory = Memory::default();
//! let mut pass = Pass::new(&network, &batch, &mut memory);
//! let scores = pass.arcs(0)?;
//! pass.finish();
//! // A square for each sentence, the root among its nodes: row by dependent, column by head.
//! assert_eq!(scores.sentence(1).len(), 16);
//! # Ok::<(), pleach_neural::NeuralError>(())
//! ```

pub mod kept;
pub mod kernel;
pub mod learn;
pub mod lm;
pub mod memory;
pub mod network;
pub mod pretrained;
pub mod principal;
pub mod random;
pub mod tensors;
pub mod vectors;

mod error;

pub use error::NeuralError;
