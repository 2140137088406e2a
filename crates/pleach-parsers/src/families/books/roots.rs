//! The arcs of the root when they lie on no page.
//!
//! In `sun-2017` books have no root. As a word on the spine it makes arcs that others cross, and two pages hold fewer
//! graphs; apart, every word is a child of the root or not, whatever the pages say, by the score of the first page's
//! model. A sentence without any gets the best one. O(n).

use super::page::{Labelled, Model};
use super::space::PageSpace;
use crate::scorer::Learner;
use pleach_decode::noncrossing::factors::channel;
use pleach_decode::noncrossing::{Direction, Node};
use pleach_decode::part::{Kind, Part, PartScorer};

/// The channel of an arc from the root.
fn down() -> u16 {
    channel(Direction::Right)
}

/// The scores of all words as children of the root; the pairs of words are scored.
fn scores(page: &PageSpace, nodes: usize) -> impl Iterator<Item = (Node, f32)> {
    page.pairs[..nodes].iter().enumerate().skip(1).map(|(node, row)| (node as Node, row[usize::from(down())]))
}

/// The children of the root in a sentence of so many nodes.
pub(super) fn children(page: &PageSpace, nodes: usize, children: &mut Vec<Node>) {
    children.extend(scores(page, nodes).filter(|(_, score)| *score > 0.0).map(|(node, _)| node));
    if children.is_empty() {
        let best = scores(page, nodes).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        children.extend(best.map(|(node, _)| node));
    }
}

/// The best label of an arc from the root; `row` is memory to work in.
pub(super) fn label(
    model: &Model,
    scorer: &mut dyn PartScorer,
    child: Node,
    right: Option<u16>,
    row: &mut Vec<f32>,
) -> Option<u16> {
    row.resize(model.edges.len(), 0.0);
    scorer.score(Part::label(0, child), row);
    model.best_of(Direction::Right, |label| row[usize::from(label)] + model.label_cost(right, label))
}

/// Learns the arcs of the root with the same costs as other edges; gives whether anything was wrong. `gold` are the arcs of
/// the root.
pub(super) fn learn(
    model: &Model,
    learner: &mut dyn Learner,
    gold: &[Labelled],
    page: &PageSpace,
    nodes: usize,
) -> bool {
    let mut wrong = false;
    for (node, score) in scores(page, nodes) {
        let is_gold = gold.binary_search_by_key(&node, |edge| edge.1).is_ok();
        let cost = if is_gold { -model.margin * model.recall } else { model.margin };
        if (score + cost > 0.0) != is_gold {
            learner.change_part(Part::arc(0, node), down(), if is_gold { 1.0 } else { -1.0 });
            wrong = true;
        }
    }
    if !learner.scores(Kind::LABEL) {
        return wrong;
    }
    let mut row = Vec::new();
    for &(_, node, right) in gold {
        let found = label(model, learner, node, Some(right), &mut row).filter(|&found| found != right);
        if let Some(found) = found {
            learner.change_part(Part::label(0, node), right, 1.0);
            learner.change_part(Part::label(0, node), found, -1.0);
            wrong = true;
        }
    }
    wrong
}
