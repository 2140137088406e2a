//! A transition parser as something to be learnt.

use super::card::Card;
use super::data::Data;
use super::parse::{Space, stored_actions};
use super::recipe::{Loss, TransitionRecipe};
use super::{beam, greedy};
use crate::families::section;
use crate::random::Random;
use crate::scorer::{Learner, ModelScorer};
use crate::train::{Size, Task};
use crate::workspace::Workspace;
use pleach_graph::words::Words;
use pleach_model::{Scores, Section, View};

/// A recipe and the data that was made ready for it.
pub(super) struct TransitionTask<'a> {
    pub recipe: &'a TransitionRecipe,
    pub data: &'a Data,
    /// The tree parser that goes into the model.
    pub tree: Option<View>,
}

impl Task for TransitionTask<'_> {
    fn size(&self) -> Size {
        let data = self.data;
        Size {
            examples: data.examples.len(),
            tokens: data.tokens,
            choices: data.parse.machine.actions(),
            arcs: data.arcs,
            lost: data.lost,
        }
    }

    fn words(&self, example: usize) -> &Words {
        &self.data.examples[example].words
    }

    fn learn(
        &self,
        example: usize,
        learner: &mut dyn Learner,
        random: Random,
        workspace: &mut Workspace,
    ) -> bool {
        let (machine, example) = (&self.data.parse.machine, &self.data.examples[example]);
        let recipe = self.recipe;
        match (recipe.beam, recipe.loss) {
            (..=1, _) => greedy::learn(machine, learner, example, recipe, random, workspace.part()),
            (_, Loss::Margin) => beam::learn(machine, learner, example, recipe, workspace.part()),
            // Single decisions teach from the first sentence on; a beam alone learns little as long as it loses the
            // gold sequence in its first steps.
            (_, Loss::Local) => {
                greedy::learn(machine, learner, example, recipe, random, workspace.part());
                beam::learn_likelihood(machine, learner, example, recipe, workspace.part())
            }
        }
    }

    fn evaluate(&self, scorer: &dyn ModelScorer) -> Option<Scores> {
        let parse = &self.data.parse;
        let limits = (scorer.batch(), pleach_transition::MAX_WORDS);
        self.data.dev.score(parse.transform, limits, |sentences, trees, workspace| {
            let space: &mut Space = workspace.part();
            parse.graphs(scorer, sentences, trees, self.recipe.beam, space)
        })
    }

    fn section(&self) -> Section<'_> {
        let parse = &self.data.parse;
        let card = Card {
            recipe: self.recipe.clone(),
            collapse: parse.transform.collapse,
            delexicalise: parse.transform.delexicalise,
            self_arcs: parse.machine.system.settings().self_arcs,
            label_sets: parse.labels.sets(),
            tags: parse.labels.tags(),
            edges: parse.machine.inventory.edges.iter().map(|edge| (edge.left, edge.right)).collect(),
            actions: stored_actions(&parse.machine.inventory),
        };
        section::with_tree(super::NAME, &card, self.tree.as_ref())
    }
}
