//! A model of chains as something to be learnt.

use super::card::{Card, ModelCard};
use super::data::Data;
use super::parse::Parse;
use super::problem::ChainModel;
use super::recipe::{ALL, FactorRecipe, Loss, Member};
use super::{LONGEST, learn, local};
use crate::families::section;
use crate::random::Random;
use crate::scorer::{Learner, ModelScorer};
use crate::train::{Size, Task};
use crate::workspace::Workspace;
use pleach_decode::markov::Centre;
use pleach_graph::words::Words;
use pleach_model::{Scores, Section, View};

/// The data that was made ready for a recipe, and the parser that fits it.
pub(super) struct ChainTask<'a> {
    parse: Parse,
    data: &'a Data,
    /// The tree parser that goes into the model.
    tree: Option<View>,
}

impl<'a> ChainTask<'a> {
    /// A model of chains around predicates or arguments.
    pub fn new(recipe: &FactorRecipe, centre: Centre, data: &'a Data, tree: Option<View>) -> Self {
        let mut recipe = FactorRecipe { agree: ALL.into(), ..recipe.clone() };
        let models = Member::Chains(centre).name();
        if recipe.models != models {
            (recipe.preset, recipe.models) = (format!("fact-{models}"), models.to_owned());
        }
        let model = ChainModel { centre, order: recipe.order(), weight: 1.0 };
        ChainTask { parse: Parse::new(recipe, vec![model], data.graph_card()), data, tree }
    }
}

impl Task for ChainTask<'_> {
    fn size(&self) -> Size {
        let data = self.data;
        Size {
            examples: data.examples.len(),
            tokens: data.tokens,
            choices: data.labels.len(),
            arcs: data.arcs,
            lost: data.lost,
        }
    }

    fn words(&self, example: usize) -> &Words {
        &self.data.examples[example].words
    }

    fn learn(&self, example: usize, learner: &mut dyn Learner, _: Random, workspace: &mut Workspace) -> bool {
        let example = &self.data.examples[example];
        let margin = self.parse.recipe.margin;
        let mut problem = self.parse.problem(&example.words);
        problem.gold = Some((&example.gold, margin));
        match self.parse.recipe.loss {
            Loss::Margin => learn::learn(learner, &problem, &example.gold, margin, workspace.part()),
            Loss::Local => local::learn(learner, &problem, &example.gold, workspace.part()),
        }
    }

    fn evaluate(&self, scorer: &dyn ModelScorer) -> Option<Scores> {
        let limits = (scorer.batch(), LONGEST);
        self.data.dev.score(self.data.transform, limits, |sentences, trees, workspace| {
            self.parse.graphs([scorer].into_iter(), sentences, trees, workspace.part())
        })
    }

    fn section(&self) -> Section<'_> {
        let card = ModelCard { recipe: self.parse.recipe.clone(), graphs: self.data.graph_card() };
        section::with_tree(super::NAME, &Card::Chains(card), self.tree.as_ref())
    }
}
