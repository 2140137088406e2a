//! Factorization parsers (`du-2015`): predicate-centric and argument-centric Markov models and tree approximation, made to
//! agree by dual decomposition.

mod alone;
mod approximation;
mod card;
mod data;
mod engine;
mod explain;
mod learn;
mod local;
mod parse;
mod problem;
mod pruning;
mod recipe;
mod search;
mod task;

pub use recipe::{FactorRecipe, Loss, Orphans};

use crate::families::keys;
use crate::train::{Catalogue, Corpus, Ended, Family, Fitted, OpenError, Opened, Session, TrainError};
use crate::transform::choose_transform;
use crate::trees::{self, Converter, Supply};
use card::{Card, ModelCard};
use data::Data;
use engine::Engine;
use pleach_graph::Sentence;
use pleach_graph::encoded::UNLABELLED;
use pleach_graph::enhanced::Transform;
use pleach_model::recipe::{Keys, Recipe};
use pleach_model::{Section, View};
use recipe::Member;
use serde_json::Value;
use task::ChainTask;

/// The family's name.
const NAME: &str = "factorization";

/// Longer sentences are cut into pieces: the scores of all arcs grow with the square of the length.
const LONGEST: usize = 500;

/// The family.
#[derive(Debug)]
pub struct Factorization;

impl Keys for Factorization {
    fn name(&self) -> &'static str {
        NAME
    }

    fn presets(&self) -> Vec<String> {
        recipe::presets()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        Some(keys::without(&FactorRecipe::preset(name)?, recipe::LINEAR_KEYS))
    }

    fn scorer_keys(&self, scorer: &str, recipe: &toml::Table) -> toml::Table {
        let preset = FactorRecipe::preset(keys::preset(recipe));
        let mut keys = keys::of_scorer(scorer, &preset, recipe::LINEAR_KEYS);
        if scorer == "linear" {
            keys.insert("batch".into(), recipe::LINEAR_BATCH.into());
        }
        keys::local_for_networks(scorer, true, &mut keys);
        keys::sieve_for_linear(scorer, recipe, keys::PASSED, &mut keys);
        keys
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let shelf = recipe.shelf();
        let recipe: FactorRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.check()?;
        recipe.trees.check(shelf)
    }

    fn keep_learnt(&self, recipe: &mut toml::Table) {
        let parsing = ["agree", "pc_weight", "ac_weight", "ta_weight", "iterations", "step", "threshold"];
        recipe.retain(|key, _| !parsing.contains(&key));
    }
}

impl Family for Factorization {
    fn old_name(&self) -> Option<&'static str> {
        Some("factor")
    }

    fn sources(&self, recipe: &Recipe, catalogue: Catalogue) -> Result<String, TrainError> {
        catalogue.scorer_sources(recipe, &recipe.typed::<FactorRecipe>()?.structure(0))
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
        let tree = supply.supplied().map(|trees| trees.model.root());
        let [Member::Chains(centre)] = members[..] else {
            return train_joint(&recipe, &data, pseudo.unwrap_or_default(), tree.as_ref(), session);
        };
        let structure = recipe.structure(data.labels.len());
        let task = ChainTask::new(&recipe, centre, &data, tree);
        Ok(session.teach("", &task, &structure, &recipe.schedule)?.into())
    }

    fn open(&self, view: &View, catalogue: Catalogue) -> Result<Opened, OpenError> {
        Ok(Opened::Graph(Box::new(Engine::open(view, catalogue)?)))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let Ok(Card::Chains(card) | Card::Joint(card)) = serde_json::from_value(card.clone()) else {
            return Vec::new();
        };
        let FactorRecipe { models, order, heads, .. } = &card.recipe;
        let heads = if *heads == 0 { "all".to_owned() } else { heads.to_string() };
        let about = [
            ("models", format!("{models}, order {order}, {heads} heads a word")),
            ("labels", format!("{} label sets", card.graphs.label_sets.len())),
        ];
        let sieve = card.graphs.sieve.iter().map(|sieve| ("first pass", sieve.measured.to_string()));
        about.into_iter().chain(sieve).collect()
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
    tree: Option<&View>,
    session: &mut Session<'_>,
) -> Result<Ended, TrainError> {
    let structure = recipe.structure(data.labels.len());
    let mut parts = Vec::new();
    for member in recipe.members() {
        let name = member.name();
        let fitted = match member {
            Member::Chains(centre) => {
                let task = ChainTask::new(recipe, centre, data, None);
                session.teach(name, &task, &structure, &recipe.schedule)?
            }
            Member::Tree => {
                let recipe = recipe.tree_recipe(session.catalogue().shelf)?;
                session.stage(name, &recipe, pseudo.clone())?
            }
        };
        match fitted {
            Fitted::Done(model, _) => parts.push((name, model)),
            Fitted::Stopped => return Ok(Ended::STOPPED),
        }
    }
    let parts = parts.iter().map(|(name, model)| (*name, model.root()));
    let parts: Vec<(&str, View)> = parts.chain(tree.map(|tree| (trees::ROLE, tree.clone()))).collect();
    let children = parts.iter().map(|(name, view)| view.section().with_role(name)).collect();
    let card = Card::Joint(ModelCard { recipe: recipe.clone(), graphs: data.graph_card() });
    // A card of strings and numbers always has JSON.
    let card = serde_json::to_value(card).unwrap_or(Value::Null);
    let section = Section::group(NAME, card, children);
    session.write(&section)?;
    let scores = data.dev.score_model(&section, session.catalogue())?;
    Ok(Ended { best: scores.map(|scores| (scores, recipe.schedule.epochs)), stopped: false })
}
