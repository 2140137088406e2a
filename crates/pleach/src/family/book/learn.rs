//! The averaged perceptron over the parts of a page, with costs in the search; the filter learns from the same pairs.

use super::page::{Choice, Labelled, Model, PageSpace};
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
    gold: Vec<Link>,
    right: Vec<Part>,
    wrong: Vec<Part>,
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
    let LearnSpace { page, choice, candidates, dissection, gold: gold_links, right, wrong } = space;
    let mut lesson = Lesson::default();
    model.score_pairs(learner, words, page);
    learn_filter(model, words, gold, page, &mut lesson);
    choice.start(words.len() + 1);
    model.filter(page, choice);
    gold.iter().for_each(|&(left, right, _)| choice.add(left, right));
    choice.candidates(candidates);
    model.score_candidates(learner, words, candidates, Some(gold), page);
    let PageSpace { scorer, scores, decoders, links, best, .. } = page;
    let mut factors = scorer.factors(learner, &model.templates, words, candidates);
    model.decode(candidates, scores, &mut factors, beam, decoders, links);
    gold_links.clear();
    gold_links.extend(gold.iter().filter_map(|&(left, right, label)| {
        Some(Link { edge: candidates.find(left, right)?, direction: model.direction(label) })
    }));

    let changes = &mut lesson.changes;
    right.clear();
    wrong.clear();
    dissection.visit(candidates, gold_links, model.order, |part| right.push(part));
    dissection.visit(candidates, links, model.order, |part| wrong.push(part));
    right.sort_unstable();
    wrong.sort_unstable();
    for (these, others, amount) in [(&*right, &*wrong, 1.0), (&*wrong, &*right, -1.0)] {
        for &part in these.iter().filter(|part| others.binary_search(part).is_err()) {
            scorer.change(&model.templates, words, candidates, part, amount, changes);
        }
    }
    let predicted = |link: &Link| {
        let (left, right) = candidates.ends(link.edge);
        (left, right, best[link.edge as usize][link.direction.index()])
    };
    let found: Vec<Labelled> = links.iter().map(predicted).collect();
    for (these, others, amount) in [(gold, &*found, 1.0), (&*found, gold, -1.0)] {
        for &(left, right, label) in these.iter().filter(|edge| others.binary_search(edge).is_err()) {
            scorer.change_label(&model.templates, words, (left, right), label, amount, changes);
            lesson.wrong = true;
        }
    }
    lesson
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
