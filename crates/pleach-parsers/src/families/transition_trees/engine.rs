//! One parser, ready to run: the system, the classes and the templates that a [`Card`] describes.

use super::recipe::ControlRecipe;
use crate::family::{GraphEngine, Options, TreeEngine};
use crate::model::View;
use crate::workspace::Workspace;
use pleach_graph::enhanced::Transform;
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Tree};
use pleach_linear::scoring::Scoring;
use pleach_linear::site::SiteScorer;
use pleach_linear::table::Table;
use pleach_linear::template::{TemplateError, Templates};
use pleach_linear::words::Words;
use pleach_transition::tree::classes::{Classes, TooManyClasses};
use pleach_transition::tree::search::{Beam, Greedy, Heap, Scorer};
use pleach_transition::tree::settings::Base;
use pleach_transition::tree::state::State;
use pleach_transition::tree::system::{Site, System};
use pleach_transition::{MAX_WORDS, Node};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is wrong with a card.
#[derive(Debug, thiserror::Error)]
pub(super) enum CardError {
    /// A bad template file.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// Too many labels.
    #[error(transparent)]
    Classes(#[from] TooManyClasses),
    /// The labels of arcs are not there.
    #[error("the model's labels are out of range")]
    Range,
}

/// The description of one trained parser, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// How it was trained.
    pub recipe: ControlRecipe,
    /// The feature templates' text.
    pub templates: String,
    /// The label sets, from id 1; those of trees have one label.
    pub labels: Vec<Vec<String>>,
    /// The ids of the labels of arcs that go left, that go right, and that come from the root.
    pub directions: [BTreeSet<u16>; 3],
    /// Fold empty nodes into path labels before, restore them after.
    pub collapse: bool,
    /// Placeholders for words in labels.
    pub delexicalise: bool,
}

/// A parser without its weights.
#[derive(Debug)]
pub(super) struct Engine {
    pub card: Card,
    pub system: System,
    pub classes: Classes,
    pub templates: Templates,
    labels: Vec<Vec<Text>>,
}

/// The memory for parsing, one per thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    words: Words,
    scoring: Scoring<i32>,
    greedy: Greedy,
    heap: Heap,
    beam: Beam,
    scores: Vec<f32>,
}

impl Engine {
    /// The engine of a trained model.
    pub fn new(card: Card) -> Result<Self, CardError> {
        let system = System::new(&card.recipe.settings);
        let [left, right, root] = &card.directions;
        let known = |label: &u16| (1..=card.labels.len()).contains(&usize::from(*label));
        if !card.directions.iter().flatten().all(known) {
            return Err(CardError::Range);
        }
        Ok(Engine {
            classes: Classes::new(&system, left, right, root)?,
            templates: Templates::parse("model", &card.templates)?,
            labels: card.labels.iter().map(|set| set.iter().map(Text::from).collect()).collect(),
            system,
            card,
        })
    }

    /// What is done to graphs before and undone after.
    pub fn transform(&self) -> Transform {
        Transform { collapse: self.card.collapse, delexicalise: self.card.delexicalise }
    }

    /// Searches for the best sequence of a sentence of at most [`MAX_WORDS`] words and reads something off its last
    /// configuration.
    fn search<T>(
        &self,
        table: Table<'_>,
        sentence: &Sentence,
        beam: usize,
        space: &mut Space,
        read: impl FnOnce(&State, &mut dyn FnMut(&State, Site) -> Vec<f32>) -> T,
    ) -> T {
        let Space { words, scoring, greedy, heap, beam: wide, scores } = space;
        words.fill(sentence, false);
        let (system, classes, len) = (&self.system, &self.classes, sentence.len());
        let mut scorer = SiteScorer::new(&table, &self.templates, words, scoring, beam <= 1);
        let state = if beam > 1 {
            wide.parse(system, classes, &mut scorer, len, beam)
        } else if Heap::serves(system) {
            heap.parse(system, classes, &mut scorer, len)
        } else {
            greedy.parse(system, classes, &mut scorer, len)
        };
        scores.resize(classes.len(), 0.0);
        read(state, &mut |state, site| {
            scorer.score(state, site, scores);
            scores.clone()
        })
    }

    /// The tree of a sentence without empty nodes; none for one of more than [`MAX_WORDS`] words.
    pub fn parse_tree(&self, table: Table<'_>, sentence: &Sentence, beam: usize, space: &mut Space) -> Tree {
        if sentence.is_empty() || sentence.len() > MAX_WORDS {
            return Tree::default();
        }
        self.search(table, sentence, beam, space, |state, score| {
            let mut heads: Vec<(Node, u16)> =
                (1..=sentence.len() as Node).map(|word| state.heads(word).next().unwrap_or((0, 0))).collect();
            if self.card.recipe.single_root {
                self.hang_below_first_root(state, &mut heads, score);
            }
            Tree {
                heads: heads.iter().map(|&(head, _)| head).collect(),
                labels: heads.iter().map(|&(_, label)| self.tree_label(label)).collect(),
            }
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
        state: &State,
        heads: &mut [(Node, u16)],
        score: &mut dyn FnMut(&State, Site) -> Vec<f32>,
    ) {
        let mut roots =
            (1..=heads.len() as Node).filter(|&word| state.heads(word).all(|(head, _)| head == 0));
        let Some(first) = roots.next() else { return };
        let right = self.system.transitions().iter().position(|t| t.base == Base::RightArc);
        for word in roots {
            let scores = score(state, Site { left: first, right: word, distance: 1 });
            let mut best: Option<(f32, u16)> = None;
            for class in 0..self.classes.len() as u16 {
                let known = self.classes.get(class);
                let plain = right == Some(usize::from(known.transition)) && known.variant == 0;
                if plain && best.is_none_or(|(top, _)| scores[class as usize] > top) {
                    best = Some((scores[class as usize], known.label));
                }
            }
            heads[usize::from(word) - 1] = (first, best.map_or(0, |(_, label)| label));
        }
    }

    /// The graph of a sentence without empty nodes; no arcs for one of more than [`MAX_WORDS`] words.
    pub fn parse_graph(
        &self,
        table: Table<'_>,
        sentence: &Sentence,
        beam: usize,
        space: &mut Space,
    ) -> Graph {
        if sentence.is_empty() || sentence.len() > MAX_WORDS {
            return Graph::new(sentence.len());
        }
        self.search(table, sentence, beam, space, |state, _| {
            let arcs = state.arcs().flat_map(|(head, dependent, label)| {
                self.set(label).iter().map(move |label| Arc {
                    head: NodeId(head.into()),
                    dependent: NodeId(dependent.into()),
                    label: label.clone(),
                })
            });
            Graph::from_arcs(sentence.len(), arcs.collect())
        })
    }
}

impl TreeEngine for Engine {
    fn tree(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Tree {
        let beam = options.beam.unwrap_or(self.card.recipe.beam);
        self.parse_tree(view.table(), sentence, beam, workspace.part())
    }
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        Engine::transform(self)
    }

    fn unlabelled(&self) -> bool {
        false
    }

    fn graph(
        &self,
        view: View<'_>,
        sentence: &mut Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Graph {
        let beam = options.beam.unwrap_or(self.card.recipe.beam);
        self.parse_graph(view.table(), sentence, beam, workspace.part())
    }
}
