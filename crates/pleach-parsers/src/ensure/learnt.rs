//! Which guarantees the training annotation itself keeps.
//!
//! A property counts as kept when at least [`SHARE`] of at least [`ENOUGH`] training graphs have it, as they are learnt:
//! with empty nodes folded into path labels. English EWT, for example: every word is reached from the root in all graphs,
//! there is one root in 99.7 %, no cycle in 86 %; so the first two are made to hold and cycles are left alone.

use super::reach::reachable;
use super::{Guarantees, cycles};
use pleach_graph::Sentence;
use pleach_graph::enhanced::{SentenceWords, collapse, label_parts};
use pleach_model::Kept;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The share of training graphs that must have a property. Corrected treebanks still have exceptions; one in two hundred
/// leaves room for them and not for a habit.
pub const SHARE: f64 = 0.995;

/// Fewer graphs than this say nothing.
pub const ENOUGH: usize = 100;

/// The share of empty nodes that must have so many dependents. There are few of them, so a few odd ones weigh more.
const NODES: f64 = 0.95;

/// The counts of some graphs.
#[derive(Default)]
struct Counts {
    kept: Kept,
    root_labels: BTreeMap<String, usize>,
    /// How many empty nodes have so many dependents.
    dependents: BTreeMap<usize, usize>,
    /// The parts of labels: how often they name words of their sentence, and how often they don't.
    parts: BTreeMap<String, [usize; 2]>,
}

/// Counts what training graphs keep to; `None` when they have no arcs.
pub fn kept(sentences: &[Sentence]) -> Option<Kept> {
    let counts =
        sentences.par_iter().fold(Counts::default, Counts::count).reduce(Counts::default, Counts::plus);
    let Counts { mut kept, root_labels, dependents, parts } = counts;
    if kept.graphs == 0 {
        return None;
    }
    let arcs: usize = root_labels.values().sum();
    let label = root_labels.into_iter().max_by_key(|(_, count)| *count);
    kept.root_label = label.filter(|(_, count)| mostly(*count, arcs, SHARE)).map(|(label, _)| label);
    let nodes: usize = dependents.values().sum();
    let with = |least: usize| dependents.range(least..).map(|(_, count)| count).sum::<usize>();
    kept.least_dependents =
        dependents.keys().copied().rev().find(|&least| mostly(with(least), nodes, NODES)).unwrap_or(0);
    let words = parts.into_iter().filter(|(_, [named, not])| named > not).map(|(part, _)| part);
    kept.words = words.collect();
    Some(kept)
}

fn mostly(part: usize, all: usize, share: f64) -> bool {
    part as f64 >= share * all as f64
}

impl Counts {
    fn count(mut self, sentence: &Sentence) -> Self {
        if sentence.graph.arcs().is_empty() {
            return self;
        }
        let words = SentenceWords::new(sentence);
        for arc in sentence.graph.arcs() {
            for part in label_parts(&arc.label) {
                self.parts.entry(part.to_owned()).or_default()[usize::from(!words.name(part))] += 1;
            }
        }
        match sentence.has_empty_nodes() {
            false => self.count_words(sentence),
            true => {
                let mut below: BTreeMap<_, Vec<_>> = BTreeMap::new();
                for arc in sentence.graph.arcs().iter().filter(|arc| sentence.id_of(arc.head).is_empty_node())
                {
                    below.entry(arc.head).or_default().push(arc.dependent);
                }
                for mut words in below.into_values() {
                    words.dedup();
                    *self.dependents.entry(words.len()).or_default() += 1;
                }
                let mut folded = sentence.clone();
                collapse(&mut folded);
                self.count_words(&folded);
            }
        }
        self
    }

    fn count_words(&mut self, sentence: &Sentence) {
        let graph = &sentence.graph;
        let tops = graph.tops().take(2).count();
        self.kept.graphs += 1;
        self.kept.rooted += usize::from(tops > 0);
        self.kept.one_root += usize::from(tops == 1);
        self.kept.connected += usize::from(reachable(graph).iter().all(|&seen| seen));
        self.kept.acyclic += usize::from(cycles::components(graph).is_empty());
        for arc in graph.arcs().iter().filter(|arc| arc.head.is_root()) {
            *self.root_labels.entry(arc.label.to_string()).or_default() += 1;
        }
    }

    fn plus(mut self, other: Self) -> Self {
        let (mine, its) = (&mut self.kept, other.kept);
        mine.graphs += its.graphs;
        mine.rooted += its.rooted;
        mine.one_root += its.one_root;
        mine.connected += its.connected;
        mine.acyclic += its.acyclic;
        for (label, count) in other.root_labels {
            *self.root_labels.entry(label).or_default() += count;
        }
        for (number, count) in other.dependents {
            *self.dependents.entry(number).or_default() += count;
        }
        for (part, [named, not]) in other.parts {
            let counts = self.parts.entry(part).or_default();
            *counts = [counts[0] + named, counts[1] + not];
        }
        self
    }
}

impl From<&Kept> for Guarantees {
    /// What nearly all training graphs keep.
    fn from(kept: &Kept) -> Self {
        if kept.graphs < ENOUGH {
            return Guarantees::default();
        }
        let mostly = |count: usize| mostly(count, kept.graphs, SHARE);
        Guarantees {
            rooted: mostly(kept.rooted),
            one_root: mostly(kept.one_root),
            connected: mostly(kept.connected),
            acyclic: mostly(kept.acyclic),
            nodes: kept.least_dependents > 1,
            labels: kept.root_label.is_some() || !kept.words.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::{Graph, NodeId, Token, TokenId};

    fn sentence(arcs: &[(u32, u32, &str)], words: &[&str]) -> Sentence {
        let mut sentence = Sentence::from_forms(words.iter().copied());
        for &(head, dependent, label) in arcs {
            sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        sentence
    }

    #[test]
    fn what_nearly_all_graphs_keep_is_learnt() {
        let good = sentence(
            &[(0, 1, "root"), (1, 3, "obl:in"), (3, 2, "case"), (1, 4, "nmod:poss")],
            &["lives", "in", "it", "his"],
        );
        let cyclic = sentence(&[(0, 1, "root"), (1, 2, "a"), (2, 1, "b")], &["x", "y"]);
        let loose = sentence(&[(0, 1, "root"), (0, 2, "root")], &["x", "y", "z"]);
        let mut treebank = vec![good.clone(); 300];
        treebank.push(loose.clone());
        let counted = kept(&treebank).unwrap();
        assert_eq!((counted.graphs, counted.one_root, counted.connected), (301, 300, 300));
        assert_eq!(
            (counted.root_label.as_deref(), &counted.words[..]),
            (Some("root"), &["in".to_owned()][..])
        );
        assert_eq!(Guarantees::from(&counted).to_string(), "rooted,one-root,connected,acyclic,labels");
        treebank.extend(vec![cyclic; 3]);
        treebank.extend(vec![loose; 3]);
        assert_eq!(Guarantees::from(&kept(&treebank).unwrap()).to_string(), "rooted,labels");
        // Few graphs say nothing, and none have no arcs.
        assert_eq!(Guarantees::from(&kept(&vec![good; ENOUGH - 1]).unwrap()), Guarantees::default());
        assert_eq!(kept(&[sentence(&[], &["a"])]), None);
    }

    #[test]
    fn the_dependents_of_empty_nodes_are_counted() {
        let gapped = |dependents: u32| {
            let mut gapped = sentence(&[], &["a", "b", "c", "d"]);
            gapped.tokens.push(Token { id: TokenId { word: 4, empty: 1 }, ..Token::default() });
            gapped.graph = Graph::new(5);
            gapped.graph.insert(NodeId(0), NodeId(1), "root".into());
            gapped.graph.insert(NodeId(1), NodeId(5), "conj".into());
            for word in 2..2 + dependents {
                gapped.graph.insert(NodeId(5), NodeId(word), "obj".into());
            }
            gapped
        };
        let least = |counts: &[(u32, usize)]| {
            let treebank: Vec<Sentence> =
                counts.iter().flat_map(|&(n, times)| vec![gapped(n); times]).collect();
            kept(&treebank).unwrap().least_dependents
        };
        assert_eq!(least(&[(2, 10), (3, 20)]), 2);
        assert_eq!(least(&[(1, 1), (2, 10), (3, 20)]), 2);
        assert_eq!(least(&[(1, 5), (2, 10), (3, 20)]), 1);
        // Nodes without dependents are no part of what is learnt.
        assert_eq!(least(&[(0, 9)]), 0);
    }
}
