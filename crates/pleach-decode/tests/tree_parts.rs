//! How trees make up parts: scores, what is learnt, and what scorers of first order are not asked.

mod common;
mod tree_common;

use common::Random;
use pleach_decode::part::{Kind, Part, PartLearner, PartScorer};
use pleach_decode::tree::around::{FILTER, GRANDCHILD_LABEL, SIBLING, SIBLING_LABEL, TREE};
use pleach_decode::tree::learning::{prefer_heads, prefer_label, prefer_tree};
use pleach_decode::tree::{TreeParts, TreeScores};
use std::collections::BTreeSet;
use tree_common::{all_trees, is_projective};

const LABELS: usize = 3;
const NODES: usize = 6;

/// Weights that are whole numbers made of the part; notes what it is told.
#[derive(Default)]
struct Toy {
    first_order: bool,
    expected: BTreeSet<Part>,
    asked: BTreeSet<Part>,
    changes: Vec<(Part, u16, f32)>,
}

fn weight(part: Part, choice: u16) -> f32 {
    let mut random = Random(u64::from(part.kind.0) << 16 | u64::from(choice));
    for node in part.nodes {
        random.0 = random.0.wrapping_mul(31).wrapping_add(u64::from(node));
        random.below(7);
    }
    random.score(20)
}

impl PartScorer for Toy {
    fn scores(&self, kind: Kind) -> bool {
        kind < SIBLING || !self.first_order
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        assert!(self.scores(part.kind));
        self.asked.insert(part);
        scores.iter_mut().enumerate().for_each(|(choice, score)| *score = weight(part, choice as u16));
    }

    fn expect(&mut self, parts: &[Part]) {
        self.expected.extend(parts);
    }
}

impl PartLearner for Toy {
    fn change_part(&mut self, part: Part, choice: u16, amount: f32) {
        assert!(self.scores(part.kind));
        self.changes.push((part, choice, amount));
    }
}

fn all_arcs() -> Vec<(u32, u32)> {
    let n = NODES as u32;
    (0..n).flat_map(|h| (1..n).map(move |d| (h, d))).collect()
}

/// The scores of all parts that trees can have, if wanted without those that only trees with crossing arcs have.
fn all_scores(toy: &mut Toy, crossing: bool) -> TreeScores {
    let mut scores = TreeScores::default();
    scores.score_arcs(toy, NODES - 1, |_, _| true);
    scores.set_candidates(toy, &mut all_arcs());
    assert_eq!(scores.parts.is_second_order(), !toy.first_order);
    scores.score_second_order(toy, crossing);
    for arc in 0..scores.parts.arcs.len() {
        let (head, dependent) = (scores.parts.arcs.head(arc), scores.parts.arcs.dependent(arc));
        scores.parts.scores[arc] = scores.tree.get(head, dependent);
    }
    scores
}

/// The score of a labelled tree as a search sees it.
fn total(toy: &mut Toy, heads: &[u32], labels: &[u16]) -> f32 {
    let scores = all_scores(toy, true);
    let labelled = (1..NODES).map(|d| weight(Part::label(heads[d] as u16, d as u16), labels[d]));
    scores.parts.total(heads) + labelled.sum::<f32>()
}

const TREES: [([u32; NODES], [u16; NODES]); 4] = [
    ([0, 2, 0, 2, 3, 3], [0, 1, 2, 0, 1, 2]),
    ([0, 2, 0, 5, 3, 2], [0, 1, 2, 1, 1, 0]),
    ([0, 0, 1, 2, 2, 4], [0, 0, 0, 0, 1, 2]),
    ([0, 4, 1, 0, 3, 1], [0, 2, 2, 1, 1, 1]),
];

fn parts(heads: &[u32]) -> TreeParts {
    let mut parts = TreeParts::default();
    parts.fill(heads);
    parts
}

/// What is told of two trees is exactly what their scores differ in.
#[test]
fn differences_of_parts_are_differences_of_scores() {
    for first_order in [false, true] {
        for (right, right_labels) in TREES {
            for (wrong, wrong_labels) in TREES {
                let mut toy = Toy { first_order, ..Toy::default() };
                let (a, b) = (parts(&right), parts(&wrong));
                prefer_tree(&mut toy, (&a, &right_labels), (&b, &wrong_labels));
                let told: f32 =
                    toy.changes.iter().map(|&(part, choice, amount)| amount * weight(part, choice)).sum();
                assert_eq!(toy.changes.is_empty(), right == wrong);
                let score = |toy: &mut Toy, heads, labels| total(toy, heads, labels);
                let gain = score(&mut toy, &right, &right_labels) - score(&mut toy, &wrong, &wrong_labels);
                assert_eq!(told, gain);
            }
        }
    }
}

/// A network can compute everything before it is asked, and is asked nothing that it has no opinion on.
#[test]
fn what_is_asked_was_expected() {
    for first_order in [false, true] {
        let mut toy = Toy { first_order, ..Toy::default() };
        let (heads, labels) = TREES[0];
        total(&mut toy, &heads, &labels);
        assert!(toy.asked.is_subset(&toy.expected));
        let kinds: BTreeSet<u8> = toy.asked.iter().map(|part| part.kind.0).collect();
        assert_eq!(kinds.into_iter().collect::<Vec<_>>(), if first_order { vec![0] } else { vec![0, 2, 3] });
    }
}

/// What is left out when no arcs cross is in no projective tree, and everything else is in one.
#[test]
fn only_parts_of_projective_trees_are_asked_for() {
    let (mut all, mut some) = (Toy::default(), Toy::default());
    let (every, few) = (all_scores(&mut all, true), all_scores(&mut some, false));
    let mut seen = BTreeSet::new();
    all_trees(NODES, |heads| {
        if is_projective(heads) {
            assert_eq!(every.parts.total(heads), few.parts.total(heads));
            let view = parts(heads);
            seen.extend((1..NODES).flat_map(|word| view.around(word)));
        }
    });
    let second = |asked: &BTreeSet<Part>| -> BTreeSet<Part> {
        asked.iter().copied().filter(|part| part.kind >= SIBLING).collect()
    };
    assert_eq!(second(&some.asked), seen);
    assert!(second(&all.asked).len() > seen.len());
    assert!(some.asked.is_subset(&some.expected));
}

/// Surroundings learn labels without the arc's own weights being touched.
#[test]
fn surroundings_learn_what_arcs_leave_open() {
    let mut toy = Toy::default();
    let tree = parts(&TREES[0].0);
    prefer_label(&mut toy, &tree, 5, [2, 1]);
    assert_eq!(toy.changes.len(), 6);
    assert!(toy.changes.iter().all(|(part, ..)| [SIBLING_LABEL, GRANDCHILD_LABEL].contains(&part.kind)));
    let mut scores = [0.0; LABELS];
    TreeScores::default().score_labels(&mut toy, &tree, 5, &mut scores);
    let told: f32 = toy.changes.iter().map(|&(part, choice, amount)| amount * weight(part, choice)).sum();
    let alone = weight(tree.label(5), 2) - weight(tree.label(5), 1);
    assert_eq!(scores[2] - scores[1], alone + told);
    let mut first = Toy { first_order: true, ..Toy::default() };
    prefer_label(&mut first, &tree, 5, [2, 1]);
    TreeScores::default().score_labels(&mut first, &tree, 5, &mut scores);
    assert!(first.changes.is_empty());
    assert_eq!(scores[2] - scores[1], alone);
}

#[test]
fn the_filter_learns_heads_alone() {
    let mut toy = Toy::default();
    prefer_heads(&mut toy, &[0, 0, 1, 2], &[0, 0, 1, 1]);
    assert_eq!(toy.changes, [(Part::arc(2, 3), FILTER, 1.0), (Part::arc(1, 3), FILTER, -1.0)]);
    let mut scores = TreeScores::default();
    scores.score_arcs(&mut toy, 3, |_, _| true);
    assert_eq!(scores.filter.get(2, 3), weight(Part::arc(2, 3), FILTER));
    assert_eq!(scores.tree.get(2, 3), weight(Part::arc(2, 3), TREE));
}

/// What doesn't pass is not asked for, and is out of the question for the filter but still a number.
#[test]
fn arcs_that_do_not_pass_are_not_scored() {
    struct Asked(Vec<(u16, u16)>);
    impl PartScorer for Asked {
        fn scores(&self, _: Kind) -> bool {
            true
        }

        fn score(&mut self, part: Part, scores: &mut [f32]) {
            self.0.push((part.nodes[0], part.nodes[1]));
            scores.fill(5.0);
        }
    }
    let (mut asked, mut scores) = (Asked(Vec::new()), TreeScores::default());
    scores.score_arcs(&mut asked, 3, |head, dependent| head + 1 == dependent);
    assert_eq!(asked.0, [(0, 1), (1, 2), (2, 3)]);
    assert_eq!((scores.filter.get(1, 2), scores.tree.get(1, 2)), (5.0, 5.0));
    assert!(scores.filter.get(0, 2) < -1e5 && scores.filter.get(0, 2).is_finite());
    assert_eq!(scores.tree.get(0, 2), f32::NEG_INFINITY);
    scores.score_arc(&mut asked, 0, 2);
    assert_eq!(scores.tree.get(0, 2), 5.0);
}
