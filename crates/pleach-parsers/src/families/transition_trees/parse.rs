//! From words and scores to trees, or to graphs for the DAG system: the search of a tree system, whoever scores.

use super::card::Card;
use crate::scorer::{Bound, ModelScorer};
use crate::workspace::Workspace;
use pleach_graph::enhanced::Transform;
use pleach_graph::words::Words;
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Tree};
use pleach_transition::Node;
use pleach_transition::scorer::{Place, Question};
use pleach_transition::search::Lockstep;
use pleach_transition::search::tree::{Beam, Greedy, Heap, Machine};
use pleach_transition::tree::classes::{Classes, TooManyClasses};
use pleach_transition::tree::settings::Base;
use pleach_transition::tree::state::State;
use pleach_transition::tree::system::{Site, System};

/// What is wrong with a card.
#[derive(Debug, thiserror::Error)]
pub(super) enum CardError {
    /// Too many labels.
    #[error(transparent)]
    Classes(#[from] TooManyClasses),
    /// The labels of arcs are not there.
    #[error("the model's labels are out of range")]
    Range,
}

/// A parser without its scorer.
#[derive(Debug)]
pub(super) struct Parse {
    pub card: Card,
    pub machine: Machine,
    labels: Vec<Vec<Text>>,
}

/// The memory for parsing, one per thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    words: Vec<Words>,
    scoring: Workspace,
    lockstep: Lockstep,
    greedy: Vec<Greedy>,
    heaps: Vec<Heap>,
    beams: Vec<Beam>,
}

/// As many searches as there are sentences, in memory that is used again.
fn make_room<S: Default>(searches: &mut Vec<S>, count: usize) -> &mut [S] {
    if searches.len() < count {
        searches.resize_with(count, S::default);
    }
    &mut searches[..count]
}

impl Parse {
    /// The parser that a card describes.
    pub fn new(card: Card) -> Result<Self, CardError> {
        let system = System::new(&card.recipe.settings);
        let [left, right, root] = &card.directions;
        let known = |label: &u16| (1..=card.labels.len()).contains(&usize::from(*label));
        if !card.directions.iter().flatten().all(known) {
            return Err(CardError::Range);
        }
        let classes = Classes::new(&system, left, right, root)?;
        Ok(Parse {
            machine: Machine::new(system, classes),
            labels: card.labels.iter().map(|set| set.iter().map(Text::from).collect()).collect(),
            card,
        })
    }

    /// What is done to graphs before and undone after.
    pub fn transform(&self) -> Transform {
        Transform { collapse: self.card.collapse, delexicalise: self.card.delexicalise }
    }

    /// Searches for the best sequences of sentences and reads something off their last configurations.
    fn search<T>(
        &self,
        scorer: &dyn ModelScorer,
        sentences: &[&Sentence],
        beam: usize,
        space: &mut Space,
        mut read: impl FnMut(usize, &State, &mut dyn Bound) -> T,
    ) -> Vec<T> {
        let Space { words, scoring, lockstep, greedy, heaps, beams } = space;
        for (words, sentence) in make_room(words, sentences.len()).iter_mut().zip(sentences) {
            words.fill(sentence, false);
        }
        let mut bound = scorer.bind(words[..sentences.len()].iter().collect(), scoring);
        let (machine, width, reach) = (&self.machine, self.machine.actions(), bound.reach());
        let count = sentences.len();
        if beam > 1 {
            let searches = make_room(beams, count);
            for (search, sentence) in searches.iter_mut().zip(sentences) {
                search.begin(machine, sentence.len(), beam, reach);
            }
            lockstep.run_all(machine, searches, width, &mut *bound);
            return searches
                .iter()
                .enumerate()
                .map(|(i, search)| read(i, search.best(), &mut *bound))
                .collect();
        }
        bound.expect_few_repeats();
        if Heap::serves(&machine.system) {
            let searches = make_room(heaps, count);
            for (search, sentence) in searches.iter_mut().zip(sentences) {
                search.begin(machine, sentence.len(), reach);
            }
            lockstep.run_all(machine, searches, width, &mut *bound);
            searches.iter().enumerate().map(|(i, search)| read(i, search.state(), &mut *bound)).collect()
        } else {
            let searches = make_room(greedy, count);
            for (search, sentence) in searches.iter_mut().zip(sentences) {
                search.begin(machine, sentence.len(), reach);
            }
            lockstep.run_all(machine, searches, width, &mut *bound);
            searches.iter().enumerate().map(|(i, search)| read(i, search.state(), &mut *bound)).collect()
        }
    }

    /// The trees of sentences without empty nodes.
    pub fn trees(
        &self,
        scorer: &dyn ModelScorer,
        sentences: &[&Sentence],
        beam: usize,
        space: &mut Space,
    ) -> Vec<Tree> {
        self.search(scorer, sentences, beam, space, |number, state, bound| {
            let words = 1..=sentences[number].len() as Node;
            let mut heads: Vec<(Node, u16)> =
                words.map(|word| state.heads(word).next().unwrap_or((0, 0))).collect();
            if self.card.recipe.single_root {
                self.hang_below_first_root(number, state, &mut heads, bound);
            }
            Tree {
                heads: heads.iter().map(|&(head, _)| head).collect(),
                labels: heads.iter().map(|&(_, label)| self.tree_label(label)).collect(),
            }
        })
    }

    /// The graphs of sentences without empty nodes.
    pub fn graphs(
        &self,
        scorer: &dyn ModelScorer,
        sentences: &[&Sentence],
        beam: usize,
        space: &mut Space,
    ) -> Vec<Graph> {
        self.search(scorer, sentences, beam, space, |number, state, _| {
            let arcs = state.arcs().flat_map(|(head, dependent, label)| {
                self.set(label).iter().map(move |label| Arc {
                    head: NodeId(head.into()),
                    dependent: NodeId(dependent.into()),
                    label: label.clone(),
                })
            });
            Graph::from_arcs(sentences[number].len(), arcs.collect())
        })
    }

    fn set(&self, label: u16) -> &[Text] {
        usize::from(label).checked_sub(1).and_then(|place| self.labels.get(place)).map_or(&[], Vec::as_slice)
    }

    fn tree_label(&self, label: u16) -> Text {
        self.set(label).first().cloned().unwrap_or_default()
    }

    /// The words under the root but for the first one are hung on it, with the labels that the model likes best.
    fn hang_below_first_root(
        &self,
        number: usize,
        state: &State,
        heads: &mut [(Node, u16)],
        scorer: &mut dyn Bound,
    ) {
        let mut roots =
            (1..=heads.len() as Node).filter(|&word| state.heads(word).all(|(head, _)| head == 0));
        let Some(first) = roots.next() else { return };
        let Machine { system, classes } = &self.machine;
        let mut scores = vec![0.0; self.machine.actions()];
        let right = system.transitions().iter().position(|t| t.base == Base::RightArc);
        for word in roots {
            let place = Place::Tree(state, Site { left: first, right: word, distance: 1 });
            scorer.answer(&Question { sentence: number, place }, &mut scores);
            let mut best: Option<(f32, u16)> = None;
            for class in 0..classes.len() as u16 {
                let known = classes.get(class);
                let plain = right == Some(usize::from(known.transition)) && known.variant == 0;
                if plain && best.is_none_or(|(top, _)| scores[class as usize] > top) {
                    best = Some((scores[class as usize], known.label));
                }
            }
            heads[usize::from(word) - 1] = (first, best.map_or(0, |(_, label)| label));
        }
    }
}
