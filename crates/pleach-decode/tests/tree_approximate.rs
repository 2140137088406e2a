//! Weighted conversion against all projective trees.

mod common;
mod tree_common;

use common::Random;
use pleach_decode::tree::Root;
use pleach_decode::tree::approximate::{Approximator, MOST_WORDS, TooLong, TreeArc, to_graph};
use std::collections::BTreeMap;
use tree_common::{all_trees, is_projective, is_tree, roots};

type Graph = BTreeMap<(u32, u32), u8>;

/// What the conversion is to make largest: kept edges, kept directions, closeness.
fn worth(graph: &Graph, heads: &[u32]) -> (usize, usize, i64) {
    let linked = |i: u32, j: u32| graph.contains_key(&(i, j));
    let arcs: Vec<(u32, u32)> = (1..heads.len() as u32).map(|j| (heads[j as usize], j)).collect();
    let edges = arcs.iter().filter(|&&(i, j)| linked(i, j) || linked(j, i)).count();
    let forward = arcs.iter().filter(|&&(i, j)| linked(i, j)).count();
    let n = heads.len() as i64 - 1;
    let close = arcs.iter().filter(|arc| arc.0 != 0).map(|&(i, j)| n - i64::from(i.abs_diff(j))).sum();
    (edges, forward, close)
}

#[test]
fn the_tree_keeps_as_much_as_any() {
    let mut random = Random(4);
    let mut approximator = Approximator::default();
    for round in 0..400 {
        let words = 1 + round % 5;
        let mut graph = Graph::new();
        for i in 0..=words as u32 {
            for j in 1..=words as u32 {
                if i != j && random.below(4) == 0 {
                    graph.insert((i, j), random.below(5) as u8);
                }
            }
        }
        let mut arcs: Vec<(u32, u32, u8)> = graph.iter().map(|(&(i, j), &label)| (i, j, label)).collect();
        arcs.push((1, 1, 9));
        for root in [Root::Single, Root::Many] {
            let mut tree = Vec::new();
            approximator.convert(words, &arcs, root, &mut tree).unwrap();
            let heads: Vec<u32> = tree.iter().map(|node| node.0).collect();
            assert!(is_tree(&heads) && is_projective(&heads));
            let mut best = (0, 0, 0);
            all_trees(words + 1, |heads| {
                if is_projective(heads) && (root == Root::Many || roots(heads) == 1) {
                    best = best.max(worth(&graph, heads));
                }
            });
            assert_eq!(worth(&graph, &heads), best, "{graph:?} {heads:?}");
            for (j, &(i, kind)) in tree.iter().enumerate().skip(1) {
                let (there, back) = (graph.get(&(i, j as u32)), graph.get(&(j as u32, i)));
                let right = match (there, back) {
                    (Some(&label), _) => TreeArc::Forward(label),
                    (None, Some(&label)) => TreeArc::Backward(label),
                    (None, None) => TreeArc::Unlinked,
                };
                assert_eq!(kind, right);
            }
            let back: Vec<(u32, u32, u8)> = to_graph(&tree).collect();
            assert!(back.iter().all(|arc| graph.get(&(arc.0, arc.1)) == Some(&arc.2)));
            assert_eq!(back.len(), best.0);
        }
    }
}

/// A projective tree is its own approximation.
#[test]
fn projective_trees_stay_as_they_are() {
    let mut approximator = Approximator::default();
    for n in 2..6 {
        all_trees(n, |heads| {
            if is_projective(heads) {
                let arcs: Vec<(u32, u32, ())> = (1..n as u32).map(|j| (heads[j as usize], j, ())).collect();
                let mut tree = Vec::new();
                approximator.convert(n - 1, &arcs, Root::Many, &mut tree).unwrap();
                assert!(tree.iter().map(|node| node.0).eq(heads.iter().copied()));
                assert!(to_graph(&tree).eq(arcs));
            }
        });
    }
}

#[test]
fn a_long_sentence_is_refused() {
    let mut tree: Vec<(u32, TreeArc<u8>)> = Vec::new();
    let result = Approximator::default().convert(MOST_WORDS + 1, &[], Root::Many, &mut tree);
    assert_eq!(result, Err(TooLong));
}
