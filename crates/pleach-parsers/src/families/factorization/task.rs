//! A model of chains as something that the perceptron trains.

use super::card::{Card, ChainCard};
use super::data::Data;
use super::engine::{Engine, Space, Weights, chain_model};
use super::learn::{self, LearnSpace};
use super::recipe::{ALL, FactorRecipe, Member};
use crate::model::{Model, Provenance, Section};
use crate::score::Scores;
use crate::train::{self, Lesson, Random, Size, Task, TrainError};
use crate::trees;
use pleach_decode::markov::Centre;
use pleach_linear::learner::Learner;
use pleach_linear::table::Table;
use serde_json::Value;

/// The data that was made ready for a recipe, and the engine that fits it.
pub(super) struct ChainTask<'a> {
    card: ChainCard,
    engine: Engine,
    data: &'a Data,
    /// The tree parser that goes into the model.
    tree: Option<&'a Model>,
}

/// The texts of a recipe's template files.
pub(super) fn sources(recipe: &FactorRecipe) -> Result<[String; 4], TrainError> {
    let text = |name: &str| Ok::<_, TrainError>(train::templates(&[name])?.source().to_owned());
    Ok([
        text(&recipe.arc_templates)?,
        text(&recipe.label_templates)?,
        text(&recipe.pair_templates)?,
        text(&recipe.triple_templates)?,
    ])
}

impl<'a> ChainTask<'a> {
    /// A model of chains around predicates or arguments.
    pub fn new(
        recipe: &FactorRecipe,
        centre: Centre,
        data: &'a Data,
        tree: Option<&'a Model>,
    ) -> Result<Self, TrainError> {
        let models = Member::Chains(centre).name().to_owned();
        let preset = format!("fact-{models}");
        let recipe = FactorRecipe { preset, models, agree: ALL.into(), ..recipe.clone() };
        let card = ChainCard { templates: sources(&recipe)?, graphs: data.graph_card(), recipe };
        let model = chain_model(&card, centre, 1.0)?;
        let engine = Engine::new(card.recipe.clone(), vec![model], card.graphs.clone());
        Ok(ChainTask { card, engine, data, tree })
    }
}

impl Task for ChainTask<'_> {
    type Workspace = LearnSpace;

    fn size(&self) -> Size {
        Size {
            examples: self.data.examples.len(),
            tokens: self.data.tokens,
            choices: self.card.graphs.label_sets.len(),
            templates: self.engine.models.iter().map(|model| model.templates.len()).sum(),
            arcs: self.data.arcs,
            lost: self.data.lost,
        }
    }

    fn tokens(&self, example: usize) -> usize {
        self.data.examples[example].words.len()
    }

    fn learn(&self, learner: &Learner, example: usize, _: Random, workspace: &mut LearnSpace) -> Lesson {
        let example = &self.data.examples[example];
        let margin = self.card.recipe.margin;
        let mut problem = self.engine.problem(&example.words);
        problem.gold = Some((&example.gold, margin));
        learn::learn(learner, &problem, &example.gold, margin, workspace)
    }

    fn evaluate(&self, table: Table<'_>) -> Option<Scores> {
        let weights = Weights { chains: vec![table], tree: None };
        self.data.dev.score(self.data.transform, |sentence, tree, space: &mut Space| {
            self.engine.parse(&weights, sentence, tree, space)
        })
    }

    fn section<'a>(&'a self, table: Table<'a>, provenance: Provenance) -> Section<'a> {
        Section {
            role: String::new(),
            family: super::NAME.to_owned(),
            // A card of strings and numbers always has JSON.
            card: serde_json::to_value(Card::Chains(self.card.clone())).unwrap_or(Value::Null),
            provenance: Some(provenance),
            table,
            children: self.tree.iter().map(|tree| tree.root().section().with_role(trees::ROLE)).collect(),
        }
    }
}
