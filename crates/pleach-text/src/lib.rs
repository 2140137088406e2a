//! From raw text to tagged sentences: tokenizer and sentence splitter, multiword tokens, tagger, morphological
//! features, lemmatizer.
//!
//! Every stage is the same machine with other positions, labels and features: a global linear model over a sequence
//! ([`labelling`]), trained by the averaged perceptron. Nothing is specific to a language; what a stage knows of one
//! comes from the treebank. Stages are small values (labels and settings) that are applied with a weight table, so
//! that a model file can be memory-mapped and shared by threads.

#![forbid(unsafe_code)]

pub mod blocks;
pub mod characters;
pub mod edit;
#[cfg(test)]
mod fixture;
pub mod forms;
pub mod labelling;
pub mod lemmatizer;
pub mod morphology;
pub mod multiword;
pub mod stage;
pub mod sure;
pub mod surface;
pub mod tagger;
pub mod tokenizer;
