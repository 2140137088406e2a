//! The graph that the trees of three models make (`sun-2019` section 4.3).
//!
//! Each tree says something about edges, with a tag for what the other trees say. The readings of an edge (which labels, in
//! which direction) that the trees like best get numbers, the others fall to the best one: constraints are about
//! numbered statements. With one iteration the trees are merged as they are.

use super::meanings::Meanings;
use super::recipe::MergingRecipe;
use super::voices::{Scorers, Voices};
use crate::ensure::Listed;
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

/// The candidate arcs of a tree, with the scores of all their labels.
#[derive(Debug, Default)]
struct Candidates {
    /// (head, dependent).
    arcs: Vec<(u32, u32)>,
    /// Those of the first arc's labels, then those of the second one's …, the arc's own score included.
    scores: Vec<f32>,
    labels: usize,
}

impl Candidates {
    fn iter(&self) -> impl Iterator<Item = ((u32, u32), &[f32])> {
        self.arcs.iter().copied().zip(self.scores.chunks(self.labels.max(1)))
    }

    fn labels(&self, arc: usize) -> &[f32] {
        &self.scores[arc * self.labels..(arc + 1) * self.labels]
    }
}

/// The edge of an arc.
pub(super) fn edge((head, dependent): (u32, u32)) -> (u32, u32) {
    (head.min(dependent), head.max(dependent))
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
    pub statements: Vec<Statement>,
    /// The first statement about an edge, and how many there are.
    pub edges: BTreeMap<(u32, u32), (u32, u32)>,
    best: Vec<f32>,
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
            let Candidates { arcs, scores, labels } = &mut space.candidates[tree];
            arcs.clear();
            scores.clear();
            *labels = model.labels().len();
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
    }

    /// Numbers the statements: for every edge that some tree may have, the readings that some tree likes
    /// best.
    fn number(&self, space: &mut Space) {
        let Space { candidates, statements, edges, best, .. } = space;
        edges.clear();
        for &arc in candidates.iter().flat_map(|candidates| &candidates.arcs) {
            edges.insert(edge(arc), (0, 0));
        }
        // The best score of each reading of each edge, by any tree.
        let width = self.meanings.readings.len();
        best.clear();
        best.resize(edges.len() * width, f32::NEG_INFINITY);
        for (place, value) in edges.values_mut().enumerate() {
            value.0 = place as u32;
        }
        for (tree, candidates) in candidates.iter().enumerate() {
            for (arc, labels) in candidates.iter() {
                let (place, _) = edges[&edge(arc)];
                let best = &mut best[place as usize * width..][..width];
                for (label, &score) in labels.iter().enumerate() {
                    if let Some((reading, _)) = self.meanings.says(tree, label, arc) {
                        let known = &mut best[reading as usize];
                        *known = known.max(score);
                    }
                }
            }
        }
        statements.clear();
        for (&(left, right), value) in edges.iter_mut() {
            let scores = &best[value.0 as usize * width..][..width];
            let first = statements.len() as u32;
            let mut order: Vec<u32> =
                (0..width as u32).filter(|&reading| scores[reading as usize] > f32::NEG_INFINITY).collect();
            order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
            order.truncate(self.recipe.readings);
            statements.extend(order.iter().map(|&reading| Statement { left, right, reading }));
            *value = (first, order.len() as u32);
        }
    }

    /// Makes offers of the scores: for every statement and tag the label that says it, and nothing.
    fn offer(&self, space: &mut Space) {
        let Space { candidates, statements, edges, offers, .. } = space;
        for (tree, (candidates, offers)) in candidates.iter().zip(offers).enumerate() {
            offers.tree.set_offers(|number, out| {
                let (arc, labels) = (candidates.arcs[number], candidates.labels(number));
                let (first, count) = edges[&edge(arc)];
                let known = &statements[first as usize..(first + count) as usize];
                let mut nothing = LEAST;
                for (label, &score) in labels.iter().enumerate() {
                    match self.meanings.says(tree, label, arc) {
                        None => nothing = score.max(nothing),
                        Some((reading, tag)) => {
                            let place = known.iter().position(|statement| statement.reading == reading);
                            let number = place.map(|place| first + place as u32);
                            out.extend(number.map(|number| Offer::one(score, item(number, tag))));
                        }
                    }
                }
                out.push(Offer::nothing(nothing));
            });
        }
    }

    /// The arcs that the trees make together: all edges that some tree says something about. What is said is chosen anew,
    /// by all trees that have the edge and with what is around it in each.
    pub fn arcs(&self, scorers: &mut Scorers<'_>, words: usize, space: &mut Space) -> Vec<Arc> {
        let Space { offers, relaxation, statements, edges, best, said, changes, .. } = space;
        let (width, items) = (self.meanings.readings.len(), statements.len() * TAGS as usize);
        edges.clear();
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
                let next = edges.len() as u32;
                let place = edges.entry(edge(arc)).or_insert((next, 0)).0 as usize * width;
                best.resize(best.len().max(place + width), 0.0);
                // What the tree thinks of a reading is the score of the best label that says it.
                said.clear();
                said.resize(width, LEAST);
                for (label, &score) in model.label(&mut scorers.of(tree), word, offers).iter().enumerate() {
                    if let Some((reading, _)) = self.meanings.says(tree, label, arc) {
                        let known = &mut said[reading as usize];
                        *known = known.max(score);
                    }
                }
                best[place..].iter_mut().zip(&*said).for_each(|(vote, score)| *vote += score);
            }
        }
        let mut arcs = Vec::new();
        for (&(left, right), &(place, _)) in edges.iter() {
            let scores = &best[place as usize * width..][..width];
            let said = &self.meanings.readings[best_choice(scores).0];
            arcs.extend(said.arcs(NodeId(left), NodeId(right)));
        }
        arcs
    }

    /// The best that any tree thinks of each arc that is a candidate somewhere.
    pub fn list(&self, scorers: &mut Scorers<'_>, space: &mut Space) -> Listed {
        let known = |(number, words): &(u64, Words)| *number == self.number && words == scorers.words();
        if !space.of.as_ref().is_some_and(known) {
            self.collect(scorers, space, false);
        }
        let mut list = Listed::default();
        for (tree, candidates) in space.candidates.iter().enumerate() {
            for (arc, labels) in candidates.iter() {
                self.add_readings(tree, arc, labels, &mut list);
            }
        }
        list
    }

    /// Adds to a list what a tree arc says with each of its labels.
    fn add_readings(&self, tree: usize, arc: (u32, u32), labels: &[f32], list: &mut Listed) {
        let (left, right) = edge(arc);
        for (label, &score) in labels.iter().enumerate() {
            let Some((reading, _)) = self.meanings.says(tree, label, arc) else { continue };
            let said = &self.meanings.readings[reading as usize];
            for arc in said.arcs(NodeId(left), NodeId(right)) {
                let same = |other: &Arc| (other.head, other.dependent) == (arc.head, arc.dependent);
                list.add(arc.head, arc.dependent, score, || {
                    said.arcs(NodeId(left), NodeId(right)).filter(same).map(|arc| arc.label).collect()
                });
            }
        }
    }
}
