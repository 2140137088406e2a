//! The averaged perceptron over whole trees (McDonald et al. 2005), with costs in the search.
//!
//! The filter and the tree model learn from the same sentence: each from its own best tree. What is around an arc learns
//! its label where the arc is right.

use super::search::{Analysis, Problem, Search};
use crate::train::Lesson;
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
    gold_parts.fill(&gold.heads);
    best_parts.fill(&search.best.heads);
    let (right, wrong) = ((&*gold_parts, &gold.labels[..]), (&*best_parts, &search.first_labels[..]));
    search.scorer.difference(templates, words, right, wrong, changes);
    let Some(second) = &templates.second else { return lesson };
    for word in 1..gold.heads.len() {
        let labels = [gold.labels[word], search.best.labels[word]];
        if search.best.heads[word] == gold.heads[word] && labels[0] != labels[1] {
            search.scorer.label_difference(second, words, (best_parts, word), labels, changes);
        }
    }
    lesson
}
