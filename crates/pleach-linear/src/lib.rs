//! Linear models: feature templates in a small text language, hashed feature tables, the averaged perceptron.
//!
//! Words are hashed attributes ([`pleach_graph::words::Words`]); a configuration of a transition system or a part of a
//! graph becomes feature keys by [`template::Templates`], and [`scoring::Scoring`] over a table turns keys into the scores
//! of all choices: [`learner::Learner`] while training, [`table::Table`] (compact, memory-mapped, quantised) when parsing.
//! [`bound::Bound`] is the scorer that searches and decoders see.

#![deny(unsafe_code)]

pub mod bound;
pub mod dense;
pub mod features;
pub mod filter;
mod foreseen;
mod large;
pub mod learner;
pub mod lesson;
pub mod model;
pub mod prefetch;
pub mod rows;
pub mod scoring;
pub mod short;
mod summed;
pub mod table;
pub mod template;
mod wide;
