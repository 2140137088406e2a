//! From a sentence to its best tree: score, prune, score again, decode, label.
//!
//! Every arc gets a cheap score; the heads of the best tree by it and the best few of every word are kept. Only these
//! are scored with labels, siblings and grandchildren and decoded. Labels are maximised out for decoding; once the
//! tree is known they are chosen again, with what is around an arc. In training, costs are added to the scores of
//! everything that is not gold, and gold arcs are always kept.
//!
//! The labels of the search and the later ones learn apart: the scores of labels by arcs alone must be good in
//! themselves, since relaxations of several models (tree approximation, merging) see no others.

use super::recipe::{SpanRecipe, Trees};
use pleach_decode::tree::rearrange::rearrange;
use pleach_decode::tree::{Arcs, Eisner, Parts, Root, SecondOrder, SpanningTree};
use pleach_linear::factored::{TreeParts, TreeScorer, TreeTemplates, best_label};
use pleach_linear::scoring::Rows;
use pleach_linear::words::Words;
use std::ops::AddAssign;

/// A tree: the head and the label of every node, the root's own place first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::family) struct Analysis {
    pub heads: Vec<u32>,
    pub labels: Vec<u16>,
}

/// Finds trees; holds the memory for it.
#[derive(Debug, Default)]
pub(in crate::family) struct Search<S> {
    pub scorer: TreeScorer<S>,
    /// The tree that was found.
    pub best: Analysis,
    /// Its labels by the arcs alone, as the search saw them.
    pub first_labels: Vec<u16>,
    /// The heads of the best tree by the filter alone.
    pub filtered: Vec<u32>,
    filter: Arcs,
    tree: Arcs,
    eisner: Eisner,
    spanning: SpanningTree,
    second: SecondOrder,
    /// The candidates and the scores of their factors.
    pub parts: Parts,
    /// The best label of each candidate by the arc alone.
    candidate_labels: Vec<u16>,
    candidates: Vec<(u32, u32)>,
    nearest: Vec<(f32, u32)>,
    scores: Vec<f32>,
    view: TreeParts,
}

/// What a search is about.
#[derive(Clone, Copy, Debug)]
pub(in crate::family) struct Problem<'a> {
    pub recipe: &'a SpanRecipe,
    pub templates: &'a TreeTemplates,
    /// The number of labels.
    pub labels: usize,
    /// How many heads a word keeps at most.
    pub heads: usize,
    pub words: &'a Words,
    /// The right tree, when training.
    pub gold: Option<&'a Analysis>,
}

impl Problem<'_> {
    fn root(&self) -> Root {
        if self.recipe.single_root { Root::Single } else { Root::Many }
    }

    /// What is added to the score of an arc in training.
    fn head_cost(&self, head: usize, dependent: usize) -> f32 {
        let wrong = |gold: &Analysis| gold.heads[dependent] as usize != head;
        if self.gold.is_some_and(wrong) { self.recipe.margin } else { 0.0 }
    }

    /// Adds costs to the scores of labels in training.
    fn add_label_costs(&self, dependent: usize, scores: &mut [f32]) {
        let Some(gold) = self.gold else { return };
        let right = usize::from(gold.labels[dependent]);
        for (label, score) in scores.iter_mut().enumerate() {
            *score += if label == right { 0.0 } else { self.recipe.margin / 2.0 };
        }
    }
}

impl<S: Copy + Default + AddAssign> Search<S> {
    /// Finds the best tree of a sentence.
    pub fn run(&mut self, rows: &impl Rows<Sum = S>, problem: &Problem<'_>) {
        if self.prepare(rows, problem, |_, _, _| ()) {
            self.decode(problem);
            self.label(rows, problem);
        }
    }

    /// Chooses and scores the parts of a sentence, second-order ones included; `look` sees every candidate (head,
    /// dependent) with the score of its arc and those of its labels. False when there are no words.
    pub fn prepare(
        &mut self,
        rows: &impl Rows<Sum = S>,
        problem: &Problem<'_>,
        look: impl FnMut((usize, usize), f32, &[f32]),
    ) -> bool {
        let nodes = problem.words.len() + 1;
        for heads in [&mut self.best.heads, &mut self.filtered] {
            heads.clear();
            heads.resize(nodes, 0);
        }
        for labels in [&mut self.best.labels, &mut self.first_labels] {
            labels.clear();
            labels.resize(nodes, 0);
        }
        if nodes < 2 {
            return false;
        }
        self.scorer.begin();
        self.scorer.arcs(rows, problem.templates, problem.words, &mut self.filter, &mut self.tree);
        self.prune(problem);
        self.score_candidates(rows, problem, look);
        if let Some(second) = &problem.templates.second {
            self.scorer.second_order(rows, second, problem.words, &mut self.parts);
        }
        true
    }

    /// Chooses the arcs that are looked at closely.
    fn prune(&mut self, problem: &Problem<'_>) {
        let nodes = self.filter.nodes();
        for dependent in 1..nodes {
            for head in 0..nodes {
                let cost = problem.head_cost(head, dependent);
                if cost != 0.0 {
                    self.filter.add(head, dependent, cost);
                }
            }
        }
        match problem.recipe.trees {
            Trees::Spanning => self.spanning.decode(&self.filter, problem.root(), &mut self.filtered),
            _ => {
                self.eisner.decode(&self.filter, problem.root(), &mut self.filtered);
            }
        }
        self.candidates.clear();
        for dependent in 1..nodes {
            let scores = self.filter.heads_of(dependent).iter().enumerate();
            self.nearest.clear();
            self.nearest.extend(scores.filter(|&(h, _)| h != dependent).map(|(h, &score)| (score, h as u32)));
            let better = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
            if self.nearest.len() > problem.heads {
                self.nearest.select_nth_unstable_by(problem.heads - 1, better);
                self.nearest.truncate(problem.heads);
            }
            let best = self.nearest.iter().fold(f32::NEG_INFINITY, |best, &(score, _)| best.max(score));
            let least = best - problem.recipe.gap * problem.recipe.margin;
            self.nearest.retain(|&(score, _)| score >= least);
            let kept = self.nearest.iter().map(|&(_, head)| head).chain([self.filtered[dependent]]);
            let gold = problem.gold.map(|gold| gold.heads[dependent]);
            self.candidates.extend(kept.chain(gold).map(|head| (head, dependent as u32)));
        }
        self.parts.arcs.reset(nodes, &mut self.candidates);
        self.parts.reset();
    }

    fn score_candidates(
        &mut self,
        rows: &impl Rows<Sum = S>,
        problem: &Problem<'_>,
        mut look: impl FnMut((usize, usize), f32, &[f32]),
    ) {
        let Problem { templates, words, labels, .. } = *problem;
        self.scores.resize(labels, 0.0);
        self.candidate_labels.clear();
        for arc in 0..self.parts.arcs.len() {
            let (head, dependent) = (self.parts.arcs.head(arc), self.parts.arcs.dependent(arc));
            self.scorer.labels(rows, templates, words, head, dependent, &mut self.scores);
            problem.add_label_costs(dependent, &mut self.scores);
            look((head, dependent), self.tree.get(head, dependent), &self.scores);
            let (label, score) = best_label(&self.scores);
            self.candidate_labels.push(label as u16);
            self.parts.scores[arc] =
                self.tree.get(head, dependent) + score + problem.head_cost(head, dependent);
        }
    }

    fn decode(&mut self, problem: &Problem<'_>) {
        let (root, heads) = (problem.root(), &mut self.best.heads);
        if problem.templates.second.is_some() {
            if self.second.decode(&self.parts, root, heads).is_none() {
                // The chart is too large for this sentence; the filter's tree always is among the candidates.
                heads.copy_from_slice(&self.filtered);
            }
            if problem.recipe.trees == Trees::Rearranged {
                rearrange(&self.parts, root, problem.recipe.threshold, heads);
            }
            return;
        }
        self.tree.reset(problem.words.len() + 1, f32::NEG_INFINITY);
        for arc in 0..self.parts.arcs.len() {
            self.tree.set(self.parts.arcs.head(arc), self.parts.arcs.dependent(arc), self.parts.scores[arc]);
        }
        match problem.recipe.trees {
            Trees::Spanning => self.spanning.decode(&self.tree, root, heads),
            _ => {
                self.eisner.decode(&self.tree, root, heads);
            }
        }
    }

    fn label(&mut self, rows: &impl Rows<Sum = S>, problem: &Problem<'_>) {
        self.view.fill(&self.best.heads);
        for dependent in 1..self.best.heads.len() {
            let arc = self.parts.arcs.find(self.best.heads[dependent] as usize, dependent);
            let first = arc.map_or(0, |arc| self.candidate_labels[arc]);
            self.first_labels[dependent] = first;
            self.best.labels[dependent] = if problem.templates.second.is_some() {
                let Problem { templates, words, .. } = *problem;
                self.scorer.labels_in_tree(rows, templates, words, &self.view, dependent, &mut self.scores);
                problem.add_label_costs(dependent, &mut self.scores);
                best_label(&self.scores).0 as u16
            } else {
                first
            };
        }
    }
}
