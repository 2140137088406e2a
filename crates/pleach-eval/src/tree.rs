//! Attachment scores of trees, with and without punctuation, and the recall of crossing arcs.
//!
//! UAS, LAS and label accuracy are those of CoNLL-X's `eval.pl`: over all tokens, or over those whose gold
//! form is not all punctuation. Labels are compared in full; beside that stands the LAS of the CoNLL 2017
//! and 2018 shared tasks, which cuts off subtypes (`nmod:poss`). CUR (Bohnet et al. 2016, Table 2) is the
//! recall of gold arcs that cross another gold arc; the root stands left of the first word, as in the
//! definition of projectivity. Trees over words, empty nodes are not seen; O(n log n).

use crate::counts::ratio;
use crate::punctuation::is_punctuation;
use pleach_graph::properties::{Edge, Edges, Root};
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, TokenId};
use thiserror::Error;

/// A gold tree that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("gold has no tree: token {token} `{form}` of sentence {sentence}{} has no HEAD",
        sent_id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default())]
pub struct NoTree {
    /// The sentence's number.
    pub sentence: u64,
    /// Its `sent_id`.
    pub sent_id: Option<String>,
    /// The token without a head.
    pub token: TokenId,
    /// Its form.
    pub form: Text,
}

/// Right heads and labels among some tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attachments {
    /// Tokens.
    pub tokens: u64,
    /// Tokens with the right head.
    pub heads: u64,
    /// Tokens with the right head and label.
    pub labelled: u64,
    /// Tokens with the right head and label, subtypes cut off.
    pub universal: u64,
    /// Tokens with the right label, whatever their head.
    pub labels: u64,
}

impl Attachments {
    fn count(&mut self, right: Right) {
        self.tokens += 1;
        self.heads += u64::from(right.head);
        self.labelled += u64::from(right.head && right.label);
        self.universal += u64::from(right.head && right.universal);
        self.labels += u64::from(right.label);
    }

    fn merge(&mut self, other: &Attachments) {
        self.tokens += other.tokens;
        self.heads += other.heads;
        self.labelled += other.labelled;
        self.universal += other.universal;
        self.labels += other.labels;
    }

    /// Unlabelled attachment score; `None` without tokens, as for all of these.
    pub fn uas(&self) -> Option<f64> {
        ratio(self.heads, self.tokens)
    }

    /// Labelled attachment score.
    pub fn las(&self) -> Option<f64> {
        ratio(self.labelled, self.tokens)
    }

    /// Labelled attachment score with subtypes cut off.
    pub fn las_universal(&self) -> Option<f64> {
        ratio(self.universal, self.tokens)
    }

    /// Label accuracy.
    pub fn la(&self) -> Option<f64> {
        ratio(self.labels, self.tokens)
    }
}

/// Recall of crossing arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossing {
    /// Gold arcs that cross another gold arc.
    pub gold: u64,
    /// Those that the system has.
    pub unlabelled: u64,
    /// Those that the system has with their label.
    pub labelled: u64,
}

impl Crossing {
    fn count(&mut self, right: Right) {
        self.gold += 1;
        self.unlabelled += u64::from(right.head);
        self.labelled += u64::from(right.head && right.label);
    }

    fn merge(&mut self, other: &Crossing) {
        self.gold += other.gold;
        self.unlabelled += other.unlabelled;
        self.labelled += other.labelled;
    }

    /// The recall; `None` when gold has no crossing arcs.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.unlabelled, self.gold)
    }

    /// The recall with labels.
    pub fn labelled_recall(&self) -> Option<f64> {
        ratio(self.labelled, self.gold)
    }
}

#[derive(Clone, Copy)]
struct Right {
    head: bool,
    label: bool,
    universal: bool,
}

/// The scores of a system's trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeScores {
    /// Sentences seen.
    pub sentences: u64,
    /// All words.
    pub all: Attachments,
    /// Words whose form is not all punctuation: `eval.pl`'s rule.
    pub without_punctuation: Attachments,
    /// Words whose gold UPOS is not `PUNCT`.
    pub without_punct_tags: Attachments,
    /// Sentences with all heads and labels right.
    pub labelled_exact: u64,
    /// Sentences with all heads right.
    pub unlabelled_exact: u64,
    /// Arcs that cross, the root's arc included.
    pub crossing: Crossing,
    /// Arcs that cross when the root's arc is put aside.
    pub crossing_without_root: Crossing,
}

impl TreeScores {
    /// No sentences yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one sentence with the same words in gold and in the system's output.
    pub fn add(&mut self, gold: &Sentence, system: &Sentence) -> Result<(), NoTree> {
        let words = |sentence: &'_ Sentence| -> Vec<usize> {
            (0..sentence.len()).filter(|&i| !sentence.tokens[i].id.is_empty_node()).collect()
        };
        let mut heads = Vec::new();
        let mut rights = Vec::new();
        for (g, s) in words(gold).into_iter().zip(words(system)) {
            let (gold_token, system_token) = (&gold.tokens[g], &system.tokens[s]);
            let Some(head) = gold_token.head.map(|node| gold.id_of(node)) else {
                return Err(NoTree {
                    sentence: self.sentences + 1,
                    sent_id: gold.sent_id().map(str::to_owned),
                    token: gold_token.id,
                    form: gold_token.form.clone(),
                });
            };
            let right = Right {
                head: system_token.head.map(|node| system.id_of(node)) == Some(head),
                label: gold_token.deprel == system_token.deprel,
                universal: universal(&gold_token.deprel) == universal(&system_token.deprel),
            };
            heads.push((head.word, gold_token.id.word));
            rights.push(right);
            self.all.count(right);
            if !is_punctuation(&gold_token.form) {
                self.without_punctuation.count(right);
            }
            if gold_token.upos != "PUNCT" {
                self.without_punct_tags.count(right);
            }
        }
        self.sentences += 1;
        self.unlabelled_exact += u64::from(rights.iter().all(|right| right.head));
        self.labelled_exact += u64::from(rights.iter().all(|right| right.head && right.label));
        let counts =
            [(Root::Included, &mut self.crossing), (Root::Excluded, &mut self.crossing_without_root)];
        for (root, counts) in counts {
            for (crosses, &right) in crossing(&heads, root).into_iter().zip(&rights) {
                if crosses {
                    counts.count(right);
                }
            }
        }
        Ok(())
    }

    /// Adds what another scorer has counted.
    pub fn merge(&mut self, other: &TreeScores) {
        self.sentences += other.sentences;
        self.all.merge(&other.all);
        self.without_punctuation.merge(&other.without_punctuation);
        self.without_punct_tags.merge(&other.without_punct_tags);
        self.labelled_exact += other.labelled_exact;
        self.unlabelled_exact += other.unlabelled_exact;
        self.crossing.merge(&other.crossing);
        self.crossing_without_root.merge(&other.crossing_without_root);
    }
}

/// A relation without its language-specific part.
pub(crate) fn universal(deprel: &str) -> &str {
    deprel.split(':').next().unwrap_or(deprel)
}

/// For each (head, dependent): whether the arc crosses another one of the list.
pub fn crossing(arcs: &[(u32, u32)], root: Root) -> Vec<bool> {
    let len = arcs.iter().map(|&(head, word)| head.max(word)).max().unwrap_or(0);
    let tree =
        arcs.iter().map(|&(head, word)| Arc { head: NodeId(head), dependent: NodeId(word), label: () });
    let edges = Edges::new(&Graph::from_arcs(len as usize, tree.collect()), root);
    let crossings = edges.crossings();
    let place = |&(head, word): &(u32, u32)| {
        let edge = Edge { left: NodeId(head.min(word)), right: NodeId(head.max(word)) };
        edges.as_slice().binary_search(&edge).ok()
    };
    arcs.iter().map(|arc| place(arc).is_some_and(|place| crossings[place] > 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::Token;
    use proptest::prelude::*;

    fn tree(rows: &[(&str, &str, u32, &str)]) -> Sentence {
        let mut sentence = Sentence::default();
        for (i, &(form, upos, head, deprel)) in rows.iter().enumerate() {
            let token = Token::new(i as u32 + 1, form);
            let (upos, deprel) = (upos.into(), deprel.into());
            sentence.tokens.push(Token { upos, head: Some(NodeId(head)), deprel, ..token });
        }
        sentence
    }

    #[test]
    fn counted_by_hand() {
        let gold = tree(&[
            ("A", "DET", 2, "det"),
            ("hearing", "NOUN", 3, "nsubj:pass"),
            ("is", "VERB", 0, "root"),
            ("scheduled", "VERB", 3, "xcomp"),
            ("on", "ADP", 2, "nmod"),
            ("§", "SYM", 5, "dep"),
            (":)", "SYM", 3, "discourse"),
            (".", "PUNCT", 3, "punct"),
        ]);
        let system = tree(&[
            ("A", "DET", 2, "det"),
            ("hearing", "NOUN", 3, "nsubj"),
            ("is", "VERB", 0, "root"),
            ("scheduled", "VERB", 3, "ccomp"),
            ("on", "ADP", 4, "nmod"),
            ("§", "SYM", 5, "dep"),
            (":)", "SYM", 3, "discourse"),
            (".", "PUNCT", 4, "punct"),
        ]);
        let mut scores = TreeScores::new();
        scores.add(&gold, &system).unwrap();
        let all = Attachments { tokens: 8, heads: 6, labelled: 4, universal: 5, labels: 6 };
        assert_eq!(scores.all, all);
        // By form, `§`, `:)` and `.` are punctuation; by tag only the full stop.
        let without = Attachments { tokens: 5, heads: 4, labelled: 2, universal: 3, labels: 3 };
        assert_eq!(scores.without_punctuation, without);
        let without = Attachments { tokens: 7, heads: 6, labelled: 4, universal: 5, labels: 5 };
        assert_eq!(scores.without_punct_tags, without);
        // 2 -> 5 crosses 3 -> 7, 3 -> 8 and 0 -> 3, but not 3 -> 4; 5 -> 6 crosses nothing.
        assert_eq!(scores.crossing, Crossing { gold: 4, unlabelled: 2, labelled: 2 });
        assert_eq!(scores.crossing_without_root, Crossing { gold: 3, unlabelled: 1, labelled: 1 });
        assert_eq!((scores.labelled_exact, scores.unlabelled_exact), (0, 0));
        scores.add(&gold, &gold).unwrap();
        assert_eq!((scores.labelled_exact, scores.unlabelled_exact, scores.sentences), (1, 1, 2));
    }

    #[test]
    fn heads_are_words_whatever_empty_nodes_stand_between() {
        let gold = tree(&[("a", "X", 2, "x"), ("b", "X", 0, "root")]);
        let mut system = gold.clone();
        let empty = TokenId { word: 1, empty: 1 };
        system.tokens.insert(1, Token { id: empty, form: "e".into(), ..Token::default() });
        system.tokens[0].head = Some(NodeId(3));
        let mut scores = TreeScores::new();
        scores.add(&gold, &system).unwrap();
        assert_eq!(scores.all.labelled, 2);
    }

    #[test]
    fn a_missing_head_is_an_error_in_gold_and_wrong_elsewhere() {
        let gold = tree(&[("a", "X", 0, "root")]);
        let mut headless = gold.clone();
        headless.tokens[0].head = None;
        let mut scores = TreeScores::new();
        scores.add(&gold, &headless).unwrap();
        assert_eq!((scores.all.heads, scores.all.labels), (0, 1));
        let error = scores.add(&headless, &gold).unwrap_err();
        assert_eq!(error.to_string(), "gold has no tree: token 1 `a` of sentence 2 has no HEAD");
    }

    proptest! {
        #[test]
        fn crossing_agrees_with_its_definition(heads in prop::collection::vec(0u32..12, 0..12), root: bool) {
            let arcs: Vec<(u32, u32)> = heads.iter().enumerate().map(|(i, &h)| (h, i as u32 + 1)).collect();
            let span = |&(h, d): &(u32, u32)| (h.min(d), h.max(d));
            let counts = |arc: &(u32, u32)| root || arc.0 != 0;
            let expected: Vec<bool> = arcs
                .iter()
                .map(|one| {
                    let (l, r) = span(one);
                    counts(one) && arcs.iter().filter(|other| counts(other)).any(|other| {
                        let (l2, r2) = span(other);
                        (l < l2 && l2 < r && r < r2) || (l2 < l && l < r2 && r2 < r)
                    })
                })
                .collect();
            let root = if root { Root::Included } else { Root::Excluded };
            prop_assert_eq!(crossing(&arcs, root), expected);
        }
    }
}
