//! Who scores: the seam between families, which are a structure and a search, and what guides them.
//!
//! A family says what it will ask ([`Structure`]) and never who answers. A kind of scorer ([`ScorerKind`], named by the
//! recipe's key `scorer`) makes scorers of two sorts: a [`ModelScorer`] with fixed weights, for parsing, and a
//! [`Trainable`] that learns. Both are bound to sentences before they are asked, so that a network can read them first;
//! learning is told as "this choice here, more or less by so much" ([`Learner`]).

mod bilstm;
mod linear;
pub(crate) mod perceptron;
mod saved;
mod structure;
#[cfg(test)]
pub(crate) mod toy;

pub use bilstm::{BILSTM, Bilstm, BilstmKeys, GivenKeys, encoders};
pub(crate) use linear::MANY_SENTENCES;
pub use linear::{LINEAR, Linear, LinearKeys};
pub use perceptron::{Table, linear_table};
pub use saved::Saved;
pub use structure::{ActionShape, Made, PartShape, Structure};

use crate::workspace::Workspace;
use pleach_decode::part::{PartLearner, PartScorer};
use pleach_graph::words::Words;
use pleach_model::recipe::{Recipe, ScorerKeys};
use pleach_model::{Tensor, View};
use pleach_transition::scorer::{Learn, Scorer};
use serde_json::Value;
use std::fmt::Debug;

/// Any error, for messages.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A kind of scorer.
pub trait ScorerKind: ScorerKeys {
    /// A scorer to be trained, with the weights that it begins with.
    fn create(&self, recipe: &Recipe, structure: &Structure) -> Result<Box<dyn Trainable>, BoxError>;

    /// The scorer of a section of a model.
    fn open(&self, view: View, structure: &Structure) -> Result<Box<dyn ModelScorer>, BoxError>;

    /// The weights of a section of a model, stored more or less exactly: `f32`, `f16` or `int8`; `None` where there is no
    /// choice.
    fn rewrite(&self, view: &View, weights: &str) -> Result<Option<Vec<Tensor<'static>>>, BoxError> {
        let _ = (view, weights);
        Ok(None)
    }

    /// The texts beside the recipe that decide what is learnt: template files.
    fn sources(&self, recipe: &Recipe, structure: &Structure) -> Result<String, BoxError> {
        let _ = (recipe, structure);
        Ok(String::new())
    }
}

/// A scorer with fixed weights.
pub trait ModelScorer: Send + Sync + Debug {
    /// Binds the scorer to sentences that are parsed together.
    fn bind<'a>(&'a self, sentences: Vec<&'a Words>, workspace: &'a mut Workspace) -> Box<dyn Bound + 'a>;

    /// How many sentences it likes to be bound to at once.
    fn batch(&self) -> usize {
        1
    }

    /// Whether it knows a word from elsewhere than the training sentences, as one that has a vector.
    fn knows(&self, word: &str) -> bool {
        let _ = word;
        false
    }
}

/// A scorer bound to sentences. Questions name the sentence; parts are those of the one that was turned to.
pub trait Bound: Scorer + PartScorer {
    /// Goes on to the parts of another sentence; the first one is turned to at the beginning.
    fn turn_to(&mut self, sentence: usize);
}

/// A scorer bound to one sentence that learns from it.
pub trait Learner: Learn + PartLearner {}

impl<T: Learn + PartLearner> Learner for T {}

/// Analyses the example of a number within its batch and says what should change; gives whether the gold analysis was not
/// the best one.
pub type Teach<'a> = dyn Fn(usize, &mut dyn Learner, &mut Workspace) -> bool + Sync + 'a;

/// A scorer that is being trained. What it becomes must not depend on the number of threads.
pub trait Trainable: Send {
    /// How many sentences a step learns from in an epoch (from 0), when there are so many in all.
    fn batch(&self, examples: usize, epoch: usize) -> usize;

    /// Learns from a batch: lets `teach` analyse every sentence with the present weights, then changes them. Gives how
    /// many sentences were wrong.
    fn step(&mut self, batch: &[&Words], teach: &Teach<'_>) -> Result<usize, BoxError>;

    /// Comes before the first step: the words of all training sentences, and how many steps the run has in all.
    fn plan(&mut self, steps: usize, words: &mut dyn Iterator<Item = &Words>) -> Result<(), BoxError> {
        let _ = (steps, words);
        Ok(())
    }

    /// The weights as they would be used now.
    fn freeze(&self) -> Box<dyn Frozen>;

    /// How much there is so far: features, or weights where there are no features.
    fn size(&self) -> usize;

    /// How many templates, or other inputs, it looks at.
    fn inputs(&self) -> usize;

    /// Everything that training needs to go on: a description and arrays.
    fn save(&self) -> (Value, Vec<Saved<'_>>);

    /// Takes up what [`Trainable::save`] gave; false when it doesn't fit.
    fn restore(&mut self, description: &Value, tensors: &[(String, Vec<u8>)]) -> bool;
}

/// Weights that training has come to: a scorer that can be written into a model.
pub trait Frozen: ModelScorer {
    /// The same as a scorer.
    fn scorer(&self) -> &dyn ModelScorer;

    /// What the scorer needs to know apart from its weights; its key `name` is the kind's name.
    fn card(&self) -> Value;

    /// The weights.
    fn tensors(&self) -> Vec<Tensor<'_>>;

    /// How many features and how many weights there are.
    fn counts(&self) -> (usize, usize);
}
