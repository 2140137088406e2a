//! Factorization parsers (`du-2015`): predicate-centric and argument-centric Markov models and tree approximation, made to
//! agree by dual decomposition.

mod alone;
mod approximation;
mod card;
mod data;
mod engine;
mod explain;
mod learn;
mod pruning;
mod recipe;
mod search;
mod task;

pub use recipe::FactorRecipe;

use super::{Family, OpenError, Opened};
use crate::model::{Model, Section, View};
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Fitted, Session, TrainError, choose_transform};
use crate::trees::{self, Converter, Supply};
use card::{Card, JointCard};
use data::Data;
use engine::Engine;
use pleach_graph::Sentence;
use pleach_graph::enhanced::Transform;
use pleach_transition::labels::UNLABELLED;
use recipe::Member;
use serde_json::Value;
use task::ChainTask;

/// The family's name.
const NAME: &str = "factor";

/// The family.
#[derive(Debug)]
pub(super) struct Factor;

impl Family for Factor {
    fn name(&self) -> &'static str {
        NAME
    }

    fn presets(&self) -> Vec<String> {
        recipe::presets()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(FactorRecipe::preset(name)?).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: FactorRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.check()
    }

    fn keep_learnt(&self, recipe: &mut toml::Table) {
        let parsing = ["agree", "pc_weight", "ac_weight", "ta_weight", "iterations", "step"];
        recipe.retain(|key, _| !parsing.contains(&key));
    }

    fn sources(&self, recipe: &Recipe) -> Result<String, TrainError> {
        let recipe: FactorRecipe = recipe.typed()?;
        Ok(task::sources(&recipe)?.concat())
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: FactorRecipe = recipe.typed()?;
        let transform = choose_transform(recipe.collapse, recipe.delexicalise, &corpus.train);
        let supply = recipe.trees.supply(&corpus, transform, session)?;
        if matches!(supply, Supply::Stopped) {
            return Ok(Ended::STOPPED);
        }
        let members = recipe.members();
        let pseudo = members.contains(&Member::Tree).then(|| pseudo_trees(&recipe, transform, &corpus));
        let data = Data::prepare(&recipe, transform, corpus, supply.supplied())?;
        let tree = supply.supplied().map(|trees| &trees.model);
        let [Member::Chains(centre)] = members[..] else {
            return train_joint(&recipe, &data, pseudo.unwrap_or_default(), tree, session);
        };
        let task = ChainTask::new(&recipe, centre, &data, tree)?;
        Ok(session.fit("", &task, &recipe.schedule)?.into())
    }

    fn open(&self, view: View<'_>) -> Result<Opened, OpenError> {
        Ok(Opened::Graph(Box::new(Engine::open(view)?)))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let (recipe, graphs) = match serde_json::from_value(card.clone()) {
            Ok(Card::Chains(card)) => (card.recipe, card.graphs),
            Ok(Card::Joint(card)) => (card.recipe, card.graphs),
            Err(_) => return Vec::new(),
        };
        vec![
            ("models", format!("{}, order {}, {} heads a word", recipe.models, recipe.order, recipe.heads)),
            ("labels", format!("{} label sets", graphs.label_sets.len())),
        ]
    }
}

/// The graphs of a corpus as pseudo trees, in HEAD and DEPREL.
fn pseudo_trees(recipe: &FactorRecipe, transform: Transform, corpus: &Corpus) -> Corpus {
    let mut converter = Converter::default();
    let mut convert = |sentences: &[Sentence]| -> Vec<Sentence> {
        let convert = |sentence: &Sentence| {
            let mut sentence = sentence.clone();
            transform.apply(&mut sentence);
            if recipe.unlabelled {
                sentence.graph = sentence.graph.map_labels(|_| UNLABELLED.into());
            }
            converter.convert(&mut sentence);
            sentence
        };
        sentences.iter().map(convert).collect()
    };
    Corpus { train: convert(&corpus.train), dev: convert(&corpus.dev) }
}

/// Trains the models one after the other, puts them together and measures what they agree on.
fn train_joint(
    recipe: &FactorRecipe,
    data: &Data,
    pseudo: Corpus,
    tree: Option<&Model>,
    session: &mut Session<'_>,
) -> Result<Ended, TrainError> {
    let mut parts = Vec::new();
    for member in recipe.members() {
        let name = member.name();
        let fitted = match member {
            Member::Chains(centre) => {
                session.fit(name, &ChainTask::new(recipe, centre, data, None)?, &recipe.schedule)?
            }
            Member::Tree => session.stage(name, &recipe.tree_recipe()?, pseudo.clone())?,
        };
        match fitted {
            Fitted::Done(model, _) => parts.push((name, model)),
            Fitted::Stopped => return Ok(Ended::STOPPED),
        }
    }
    let parts =
        parts.iter().map(|(name, model)| (*name, &**model)).chain(tree.map(|tree| (trees::ROLE, tree)));
    let children = parts.map(|(name, model)| model.root().section().with_role(name)).collect();
    let card = Card::Joint(JointCard { recipe: recipe.clone(), graphs: data.graph_card() });
    // A card of strings and numbers always has JSON.
    let card = serde_json::to_value(card).unwrap_or(Value::Null);
    let section = Section::group(NAME, card, children);
    session.write(&section)?;
    let scores = data.dev.score_model(&section)?;
    Ok(Ended { best: scores.map(|scores| (scores, recipe.schedule.epochs)), stopped: false })
}
