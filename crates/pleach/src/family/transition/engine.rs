//! One parser, ready to run: the system, the actions and the features that a [`Card`] describes.
//!
//! An engine holds no weights: training runs it over the growing table, parsing over the mapped one. All
//! memory that a sentence needs is in a [`Workspace`], one per thread.

use super::arcs::StateScores;
use super::card::Card;
use super::recipe::TransitionRecipe;
use crate::ensure::ArcScores;
use crate::family::{GraphEngine, Options};
use crate::model::View;
use crate::trees::TreeStage;
use crate::workspace;
use pleach_graph::enhanced::Transform;
use pleach_graph::{Graph, Sentence, Text, Tree};
use pleach_linear::scoring::Scoring;
use pleach_linear::table::Table;
use pleach_linear::template::{TemplateError, Templates};
use pleach_linear::words::Words;
use pleach_transition::MAX_WORDS;
use pleach_transition::action::{Action, Edge, Inventory, Link, Move};
use pleach_transition::graph::{AnySystem, system};
use pleach_transition::labels::Labels;
use pleach_transition::search::{ActionIndex, Beam, Greedy};
use pleach_transition::settings::{Kind, Settings, UnknownName};
use pleach_transition::state::State;

/// What is wrong with a card or a recipe.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A setting that doesn't exist.
    #[error(transparent)]
    Setting(#[from] UnknownName),
    /// A bad template file.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The parts of a model don't fit together.
    #[error("the model's {0} are out of range")]
    Range(&'static str),
    /// No such transition system.
    #[error("unknown transition system '{0}'; known are st, ss, s2s, sl")]
    System(String),
}

/// The transition system of a recipe.
pub(crate) fn settings(recipe: &TransitionRecipe, self_arcs: bool) -> Result<Settings, EngineError> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == recipe.system);
    let kind = kind.ok_or_else(|| EngineError::System(recipe.system.clone()))?;
    let mut settings = Settings::new(kind, recipe.combined);
    settings.root = recipe.root.parse()?;
    settings.two_cycles = recipe.two_cycles.parse()?;
    settings.self_arcs = self_arcs;
    settings.supertags = recipe.supertags;
    Ok(settings)
}

/// A parser without its weights.
#[derive(Debug)]
pub struct Engine {
    /// The transition system.
    pub system: AnySystem,
    /// What it can say.
    pub inventory: Inventory,
    /// Its actions by class.
    pub index: ActionIndex,
    /// What it looks at.
    pub templates: Templates,
    /// What its label and tag numbers mean.
    pub labels: Labels,
    /// What is done to enhanced graphs before and undone after.
    pub transform: Transform,
    /// Right to left.
    pub reversed: bool,
    /// Without labels.
    pub unlabelled: bool,
    /// The parser of the trees that it looks at, if it does.
    pub tree: Option<TreeStage>,
    /// The default beam.
    pub beam: usize,
}

/// The memory for parsing, one per thread.
#[derive(Debug, Default)]
pub struct Workspace {
    /// The current sentence's words.
    pub words: Words,
    scoring: Scoring<i32>,
    beam: Beam,
    greedy: Greedy,
}

impl Workspace {
    /// Starts a sentence.
    pub(crate) fn begin(&mut self, sentence: &Sentence, tree: Option<&Tree>, reversed: bool) {
        self.words.fill(sentence, reversed);
        if let Some(tree) = tree {
            self.words.set_tree(tree, reversed);
        }
        self.scoring.begin();
    }

    /// Scores one configuration of the current sentence.
    pub(crate) fn score(
        &mut self,
        templates: &Templates,
        table: Table<'_>,
        state: &State,
        scores: &mut [f32],
    ) {
        self.scoring.score(&table, templates, &self.words, state, scores);
    }
}

impl Engine {
    /// The engine of a trained model.
    pub fn new(card: &Card) -> Result<Self, EngineError> {
        let settings = settings(&card.recipe, card.self_arcs)?;
        let (sets, tags) = (card.label_sets.clone(), card.tags.clone());
        let inventory = inventory(card)?;
        Ok(Engine {
            system: system(&settings),
            index: ActionIndex::new(&inventory),
            inventory,
            templates: Templates::parse("model", &card.templates)?,
            labels: Labels::from_values(&settings, card.recipe.unlabelled, sets, tags),
            transform: Transform { collapse: card.collapse, delexicalise: card.delexicalise },
            reversed: card.recipe.reversed,
            unlabelled: card.recipe.unlabelled,
            tree: None,
            beam: card.recipe.beam,
        })
    }

    /// The graph of a sentence without empty nodes, as the parser learnt it: transforms not undone.
    /// Frames are set when the parser predicts them. A sentence of more than [`MAX_WORDS`] words gets no arcs.
    pub fn parse(
        &self,
        table: Table<'_>,
        sentence: &mut Sentence,
        tree: Option<&Tree>,
        beam: usize,
        workspace: &mut Workspace,
    ) -> Graph<Text> {
        if sentence.is_empty() || sentence.len() > MAX_WORDS {
            return Graph::new(sentence.len());
        }
        workspace.begin(sentence, tree, self.reversed);
        let len = sentence.len();
        let Workspace { words, scoring, beam: search, greedy } = workspace;
        let mut scorer = |state: &State, scores: &mut [f32]| {
            scoring.score(&table, &self.templates, words, state, scores);
        };
        let (system, inventory, index) = (&self.system, &self.inventory, &self.index);
        let state = if beam <= 1 {
            greedy.parse(system, inventory, index, &mut scorer, len)
        } else {
            search.parse(system, inventory, index, &mut scorer, len, beam)
        };
        self.read_off(state, sentence)
    }

    /// The graph that a final configuration stands for; sets the frames.
    fn read_off(&self, state: &State, sentence: &mut Sentence) -> Graph<Text> {
        let graph = self.labels.decode(state);
        if self.system.settings().supertags {
            let len = sentence.len();
            for (i, token) in sentence.tokens.iter_mut().enumerate() {
                let node = if self.reversed { len - i } else { i + 1 };
                token.frame = self.labels.frame(state.tags[node]);
            }
        }
        if self.reversed { graph.mirrored() } else { graph }
    }
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.transform
    }

    fn unlabelled(&self) -> bool {
        self.unlabelled
    }

    fn graph(
        &self,
        view: View<'_>,
        sentence: &mut Sentence,
        options: &Options,
        workspace: &mut workspace::Workspace,
    ) -> Graph {
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        let beam = options.beam.unwrap_or(self.beam);
        self.parse(view.table(), sentence, tree.as_ref(), beam, workspace.part())
    }

    fn arc_scores<'a>(
        &'a self,
        view: View<'a>,
        sentence: &Sentence,
        workspace: &'a mut workspace::Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        Box::new(StateScores::new(self, view.table(), sentence, tree.as_ref(), workspace.part()))
    }
}

fn inventory(card: &Card) -> Result<Inventory, EngineError> {
    let sets = card.label_sets.len();
    let edges: Vec<Edge> = card.edges.iter().map(|&(left, right)| Edge { left, right }).collect();
    if edges.iter().any(|edge| usize::from(edge.left.max(edge.right)) > sets) {
        return Err(EngineError::Range("edges"));
    }
    let mut actions = Vec::with_capacity(card.actions.len());
    for &(mv, kind, id, tag) in &card.actions {
        let mv = MOVES.get(usize::from(mv)).copied().ok_or(EngineError::Range("moves"))?;
        let link = match kind {
            0 => Link::None,
            1 if usize::from(id) < edges.len() => Link::Edge(id),
            2 if usize::from(id) <= sets => Link::Loop(id),
            _ => return Err(EngineError::Range("actions")),
        };
        if usize::from(tag) > card.tags.len() {
            return Err(EngineError::Range("tags"));
        }
        actions.push(Action { mv, link, tag });
    }
    if !actions.is_sorted() || actions.len() > usize::from(u16::MAX) {
        return Err(EngineError::Range("actions"));
    }
    Ok(Inventory { edges, actions })
}

const MOVES: [Move; Move::COUNT] =
    [Move::Stay, Move::Shift, Move::Pop, Move::Swap, Move::Mem, Move::Recall, Move::NoArc];

/// The actions of an inventory as a card stores them.
pub fn stored_actions(inventory: &Inventory) -> Vec<(u8, u8, u16, u16)> {
    let store = |action: &Action| match action.link {
        Link::None => (action.mv as u8, 0, 0, action.tag),
        Link::Edge(id) => (action.mv as u8, 1, id, action.tag),
        Link::Loop(id) => (action.mv as u8, 2, id, action.tag),
    };
    inventory.actions.iter().map(store).collect()
}
