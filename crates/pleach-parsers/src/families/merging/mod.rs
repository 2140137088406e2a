//! Parsers that merge three trees (`sun-2019` section 4): graphs are taken apart into trees, a tree model is trained on each
//! tree bank, and the trees that they parse are merged, simply or made consistent by relaxation.

mod card;
mod engine;
mod explain;
mod forest;
mod marks;
mod recipe;

pub use forest::{Coverage, Forester, subgraph};
pub use marks::Marks;
pub use recipe::MergeRecipe;

use super::{Family, OpenError, Opened};
use crate::model::{Section, View};
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Fitted, HeldOut, Session, TrainError, choose_transform};
use card::Card;
use engine::{Engine, ROLES};
use pleach_decode::merge::TREES;
use pleach_graph::Sentence;
use pleach_graph::enhanced::Transform;
use pleach_transition::labels::UNLABELLED;
use serde_json::Value;

/// The family's name.
const NAME: &str = "merge";

/// The family.
#[derive(Debug)]
pub(super) struct Merge;

impl Family for Merge {
    fn name(&self) -> &'static str {
        NAME
    }

    fn presets(&self) -> Vec<String> {
        recipe::PRESETS.map(str::to_owned).to_vec()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(MergeRecipe::preset(name)?).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: MergeRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.check()
    }

    fn keep_learnt(&self, recipe: &mut toml::Table) {
        recipe.retain(|key, _| !["iterations", "step", "readings", "subgraph"].contains(&key));
    }

    fn sources(&self, recipe: &Recipe) -> Result<String, TrainError> {
        let recipe: MergeRecipe = recipe.typed()?;
        let tree = recipe.tree_recipe()?;
        tree.family().map_or_else(|| Ok(String::new()), |family| family.sources(&tree))
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: MergeRecipe = recipe.typed()?;
        let transform = choose_transform(recipe.collapse, recipe.delexicalise, &corpus.train);
        let held_out = HeldOut::new(corpus.dev.clone(), recipe.unlabelled, None);
        let train = tree_banks(&recipe, transform, corpus.train);
        let dev = tree_banks(&recipe, transform, corpus.dev);
        let mut models = Vec::new();
        for ((role, train), dev) in ROLES.into_iter().zip(train).zip(dev) {
            match session.stage(role, &recipe.tree_recipe()?, Corpus { train, dev })? {
                Fitted::Done(model, _) => models.push((role, model)),
                Fitted::Stopped => return Ok(Ended::STOPPED),
            }
        }
        let children = models.iter().map(|(role, model)| model.root().section().with_role(role)).collect();
        let Transform { collapse, delexicalise } = transform;
        let epochs = recipe.schedule.epochs;
        // A card of strings and numbers always has JSON.
        let card = serde_json::to_value(Card { recipe, collapse, delexicalise }).unwrap_or(Value::Null);
        let section = Section::group(NAME, card, children);
        session.write(&section)?;
        let scores = held_out.score_model(&section)?;
        Ok(Ended { best: scores.map(|scores| (scores, epochs)), stopped: false })
    }

    fn open(&self, view: View<'_>) -> Result<Opened, OpenError> {
        Ok(Opened::Graph(Box::new(Engine::open(view)?)))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let Ok(card) = serde_json::from_value::<Card>(card.clone()) else { return Vec::new() };
        let merging = match card.recipe.iterations {
            1 => "merged as they are".to_owned(),
            most => format!("made consistent in at most {most} iterations"),
        };
        vec![("trees", format!("three by {}, {merging}", card.recipe.tree_model))]
    }
}

/// The three tree banks of some sentences, trees in HEAD and DEPREL. Sentences that are too long are left out.
fn tree_banks(
    recipe: &MergeRecipe,
    transform: Transform,
    sentences: Vec<Sentence>,
) -> [Vec<Sentence>; TREES] {
    let mut forester = Forester::new(recipe.marks(), recipe.plan());
    let mut banks = [const { Vec::new() }; TREES];
    for mut sentence in sentences {
        transform.apply(&mut sentence);
        if recipe.unlabelled {
            sentence.graph = sentence.graph.map_labels(|_| UNLABELLED.into());
        }
        let Some(trees) = forester.trees(&sentence.graph) else { continue };
        for (bank, tree) in banks.iter_mut().zip(&trees) {
            let mut sentence = sentence.clone();
            tree.write(&mut sentence);
            bank.push(sentence);
        }
    }
    banks
}
