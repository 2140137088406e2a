//! Learning from whole trees (McDonald et al. 2005), with costs in the search.
//!
//! The filter and the tree model learn from the same sentence: each from its own best tree, by a step of one or of the
//! size that makes the gold tree win by the cost of the other one.

use super::recipe::Update;
use super::search::{Analysis, Problem, Search};
use crate::train::{Change, Lesson};
use pleach_linear::factored::TreeParts;
use pleach_linear::learner::Learner;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct LearnSpace {
    search: Search<f32>,
    gold: TreeParts,
    best: TreeParts,
}

/// Searches one sentence and says how the weights should change.
pub(super) fn learn(
    learner: &Learner,
    problem: &Problem<'_>,
    gold: &Analysis,
    space: &mut LearnSpace,
) -> Lesson {
    let LearnSpace { search, gold: gold_parts, best: best_parts } = space;
    search.run(learner, problem);
    let Problem { templates, words, .. } = *problem;
    let mut lesson = Lesson { wrong: search.best != *gold, ..Lesson::default() };
    let changes = &mut lesson.changes;
    search.scorer.filter_difference(templates, words, &gold.heads, &search.filtered, changes);
    if problem.recipe.update == Update::PassiveAggressive {
        let cost = problem.recipe.margin * wrong_heads(gold, &search.filtered) as f32;
        scale(learner, cost, problem.recipe.largest_step, changes);
    }
    let filter_changes = changes.len();
    if lesson.wrong {
        gold_parts.fill(&gold.heads);
        best_parts.fill(&search.best.heads);
        let (right, wrong) = ((&*gold_parts, &gold.labels[..]), (&*best_parts, &search.best.labels[..]));
        search.scorer.difference(templates, words, right, wrong, changes);
        if problem.recipe.update == Update::PassiveAggressive {
            let mut changes = lesson.changes.split_off(filter_changes);
            let labels =
                gold.labels.iter().zip(&search.best.labels).filter(|(gold, best)| gold != best).count();
            let wrong = wrong_heads(gold, &search.best.heads) as f32 + labels as f32 / 2.0;
            scale(learner, problem.recipe.margin * wrong, problem.recipe.largest_step, &mut changes);
            lesson.changes.append(&mut changes);
        }
    }
    lesson
}

fn wrong_heads(gold: &Analysis, heads: &[u32]) -> usize {
    gold.heads.iter().zip(heads).filter(|(gold, head)| gold != head).count()
}

/// Makes a step of one a passive-aggressive one: min(bound, (cost - difference of scores) / squared length).
fn scale(learner: &Learner, cost: f32, largest: f32, changes: &mut Vec<Change>) {
    // What both trees have cancels out.
    changes.sort_unstable_by_key(|&(key, action, _)| (key, action));
    changes.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += if same { next.2 } else { 0.0 };
        same
    });
    changes.retain(|change| change.2 != 0.0);
    let (mut difference, mut length) = (0.0f64, 0.0f64);
    for &(key, action, change) in changes.iter() {
        difference += f64::from(change * learner.weight(key, action));
        length += f64::from(change * change);
    }
    let step = ((f64::from(cost) - difference) / length.max(1.0)).clamp(0.0, f64::from(largest)) as f32;
    changes.iter_mut().for_each(|change| change.2 *= step);
    changes.retain(|change| change.2 != 0.0);
}
