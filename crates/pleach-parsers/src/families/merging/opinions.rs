//! What three trees think of arcs, looked up when a repair asks for one: most repairs ask for a few.

use super::edges::{Candidates, Edge, Edges, edge};
use super::meanings::Meanings;
use crate::ensure::{ArcScores, Nearness};
use crate::trees::Said;
use pleach_decode::merge::TREES;
use pleach_graph::{NodeId, Text};

/// The best that any tree thinks of each arc that is a candidate somewhere; all others are worse, the longer the worse.
#[derive(Debug)]
pub(super) struct Opinions<'a> {
    pub meanings: &'a Meanings,
    pub candidates: &'a [Candidates; TREES],
    pub edges: &'a Edges,
    /// The lowest score of all, once it was needed.
    pub least: Option<f32>,
}

/// The labels that something said about an edge gives to the arc to the right, and to the one to the left.
fn labels_of<'s>(said: &'s Said, edge: &Edge, to_the_left: bool) -> &'s [Text] {
    match to_the_left {
        false => said.along(),
        // Nothing can point at the root.
        true if edge.left == 0 => &[],
        true => said.against(),
    }
}

impl<'a> Opinions<'a> {
    /// The scores of all labels of all trees that say something about an edge, and what they say.
    fn readings(&self, edge: &Edge) -> impl Iterator<Item = (f32, &'a Said)> + use<'a> {
        let (meanings, candidates, edge) = (self.meanings, self.candidates, *edge);
        (0..TREES).flat_map(move |tree| {
            edge.arcs(tree).flat_map(move |(side, arc)| {
                let scores = candidates[tree].labels(arc).iter();
                let readings = meanings.by_label(tree, side).iter();
                scores
                    .zip(readings)
                    .filter_map(|(&score, &reading)| Some((score, meanings.said.get(reading as usize)?)))
            })
        })
    }

    /// The best score of an arc, and what is said with it; the first one among equals.
    fn best(&self, head: NodeId, dependent: NodeId) -> Option<(f32, &'a [Text])> {
        let edge = self.edges.find(edge((head.0, dependent.0)))?;
        let mut best: Option<(f32, &[Text])> = None;
        for (score, said) in self.readings(edge) {
            let labels = labels_of(said, edge, head > dependent);
            if !labels.is_empty() && best.is_none_or(|(known, _)| known < score) {
                best = Some((score, labels));
            }
        }
        best
    }

    fn least(&mut self) -> f32 {
        let scores = || {
            let edges = self.edges.all.iter();
            edges.flat_map(|edge| {
                let stands = move |said: &Said| {
                    [false, true].into_iter().any(|left| !labels_of(said, edge, left).is_empty())
                };
                self.readings(edge).filter(move |(_, said)| stands(said)).map(|(score, _)| score)
            })
        };
        let least = self.least.unwrap_or_else(|| scores().fold(0.0, f32::min));
        *self.least.insert(least)
    }
}

impl ArcScores for Opinions<'_> {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        let known = self.best(head, dependent).map(|(score, _)| score);
        known.unwrap_or_else(|| self.least() + Nearness.score(head, dependent))
    }

    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text> {
        self.best(head, dependent).map_or_else(Vec::new, |(_, labels)| labels.to_vec())
    }
}
