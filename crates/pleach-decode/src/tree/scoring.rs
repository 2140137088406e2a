//! The scores that a tree parser needs, each only where it is needed (Bohnet 2010; pruning as in Rush & Petrov 2012).
//!
//! Every arc of a sentence has two scores: one that decides which arcs are kept ([`FILTER`]), one that is part of the
//! tree's score ([`TREE`]). Siblings and grandchildren are scored for the arcs that are left, and only if the scorer has an
//! opinion on them: O(n²) cheap parts and O(k²·n) dear ones for k heads a word.

use super::around::{CHANNELS, FILTER, GRANDCHILD, NO_SIBLING, SIBLING, TREE, TreeParts};
use super::{Arcs, Candidates, Parts};
use crate::part::{Part, PartScorer};
use pleach_graph::Node;
use pleach_graph::node::{LEFT_EDGE, RIGHT_EDGE};

/// What the filter thinks of an arc that was not scored: so little that a tree has one only where there is no other, but a
/// number, so that there always is a tree.
pub const OUT: f32 = -1e6;

/// The scores of a sentence; the memory is kept from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct TreeScores {
    /// All arcs, for the filter.
    pub filter: Arcs,
    /// All arcs, for the tree.
    pub tree: Arcs,
    /// The candidates, and the scores of their factors.
    pub parts: Parts,
    asked: Vec<Part>,
    expected: Vec<Part>,
    context: Vec<f32>,
}

impl TreeScores {
    /// Scores those arcs of a sentence that pass, for the filter and for the tree. What doesn't pass is [`OUT`] for the filter.
    pub fn score_arcs(
        &mut self,
        scorer: &mut dyn PartScorer,
        words: usize,
        passes: impl Fn(usize, usize) -> bool,
    ) {
        let TreeScores { filter, tree, asked, .. } = self;
        let nodes = words + 1;
        filter.reset(nodes, f32::NEG_INFINITY);
        tree.reset(nodes, f32::NEG_INFINITY);
        asked.clear();
        for dependent in 1..nodes {
            let heads = (0..nodes).filter(|&head| head != dependent);
            let heads = heads.filter(|&head| {
                let passes = passes(head, dependent);
                if !passes {
                    filter.set(head, dependent, OUT);
                }
                passes
            });
            asked.extend(heads.map(|head| Part::arc(head as Node, dependent as Node)));
        }
        scorer.expect(asked);
        let mut scores = [0.0; CHANNELS];
        for &part in &*asked {
            scorer.score(part, &mut scores);
            let (head, dependent) = (usize::from(part.nodes[0]), usize::from(part.nodes[1]));
            filter.set(head, dependent, scores[usize::from(FILTER)]);
            tree.set(head, dependent, scores[usize::from(TREE)]);
        }
    }

    /// Scores an arc that did not pass after all.
    pub fn score_arc(&mut self, scorer: &mut dyn PartScorer, head: usize, dependent: usize) {
        let mut scores = [0.0; CHANNELS];
        scorer.score(Part::arc(head as Node, dependent as Node), &mut scores);
        self.tree.set(head, dependent, scores[usize::from(TREE)]);
    }

    /// Takes (head, dependent) pairs as the candidates and makes room for the factors that are scored.
    pub fn set_candidates(&mut self, scorer: &dyn PartScorer, arcs: &mut Vec<(u32, u32)>) {
        self.parts.arcs.reset(self.filter.nodes(), arcs);
        if scorer.scores(SIBLING) || scorer.scores(GRANDCHILD) {
            self.parts.reset();
        } else {
            self.parts.reset_first_order();
        }
    }

    /// Says that the labels of all candidates will be asked for.
    pub fn expect_labels(&mut self, scorer: &mut dyn PartScorer) {
        let TreeScores { asked, parts: Parts { arcs, .. }, .. } = self;
        asked.clear();
        asked.extend(
            (0..arcs.len()).map(|arc| Part::label(arcs.head(arc) as Node, arcs.dependent(arc) as Node)),
        );
        scorer.expect(asked);
    }

    /// Scores the siblings and grandchildren of all candidates, as far as they are scored; of those that only trees with crossing
    /// arcs have, just if there can be such trees (`crossing`).
    pub fn score_second_order(&mut self, scorer: &mut dyn PartScorer, crossing: bool) {
        let TreeScores { parts, asked, expected, .. } = self;
        let (siblings, grandchildren) = (scorer.scores(SIBLING), scorer.scores(GRANDCHILD));
        if !siblings && !grandchildren {
            return;
        }
        asked.clear();
        for arc in 0..parts.arcs.len() {
            if siblings {
                asked.extend(sibling_parts(&parts.arcs, arc));
            }
            if grandchildren {
                asked.extend(grandchild_parts(&parts.arcs, arc));
            }
        }
        let possible = |part: &Part| part.kind != GRANDCHILD || is_possible(part, crossing);
        expected.clear();
        expected.extend(asked.iter().copied().filter(possible));
        scorer.expect(expected);
        let mut next = asked.iter();
        let mut scores = [0.0; CHANNELS];
        for arc in 0..parts.arcs.len() {
            if siblings {
                for (score, &part) in parts.siblings_mut(arc).iter_mut().zip(next.by_ref()) {
                    scorer.score(part, &mut scores);
                    *score = scores[usize::from(TREE)];
                }
            }
            if grandchildren {
                for (score, &part) in parts.grandchildren_mut(arc).iter_mut().zip(next.by_ref()) {
                    *score = if is_possible(&part, crossing) {
                        scorer.score(part, &mut scores);
                        scores[usize::from(TREE)]
                    } else {
                        f32::NEG_INFINITY
                    };
                }
            }
        }
    }

    /// Scores the labels of the arc into `dependent` by the arc and by what is around it in a tree.
    pub fn score_labels(
        &mut self,
        scorer: &mut dyn PartScorer,
        tree: &TreeParts,
        dependent: usize,
        scores: &mut [f32],
    ) {
        scorer.score(tree.label(dependent), scores);
        self.context.resize(scores.len(), 0.0);
        for part in tree.around_label(dependent) {
            if scorer.scores(part.kind) {
                scorer.score(part, &mut self.context);
                scores.iter_mut().zip(&self.context).for_each(|(score, more)| *score += more);
            }
        }
    }
}

/// An arc with each sibling that it can have, and with none.
fn sibling_parts(arcs: &Candidates, arc: usize) -> impl Iterator<Item = Part> {
    let (head, dependent) = (arcs.head(arc) as Node, arcs.dependent(arc) as Node);
    let inner = arcs.inner(arc).map(|inner| arcs.dependent(inner) as Node);
    inner.chain([NO_SIBLING]).map(move |third| Part::three(SIBLING, head, dependent, third))
}

/// An arc with each grandchild that it can have, and with none on either side.
fn grandchild_parts(arcs: &Candidates, arc: usize) -> impl Iterator<Item = Part> {
    let (head, dependent) = (arcs.head(arc), arcs.dependent(arc));
    let outer = arcs.of(dependent).map(|outer| arcs.dependent(outer) as Node);
    let thirds = outer.chain([LEFT_EDGE, RIGHT_EDGE]);
    thirds.map(move |third| Part::three(GRANDCHILD, head as Node, dependent as Node, third))
}

/// Whether a tree can have an arc with this grandchild. The head itself can't be one: that would be a cycle. Nor can, without crossing
/// arcs, what lies beyond the head: the arc to it would go over the head, which is under nothing of its own.
#[inline]
fn is_possible(part: &Part, crossing: bool) -> bool {
    let [head, dependent, third, _] = part.nodes;
    let is_word = third != LEFT_EDGE && third != RIGHT_EDGE;
    let beyond = if dependent > head { third < head } else { third > head };
    !is_word || (third != head && (crossing || !beyond))
}
