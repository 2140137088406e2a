//! SemEval-2016 Task 9 (Che et al. 2016): Chinese semantic dependencies, as the official `evaluate.py`
//! counts them.
//!
//! Graphs in which every token has at least one head; O(m log m) for m arcs. Rules that are easy to miss:
//! - Tokens whose form is all punctuation are left out with their arcs; arcs to and from others stay.
//! - The root's arc is an arc like any other.
//! - A token is non-local when it has more than one head in gold *or* in the system's graph, and then all
//!   its arcs count as such on both sides.
//! - A token without a head is one row, `_`, and counts as one arc on its side.
//! - When the system gives one head twice, under two labels, only the first of them is looked at. (Graphs
//!   keep the labels of a pair in alphabetical order; the script takes the file's.)

use crate::ArcCounts;
use crate::punctuation::is_punctuation;
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text};

/// The scores of a system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Semeval16Scores {
    with_punctuation: bool,
    /// Sentences seen.
    pub sentences: u64,
    /// Tokens seen, those left out not counted.
    pub tokens: u64,
    /// Arcs with the right head and label.
    pub labelled: ArcCounts,
    /// Arcs with the right head.
    pub unlabelled: ArcCounts,
    /// The labelled arcs of non-local tokens.
    pub non_local_labelled: ArcCounts,
    /// The arcs of non-local tokens.
    pub non_local_unlabelled: ArcCounts,
    /// Sentences with all labelled arcs right.
    pub labelled_exact: u64,
    /// Sentences with all heads right.
    pub unlabelled_exact: u64,
}

impl Semeval16Scores {
    /// No sentences yet; the official score leaves punctuation out.
    pub fn new(with_punctuation: bool) -> Self {
        Semeval16Scores { with_punctuation, ..Self::default() }
    }

    /// Counts one sentence with the same tokens in gold and in the system's output.
    pub fn add(&mut self, gold: &Sentence, system: &Sentence) {
        let (mut heads_right, mut labels_right) = (true, true);
        for (i, token) in gold.tokens.iter().enumerate() {
            if !self.with_punctuation && is_punctuation(&token.form) {
                continue;
            }
            self.tokens += 1;
            let node = NodeId(i as u32 + 1);
            let (gold, system) = (Rows::of(&gold.graph, node), Rows::of(&system.graph, node));
            let (heads, labels) = gold.right(&system);
            let unlabelled = ArcCounts { gold: gold.len(), system: system.len(), correct: heads };
            let labelled = ArcCounts { correct: labels, ..unlabelled };
            self.unlabelled += unlabelled;
            self.labelled += labelled;
            if unlabelled.gold > 1 || unlabelled.system > 1 {
                self.non_local_unlabelled += unlabelled;
                self.non_local_labelled += labelled;
            }
            heads_right &= unlabelled.gold == unlabelled.system && heads == unlabelled.gold;
            labels_right &= labelled.gold == labelled.system && labels == labelled.gold;
        }
        self.sentences += 1;
        self.unlabelled_exact += u64::from(heads_right);
        self.labelled_exact += u64::from(labels_right);
    }

    /// Adds what another scorer has counted.
    pub fn merge(&mut self, other: &Semeval16Scores) {
        self.sentences += other.sentences;
        self.tokens += other.tokens;
        self.labelled += other.labelled;
        self.unlabelled += other.unlabelled;
        self.non_local_labelled += other.non_local_labelled;
        self.non_local_unlabelled += other.non_local_unlabelled;
        self.labelled_exact += other.labelled_exact;
        self.unlabelled_exact += other.unlabelled_exact;
    }
}

/// The rows that a token has in the file: one for each of its heads, or one without a head.
struct Rows<'a>(&'a [Arc<Text>]);

impl<'a> Rows<'a> {
    fn of(graph: &'a Graph, node: NodeId) -> Self {
        Rows(if node.index() <= graph.len() { graph.incoming(node) } else { &[] })
    }

    fn len(&self) -> u64 {
        self.0.len().max(1) as u64
    }

    /// How many of these rows have a head that `system` has, and how many its label too.
    fn right(&self, system: &Rows<'_>) -> (u64, u64) {
        if self.0.is_empty() {
            let both = u64::from(system.0.is_empty());
            return (both, both);
        }
        let (mut heads, mut labels) = (0, 0);
        for arc in self.0 {
            let first = system.0.partition_point(|other| other.head < arc.head);
            if let Some(found) = system.0.get(first)
                && found.head == arc.head
            {
                heads += 1;
                labels += u64::from(found.label == arc.label);
            }
        }
        (heads, labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(forms: &[&str], arcs: &[(u32, u32, &str)]) -> Sentence {
        let mut sentence = Sentence::from_forms(forms.iter().copied());
        for &(head, dependent, label) in arcs {
            sentence.graph.insert(NodeId(head), NodeId(dependent), Text::from(label));
        }
        sentence
    }

    fn counts(gold: u64, system: u64, correct: u64) -> ArcCounts {
        ArcCounts { gold, system, correct }
    }

    /// Computed by hand, token by token.
    #[test]
    fn counted_by_hand() {
        let forms = ["总统", "，", "穿", "主持", "。"];
        let gold = sentence(
            &forms,
            &[(3, 1, "Agt"), (4, 1, "Agt"), (3, 2, "mPunc"), (0, 3, "Root"), (3, 4, "eCoo"), (4, 5, "mPunc")],
        );
        let system = sentence(
            &forms,
            &[(3, 1, "Agt"), (4, 1, "Exp"), (3, 2, "x"), (0, 3, "Root"), (0, 4, "eCoo"), (3, 4, "eSucc")],
        );
        let mut scores = Semeval16Scores::new(false);
        scores.add(&gold, &system);
        // Token 1: two heads on both sides, both right, one label right. Token 3: right. Token 4: one gold
        // head, two system heads, the head right, the label wrong.
        assert_eq!(scores.tokens, 3);
        assert_eq!(scores.unlabelled, counts(4, 5, 2 + 1 + 1));
        assert_eq!(scores.labelled, counts(4, 5, 1 + 1));
        assert_eq!(scores.non_local_unlabelled, counts(3, 4, 3));
        assert_eq!(scores.non_local_labelled, counts(3, 4, 1));
        assert_eq!((scores.labelled_exact, scores.unlabelled_exact), (0, 0));
        let mut again = scores;
        again.merge(&scores);
        scores.add(&gold, &system);
        assert_eq!(again, scores);
    }

    #[test]
    fn punctuation_comes_back_when_asked_for() {
        let gold = sentence(&["完", "）"], &[(0, 1, "Root"), (1, 2, "mPunc")]);
        let system = sentence(&["完", "）"], &[(0, 1, "Root"), (1, 2, "x")]);
        let mut without = Semeval16Scores::new(false);
        without.add(&gold, &system);
        assert_eq!((without.labelled, without.labelled_exact), (counts(1, 1, 1), 1));
        let mut with = Semeval16Scores::new(true);
        with.add(&gold, &system);
        assert_eq!((with.labelled, with.labelled_exact, with.unlabelled_exact), (counts(2, 2, 1), 0, 1));
    }

    #[test]
    fn a_token_without_a_head_is_a_row() {
        let (gold, system) =
            (sentence(&["a", "b"], &[(0, 1, "Root")]), sentence(&["a", "b"], &[(1, 2, "x")]));
        let mut scores = Semeval16Scores::new(false);
        scores.add(&gold, &system);
        assert_eq!(scores.unlabelled, counts(2, 2, 0));
        scores.add(&gold, &gold);
        assert_eq!(scores.labelled, counts(4, 4, 2));
        assert_eq!(scores.labelled_exact, 1);
    }
}
