//! A model, opened and ready to parse.

use crate::engine::{
    GraphEngine, Heeds, Options, Searched, Tags, TextEngine, TreeEngine, Watched, WordEngine,
};
use crate::ensure::{self, Guarantees};
use crate::families::CATALOGUE;
use crate::given::Makes;
use crate::pieces::{graphs_in_pieces, trees_in_pieces};
use crate::train::{Catalogue, OpenError, Opened};
use crate::workspace::{Spares, Workspace};
use pleach_eval::graph::GraphScores;
use pleach_graph::enhanced::{drop_empty_nodes, thin_paths};
use pleach_graph::{Graph, NodeId, Sentence};
use pleach_model::recipe::{Recipe, RecipeError};
use pleach_model::{Kept, Model, ModelError, Scores, View, comparable};
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
    /// It was given text but has no tokenizer.
    #[error(
        "the model has no tokenizer: it parses sentences of words, not text; 'pleach train pipeline' makes a model that reads text"
    )]
    NoTokenizer,
}

/// What a caller may want of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ParseOptions {
    /// What is wanted otherwise than the model does.
    pub search: Options,
    /// What every parsed graph must have; when nothing is said, what the graphs keep that the model was trained on.
    pub guarantees: Option<Guarantees>,
    /// What happens to tags, features and lemmas, for models that can predict them.
    pub tags: Tags,
    /// Sentences of more words are parsed in pieces, if the model would take longer ones.
    pub longest: Option<usize>,
    /// What the input says and the model doesn't make (HEAD and DEPREL for a graph parser, DEPS for a tree parser, frames,
    /// predicates, brackets) stays, and a comment says so ([`KEPT`](crate::KEPT)); otherwise it is cleared.
    pub keep: bool,
}

/// The stages of a model that are ready to run; a single parser is a pipeline of one stage.
#[derive(Debug, Default)]
struct Stages {
    tokenizer: Option<Box<dyn TextEngine>>,
    /// Tags, features, lemmas: in this order.
    words: Vec<Box<dyn WordEngine>>,
    tree: Option<Box<dyn TreeEngine>>,
    graph: Option<Box<dyn GraphEngine>>,
}

impl Stages {
    fn add(&mut self, opened: Opened) {
        match opened {
            Opened::Text(engine) => self.tokenizer = Some(engine),
            Opened::Words(engine) => self.words.push(engine),
            Opened::Tree(engine) => self.tree = Some(engine),
            Opened::Graph(engine) => self.graph = Some(engine),
            Opened::Stages(stages) => stages.into_iter().for_each(|stage| self.add(stage)),
        }
    }
}

/// A parser: one model, several that vote, or a pipeline from text to graphs. Threads can share it; what a call wants
/// otherwise is said in [`ParseOptions`], else the parser's own `options` hold.
#[derive(Debug)]
pub struct Parser {
    model: Model,
    stages: Stages,
    catalogue: Catalogue,
    /// What the graphs keep that it was trained on, and what of that is asked of every graph.
    kept: (Kept, Guarantees),
    /// What holds for calls that don't say otherwise.
    pub options: ParseOptions,
    /// The memory of calls that don't bring their own.
    spares: Spares,
}

impl Parser {
    /// Opens a model file.
    pub fn open(path: &Path) -> Result<Self, ParserError> {
        Self::new(&path.display().to_string(), Model::open(path)?)
    }

    /// A parser of an open model; `name` is for error messages.
    pub fn new(name: &str, model: Model) -> Result<Self, ParserError> {
        Self::of(name, model, CATALOGUE)
    }

    /// The same with families and scorers of the caller's choice.
    pub fn of(name: &str, model: Model, catalogue: Catalogue) -> Result<Self, ParserError> {
        let opened = catalogue.open(&model.root());
        let opened = opened.map_err(|source| ParserError::Open { file: name.to_owned(), source })?;
        let mut stages = Stages::default();
        stages.add(opened);
        let kept = notes(&model.root());
        let (options, spares) = (ParseOptions::default(), Spares::default());
        Ok(Parser { model, stages, catalogue, kept, options, spares })
    }

    /// What every graph has when the caller doesn't say otherwise.
    pub fn guarantees(&self) -> Guarantees {
        self.kept.1
    }

    /// The same model with other values of recipe keys that only parsing depends on.
    pub fn with<'a>(
        self,
        changes: impl IntoIterator<Item = (&'a String, &'a toml::Value)>,
    ) -> Result<Self, ParserError> {
        let mut changes = changes.into_iter().peekable();
        // A large model takes a while to be opened again.
        if changes.peek().is_none() {
            return Ok(self);
        }
        let mut model = self.model;
        for (key, value) in changes {
            model.set(self.catalogue.shelf, key, value)?;
        }
        Ok(Parser { options: self.options, kept: self.kept, ..Self::of("model", model, self.catalogue)? })
    }

    /// The same model, parsing as a recipe that learns the same would.
    pub fn parsing_as(self, recipe: &Recipe) -> Result<Self, ParserError> {
        let mut model = self.model;
        model.parse_as(recipe);
        Ok(Parser { options: self.options, kept: self.kept, ..Self::of("model", model, self.catalogue)? })
    }

    /// The model behind it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether it gives graphs, and not only trees.
    pub fn gives_graphs(&self) -> bool {
        self.stages.graph.is_some()
    }

    /// Whether it gives trees, in HEAD and DEPREL.
    pub fn gives_trees(&self) -> bool {
        self.stages.tree.is_some() || self.stages.graph.as_ref().is_some_and(|graph| graph.writes_trees())
    }

    /// Whether it gives tags, features or lemmas.
    pub fn gives_words(&self) -> bool {
        !self.stages.words.is_empty() || self.stages.graph.as_ref().is_some_and(|graph| graph.writes_words())
    }

    /// Which options of a search change anything.
    pub fn heeds(&self) -> Heeds {
        let tree = self.stages.tree.as_ref().map_or(Heeds::default(), |tree| tree.heeds());
        self.stages.graph.as_ref().map_or(Heeds::default(), |graph| graph.heeds()).or(tree)
    }

    /// Whether it was trained without labels.
    pub fn unlabelled(&self) -> bool {
        self.stages.graph.as_ref().is_some_and(|graph| graph.unlabelled())
    }

    /// Whether it can read text.
    pub fn reads_text(&self) -> bool {
        self.stages.tokenizer.is_some()
    }

    /// How many sentences it likes to parse together.
    pub fn batch(&self) -> usize {
        let tree = self.stages.tree.as_ref().map_or(1, |tree| tree.batch());
        self.stages.graph.as_ref().map_or(1, |graph| graph.batch()).max(tree).max(1)
    }

    /// Sentences of more words than this are parsed in pieces, without arcs between them.
    pub fn longest(&self, options: &ParseOptions) -> usize {
        let graph = self.stages.graph.as_ref().map_or(usize::MAX, |graph| graph.longest());
        let tree = self.stages.tree.as_ref().map_or(usize::MAX, |tree| tree.longest());
        options.longest.unwrap_or(usize::MAX).min(graph).min(tree).max(1)
    }

    /// Cuts a text into sentences of words, which are not parsed yet. With a start (the characters before the text), MISC
    /// says where every token stands.
    pub fn sentences(
        &self,
        text: &str,
        start: Option<usize>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Sentence>, ParserError> {
        let tokenizer = self.stages.tokenizer.as_ref().ok_or(ParserError::NoTokenizer)?;
        Ok(tokenizer.sentences(text, start, workspace))
    }

    /// From a text to parsed sentences.
    ///
    /// # Errors
    /// When the model has no tokenizer.
    pub fn parse_str(&self, text: &str) -> Result<Vec<Sentence>, ParserError> {
        self.parse_text(text, None, &mut Workspace::default())
    }

    /// From text to parsed sentences, in memory that is used again. With a start (the characters before the text), MISC
    /// says where every token stands.
    pub fn parse_text(
        &self,
        text: &str,
        start: Option<usize>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Sentence>, ParserError> {
        let mut sentences = self.sentences(text, start, workspace)?;
        for sentences in sentences.chunks_mut(self.batch()) {
            self.parse_batch(sentences, &self.options, workspace);
        }
        Ok(sentences)
    }

    /// Parses one sentence in place, with all stages that the model has. A graph parser replaces the graph and makes
    /// empty nodes anew; a tree parser replaces the basic tree. What the model doesn't make is cleared, see
    /// [`ParseOptions::keep`].
    pub fn parse(&self, sentence: &mut Sentence, workspace: &mut Workspace) {
        self.parse_batch(std::slice::from_mut(sentence), &self.options, workspace);
    }

    /// The same with options of this call.
    pub fn parse_with(&self, sentence: &mut Sentence, options: &ParseOptions, workspace: &mut Workspace) {
        self.parse_batch(std::slice::from_mut(sentence), options, workspace);
    }

    /// Parses sentences together; what comes out does not depend on which ones are together.
    pub fn parse_batch(&self, sentences: &mut [Sentence], options: &ParseOptions, workspace: &mut Workspace) {
        let makes = Makes { trees: self.gives_trees(), graphs: self.gives_graphs() };
        sentences.iter_mut().for_each(|sentence| makes.settle(sentence, options.keep));
        for words in &self.stages.words {
            for sentence in sentences.iter_mut() {
                let wanted = match options.tags {
                    Tags::Auto => !words.given(sentence),
                    Tags::Given => false,
                    Tags::Predicted => true,
                };
                if wanted {
                    words.annotate(sentence, workspace);
                }
            }
        }
        if let Some(engine) = &self.stages.tree {
            let longest = engine.longest().min(options.longest.unwrap_or(usize::MAX));
            parse_trees(&**engine, sentences, (&options.search, longest), workspace);
        }
        if let Some(engine) = &self.stages.graph {
            let longest = engine.longest().min(options.longest.unwrap_or(usize::MAX));
            let search = Options { tags: options.tags, ..options.search };
            sentences.iter_mut().for_each(drop_empty_nodes);
            let graphs = graphs_in_pieces(sentences, &[], longest, |sentences, _| {
                engine.graphs(sentences, &search, workspace)
            });
            let wanted = options.guarantees.unwrap_or(self.kept.1);
            for (sentence, graph) in sentences.iter_mut().zip(graphs) {
                sentence.graph = graph;
                self.mend(sentence, &**engine, (wanted, longest), workspace);
                engine.transform().undo(sentence);
            }
        }
    }

    /// Makes a parsed graph keep what is wanted.
    fn mend(
        &self,
        sentence: &mut Sentence,
        engine: &dyn GraphEngine,
        (wanted, longest): (Guarantees, usize),
        workspace: &mut Workspace,
    ) {
        if wanted.any() && ensure::lacks(&sentence.graph, wanted) {
            let mut scores = match sentence.len() > longest {
                true => Box::new(ensure::Nearness),
                false => engine.arc_scores(sentence, workspace),
            };
            ensure::repair(&mut sentence.graph, wanted, scores.as_mut());
        }
        // From here on only labels change.
        if wanted.nodes {
            thin_paths(&mut sentence.graph, self.kept.0.least_dependents);
        }
        if wanted.labels && !self.unlabelled() {
            ensure::mend_labels(sentence, &self.kept.0, engine.transform());
        }
    }

    /// How many words of letters the model has seen in training, about, and how many there are: few in texts of another
    /// language. `None` when the model can't tell.
    pub fn known(&self, sentences: &[Sentence]) -> Option<(usize, usize)> {
        let known = |sentence: &Sentence| {
            let words = self.stages.words.iter().find_map(|engine| engine.known(sentence));
            words.or_else(|| self.stages.graph.as_ref()?.known(sentence))
        };
        known(&Sentence::default())?;
        let counts = sentences.iter().filter_map(known);
        Some(counts.fold((0, 0), |sum, (known, all)| (sum.0 + known, sum.1 + all)))
    }

    /// How the graph of a sentence that was parsed before is found, in words; `None` when the model has nothing to tell.
    pub fn explain(&self, sentence: &Sentence, workspace: &mut Workspace) -> Option<String> {
        let graph = self.stages.graph.as_ref()?;
        let mut sentence = sentence.clone();
        drop_empty_nodes(&mut sentence);
        graph.explain(&sentence, &self.options.search, workspace)
    }

    /// How the graph of a tagged sentence comes about, step by step, with the scores of what is legal; `None` when the
    /// model has no steps. The graph is the one that the model learnt: transforms are not undone.
    pub fn watch(
        &self,
        sentence: &Sentence,
        options: &ParseOptions,
        workspace: &mut Workspace,
    ) -> Option<Watched> {
        let graph = self.stages.graph.as_ref()?;
        let mut sentence = sentence.clone();
        drop_empty_nodes(&mut sentence);
        graph.watch(&sentence, &options.search, workspace)
    }

    /// What the search for the graph of a sentence is like, whose gold graph it has; `None` when the model has nothing to
    /// tell.
    pub fn searched(&self, sentence: &Sentence, workspace: &mut Workspace) -> Option<Searched> {
        let graph = self.stages.graph.as_ref()?;
        let mut sentence = sentence.clone();
        graph.transform().apply(&mut sentence);
        drop_empty_nodes(&mut sentence);
        graph.searched(&sentence, &self.options.search, workspace)
    }

    /// Parses sentences in parallel on the current rayon pool; the result doesn't depend on its size.
    pub fn parse_all(&self, sentences: &mut [Sentence]) {
        let batch = self.batch();
        if batch <= 1 {
            sentences.par_iter_mut().for_each_init(
                || self.spares.lend(),
                |workspace, sentence| {
                    self.parse(sentence, workspace);
                },
            );
            return;
        }
        // Sentences of about the same length go together: the longest one says how many steps a batch takes. The longest
        // batch goes first: the others find memory enough, and no thread is left alone with it at the end.
        let mut order: Vec<&mut Sentence> = sentences.iter_mut().collect();
        order.sort_by_key(|sentence| std::cmp::Reverse(sentence.len()));
        order.par_chunks_mut(batch).for_each_init(
            || self.spares.lend(),
            |workspace, places| {
                let mut together: Vec<Sentence> =
                    places.iter_mut().map(|place| std::mem::take(*place)).collect();
                self.parse_batch(&mut together, &self.options, workspace);
                for (place, parsed) in places.iter_mut().zip(together) {
                    **place = parsed;
                }
            },
        );
    }

    /// The scores of what it parsed: of its graphs, or of its trees when it gives no graphs.
    pub fn scores(&self, gold: &[Sentence], parsed: &[Sentence]) -> Scores {
        if !self.gives_graphs() {
            return Scores::of_trees(gold.iter().zip(parsed));
        }
        let mut counts = GraphScores::new();
        for (gold, parsed) in gold.iter().zip(parsed) {
            let graph = |sentence: &Sentence| -> Graph { comparable(sentence.clone(), self.unlabelled()) };
            counts.add(&graph(gold), &graph(parsed));
        }
        Scores::of_graphs(&counts)
    }
}

/// What the graphs keep that a model was trained on. Of several models, what all of them say; how empty nodes and labels
/// are is what the first one says.
fn notes(view: &View) -> (Kept, Guarantees) {
    fn collect(view: &View, found: &mut Vec<Kept>) {
        found.extend(view.provenance().and_then(|from| from.kept.clone()));
        view.children().for_each(|child| collect(&child, found));
    }
    // Of a pipeline only the stage that makes graphs counts: the others may come from other treebanks.
    let view = view.role_child("graph").unwrap_or_else(|| view.clone());
    let mut found = Vec::new();
    collect(&view, &mut found);
    let guarantees = found.iter().map(Guarantees::from).reduce(Guarantees::and).unwrap_or_default();
    (found.into_iter().next().unwrap_or_default(), guarantees)
}

/// Writes the trees of sentences. The deep graph is not a tree parser's business: empty nodes keep their places in it.
fn parse_trees(
    engine: &dyn TreeEngine,
    sentences: &mut [Sentence],
    (options, longest): (&Options, usize),
    workspace: &mut Workspace,
) {
    let without: Vec<Option<Sentence>> = sentences
        .iter()
        .map(|sentence| {
            sentence.has_empty_nodes().then(|| {
                let mut words = sentence.clone();
                drop_empty_nodes(&mut words);
                words
            })
        })
        .collect();
    let inputs: Vec<&Sentence> =
        sentences.iter().zip(&without).map(|(whole, words)| words.as_ref().unwrap_or(whole)).collect();
    let trees = trees_in_pieces(&inputs, longest, |sentences| engine.trees(sentences, options, workspace));
    for ((sentence, words), tree) in sentences.iter_mut().zip(without).zip(trees) {
        match words {
            None => tree.write(sentence),
            Some(mut words) => {
                tree.write(&mut words);
                copy_tree(&words, sentence);
            }
        }
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
        here.head = token.head.map(|head| NodeId(places[head.index()]));
        here.deprel = token.deprel.clone();
    }
}
