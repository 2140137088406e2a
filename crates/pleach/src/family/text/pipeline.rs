//! Pipelines: the stages from text to graphs in one model.
//!
//! A pipeline is a section without weights whose children are its stages. Every stage is a model of its own kind, so it
//! can be trained alone, taken out and replaced.

use super::engine::{TextEngine, WordEngine};
use super::jackknife::Annotation;
use crate::family::{self, Family, GraphEngine, OpenError, Opened, TreeEngine};
use crate::model::{Model, Section, View};
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Fitted, Session, TrainError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The family's name, and its preset's.
pub const PIPELINE: &str = "pipeline";

/// All keys. A stage's table has its preset and the keys that differ from it, or `model = "file"` for a stage that is
/// trained already; an empty table leaves the stage out.
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
    tree: toml::Table,
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

/// How a pipeline comes by a stage.
enum Plan {
    /// It is trained.
    Train(Recipe),
    /// It is taken from a model file.
    Take(PathBuf),
}

impl Plan {
    /// The plan of a stage's table: `model = "file"`, or the keys of a recipe.
    fn new(name: &str, table: &toml::Table) -> Result<Self, TrainError> {
        match table.get("model").and_then(toml::Value::as_str) {
            Some(file) if table.len() == 1 => Ok(Plan::Take(file.into())),
            _ => Ok(Plan::Train(Recipe::from_table(name, table.clone())?)),
        }
    }

    fn recipe(&self) -> Option<&Recipe> {
        match self {
            Plan::Train(recipe) => Some(recipe),
            Plan::Take(_) => None,
        }
    }

    /// The stage's model.
    fn carry_out(
        &self,
        name: &str,
        corpus: &Corpus,
        session: &mut Session<'_>,
    ) -> Result<Fitted, TrainError> {
        match self {
            Plan::Take(file) => Ok(Fitted::Done(Box::new(Model::open(file)?), None)),
            Plan::Train(recipe) => session.stage(name, recipe, corpus.clone()),
        }
    }
}

/// The stages that a recipe names, by their roles in the model.
type Plans = Vec<(&'static str, Plan)>;

impl PipelineRecipe {
    /// The plans of the tokenizer, of the stages that annotate, and of the parsers.
    fn plans(&self) -> Result<[Plans; 3], TrainError> {
        let plans = |stages: &[(&'static str, &toml::Table)]| -> Result<Plans, TrainError> {
            let given = stages.iter().filter(|(_, table)| !table.is_empty());
            given.map(|&(name, table)| Ok((name, Plan::new(name, table)?))).collect()
        };
        Ok([
            plans(&[("tokenizer", &self.tokenizer)])?,
            plans(&[
                ("tagger", &self.tagger),
                ("morphology", &self.morphology),
                ("lemmatizer", &self.lemmatizer),
            ])?,
            plans(&[("tree", &self.tree), ("graph", &self.graph)])?,
        ])
    }

    /// How the training sentences are annotated, if they are; says what makes no sense.
    fn annotation(&self, words: &Plans, parsers: &Plans) -> Result<Option<Annotation>, String> {
        let trained = parsers.iter().any(|(_, plan)| plan.recipe().is_some());
        if self.folds == 0 || !trained {
            return Ok(None);
        }
        let recipes: Option<Vec<Recipe>> = words.iter().map(|(_, plan)| plan.recipe().cloned()).collect();
        let recipes =
            recipes.ok_or("a stage that is taken from a model can't be jackknifed; set folds = 0")?;
        let annotation = Annotation { recipes, folds: self.folds };
        annotation.check().map(|()| Some(annotation))
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
        let [_, words, parsers] = recipe.plans().map_err(|error| error.to_string())?;
        recipe.annotation(&words, &parsers).map(|_| ())
    }

    fn sources(&self, recipe: &Recipe) -> Result<String, TrainError> {
        let mut sources = String::new();
        for (_, plan) in recipe.typed::<PipelineRecipe>()?.plans()?.iter().flatten() {
            if let Some(recipe) = plan.recipe()
                && let Some(family) = recipe.family()
            {
                sources += &family.sources(recipe)?;
            }
        }
        Ok(sources)
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: PipelineRecipe = recipe.typed()?;
        let [text, words, parsers] = recipe.plans()?;
        let annotation = recipe.annotation(&words, &parsers).unwrap_or_default();
        let (mut models, mut best) = (Vec::new(), None);
        for (role, plan) in &text {
            match plan.carry_out(role, &corpus, session)? {
                Fitted::Done(model, _) => models.push((*role, *model)),
                Fitted::Stopped => return Ok(Ended::STOPPED),
            }
        }
        let mut corpus = corpus;
        match annotation {
            Some(annotation) => {
                let Some(annotated) = annotation.supply(&corpus, session)? else { return Ok(Ended::STOPPED) };
                corpus = annotated.corpus;
                models.extend(words.iter().map(|(role, _)| *role).zip(annotated.models));
            }
            None => {
                for (role, plan) in &words {
                    match plan.carry_out(role, &corpus, session)? {
                        Fitted::Done(model, _) => models.push((*role, *model)),
                        Fitted::Stopped => return Ok(Ended::STOPPED),
                    }
                }
            }
        }
        for (role, plan) in &parsers {
            match plan.carry_out(role, &corpus, session)? {
                Fitted::Done(model, reached) => {
                    models.push((*role, *model));
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
