//! The graph that the trees of three models make (`sun-2019` section 4.3).
//!
//! Each tree says something about edges, with a tag for what the other trees say. The readings of an edge (which labels, in
//! which direction) that the trees like best get numbers, the others fall to the best one: constraints are about
//! numbered statements. With one iteration the trees are merged as they are.

use super::edges::{Candidates, Edges, edge, side};
use super::meanings::{Meanings, Saying};
use super::opinions::Opinions;
use super::recipe::MergingRecipe;
use super::voices::{Scorers, Voices};
use crate::families::batch;
use crate::families::offers::{OfferModel, OfferSpace};
use crate::scorer::ModelScorer;
use crate::workspace::Workspace;
use pleach_decode::merge::TREES;
use pleach_decode::merge::consistency::{Consistency, TAGS, item};
use pleach_decode::merge::offers::Offer;
use pleach_decode::part::best_choice;
use pleach_decode::relax::{Iteration, Outcome, Relaxation, Settings, Subproblem};
use pleach_graph::words::Words;
use pleach_graph::{Arc, Graph, NodeId, Sentence};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Three tree models and what is made of their trees; who scores is apart.
#[derive(Debug)]
pub(super) struct Merger {
    pub recipe: MergingRecipe,
    pub models: [OfferModel; TREES],
    pub meanings: Meanings,
    /// How they share a scorer, if they do.
    pub voices: Option<Voices>,
    /// No other merger of this process has the same number.
    number: u64,
}

/// How many mergers there were.
static MERGERS: AtomicU64 = AtomicU64::new(0);

/// A numbered statement: an edge from left to right, and what is said about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    pub left: u32,
    pub right: u32,
    pub reading: u32,
}

/// Stands for minus infinity where there must be a number.
const LEAST: f32 = -1e5;

/// What is known of one sentence; the memory is kept from sentence to sentence.
#[derive(Debug, Default)]
pub(super) struct Space {
    offers: [OfferSpace; TREES],
    relaxation: Relaxation,
    candidates: [Candidates; TREES],
    /// Whose candidates these are: the merger's number and the words. Repairs often follow on the search.
    of: Option<(u64, Words)>,
    pub edges: Edges,
    pub statements: Vec<Statement>,
    best: Vec<f32>,
    /// The best readings of an edge, and the labels that say them.
    top: Vec<(f32, u32)>,
    sayings: Vec<Saying>,
    /// The edges of the graph, and where the votes on each begin.
    chosen: BTreeMap<(u32, u32), usize>,
    said: Vec<f32>,
    changes: Vec<f64>,
}

/// What parsing several sentences needs in memory.
#[derive(Debug, Default)]
pub(super) struct BatchSpace {
    pub words: Vec<Words>,
    pub scoring: [Workspace; TREES],
    pub merging: Space,
}

impl Merger {
    /// Three models that were trained apart, or share a scorer.
    pub fn new(recipe: MergingRecipe, models: [OfferModel; TREES]) -> Self {
        let labels = models.each_ref().map(OfferModel::labels);
        let meanings = Meanings::new(labels);
        let voices = recipe.share.then(|| Voices::new(labels));
        let number = MERGERS.fetch_add(1, Ordering::Relaxed);
        Merger { recipe, models, meanings, voices, number }
    }

    /// Binds the models' scorers, one for each or one for all, to sentences.
    pub fn bind<'a>(
        &'a self,
        scorers: impl Iterator<Item = &'a dyn ModelScorer>,
        words: Vec<&'a Words>,
        scoring: &'a mut [Workspace; TREES],
    ) -> Scorers<'a> {
        let bound = scorers.zip(scoring).map(|(scorer, memory)| scorer.bind(words.clone(), memory));
        Scorers::new(bound.collect(), self.voices.as_ref(), words)
    }

    /// The graphs of sentences without empty nodes.
    pub fn graphs<'a>(
        &'a self,
        scorers: impl Iterator<Item = &'a dyn ModelScorer>,
        sentences: &[Sentence],
        space: &'a mut BatchSpace,
    ) -> Vec<Graph> {
        let BatchSpace { words, scoring, merging } = space;
        let mut scorers = self.bind(scorers, batch::fill(words, sentences.iter(), &[]), scoring);
        let graph = |(number, sentence): (usize, &Sentence)| {
            let len = sentence.len();
            if len == 0 {
                return Graph::new(0);
            }
            scorers.turn_to(number);
            self.merge(&mut scorers, merging, None);
            Graph::from_arcs(len, self.arcs(&mut scorers, len, merging))
        };
        sentences.iter().enumerate().map(graph).collect()
    }

    /// Finds the trees of the sentence that was turned to; says how they were found.
    pub fn merge(
        &self,
        scorers: &mut Scorers<'_>,
        space: &mut Space,
        trace: Option<&mut Vec<Iteration>>,
    ) -> Outcome {
        self.collect(scorers, space, true);
        self.number(space);
        self.offer(space);
        let unit = f64::from(self.models[0].margin());
        let settings = Settings {
            iterations: self.recipe.iterations,
            step: self.recipe.step * unit,
            tolerance: 1e-3 * unit,
            ..Settings::default()
        };
        let mut consistency = Consistency { statements: space.statements.len() as u32 };
        let mut subproblems = space.offers.each_mut().map(|offers| &mut offers.tree as &mut dyn Subproblem);
        space.relaxation.solve(&mut subproblems, &mut consistency, &settings, trace)
    }

    /// Looks at what all trees think of all labels, and of siblings and grandchildren if trees are going to be decoded.
    fn collect(&self, scorers: &mut Scorers<'_>, space: &mut Space, decoded: bool) {
        let words = scorers.words();
        space.of = Some((self.number, words.clone()));
        for (tree, model) in self.models.iter().enumerate() {
            let Candidates { arcs, scores, width } = &mut space.candidates[tree];
            arcs.clear();
            scores.clear();
            *width = model.labels().len();
            model.prepare(
                &mut scorers.of(tree),
                (words, decoded),
                &mut space.offers[tree],
                |arc, score, labels, offers| {
                    arcs.push(arc);
                    scores.extend(labels.iter().map(|label| label + score));
                    offers.push(Offer::nothing(0.0));
                },
            );
        }
        space.edges.collect(words.len() + 1, &space.candidates);
    }

    /// Numbers the statements: for every edge that some tree may have, the readings that some tree likes
    /// best.
    fn number(&self, space: &mut Space) {
        let Space { candidates, statements, edges, best, top, .. } = space;
        let width = self.meanings.said.len();
        statements.clear();
        for edge in &mut edges.all {
            // The best score of each reading, by any tree; what says nothing comes last.
            best.clear();
            best.resize(width + 1, f32::NEG_INFINITY);
            for (tree, candidates) in candidates.iter().enumerate() {
                for (side, arc) in edge.arcs(tree) {
                    let readings = self.meanings.by_label(tree, side).iter();
                    for (&reading, &score) in readings.zip(candidates.labels(arc)) {
                        let known = &mut best[reading as usize];
                        *known = known.max(score);
                    }
                }
            }
            keep_best(&best[..width], self.recipe.readings, top);
            (edge.first, edge.count) = (statements.len() as u32, top.len() as u32);
            let (left, right) = (edge.left, edge.right);
            statements.extend(top.iter().map(|&(_, reading)| Statement { left, right, reading }));
        }
    }

    /// Makes offers of the scores: for every statement and tag the label that says it, and nothing.
    fn offer(&self, space: &mut Space) {
        let Space { candidates, statements, edges, offers, sayings, .. } = space;
        for (tree, (candidates, offers)) in candidates.iter().zip(offers).enumerate() {
            offers.tree.set_offers(|number, out| {
                let (arc, labels) = (candidates.arcs[number], candidates.labels(number));
                let (first, count) = edges.find(edge(arc)).map_or((0, 0), |edge| (edge.first, edge.count));
                sayings.clear();
                for about in first..first + count {
                    let said = self.meanings.sayings(tree, side(arc), statements[about as usize].reading);
                    sayings.extend(said.iter().map(|&(label, tag)| (label, item(about, tag))));
                }
                // Among equals the first label wins.
                sayings.sort_unstable();
                out.extend(sayings.iter().map(|&(label, item)| Offer::one(labels[label as usize], item)));
                let silent = self.meanings.silent(tree).iter().map(|&label| labels[label as usize]);
                out.push(Offer::nothing(silent.fold(LEAST, f32::max)));
            });
        }
    }

    /// The arcs that the trees make together: all edges that some tree says something about. What is said is chosen anew,
    /// by all trees that have the edge and with what is around it in each.
    pub fn arcs(&self, scorers: &mut Scorers<'_>, words: usize, space: &mut Space) -> Vec<Arc> {
        let Space { offers, relaxation, statements, chosen, best, said, changes, .. } = space;
        let (width, items) = (self.meanings.said.len(), statements.len() * TAGS as usize);
        chosen.clear();
        best.clear();
        let wanted = |tree: usize| self.recipe.subgraph == 0 || self.recipe.subgraph == tree + 1;
        let trees = self.models.iter().zip(offers).enumerate();
        for (tree, (model, offers)) in trees.filter(|(tree, _)| wanted(*tree)) {
            offers.tree.recall(relaxation.solution(tree), items, changes);
            model.look_around(offers);
            for word in 1..=words {
                let arc = (offers.tree.heads()[word], word as u32);
                if offers.tree.says_nothing(arc.0 as usize, word) {
                    continue;
                }
                let next = chosen.len() * width;
                let place = *chosen.entry(edge(arc)).or_insert(next);
                best.resize(best.len().max(place + width), 0.0);
                // What the tree thinks of a reading is the score of the best label that says it; what says nothing comes last.
                said.clear();
                said.resize(width + 1, LEAST);
                let readings = self.meanings.by_label(tree, side(arc)).iter();
                for (&reading, &score) in readings.zip(model.label(&mut scorers.of(tree), word, offers)) {
                    let known = &mut said[reading as usize];
                    *known = known.max(score);
                }
                best[place..place + width].iter_mut().zip(&*said).for_each(|(vote, score)| *vote += score);
            }
        }
        let mut arcs = Vec::new();
        for (&(left, right), &place) in chosen.iter() {
            let scores = &best[place..place + width];
            let said = &self.meanings.said[best_choice(scores).0];
            arcs.extend(said.arcs(NodeId(left), NodeId(right)));
        }
        arcs
    }

    /// Makes sure that the candidates are those of the sentence that was turned to.
    pub fn look_again(&self, scorers: &mut Scorers<'_>, space: &mut Space) {
        let known = |(number, words): &(u64, Words)| *number == self.number && words == scorers.words();
        if !space.of.as_ref().is_some_and(known) {
            self.collect(scorers, space, false);
        }
    }

    /// What the trees think of the arcs of the sentence that was last looked at.
    pub fn opinions<'a>(&'a self, Space { candidates, edges, .. }: &'a Space) -> Opinions<'a> {
        Opinions { meanings: &self.meanings, candidates, edges, least: None }
    }
}

/// The places of the highest scores with these, best first and the first one among equals; those without a score are left out.
fn keep_best(scores: &[f32], most: usize, top: &mut Vec<(f32, u32)>) {
    top.clear();
    for (place, &score) in scores.iter().enumerate() {
        let full = top.len() == most;
        if score == f32::NEG_INFINITY
            || (full && top.last().is_none_or(|last| last.0.total_cmp(&score).is_ge()))
        {
            continue;
        }
        if full {
            top.pop();
        }
        let rank = top.partition_point(|other| other.0.total_cmp(&score).is_ge());
        top.insert(rank, (score, place as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_best_readings_are_those_that_sorting_would_give() {
        let mut top = Vec::new();
        for seed in 0..300 {
            let below = |place: u64, limit: usize| Random::new(seed, place).below(limit);
            let scores: Vec<f32> = (0..seed % 9)
                .map(|place| match below(place, 4) {
                    0 => f32::NEG_INFINITY,
                    _ => below(place + 50, 5) as f32 - 2.0,
                })
                .collect();
            let mut all: Vec<(f32, u32)> = scores.iter().copied().zip(0..).collect();
            all.retain(|(score, _)| *score > f32::NEG_INFINITY);
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for most in 1..4 {
                keep_best(&scores, most, &mut top);
                assert_eq!(top, all[..all.len().min(most)]);
            }
        }
    }
}
