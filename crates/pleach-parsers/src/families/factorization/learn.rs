//! The averaged perceptron over the chains of one model, with costs in the search.
//!
//! The filter and the graph model learn from the same sentence. The graph model wants the gold graph to be the best and
//! takes whole steps, so that the margin, not the step, says how hard it is pushed. The filter wants gold arcs above the
//! margin and all others below minus it; its step is just long enough (Crammer et al. 2006), since a sentence has
//! hundreds of arcs that share features, and whole steps for all of them at once would overshoot.

use super::search::{GoldArcs, Problem, Search};
use crate::train::{Change, Lesson};
use pleach_linear::factored::{ARC, FILTER};
use pleach_linear::learner::Learner;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct LearnSpace {
    search: Search<f32>,
    zeros: Vec<f64>,
}

/// Searches one sentence with one model and says how the weights should change.
pub(super) fn learn(
    learner: &Learner,
    problem: &Problem<'_>,
    gold: &GoldArcs,
    margin: f32,
    space: &mut LearnSpace,
) -> Lesson {
    let search = &mut space.search;
    search.prepare(&[learner], problem);
    let mut lesson = Lesson::default();
    let loss = change_filter(problem, margin, search, &mut lesson.changes);
    shorten(&mut lesson.changes, loss);
    space.zeros.clear();
    space.zeros.resize(search.arcs.len(), 0.0);
    let markov = &mut search.spaces[0].markov;
    markov.decode(&space.zeros);
    let arcs = search.arcs.iter().zip(&search.labels).zip(markov.chosen());
    let found: GoldArcs = arcs
        .filter(|(_, chosen)| **chosen)
        .map(|((arc, &label), _)| (arc.dependent, arc.head, label))
        .collect();
    lesson.wrong = found != *gold;
    if lesson.wrong {
        change_arcs(problem, gold, &found, search, &mut lesson.changes);
        change_chains(problem, gold, &found, search, &mut lesson.changes);
    }
    lesson
}

/// Sums up changes by weight and scales them by loss / length²: with such a step the loss is gone.
fn shorten(changes: &mut Vec<Change>, loss: f64) {
    changes.sort_unstable_by_key(|&(key, action, _)| (key, action));
    changes.dedup_by(|next, sum| {
        let same = (next.0, next.1) == (sum.0, sum.1);
        if same {
            sum.2 += next.2;
        }
        same
    });
    let square: f64 = changes.iter().map(|&(_, _, amount)| f64::from(amount * amount)).sum();
    let step = if square > 0.0 { (loss.max(0.0) / square) as f32 } else { 0.0 };
    changes.iter_mut().for_each(|(_, _, amount)| *amount *= step);
}

/// Adds the changes of the filter and gives its loss.
fn change_filter(
    problem: &Problem<'_>,
    margin: f32,
    search: &mut Search<f32>,
    changes: &mut Vec<Change>,
) -> f64 {
    let mut loss = 0.0;
    let templates = &problem.models[0].templates;
    let nodes = problem.words.len() + 1;
    for dependent in 1..nodes {
        for head in (0..nodes).filter(|&head| head != dependent) {
            let score = search.filter.filter.get(head, dependent);
            if score == f32::NEG_INFINITY {
                continue;
            }
            let arc = (head as u32, dependent as u32);
            let amount = if problem.gold_label(arc.0, arc.1).is_some() { 1.0 } else { -1.0 };
            let missing = margin - amount * score;
            if missing <= 0.0 {
                continue;
            }
            loss += f64::from(missing);
            let scorer = &mut search.spaces[0].scorer;
            scorer.change_arc(templates, problem.words, arc, FILTER, amount, changes);
        }
    }
    loss
}

fn change_arcs(
    problem: &Problem<'_>,
    gold: &GoldArcs,
    found: &GoldArcs,
    search: &mut Search<f32>,
    changes: &mut Vec<Change>,
) {
    let templates = &problem.models[0].templates;
    let scorer = &mut search.spaces[0].scorer;
    for (these, others, amount) in [(gold, found, 1.0), (found, gold, -1.0)] {
        for &(dependent, head, label) in these {
            let arc = (head, dependent);
            let other = others.binary_search_by_key(&(dependent, head), |&(d, h, _)| (d, h));
            let other = other.ok().map(|place| others[place].2);
            if other.is_none() {
                scorer.change_arc(templates, problem.words, arc, ARC, amount, changes);
            }
            if other != Some(label) {
                scorer.change_label(templates, problem.words, arc, label, amount, changes);
            }
        }
    }
}

fn change_chains(
    problem: &Problem<'_>,
    gold: &GoldArcs,
    found: &GoldArcs,
    search: &mut Search<f32>,
    changes: &mut Vec<Change>,
) {
    let model = &problem.models[0];
    let places = |arcs: &GoldArcs| {
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); problem.words.len() + 1];
        for &(dependent, head, _) in arcs {
            let (centre, place) = model.centre.of(head, dependent);
            places[centre as usize].push(place);
        }
        // Gold arcs are by dependents: the dependents of a head come in order, and so do the heads of a dependent.
        places
    };
    let (right, wrong) = (places(gold), places(found));
    for (word, (right, wrong)) in right.iter().zip(&wrong).enumerate().filter(|(_, (a, b))| a != b) {
        let scorer = &mut search.spaces[0].scorer;
        scorer.change_neighbours(&model.templates, problem.words, word as u32, right, wrong, changes);
    }
}
