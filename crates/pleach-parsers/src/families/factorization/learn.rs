//! Loss-augmented margin learning (Taskar et al. 2005) over the chains of one model: costs in the search.
//!
//! The filter and the graph model learn from the same sentence. The graph model wants the gold graph to be the best and
//! takes whole steps, so that the margin, not the step, says how hard it is pushed. The filter wants gold arcs above the
//! margin and all others below minus it: one hinge loss over all arcs of the sentence, which the learner settles.

use super::problem::Problem;
use super::search::{GoldArcs, Search};
use pleach_decode::markov::{ARC, Centre, FILTER, change_neighbours};
use pleach_decode::part::{Part, PartLearner};
use pleach_graph::Node;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct LearnSpace {
    search: Search,
    zeros: Vec<f64>,
}

/// Searches one sentence with one model and says how the scores should change; gives whether the gold graph was not the
/// best one.
pub(super) fn learn(
    learner: &mut dyn PartLearner,
    problem: &Problem<'_>,
    gold: &GoldArcs,
    margin: f32,
    space: &mut LearnSpace,
) -> bool {
    let search = &mut space.search;
    search.prepare(&mut [&mut *learner], problem);
    if problem.filtered {
        let loss = change_filter(learner, problem, margin, search);
        learner.settle(loss);
    }
    space.zeros.clear();
    space.zeros.resize(search.arcs.len(), 0.0);
    let markov = &mut search.spaces[0].markov;
    markov.decode(&space.zeros);
    let arcs = search.arcs.iter().zip(&search.labels).zip(markov.chosen());
    let found: GoldArcs = arcs
        .filter(|(_, chosen)| **chosen)
        .map(|((arc, &label), _)| (arc.dependent, arc.head, label))
        .collect();
    let wrong = found != *gold;
    if wrong {
        change_arcs(learner, gold, &found);
        change_chains(learner, problem, gold, &found);
    }
    wrong
}

/// Says how the filter should change and gives its loss.
fn change_filter(learner: &mut dyn PartLearner, problem: &Problem<'_>, margin: f32, search: &Search) -> f64 {
    let mut loss = 0.0;
    let nodes = problem.words.len() + 1;
    for dependent in 1..nodes {
        for head in (0..nodes).filter(|&head| head != dependent) {
            let score = search.filter.scores.get(head, dependent);
            if score == f32::NEG_INFINITY {
                continue;
            }
            let is_gold = problem.gold_label(head as u32, dependent as u32).is_some();
            let amount = if is_gold { 1.0 } else { -1.0 };
            let missing = margin - amount * score;
            if missing <= 0.0 {
                continue;
            }
            loss += f64::from(missing);
            learner.change_part(Part::arc(head as Node, dependent as Node), FILTER, amount);
        }
    }
    loss
}

fn change_arcs(learner: &mut dyn PartLearner, gold: &GoldArcs, found: &GoldArcs) {
    for (these, others, amount) in [(gold, found, 1.0), (found, gold, -1.0)] {
        for &(dependent, head, label) in these {
            let other = others.binary_search_by_key(&(dependent, head), |&(d, h, _)| (d, h));
            let other = other.ok().map(|place| others[place].2);
            let (head, dependent) = (head as Node, dependent as Node);
            if other.is_none() {
                learner.change_part(Part::arc(head, dependent), ARC, amount);
            }
            if other != Some(label) {
                learner.change_part(Part::label(head, dependent), label, amount);
            }
        }
    }
}

fn change_chains(learner: &mut dyn PartLearner, problem: &Problem<'_>, gold: &GoldArcs, found: &GoldArcs) {
    let centre = problem.models.first().map_or(Centre::Predicate, |model| model.centre);
    let places = |arcs: &GoldArcs| {
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); problem.words.len() + 1];
        for &(dependent, head, _) in arcs {
            let (centre, place) = centre.of(head, dependent);
            places[centre as usize].push(place);
        }
        // Gold arcs are by dependents: the dependents of a head come in order, and so do the heads of a dependent.
        places
    };
    let (right, wrong) = (places(gold), places(found));
    for (word, (right, wrong)) in right.iter().zip(&wrong).enumerate().filter(|(_, (a, b))| a != b) {
        change_neighbours(learner, word as u32, right, wrong);
    }
}
