//! The weights of a vote, learnt from sentences whose graphs are known: logistic regression (Newton's method with a ridge)
//! of "the gold graph has this pair with these labels", and then the bias that gives the highest labelled F.
//!
//! Any graphs over the same words. O(iterations · candidates · members²), deterministic. Invariant: of the weights that are
//! offered, with scores, without, majorities and single members, the first has the highest labelled F on these sentences, so
//! a vote is never worse than its best member there.

use super::weighted::{Ballots, Pair, Voice, Weights};
use pleach_graph::{Graph, Text};

/// Weights, and what they reach on the sentences that they were learnt from.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// What they are: `scores`, `votes`, `2 of 3`, `member 1`.
    pub name: String,
    /// The weights.
    pub weights: Weights,
    /// Labelled F, as `measure` has it.
    pub f: f64,
}

/// Keeps weights finite when members never differ.
const RIDGE: f64 = 1.0;
/// Newton's method needs a handful of steps; the ridge makes the minimum unique.
const STEPS: usize = 30;
/// Weights have settled when none moves by more.
const SETTLED: f64 = 1e-9;
/// Numbers of one member: same, other, inside, outside.
const KINDS: usize = 4;

/// Everything that can be learnt from these sentences, best first; the simpler one among equals. `measure` gives the labelled F of graphs:
/// those of the vote may be changed before they are compared.
pub fn fit(
    ballots: &[Ballots],
    gold: &[Graph],
    members: usize,
    measure: impl Fn(&Weights) -> f64,
) -> Vec<Fitted> {
    let mut offers: Vec<(String, Weights)> = Vec::new();
    for member in 0..members {
        offers.push((format!("member {}", member + 1), Weights::single(member, members)));
    }
    for count in 1..=members {
        offers.push((format!("{count} of {members}"), Weights::majority(count, members)));
    }
    offers.push(("votes".into(), regression(ballots, gold, vec![Voice::default(); members])));
    let scaled: Vec<Voice> = (0..members).map(|member| scale(ballots, member)).collect();
    if scaled.iter().any(|voice| voice.spread > 0.0) {
        offers.push(("scores".into(), regression(ballots, gold, scaled)));
    }
    let mut fitted: Vec<Fitted> =
        offers.into_iter().map(|(name, weights)| Fitted { f: measure(&weights), name, weights }).collect();
    // A stable sort: what stands earlier is simpler.
    fitted.sort_by(|a, b| b.f.total_cmp(&a.f));
    fitted
}

/// The mean and the deviation of a member's scores.
fn scale(ballots: &[Ballots], member: usize) -> Voice {
    let scores = || {
        let pairs = ballots.iter().flat_map(|ballots| &ballots.pairs);
        pairs.filter_map(|pair| pair.scores[member]).map(f64::from)
    };
    let n = scores().count().max(1) as f64;
    let centre = scores().sum::<f64>() / n;
    let spread = (scores().map(|score| (score - centre).powi(2)).sum::<f64>() / n).sqrt();
    Voice { centre, spread, ..Voice::default() }
}

/// The numbers of a choice of labels for a pair: 1 for the bias, then those of the members.
fn features(pair: &Pair, choice: &[Text], voices: &[Voice], row: &mut [f64]) {
    row.fill(0.0);
    row[0] = 1.0;
    for (member, voice) in voices.iter().enumerate() {
        let place = &mut row[1 + KINDS * member..][..KINDS];
        let score = voice.standardised(pair.scores[member]);
        match &pair.said[member] {
            Some(labels) => {
                place[usize::from(labels != choice)] = 1.0;
                place[2] = score;
            }
            None => place[3] = score,
        }
    }
}

fn regression(ballots: &[Ballots], gold: &[Graph], voices: Vec<Voice>) -> Weights {
    let width = 1 + KINDS * voices.len();
    let (mut rows, mut right): (Vec<f64>, Vec<bool>) = (Vec::new(), Vec::new());
    for (ballots, gold) in ballots.iter().zip(gold) {
        for pair in &ballots.pairs {
            let labels = labels_of(gold, pair);
            for choice in pair.choices() {
                let start = rows.len();
                rows.resize(start + width, 0.0);
                features(pair, choice, &voices, &mut rows[start..]);
                right.push(labels.iter().copied().eq(choice));
            }
        }
    }
    let solution = newton(&rows, &right, width);
    let members = voices.iter().enumerate().map(|(member, &voice)| {
        let mine = &solution[1 + KINDS * member..][..KINDS];
        let [same, other, inside, outside] = [0, 1, 2, 3].map(|kind| mine[kind]);
        Voice { same, other, inside, outside, ..voice }
    });
    let mut weights = Weights { bias: solution[0], members: members.collect() };
    weights.bias -= threshold(ballots, gold, &weights);
    weights
}

/// The labels that the gold graph has between the words of a pair.
fn labels_of<'a>(gold: &'a Graph, pair: &Pair) -> Vec<&'a Text> {
    let same = gold.arcs().iter().filter(|arc| (arc.dependent, arc.head) == (pair.dependent, pair.head));
    same.map(|arc| &arc.label).collect()
}

/// The minimum of the logistic loss with a ridge on all but the bias.
fn newton(rows: &[f64], right: &[bool], width: usize) -> Vec<f64> {
    let mut weights = vec![0.0; width];
    let mut loss = loss_of(rows, right, &weights);
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| RIDGE * weight).collect();
        let mut curvature = vec![0.0; width * width];
        for i in 0..width {
            curvature[i * width + i] = if i == 0 { 1e-9 } else { RIDGE };
        }
        gradient[0] = 0.0;
        for (row, &right) in rows.chunks_exact(width).zip(right) {
            let p = 1.0 / (1.0 + (-dot(row, &weights)).exp());
            let (slope, bend) = (p - f64::from(u8::from(right)), p * (1.0 - p));
            for i in (0..width).filter(|&i| row[i] != 0.0) {
                gradient[i] += slope * row[i];
                for j in 0..=i {
                    curvature[i * width + j] += bend * row[i] * row[j];
                }
            }
        }
        let step = solve(curvature, gradient, width);
        // Newton's step can be too long far from the minimum; then a shorter one is taken.
        let mut length = 1.0;
        let next = loop {
            let next: Vec<f64> =
                weights.iter().zip(&step).map(|(weight, step)| weight - length * step).collect();
            let new = loss_of(rows, right, &next);
            if new <= loss || length < 1e-6 {
                loss = new.min(loss);
                break next;
            }
            length /= 2.0;
        };
        let moved = weights.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        weights = next;
        if moved < SETTLED {
            break;
        }
    }
    weights
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn loss_of(rows: &[f64], right: &[bool], weights: &[f64]) -> f64 {
    let ridge: f64 = weights[1..].iter().map(|weight| weight * weight).sum();
    let loss = rows.chunks_exact(weights.len()).zip(right).map(|(row, &right)| {
        let margin = dot(row, weights) * if right { 1.0 } else { -1.0 };
        // ln(1 + e^-m) without overflow.
        (-margin.abs()).exp().ln_1p() + (-margin).max(0.0)
    });
    0.5 * RIDGE * ridge + loss.sum::<f64>()
}

/// Solves a positive definite system by Cholesky's method; only the lower half of the matrix is read.
fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>, width: usize) -> Vec<f64> {
    for i in 0..width {
        for j in 0..=i {
            let done: f64 = (0..j).map(|k| matrix[i * width + k] * matrix[j * width + k]).sum();
            let rest = matrix[i * width + j] - done;
            matrix[i * width + j] =
                if i == j { rest.max(1e-12).sqrt() } else { rest / matrix[j * width + j] };
        }
    }
    for i in 0..width {
        let done: f64 = (0..i).map(|k| matrix[i * width + k] * right[k]).sum();
        right[i] = (right[i] - done) / matrix[i * width + i];
    }
    for i in (0..width).rev() {
        let done: f64 = (i + 1..width).map(|k| matrix[k * width + i] * right[k]).sum();
        right[i] = (right[i] - done) / matrix[i * width + i];
    }
    right
}

/// The log odds above which choices are to be taken so that labelled F is highest.
fn threshold(ballots: &[Ballots], gold: &[Graph], weights: &Weights) -> f64 {
    let mut choices: Vec<(f64, usize, usize)> = Vec::new();
    let mut all = 0;
    for (ballots, gold) in ballots.iter().zip(gold) {
        all += gold.arcs().len();
        for pair in &ballots.pairs {
            if let Some((odds, labels)) = weights.best(pair) {
                let wanted = labels_of(gold, pair);
                let right = labels.iter().filter(|label| wanted.contains(label)).count();
                choices.push((odds, right, labels.len()));
            }
        }
    }
    choices.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut right, mut given, mut best) = (0, 0, (0.0, 0.0));
    for (i, &(odds, mine, labels)) in choices.iter().enumerate() {
        right += mine;
        given += labels;
        let next = choices.get(i + 1).map_or(odds - 1.0, |next| next.0);
        let f = 2.0 * right as f64 / (given + all).max(1) as f64;
        // Equal odds are taken together.
        if next < odds && f > best.0 {
            best = (f, (odds + next) / 2.0);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::{Arc, NodeId};

    fn graph(arcs: &[(u32, u32)]) -> Graph {
        let arc = |&(head, dependent)| Arc {
            head: NodeId(head),
            dependent: NodeId(dependent),
            label: Text::from("x"),
        };
        Graph::from_arcs(3, arcs.iter().map(arc).collect())
    }

    #[test]
    fn a_system_is_solved() {
        let solution = solve(vec![4.0, 0.0, 2.0, 3.0], vec![10.0, 8.0], 2);
        assert!((solution[0] - 1.75).abs() < 1e-12 && (solution[1] - 1.5).abs() < 1e-12, "{solution:?}");
    }

    /// One feature that is right in 3 of 4 cases: the odds are 3 to 1 but for the ridge.
    #[test]
    fn odds_are_learnt() {
        let rows: Vec<f64> = [1.0, 1.0].repeat(400).into_iter().chain([1.0, 0.0].repeat(400)).collect();
        let right: Vec<bool> = (0..800).map(|i| if i < 400 { i % 4 != 0 } else { i % 4 == 0 }).collect();
        let weights = newton(&rows, &right, 2);
        assert!((weights[0] + 3f64.ln()).abs() < 0.05, "{weights:?}");
        assert!((weights[0] + weights[1] - 3f64.ln()).abs() < 0.05, "{weights:?}");
    }

    /// The first is always right, the second never, and the third says what the second says: a majority would believe them.
    #[test]
    fn a_good_member_outvotes_two_bad_ones() {
        let good = [graph(&[(0, 1), (1, 2)]), graph(&[(0, 2), (2, 1), (2, 3)])];
        let bad = [graph(&[(0, 3), (3, 2)]), graph(&[(0, 1), (1, 2), (1, 3)])];
        let ballots: Vec<Ballots> =
            (0..2).map(|i| Ballots::new(&[good[i].clone(), bad[i].clone(), bad[i].clone()])).collect();
        let measure = |weights: &Weights| {
            let same = ballots.iter().zip(&good).filter(|(ballots, good)| weights.decide(ballots) == **good);
            same.count() as f64
        };
        let fitted = fit(&ballots, &good, 3, measure);
        assert_eq!((fitted[0].name.as_str(), fitted[0].f), ("member 1", 2.0));
        assert_eq!(fitted.iter().find(|fitted| fitted.name == "votes").unwrap().f, 2.0);
        assert_eq!(fitted.iter().find(|fitted| fitted.name == "2 of 3").unwrap().f, 0.0);
    }
}
