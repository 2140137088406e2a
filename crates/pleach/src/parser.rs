//! A model, opened and ready to parse.

use crate::engine::{Engine, EngineError, Workspace, drop_empty_nodes};
use crate::ensure::{self, Guarantees};
use crate::model::{Model, ModelError};
use crate::vote::vote;
use pleach_graph::{Graph, Sentence};
use rayon::prelude::*;
use std::path::Path;

/// Why a model can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ParserError {
    /// It can't be opened.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Its description makes no sense.
    #[error("{file}: not a usable Pleach model: {source}")]
    Engine {
        /// The model's file.
        file: String,
        /// What is wrong.
        source: EngineError,
    },
}

/// A parser: one model, or several that vote.
#[derive(Debug)]
pub struct Parser {
    model: Model,
    engines: Vec<Engine>,
    /// The beam's width, if not each model's own.
    pub beam: Option<usize>,
    /// What every parsed graph must have.
    pub guarantees: Guarantees,
    /// For ensembles: the share of votes that an arc needs more than.
    pub threshold: f64,
}

impl Parser {
    /// Opens a model file.
    pub fn open(path: &Path) -> Result<Self, ParserError> {
        Self::new(&path.display().to_string(), Model::open(path)?)
    }

    /// A parser of an open model; `name` is for error messages.
    pub fn new(name: &str, model: Model) -> Result<Self, ParserError> {
        let engines: Result<Vec<Engine>, EngineError> =
            model.components().iter().map(|component| Engine::new(&component.card)).collect();
        let engines = engines.map_err(|source| ParserError::Engine { file: name.to_owned(), source })?;
        let threshold = model.threshold().unwrap_or(0.5);
        Ok(Parser { model, engines, beam: None, guarantees: Guarantees::default(), threshold })
    }

    /// The model behind it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Parses one sentence in place: its graph is replaced by the parser's, and empty nodes are made anew.
    pub fn parse(&self, sentence: &mut Sentence, workspace: &mut Workspace) {
        drop_empty_nodes(sentence);
        sentence.graph = match self.engines.as_slice() {
            [engine] => self.graph(0, engine, sentence, workspace),
            engines => self.vote(engines, sentence, workspace),
        };
        if self.guarantees.any() && !sentence.is_empty() {
            let component = &self.model.components()[0];
            ensure::repair(
                &self.engines[0],
                self.model.table(component),
                sentence,
                self.guarantees,
                workspace,
            );
        }
        self.engines[0].transform.undo(sentence);
    }

    /// Parses sentences in parallel on the current rayon pool; the result doesn't depend on its size.
    pub fn parse_all(&self, sentences: &mut [Sentence]) {
        sentences.par_iter_mut().for_each_init(Workspace::default, |workspace, sentence| {
            self.parse(sentence, workspace);
        });
    }

    fn graph(&self, i: usize, engine: &Engine, sentence: &mut Sentence, workspace: &mut Workspace) -> Graph {
        let table = self.model.table(&self.model.components()[i]);
        engine.graph(table, sentence, self.beam.unwrap_or(engine.beam), workspace)
    }

    /// The votes are on the labels as learnt when all models learnt the same way; else every graph is put
    /// into the first model's terms first.
    fn vote(&self, engines: &[Engine], sentence: &mut Sentence, workspace: &mut Workspace) -> Graph {
        let common = engines[0].transform;
        let graphs: Vec<Graph> = engines
            .iter()
            .enumerate()
            .map(|(i, engine)| {
                let graph = self.graph(i, engine, sentence, workspace);
                if engine.transform == common {
                    return graph;
                }
                let mut other = sentence.clone();
                other.graph = graph;
                engine.transform.undo(&mut other);
                common.apply(&mut other);
                drop_empty_nodes_keeping_arcs(&mut other);
                other.graph
            })
            .collect();
        vote(&graphs, self.threshold)
    }
}

/// A model that keeps empty nodes apart can't vote on them: they are folded into labels.
fn drop_empty_nodes_keeping_arcs(sentence: &mut Sentence) {
    if sentence.has_empty_nodes() {
        pleach_graph::enhanced::collapse(sentence);
    }
}
