//! The averaged perceptron over the parts of a page, with costs in the search; the filter learns from the same pairs.

use super::page::{Choice, Labelled, Model, PageSpace, gold_label};
use crate::train::Lesson;
use pleach_decode::noncrossing::parts::Dissection;
use pleach_decode::noncrossing::{Candidates, Link, Node, Part};
use pleach_linear::learner::Learner;
use pleach_linear::words::Words;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct LearnSpace {
    page: PageSpace<f32>,
    choice: Choice,
    candidates: Candidates,
    dissection: Dissection,
    /// The gold edges, and those that were found.
    right: Vec<Link>,
    found: Vec<Link>,
    right_parts: Vec<Part>,
    found_parts: Vec<Part>,
}

/// Decodes one page and says how the weights should change. `gold` is sorted.
pub(super) fn learn(
    model: &Model,
    learner: &Learner,
    words: &Words,
    gold: &[Labelled],
    beam: usize,
    space: &mut LearnSpace,
) -> Lesson {
    let LearnSpace { page, choice, candidates, .. } = space;
    let mut lesson = Lesson::default();
    model.score_pairs(learner, words, page);
    learn_filter(model, words, gold, page, &mut lesson);
    choice.start(words.len() + 1);
    model.filter(page, choice);
    gold.iter().for_each(|&(left, right, _)| choice.add(left, right));
    choice.candidates(candidates);
    model.score_candidates(learner, words, candidates, Some(gold), page);
    let PageSpace { scorer, scores, decoders, .. } = page;
    let mut factors = scorer.factors(learner, &model.templates, words, candidates);
    model.decode(candidates, scores, &mut factors, beam, decoders, &mut space.found);
    space.right.clear();
    space.right.extend(gold.iter().filter_map(|&(left, right, label)| {
        Some(Link { edge: candidates.find(left, right)?, direction: model.direction(label) })
    }));
    learn_parts(model, words, space, &mut lesson);
    learn_labels(model, words, gold, space, &mut lesson);
    if model.templates.context.is_some() {
        model.score_labels(learner, words, &space.candidates, &space.found, &mut space.page);
        learn_company(model, words, gold, space, &mut lesson);
    }
    lesson
}

/// The features of the parts that only the right graph has with +1, those of the others with -1.
fn learn_parts(model: &Model, words: &Words, space: &mut LearnSpace, lesson: &mut Lesson) {
    let LearnSpace { page, candidates, dissection, right, found, right_parts, found_parts, .. } = space;
    for (links, parts) in [(right, &mut *right_parts), (found, &mut *found_parts)] {
        parts.clear();
        dissection.visit(candidates, links, model.order, |part| parts.push(part));
        parts.sort_unstable();
    }
    for (these, others, amount) in [(&*right_parts, &*found_parts, 1.0), (&*found_parts, &*right_parts, -1.0)]
    {
        for &part in these.iter().filter(|part| others.binary_search(part).is_err()) {
            page.scorer.change(&model.templates, words, candidates, part, amount, &mut lesson.changes);
        }
    }
}

/// The same for labels by the edges alone: these are what the search sees.
fn learn_labels(
    model: &Model,
    words: &Words,
    gold: &[Labelled],
    space: &mut LearnSpace,
    lesson: &mut Lesson,
) {
    let LearnSpace { page, candidates, found, .. } = space;
    let labelled = |link: &Link| {
        let ends = candidates.ends(link.edge);
        (ends.0, ends.1, model.best_label(*link, gold_label(gold, ends), &[&*page]))
    };
    let found: Vec<Labelled> = found.iter().map(labelled).collect();
    for (these, others, amount) in [(gold, &*found, 1.0), (&*found, gold, -1.0)] {
        for &(left, right, label) in these.iter().filter(|edge| others.binary_search(edge).is_err()) {
            let changes = &mut lesson.changes;
            page.scorer.change_label(&model.templates, words, (left, right), label, amount, changes);
            lesson.wrong = true;
        }
    }
}

/// The company of right edges learns what their labels alone leave open.
fn learn_company(
    model: &Model,
    words: &Words,
    gold: &[Labelled],
    space: &mut LearnSpace,
    lesson: &mut Lesson,
) {
    let LearnSpace { page, candidates, found, .. } = space;
    for (place, &link) in found.iter().enumerate() {
        let ends = candidates.ends(link.edge);
        let right = gold_label(gold, ends).filter(|&label| model.direction(label) == link.direction);
        let Some(right) = right else { continue };
        let label = model.best_label(link, Some(right), &[&*page]);
        if label != right {
            let PageSpace { scorer, company, .. } = &mut *page;
            for (label, amount) in [(right, 1.0), (label, -1.0)] {
                let changes = &mut lesson.changes;
                scorer.change_company(
                    &model.templates,
                    words,
                    (ends, label),
                    &company[place],
                    amount,
                    changes,
                );
            }
        }
    }
}

/// In the eyes of the filter, every gold edge of a word has to be better than the best other one by the margin.
fn learn_filter(
    model: &Model,
    words: &Words,
    gold: &[Labelled],
    page: &mut PageSpace<f32>,
    lesson: &mut Lesson,
) {
    let nodes = words.len() as Node + 1;
    let is_gold = |left: Node, right: Node| gold.binary_search_by_key(&(left, right), |e| (e.0, e.1)).is_ok();
    for node in 0..nodes {
        let edges = (0..nodes).filter(|&other| other != node).map(|other| (node.min(other), node.max(other)));
        let others = edges.clone().filter(|&(left, right)| !is_gold(left, right));
        let others = others.map(|ends| (page.filter_score(nodes, ends), ends));
        let Some((best, wrong)) = others.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        for right in edges.filter(|&(left, right)| is_gold(left, right)) {
            if page.filter_score(nodes, right) < best + model.margin {
                for (ends, amount) in [(right, 1.0), (wrong, -1.0)] {
                    page.scorer.change_filter(&model.templates, words, ends, amount, &mut lesson.changes);
                }
            }
        }
    }
}
