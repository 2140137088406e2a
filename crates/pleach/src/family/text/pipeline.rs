//! Pipelines: the stages from text to graphs in one model.
//!
//! A pipeline is a section without weights whose children are its stages. Every stage is a model of its own kind, so it
//! can be trained alone, taken out and replaced.

use super::engine::{TextEngine, WordEngine};
use super::jackknife::{Annotated, Annotation};
use crate::family::{self, Family, GraphEngine, OpenError, Opened, TreeEngine};
use crate::model::{Section, View};
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Fitted, Session, TrainError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The family's name, and its preset's.
pub const PIPELINE: &str = "pipeline";

/// All keys. The tables have the preset of a stage and the keys that differ from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct PipelineRecipe {
    preset: String,
    /// How many folds tags, features and lemmas are jackknifed in; 0 trains the parsers on those of the treebank.
    folds: usize,
    tokenizer: toml::Table,
    tagger: toml::Table,
    morphology: toml::Table,
    lemmatizer: toml::Table,
    /// The tree parser; empty for none.
    tree: toml::Table,
    /// The graph parser; empty for none.
    graph: toml::Table,
}

impl Default for PipelineRecipe {
    fn default() -> Self {
        let preset = |name: &str| toml::Table::from_iter([("preset".to_owned(), toml::Value::from(name))]);
        PipelineRecipe {
            preset: PIPELINE.into(),
            folds: 5,
            tokenizer: preset("tokenizer"),
            tagger: preset("tagger"),
            morphology: preset("morphology"),
            lemmatizer: preset("lemmatizer"),
            tree: toml::Table::new(),
            graph: preset("s2s-combined"),
        }
    }
}

/// The recipes of all stages.
struct Recipes {
    tokenizer: Option<Recipe>,
    annotation: Annotation,
    parsers: Vec<(&'static str, Recipe)>,
}

impl PipelineRecipe {
    fn recipes(&self) -> Result<Recipes, TrainError> {
        let stage =
            |name: &'static str, table: &toml::Table| -> Result<Option<(&'static str, Recipe)>, TrainError> {
                if table.is_empty() {
                    return Ok(None);
                }
                Ok(Some((name, Recipe::from_table(name, table.clone())?)))
            };
        let mut words = Vec::new();
        for (name, table) in
            [("tagger", &self.tagger), ("morphology", &self.morphology), ("lemmatizer", &self.lemmatizer)]
        {
            words.extend(stage(name, table)?.map(|(_, recipe)| recipe));
        }
        let mut parsers = Vec::new();
        parsers.extend(stage("tree", &self.tree)?);
        parsers.extend(stage("graph", &self.graph)?);
        Ok(Recipes {
            tokenizer: stage("tokenizer", &self.tokenizer)?.map(|(_, recipe)| recipe),
            annotation: Annotation { recipes: words, folds: self.folds },
            parsers,
        })
    }
}

/// The family.
#[derive(Debug)]
pub struct PipelineFamily;

impl Family for PipelineFamily {
    fn name(&self) -> &'static str {
        PIPELINE
    }

    fn presets(&self) -> Vec<String> {
        vec![PIPELINE.to_owned()]
    }

    fn preset(&self, _: &str) -> Option<toml::Table> {
        toml::Table::try_from(PipelineRecipe::default()).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: PipelineRecipe = recipe.typed().map_err(|error| error.to_string())?;
        let recipes = recipe.recipes().map_err(|error| error.to_string())?;
        recipes.annotation.check()
    }

    fn sources(&self, recipe: &Recipe) -> Result<String, TrainError> {
        let mut sources = String::new();
        for (_, recipe) in recipe.typed::<PipelineRecipe>()?.recipes()?.parsers {
            if let Some(family) = recipe.family() {
                sources += &family.sources(&recipe)?;
            }
        }
        Ok(sources)
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: PipelineRecipe = recipe.typed()?;
        let recipes = recipe.recipes()?;
        let mut models = Vec::new();
        if let Some(recipe) = &recipes.tokenizer {
            match session.stage("tokenizer", recipe, corpus.clone())? {
                Fitted::Done(model, _) => models.push(("tokenizer", *model)),
                Fitted::Stopped => return Ok(Ended::STOPPED),
            }
        }
        let Some(Annotated { corpus, models: words }) = recipes.annotation.supply(&corpus, session)? else {
            return Ok(Ended::STOPPED);
        };
        models.extend(words.into_iter().map(|model| ("words", model)));
        let mut best = None;
        for (role, recipe) in &recipes.parsers {
            match session.stage(role, recipe, corpus.clone())? {
                Fitted::Done(model, reached) => {
                    models.push((role, *model));
                    best = reached;
                }
                Fitted::Stopped => return Ok(Ended::STOPPED),
            }
        }
        let stages = models.iter().map(|(role, model)| model.root().section().with_role(role)).collect();
        session.write(&Section::group(PIPELINE, json!({}), stages))?;
        Ok(Ended { best, stopped: false })
    }

    fn open(&self, view: View<'_>) -> Result<Opened, OpenError> {
        let mut pipeline = Pipeline::default();
        for (number, child) in view.children().enumerate() {
            match family::open(child)? {
                Opened::Pipeline(_) => {
                    return Err(OpenError::Inconsistent("a pipeline inside of a pipeline".into()));
                }
                stage => pipeline.add(stage, Some(number)),
            }
        }
        Ok(Opened::Pipeline(Box::new(pipeline)))
    }

    fn summary(&self, _: &Value) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// A stage of a pipeline, and where its section is.
#[derive(Debug)]
pub struct Part<E> {
    /// The engine.
    pub engine: E,
    /// The number of its section below the root; `None` for the root itself.
    child: Option<usize>,
}

impl<E> Part<E> {
    /// Its section in a model.
    pub fn view<'a>(&self, root: View<'a>) -> View<'a> {
        self.child.and_then(|number| root.child(number)).unwrap_or(root)
    }
}

/// The stages of a model that are ready to run; a single parser is a pipeline of one stage.
#[derive(Debug, Default)]
pub struct Pipeline {
    /// From text to sentences.
    pub tokenizer: Option<Part<Box<dyn TextEngine>>>,
    /// Tags, features, lemmas: in this order.
    pub words: Vec<Part<Box<dyn WordEngine>>>,
    /// Trees.
    pub tree: Option<Part<Box<dyn TreeEngine>>>,
    /// Graphs.
    pub graph: Option<Part<Box<dyn GraphEngine>>>,
}

impl Pipeline {
    /// The pipeline of an opened model.
    pub fn of(opened: Opened) -> Self {
        let mut pipeline = Pipeline::default();
        pipeline.add(opened, None);
        pipeline
    }

    fn add(&mut self, opened: Opened, child: Option<usize>) {
        match opened {
            Opened::Text(engine) => self.tokenizer = Some(Part { engine, child }),
            Opened::Words(engine) => self.words.push(Part { engine, child }),
            Opened::Tree(engine) => self.tree = Some(Part { engine, child }),
            Opened::Graph(engine) => self.graph = Some(Part { engine, child }),
            Opened::Pipeline(pipeline) => *self = *pipeline,
        }
    }
}
