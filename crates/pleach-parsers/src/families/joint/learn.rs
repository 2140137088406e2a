//! Local losses of all tasks: no search, O(n²) pairs of words.
//!
//! For a sentence: Σ −log σ(±s) over the pairs of words, + where the graph has the arc; for every word −log p(head) with p the
//! softmax over all heads of the tree; −log p(label) over the arcs of both; and for every word −log p(tag), −log p(features) and
//! −log p(lemma rule). What is told to the learner is the negative gradient, each task with its weight.

use super::recipe::Layout;
use crate::families::likelihood;
use pleach_decode::part::{Part, PartLearner};
use pleach_graph::Node;
use std::ops::Range;

/// Changes below this are too small to be told.
const LEAST: f32 = 1e-6;

/// What is right for a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct Gold {
    /// The arcs of the graph as (dependent, head, label set), sorted.
    pub arcs: Vec<(Node, Node, u16)>,
    /// The head and the label of every word in the tree; empty when there is none.
    pub tree: Vec<(Node, u16)>,
    /// For every word the choice of every question, see [`Inventory::gold`](super::inventory::Inventory::gold).
    pub words: Vec<Option<u16>>,
}

/// What the tasks count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub words: f32,
    pub tree: f32,
}

/// Memory for the rows of scores.
#[derive(Debug, Default)]
pub(super) struct Space {
    row: Vec<f32>,
    parts: Vec<Part>,
}

/// One lesson: who learns, and where choices stand.
pub(super) struct Lesson<'a> {
    pub learner: &'a mut dyn PartLearner,
    pub layout: Layout,
    pub questions: &'a [Range<usize>],
    pub weights: Weights,
    pub space: &'a mut Space,
}

impl Lesson<'_> {
    /// Says how the scores should change for a sentence of so many words; gives whether the graph was not the best one.
    pub fn learn(&mut self, words: usize, gold: &Gold) -> bool {
        let mut wrong = self.graph_arcs(words, gold);
        wrong |= self.labels(gold);
        if !gold.tree.is_empty() && self.layout.labels > 0 {
            self.heads(gold);
        }
        if !self.questions.is_empty() {
            self.words(words, gold);
        }
        wrong
    }

    fn tell(&mut self, part: Part, choice: usize, amount: f32) {
        if amount.abs() > LEAST {
            self.learner.change_part(part, choice as u16, amount);
        }
    }

    fn graph_arcs(&mut self, words: usize, gold: &Gold) -> bool {
        let mut scores = [0.0; 2];
        let scores = &mut scores[..self.layout.channels()];
        let mut arcs = gold.arcs.iter().map(|&(dependent, head, _)| (dependent, head)).peekable();
        let mut wrong = false;
        for dependent in 1..=words as Node {
            for head in (0..=words as Node).filter(|&head| head != dependent) {
                let part = Part::arc(head, dependent);
                self.learner.score(part, scores);
                let linked = arcs.next_if_eq(&(dependent, head)).is_some();
                let score = scores[Layout::GRAPH];
                wrong |= (score > 0.0) != linked;
                let probability = 1.0 / (1.0 + (-score).exp());
                self.tell(part, Layout::GRAPH, f32::from(u8::from(linked)) - probability);
            }
        }
        wrong
    }

    fn heads(&mut self, gold: &Gold) {
        let words = gold.tree.len();
        let mut scores = [0.0; 2];
        for (dependent, &(right, _)) in (1..=words as Node).zip(&gold.tree) {
            let mut row = std::mem::take(&mut self.space.row);
            row.clear();
            for head in 0..=words as Node {
                self.learner.score(Part::arc(head, dependent), &mut scores);
                row.push(if head == dependent { f32::NEG_INFINITY } else { scores[Layout::TREE] });
            }
            likelihood::gradient(&mut row, right.into());
            for (head, &amount) in row.iter().enumerate() {
                self.tell(Part::arc(head as Node, dependent), Layout::TREE, amount * self.weights.tree);
            }
            self.space.row = row;
        }
    }

    fn labels(&mut self, gold: &Gold) -> bool {
        let (graph, tree) = (self.layout.graph_labels(), self.layout.tree_labels());
        let of_tree = || (1..).zip(&gold.tree).filter(|_| !tree.is_empty());
        let mut parts = std::mem::take(&mut self.space.parts);
        parts.clear();
        parts.extend(gold.arcs.iter().map(|&(dependent, head, _)| Part::label(head, dependent)));
        parts.extend(of_tree().map(|(dependent, &(head, _))| Part::label(head, dependent)));
        self.learner.expect(&parts);
        self.space.parts = parts;
        let mut wrong = false;
        for &(dependent, head, set) in &gold.arcs {
            wrong |= self.choose(Part::label(head, dependent), graph.clone(), usize::from(set) - 1, 1.0);
        }
        for (dependent, &(head, label)) in of_tree() {
            self.choose(Part::label(head, dependent), tree.clone(), label.into(), self.weights.tree);
        }
        wrong
    }

    fn words(&mut self, words: usize, gold: &Gold) {
        let questions = self.questions;
        for (word, right) in (1..=words as Node).zip(gold.words.chunks_exact(questions.len())) {
            for (places, right) in questions.iter().zip(right) {
                if let Some(right) = right {
                    let right = usize::from(*right) - places.start;
                    self.choose(Part::word(word), places.clone(), right, self.weights.words);
                }
            }
        }
    }

    /// One choice among some of a part's; gives whether another one was better.
    fn choose(&mut self, part: Part, places: Range<usize>, right: usize, weight: f32) -> bool {
        let mut row = std::mem::take(&mut self.space.row);
        row.clear();
        row.resize(places.end, 0.0);
        self.learner.score(part, &mut row);
        let wrong = likelihood::gradient(&mut row[places.clone()], right);
        for (place, &amount) in row.iter().enumerate().skip(places.start) {
            self.tell(part, place, amount * weight);
        }
        self.space.row = row;
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_decode::part::{Kind, PartScorer};
    use std::collections::BTreeMap;

    /// Scores by a formula with changes, and what changes were asked for.
    #[derive(Clone, Default)]
    struct Toy {
        moved: Option<((Part, u16), f32)>,
        told: BTreeMap<(Part, u16), f32>,
    }

    impl Toy {
        fn at(&self, part: Part, choice: u16) -> f32 {
            let [a, b, ..] = part.nodes.map(u32::from);
            let seed = (u32::from(part.kind.0) * 31 + a * 7 + b % 97 * 13 + u32::from(choice) * 5) % 23;
            let moved = self.moved.filter(|(place, _)| *place == (part, choice)).map_or(0.0, |(_, by)| by);
            seed as f32 / 8.0 - 1.0 + moved
        }
    }

    impl PartScorer for Toy {
        fn scores(&self, _: Kind) -> bool {
            true
        }

        fn score(&mut self, part: Part, scores: &mut [f32]) {
            for (choice, score) in scores.iter_mut().enumerate() {
                *score = self.at(part, choice as u16);
            }
        }
    }

    impl PartLearner for Toy {
        fn change_part(&mut self, part: Part, choice: u16, amount: f32) {
            *self.told.entry((part, choice)).or_insert(0.0) += amount;
        }
    }

    const LAYOUT: Layout = Layout { sets: 3, labels: 2, classes: 5 };
    const WEIGHTS: Weights = Weights { words: 0.5, tree: 0.25 };

    fn gold() -> Gold {
        Gold {
            arcs: vec![(1, 2, 3), (2, 0, 1), (3, 1, 2), (3, 2, 2)],
            tree: vec![(2, 1), (0, 0), (2, 1)],
            words: vec![Some(0), Some(4), Some(1), None, None, Some(2)],
        }
    }

    /// The loss itself, in double precision, by its definition.
    fn loss(toy: &Toy, gold: &Gold) -> f64 {
        let at = |part: Part, choice: usize| f64::from(toy.at(part, choice as u16));
        let softmax = |part: Part, places: Range<usize>, right: usize| {
            places.map(|place| at(part, place).exp()).sum::<f64>().ln() - at(part, right)
        };
        let mut loss = 0.0;
        for dependent in 1..4 {
            for head in (0..4).filter(|&head| head != dependent) {
                let linked = gold.arcs.iter().any(|arc| (arc.0, arc.1) == (dependent, head));
                let score = at(Part::arc(head, dependent), 0);
                loss += (1.0 + if linked { -score } else { score }.exp()).ln();
            }
            let (right, label) = gold.tree[usize::from(dependent) - 1];
            let total: f64 = (0..4)
                .filter(|&head| head != dependent)
                .map(|head| at(Part::arc(head, dependent), 1).exp())
                .sum();
            loss += 0.25 * (total.ln() - at(Part::arc(right, dependent), 1));
            loss += 0.25 * softmax(Part::label(right, dependent), 4..6, 4 + usize::from(label));
            for (places, right) in [0..2, 2..5].into_iter().zip(&gold.words[usize::from(dependent) * 2 - 2..])
            {
                if let Some(right) = right {
                    loss += 0.5 * softmax(Part::word(dependent), places, usize::from(*right));
                }
            }
        }
        for &(dependent, head, set) in &gold.arcs {
            loss += softmax(Part::label(head, dependent), 1..4, set.into());
        }
        loss
    }

    #[test]
    fn changes_are_the_negative_gradient() {
        let (mut toy, gold) = (Toy::default(), gold());
        let questions = [0..2, 2..5];
        let mut space = Space::default();
        let mut lesson = Lesson {
            learner: &mut toy,
            layout: LAYOUT,
            questions: &questions,
            weights: WEIGHTS,
            space: &mut space,
        };
        assert!(lesson.learn(3, &gold));
        let told = std::mem::take(&mut toy.told);
        assert_eq!(told.len(), 9 + 9 + 4 * 3 + 3 * 2 + 2 + 2 + 3 + 3);
        for (&place, &amount) in &told {
            let at = |by: f32| loss(&Toy { moved: Some((place, by)), ..Toy::default() }, &gold);
            let gradient = (at(1.0 / 128.0) - at(-1.0 / 128.0)) * 64.0;
            assert!((gradient + f64::from(amount)).abs() < 1e-4, "{place:?}: {gradient} {amount}");
        }
    }
}
