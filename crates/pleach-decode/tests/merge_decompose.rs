//! Graphs taken apart: every edge that is said to be held is held, and relaxation finds a cover where there is one.

mod common;

use common::Random;
use pleach_decode::merge::{Decomposer, Plan, Source, TREES};
use pleach_decode::relax::Certificate;

/// Whether heads make a projective tree: every word reaches the root, no two arcs cross, none covers the root.
fn is_projective_tree(heads: &[u32]) -> bool {
    let reaches = |word: usize| {
        let mut at = word;
        (0..heads.len()).any(|_| {
            at = heads[at] as usize;
            at == 0
        })
    };
    let span = |word: usize| (word.min(heads[word] as usize), word.max(heads[word] as usize));
    let crosses = |a: usize, b: usize| {
        let ((l1, r1), (l2, r2)) = (span(a), span(b));
        l1 < l2 && l2 < r1 && r1 < r2
    };
    let words = 1..heads.len();
    words.clone().all(reaches) && words.clone().all(|a| words.clone().all(|b| !crosses(a, b)))
}

/// All projective trees over some words.
fn all_trees(words: usize) -> Vec<Vec<u32>> {
    let all = (0..(words + 1).pow(words as u32)).map(|mut code| {
        let mut heads = vec![0; words + 1];
        for word in 1..=words {
            heads[word] = (code % (words + 1)) as u32;
            code /= words + 1;
        }
        heads
    });
    all.filter(|heads| (1..=words).all(|word| heads[word] as usize != word) && is_projective_tree(heads))
        .collect()
}

fn holds(heads: &[u32], (a, b): (u32, u32)) -> bool {
    heads[b as usize] == a || (a > 0 && heads[a as usize] == b)
}

#[allow(clippy::unwrap_used)]
fn decompose(source: &Source, plan: &Plan) -> ([Vec<u32>; TREES], Certificate) {
    let mut heads = [const { Vec::new() }; TREES];
    let outcome = Decomposer::default().decompose(source, plan, &mut heads).unwrap();
    (heads, outcome.certificate)
}

/// All undirected graphs over the root and four words: where three trees can hold it, the relaxation
/// finds them in all but a few cases.
#[test]
fn relaxation_covers_what_can_be_covered() {
    let words = 4;
    let trees = all_trees(words);
    let edges: Vec<(u32, u32)> =
        (0..words as u32).flat_map(|a| (a + 1..=words as u32).map(move |b| (a, b))).collect();
    let masks: Vec<u32> = trees
        .iter()
        .map(|heads| edges.iter().enumerate().map(|(i, &edge)| u32::from(holds(heads, edge)) << i).sum())
        .collect();
    let mut distinct = masks.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let (mut coverable, mut covered) = (0, 0);
    for bits in 0..1u32 << edges.len() {
        let can = distinct.iter().any(|a| {
            distinct.iter().any(|b| bits & !(a | b) == 0 || distinct.iter().any(|c| bits & !(a | b | c) == 0))
        });
        let arcs: Vec<(u32, u32)> =
            edges.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, &edge)| edge).collect();
        let source = Source { words, arcs, ..Source::default() };
        let (heads, certificate) = decompose(&source, &Plan::default());
        assert!(heads.iter().all(|heads| is_projective_tree(heads)));
        let held = source.arcs.iter().all(|&edge| heads.iter().any(|heads| holds(heads, edge)));
        assert_eq!(held, certificate.is_feasible());
        assert!(can || !held);
        coverable += u32::from(can);
        covered += u32::from(held);
    }
    assert!(covered * 100 >= coverable * 99, "{covered} of {coverable}");
}

/// Relaxation never holds fewer edges than simple decomposition, and on random graphs it holds more.
#[test]
fn relaxation_holds_more_than_simple_decomposition() {
    let mut random = Random(5);
    let (mut simple, mut relaxed) = (0, 0);
    for _ in 0..60 {
        let words = 5 + random.below(8);
        let mut arcs: Vec<(u32, u32)> =
            (0..words * 3 / 2).map(|_| (random.below(words + 1), 1 + random.below(words))).collect();
        arcs.retain(|(head, dependent)| head != dependent);
        arcs.sort_unstable();
        arcs.dedup();
        let long = arcs.iter().copied().filter(|_| random.below(5) == 0).collect();
        let source = Source { words: words as usize, arcs, long, coordinations: Vec::new() };
        let count = |heads: &[Vec<u32>; TREES]| {
            let held = |edge: &&(u32, u32)| {
                heads.iter().any(|heads| {
                    let (head, dependent) = **edge;
                    holds(heads, (head.min(dependent), head.max(dependent)))
                })
            };
            source.arcs.iter().filter(held).count()
        };
        let one = count(&decompose(&source, &Plan { iterations: 1, ..Plan::default() }).0);
        let many = count(&decompose(&source, &Plan::default()).0);
        assert!(many >= one);
        simple += one;
        relaxed += many;
    }
    assert!(relaxed > simple);
}

/// Bad input is an answer or an error, never a panic.
#[test]
fn odd_graphs() {
    let empty = Source::default();
    assert!(decompose(&empty, &Plan::default()).1.is_feasible());
    let looped = Source { words: 2, arcs: vec![(0, 1), (2, 2), (1, 2), (2, 1)], ..Source::default() };
    let (heads, certificate) = decompose(&looped, &Plan::default());
    assert!(certificate.is_feasible() && heads.iter().all(|heads| heads.len() == 3));
    let long = Source { words: 100_000, ..Source::default() };
    assert!(Decomposer::default().decompose(&long, &Plan::default(), &mut Default::default()).is_err());
}
