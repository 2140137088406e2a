//! What the data of all graph families begin with, and what can be wrong with it.

use crate::held_out::HeldOut;
use crate::train::{Corpus, TrainError};
use crate::trees::Supplied;
use pleach_graph::Sentence;
use pleach_graph::encoded::EncodeError;
use pleach_graph::enhanced::Transform;

/// Why data can't be trained on.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// There is nothing in it.
    #[error("the training data has no arcs to learn from; is the graph in another column or format?")]
    NoArcs,
    /// A sentence can't be encoded.
    #[error("training sentence {sentence}: {source}")]
    Encode {
        /// Its number, from 1.
        sentence: usize,
        /// Why not.
        source: EncodeError,
    },
    /// More actions or labels than a model can hold.
    #[error("{0} actions or labels are too many: a model holds 65535")]
    Actions(usize),
}

impl From<DataError> for TrainError {
    fn from(error: DataError) -> Self {
        TrainError::family(error)
    }
}

impl DataError {
    /// The sentence at a place can't be encoded.
    pub fn encode(place: usize, source: EncodeError) -> Self {
        DataError::Encode { sentence: place + 1, source }
    }

    /// Whether so many actions or labels can be numbered.
    pub fn check_actions(count: usize) -> Result<(), DataError> {
        if count > usize::from(u16::MAX) { Err(DataError::Actions(count)) } else { Ok(()) }
    }
}

/// A corpus of graphs at the beginning: training sentences as they are learnt, development data as they are scored.
#[derive(Debug)]
pub struct Opening {
    /// Transformed.
    pub train: Vec<Sentence>,
    /// Without their graphs.
    pub dev: HeldOut,
}

impl Opening {
    /// Transforms the training sentences and puts the development sentences aside.
    pub fn new(corpus: Corpus, transform: Transform, unlabelled: bool, trees: Option<&Supplied>) -> Self {
        let Corpus { mut train, dev } = corpus;
        train.iter_mut().for_each(|sentence| transform.apply(sentence));
        Opening { train, dev: HeldOut::new(dev, unlabelled, trees.map(|trees| trees.dev.as_slice())) }
    }
}
