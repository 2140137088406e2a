//! A model, opened and ready to parse.

use crate::ensure::{self, Guarantees};
use crate::family::text::Pipeline;
use crate::family::{self, OpenError, Options};
use crate::model::{Model, ModelError};
use crate::recipe::{Recipe, RecipeError};
use crate::relaxed::Searched;
use crate::workspace::Workspace;
use pleach_graph::{Graph, Sentence};
use rayon::prelude::*;
use std::path::Path;

/// Why a model can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ParserError {
    /// It can't be opened.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// It can't be told to parse otherwise.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// Its description makes no sense.
    #[error("{file}: not a usable Pleach model: {source}")]
    Open {
        /// The model's file.
        file: String,
        /// What is wrong.
        source: OpenError,
    },
}

/// What to do with tags, features and lemmas that a sentence has already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tags {
    /// They stay; what is missing is predicted if the model can.
    #[default]
    Auto,
    /// They stay, and what is missing stays so.
    Given,
    /// The model's own take their place.
    Predicted,
}

/// A parser: one model, several that vote, or a pipeline from text to graphs.
#[derive(Debug)]
pub struct Parser {
    model: Model,
    stages: Pipeline,
    /// What is wanted otherwise than the model does.
    pub options: Options,
    /// What every parsed graph must have.
    pub guarantees: Guarantees,
    /// What happens to tags, features and lemmas, for models that can predict them.
    pub tags: Tags,
}

impl Parser {
    /// Opens a model file.
    pub fn open(path: &Path) -> Result<Self, ParserError> {
        Self::new(&path.display().to_string(), Model::open(path)?)
    }

    /// The same model with other values of recipe keys that only parsing depends on.
    pub fn with<'a>(
        self,
        changes: impl IntoIterator<Item = (&'a String, &'a toml::Value)>,
    ) -> Result<Self, ParserError> {
        let Parser { mut model, options, guarantees, tags, .. } = self;
        for (key, value) in changes {
            model.set(key, value)?;
        }
        Ok(Parser { options, guarantees, tags, ..Self::new("model", model)? })
    }

    /// A parser of an open model; `name` is for error messages.
    pub fn new(name: &str, model: Model) -> Result<Self, ParserError> {
        let engine = family::open(model.root());
        let engine = engine.map_err(|source| ParserError::Open { file: name.to_owned(), source })?;
        Ok(Parser {
            model,
            stages: Pipeline::of(engine),
            options: Options::default(),
            guarantees: Guarantees::default(),
            tags: Tags::default(),
        })
    }

    /// The same model, parsing as a recipe that learns the same would.
    pub fn parsing_as(self, recipe: &Recipe) -> Result<Self, ParserError> {
        let Parser { mut model, options, guarantees, tags, .. } = self;
        model.parse_as(recipe);
        Ok(Parser { options, guarantees, tags, ..Self::new("model", model)? })
    }

    /// The model behind it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether it gives graphs, and not only trees.
    pub fn gives_graphs(&self) -> bool {
        self.stages.graph.is_some()
    }

    /// Whether it was trained without labels.
    pub fn unlabelled(&self) -> bool {
        self.stages.graph.as_ref().is_some_and(|graph| graph.engine.unlabelled())
    }

    /// Whether it can read text.
    pub fn reads_text(&self) -> bool {
        self.stages.tokenizer.is_some()
    }

    /// Cuts a text into sentences of words, which are not parsed yet; none when the model has no tokenizer. With a start
    /// (the characters before the text), MISC says where every token stands.
    pub fn sentences(&self, text: &str, start: Option<usize>, workspace: &mut Workspace) -> Vec<Sentence> {
        let Some(tokenizer) = &self.stages.tokenizer else { return Vec::new() };
        tokenizer.engine.sentences(tokenizer.view(self.model.root()), text, start, workspace)
    }

    /// From text to parsed sentences.
    pub fn parse_text(&self, text: &str, start: Option<usize>, workspace: &mut Workspace) -> Vec<Sentence> {
        let mut sentences = self.sentences(text, start, workspace);
        sentences.iter_mut().for_each(|sentence| self.parse(sentence, workspace));
        sentences
    }

    /// Parses one sentence in place, with all stages that the model has. A graph parser replaces the graph and makes
    /// empty nodes anew; a tree parser replaces the basic tree.
    pub fn parse(&self, sentence: &mut Sentence, workspace: &mut Workspace) {
        let root = self.model.root();
        for words in &self.stages.words {
            let wanted = match self.tags {
                Tags::Auto => !words.engine.given(sentence),
                Tags::Given => false,
                Tags::Predicted => true,
            };
            if wanted {
                words.engine.annotate(words.view(root), sentence, workspace);
            }
        }
        if let Some(tree) = &self.stages.tree {
            let (view, engine) = (tree.view(root), &tree.engine);
            // The deep graph is not a tree parser's business: empty nodes keep their places in it.
            if sentence.has_empty_nodes() {
                let mut words = sentence.clone();
                drop_empty_nodes(&mut words);
                engine.tree(view, &words, &self.options, workspace).write(&mut words);
                copy_tree(&words, sentence);
            } else {
                engine.tree(view, sentence, &self.options, workspace).write(sentence);
            }
        }
        if let Some(graph) = &self.stages.graph {
            let (view, engine) = (graph.view(root), &graph.engine);
            drop_empty_nodes(sentence);
            sentence.graph = engine.graph(view, sentence, &self.options, workspace);
            if self.guarantees.any() && ensure::lacks(&sentence.graph, self.guarantees) {
                let mut scores = engine.arc_scores(view, sentence, workspace);
                ensure::repair(&mut sentence.graph, self.guarantees, scores.as_mut());
            }
            engine.transform().undo(sentence);
        }
    }

    /// How the graph of a sentence that was parsed before is found, in words; `None` when the model has nothing to tell.
    pub fn explain(&self, sentence: &Sentence, workspace: &mut Workspace) -> Option<String> {
        let graph = self.stages.graph.as_ref()?;
        let mut sentence = sentence.clone();
        drop_empty_nodes(&mut sentence);
        graph.engine.explain(graph.view(self.model.root()), &sentence, &self.options, workspace)
    }

    /// What the search for the graph of a sentence is like, whose gold graph it has; `None` when the model has nothing to
    /// tell.
    pub fn searched(&self, sentence: &Sentence, workspace: &mut Workspace) -> Option<Searched> {
        let graph = self.stages.graph.as_ref()?;
        let mut sentence = sentence.clone();
        graph.engine.transform().apply(&mut sentence);
        drop_empty_nodes(&mut sentence);
        graph.engine.searched(graph.view(self.model.root()), &sentence, &self.options, workspace)
    }

    /// Parses sentences in parallel on the current rayon pool; the result doesn't depend on its size.
    pub fn parse_all(&self, sentences: &mut [Sentence]) {
        sentences.par_iter_mut().for_each_init(Workspace::default, |workspace, sentence| {
            self.parse(sentence, workspace);
        });
    }
}

/// Copies the basic tree over words into a sentence that has empty nodes too.
fn copy_tree(words: &Sentence, sentence: &mut Sentence) {
    let mut places = vec![0];
    for (i, token) in sentence.tokens.iter().enumerate() {
        if !token.id.is_empty_node() {
            places.push(i as u32 + 1);
        }
    }
    for (i, token) in words.tokens.iter().enumerate() {
        let here = &mut sentence.tokens[places[i + 1] as usize - 1];
        here.head = token.head.map(|head| pleach_graph::NodeId(places[head.index()]));
        here.deprel = token.deprel.clone();
    }
}

/// Takes empty nodes out of a sentence that is to be parsed; heads in the basic tree follow.
pub fn drop_empty_nodes(sentence: &mut Sentence) {
    if sentence.has_empty_nodes() {
        sentence.graph = Graph::new(sentence.len());
        pleach_graph::enhanced::collapse(sentence);
    }
}
