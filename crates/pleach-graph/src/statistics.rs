//! What a graph bank is like: sizes, and how many sentences and tokens have each property.
//!
//! One [`Statistics`] describes any number of sentences; those of two parts are added by
//! [`merge`](Statistics::merge), in any order with the same result.
//!
//! What counts as the graph is for the caller to say ([`Source`]). Arcs from the root count as arcs and as
//! heads; for crossings and pages the caller decides. The figures that are published for enhanced UD come
//! from [`Source::Words`] with [`Root::Excluded`].
//!
//! Complexity: O(m log m) a sentence, and a bounded search for those that need more than two pages.

use crate::enhanced::collapse;
use crate::properties::{
    Edges, Pagenumber, Root, component_count, is_acyclic, is_projective, is_tree, isolated, multi_headed,
    self_loops, two_cycles, unreachable,
};
use crate::{Graph, Sentence, Text};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Which graph of a sentence is described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// The deep graph over the words; empty nodes and their arcs are left out.
    #[default]
    Words,
    /// The deep graph with its empty nodes.
    All,
    /// The deep graph with its empty nodes collapsed into path labels.
    Collapsed,
    /// The basic tree.
    Tree,
}

impl Source {
    /// The graph of a sentence. A word without a head in the basic tree has no arc.
    pub fn graph(self, sentence: &Sentence) -> Cow<'_, Graph> {
        match self {
            Source::Words => sentence.word_graph(),
            Source::All => Cow::Borrowed(&sentence.graph),
            Source::Collapsed => {
                let mut sentence = sentence.clone();
                collapse(&mut sentence);
                Cow::Owned(sentence.graph)
            }
            Source::Tree => Cow::Owned(basic_tree(sentence)),
        }
    }
}

/// The basic tree over the words as far as heads are given.
fn basic_tree(sentence: &Sentence) -> Graph {
    let mut tree = sentence.clone();
    let heads = (1..).map(crate::NodeId).zip(&sentence.tokens);
    let arcs = heads.filter_map(|(dependent, token)| {
        Some(crate::Arc { head: token.head?, dependent, label: token.deprel.clone() })
    });
    tree.graph = Graph::from_arcs(sentence.len(), arcs.collect());
    tree.word_graph().into_owned()
}

/// The lengths of arcs that are counted together: from, to.
pub const LENGTHS: [(u32, u32); 6] = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, u32::MAX)];

/// Sizes and properties of a set of sentences. Fields named after tokens, arcs or pairs count those, all
/// others count sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// All sentences.
    pub sentences: u64,
    /// The nodes of the graphs: words, and empty nodes where they are part of the graph.
    pub node_tokens: u64,
    /// Words.
    pub word_tokens: u64,
    /// Empty nodes in the files.
    pub empty_node_tokens: u64,
    /// Sentences with empty nodes.
    pub with_empty_nodes: u64,
    /// Multiword tokens.
    pub multiword_tokens: u64,

    /// Arcs, those of the root among them.
    pub arcs: u64,
    /// Arcs of the root.
    pub root_arcs: u64,
    /// Arcs between tokens by length; see [`LENGTHS`].
    pub arcs_by_length: [u64; LENGTHS.len()],
    /// Arcs by label, those of the root among them.
    pub arcs_by_label: BTreeMap<Text, u64>,
    /// Ordered pairs of nodes with more than one label.
    pub pairs_with_several_labels: u64,
    /// Sentences without any arc.
    pub without_arcs: u64,

    /// Sentences without a top, with one, and with more.
    pub by_tops: [u64; 3],
    /// Tops.
    pub top_tokens: u64,
    /// Sentences with a token that has several heads.
    pub reentrant: u64,
    /// Tokens with several heads.
    pub multi_headed_tokens: u64,
    /// Tokens without any arc.
    pub isolated_tokens: u64,

    /// Trees over the root and all tokens.
    pub trees: u64,
    /// Projective trees.
    pub projective: u64,
    /// Sentences whose graph has no directed cycle.
    pub acyclic: u64,
    /// Sentences with a two-cycle.
    pub with_two_cycles: u64,
    /// Pairs of tokens that are heads of each other.
    pub two_cycle_pairs: u64,
    /// Tokens that are their own heads.
    pub self_loop_tokens: u64,
    /// Sentences where a path from the root leads to every token.
    pub reachable: u64,
    /// Tokens that no path from the root leads to.
    pub unreachable_tokens: u64,
    /// Sentences whose tokens are all linked with each other, the root not used.
    pub connected: u64,
    /// Components, the root not used.
    pub components: u64,
    /// Sentences where the root and all tokens are linked with each other.
    pub connected_with_root: u64,

    /// Linked pairs of nodes, for crossings and pages.
    pub edge_pairs: u64,
    /// Sentences without crossing edges.
    pub noncrossing: u64,
    /// Edges that cross another one.
    pub crossing_edges: u64,
    /// Pairs of edges that cross each other.
    pub crossing_pairs: u64,
    /// 1-endpoint-crossing graphs.
    pub one_endpoint_crossing: u64,
    /// Sentences by the number of pages that are needed and that suffice; the two differ where the search
    /// was given up.
    pub by_pagenumber: BTreeMap<(u32, u32), u64>,

    /// Sentences with a complete basic tree.
    pub with_basic_tree: u64,
    /// Sentences with a projective basic tree.
    pub projective_basic_trees: u64,
}

impl Statistics {
    /// Describes one sentence.
    pub fn of(sentence: &Sentence, source: Source, root: Root) -> Statistics {
        let mut s = Statistics { sentences: 1, ..Statistics::default() };
        s.empty_node_tokens = sentence.tokens.iter().filter(|token| token.id.is_empty_node()).count() as u64;
        s.word_tokens = sentence.len() as u64 - s.empty_node_tokens;
        s.with_empty_nodes = u64::from(s.empty_node_tokens > 0);
        s.multiword_tokens = sentence.multiwords.len() as u64;
        let tree = sentence.tree().map(|_| basic_tree(sentence)).filter(is_tree);
        s.with_basic_tree = u64::from(tree.is_some());
        s.projective_basic_trees = u64::from(tree.is_some_and(|tree| is_projective(&tree)));

        let graph = source.graph(sentence);
        s.add_arcs(&graph);
        s.add_heads(&graph);
        s.add_shape(&graph);
        s.add_crossings(&Edges::new(graph.as_ref(), root));
        s
    }

    fn add_arcs(&mut self, graph: &Graph) {
        self.node_tokens = graph.len() as u64;
        self.arcs = graph.arcs().len() as u64;
        self.without_arcs = u64::from(graph.is_empty());
        for arc in graph.arcs() {
            if arc.head.is_root() {
                self.root_arcs += 1;
            } else if let Some(place) =
                LENGTHS.iter().position(|&(from, to)| (from..=to).contains(&arc.length()))
            {
                self.arcs_by_length[place] += 1;
            }
            *self.arcs_by_label.entry(arc.label.clone()).or_default() += 1;
        }
        let pairs = graph.arcs().chunk_by(|a, b| (a.dependent, a.head) == (b.dependent, b.head));
        self.pairs_with_several_labels = pairs.filter(|arcs| arcs.len() > 1).count() as u64;
    }

    fn add_heads(&mut self, graph: &Graph) {
        self.top_tokens = graph.tops().count() as u64;
        self.by_tops[self.top_tokens.min(2) as usize] = 1;
        self.multi_headed_tokens = multi_headed(graph, Root::Included).len() as u64;
        self.reentrant = u64::from(self.multi_headed_tokens > 0);
        self.isolated_tokens = isolated(graph).len() as u64;
    }

    fn add_shape(&mut self, graph: &Graph) {
        self.trees = u64::from(is_tree(graph));
        self.projective = u64::from(is_projective(graph));
        self.acyclic = u64::from(is_acyclic(graph));
        self.two_cycle_pairs = two_cycles(graph).len() as u64;
        self.with_two_cycles = u64::from(self.two_cycle_pairs > 0);
        self.self_loop_tokens = self_loops(graph).len() as u64;
        self.unreachable_tokens = unreachable(graph).len() as u64;
        self.reachable = u64::from(self.unreachable_tokens == 0);
        self.components = component_count(graph, Root::Excluded) as u64;
        self.connected = u64::from(self.components <= 1);
        self.connected_with_root = u64::from(component_count(graph, Root::Included) == 1);
    }

    fn add_crossings(&mut self, edges: &Edges) {
        self.edge_pairs = edges.len() as u64;
        let crossings = edges.crossings();
        self.crossing_edges = crossings.iter().filter(|&&count| count > 0).count() as u64;
        self.crossing_pairs = crossings.iter().sum::<u64>() / 2;
        self.noncrossing = u64::from(self.crossing_pairs == 0);
        self.one_endpoint_crossing = u64::from(edges.is_one_endpoint_crossing());
        let pages = edges.book().pagenumber();
        self.by_pagenumber.insert((pages.lower(), pages.upper()), 1);
    }

    /// Adds the figures of other sentences.
    pub fn merge(&mut self, other: Statistics) {
        let Statistics { arcs_by_label, by_pagenumber, arcs_by_length, by_tops, .. } = &other;
        for (label, count) in arcs_by_label {
            *self.arcs_by_label.entry(label.clone()).or_default() += count;
        }
        for (&pages, count) in by_pagenumber {
            *self.by_pagenumber.entry(pages).or_default() += count;
        }
        for (sum, count) in self.arcs_by_length.iter_mut().zip(arcs_by_length) {
            *sum += count;
        }
        for (sum, count) in self.by_tops.iter_mut().zip(by_tops) {
            *sum += count;
        }
        for (sum, count) in self.counts_mut().into_iter().zip(other.counts()) {
            *sum += count;
        }
    }

    /// The sentences whose pagenumber is known and is this, and the pagenumbers that occur: 1 and 2 always.
    pub fn pagenumbers(&self) -> BTreeMap<u32, u64> {
        let mut pages = BTreeMap::from([(1, 0), (2, 0)]);
        for (&(lower, upper), count) in &self.by_pagenumber {
            if lower == upper {
                *pages.entry(lower).or_default() += count;
            }
        }
        pages
    }

    /// The pagenumbers that are known as a range only.
    pub fn unknown_pagenumbers(&self) -> impl Iterator<Item = (Pagenumber, u64)> {
        let ranges = self.by_pagenumber.iter().filter(|((lower, upper), _)| lower != upper);
        ranges.map(|(&(lower, upper), &count)| (Pagenumber::Between(lower, upper), count))
    }
}

/// Lists the plain counters once, for adding them up.
macro_rules! counters {
    ($($field:ident),* $(,)?) => {
        impl Statistics {
            fn counts(&self) -> Vec<u64> {
                vec![$(self.$field),*]
            }

            fn counts_mut(&mut self) -> Vec<&mut u64> {
                vec![$(&mut self.$field),*]
            }
        }
    };
}

counters!(
    sentences,
    node_tokens,
    word_tokens,
    empty_node_tokens,
    with_empty_nodes,
    multiword_tokens,
    arcs,
    root_arcs,
    pairs_with_several_labels,
    without_arcs,
    top_tokens,
    reentrant,
    multi_headed_tokens,
    isolated_tokens,
    trees,
    projective,
    acyclic,
    with_two_cycles,
    two_cycle_pairs,
    self_loop_tokens,
    reachable,
    unreachable_tokens,
    connected,
    components,
    connected_with_root,
    edge_pairs,
    noncrossing,
    crossing_edges,
    crossing_pairs,
    one_endpoint_crossing,
    with_basic_tree,
    projective_basic_trees,
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeId, Token, TokenId};

    fn sentence(len: u32, arcs: &[(u32, u32, &str)]) -> Sentence {
        let mut s = Sentence::from_forms((0..len).map(|_| "w"));
        for &(head, dependent, label) in arcs {
            s.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        s
    }

    #[test]
    fn one_sentence_with_everything() {
        let arcs =
            [(0, 1, "root"), (1, 3, "a"), (1, 3, "b"), (2, 4, "a"), (4, 2, "c"), (3, 3, "d"), (1, 12, "a")];
        let mut s = sentence(12, &arcs);
        for (i, token) in s.tokens.iter_mut().enumerate() {
            token.head = Some(NodeId(i as u32));
        }
        let stats = Statistics::of(&s, Source::Words, Root::Excluded);
        assert_eq!((stats.arcs, stats.root_arcs, stats.edge_pairs), (7, 1, 3));
        assert_eq!(stats.arcs_by_length, [0, 4, 0, 0, 0, 1]);
        assert_eq!(stats.arcs_by_label[&Text::from("a")], 3);
        assert_eq!(
            (stats.pairs_with_several_labels, stats.two_cycle_pairs, stats.self_loop_tokens),
            (1, 1, 1)
        );
        assert_eq!((stats.noncrossing, stats.crossing_pairs, stats.crossing_edges), (0, 1, 2));
        assert_eq!(stats.by_pagenumber, BTreeMap::from([((2, 2), 1)]));
        assert_eq!((stats.multi_headed_tokens, stats.isolated_tokens, stats.unreachable_tokens), (1, 7, 9));
        assert_eq!((stats.components, stats.connected, stats.acyclic, stats.trees), (9, 0, 0, 0));
        assert_eq!((stats.with_basic_tree, stats.projective_basic_trees, stats.by_tops), (1, 1, [0, 1, 0]));
        let tree = Statistics::of(&s, Source::Tree, Root::Included);
        assert_eq!((tree.trees, tree.projective, tree.noncrossing, tree.edge_pairs), (1, 1, 1, 12));
    }

    #[test]
    fn adding_up_is_the_same_in_any_order() {
        let parts = [
            sentence(2, &[(0, 1, "root"), (1, 2, "x")]),
            sentence(4, &[(1, 3, "x"), (2, 4, "y"), (0, 2, "root"), (0, 3, "root")]),
            sentence(1, &[]),
        ];
        let parts: Vec<Statistics> =
            parts.iter().map(|s| Statistics::of(s, Source::All, Root::Excluded)).collect();
        let sum = |order: &[usize]| {
            let mut sum = Statistics::default();
            order.iter().for_each(|&i| sum.merge(parts[i].clone()));
            sum
        };
        let all = sum(&[0, 1, 2]);
        assert_eq!(all, sum(&[2, 1, 0]));
        assert_eq!((all.sentences, all.word_tokens, all.trees, all.by_tops), (3, 7, 1, [1, 1, 1]));
        assert_eq!(all.pagenumbers(), BTreeMap::from([(1, 2), (2, 1)]));
        // No counter is forgotten: merging into nothing gives the same.
        for part in &parts {
            let mut sum = Statistics::default();
            sum.merge(part.clone());
            assert_eq!(&sum, part);
        }
    }

    #[test]
    fn empty_nodes_as_the_source_says() {
        let mut s = sentence(2, &[]);
        s.tokens.insert(1, Token { id: TokenId { word: 1, empty: 1 }, ..Token::default() });
        s.graph = Graph::new(3);
        s.graph.insert(NodeId(1), NodeId(2), "conj".into());
        s.graph.insert(NodeId(2), NodeId(3), "obj".into());
        let arcs = |source| {
            let stats = Statistics::of(&s, source, Root::Included);
            assert_eq!((stats.word_tokens, stats.empty_node_tokens), (2, 1));
            (stats.node_tokens, stats.arcs)
        };
        assert_eq!(arcs(Source::Words), (2, 0));
        assert_eq!(arcs(Source::All), (3, 2));
        assert_eq!(arcs(Source::Collapsed), (2, 1));
        assert_eq!(arcs(Source::Tree), (2, 0));
    }
}
