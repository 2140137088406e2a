//! Structured learning of a page, with costs in the search (loss-augmented margin); the filter learns from the same
//! pairs.

use super::book::Book;
use super::page::{Labelled, Model, gold_label};
use super::roots;
use super::space::{Choice, PageSpace};
use crate::scorer::Learner;
use pleach_decode::noncrossing::company::contexts;
use pleach_decode::noncrossing::factors::{FILTER, scored};
use pleach_decode::noncrossing::parts::Dissection;
use pleach_decode::noncrossing::{Candidates, Link, Node, Part};
use pleach_decode::part;
use pleach_graph::words::Words;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct LearnSpace {
    page: PageSpace,
    choice: Choice,
    candidates: Candidates,
    dissection: Dissection,
    /// The gold edges, and those that were found.
    right: Vec<Link>,
    found: Vec<Link>,
    right_parts: Vec<Part>,
    found_parts: Vec<Part>,
}

/// Decodes one page of a sentence and says what should change; gives whether it was wrong. `gold` is
/// sorted; when the root is apart, its arcs are on the first page only (`roots`).
pub(super) fn learn(
    book: &Book,
    learner: &mut dyn Learner,
    words: &Words,
    gold: &[Labelled],
    roots: bool,
    space: &mut LearnSpace,
) -> bool {
    let LearnSpace { page, choice, candidates, .. } = space;
    let (model, beam) = (&book.model, book.recipe.beam);
    choice.start(words.len() + 1);
    if let Some(sieve) = &book.sieve {
        choice.sift(sieve, words, gold, model.apart);
    }
    let words = words.len();
    model.score_pairs(learner, choice, page);
    let (of_root, gold) = gold.split_at(gold.partition_point(|edge| edge.0 < model.first()));
    let wrong_root = model.apart && roots && roots::learn(model, learner, of_root, page, words + 1);
    learn_filter(model, learner, words, gold, page);
    model.filter(page, choice);
    gold.iter().for_each(|&(left, right, _)| choice.add(left, right));
    choice.candidates(candidates);
    model.score_candidates(learner, candidates, Some(gold), page);
    model.decode(learner, candidates, beam, page, &mut space.found);
    space.right.clear();
    space.right.extend(gold.iter().filter_map(|&(left, right, label)| {
        Some(Link { edge: candidates.find(left, right)?, direction: model.direction(label) })
    }));
    learn_parts(model, learner, space);
    let wrong = learn_labels(model, learner, gold, space);
    if model.has_company(learner) {
        model.score_labels(learner, &space.candidates, &space.found, &mut space.page);
        learn_company(model, learner, gold, space);
    }
    wrong || wrong_root
}

/// The parts that only the right graph has go up, the others down.
fn learn_parts(model: &Model, learner: &mut dyn Learner, space: &mut LearnSpace) {
    let order = model.order(learner);
    let LearnSpace { candidates, dissection, right, found, right_parts, found_parts, .. } = space;
    for (links, parts) in [(right, &mut *right_parts), (found, &mut *found_parts)] {
        parts.clear();
        dissection.visit(candidates, links, order, |part| parts.push(part));
        parts.sort_unstable();
    }
    for (these, others, amount) in [(&*right_parts, &*found_parts, 1.0), (&*found_parts, &*right_parts, -1.0)]
    {
        for &part in these.iter().filter(|part| others.binary_search(part).is_err()) {
            let (part, choice) = scored(candidates, part);
            learner.change_part(part, choice, amount);
        }
    }
}

/// The same for labels by the edges alone: these are what the search sees. Gives whether anything was wrong.
fn learn_labels(model: &Model, learner: &mut dyn Learner, gold: &[Labelled], space: &mut LearnSpace) -> bool {
    let LearnSpace { page, candidates, found, .. } = space;
    let labelled = |link: &Link| {
        let ends = candidates.ends(link.edge);
        (ends.0, ends.1, model.best_label(*link, gold_label(gold, ends), &[&*page]))
    };
    let found: Vec<Labelled> = found.iter().map(labelled).collect();
    let scored = learner.scores(part::Kind::LABEL);
    let mut wrong = false;
    for (these, others, amount) in [(gold, &*found, 1.0), (&*found, gold, -1.0)] {
        for &(left, right, label) in these.iter().filter(|edge| others.binary_search(edge).is_err()) {
            if scored {
                learner.change_part(part::Part::label(left, right), label, amount);
            }
            wrong = true;
        }
    }
    wrong
}

/// The company of right edges learns what their labels alone leave open.
fn learn_company(model: &Model, learner: &mut dyn Learner, gold: &[Labelled], space: &mut LearnSpace) {
    let LearnSpace { page, candidates, found, .. } = space;
    for (place, &link) in found.iter().enumerate() {
        let ends = candidates.ends(link.edge);
        let right = gold_label(gold, ends).filter(|&label| model.direction(label) == link.direction);
        let Some(right) = right else { continue };
        let label = model.best_label(link, Some(right), &[&*page]);
        if label != right {
            for (label, amount) in [(right, 1.0), (label, -1.0)] {
                for part in contexts(ends, &page.company[place]) {
                    learner.change_part(part, label, amount);
                }
            }
        }
    }
}

/// In the eyes of the filter, every gold edge of a word has to be better than the best other one by the margin.
fn learn_filter(model: &Model, learner: &mut dyn Learner, words: usize, gold: &[Labelled], page: &PageSpace) {
    let nodes = words as Node + 1;
    let is_gold = |left: Node, right: Node| gold.binary_search_by_key(&(left, right), |e| (e.0, e.1)).is_ok();
    let first = model.first();
    for node in first..nodes {
        let edges =
            (first..nodes).filter(|&other| other != node).map(|other| (node.min(other), node.max(other)));
        let others = edges.clone().filter(|&(left, right)| !is_gold(left, right));
        let others = others.map(|ends| (page.filter_score(nodes, ends), ends));
        let Some((best, wrong)) = others.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        for right in edges.filter(|&(left, right)| is_gold(left, right)) {
            if page.filter_score(nodes, right) < best + model.margin {
                for ((left, right), amount) in [(right, 1.0), (wrong, -1.0)] {
                    learner.change_part(part::Part::arc(left, right), FILTER, amount);
                }
            }
        }
    }
}
