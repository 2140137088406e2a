//! Linear models: feature templates in a small text language, hashed feature tables, the averaged perceptron.
//!
//! A sentence becomes [`words::Words`] (hashed attributes), a configuration becomes feature keys by
//! [`template::Templates`], and [`scoring::Scoring`] over a table turns keys into the scores of all actions: [`learner::Learner`] while
//! training, [`table::Table`] (compact, memory-mapped, quantised) when parsing. No strings are kept: an
//! attribute is the hash of its text, so a model needs no lexicon.

#![deny(unsafe_code)]

pub mod configuration;
pub mod factored;
pub mod features;
pub mod hash;
pub mod learner;
pub mod prefetch;
pub mod scoring;
pub mod site;
pub mod table;
pub mod template;
mod tree;
pub mod words;
