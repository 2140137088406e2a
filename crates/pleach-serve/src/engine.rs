//! The one place where the service touches parsers: opening models, and parsing sentences as a request wants it.

use crate::error::ApiError;
use pleach::decode::tree::{Arcs, Root, SpanningTree};
use pleach::engine::Watched;
use pleach::ensure::Guarantees;
use pleach::families::merging::{Forester, MergingRecipe, TaggedTree};
use pleach::{Options, ParseOptions, Parser, Tags, Workspace, models};
use pleach_graph::{Graph, NodeId, Sentence, Text};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The widest beam that a request may ask for.
pub const WIDEST_BEAM: usize = 64;

/// The search for a tree needs memory for all pairs of words; longer sentences get none.
const LONGEST_TREE: usize = 2000;

/// What a request wants otherwise than the model does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ask {
    /// The beam's width.
    pub beam: Option<usize>,
    /// What every graph must have, if it is not the model that says so.
    pub guarantees: Option<Guarantees>,
    /// What happens to tags that are there.
    pub tags: Tags,
    /// Whether annotation stays that the model doesn't make.
    pub keep: bool,
    /// Whether only tags, features and lemmas are wanted: trees and graphs stay as they came, even with a model that
    /// makes everything at once.
    pub words_only: bool,
}

/// The memory of a parsing thread: a workspace for every model.
#[derive(Default)]
pub struct Scratch {
    workspaces: Vec<Workspace>,
}

impl Scratch {
    fn of(&mut self, model: &Model) -> &mut Workspace {
        if self.workspaces.len() <= model.number {
            self.workspaces.resize_with(model.number + 1, Workspace::default);
        }
        &mut self.workspaces[model.number]
    }
}

/// Takes over what a parsed sentence says of its words, and nothing else.
fn take_words(sentence: &mut Sentence, parsed: Sentence) {
    let words = sentence.tokens.iter_mut().filter(|token| !token.id.is_empty_node());
    for (word, parsed) in words.zip(parsed.tokens.into_iter().filter(|token| !token.id.is_empty_node())) {
        (word.lemma, word.upos) = (parsed.lemma, parsed.upos);
        (word.xpos, word.feats) = (parsed.xpos, parsed.feats);
    }
}

/// A model that requests can name.
pub struct Model {
    /// Its name.
    pub name: String,
    /// Its place among the models, for the memory of threads.
    number: usize,
    /// The size of its file, in bytes.
    pub size: usize,
    parser: Parser,
}

impl Model {
    /// Opens a model by path or by the name of an installed or built-in one.
    pub fn open(name: &str, path: Option<&Path>, number: usize) -> Result<Model, models::FindError> {
        let parser = models::open(path)?;
        Ok(Model { name: name.to_owned(), number, size: parser.model().size(), parser })
    }

    /// Whether it can read text.
    pub fn reads_text(&self) -> bool {
        self.parser.reads_text()
    }

    /// Whether it gives deep graphs.
    pub fn gives_graphs(&self) -> bool {
        self.parser.gives_graphs()
    }

    /// How many sentences it likes to parse together.
    pub fn batch(&self) -> usize {
        self.parser.batch()
    }

    /// Whether it gives tags, features or lemmas.
    pub fn gives_words(&self) -> bool {
        self.parser.gives_words()
    }

    /// The families of its stages, for people: `tokenizer`, `tagger`, `transition` ….
    pub fn stages(&self) -> Vec<String> {
        let root = self.parser.model().root();
        let stages: Vec<String> = root.children().map(|stage| stage.family().to_owned()).collect();
        if stages.is_empty() { vec![root.family().to_owned()] } else { stages }
    }

    /// The transition system that it parses with, if it is a transition parser: `s2s-combined`.
    pub fn transition_system(&self) -> Option<String> {
        let root = self.parser.model().root();
        let mut sections = vec![root.clone()];
        sections.extend(root.children());
        let section = sections.into_iter().find(|section| section.family() == "transition")?;
        let recipe = section.card().get("recipe")?;
        let kind = recipe.get("system")?.as_str()?;
        let how = if recipe.get("combined")?.as_bool()? { "combined" } else { "standard" };
        let reversed = recipe.get("reversed").and_then(|value| value.as_bool()).unwrap_or(false);
        Some(format!("{kind}-{how}{}", if reversed { "-rev" } else { "" }))
    }

    /// Refuses what the model can't heed: an answer would pass for something that it isn't.
    pub fn check(&self, ask: &Ask) -> Result<(), ApiError> {
        let name = &self.name;
        if ask.beam.is_some() && !self.parser.heeds().beam {
            let message = format!("the search of '{name}' has no beam; leave the key out");
            return Err(ApiError::bad_request("no_beam", message));
        }
        if ask.tags == Tags::Predicted && !self.parser.gives_words() {
            let message = format!("'{name}' has no tags, features or lemmas of its own; leave 'tags' out");
            return Err(ApiError::bad_request("no_tags", message));
        }
        Ok(())
    }

    /// Cuts a text into sentences; none for a model without a tokenizer.
    pub fn cut(&self, text: &str, start: Option<usize>, scratch: &mut Scratch) -> Vec<Sentence> {
        self.parser.sentences(text, start, scratch.of(self)).unwrap_or_default()
    }

    /// Parses sentences together; each comes out as it would alone.
    pub fn parse(&self, ask: &Ask, sentences: &mut [Sentence], scratch: &mut Scratch) {
        let options = ParseOptions {
            search: Options { beam: ask.beam, ..Options::default() },
            guarantees: ask.guarantees,
            tags: ask.tags,
            longest: None,
            keep: ask.keep,
        };
        let given = if ask.words_only { sentences.to_vec() } else { Vec::new() };
        self.parser.parse_batch(sentences, &options, scratch.of(self));
        for (sentence, given) in sentences.iter_mut().zip(given) {
            let parsed = std::mem::replace(sentence, given);
            take_words(sentence, parsed);
        }
    }

    /// Parses a sentence and tells how its graph comes about, if the model goes step by step.
    pub fn watch(&self, sentence: &Sentence, scratch: &mut Scratch) -> Option<Watched> {
        let mut tagged = sentence.clone();
        self.parse(&Ask::default(), std::slice::from_mut(&mut tagged), scratch);
        self.parser.watch(&tagged, &ParseOptions::default(), scratch.of(self))
    }

    /// How the graph of a parsed sentence was found, if the model has something to tell.
    pub fn explain(&self, sentence: &Sentence, scratch: &mut Scratch) -> Option<String> {
        self.parser.explain(sentence, scratch.of(self))
    }
}

/// The models of the service, the default one first.
pub struct Models(Vec<Arc<Model>>);

impl Models {
    /// Models by name; the built-in one when there are none.
    pub fn open(named: &[(String, PathBuf)]) -> Result<Models, models::FindError> {
        if named.is_empty() {
            let builtin = models::builtin().first().ok_or(models::FindError::None)?;
            return Ok(Models(vec![Arc::new(Model::open(builtin.name, None, 0)?)]));
        }
        let open = |(number, (name, path)): (usize, &(String, PathBuf))| {
            Model::open(name, Some(path), number).map(Arc::new)
        };
        Ok(Models(named.iter().enumerate().map(open).collect::<Result<_, _>>()?))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Model>> {
        self.0.iter()
    }

    /// The model of a name; the first one for none.
    pub fn find(&self, name: Option<&str>) -> Result<&Arc<Model>, ApiError> {
        let found = match name {
            None | Some("") => self.0.first(),
            Some(name) => self.0.iter().find(|model| model.name == name),
        };
        found.ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|model| model.name.as_str()).collect();
            let name = name.unwrap_or_default().chars().take(80).collect::<String>();
            ApiError::not_found("unknown_model", format!("no model '{name}'; there are {}", known.join(", ")))
        })
    }
}

/// The parts of a graph without empty nodes that three trees hold; `None` when it is too long.
pub fn three_trees(graph: &Graph) -> Option<Vec<Graph>> {
    let recipe = MergingRecipe::default();
    let mut forester = Forester::new(recipe.marks(), recipe.plan());
    Some(forester.trees(graph)?.iter().map(TaggedTree::subgraph).collect())
}

/// Writes a basic tree into a sentence whose model gave a deep graph only, for clients that look at nothing else: the
/// spanning tree that keeps as many arcs of the graph as it can, and of two arcs to a word the one that basic
/// dependencies are more likely to have.
pub fn take_tree(sentence: &mut Sentence) {
    let words = sentence.tokens.iter().filter(|token| !token.id.is_empty_node()).count();
    if words == 0 || words > LONGEST_TREE || sentence.tokens.iter().any(|token| token.head.is_some()) {
        return;
    }
    // Empty nodes have no place in a tree: arcs through them become one.
    let mut words = sentence.clone();
    pleach_graph::enhanced::collapse(&mut words);
    let heads = tree_heads(&words.graph);
    let places: Vec<u32> = std::iter::once(0)
        .chain(
            (1u32..)
                .zip(&sentence.tokens)
                .filter(|(_, token)| !token.id.is_empty_node())
                .map(|(place, _)| place),
        )
        .collect();
    for (word, (head, label)) in heads.into_iter().enumerate() {
        let token = &mut sentence.tokens[places[word + 1] as usize - 1];
        token.head = Some(NodeId(places[head as usize]));
        token.deprel = label;
    }
}

/// For every word of a graph without empty nodes its head in the tree and the relation.
fn tree_heads(graph: &Graph) -> Vec<(u32, Text)> {
    let n = graph.len() + 1;
    let mut worth = Arcs::new(n, -1000.0);
    for dependent in 1..n {
        for head in 0..n {
            // Words that nothing leads to hang on a neighbour, and the root only takes what no word does.
            let far = head.abs_diff(dependent) as f64 / n as f64;
            worth.set(head, dependent, -1000.0 - far - if head == 0 { 1.0 } else { 0.0 });
        }
    }
    for arc in graph.arcs() {
        let preference = match arc.label.as_str() {
            label if label.contains('>') => 1.0,
            label if label.ends_with(":xsubj") || label == "ref" => 2.0,
            label if label.starts_with("conj") || label.starts_with("acl:relcl") => 6.0,
            _ => 4.0,
        };
        let near = 1.0 - f64::from(arc.length()) / n as f64;
        worth.set(arc.head.index(), arc.dependent.index(), preference + near);
    }
    let mut heads = vec![0; n];
    SpanningTree::default().decode(&worth, Root::Single, &mut heads);
    let label = |dependent: usize, head: u32| -> Text {
        let mut arcs = graph.incoming(NodeId(dependent as u32)).iter();
        match arcs.find(|arc| arc.head.0 == head) {
            Some(arc) => arc.label.rsplit('>').next().unwrap_or_default().into(),
            None => Text::from(if head == 0 { "root" } else { "dep" }),
        }
    };
    (1..n).map(|dependent| (heads[dependent], label(dependent, heads[dependent]))).collect()
}
