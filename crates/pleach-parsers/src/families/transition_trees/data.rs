//! From treebank sentences to what is learnt from: words, gold trees, correct sequences.

use super::card::Card;
use super::parse::Parse;
use super::recipe::{Correct, TreeRecipe};
use crate::families::data::DataError;
use crate::held_out::HeldOut;
use crate::train::{Corpus, TrainError};
use crate::transform::choose_transform;
use pleach_graph::enhanced::drop_empty_nodes;
use pleach_graph::words::Words;
use pleach_graph::{Sentence, Tree};
use pleach_transition::tree::coverage::noncrossing_acyclic;
use pleach_transition::tree::oracle::{Gold, Guide, Oracle};
use pleach_transition::tree::settings::{Heads, Side};
use pleach_transition::tree::system::{Op, System};
use pleach_transition::{MAX_WORDS, Node};
use std::collections::{BTreeMap, BTreeSet};

/// One sentence to learn from.
#[derive(Debug)]
pub(super) struct Example {
    pub words: Words,
    gold: Gold,
    /// The static oracle's sequence.
    sequence: Vec<Op>,
}

impl Example {
    pub fn guide(&self, correct: Correct) -> Guide<'_> {
        match correct {
            Correct::Static => Guide::Sequence(self.words.len(), &self.sequence),
            Correct::Reachable => Guide::Reachable(&self.gold),
            Correct::Window => Guide::Window(&self.gold),
            Correct::Settled => Guide::Settled(&self.gold),
        }
    }
}

/// The development sentences and what they should become.
#[derive(Debug)]
pub(super) enum Dev {
    /// Sentences with gold trees.
    Trees(Vec<Sentence>),
    /// Sentences without graphs, and their graphs with empty nodes collapsed and labels in full.
    Graphs(HeldOut),
}

/// A treebank made ready, and the parser that fits it.
#[derive(Debug)]
pub(super) struct Data {
    pub parse: Parse,
    pub examples: Vec<Example>,
    pub dev: Dev,
    pub tokens: usize,
    pub arcs: usize,
    /// The arcs of sentences that are left out, and those that were put elsewhere.
    pub lost: usize,
}

/// Arcs (head, dependent, label) of a sentence.
type Arcs = Vec<(Node, Node, u16)>;

/// The same with label sets.
type LabelledArcs = Vec<(Node, Node, Vec<String>)>;

/// Gives numbers to label sets in the order of their text.
#[derive(Default)]
struct LabelSets {
    numbers: BTreeMap<Vec<String>, u16>,
}

impl LabelSets {
    fn collect(all: impl Iterator<Item = Vec<String>>) -> Result<Self, DataError> {
        let sets: BTreeSet<Vec<String>> = all.collect();
        if sets.len() >= usize::from(u16::MAX) {
            return Err(DataError::Actions(sets.len()));
        }
        Ok(LabelSets { numbers: sets.into_iter().zip(1..).collect() })
    }

    fn number(&self, set: &[String]) -> u16 {
        self.numbers.get(set).copied().unwrap_or(0)
    }
}

/// The arcs of a tree or of a graph with their label sets: self-loops are left out.
fn labelled_arcs(sentence: &Sentence, heads: Heads) -> Option<LabelledArcs> {
    match heads {
        Heads::One => {
            let tree = Tree::of(sentence)?;
            let arcs = tree.heads.iter().zip(&tree.labels).zip(1..);
            Some(arcs.map(|((&head, label), word)| (head, word, vec![label.to_string()])).collect())
        }
        Heads::Many => {
            let mut sets: BTreeMap<(Node, Node), Vec<String>> = BTreeMap::new();
            for arc in sentence.graph.arcs().iter().filter(|arc| arc.head != arc.dependent) {
                let pair = (arc.head.0 as Node, arc.dependent.0 as Node);
                sets.entry(pair).or_default().push(arc.label.to_string());
            }
            Some(sets.into_iter().map(|((head, dependent), set)| (head, dependent, set)).collect())
        }
    }
}

impl Data {
    /// Takes the trees (or graphs) of all sentences, and of each as much as the system can build.
    pub fn prepare(recipe: &TreeRecipe, corpus: Corpus) -> Result<Self, TrainError> {
        let Corpus { mut train, mut dev } = corpus;
        let system = System::new(&recipe.settings);
        let heads = recipe.settings.heads;
        let transform = match heads {
            Heads::Many => choose_transform(recipe.collapse, recipe.delexicalise, &train),
            Heads::One => Default::default(),
        };
        let dev = match heads {
            Heads::One => {
                train.iter_mut().chain(&mut dev).for_each(drop_empty_nodes);
                Dev::Trees(dev)
            }
            Heads::Many => {
                train.iter_mut().for_each(|sentence| transform.apply(sentence));
                Dev::Graphs(HeldOut::new(dev, false, None))
            }
        };
        let usable = |sentence: &&Sentence| !sentence.is_empty() && sentence.len() <= MAX_WORDS;
        let sentences: Vec<(&Sentence, LabelledArcs)> = train
            .iter()
            .filter(usable)
            .filter_map(|sentence| Some((sentence, labelled_arcs(sentence, heads)?)))
            .collect();
        let all_sets = sentences.iter().flat_map(|(_, arcs)| arcs).map(|(_, _, set)| set.clone());
        let sets = LabelSets::collect(all_sets)?;
        let mut directions: [BTreeSet<u16>; 3] = Default::default();
        let mut oracle = Oracle::default();
        let mut examples = Vec::new();
        let (mut tokens, mut arcs, mut lost) = (0, 0, 0);
        for (sentence, labelled) in &sentences {
            let len = sentence.len();
            let given: Arcs = labelled.iter().map(|(h, d, set)| (*h, *d, sets.number(set))).collect();
            arcs += given.len();
            let kept = match heads {
                Heads::Many => noncrossing_acyclic(len, &given),
                Heads::One => given.clone(),
            };
            let found = derive(&system, len, kept, recipe.lift && heads == Heads::One, &mut oracle);
            let Some((gold, sequence)) = found else {
                lost += given.len();
                continue;
            };
            let built: BTreeSet<(Node, Node, u16)> = gold.arcs().collect();
            lost += given.iter().filter(|arc| !built.contains(arc)).count();
            tokens += len;
            for &(head, dependent, label) in &built {
                let place = if head == 0 { 2 } else { usize::from(head < dependent) };
                directions[place].insert(label);
            }
            examples.push(Example { words: Words::of(sentence, None, false), gold, sequence });
        }
        if examples.iter().all(|example| example.sequence.is_empty()) {
            return Err(DataError::NoArcs.into());
        }
        let card = Card {
            recipe: recipe.clone(),
            labels: sets.numbers.into_keys().collect(),
            directions,
            collapse: transform.collapse,
            delexicalise: transform.delexicalise,
        };
        let parse = Parse::new(card).map_err(TrainError::family)?;
        Ok(Data { parse, examples, dev, tokens, arcs, lost })
    }
}

/// What to build of a sentence and how; `None` when the system can't. With `lift`, words hang higher until it can.
fn derive(
    system: &System,
    len: usize,
    mut arcs: Arcs,
    lift: bool,
    oracle: &mut Oracle,
) -> Option<(Gold, Vec<Op>)> {
    // Cycles would be gone around for ever, and hardly any tree needs so many steps.
    for _ in 0..=10 * len {
        let gold = Gold::new(len, arcs.iter().copied());
        if let Some(sequence) = oracle.derive(system, &gold) {
            return Some((gold, sequence));
        }
        if !lift || !hang_higher(len, &mut arcs, system.settings().root) {
            return None;
        }
    }
    None
}

/// Hangs the modifier of the shortest arc that crosses another one on its head's head (Nivre & Nilsson 2005, without
/// marks in the labels); false when it can't or would hang it on the root. `arcs` are those of a tree, by dependent.
fn hang_higher(len: usize, arcs: &mut Arcs, root: Side) -> bool {
    let place = |node: Node| match (node, root) {
        (0, Side::Right) => len as Node + 1,
        _ => node,
    };
    let span = |&(head, dependent, _): &(Node, Node, u16)| {
        let (head, dependent) = (place(head), place(dependent));
        (head.min(dependent), head.max(dependent))
    };
    let crosses = |arc: &(Node, Node, u16)| {
        let (low, high) = span(arc);
        arcs.iter().map(span).any(|(a, b)| a < low && low < b && b < high || low < a && a < high && high < b)
    };
    let crossing = arcs.iter().enumerate().filter(|(_, arc)| arc.0 != 0 && crosses(arc));
    let shortest = crossing.min_by_key(|(place, arc)| (span(arc).1 - span(arc).0, *place));
    let Some((place, &(head, ..))) = shortest else { return false };
    let higher = arcs[usize::from(head) - 1].0;
    arcs[place].0 = higher;
    // Words under the root have labels of their own, which a lifted word's is not.
    higher != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_transition::tree::presets::Preset;

    #[test]
    fn lifting_makes_trees_projective() {
        let system = System::new(&Preset::ArcEager.settings());
        // 1 <- 3, 2 <- 4, 4 <- 0: two arcs cross; the shorter one is lifted first.
        let arcs = vec![(3, 1, 1), (4, 2, 2), (4, 3, 3), (0, 4, 4)];
        let mut oracle = Oracle::default();
        assert!(derive(&system, 4, arcs.clone(), false, &mut oracle).is_none());
        let (gold, _) = derive(&system, 4, arcs, true, &mut oracle).unwrap();
        let lifted: Arcs = gold.arcs().collect();
        assert_eq!(lifted, [(4, 1, 1), (4, 2, 2), (4, 3, 3), (0, 4, 4)]);
        // A cycle has no top to lift to, and is given up.
        assert!(derive(&system, 2, vec![(2, 1, 1), (1, 2, 1)], true, &mut oracle).is_none());
    }
}
