//! A network: what a sentence looks like, an encoder, and heads that score with it.
//!
//! [`Vocabulary::features`] turns sentences into ids (once a sentence), [`Network::batch`] puts some of them together, and a
//! [`Pass`] encodes them and answers with scores: [`Pass::arcs`], [`Pass::labels`], [`Pass::positions`],
//! [`Pass::tags`]. In training the caller gives the gradient of the loss by the scores that it asked for, and
//! [`Pass::backward`] adds that of all weights.
//!
//! Invariant: a sentence's scores are the same, bit for bit, in every batch and on every thread.

mod arcs;
mod batch;
mod dropout;
mod embed;
pub mod grouping;
mod hidden;
mod labels;
mod language;
mod layers;
mod parts;
mod pass;
mod positions;
mod saved;
mod settings;
mod tags;
mod vocabulary;
mod words;

pub use arcs::ArcScores;
pub use batch::Batch;
pub use dropout::Dropout;
pub use labels::Pair;
pub use language::Samples;
pub use pass::Pass;
pub use positions::NONE;
pub use settings::{
    Arcs, Characters, Encoder, Given, Input, Labels, Language, Positions, Settings, Source, Table, Tags,
};
pub use vocabulary::{Features, Vocabulary, hash};

use crate::NeuralError;
use crate::kernel::whole::{Weight, Whole};
use crate::memory::Memory;
use crate::tensors::{Layout, Slot};
use parts::Parts;
use pleach_graph::Sentence;
use std::borrow::Cow;

/// Settings, vocabulary and weights. The weights may be borrowed, say from a file that is mapped into memory.
#[derive(Clone, Debug)]
pub struct Network<'w> {
    settings: Settings,
    vocabulary: Vocabulary,
    parts: Parts,
    weights: Cow<'w, [f32]>,
    /// Weights of products as whole numbers, by their slots; empty while they may still change.
    whole: Vec<(Slot, Whole)>,
}

impl<'w> Network<'w> {
    /// A network that has learnt nothing.
    pub fn new(settings: Settings, vocabulary: Vocabulary, seed: u64) -> Result<Self, NeuralError> {
        let mut network = Self::with_weights(settings, vocabulary, Cow::Borrowed(&[]))?;
        network.weights = Cow::Owned(network.parts.layout.initial(seed));
        Ok(network)
    }

    /// A network with given weights, in the order of [`layout`](Self::layout).
    pub fn with_weights(
        settings: Settings,
        vocabulary: Vocabulary,
        weights: Cow<'w, [f32]>,
    ) -> Result<Self, NeuralError> {
        settings.check()?;
        let vocabulary = Vocabulary::from_known(&settings, vocabulary.known().to_vec())?;
        let parts = Parts::new(&settings, &vocabulary);
        if !weights.is_empty() && weights.len() != parts.layout.len() {
            let message = format!("{} weights, the network needs {}", weights.len(), parts.layout.len());
            return Err(NeuralError::Damaged(message));
        }
        Ok(Network { settings, vocabulary, parts, weights, whole: Vec::new() })
    }

    /// What the network is made of.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The values that its inputs know.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The names, shapes and places of its tensors.
    pub fn layout(&self) -> &Layout {
        &self.parts.layout
    }

    /// All weights.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// All weights, to be changed; borrowed ones are copied first.
    pub fn weights_mut(&mut self) -> &mut [f32] {
        self.whole.clear();
        self.weights.to_mut()
    }

    /// The same network, whose large products are made in whole numbers (see [`kernel::whole`](crate::kernel::whole)) until its
    /// weights change: faster, and alike on all processors, for an error of rounding to eight bits.
    pub fn in_whole_numbers(mut self) -> Self {
        let whole = self.parts.products().into_iter().filter_map(|(slot, columns)| {
            let weights = slot.of(&self.weights);
            Some((slot, Whole::new(weights, weights.len() / columns.max(1), columns)?))
        });
        self.whole = whole.collect();
        self
    }

    /// The weights of a product.
    fn weight(&self, slot: Slot) -> Weight<'_> {
        let whole = self.whole.iter().find(|(other, _)| *other == slot).map(|(_, whole)| whole);
        Weight { numbers: slot.of(&self.weights), whole }
    }

    /// A sentence as the network sees it.
    pub fn features(&self, sentence: &Sentence) -> Features {
        self.vocabulary.features(&self.settings, sentence)
    }

    /// What all layers of the encoder say of every node, sentence after sentence: a row has one layer after the other.
    pub fn layers(&self, batch: &Batch, memory: &mut Memory) -> Vec<f32> {
        self.all_layers(batch, memory)
    }

    /// Sentences to be encoded together.
    pub fn batch(&self, sentences: &[&Features]) -> Result<Batch, NeuralError> {
        Batch::new(sentences, self.settings.given_numbers())
    }
}
