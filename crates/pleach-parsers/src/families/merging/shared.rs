//! Three tree models that are learnt together, with one scorer: each learns its own trees locally, and what is measured is
//! the graph that they are merged into.

use super::card::Card;
use super::engine::LONGEST;
use super::merger::Merger;
use super::recipe::MergingRecipe;
use super::voices::{TreeLearner, Voices};
use crate::families::graph_based_trees::{
    Card as TreeCard, GraphBasedRecipe, GraphBasedTask, LocalSpace, Parse, learn_locally,
};
use crate::families::offers::OfferModel;
use crate::families::section;
use crate::held_out::HeldOut;
use crate::random::Random;
use crate::scorer::{Learner, ModelScorer, Structure};
use crate::train::{Corpus, Size, Task, TrainError};
use crate::workspace::Workspace;
use pleach_decode::merge::TREES;
use pleach_graph::Sentence;
use pleach_graph::enhanced::Transform;
use pleach_graph::words::Words;
use pleach_model::recipe::Schedule;
use pleach_model::{Scores, Section};

/// Three tree banks of the same sentences, and what their trees are merged by.
pub(super) struct SharedTask {
    trees: [GraphBasedTask; TREES],
    merger: Merger,
    voices: Voices,
    transform: Transform,
    held_out: HeldOut,
}

/// The memory of a training thread.
#[derive(Debug, Default)]
struct Space {
    local: LocalSpace,
    row: Vec<f32>,
}

impl SharedTask {
    /// Takes three tree banks of the same sentences.
    pub fn prepare(
        recipe: MergingRecipe,
        tree: &GraphBasedRecipe,
        transform: Transform,
        banks: [Vec<Sentence>; TREES],
        held_out: HeldOut,
    ) -> Result<Self, TrainError> {
        let [first, second, third] =
            banks.map(|train| GraphBasedTask::prepare(tree, Corpus { train, dev: Vec::new() }));
        let trees = [first?, second?, third?];
        let models = trees.each_ref().map(|task| OfferModel::new(task.parse.clone()));
        let voices = Voices::new(models.each_ref().map(OfferModel::labels));
        Ok(SharedTask { trees, merger: Merger::new(recipe, models), voices, transform, held_out })
    }

    /// What the scorer is asked.
    pub fn structure(&self) -> Structure {
        self.voices.structure(&self.merger.models[0])
    }

    /// How the training data is gone through.
    pub fn schedule(&self) -> &Schedule {
        &self.merger.recipe.schedule
    }
}

impl Task for SharedTask {
    fn size(&self) -> Size {
        let [first, others @ ..] = self.trees.each_ref().map(GraphBasedTask::size);
        others.iter().fold(first, |all, size| Size {
            choices: all.choices + size.choices,
            arcs: all.arcs + size.arcs,
            lost: all.lost + size.lost,
            ..all
        })
    }

    fn words(&self, example: usize) -> &Words {
        self.trees[0].words(example)
    }

    fn learn(&self, example: usize, learner: &mut dyn Learner, _: Random, workspace: &mut Workspace) -> bool {
        let Space { local, row } = workspace.part();
        let mut wrong = false;
        for (tree, task) in self.trees.iter().enumerate() {
            let mut learner = TreeLearner { learner: &mut *learner, voices: &self.voices, tree, row };
            let (_, gold) = &task.examples[example];
            wrong |= learn_locally(&mut learner, task.parse.labels.len(), gold, local);
        }
        wrong
    }

    fn evaluate(&self, scorer: &dyn ModelScorer) -> Option<Scores> {
        self.held_out.score(self.transform, (scorer.batch(), LONGEST), |sentences, _, workspace| {
            self.merger.graphs([scorer].into_iter(), sentences, workspace.part())
        })
    }

    fn section(&self) -> Section<'_> {
        let card = |task: &GraphBasedTask| {
            let parse: &Parse = &task.parse;
            TreeCard::from(parse)
        };
        let card = Card {
            recipe: self.merger.recipe.clone(),
            collapse: self.transform.collapse,
            delexicalise: self.transform.delexicalise,
            trees: Some(self.trees.each_ref().map(card)),
        };
        section::with_tree(super::NAME, &card, None)
    }
}
