//! From words and scores to graphs: the search of a transition parser, whoever scores.

use super::card::Card;
use crate::scorer::ModelScorer;
use crate::workspace::Workspace;
use pleach_graph::enhanced::Transform;
use pleach_graph::words::Words;
use pleach_graph::{Graph, Sentence, Tree};
use pleach_transition::MAX_WORDS;
use pleach_transition::action::{Action, Edge, Inventory, Link, Move};
use pleach_transition::labels::Labels;
use pleach_transition::search::{Beam, Greedy, Lockstep, Machine};
use pleach_transition::settings::UnknownName;
use pleach_transition::state::State;

/// What is wrong with a card.
#[derive(Debug, thiserror::Error)]
pub(super) enum CardError {
    /// A setting that doesn't exist.
    #[error(transparent)]
    Setting(#[from] UnknownName),
    /// The parts of a model don't fit together.
    #[error("the model's {0} are out of range")]
    Range(&'static str),
}

/// A parser without its scorer.
#[derive(Debug)]
pub(super) struct Parse {
    /// The transition system and what it can say.
    pub machine: Machine,
    /// What its label and tag numbers mean.
    pub labels: Labels,
    /// What is done to enhanced graphs before and undone after.
    pub transform: Transform,
    /// Right to left.
    pub reversed: bool,
    /// Without labels.
    pub unlabelled: bool,
}

/// The memory for parsing, one per thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    pub words: Vec<Words>,
    pub scoring: Workspace,
    lockstep: Lockstep,
    beams: Vec<Beam>,
    greedy: Vec<Greedy>,
}

/// The words of sentences, in memory that is used again.
pub(super) fn fill(words: &mut Vec<Words>, sentences: &[Sentence], trees: &[Tree], reversed: bool) {
    if words.len() < sentences.len() {
        words.resize_with(sentences.len(), Words::default);
    }
    for (number, sentence) in sentences.iter().enumerate() {
        words[number].refill(sentence, trees.get(number), reversed);
    }
}

impl Parse {
    /// The parser that a card describes.
    pub fn new(card: &Card) -> Result<Self, CardError> {
        let settings = card.recipe.settings(card.self_arcs)?;
        let (sets, tags) = (card.label_sets.clone(), card.tags.clone());
        Ok(Parse {
            machine: card.recipe.machine(&settings, inventory(card)?),
            labels: Labels::from_values(&settings, card.recipe.unlabelled, sets, tags),
            transform: Transform { collapse: card.collapse, delexicalise: card.delexicalise },
            reversed: card.recipe.reversed,
            unlabelled: card.recipe.unlabelled,
        })
    }

    /// The graphs of sentences without empty nodes and of at most [`MAX_WORDS`] words, as the parser learnt them:
    /// transforms not undone. Frames are set when the parser predicts them.
    pub fn graphs(
        &self,
        scorer: &dyn ModelScorer,
        sentences: &mut [Sentence],
        trees: &[Tree],
        beam: usize,
        space: &mut Space,
    ) -> Vec<Graph> {
        debug_assert!(sentences.iter().all(|sentence| sentence.len() <= MAX_WORDS));
        let Space { words, scoring, lockstep, beams, greedy } = space;
        fill(words, sentences, trees, self.reversed);
        let mut bound = scorer.bind(words[..sentences.len()].iter().collect(), scoring);
        let (machine, width) = (&self.machine, self.machine.width());
        if beam <= 1 {
            bound.expect_few_repeats();
            let searches = make_room(greedy, sentences.len());
            for (search, sentence) in searches.iter_mut().zip(&*sentences) {
                search.begin(machine, sentence.len());
            }
            lockstep.run_all(machine, searches, width, &mut *bound);
            sentences.iter_mut().zip(searches).map(|(s, search)| self.read_off(search.state(), s)).collect()
        } else {
            let searches = make_room(beams, sentences.len());
            for (search, sentence) in searches.iter_mut().zip(&*sentences) {
                search.begin(machine, sentence.len(), beam);
            }
            lockstep.run_all(machine, searches, width, &mut *bound);
            sentences.iter_mut().zip(searches).map(|(s, search)| self.read_off(search.best(), s)).collect()
        }
    }

    /// The graph that a final configuration stands for; sets the frames.
    fn read_off(&self, state: &State, sentence: &mut Sentence) -> Graph {
        if sentence.is_empty() {
            return Graph::new(0);
        }
        let graph = self.labels.decode(state);
        if self.machine.system.settings().supertags {
            let len = sentence.len();
            for (i, token) in sentence.tokens.iter_mut().enumerate() {
                let node = if self.reversed { len - i } else { i + 1 };
                token.frame = self.labels.frame(state.tags[node]);
            }
        }
        if self.reversed { graph.mirrored() } else { graph }
    }
}

/// As many searches as there are sentences, in memory that is used again.
fn make_room<S: Default>(searches: &mut Vec<S>, count: usize) -> &mut [S] {
    if searches.len() < count {
        searches.resize_with(count, S::default);
    }
    &mut searches[..count]
}

fn inventory(card: &Card) -> Result<Inventory, CardError> {
    let sets = card.label_sets.len();
    let edges: Vec<Edge> = card.edges.iter().map(|&(left, right)| Edge { left, right }).collect();
    if edges.iter().any(|edge| usize::from(edge.left.max(edge.right)) > sets) {
        return Err(CardError::Range("edges"));
    }
    let mut actions = Vec::with_capacity(card.actions.len());
    for &(mv, kind, id, tag) in &card.actions {
        let mv = MOVES.get(usize::from(mv)).copied().ok_or(CardError::Range("moves"))?;
        let link = match kind {
            0 => Link::None,
            1 if usize::from(id) < edges.len() => Link::Edge(id),
            2 if usize::from(id) <= sets => Link::Loop(id),
            3 if usize::from(id) <= sets => Link::Root(id),
            _ => return Err(CardError::Range("actions")),
        };
        if usize::from(tag) > card.tags.len() {
            return Err(CardError::Range("tags"));
        }
        actions.push(Action { mv, link, tag });
    }
    if !actions.is_sorted() || actions.len() > usize::from(u16::MAX) {
        return Err(CardError::Range("actions"));
    }
    Ok(Inventory { edges, actions })
}

const MOVES: [Move; Move::COUNT] =
    [Move::Stay, Move::Shift, Move::Pop, Move::Swap, Move::Mem, Move::Recall, Move::NoArc];

/// The actions of an inventory as a card stores them.
pub(super) fn stored_actions(inventory: &Inventory) -> Vec<(u8, u8, u16, u16)> {
    let store = |action: &Action| match action.link {
        Link::None => (action.mv as u8, 0, 0, action.tag),
        Link::Edge(id) => (action.mv as u8, 1, id, action.tag),
        Link::Loop(id) => (action.mv as u8, 2, id, action.tag),
        Link::Root(id) => (action.mv as u8, 3, id, action.tag),
    };
    inventory.actions.iter().map(store).collect()
}
