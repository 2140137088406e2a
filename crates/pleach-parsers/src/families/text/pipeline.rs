//! Pipelines: the stages from text to graphs in one model.
//!
//! A pipeline is a section without weights whose children are its stages. Every stage is a model of its own kind, so it
//! can be trained alone, taken out and replaced.

use super::jackknife::Annotation;
use crate::families::joint;
use crate::train::{Catalogue, Corpus, Ended, Family, Fitted, OpenError, Opened, Session, TrainError};
use pleach_model::recipe::{Gives, Keys, Recipe, RecipeError, Shelf, StageKey};
use pleach_model::{Model, Section, View};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The family's name, and that of the preset with a joint parser behind the tokenizer.
pub const PIPELINE: &str = "pipeline";

/// The preset with a linear stage for everything.
const LINEAR: &str = "pipeline-linear";

/// The stages. A table that names no preset means the one that stands here.
static STAGES: [StageKey; 6] = [
    StageKey { name: "tokenizer", preset: "tokenizer", gives: Gives::Sentences },
    StageKey { name: "tagger", preset: "tagger", gives: Gives::Words },
    StageKey { name: "morphology", preset: "morphology", gives: Gives::Words },
    StageKey { name: "lemmatizer", preset: "lemmatizer", gives: Gives::Words },
    StageKey { name: "tree", preset: "arc-eager-greedy", gives: Gives::Trees },
    StageKey { name: "graph", preset: "s2s-combined", gives: Gives::Graphs },
];

/// All keys. A stage's table is a recipe, or `model = "file"` for a stage that is trained already; an empty table leaves
/// the stage out.
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
        let graph = [("preset".to_owned(), toml::Value::from("joint"))];
        PipelineRecipe {
            preset: PIPELINE.into(),
            tagger: toml::Table::new(),
            morphology: toml::Table::new(),
            lemmatizer: toml::Table::new(),
            tree: toml::Table::new(),
            graph: graph.into_iter().collect(),
            ..PipelineRecipe::of_stages()
        }
    }
}

impl PipelineRecipe {
    /// A linear stage for everything, one after the other.
    fn of_stages() -> Self {
        let stage = |name: &str| {
            let stage = STAGES.iter().find(|stage| stage.name == name);
            let preset = |stage: &StageKey| ("preset".to_owned(), toml::Value::from(stage.preset));
            stage.map(preset).into_iter().collect::<toml::Table>()
        };
        PipelineRecipe {
            preset: LINEAR.into(),
            folds: 5,
            tokenizer: stage("tokenizer"),
            tagger: stage("tagger"),
            morphology: stage("morphology"),
            lemmatizer: stage("lemmatizer"),
            tree: stage("tree"),
            graph: stage("graph"),
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
    fn new(name: &str, table: &toml::Table, shelf: Shelf) -> Result<Self, RecipeError> {
        match table.get("model").and_then(toml::Value::as_str) {
            Some(file) if table.len() == 1 => Ok(Plan::Take(file.into())),
            _ => Ok(Plan::Train(shelf.complete(name, table.clone())?)),
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
    fn plans(&self, shelf: Shelf) -> Result<[Plans; 3], RecipeError> {
        let plans = |stages: &[(&'static str, &toml::Table)]| -> Result<Plans, RecipeError> {
            let given = stages.iter().filter(|(_, table)| !table.is_empty());
            given.map(|&(name, table)| Ok((name, Plan::new(name, table, shelf)?))).collect()
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

/// Whether a parser needs no stages before it.
fn writes_words(recipe: &Recipe) -> bool {
    recipe.family() == joint::NAME
}

/// The family.
#[derive(Debug)]
pub struct PipelineFamily;

impl Keys for PipelineFamily {
    fn name(&self) -> &'static str {
        PIPELINE
    }

    fn gives(&self, _: &toml::Table) -> Gives {
        Gives::Everything
    }

    fn stages(&self) -> &'static [StageKey] {
        &STAGES
    }

    fn presets(&self) -> Vec<String> {
        vec![PIPELINE.to_owned(), LINEAR.to_owned()]
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        let recipe = if name == LINEAR { PipelineRecipe::of_stages() } else { PipelineRecipe::default() };
        toml::Table::try_from(recipe).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let shelf = recipe.shelf();
        let recipe: PipelineRecipe = recipe.typed().map_err(|error| error.to_string())?;
        let [text, words, parsers] = recipe.plans(shelf).map_err(|error| error.to_string())?;
        // Text has no tags: a parser that looks at them needs a stage that writes them, or writes them itself.
        let tagged =
            !words.is_empty() || parsers.iter().all(|(_, plan)| plan.recipe().is_none_or(writes_words));
        if !text.is_empty() && !tagged {
            return Err(format!(
                "no stage gives the parser tags: add [tagger], or take the preset '{LINEAR}'"
            ));
        }
        recipe.annotation(&words, &parsers).map(|_| ())
    }
}

impl Family for PipelineFamily {
    fn sources(&self, recipe: &Recipe, catalogue: Catalogue) -> Result<String, TrainError> {
        let mut sources = String::new();
        for (_, plan) in recipe.typed::<PipelineRecipe>()?.plans(recipe.shelf())?.iter().flatten() {
            if let Some(recipe) = plan.recipe()
                && let Some(family) = catalogue.family(recipe.family())
            {
                sources += &family.sources(recipe, catalogue)?;
            }
        }
        Ok(sources)
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let shelf = recipe.shelf();
        let recipe: PipelineRecipe = recipe.typed()?;
        let [text, words, parsers] = recipe.plans(shelf)?;
        // Treebanks of graphs only have no trees to learn.
        let trees =
            corpus.train.iter().any(|sentence| sentence.tokens.iter().any(|token| token.head.is_some()));
        let parsers: Plans = parsers
            .into_iter()
            .filter(|(role, plan)| *role != "tree" || trees || plan.recipe().is_none())
            .collect();
        let annotation = recipe.annotation(&words, &parsers).unwrap_or_default();
        let rounds = annotation.as_ref().map_or(1, |annotation| 1 + annotation.rounds(&corpus));
        session.expect(text.len() + words.len() * rounds + parsers.len());
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
        let models: Vec<(&str, View)> = models.iter().map(|(role, model)| (*role, model.root())).collect();
        let stages = models.iter().map(|(role, view)| view.section().with_role(role)).collect();
        session.write(&Section::group(PIPELINE, json!({}), stages))?;
        Ok(Ended { best, stopped: false })
    }

    fn open(&self, view: &View, catalogue: Catalogue) -> Result<Opened, OpenError> {
        let mut stages = Vec::new();
        for child in view.children() {
            match catalogue.open(&child)? {
                Opened::Stages(_) => {
                    return Err(OpenError::Inconsistent("a pipeline inside of a pipeline".into()));
                }
                stage => stages.push(stage),
            }
        }
        Ok(Opened::Stages(stages))
    }

    fn summary(&self, _: &Value) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
