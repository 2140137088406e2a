//! Decoders: from the scores of parts to the best tree or graph.
//!
//! A decoder knows nothing of features: it takes scores from a small trait or from arrays, works in scratch
//! memory that the caller keeps, and is proved equal to brute force on small inputs.

#![forbid(unsafe_code)]

pub mod markov;
pub mod merge;
pub mod noncrossing;
pub mod part;
pub mod relax;
pub mod tree;
