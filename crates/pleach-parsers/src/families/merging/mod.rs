//! Parsers that merge three trees (`sun-2019` section 4): graphs are taken apart into trees, a tree model is trained on each
//! tree bank, and the trees that they parse are merged, simply or made consistent by relaxation.

mod card;
mod edges;
mod engine;
mod explain;
mod forest;
mod marks;
mod meanings;
mod merger;
mod opinions;
mod recipe;
mod shared;
mod tagged;
mod voices;

pub use forest::{Coverage, Forester};
pub use marks::Marks;
pub use recipe::MergingRecipe;
pub use tagged::TaggedTree;

use crate::families::graph_based_trees::{GraphBasedRecipe, Loss};
use crate::families::{keys, section};
use crate::held_out::HeldOut;
use crate::train::{Catalogue, Corpus, Ended, Family, Fitted, OpenError, Opened, Session, TrainError};
use crate::transform::choose_transform;
use card::Card;
use engine::{Engine, ROLES};
use pleach_decode::merge::TREES;
use pleach_graph::Sentence;
use pleach_graph::encoded::UNLABELLED;
use pleach_graph::enhanced::Transform;
use pleach_model::recipe::{Keys, Recipe};
use pleach_model::{Section, View};
use serde_json::Value;
use shared::SharedTask;

/// The family's name.
const NAME: &str = "merging";

/// The family.
#[derive(Debug)]
pub struct Merging;

impl Keys for Merging {
    fn name(&self) -> &'static str {
        NAME
    }

    fn presets(&self) -> Vec<String> {
        recipe::PRESETS.map(str::to_owned).to_vec()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(MergingRecipe::preset(name)?).ok()
    }

    fn scorer_keys(&self, scorer: &str, recipe: &toml::Table) -> toml::Table {
        let mut keys = toml::Table::new();
        if scorer == "linear" {
            // With 300 sentences batches of 16 cost 0.5 LF (docs/results/batches-merging.md).
            keys.insert("batch".into(), 0.into());
        }
        // Three trees lose 0.15 LF by the first pass of trees alone, so theirs lets more through.
        if recipe.get("share").and_then(toml::Value::as_bool) == Some(false) {
            keys::sieve_for_linear(scorer, recipe, recipe::PASSED, &mut keys);
        }
        keys
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let typed: MergingRecipe = recipe.typed().map_err(|error| error.to_string())?;
        typed.check(recipe.shelf())?;
        let tree = MergingRecipe::tree_recipe(recipe).map_err(|error| format!("tree_model: {error}"))?;
        let tree: GraphBasedRecipe = tree.typed().map_err(|error| format!("tree_model: {error}"))?;
        if typed.share && tree.loss != Loss::Local {
            return Err(format!(
                "tree models that share a scorer learn locally; '{}' does not",
                typed.tree_model
            ));
        }
        Ok(())
    }

    fn keep_learnt(&self, recipe: &mut toml::Table) {
        recipe.retain(|key, _| !["iterations", "step", "readings", "subgraph"].contains(&key));
    }
}

impl Family for Merging {
    fn old_name(&self) -> Option<&'static str> {
        Some("merge")
    }

    fn sources(&self, recipe: &Recipe, catalogue: Catalogue) -> Result<String, TrainError> {
        let tree = MergingRecipe::tree_recipe(recipe)?;
        let family = catalogue.family(tree.family());
        family.map_or_else(|| Ok(String::new()), |family| family.sources(&tree, catalogue))
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let mut tree_recipe = MergingRecipe::tree_recipe(recipe)?;
        keys::settle_updates(&mut tree_recipe, corpus.train.len(), recipe::LEAST_UPDATES)?;
        let recipe: MergingRecipe = recipe.typed()?;
        let transform = choose_transform(recipe.collapse, recipe.delexicalise, &corpus.train);
        let held_out = HeldOut::new(corpus.dev.clone(), recipe.unlabelled, None);
        let train = tree_banks(&recipe, transform, corpus.train);
        if recipe.share {
            let task = SharedTask::prepare(recipe, &tree_recipe.typed()?, transform, train, held_out)?;
            return Ok(session.teach("", &task, &task.structure(), task.schedule())?.into());
        }
        let dev = tree_banks(&recipe, transform, corpus.dev);
        let mut models = Vec::new();
        for ((role, train), dev) in ROLES.into_iter().zip(train).zip(dev) {
            match session.stage(role, &tree_recipe, Corpus { train, dev })? {
                Fitted::Done(model, _) => models.push((role, model)),
                Fitted::Stopped => return Ok(Ended::STOPPED),
            }
        }
        let roots: Vec<(&str, View)> = models.iter().map(|(role, model)| (*role, model.root())).collect();
        let children = roots.iter().map(|(role, root)| root.section().with_role(role)).collect();
        let Transform { collapse, delexicalise } = transform;
        let epochs = recipe.schedule.epochs;
        let card = Card { recipe, collapse, delexicalise, trees: None };
        let section = Section { children, ..section::with_tree(NAME, &card, None) };
        session.write(&section)?;
        let scores = held_out.score_model(&section, session.catalogue())?;
        Ok(Ended { best: scores.map(|scores| (scores, epochs)), stopped: false })
    }

    fn open(&self, view: &View, catalogue: Catalogue) -> Result<Opened, OpenError> {
        Ok(Opened::Graph(Box::new(Engine::open(view, catalogue)?)))
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
    recipe: &MergingRecipe,
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
            tree.named().write(&mut sentence);
            bank.push(sentence);
        }
    }
    banks
}
