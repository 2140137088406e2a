//! The second-order chart against all projective trees, and rearrangement against its definition.

mod common;
mod tree_common;

use common::Random;
use pleach_decode::tree::{Parts, Root, SecondOrder, rearrange};
use tree_common::{all_trees, is_projective, is_tree, roots};

/// Random factors over all arcs or over some of them.
fn random_parts(random: &mut Random, n: usize, sparse: bool) -> Parts {
    let pairs = (0..n as u32).flat_map(|head| (0..n as u32).map(move |dependent| (head, dependent)));
    let mut arcs: Vec<(u32, u32)> = pairs.filter(|_| !sparse || random.below(2) == 0).collect();
    let mut parts = Parts::default();
    parts.arcs.reset(n, &mut arcs);
    parts.reset();
    for arc in 0..parts.arcs.len() {
        parts.scores[arc] = random.score(6);
        parts.siblings_mut(arc).iter_mut().for_each(|score| *score = random.score(6));
        parts.grandchildren_mut(arc).iter_mut().for_each(|score| *score = random.score(6));
    }
    parts
}

/// The score of a tree from the definition of the factors, arc by arc.
fn naive_total(parts: &Parts, heads: &[u32]) -> Option<f32> {
    let n = heads.len();
    let find = |head: usize, dependent: usize| parts.arcs.find(head, dependent);
    let mut sum = 0.0;
    for m in 1..n {
        let h = heads[m] as usize;
        let arc = find(h, m)?;
        let is_child = |head: usize, word: usize| word > 0 && heads[word] as usize == head;
        let (low, high) = (h.min(m), h.max(m));
        let sibling = (low + 1..high).filter(|&c| is_child(h, c)).min_by_key(|&c| c.abs_diff(m));
        sum += parts.scores[arc]
            + match sibling {
                Some(c) => parts.sibling(arc, Some(find(h, c)?)),
                None => parts.sibling(arc, None),
            };
        let left = (1..m).find(|&c| is_child(m, c));
        let right = (m + 1..n).rfind(|&c| is_child(m, c));
        for (side, outermost) in [left, right].into_iter().enumerate() {
            sum += match outermost {
                Some(c) => parts.grandchild(arc, find(m, c)?),
                None => parts.no_grandchild(arc, side == 1),
            };
        }
    }
    Some(sum)
}

#[test]
fn the_chart_equals_brute_force() {
    let mut random = Random(5);
    let mut chart = SecondOrder::default();
    let mut impossible = 0;
    for round in 0..400 {
        let n = 2 + round % 5;
        let parts = random_parts(&mut random, n, round % 3 == 0);
        for root in [Root::Single, Root::Many] {
            let mut best: Option<f32> = None;
            all_trees(n, |heads| {
                if is_projective(heads)
                    && (root == Root::Many || roots(heads) == 1)
                    && let Some(score) = naive_total(&parts, heads)
                {
                    assert_eq!(parts.total(heads), score);
                    best = Some(best.map_or(score, |best| best.max(score)));
                }
            });
            let mut heads = vec![7; n];
            let found = chart.decode(&parts, root, &mut heads);
            assert_eq!(found, best);
            match found {
                Some(score) => {
                    assert!(is_tree(&heads) && is_projective(&heads));
                    assert!(root == Root::Many || roots(&heads) == 1);
                    assert_eq!(naive_total(&parts, &heads), Some(score));
                }
                None => impossible += 1,
            }
        }
    }
    assert!(impossible > 20);
}

/// Whichever single arcs have other scores, few, many or none, the chart gives what a new one gives, to the last bit.
#[test]
fn decoding_again_equals_decoding() {
    let mut random = Random(7);
    let mut chart = SecondOrder::default();
    let mut found = 0;
    for round in 0..200 {
        let n = 1 + round % 9;
        let mut parts = random_parts(&mut random, n, round % 3 == 0);
        let root = [Root::Single, Root::Many][round % 2];
        let (mut heads, mut fresh) = (vec![7; n], vec![7; n]);
        chart.decode(&parts, root, &mut heads);
        for changes in [1, 0, 2, 9, 1, 1] {
            for _ in 0..changes.min(9 * parts.arcs.len()) {
                let arc = random.below(parts.arcs.len() as u32) as usize;
                parts.scores[arc] = random.score(60);
            }
            let again = chart.decode_again(&parts, root, &mut heads);
            assert_eq!(again, SecondOrder::default().decode(&parts, root, &mut fresh));
            assert_eq!(heads, fresh);
            found += usize::from(again.is_some_and(|score| score != 0.0));
        }
    }
    assert!(found > 700, "{found}");
    // Another problem is decoded as a new one.
    let parts = random_parts(&mut random, 6, false);
    let (mut heads, mut fresh) = (vec![0; 6], vec![0; 6]);
    let again = chart.decode_again(&parts, Root::Many, &mut heads);
    assert_eq!((again, heads), (SecondOrder::default().decode(&parts, Root::Many, &mut fresh), fresh));
}

/// The best single change of a head, found by scoring whole trees.
fn best_change(parts: &Parts, root: Root, heads: &[u32]) -> f32 {
    let now = parts.total(heads);
    let mut best = 0.0f32;
    for arc in 0..parts.arcs.len() {
        let mut changed = heads.to_vec();
        changed[parts.arcs.dependent(arc)] = parts.arcs.head(arc) as u32;
        let keeps_root = (1..heads.len()).all(|word| (changed[word] == 0) == (heads[word] == 0));
        if is_tree(&changed) && (root == Root::Many || keeps_root) {
            best = best.max(parts.total(&changed) - now);
        }
    }
    best
}

#[test]
fn rearrangement_ends_where_no_change_gains() {
    let mut random = Random(6);
    let mut chart = SecondOrder::default();
    let (mut moved, mut crossing) = (0, 0);
    for round in 0..300 {
        let n = 3 + round % 5;
        let parts = random_parts(&mut random, n, round % 2 == 0);
        for root in [Root::Single, Root::Many] {
            let mut heads = vec![0; n];
            let Some(projective) = chart.decode(&parts, root, &mut heads) else { continue };
            let first = heads.clone();
            let gain = best_change(&parts, root, &heads);
            let changes = rearrange::rearrange(&parts, root, 0.0, &mut heads);
            assert!(is_tree(&heads) && parts.total(&heads) >= projective + gain);
            assert!(root == Root::Many || roots(&heads) == 1);
            assert_eq!(changes == 0, gain == 0.0);
            assert_eq!(best_change(&parts, root, &heads), 0.0);
            moved += changes;
            crossing += usize::from(!is_projective(&heads));
            // A threshold above every gain leaves the tree alone.
            let mut still = first.clone();
            assert_eq!(rearrange::rearrange(&parts, root, gain, &mut still), 0);
            assert_eq!(still, first);
        }
    }
    assert!(moved > 100 && crossing > 50, "{moved} {crossing}");
}

#[test]
fn odd_candidates_are_no_tree_or_a_tree() {
    let mut parts = Parts::default();
    let mut arcs = vec![(1, 0), (1, 1), (2, 1), (1, 2), (2, 1)];
    parts.arcs.reset(3, &mut arcs);
    parts.reset();
    assert_eq!(parts.arcs.len(), 2);
    assert_eq!(SecondOrder::default().decode(&parts, Root::Many, &mut [0; 3]), None);
    parts.arcs.reset(1, &mut Vec::new());
    parts.reset();
    assert_eq!(SecondOrder::default().decode(&parts, Root::Many, &mut [0; 1]), Some(0.0));
}
