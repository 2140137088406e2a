//! Votes by weight: every pair of words that a member links, with every label set that a member gives it, has log odds
//! of being right,
//!
//! > bias + Σ over members (`same` or `other` if it links the pair, with these labels or with others)
//! >      + Σ over members (`inside` or `outside`, if it links the pair or not) · (its score of the arc, standardised)
//!
//! and of each pair the label set with the highest odds is in the graph when they are above 0. Any graphs over the same
//! words; O(members · arcs) and the members' scores. A member without scores, or one that has none for a sentence, counts
//! with its reliability alone. Single members and majorities are such weights ([`Weights::single`],
//! [`Weights::majority`]), so the best of all weights is never worse than they are. Among equals the label set of the
//! earliest member wins.

use crate::ensure::ArcScores;
use pleach_graph::{Arc, Graph, NodeId, Text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Standardised scores are cut here: one score must not outvote everybody.
const FAR: f64 = 4.0;

/// What members say of one pair of words.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub head: NodeId,
    pub dependent: NodeId,
    /// By member: the labels of its arcs, if it links the two.
    pub said: Vec<Option<Vec<Text>>>,
    /// By member: its score of the arc, if it has one.
    pub scores: Vec<Option<f32>>,
}

impl Pair {
    /// The label sets that members give, each once, earliest member first.
    pub fn choices(&self) -> Vec<&[Text]> {
        let mut choices: Vec<&[Text]> = Vec::new();
        for labels in self.said.iter().flatten() {
            if !choices.contains(&labels.as_slice()) {
                choices.push(labels);
            }
        }
        choices
    }
}

/// What the members say of one sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Ballots {
    len: usize,
    pub(super) pairs: Vec<Pair>,
}

impl Ballots {
    /// The graphs of all members.
    pub fn new(graphs: &[Graph]) -> Self {
        let mut pairs: BTreeMap<(NodeId, NodeId), Pair> = BTreeMap::new();
        for (member, graph) in graphs.iter().enumerate() {
            for arc in graph.arcs() {
                let pair = pairs.entry((arc.dependent, arc.head)).or_insert_with(|| Pair {
                    head: arc.head,
                    dependent: arc.dependent,
                    said: vec![None; graphs.len()],
                    scores: vec![None; graphs.len()],
                });
                pair.said[member].get_or_insert_default().push(arc.label.clone());
            }
        }
        Ballots { len: graphs.first().map_or(0, Graph::len), pairs: pairs.into_values().collect() }
    }

    /// Adds what a member thinks of all pairs, its own and the others'.
    pub fn score(&mut self, member: usize, scores: &mut dyn ArcScores) {
        if scores.informed() {
            for pair in &mut self.pairs {
                let score = scores.score(pair.head, pair.dependent);
                pair.scores[member] = Some(score).filter(|score| score.is_finite());
            }
        }
    }
}

/// What a member's voice weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Voice {
    /// For the labels that it gives to a pair.
    pub same: f64,
    /// For other labels of a pair that it links.
    pub other: f64,
    /// Its scores are taken relative to this one,
    pub centre: f64,
    /// in units of this; 0 when its scores are not asked for.
    pub spread: f64,
    /// For a unit of score of arcs that it has.
    pub inside: f64,
    /// For a unit of score of arcs that it doesn't have.
    pub outside: f64,
}

impl Voice {
    /// Whether its scores count.
    pub fn asks_scores(&self) -> bool {
        self.spread > 0.0 && (self.inside != 0.0 || self.outside != 0.0)
    }

    /// A score in units of its spread; 0 when there is none.
    pub(super) fn standardised(&self, score: Option<f32>) -> f64 {
        match score {
            Some(score) if self.spread > 0.0 => {
                ((f64::from(score) - self.centre) / self.spread).clamp(-FAR, FAR)
            }
            _ => 0.0,
        }
    }

    /// What it adds to the log odds of a choice.
    fn says(&self, said: Option<&[Text]>, score: Option<f32>, choice: &[Text]) -> f64 {
        let score = self.standardised(score);
        match said {
            Some(labels) => {
                let base = if labels == choice { self.same } else { self.other };
                base + self.inside * score
            }
            None => self.outside * score,
        }
    }
}

/// The weights of a vote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// The log odds of a pair that nobody links.
    pub bias: f64,
    /// By member.
    pub members: Vec<Voice>,
}

impl Weights {
    /// One of `of` members decides alone.
    pub fn single(member: usize, of: usize) -> Self {
        let mut members = vec![Voice::default(); of];
        if let Some(voice) = members.get_mut(member) {
            (voice.same, voice.other) = (2.0, 1.5);
        }
        Weights { bias: -1.0, members }
    }

    /// At least `count` of the members have the arc; the label set that most of them give.
    pub fn majority(count: usize, of: usize) -> Self {
        let voice = Voice { same: 1.0 + 0.5 / of.max(1) as f64, other: 1.0, ..Voice::default() };
        Weights { bias: 0.5 - count as f64, members: vec![voice; of] }
    }

    /// Whether the scores of any member count.
    pub fn asks_scores(&self) -> bool {
        self.members.iter().any(Voice::asks_scores)
    }

    /// The best label set of a pair and its log odds.
    pub(super) fn best<'a>(&self, pair: &'a Pair) -> Option<(f64, &'a [Text])> {
        let mut best: Option<(f64, &[Text])> = None;
        for choice in pair.choices() {
            let voices = self.members.iter().zip(&pair.said).zip(&pair.scores);
            let odds: f64 =
                voices.map(|((voice, said), &score)| voice.says(said.as_deref(), score, choice)).sum();
            if best.is_none_or(|(most, _)| odds > most) {
                best = Some((odds, choice));
            }
        }
        best.map(|(odds, choice)| (self.bias + odds, choice))
    }

    /// The graph that the members vote for.
    pub fn decide(&self, ballots: &Ballots) -> Graph {
        let chosen = |pair: &Pair| {
            let labels = self.best(pair).filter(|best| best.0 > 0.0).map_or(&[][..], |best| best.1).to_vec();
            let (head, dependent) = (pair.head, pair.dependent);
            labels.into_iter().map(move |label| Arc { head, dependent, label })
        };
        Graph::from_arcs(ballots.len, ballots.pairs.iter().flat_map(chosen).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vote::vote;

    fn graph(arcs: &[(u32, u32, &str)]) -> Graph {
        let arcs = arcs.iter().map(|&(head, dependent, label)| Arc {
            head: NodeId(head),
            dependent: NodeId(dependent),
            label: Text::from(label),
        });
        Graph::from_arcs(4, arcs.collect())
    }

    fn graphs() -> [Graph; 3] {
        [
            graph(&[(0, 1, "root"), (1, 2, "a"), (2, 3, "x"), (4, 3, "lone")]),
            graph(&[(0, 1, "root"), (1, 2, "b"), (2, 3, "y")]),
            graph(&[(0, 2, "root"), (1, 2, "b"), (2, 3, "y"), (2, 3, "z")]),
        ]
    }

    #[test]
    fn single_members_and_majorities_are_weights() {
        let graphs = graphs();
        let ballots = Ballots::new(&graphs);
        for (member, graph) in graphs.iter().enumerate() {
            assert_eq!(&Weights::single(member, 3).decide(&ballots), graph);
        }
        for (count, threshold) in [(1, 0.0), (2, 0.5), (3, 0.99)] {
            assert_eq!(Weights::majority(count, 3).decide(&ballots), vote(&graphs, threshold));
        }
    }

    struct By(fn(NodeId, NodeId) -> f32);

    impl ArcScores for By {
        fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
            self.0(head, dependent)
        }

        fn labels(&mut self, _: NodeId, _: NodeId) -> Vec<Text> {
            Vec::new()
        }
    }

    #[test]
    fn scores_decide_where_members_differ() {
        let graphs = graphs();
        let mut ballots = Ballots::new(&graphs[..2]);
        let voice = Voice { same: 1.0, other: 0.5, spread: 1.0, inside: 1.0, outside: 1.0, centre: 0.0 };
        let weights = Weights { bias: -1.5, members: vec![voice; 2] };
        assert!(!weights.decide(&ballots).arcs().iter().any(|arc| arc.head == NodeId(4)));
        ballots.score(1, &mut By(|head, _| if head == NodeId(4) { 3.0 } else { 0.0 }));
        assert!(weights.decide(&ballots).arcs().iter().any(|arc| arc.head == NodeId(4)));
        // Nearness is no opinion of the model's.
        let before = ballots.clone();
        ballots.score(0, &mut crate::ensure::Nearness);
        assert_eq!(ballots, before);
    }
}
