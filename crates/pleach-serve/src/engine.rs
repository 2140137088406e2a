//! The one place where the service touches parsers: opening models, and parsing sentences as a request wants it.

use crate::error::ApiError;
use pleach::decode::tree::{Arcs, Root, SpanningTree};
use pleach::ensure::Guarantees;
use pleach::family::Options;
use pleach::{Parser, Tags, Workspace, models};
use pleach_graph::{Graph, NodeId, Sentence, Text};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// How many ways of using one model are kept ready.
const VARIANTS: usize = 16;

/// The widest beam that a request may ask for.
pub const WIDEST_BEAM: usize = 64;

/// The search for a tree needs memory for all pairs of words; longer sentences get none.
const LONGEST_TREE: usize = 2000;

/// What a request wants otherwise than the model does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ask {
    /// The beam's width.
    pub beam: Option<usize>,
    /// What every graph must have.
    pub guarantees: Guarantees,
    /// What happens to tags that are there.
    pub tags: Tags,
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

/// A model that requests can name.
pub struct Model {
    /// Its name.
    pub name: String,
    /// Its place among the models, for the memory of threads.
    number: usize,
    /// The size of its file, in bytes.
    pub size: usize,
    path: Option<PathBuf>,
    /// What the file was like when it was opened.
    seen: Option<(u64, std::time::SystemTime)>,
    own: Arc<Parser>,
    variants: Mutex<VecDeque<(Ask, Arc<Parser>)>>,
}

impl Model {
    /// Opens a model by path or by the name of an installed or built-in one.
    pub fn open(name: &str, path: Option<&Path>, number: usize) -> Result<Model, models::FindError> {
        let own = models::open(path)?;
        Ok(Model {
            name: name.to_owned(),
            number,
            size: own.model().size(),
            path: path.map(Path::to_owned),
            seen: path.and_then(file_state),
            own: Arc::new(own),
            variants: Mutex::default(),
        })
    }

    /// Whether it can read text.
    pub fn reads_text(&self) -> bool {
        self.own.reads_text()
    }

    /// Whether it gives deep graphs.
    pub fn gives_graphs(&self) -> bool {
        self.own.gives_graphs()
    }

    /// The families of its stages, for people: `tokenizer`, `tagger`, `transition` ….
    pub fn stages(&self) -> Vec<String> {
        let root = self.own.model().root();
        let stages: Vec<String> = root.children().map(|stage| stage.family().to_owned()).collect();
        if stages.is_empty() { vec![root.family().to_owned()] } else { stages }
    }

    /// The transition system that it parses with, if it is a transition parser: `s2s-combined`.
    pub fn transition_system(&self) -> Option<String> {
        let root = self.own.model().root();
        let mut sections = vec![root];
        sections.extend(root.children());
        let section = sections.into_iter().find(|section| section.family() == "transition")?;
        let recipe = section.card().get("recipe")?;
        let kind = recipe.get("system")?.as_str()?;
        let how = if recipe.get("combined")?.as_bool()? { "combined" } else { "standard" };
        let reversed = recipe.get("reversed").and_then(|value| value.as_bool()).unwrap_or(false);
        Some(format!("{kind}-{how}{}", if reversed { "-rev" } else { "" }))
    }

    /// The parser for a request. The model's own way costs nothing; others are opened anew from the same mapped file and
    /// kept, because a parser's options are its own.
    pub fn parser(&self, ask: Ask) -> Result<Arc<Parser>, ApiError> {
        if ask == Ask::default() {
            return Ok(Arc::clone(&self.own));
        }
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = variants.iter().position(|(other, _)| *other == ask)
            && let Some(found) = variants.remove(place)
        {
            let parser = Arc::clone(&found.1);
            variants.push_back(found);
            return Ok(parser);
        }
        if self.path.as_deref().and_then(file_state) != self.seen {
            return Err(ApiError::unavailable(
                "model_changed",
                format!("the file of the model '{}' has changed since the service started", self.name),
            ));
        }
        let mut parser = models::open(self.path.as_deref()).map_err(|error| {
            ApiError::unavailable(
                "model_unreadable",
                format!("the model '{}' can't be opened any more: {error}", self.name),
            )
        })?;
        parser.options = Options { beam: ask.beam, ..Options::default() };
        parser.guarantees = ask.guarantees;
        parser.tags = ask.tags;
        let parser = Arc::new(parser);
        variants.push_back((ask, Arc::clone(&parser)));
        if variants.len() > VARIANTS {
            variants.pop_front();
        }
        Ok(parser)
    }

    /// Cuts a text into sentences.
    pub fn cut(&self, text: &str, start: Option<usize>, scratch: &mut Scratch) -> Vec<Sentence> {
        self.own.sentences(text, start, scratch.of(self))
    }

    /// Parses a sentence with one of the model's parsers.
    pub fn parse(&self, parser: &Parser, sentence: &mut Sentence, scratch: &mut Scratch) {
        parser.parse(sentence, scratch.of(self));
    }

    /// How the graph of a parsed sentence was found, if the model has something to tell.
    pub fn explain(&self, parser: &Parser, sentence: &Sentence, scratch: &mut Scratch) -> Option<String> {
        parser.explain(sentence, scratch.of(self))
    }
}

fn file_state(path: &Path) -> Option<(u64, std::time::SystemTime)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
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
