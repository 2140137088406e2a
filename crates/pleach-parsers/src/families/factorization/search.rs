//! From a sentence to the arcs that every model chooses from, with all scores: filter, score, maximise labels out.
//!
//! All models score all arcs that tags allow; by the sum of their filters every word keeps a few heads. The labels of the
//! candidates are scored by all models and the one with the best sum is taken: since a label counts only where the
//! models agree, that is exact. What is left are chains over unlabelled arcs. O(n²) cheap parts, O(k·n) labels and
//! O(k²·n) neighbours for k candidates a word.

use super::problem::{ChainModel, Problem};
use crate::families::sieve::Passed;
use pleach_decode::markov::{
    ARC, CHANNELS, Candidate, Centre, FILTER, FilterScores, Markov, expect_neighbours, score_neighbours,
};
use pleach_decode::part::{Part, PartScorer};
use pleach_decode::relax::Item;
use pleach_decode::tree::Arcs;
use pleach_graph::Node;

/// The arcs of a graph as (dependent, head, label set), sorted.
pub(super) type GoldArcs = Vec<(u32, u32, u16)>;

/// The order of candidates.
pub(super) fn by_dependent(arc: &Candidate) -> (u32, u32) {
    (arc.dependent, arc.head)
}

/// A model's part of the memory.
#[derive(Debug)]
pub(super) struct Space {
    pub markov: Markov,
    /// The scores of all arcs.
    arcs: Arcs,
    /// The scores of the candidates with their labels.
    one: Vec<f32>,
}

/// Prepares sentences; holds the memory for it. `scorers` are those of the problem's models, bound to its sentence.
#[derive(Debug, Default)]
pub(super) struct Search {
    pub spaces: Vec<Space>,
    pub filter: FilterScores,
    /// The candidates, and the best label of each.
    pub arcs: Vec<Candidate>,
    pub labels: Vec<u16>,
    counts: Vec<u32>,
    scores: Vec<f32>,
    expected: Vec<Part>,
    passed: Passed,
    /// The arcs that are looked at.
    marked: Vec<bool>,
    /// The sums of the models' scores for the labels of each candidate.
    pub sums: Vec<f32>,
}

impl Search {
    /// Scores a sentence: after this the chains of all models are ready to be decoded.
    pub fn prepare(&mut self, scorers: &mut [&mut dyn PartScorer], problem: &Problem<'_>) {
        self.start(scorers, problem);
        self.score_arcs(scorers, problem);
        self.choose(problem);
        self.score_labels(scorers, problem);
        self.fill_chains(scorers, problem);
    }

    /// Scores the arcs and chains of a sentence without their labels.
    pub fn prepare_unlabelled(&mut self, scorers: &mut [&mut dyn PartScorer], problem: &Problem<'_>) {
        self.start(scorers, problem);
        self.score_arcs(scorers, problem);
        self.choose(problem);
        self.labels.clear();
        for (space, model) in self.spaces.iter_mut().zip(problem.models) {
            let arc = |arc: &Candidate| space.arcs.get(arc.head as usize, arc.dependent as usize);
            space.one.clear();
            space.one.extend(self.arcs.iter().map(|own| model.weight * arc(own)));
        }
        self.fill_chains(scorers, problem);
    }

    /// Chains have the order of the factors that are scored: empty tables would cost as much as full ones.
    fn start(&mut self, scorers: &[&mut dyn PartScorer], problem: &Problem<'_>) {
        let nodes = problem.words.len() + 1;
        let order = |(model, scorer): (&ChainModel, &&mut dyn PartScorer)| model.order.scored_by(&**scorer);
        let wanted = || problem.models.iter().zip(scorers).map(|pair| (pair.0.centre, order(pair)));
        let here = self.spaces.iter().map(|space| (space.markov.centre(), space.markov.order()));
        if !here.eq(wanted()) {
            self.spaces.clear();
            self.spaces.extend(wanted().map(|(centre, order)| Space {
                markov: Markov::new(centre, order),
                arcs: Arcs::default(),
                one: Vec::new(),
            }));
        }
        self.spaces.iter_mut().for_each(|space| space.arcs.reset(nodes, f32::NEG_INFINITY));
        self.filter.reset(nodes);
    }

    fn score_arcs(&mut self, scorers: &mut [&mut dyn PartScorer], problem: &Problem<'_>) {
        let nodes = problem.words.len() + 1;
        problem.mark(&mut self.passed, &mut self.marked);
        self.expected.clear();
        for dependent in 1..nodes {
            let marked = &self.marked[dependent * nodes..][..nodes];
            let heads = (0..nodes).filter(|&head| marked[head]);
            self.expected.extend(heads.map(|head| Part::arc(head as Node, dependent as Node)));
        }
        let mut scores = [0.0; CHANNELS];
        for ((space, model), scorer) in self.spaces.iter_mut().zip(problem.models).zip(scorers) {
            scorer.expect(&self.expected);
            for &part in &self.expected {
                scorer.score(part, &mut scores);
                let [head, dependent, ..] = part.nodes.map(usize::from);
                let arc = scores[usize::from(ARC)];
                let filter = if problem.filtered { scores[usize::from(FILTER)] } else { model.weight * arc };
                self.filter.add(head, dependent, filter);
                space.arcs.set(head, dependent, arc);
            }
        }
    }

    /// The candidates: what the filter likes, what is wanted in any case, and what is gold. A word with too many of them for
    /// a chain loses those that the filter likes least.
    fn choose(&mut self, problem: &Problem<'_>) {
        let arcs = &mut self.arcs;
        arcs.clear();
        self.filter.candidates(problem.heads, problem.least, |head, dependent| {
            arcs.push(Candidate { head, dependent });
        });
        arcs.extend_from_slice(problem.also);
        if let Some((gold, _)) = problem.gold {
            arcs.extend(gold.iter().map(|&(dependent, head, _)| Candidate { head, dependent }));
        }
        arcs.sort_by_key(by_dependent);
        arcs.dedup();
        let orders = self.spaces.iter().map(|space| space.markov.order().most_choices());
        let most = orders.min().unwrap_or(usize::MAX);
        for centre in [Centre::Predicate, Centre::Argument] {
            let of = |arc: &Candidate| centre.of(arc.head, arc.dependent).0;
            self.counts.clear();
            self.counts.resize(problem.words.len() + 1, 0);
            self.arcs.iter().for_each(|arc| self.counts[of(arc) as usize] += 1);
            if self.counts.iter().all(|&count| count as usize <= most) {
                continue;
            }
            let score = |arc: &Candidate| self.filter.scores.get(arc.head as usize, arc.dependent as usize);
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

    fn score_labels(&mut self, scorers: &mut [&mut dyn PartScorer], problem: &Problem<'_>) {
        let width = problem.labels + 1;
        let models = self.spaces.len();
        self.labels.clear();
        self.sums.clear();
        self.spaces.iter_mut().for_each(|space| space.one.clear());
        self.expected.clear();
        self.expected
            .extend(self.arcs.iter().map(|arc| Part::label(arc.head as Node, arc.dependent as Node)));
        scorers.iter_mut().for_each(|scorer| scorer.expect(&self.expected));
        for place in 0..self.arcs.len() {
            let Candidate { head, dependent } = self.arcs[place];
            self.add_labels(scorers, problem, (head, dependent));
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
                let label = if problem.local { 0.0 } else { self.scores[m * width + label] };
                let score = arc + label - problem.threshold;
                space.one.push(model.weight * score + cost / models as f32);
            }
        }
    }

    /// Scores the labels of an arc by all models, and adds their sums to `sums`.
    fn add_labels(
        &mut self,
        scorers: &mut [&mut dyn PartScorer],
        problem: &Problem<'_>,
        (head, dependent): (u32, u32),
    ) {
        let width = problem.labels + 1;
        self.scores.resize(width * self.spaces.len(), 0.0);
        let from = self.sums.len();
        self.sums.resize(from + width, 0.0);
        let sums = &mut self.sums[from..];
        for (m, (scorer, model)) in scorers.iter_mut().zip(problem.models).enumerate() {
            let scores = &mut self.scores[m * width..(m + 1) * width];
            scorer.score(Part::label(head as Node, dependent as Node), scores);
            sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += model.weight * *score);
        }
    }

    fn fill_chains(&mut self, scorers: &mut [&mut dyn PartScorer], problem: &Problem<'_>) {
        let nodes = problem.words.len() + 1;
        for ((space, model), scorer) in self.spaces.iter_mut().zip(problem.models).zip(scorers) {
            let Space { markov, one, .. } = space;
            markov.reset(nodes, &self.arcs, |word| problem.limit(word, model.centre));
            let chains = markov.chains().map(|(word, chain, _)| (word, &*chain));
            expect_neighbours(&mut **scorer, chains, &mut self.expected);
            for (word, chain, arcs) in markov.chains() {
                for (choice, &arc) in arcs.iter().enumerate() {
                    *chain.one_mut(choice) = one[arc as usize];
                }
                score_neighbours(&mut **scorer, word, model.weight, chain);
            }
        }
    }

    /// Adds its best candidate for every word that has no head among the chosen ones, which are sorted.
    pub fn adopt(&self, chosen: &mut Vec<Item>) {
        let mut start = 0;
        let mut adopted = Vec::new();
        for arcs in self.arcs.chunk_by(|a, b| a.dependent == b.dependent) {
            let range = start..start + arcs.len();
            start = range.end;
            let before = chosen.partition_point(|&item| (item as usize) < range.start);
            if chosen.get(before).is_some_and(|&item| range.contains(&(item as usize))) {
                continue;
            }
            let score = |arc: usize| self.spaces.iter().map(|space| space.one[arc]).sum::<f32>();
            let best = range.reduce(|best, arc| if score(arc) > score(best) { arc } else { best });
            adopted.extend(best.map(|arc| arc as Item));
        }
        chosen.extend(adopted);
        chosen.sort_unstable();
    }

    /// Makes room for the arcs of a sentence that [`Search::alone`] is asked about: repairs look at few of them.
    pub fn prepare_alone(&mut self, scorers: &[&mut dyn PartScorer], problem: &Problem<'_>) {
        self.start(scorers, problem);
        let nodes = problem.words.len() + 1;
        self.marked.clear();
        self.marked.resize(nodes * nodes, false);
    }

    /// Scores an arc by all models, unless that was done.
    fn score_alone(
        &mut self,
        scorers: &mut [&mut dyn PartScorer],
        nodes: usize,
        head: usize,
        dependent: usize,
    ) {
        let known = &mut self.marked[dependent * nodes + head];
        if head == dependent || dependent == 0 || std::mem::replace(known, true) {
            return;
        }
        let mut scores = [0.0; CHANNELS];
        for (space, scorer) in self.spaces.iter_mut().zip(scorers) {
            scorer.score(Part::arc(head as Node, dependent as Node), &mut scores);
            space.arcs.set(head, dependent, scores[usize::from(ARC)]);
        }
    }

    /// What the models think of an arc alone: its best label and its score with it.
    pub fn alone(
        &mut self,
        scorers: &mut [&mut dyn PartScorer],
        problem: &Problem<'_>,
        (head, dependent): (u32, u32),
    ) -> (u16, f32) {
        self.score_alone(scorers, problem.words.len() + 1, head as usize, dependent as usize);
        self.sums.clear();
        self.add_labels(scorers, problem, (head, dependent));
        let better = |best: (u16, f32), (label, &score): (usize, &f32)| {
            if score > best.1 { (label as u16, score) } else { best }
        };
        let labels = self.sums.iter().enumerate().skip(1);
        let (label, score) = labels.fold((0, f32::NEG_INFINITY), better);
        let arcs = self.spaces.iter().zip(problem.models);
        let arcs =
            arcs.map(|(space, model)| model.weight * space.arcs.get(head as usize, dependent as usize));
        (label, arcs.sum::<f32>() + if problem.local { 0.0 } else { score })
    }
}
