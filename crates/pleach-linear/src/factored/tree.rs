//! The scores that a tree parser needs, each only where it is needed (Bohnet 2010; pruning as in Rush & Petrov 2012).
//!
//! Every arc of a sentence gets two scores from the same look-ups: one that decides which arcs are kept
//! ([`FILTER`]), one that is part of the tree's score ([`TREE`]). Labels, siblings and grandchildren are scored for the
//! arcs that are left: O(n²) cheap parts and O(k²·n) dear ones for k heads a word.

use super::FILTER;
use crate::configuration::{LEFT_EDGE, Part, RIGHT_EDGE};
use crate::scoring::{Rows, Scoring};
use crate::template::{TemplateError, Templates};
use crate::words::Words;
use pleach_decode::tree::{Arcs, Parts};
use pleach_transition::Node;
use std::ops::AddAssign;

/// Where the rows of arcs, siblings and grandchildren hold the weight that counts for the tree.
const TREE: u16 = 1;

/// The third node of an arc that has no inner sibling.
const NO_SIBLING: Node = RIGHT_EDGE;

/// The templates of a tree model. Their features share one table.
#[derive(Clone, Debug)]
pub struct TreeTemplates {
    /// Arcs, for the filter and for the tree.
    pub arc: Templates,
    /// Labels of arcs.
    pub label: Templates,
    /// Arcs with their inner siblings, and arcs with their outermost grandchildren; none in a first-order model.
    pub second: Option<SecondOrder>,
}

/// The templates of the parts of two arcs.
#[derive(Clone, Debug)]
pub struct SecondOrder {
    /// For the tree.
    pub sibling: Templates,
    /// For the tree.
    pub grandchild: Templates,
    /// For the label of an arc, once the tree is known.
    pub sibling_label: Templates,
    /// For the label of an arc, once the tree is known.
    pub grandchild_label: Templates,
}

impl TreeTemplates {
    /// Compiles template files.
    pub fn parse(arc: &str, label: &str, second: Option<(&str, &str)>) -> Result<Self, TemplateError> {
        let parse = |name: &str, source: &str, set: u16| Ok(Templates::parse(name, source)?.as_set(set));
        let second = match second {
            None => None,
            Some((sibling, grandchild)) => Some(SecondOrder {
                sibling: parse("sibling", sibling, 2)?,
                grandchild: parse("grandchild", grandchild, 3)?,
                sibling_label: parse("sibling", sibling, 4)?,
                grandchild_label: parse("grandchild", grandchild, 5)?,
            }),
        };
        Ok(TreeTemplates { arc: parse("arc", arc, 0)?, label: parse("label", label, 1)?, second })
    }

    /// How many templates there are.
    pub fn len(&self) -> usize {
        let second = |second: &SecondOrder| second.sibling.len() + second.grandchild.len();
        self.arc.len() + self.label.len() + self.second.as_ref().map_or(0, second)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Scores the parts of trees, one sentence after the other.
#[derive(Clone, Debug, Default)]
pub struct TreeScorer<S> {
    arcs: Scoring<S>,
    labels: Scoring<S>,
    siblings: Scoring<S>,
    grandchildren: Scoring<S>,
    context: Scoring<S>,
    row: Vec<f32>,
    sums: Vec<f32>,
}

impl<S: Copy + Default + AddAssign> TreeScorer<S> {
    /// Forgets what was kept: another sentence, or other weights.
    pub fn begin(&mut self) {
        for scoring in [&mut self.arcs, &mut self.labels, &mut self.siblings, &mut self.grandchildren] {
            scoring.begin();
        }
    }

    /// Scores all arcs, for the filter and for the tree.
    pub fn arcs(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &TreeTemplates,
        words: &Words,
        filter: &mut Arcs,
        tree: &mut Arcs,
    ) {
        let nodes = words.len() + 1;
        filter.reset(nodes, f32::NEG_INFINITY);
        tree.reset(nodes, f32::NEG_INFINITY);
        let mut scores = [0.0; 2];
        for dependent in 1..nodes {
            for head in (0..nodes).filter(|&head| head != dependent) {
                let part = Part::arc(head as Node, dependent as Node);
                self.arcs.score(rows, &templates.arc, words, &part, &mut scores);
                filter.set(head, dependent, scores[usize::from(FILTER)]);
                tree.set(head, dependent, scores[usize::from(TREE)]);
            }
        }
    }

    /// Scores the labels of an arc by the arc alone.
    pub fn labels(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &TreeTemplates,
        words: &Words,
        head: usize,
        dependent: usize,
        scores: &mut [f32],
    ) {
        let part = Part::arc(head as Node, dependent as Node);
        self.labels.score(rows, &templates.label, words, &part, scores);
    }

    /// Scores the siblings and grandchildren of all candidates.
    pub fn second_order(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &SecondOrder,
        words: &Words,
        parts: &mut Parts,
    ) {
        for arc in 0..parts.arcs.len() {
            let (head, dependent) = (parts.arcs.head(arc), parts.arcs.dependent(arc));
            self.row.clear();
            let inner = parts.arcs.inner(arc).map(|inner| parts.arcs.dependent(inner) as Node);
            for third in inner.chain([NO_SIBLING]) {
                let part = Part::triple(head as Node, dependent as Node, third);
                self.row.push(score_tree(&mut self.siblings, rows, &templates.sibling, words, &part));
            }
            parts.siblings_mut(arc).copy_from_slice(&self.row);
            self.row.clear();
            let children = parts.arcs.of(dependent).map(|outer| parts.arcs.dependent(outer) as Node);
            for third in children.chain([LEFT_EDGE, RIGHT_EDGE]) {
                // The head itself can't be a grandchild: that would be a cycle.
                let score = if usize::from(third) == head {
                    f32::NEG_INFINITY
                } else {
                    let part = Part::triple(head as Node, dependent as Node, third);
                    score_tree(&mut self.grandchildren, rows, &templates.grandchild, words, &part)
                };
                self.row.push(score);
            }
            parts.grandchildren_mut(arc).copy_from_slice(&self.row);
        }
    }

    /// Scores the labels of the arc into `dependent` by the arc and by what is around it in a tree.
    pub fn labels_in_tree(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &TreeTemplates,
        words: &Words,
        tree: &TreeParts,
        dependent: usize,
        scores: &mut [f32],
    ) {
        self.labels(rows, templates, words, tree.head(dependent), dependent, scores);
        let Some(second) = &templates.second else { return };
        self.sums.resize(scores.len(), 0.0);
        for (templates, part) in second.label_parts(tree, dependent) {
            // Every part is looked at once, so nothing is kept.
            self.context.begin();
            self.context.score(rows, templates, words, &part, &mut self.sums);
            scores.iter_mut().zip(&self.sums).for_each(|(score, sum)| *score += sum);
        }
    }

    /// What makes the search prefer one tree to another, labels by the arcs alone: the features that only the `right` one
    /// has with +1, those that only the `wrong` one has with -1, as (key, action, change). Labels are numbers by word, the
    /// root's own first.
    pub fn difference(
        &mut self,
        templates: &TreeTemplates,
        words: &Words,
        right: (&TreeParts, &[u16]),
        wrong: (&TreeParts, &[u16]),
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        for dependent in 1..=words.len() {
            for (this, other, amount) in [(right, wrong, 1.0), (wrong, right, -1.0)] {
                let same_label = this.1[dependent] == other.1[dependent];
                let mut add = |templates: &Templates, part: &Part, action: u16| {
                    let keys = self.arcs.keys(templates, words, part);
                    changes.extend(keys.iter().map(|&key| (key, action, amount)));
                };
                let (here, there) = (this.0.arc(dependent), other.0.arc(dependent));
                if here != there {
                    add(&templates.arc, &here, TREE);
                }
                if here != there || !same_label {
                    add(&templates.label, &here, this.1[dependent]);
                }
                let Some(second) = &templates.second else { continue };
                let parts = this.0.around(dependent).into_iter().zip(other.0.around(dependent));
                for ((here, there), (tree, _)) in parts.zip(second.templates()) {
                    if here != there {
                        add(tree, &here, TREE);
                    }
                }
            }
        }
    }

    /// What of the surroundings makes the model prefer the `right` label of a word to the `wrong` one in a tree, as (key,
    /// action, change). The arc's own features are left alone: the search has to do with them, and what is around an arc
    /// learns what they leave open.
    pub fn label_difference(
        &mut self,
        second: &SecondOrder,
        words: &Words,
        (tree, dependent): (&TreeParts, usize),
        [right, wrong]: [u16; 2],
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        for (templates, part) in second.label_parts(tree, dependent) {
            let keys = self.arcs.keys(templates, words, &part);
            changes.extend(keys.iter().flat_map(|&key| [(key, right, 1.0), (key, wrong, -1.0)]));
        }
    }

    /// The features that make the filter prefer one array of heads to another, as (key, action, change).
    pub fn filter_difference(
        &mut self,
        templates: &TreeTemplates,
        words: &Words,
        right: &[u32],
        wrong: &[u32],
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        for dependent in (1..=words.len()).filter(|&dependent| right[dependent] != wrong[dependent]) {
            for (heads, amount) in [(right, 1.0), (wrong, -1.0)] {
                let part = Part::arc(heads[dependent] as Node, dependent as Node);
                let keys = self.arcs.keys(&templates.arc, words, &part);
                changes.extend(keys.iter().map(|&key| (key, FILTER, amount)));
            }
        }
    }
}

/// The score of a part for the tree.
fn score_tree<S: Copy + Default + AddAssign>(
    scoring: &mut Scoring<S>,
    rows: &impl Rows<Sum = S>,
    templates: &Templates,
    words: &Words,
    part: &Part,
) -> f32 {
    let mut scores = [0.0; 2];
    scoring.score(rows, templates, words, part, &mut scores);
    scores[usize::from(TREE)]
}

/// The parts of two arcs in a tree, for every word.
#[derive(Clone, Debug, Default)]
pub struct TreeParts {
    heads: Vec<Node>,
    /// The inner sibling of each word.
    siblings: Vec<Node>,
    /// The outermost dependents of each node on its left and on its right.
    outermost: [Vec<Node>; 2],
}

impl TreeParts {
    /// Looks at a tree given by its heads, the root's own place being the first. O(n).
    pub fn fill(&mut self, heads: &[u32]) {
        self.heads.clear();
        self.heads.extend(heads.iter().map(|&head| head as Node));
        self.siblings.clear();
        self.siblings.resize(heads.len(), NO_SIBLING);
        for (side, edge) in [LEFT_EDGE, RIGHT_EDGE].into_iter().enumerate() {
            self.outermost[side].clear();
            self.outermost[side].resize(heads.len(), edge);
        }
        // From the inside to the outside, the last one seen is the inner sibling of the next one.
        for word in (1..heads.len()).rev() {
            let head = usize::from(self.heads[word]);
            if word < head {
                self.meet(0, LEFT_EDGE, head, word);
            }
        }
        for word in 1..heads.len() {
            let head = usize::from(self.heads[word]);
            if word > head {
                self.meet(1, RIGHT_EDGE, head, word);
            }
        }
    }

    fn meet(&mut self, side: usize, edge: Node, head: usize, word: usize) {
        let last = std::mem::replace(&mut self.outermost[side][head], word as Node);
        if last != edge {
            self.siblings[word] = last;
        }
    }

    /// The head of a word.
    pub fn head(&self, dependent: usize) -> usize {
        usize::from(self.heads[dependent])
    }

    fn arc(&self, dependent: usize) -> Part {
        Part::arc(self.heads[dependent], dependent as Node)
    }

    /// The arc into a word with its inner sibling, its left grandchild and its right one.
    fn around(&self, dependent: usize) -> [Part; 3] {
        let [left, right] = &self.outermost;
        [self.siblings[dependent], left[dependent], right[dependent]]
            .map(|third| Part::triple(self.heads[dependent], dependent as Node, third))
    }
}

impl SecondOrder {
    /// For each part of [`TreeParts::around`], the templates for the tree and for the label.
    fn templates(&self) -> [(&Templates, &Templates); 3] {
        let grandchild = (&self.grandchild, &self.grandchild_label);
        [(&self.sibling, &self.sibling_label), grandchild, grandchild]
    }

    fn label_parts(&self, tree: &TreeParts, dependent: usize) -> impl Iterator<Item = (&Templates, Part)> {
        self.templates().into_iter().map(|(_, label)| label).zip(tree.around(dependent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Learner;
    use crate::template::shipped;
    use pleach_graph::Sentence;

    const LABELS: usize = 3;

    fn templates() -> TreeTemplates {
        let file = |name: &str| shipped(name).unwrap();
        let second = Some((file("tree-sibling"), file("tree-grandchild")));
        TreeTemplates::parse(file("tree-arc"), file("tree-label"), second).unwrap()
    }

    /// The score of a labelled tree as the search sees it, and the same without labels.
    fn total(
        scorer: &mut TreeScorer<f32>,
        learner: &Learner,
        templates: &TreeTemplates,
        words: &Words,
        heads: &[u32],
        labels: &[u16],
    ) -> (f32, f32) {
        let (mut filter, mut tree, mut parts) = (Arcs::default(), Arcs::default(), Parts::default());
        scorer.begin();
        scorer.arcs(learner, templates, words, &mut filter, &mut tree);
        let n = heads.len() as u32;
        let mut all: Vec<(u32, u32)> = (0..n).flat_map(|h| (1..n).map(move |d| (h, d))).collect();
        parts.arcs.reset(heads.len(), &mut all);
        parts.reset();
        scorer.second_order(learner, templates.second.as_ref().unwrap(), words, &mut parts);
        for arc in 0..parts.arcs.len() {
            parts.scores[arc] = tree.get(parts.arcs.head(arc), parts.arcs.dependent(arc));
        }
        let plain = parts.total(heads);
        let mut scores = [0.0; LABELS];
        let labelled = (1..heads.len()).map(|d| {
            scorer.labels(learner, templates, words, heads[d] as usize, d, &mut scores);
            scores[usize::from(labels[d])]
        });
        (plain + labelled.sum::<f32>(), plain)
    }

    /// What the features of two trees differ in is exactly what their scores differ in.
    #[test]
    fn differences_of_features_are_differences_of_scores() {
        let templates = templates();
        let mut words = Words::default();
        words.fill(&Sentence::from_forms(["a", "b", "a", "c", "d"]), false);
        let mut learner = Learner::default();
        let mut scorer = TreeScorer::<f32>::default();
        let trees: [(&[u32], &[u16]); 4] = [
            (&[0, 2, 0, 2, 3, 3], &[0, 1, 2, 0, 1, 2]),
            (&[0, 2, 0, 5, 3, 2], &[0, 1, 2, 1, 1, 0]),
            (&[0, 0, 1, 2, 2, 4], &[0, 0, 0, 0, 1, 2]),
            (&[0, 4, 1, 0, 3, 1], &[0, 2, 2, 1, 1, 1]),
        ];
        let mut views = [const { None }; 4];
        for (view, (heads, _)) in views.iter_mut().zip(trees) {
            view.insert(TreeParts::default()).fill(heads);
        }
        let difference = |scorer: &mut TreeScorer<f32>, a: usize, b: usize| {
            let mut changes = Vec::new();
            let side = |i: usize| (views[i].as_ref().unwrap(), trees[i].1);
            scorer.difference(&templates, &words, side(a), side(b), &mut changes);
            changes
        };
        for (a, b) in [(0, 1), (2, 3), (1, 2)] {
            for (i, (key, action, change)) in difference(&mut scorer, a, b).into_iter().enumerate() {
                learner.update(key, action, change * (1 + i % 5) as f32);
            }
        }
        for (a, b) in [(0, 1), (1, 0), (0, 2), (3, 1), (2, 2)] {
            let score = |scorer: &mut TreeScorer<f32>, i: usize| {
                total(scorer, &learner, &templates, &words, trees[i].0, trees[i].1)
            };
            let (one, other) = (score(&mut scorer, a), score(&mut scorer, b));
            let mut sum = 0.0;
            for (key, action, change) in difference(&mut scorer, a, b) {
                let mut weights = [0.0; LABELS];
                learner.add(&[key], &mut Vec::new(), &mut weights);
                sum += change * weights[usize::from(action)];
            }
            assert_eq!(sum, one.0 - other.0, "{a} {b}");
            assert_eq!(a == b, sum == 0.0);
            assert!(a == b || one.1 != other.1);
        }
    }

    /// Surroundings learn labels without the arc's own weights being touched.
    #[test]
    fn surroundings_learn_what_arcs_leave_open() {
        let templates = templates();
        let second = templates.second.as_ref().unwrap();
        let mut words = Words::default();
        words.fill(&Sentence::from_forms(["a", "b", "a", "c", "d"]), false);
        let (mut scorer, mut learner) = (TreeScorer::<f32>::default(), Learner::default());
        let mut tree = TreeParts::default();
        tree.fill(&[0, 2, 0, 2, 3, 3]);
        let mut changes = Vec::new();
        scorer.label_difference(second, &words, (&tree, 5), [2, 1], &mut changes);
        let expected = changes.len() as f32;
        for (key, action, change) in changes {
            learner.update(key, action, change);
        }
        let (mut alone, mut inside) = ([0.0; LABELS], [0.0; LABELS]);
        scorer.begin();
        scorer.labels(&learner, &templates, &words, 3, 5, &mut alone);
        scorer.labels_in_tree(&learner, &templates, &words, &tree, 5, &mut inside);
        assert_eq!(alone, [0.0; LABELS]);
        assert_eq!(inside[2] - inside[1], expected);
    }

    #[test]
    fn the_filter_learns_heads_alone() {
        let templates = templates();
        let mut words = Words::default();
        words.fill(&Sentence::from_forms(["a", "b", "c"]), false);
        let mut scorer = TreeScorer::<f32>::default();
        let mut changes = Vec::new();
        scorer.filter_difference(&templates, &words, &[0, 0, 1, 2], &[0, 0, 1, 1], &mut changes);
        let mut learner = Learner::default();
        for (key, action, change) in changes {
            assert_eq!(action, FILTER);
            learner.update(key, action, change);
        }
        let (mut filter, mut tree) = (Arcs::default(), Arcs::default());
        scorer.begin();
        scorer.arcs(&learner, &templates, &words, &mut filter, &mut tree);
        assert!(filter.get(2, 3) > 0.0 && filter.get(1, 3) < 0.0);
        assert_eq!(tree.get(2, 3), 0.0);
    }
}
