//! Learning without search: every pair of words on its own, as networks like it.
//!
//! Of each pair the model says how likely each direction is, by a softmax over nothing (whose score is 0) and the
//! directions; of each gold edge how likely each label of its direction is. The loss is the negative logarithm of the
//! right ones' probabilities, so what changes is 1 − p for the right choice and −p for the others. The search then
//! maximises log-odds against having no edge. O(n²) questions a sentence.

use super::page::{Labelled, Model, gold_label};
use crate::scorer::Learner;
use pleach_decode::noncrossing::Node;
use pleach_decode::noncrossing::factors::{CHANNELS, channel};
use pleach_decode::part::{Kind, Part};

/// Choices that should change by less than this are left alone: nearly all pairs of words are nothing for sure.
const LEAST: f32 = 1e-4;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct LocalSpace {
    expected: Vec<Part>,
    labels: Vec<f32>,
    chances: Vec<f32>,
}

/// Says what should change on a page of a sentence of so many words; gives whether any pair or label would have been
/// wrong. `gold` is sorted; when the root is apart, its arcs are on the first page only (`roots`).
pub(super) fn learn(
    model: &Model,
    learner: &mut dyn Learner,
    words: usize,
    gold: &[Labelled],
    roots: bool,
    space: &mut LocalSpace,
) -> bool {
    let LocalSpace { expected, labels, chances } = space;
    let mut wrong = false;
    let nodes = words as Node + 1;
    for left in if roots { 0 } else { model.first() }..nodes {
        for right in left + 1..nodes {
            let mut row = [0.0; CHANNELS];
            learner.score(Part::arc(left, right), &mut row);
            let channels = model.directions(left).map(channel);
            let gold = gold_label(gold, (left, right)).map(|label| channel(model.direction(label)));
            chances.clear();
            chances.push(0.0);
            chances.extend(channels.clone().map(|channel| row[usize::from(channel)]));
            softmax(chances);
            let best = std::iter::once(None).chain(channels.clone().map(Some)).zip(&*chances);
            wrong |= best.max_by(|a, b| a.1.total_cmp(b.1)).is_some_and(|(channel, _)| channel != gold);
            for (channel, &chance) in channels.zip(&chances[1..]) {
                change(learner, Part::arc(left, right), channel, (gold == Some(channel), chance));
            }
        }
    }
    if !learner.scores(Kind::LABEL) {
        return wrong;
    }
    expected.clear();
    expected.extend(gold.iter().map(|&(left, right, _)| Part::label(left, right)));
    learner.expect(expected);
    labels.resize(model.edges.len(), 0.0);
    for (&part, &(_, _, label)) in expected.iter().zip(gold) {
        learner.score(part, labels);
        let among = model.labels(model.direction(label));
        chances.clear();
        chances.extend(among.iter().map(|&label| labels[usize::from(label)]));
        softmax(chances);
        let best = among.iter().zip(&*chances).max_by(|a, b| a.1.total_cmp(b.1));
        wrong |= best.is_some_and(|(&best, _)| best != label);
        for (&other, &chance) in among.iter().zip(&*chances) {
            change(learner, part, other, (other == label, chance));
        }
    }
    wrong
}

fn change(learner: &mut dyn Learner, part: Part, choice: u16, (right, chance): (bool, f32)) {
    let amount = f32::from(u8::from(right)) - chance;
    if amount.abs() >= LEAST {
        learner.change_part(part, choice, amount);
    }
}

/// From scores to probabilities.
fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - most).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

#[cfg(test)]
mod tests {
    use super::super::recipe::BookRecipe;
    use super::*;
    use crate::scorer::toy::{self, Toy};
    use pleach_decode::noncrossing::Order;
    use pleach_graph::encoded::Edge;

    /// Two labels to the right, one to the left and one that is both.
    const EDGES: [Edge; 4] = [
        Edge { left: 0, right: 1 },
        Edge { left: 0, right: 2 },
        Edge { left: 1, right: 0 },
        Edge { left: 2, right: 1 },
    ];

    /// The loss itself, in double precision.
    fn loss(model: &Model, toy: &Toy, words: Node, gold: &[Labelled]) -> f64 {
        let value = |part: Part, choice: u16| f64::from(toy.value(&(toy::part(part), choice.into())));
        let mut loss = 0.0;
        for (left, right) in (0..=words).flat_map(|left| (left + 1..=words).map(move |right| (left, right))) {
            let score = |direction| value(Part::arc(left, right), channel(direction));
            loss += (1.0 + model.directions(left).map(|d| score(d).exp()).sum::<f64>()).ln();
            let Some(label) = gold_label(gold, (left, right)) else { continue };
            let direction = model.direction(label);
            loss -= score(direction);
            let score = |label: u16| value(Part::label(left, right), label);
            let all = model.labels(direction).iter().map(|&label| score(label).exp()).sum::<f64>();
            loss += all.ln() - score(label);
        }
        loss
    }

    #[test]
    fn changes_are_the_negative_gradient() {
        let model = Model::new(&BookRecipe::default(), Order::First, EDGES.to_vec());
        let gold = [(0, 2, 1), (1, 2, 2), (1, 3, 3)];
        let mut toy = Toy::default();
        assert!(learn(&model, &mut toy, 3, &gold, true, &mut LocalSpace::default()));
        toy.check_gradient(|toy| loss(&model, toy, 3, &gold));
    }

    #[test]
    fn chances_sum_to_one_however_high_the_scores() {
        for mut scores in [vec![0.0, 1000.0, 1000.0], vec![0.0; 4], vec![-1e6, 0.0]] {
            softmax(&mut scores);
            assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{scores:?}");
        }
        let mut scores = [0.0, 3f32.ln()];
        softmax(&mut scores);
        assert!((scores[1] - 0.75).abs() < 1e-6);
    }
}
