//! What the perceptron trains: a task gives examples, learns from one at a time, and measures itself.

use super::shuffle::Random;
use crate::model::{Provenance, Section};
use crate::score::Scores;
use pleach_linear::learner::Learner;
use pleach_linear::table::Table;

/// A change of one weight: feature, action or label, amount.
pub type Change = (u64, u16, f32);

/// What one example taught.
#[derive(Debug, Default)]
pub struct Lesson {
    /// The changes of the weights.
    pub changes: Vec<Change>,
    /// Whether the gold analysis was not the best one.
    pub wrong: bool,
}

/// How large a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Training sentences.
    pub examples: usize,
    /// Their words.
    pub tokens: usize,
    /// Actions or labels to choose from.
    pub choices: usize,
    /// Feature templates.
    pub templates: usize,
    /// Arcs in the training data.
    pub arcs: usize,
    /// Those that the model can't build.
    pub lost: usize,
}

/// Something to learn from examples, with one table of weights.
pub trait Task: Sync {
    /// The memory of a training thread.
    type Workspace: Default + Send;

    /// How large it is.
    fn size(&self) -> Size;

    /// The words of an example.
    fn tokens(&self, example: usize) -> usize;

    /// Analyses an example with the weights so far and says how they should change.
    fn learn(
        &self,
        learner: &Learner,
        example: usize,
        random: Random,
        workspace: &mut Self::Workspace,
    ) -> Lesson;

    /// What weights reach on the development data; `None` when there is none, and the last epoch is kept then.
    fn evaluate(&self, table: Table<'_>) -> Option<Scores>;

    /// The model with these weights.
    fn section<'a>(&'a self, table: Table<'a>, provenance: Provenance) -> Section<'a>;
}
