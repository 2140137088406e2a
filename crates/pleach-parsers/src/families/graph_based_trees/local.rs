//! Local losses of trees (Dozat & Manning 2017): every word chooses its head, every arc its label.
//!
//! The loss of a sentence is Σ −log p(head) over its words, p being the softmax over all other nodes, and Σ −log p(label)
//! over the arcs of the gold tree; what is told to the learner is its negative gradient. There is no search: O(n²) arcs, and
//! labels of gold arcs only.

use super::search::Analysis;
use crate::families::likelihood;
use pleach_decode::part::{Part, PartLearner};
use pleach_decode::tree::around::{CHANNELS, TREE};
use pleach_graph::Node;

/// Changes below this are too small to be told.
const LEAST: f32 = 1e-6;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(in crate::families) struct LocalSpace {
    row: Vec<f32>,
    expected: Vec<Part>,
}

/// Makes scores logarithms of probabilities; what scores minus infinity is no choice. O(choices).
pub(super) fn log_softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if most == f32::NEG_INFINITY {
        return;
    }
    let total: f32 = scores.iter().map(|score| (score - most).exp()).sum();
    let total = most + total.ln();
    scores.iter_mut().for_each(|score| *score -= total);
}

/// Says how the scores should change; gives whether a head or a label of the gold tree was not the best one.
pub(in crate::families) fn learn(
    learner: &mut dyn PartLearner,
    labels: usize,
    gold: &Analysis,
    space: &mut LocalSpace,
) -> bool {
    let LocalSpace { row, expected } = space;
    let nodes = gold.heads.len();
    let mut wrong = false;
    for (dependent, &right) in gold.heads.iter().enumerate().skip(1) {
        row.clear();
        for head in 0..nodes {
            let mut scores = [f32::NEG_INFINITY; CHANNELS];
            if head != dependent {
                learner.score(Part::arc(head as Node, dependent as Node), &mut scores);
            }
            row.push(scores[usize::from(TREE)]);
        }
        wrong |= choose(row, right as usize, |head, amount| {
            learner.change_part(Part::arc(head as Node, dependent as Node), TREE, amount);
        });
    }
    expected.clear();
    let arcs = gold.heads.iter().enumerate().skip(1);
    expected.extend(arcs.map(|(dependent, &head)| Part::label(head as Node, dependent as Node)));
    learner.expect(expected);
    row.resize(labels, 0.0);
    for (&part, &right) in expected.iter().zip(&gold.labels[1..]) {
        learner.score(part, row);
        wrong |= choose(row, right.into(), |label, amount| {
            learner.change_part(part, label as u16, amount);
        });
        row.resize(labels, 0.0);
    }
    wrong
}

/// Tells the negative gradient of −log p(right), p being the softmax of the scores in `row`; gives whether another choice
/// scores better. The row holds the gradient afterwards.
fn choose(row: &mut [f32], right: usize, mut tell: impl FnMut(usize, f32)) -> bool {
    let wrong = likelihood::gradient(row, right);
    for (choice, &amount) in row.iter().enumerate().filter(|(_, amount)| amount.abs() > LEAST) {
        tell(choice, amount);
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scorer::toy::{self, Toy};

    const LABELS: usize = 3;

    fn gold() -> Analysis {
        Analysis { heads: vec![0, 2, 0, 2], labels: vec![0, 1, 0, 2] }
    }

    /// The loss itself, in double precision.
    fn loss(toy: &Toy, gold: &Analysis) -> f64 {
        let value = |part: Part, choice: u16| f64::from(toy.value(&(toy::part(part), choice.into())));
        let mut loss = 0.0;
        for dependent in 1..gold.heads.len() as Node {
            let heads = (0..gold.heads.len() as Node).filter(|&head| head != dependent);
            let score = |head: Node| value(Part::arc(head, dependent), TREE);
            let right = gold.heads[usize::from(dependent)] as Node;
            loss += heads.map(|head| score(head).exp()).sum::<f64>().ln() - score(right);
            let score = |label: u16| value(Part::label(right, dependent), label);
            loss += (0..LABELS as u16).map(|label| score(label).exp()).sum::<f64>().ln()
                - score(gold.labels[usize::from(dependent)]);
        }
        loss
    }

    #[test]
    fn changes_are_the_negative_gradient() {
        let (gold, mut toy) = (gold(), Toy::default());
        assert!(learn(&mut toy, LABELS, &gold, &mut LocalSpace::default()));
        assert_eq!(toy.told.len(), 3 * 3 + 3 * LABELS);
        toy.check_gradient(|toy| loss(toy, &gold));
    }

    #[test]
    fn steps_lead_to_the_gold_tree() {
        let (gold, mut toy) = (gold(), Toy::default());
        let mut rounds = 0;
        while learn(&mut toy, LABELS, &gold, &mut LocalSpace::default()) {
            rounds += 1;
            assert!(rounds < 50);
            for (place, amount) in std::mem::take(&mut toy.told) {
                *toy.moved.entry(place).or_insert(0.0) += amount;
            }
        }
        assert!(rounds > 0);
    }

    #[test]
    fn no_choice_at_all_stays_as_it_is() {
        let mut row = [f32::NEG_INFINITY; 2];
        log_softmax(&mut row);
        assert_eq!(row, [f32::NEG_INFINITY; 2]);
        let mut row = [1.0, f32::NEG_INFINITY];
        log_softmax(&mut row);
        assert_eq!(row, [0.0, f32::NEG_INFINITY]);
    }
}
