//! The scores of predicate-centric and argument-centric models (`du-2015` sections 3.2 and 3.3), labelled.
//!
//! Every arc gets two scores from the same look-ups: one that decides whether it is a candidate ([`FILTER`]), one that
//! counts for the graph ([`ARC`]). Labels and neighbours are scored for the candidates only. In the templates of
//! neighbours `h` is the word whose chain it is, `d` a choice, `x` the one before it and `y` the one before that; the
//! borders of a chain are words beyond the ends of the sentence.

use super::FILTER;
use crate::configuration::{LEFT_EDGE, Part, RIGHT_EDGE};
use crate::scoring::{Rows, Scoring};
use crate::template::{TemplateError, Templates};
use crate::words::Words;
use pleach_decode::markov::{Chain, EDGE, Order};
use pleach_decode::tree::Arcs;
use pleach_transition::{NONE, Node};
use std::ops::AddAssign;

/// The weight in the rows of arcs and neighbours that counts for the graph.
pub const ARC: u16 = 1;

/// The templates of a chain model. Their features share one table.
#[derive(Clone, Debug)]
pub struct ChainTemplates {
    /// Arcs, for the filter and for the graph.
    pub arc: Templates,
    /// Labels of arcs.
    pub label: Templates,
    /// Neighbouring choices of a word; not in models of first order.
    pub pair: Option<Templates>,
    /// Three neighbouring choices; in models of third order.
    pub triple: Option<Templates>,
}

impl ChainTemplates {
    /// Compiles template files.
    pub fn parse(
        order: Order,
        arc: &str,
        label: &str,
        pair: &str,
        triple: &str,
    ) -> Result<Self, TemplateError> {
        let parse = |name: &str, source: &str, set: u16| Ok(Templates::parse(name, source)?.as_set(set));
        Ok(ChainTemplates {
            arc: parse("arc", arc, 0)?,
            label: parse("label", label, 1)?,
            pair: (order >= Order::Second).then(|| parse("pair", pair, 2)).transpose()?,
            triple: (order >= Order::Third).then(|| parse("triple", triple, 3)).transpose()?,
        })
    }

    /// How many templates there are.
    pub fn len(&self) -> usize {
        let neighbours = self.pair.iter().chain(&self.triple).map(Templates::len).sum::<usize>();
        self.arc.len() + self.label.len() + neighbours
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The places of a word's choices, with its borders.
#[derive(Clone, Copy, Debug)]
struct Places<'a> {
    word: Node,
    places: &'a [u32],
}

impl Places<'_> {
    fn before(self, choice: usize) -> Node {
        if choice == EDGE { LEFT_EDGE } else { self.places[choice] as Node }
    }

    fn behind(self, choice: usize) -> Node {
        if choice == EDGE { RIGHT_EDGE } else { self.places[choice] as Node }
    }

    fn pair(self, left: usize, right: usize) -> Part {
        Part([self.word, self.behind(right), self.before(left), NONE])
    }

    fn triple(self, first: usize, middle: usize, last: usize) -> Part {
        Part([self.word, self.behind(last), self.before(middle), self.before(first)])
    }
}

/// Scores the parts of chains, one sentence after the other.
#[derive(Clone, Debug, Default)]
pub struct ChainScorer<S> {
    arcs: Scoring<S>,
    labels: Scoring<S>,
    pairs: Scoring<S>,
    triples: Scoring<S>,
}

impl<S: Copy + Default + AddAssign> ChainScorer<S> {
    /// Forgets what was kept: another sentence, or other weights.
    pub fn begin(&mut self) {
        for scoring in [&mut self.arcs, &mut self.labels, &mut self.pairs, &mut self.triples] {
            scoring.begin();
        }
    }

    /// Adds the scores of the arcs that are `wanted` (head, dependent), for the filter and for the graph.
    pub fn arcs(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &ChainTemplates,
        words: &Words,
        wanted: impl Fn(usize, usize) -> bool,
        mut add: impl FnMut(usize, usize, f32, f32),
    ) {
        let nodes = words.len() + 1;
        let mut scores = [0.0; 2];
        for dependent in 1..nodes {
            for head in (0..nodes).filter(|&head| head != dependent && wanted(head, dependent)) {
                let part = Part::arc(head as Node, dependent as Node);
                self.arcs.score(rows, &templates.arc, words, &part, &mut scores);
                add(head, dependent, scores[usize::from(FILTER)], scores[usize::from(ARC)]);
            }
        }
    }

    /// Scores the labels of an arc.
    pub fn labels(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &ChainTemplates,
        words: &Words,
        (head, dependent): (u32, u32),
        scores: &mut [f32],
    ) {
        let part = Part::arc(head as Node, dependent as Node);
        self.labels.score(rows, &templates.label, words, &part, scores);
    }

    /// Sets the scores of a chain's neighbours, `weight` times what the model gives.
    pub fn neighbours(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &ChainTemplates,
        words: &Words,
        word: u32,
        weight: f32,
        chain: &mut Chain,
    ) {
        let places = chain.places().to_vec();
        let of = Places { word: word as Node, places: &places };
        let rising =
            |left: usize, right: usize| left == EDGE || right == EDGE || places[left] < places[right];
        let mut scores = [0.0; 2];
        let ends = || (0..places.len()).chain([EDGE]);
        if let Some(templates) = &templates.pair {
            for left in ends() {
                for right in ends().filter(|&right| rising(left, right)) {
                    self.pairs.score(rows, templates, words, &of.pair(left, right), &mut scores);
                    *chain.two_mut(left, right) = weight * scores[usize::from(ARC)];
                }
            }
        }
        if let Some(templates) = &templates.triple {
            for middle in 0..places.len() {
                for first in ends().filter(|&first| rising(first, middle)) {
                    for last in ends().filter(|&last| rising(middle, last)) {
                        self.triples.score(
                            rows,
                            templates,
                            words,
                            &of.triple(first, middle, last),
                            &mut scores,
                        );
                        *chain.three_mut(first, middle, last) = weight * scores[usize::from(ARC)];
                    }
                }
            }
        }
    }

    /// Adds `amount` to the features of an arc for one of its weights.
    pub fn change_arc(
        &mut self,
        templates: &ChainTemplates,
        words: &Words,
        (head, dependent): (u32, u32),
        weight: u16,
        amount: f32,
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        let part = Part::arc(head as Node, dependent as Node);
        change(&mut self.arcs, &templates.arc, words, &part, weight, amount, changes);
    }

    /// Adds `amount` to the features of an arc's label.
    pub fn change_label(
        &mut self,
        templates: &ChainTemplates,
        words: &Words,
        (head, dependent): (u32, u32),
        label: u16,
        amount: f32,
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        let part = Part::arc(head as Node, dependent as Node);
        change(&mut self.labels, &templates.label, words, &part, label, amount, changes);
    }

    /// Adds +1 to the features of the neighbours that only the `right` places of a word have, -1 to those that only
    /// the `wrong` ones have.
    pub fn change_neighbours(
        &mut self,
        templates: &ChainTemplates,
        words: &Words,
        word: u32,
        right: &[u32],
        wrong: &[u32],
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        let parts = |places: &[u32]| {
            let of = Places { word: word as Node, places };
            let at = |place: usize| if place < places.len() { place } else { EDGE };
            let all = 0..=places.len();
            let pairs = all.clone().map(|i| of.pair(at(i.wrapping_sub(1)), at(i))).collect::<Vec<_>>();
            let triples = all.skip(1).map(|i| of.triple(at(i.wrapping_sub(2)), i - 1, at(i)));
            (pairs, triples.collect::<Vec<_>>())
        };
        let (right, wrong) = (parts(right), parts(wrong));
        let sets = [
            (&mut self.pairs, &templates.pair, &right.0, &wrong.0),
            (&mut self.triples, &templates.triple, &right.1, &wrong.1),
        ];
        for (scoring, templates, right, wrong) in sets {
            let Some(templates) = templates else { continue };
            for (these, others, amount) in [(right, wrong, 1.0), (wrong, right, -1.0)] {
                for part in these.iter().filter(|part| !others.contains(part)) {
                    change(scoring, templates, words, part, ARC, amount, changes);
                }
            }
        }
    }
}

fn change<S: Copy + Default + AddAssign>(
    scoring: &mut Scoring<S>,
    templates: &Templates,
    words: &Words,
    part: &Part,
    action: u16,
    amount: f32,
    changes: &mut Vec<(u64, u16, f32)>,
) {
    let keys = scoring.keys(templates, words, part);
    changes.extend(keys.iter().map(|&key| (key, action, amount)));
}

/// The scores of the arcs of a sentence before and after filtering: summed over the models that take part.
#[derive(Clone, Debug, Default)]
pub struct FilterScores {
    /// For the filter; minus infinity for arcs that are out of the question.
    pub filter: Arcs,
    kept: Vec<(f32, u32)>,
}

impl FilterScores {
    /// Starts a sentence of so many nodes, the root counted: no arc is in question yet.
    pub fn reset(&mut self, nodes: usize) {
        self.filter.reset(nodes, f32::NEG_INFINITY);
    }

    /// Adds a model's score of an arc.
    pub fn add(&mut self, head: usize, dependent: usize, score: f32) {
        let known = self.filter.get(head, dependent);
        self.filter.set(head, dependent, if known == f32::NEG_INFINITY { score } else { known + score });
    }

    /// The candidates: for each word its `most` best heads among those that score more than `least`, and in any case
    /// the best one. By dependents, then by heads.
    pub fn candidates(&mut self, most: usize, least: f32, mut keep: impl FnMut(u32, u32)) {
        for dependent in 1..self.filter.nodes() {
            self.kept.clear();
            let heads = self.filter.heads_of(dependent).iter().enumerate();
            let heads = heads.filter(|&(head, &score)| head != dependent && score > f32::NEG_INFINITY);
            self.kept.extend(heads.map(|(head, &score)| (score, head as u32)));
            self.kept.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.kept.truncate(most);
            let good = self.kept.partition_point(|&(score, _)| score > least).max(1);
            self.kept.truncate(good);
            self.kept.sort_by_key(|&(_, head)| head);
            self.kept.iter().for_each(|&(_, head)| keep(head, dependent as u32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Learner;
    use pleach_graph::Sentence;

    /// The changes that prefer one chain to another raise its score, as scored, by the number of their features.
    #[test]
    fn changes_are_those_of_the_scores() {
        let text = "h.w d.w x.w\nh.w\nd.w d(h,d)";
        let triple = "h.w d.w x.w y.w\nd.w y.w";
        let templates = ChainTemplates::parse(Order::Third, text, text, text, triple).unwrap();
        let mut words = Words::default();
        words.fill(&Sentence::from_forms(["a", "b", "c", "d", "e"]), false);
        let mut scorer = ChainScorer::default();
        let (right, wrong) = (vec![1, 3], vec![3, 4, 5]);
        let mut changes = Vec::new();
        scorer.change_neighbours(&templates, &words, 2, &right, &wrong, &mut changes);
        let mut learner = Learner::default();
        changes.iter().for_each(|&(key, action, amount)| learner.update(key, action, amount));
        let mut chain = Chain::new(Order::Third);
        chain.reset([1, 3, 4, 5], usize::MAX);
        scorer.begin();
        scorer.neighbours(&learner, &templates, &words, 2, 1.0, &mut chain);
        let (good, bad) = (chain.score(&[0, 1], |_| 0.0), chain.score(&[1, 2, 3], |_| 0.0));
        // The squared length of the difference of the two feature vectors.
        let mut weights = std::collections::BTreeMap::new();
        changes.iter().for_each(|&(key, _, amount)| *weights.entry(key).or_insert(0.0) += f64::from(amount));
        let length: f64 = weights.values().map(|weight| weight * weight).sum();
        assert!(length > 10.0);
        assert_eq!(good - bad, length);
        // Nothing to change where nothing differs.
        changes.clear();
        scorer.change_neighbours(&templates, &words, 2, &right, &right, &mut changes);
        assert!(changes.is_empty());
    }

    #[test]
    fn candidates_are_the_best_heads() {
        let mut scores = FilterScores::default();
        scores.reset(4);
        for (head, dependent, score) in [(0, 1, 1.0), (2, 1, -5.0), (3, 1, 2.0), (0, 2, -9.0), (1, 2, -8.0)] {
            scores.add(head, dependent, score);
        }
        scores.add(2, 1, 4.5);
        let mut kept = Vec::new();
        scores.candidates(2, 0.0, |head, dependent| kept.push((head, dependent)));
        assert_eq!(kept, [(0, 1), (3, 1), (1, 2)]);
    }
}
