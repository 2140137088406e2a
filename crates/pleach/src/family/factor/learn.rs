//! The averaged perceptron over the chains of one model, with costs in the search.
//!
//! The filter and the graph model learn from the same sentence: the filter wants gold arcs above the margin and all
//! others below minus it, the graph model that the gold graph is the best.

use super::search::{GoldArcs, Problem, Search};
use crate::train::Lesson;
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
    change_filter(problem, margin, search, &mut lesson);
    space.zeros.clear();
    space.zeros.resize(search.arcs.len(), 0.0);
    search.spaces[0].markov.decode(&space.zeros);
    let found: GoldArcs = {
        let chosen = search.spaces[0].markov.chosen();
        let arcs = search.arcs.iter().zip(&search.labels).zip(chosen).filter(|(_, chosen)| **chosen);
        arcs.map(|((arc, &label), _)| (arc.dependent, arc.head, label)).collect()
    };
    lesson.wrong = found != *gold;
    if lesson.wrong {
        change_arcs(problem, gold, &found, search, &mut lesson);
        change_chains(problem, gold, &found, search, &mut lesson);
    }
    lesson
}

fn change_filter(problem: &Problem<'_>, margin: f32, search: &mut Search<f32>, lesson: &mut Lesson) {
    let templates = &problem.models[0].templates;
    let nodes = problem.words.len() + 1;
    for dependent in 1..nodes {
        for head in (0..nodes).filter(|&head| head != dependent) {
            let score = search.filter.filter.get(head, dependent);
            if score == f32::NEG_INFINITY {
                continue;
            }
            let arc = (head as u32, dependent as u32);
            let amount = match problem.gold_label(arc.0, arc.1) {
                Some(_) if score < margin => 1.0,
                None if score > -margin => -1.0,
                _ => continue,
            };
            let scorer = &mut search.spaces[0].scorer;
            scorer.change_arc(templates, problem.words, arc, FILTER, amount, &mut lesson.changes);
        }
    }
}

fn change_arcs(
    problem: &Problem<'_>,
    gold: &GoldArcs,
    found: &GoldArcs,
    search: &mut Search<f32>,
    lesson: &mut Lesson,
) {
    let templates = &problem.models[0].templates;
    let scorer = &mut search.spaces[0].scorer;
    let changes = &mut lesson.changes;
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
    lesson: &mut Lesson,
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
        scorer.change_neighbours(
            &model.templates,
            problem.words,
            word as u32,
            right,
            wrong,
            &mut lesson.changes,
        );
    }
}
