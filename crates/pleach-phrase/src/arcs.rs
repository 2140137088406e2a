//! Stage 5: every head and every dependent of a local tree give an arc; an arc to a trace becomes one to each
//! head word of its antecedent, marked as long-distance.
//!
//! Sun et al. (2019), section 3.2.3. The paper's conversion keeps one label for an ordered pair of words, the
//! one found last on the way down, and does not follow an antecedent that is itself a trace; [`Follow`] says
//! whether to do the same. Time O(arcs + traces × nodes).

use crate::tree::{Place, ROOT, Role, Tree};
use crate::{LONG_DISTANCE, Language, Options, Style, is_long_distance, is_punctuation};
use pleach_graph::{Arc, Graph, NodeId, Text};
use std::collections::{BTreeMap, BTreeSet};

/// How far links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follow {
    /// Whether a trace whose antecedent is a trace stands for the antecedent of that one, and a pair of words
    /// may have several labels.
    pub chains: bool,
    /// Whether a phrase can be the antecedent for several indices, or only for the first one that it got.
    pub all_indices: bool,
}

impl Follow {
    /// How far a conversion with these options follows links.
    pub fn of(options: &Options) -> Follow {
        // Chains of traces are the rule in Penn brackets: the passive of a relative pronoun, for example.
        let far = options.style == Style::Refined || options.language == Language::English;
        Follow { chains: far, all_indices: far }
    }
}

/// The most arcs of one graph. Coordinations multiply: conjuncts on both sides of n levels.
const MAX_ARCS: usize = 1 << 20;

/// The graph of a tree whose heads are known.
pub fn collect(tree: &Tree, follow: Follow) -> Graph {
    let links = Links::new(tree, follow);
    let mut arcs: Vec<Arc> = Vec::new();
    'nodes: for place in tree.preorder() {
        if place == ROOT {
            continue;
        }
        let children = tree.children(place);
        let Some(&head) = children.iter().find(|&&child| tree.node(child).role == Role::Head) else {
            continue;
        };
        for &dependent in children {
            let node = tree.node(dependent);
            let Some(function) = node.function.filter(|_| node.role == Role::Dependent) else { continue };
            for &leaf in &node.heads {
                let (words, label) = match tree.word(leaf) {
                    Some(word) => (vec![word], Text::const_new(function)),
                    None => (links.words(tree, leaf), Text::from(format!("{function}{LONG_DISTANCE}"))),
                };
                for &dependent in &words {
                    for head in tree.node(head).heads.iter().filter_map(|&leaf| tree.word(leaf)) {
                        if arcs.len() == MAX_ARCS {
                            break 'nodes;
                        }
                        // Nothing is its own argument.
                        if head != dependent {
                            arcs.push(Arc { head, dependent, label: label.clone() });
                        }
                    }
                }
            }
        }
    }
    if follow.chains {
        // What is raised out of a coordination has its arcs from there already.
        let local: BTreeSet<Arc> = arcs.iter().filter(|arc| !is_long_distance(&arc.label)).cloned().collect();
        arcs.retain(|arc| {
            let plain = arc.label.strip_suffix(LONG_DISTANCE).map(Text::from);
            plain.is_none_or(|label| !local.contains(&Arc { label, ..*arc }))
        });
    } else {
        let last: BTreeMap<(NodeId, NodeId), Text> =
            arcs.into_iter().map(|arc| ((arc.head, arc.dependent), arc.label)).collect();
        arcs = last.into_iter().map(|((head, dependent), label)| Arc { head, dependent, label }).collect();
    }
    for &top in tree.children(ROOT) {
        let node = tree.node(top);
        if node.role == Role::Head && !is_punctuation(node) {
            let words = node.heads.iter().filter_map(|&leaf| tree.word(leaf));
            let root = |word| Arc { head: NodeId::ROOT, dependent: word, label: Text::const_new("ROOT") };
            arcs.extend(words.map(root));
        }
    }
    Graph::from_arcs(tree.word_count(), arcs)
}

/// Which nodes share an index.
pub(crate) struct Links {
    by_index: BTreeMap<u32, Vec<Place>>,
    chains: bool,
}

impl Links {
    pub fn new(tree: &Tree, follow: Follow) -> Self {
        let mut by_index: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
        for place in tree.preorder() {
            let indices = &tree.node(place).indices;
            let counted = if follow.all_indices { indices.len() } else { indices.len().min(1) };
            for &index in &indices[..counted] {
                by_index.entry(index).or_default().push(place);
            }
        }
        Links { by_index, chains: follow.chains }
    }

    /// The words that a trace stands for.
    pub fn words(&self, tree: &Tree, trace: u32) -> Vec<NodeId> {
        let mut words = Vec::new();
        let mut seen = vec![trace];
        let mut at = 0;
        while let Some(&trace) = seen.get(at) {
            at += 1;
            for index in &tree.node(tree.leaf(trace)).indices {
                for &place in self.by_index.get(index).into_iter().flatten() {
                    let node = tree.node(place);
                    if node.first == trace || node.is_trace() {
                        continue;
                    }
                    for &leaf in &node.heads {
                        match tree.word(leaf) {
                            Some(word) => words.push(word),
                            None if self.chains && !seen.contains(&leaf) => seen.push(leaf),
                            None => {}
                        }
                    }
                }
            }
        }
        words.sort_unstable();
        words.dedup();
        words
    }
}
