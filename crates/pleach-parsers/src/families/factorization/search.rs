//! From a sentence to the arcs that every model chooses from, with all scores: filter, score, maximise labels out.
//!
//! All models score all arcs that tags allow; by the sum of their filters every word keeps a few heads. The labels of the
//! candidates are scored by all models and the one with the best sum is taken: since a label counts only where the
//! models agree, that is exact. What is left are chains over unlabelled arcs. O(n²) cheap parts, O(k·n) labels and
//! O(k²·n) neighbours for k candidates a word.

use super::pruning::Pruning;
use pleach_decode::markov::{Candidate, Centre, Markov, Order};
use pleach_decode::tree::Arcs;
use pleach_linear::factored::{ChainScorer, ChainTemplates, FilterScores, best_label};
use pleach_linear::scoring::Rows;
use pleach_linear::words::Words;
use std::ops::AddAssign;

/// Longer sentences are cut into pieces of this many words, which are parsed apart.
pub(super) const MOST_WORDS: usize = 500;

/// A chain model without its weights.
#[derive(Debug)]
pub(super) struct ChainModel {
    pub centre: Centre,
    pub order: Order,
    pub templates: ChainTemplates,
    /// What it counts among the models.
    pub weight: f32,
}

/// The arcs of a graph as (dependent, head, label set), sorted.
pub(super) type GoldArcs = Vec<(u32, u32, u16)>;

/// What a search is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<'a> {
    pub models: &'a [ChainModel],
    pub pruning: Option<&'a Pruning>,
    /// The number of label sets; they count from 1.
    pub labels: usize,
    /// How many heads a word keeps.
    pub heads: usize,
    /// Arcs that the filter scores below minus this are dropped.
    pub filter: f32,
    pub words: &'a Words,
    /// Arcs that are candidates in any case, by dependents, then by heads.
    pub also: &'a [Candidate],
    /// In training, how many wrong arcs a missing one is as bad as.
    pub missing: f32,
    /// The right graph, when training, and by how much wrong arcs must be worse.
    pub gold: Option<(&'a GoldArcs, f32)>,
}

impl Problem<'_> {
    /// The gold label of an arc; `None` if it is no gold arc, or when not training.
    pub fn gold_label(&self, head: u32, dependent: u32) -> Option<u16> {
        let (arcs, _) = self.gold?;
        let place = arcs.binary_search_by_key(&(dependent, head), |&(dependent, head, _)| (dependent, head));
        place.ok().map(|place| arcs[place].2)
    }

    /// Whether an arc is looked at; gold arcs always are.
    pub fn wants(&self, head: usize, dependent: usize) -> bool {
        let (head, dependent) = (head as u32, dependent as u32);
        let allowed = |pruning: &Pruning| pruning.allows(self.words, head, dependent);
        let wanted = || self.also.binary_search_by_key(&(dependent, head), by_dependent).is_ok();
        self.pruning.is_none_or(allowed) || wanted() || self.gold_label(head, dependent).is_some()
    }

    /// What is added to the score of a labelled arc in training: all that is wrong becomes better, all that is right
    /// worse.
    fn cost(&self, head: u32, dependent: u32, label: u16) -> f32 {
        let Some((_, margin)) = self.gold else { return 0.0 };
        match self.gold_label(head, dependent) {
            None => margin,
            Some(gold) if gold == label => -margin * self.missing,
            Some(_) => margin * (0.5 - self.missing),
        }
    }

    fn limit(&self, word: u32, centre: Centre) -> usize {
        self.pruning.map_or(usize::MAX, |pruning| pruning.limit(self.words, word, centre))
    }
}

/// The order of candidates.
fn by_dependent(arc: &Candidate) -> (u32, u32) {
    (arc.dependent, arc.head)
}

/// A model's part of the memory.
#[derive(Debug)]
pub(super) struct Space<S> {
    pub scorer: ChainScorer<S>,
    pub markov: Markov,
    /// The scores of all arcs.
    arcs: Arcs,
    /// The scores of the candidates with their labels.
    one: Vec<f32>,
}

/// Prepares sentences; holds the memory for it.
#[derive(Debug)]
pub(super) struct Search<S> {
    pub spaces: Vec<Space<S>>,
    pub filter: FilterScores,
    /// The candidates, and the best label of each.
    pub arcs: Vec<Candidate>,
    pub labels: Vec<u16>,
    counts: Vec<u32>,
    scores: Vec<f32>,
    /// The sums of the models' scores for the labels of each candidate.
    pub sums: Vec<f32>,
}

impl<S> Default for Search<S> {
    fn default() -> Self {
        Search {
            spaces: Vec::new(),
            filter: FilterScores::default(),
            arcs: Vec::new(),
            labels: Vec::new(),
            counts: Vec::new(),
            scores: Vec::new(),
            sums: Vec::new(),
        }
    }
}

impl<S: Copy + Default + AddAssign> Search<S> {
    /// Scores a sentence: after this the chains of all models are ready to be decoded. `rows` are the weights of the models.
    pub fn prepare<R: Rows<Sum = S>>(&mut self, rows: &[&R], problem: &Problem<'_>) {
        self.start(problem);
        self.score_arcs(rows, problem);
        self.choose(problem);
        self.score_labels(rows, problem);
        self.fill_chains(rows, problem);
    }

    fn start(&mut self, problem: &Problem<'_>) {
        let nodes = problem.words.len() + 1;
        let fits = |(space, model): (&Space<S>, &ChainModel)| {
            (space.markov.centre(), space.markov.order()) == (model.centre, model.order)
        };
        if self.spaces.len() != problem.models.len() || !self.spaces.iter().zip(problem.models).all(fits) {
            self.spaces.clear();
            self.spaces.extend(problem.models.iter().map(|model| Space {
                scorer: ChainScorer::default(),
                markov: Markov::new(model.centre, model.order),
                arcs: Arcs::default(),
                one: Vec::new(),
            }));
        }
        for space in &mut self.spaces {
            space.scorer.begin();
            space.arcs.reset(nodes, f32::NEG_INFINITY);
        }
        self.filter.reset(nodes);
    }

    fn score_arcs<R: Rows<Sum = S>>(&mut self, rows: &[&R], problem: &Problem<'_>) {
        for ((space, model), rows) in self.spaces.iter_mut().zip(problem.models).zip(rows) {
            let wanted = |head, dependent| problem.wants(head, dependent);
            let add = |head, dependent, filter, arc| {
                self.filter.add(head, dependent, filter);
                space.arcs.set(head, dependent, arc);
            };
            space.scorer.arcs(*rows, &model.templates, problem.words, wanted, add);
        }
    }

    /// The candidates: what the filter likes, what is wanted in any case, and what is gold. A word with too many of them for a chain loses those that the
    /// filter likes least.
    fn choose(&mut self, problem: &Problem<'_>) {
        let arcs = &mut self.arcs;
        arcs.clear();
        self.filter.candidates(problem.heads, -problem.filter, |head, dependent| {
            arcs.push(Candidate { head, dependent });
        });
        arcs.extend_from_slice(problem.also);
        if let Some((gold, _)) = problem.gold {
            arcs.extend(gold.iter().map(|&(dependent, head, _)| Candidate { head, dependent }));
        }
        arcs.sort_by_key(by_dependent);
        arcs.dedup();
        let most = problem.models.iter().map(|model| model.order.most_choices()).min().unwrap_or(usize::MAX);
        for centre in [Centre::Predicate, Centre::Argument] {
            let of = |arc: &Candidate| centre.of(arc.head, arc.dependent).0;
            self.counts.clear();
            self.counts.resize(problem.words.len() + 1, 0);
            self.arcs.iter().for_each(|arc| self.counts[of(arc) as usize] += 1);
            if self.counts.iter().all(|&count| count as usize <= most) {
                continue;
            }
            let score = |arc: &Candidate| self.filter.filter.get(arc.head as usize, arc.dependent as usize);
            self.arcs.sort_by(|a, b| score(b).total_cmp(&score(a)));
            self.counts.fill(0);
            self.arcs.retain(|arc| {
                let count = &mut self.counts[of(arc) as usize];
                *count += 1;
                *count as usize <= most
            });
            self.arcs.sort_by_key(by_dependent);
        }
    }

    fn score_labels<R: Rows<Sum = S>>(&mut self, rows: &[&R], problem: &Problem<'_>) {
        let width = problem.labels + 1;
        let models = self.spaces.len();
        self.labels.clear();
        self.sums.clear();
        self.spaces.iter_mut().for_each(|space| space.one.clear());
        for place in 0..self.arcs.len() {
            let Candidate { head, dependent } = self.arcs[place];
            self.add_labels(rows, problem, (head, dependent));
            let sums = &self.sums[place * width..];
            let cost = |label: usize| problem.cost(head, dependent, label as u16);
            let better = |best: (usize, f32), label: usize| {
                let score = sums[label] + cost(label);
                if score > best.1 { (label, score) } else { best }
            };
            let (label, _) = (1..width).fold((0, f32::NEG_INFINITY), better);
            self.labels.push(label as u16);
            let cost = cost(label);
            for (m, (space, model)) in self.spaces.iter_mut().zip(problem.models).enumerate() {
                let arc = space.arcs.get(head as usize, dependent as usize);
                space.one.push(model.weight * (arc + self.scores[m * width + label]) + cost / models as f32);
            }
        }
    }

    /// Scores the labels of an arc by all models, and adds their sums to `sums`.
    fn add_labels<R: Rows<Sum = S>>(&mut self, rows: &[&R], problem: &Problem<'_>, arc: (u32, u32)) {
        let width = problem.labels + 1;
        self.scores.resize(width * self.spaces.len(), 0.0);
        let from = self.sums.len();
        self.sums.resize(from + width, 0.0);
        let sums = &mut self.sums[from..];
        for (m, (space, model)) in self.spaces.iter_mut().zip(problem.models).enumerate() {
            let scores = &mut self.scores[m * width..(m + 1) * width];
            space.scorer.labels(rows[m], &model.templates, problem.words, arc, scores);
            sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += model.weight * *score);
        }
    }

    /// Scores all arcs of a sentence that tags allow, for [`Search::alone`].
    pub fn prepare_alone<R: Rows<Sum = S>>(&mut self, rows: &[&R], problem: &Problem<'_>) {
        self.start(problem);
        self.score_arcs(rows, problem);
    }

    /// What the models think of an arc alone: its best label and its score with it.
    pub fn alone<R: Rows<Sum = S>>(
        &mut self,
        rows: &[&R],
        problem: &Problem<'_>,
        (head, dependent): (u32, u32),
    ) -> (u16, f32) {
        self.sums.clear();
        self.add_labels(rows, problem, (head, dependent));
        let (label, score) = best_label(&self.sums[1..]);
        let arcs = self.spaces.iter().zip(problem.models);
        let arcs =
            arcs.map(|(space, model)| model.weight * space.arcs.get(head as usize, dependent as usize));
        (label as u16 + 1, score + arcs.sum::<f32>())
    }

    fn fill_chains<R: Rows<Sum = S>>(&mut self, rows: &[&R], problem: &Problem<'_>) {
        let nodes = problem.words.len() + 1;
        for ((space, model), rows) in self.spaces.iter_mut().zip(problem.models).zip(rows) {
            let Space { scorer, markov, one, .. } = space;
            markov.reset(nodes, &self.arcs, |word| problem.limit(word, model.centre));
            for (word, chain, arcs) in markov.chains() {
                for (choice, &arc) in arcs.iter().enumerate() {
                    *chain.one_mut(choice) = one[arc as usize];
                }
                scorer.neighbours(*rows, &model.templates, problem.words, word, model.weight, chain);
            }
        }
    }
}
