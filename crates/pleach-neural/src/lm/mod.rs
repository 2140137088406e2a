//! Language models of our own (Peters et al. 2018; sun-2019, section 6.5): an LSTM in each direction over characters and
//! hashed words, trained to predict the words behind and before. What its layers say of a word goes into a parser's
//! network, mixed by learnt weights.
//!
//! [`text`] streams sentences of words from files, [`Lexicon`] has the words that are predicted, [`LanguageModel`] is what
//! remains. Training is the [`Learner`](crate::learn::Learner)'s, with [`Pass::language`](crate::network::Pass::language)
//! for a loss; whoever trains keeps the files.

mod lexicon;
mod model;
pub mod text;

pub use lexicon::{Counts, Lexicon};
pub use model::{LanguageModel, LanguageSettings};
