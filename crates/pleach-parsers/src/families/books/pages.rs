//! The pages of a treebank's graphs (`sun-2017` section 4.1).
//!
//! Every component of crossing edges can be put on the pages in two ways. A model learns a page the better the more
//! the same kinds of edges lie on it everywhere. [`Regularity`] counts which kinds of edges are on which page, turns
//! every component to where its kinds mostly are, and repeats that until nothing changes: hard expectation
//! maximisation with naive Bayes, from the first edge of each component on the first page.

use super::recipe::Flips;
use pleach_decode::noncrossing::first::First;
use pleach_decode::noncrossing::{Candidates, Node};
use pleach_graph::properties::{Edges, Page, Root, TwoPages};
use pleach_graph::words::hash;
use pleach_graph::{Graph, NodeId, Sentence};
use std::collections::HashMap;

/// The treebank is gone through at most so many times.
const PASSES: usize = 10;

/// Kinds of an edge: its labels and directions, alone and with the tags of its ends.
const KINDS: usize = 3;

type Kinds = [u64; KINDS];

/// How often which kinds of edges are on the first and on the second page.
#[derive(Clone, Debug)]
pub(super) struct Regularity {
    /// Whether arcs of the root lie on pages.
    root: Root,
    counts: HashMap<u64, [u32; 2]>,
}

impl Regularity {
    /// Puts the graphs of a treebank onto pages.
    pub fn learn(train: &[Sentence], flips: Flips, root: Root) -> (Regularity, Vec<TwoPages>) {
        let mut pages: Vec<TwoPages> =
            train.iter().map(|sentence| two_pages(&sentence.graph, root)).collect();
        let mut regularity = Regularity { root, counts: HashMap::new() };
        if flips == Flips::First {
            return (regularity, pages);
        }
        let kinds: Vec<Vec<Kinds>> = train.iter().map(|sentence| kinds(sentence, root)).collect();
        for _ in 0..PASSES {
            regularity.count(&kinds, &pages);
            let turned = kinds.iter().zip(&mut pages).map(|(kinds, pages)| regularity.turn(kinds, pages));
            if turned.sum::<usize>() == 0 {
                break;
            }
        }
        (regularity, pages)
    }

    /// Puts the graph of another sentence onto pages.
    pub fn pages(&self, sentence: &Sentence) -> TwoPages {
        let mut pages = two_pages(&sentence.graph, self.root);
        self.turn(&kinds(sentence, self.root), &mut pages);
        pages
    }

    fn count(&mut self, kinds: &[Vec<Kinds>], pages: &[TwoPages]) {
        self.counts.clear();
        for (kinds, pages) in kinds.iter().zip(pages) {
            for (kinds, page) in kinds.iter().zip(pages.pages()) {
                for kind in kinds {
                    match page {
                        Page::First => self.counts.entry(*kind).or_default()[0] += 1,
                        Page::Second => self.counts.entry(*kind).or_default()[1] += 1,
                        Page::Both | Page::Neither => {}
                    }
                }
            }
        }
    }

    /// Turns the components that are better the other way round; gives their number.
    fn turn(&self, kinds: &[Kinds], pages: &mut TwoPages) -> usize {
        let log_odds = |kind: &u64| {
            let [first, second] = self.counts.get(kind).copied().unwrap_or_default();
            ((f64::from(first) + 1.0) / (f64::from(second) + 1.0)).ln()
        };
        let mut turned = 0;
        for component in 0..pages.components().len() {
            let sum: f64 = pages.components()[component]
                .iter()
                .map(|&edge| {
                    let odds: f64 = kinds[edge].iter().map(log_odds).sum();
                    match pages.pages()[edge] {
                        Page::First => odds,
                        Page::Second => -odds,
                        Page::Both | Page::Neither => 0.0,
                    }
                })
                .sum();
            if sum < 0.0 {
                pages.flip(component);
                turned += 1;
            }
        }
        turned
    }
}

fn two_pages(graph: &Graph, root: Root) -> TwoPages {
    Edges::new(graph, root).two_pages()
}

/// The largest noncrossing part of some edges, as their places in order.
pub(super) fn largest_page(edges: &Edges) -> Vec<usize> {
    let ends = edges.as_slice().iter().map(|edge| (edge.left.0 as Node, edge.right.0 as Node));
    let nodes = ends.clone().map(|(_, right)| usize::from(right) + 1).max().unwrap_or(1);
    let mut candidates = Candidates::default();
    candidates.set(nodes, ends);
    let mut links = Vec::new();
    First::default().decode(&candidates, &vec![[1.0, 0.0, 0.0]; candidates.len()], &mut links);
    links.into_iter().map(|link| link.edge as usize).collect()
}

/// The kinds of all edges in order.
fn kinds(sentence: &Sentence, root: Root) -> Vec<Kinds> {
    let mut arcs: Vec<((NodeId, NodeId), u32)> = sentence
        .graph
        .arcs()
        .iter()
        .map(|arc| (arc.span(), hash::text(&arc.label) ^ u32::from(arc.head > arc.dependent)))
        .filter(|((left, right), _)| left != right && (root == Root::Included || !left.is_root()))
        .collect();
    arcs.sort_unstable();
    let tag = |node: NodeId| match node.index() {
        0 => 0,
        node => hash::text(sentence.tokens[node - 1].tag()),
    };
    let of = |edge: &[((NodeId, NodeId), u32)]| {
        let label = edge.iter().fold(hash::seed(0), |key, (_, label)| hash::mix(key, *label));
        let (left, right) = edge[0].0;
        let with = |number: u32, tag: u32| hash::mix(hash::mix(label, number), tag);
        [with(0, 0), with(1, tag(left)), with(2, tag(right))].map(hash::finish)
    };
    arcs.chunk_by(|a, b| a.0 == b.0).map(of).collect()
}

/// The part of a graph that is on a page; arcs of a root that is on none go with the first one.
pub(super) fn page_graph(graph: &Graph, root: Root, pages: &TwoPages, page: usize) -> Graph {
    let edges = Edges::new(graph, root);
    let on_page = |span: (NodeId, NodeId)| {
        if root == Root::Excluded && span.0.is_root() {
            return page == 0;
        }
        let place = edges.as_slice().binary_search_by_key(&span, |edge| (edge.left, edge.right));
        place.is_ok_and(|place| pages.pages()[place].is_on(page))
    };
    let arcs = graph.arcs().iter().filter(|arc| on_page(arc.span())).cloned();
    Graph::from_arcs(graph.len(), arcs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(arcs: &[(u32, u32, &str)]) -> Sentence {
        let mut sentence = Sentence::from_forms(["a", "b", "c", "d", "e"]);
        sentence.graph = Graph::new(5);
        for &(head, dependent, label) in arcs {
            sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        sentence
    }

    /// "x" crosses "y" everywhere; in one sentence "y" comes first. Regular pages have all "x" on one.
    #[test]
    fn regular_pages_have_the_same_labels() {
        let usual = sentence(&[(1, 3, "x"), (2, 4, "y"), (4, 5, "z")]);
        let unusual = sentence(&[(1, 4, "y"), (3, 5, "x")]);
        let train = [usual.clone(), usual.clone(), unusual.clone()];
        let page_of = |flips: Flips| {
            let (regularity, pages) = Regularity::learn(&train, flips, Root::Included);
            assert_eq!(regularity.pages(&usual), pages[0]);
            let graph = page_graph(&unusual.graph, Root::Included, &pages[2], 0);
            assert_eq!(page_graph(&usual.graph, Root::Included, &pages[0], 0).arcs().len(), 2);
            graph.arcs()[0].label.to_string()
        };
        assert_eq!((page_of(Flips::First).as_str(), page_of(Flips::Regular).as_str()), ("y", "x"));
    }
}
