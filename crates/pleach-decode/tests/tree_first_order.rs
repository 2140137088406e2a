//! Eisner's algorithm and the spanning tree against all trees.

mod common;
mod tree_common;

use common::Random;
use pleach_decode::tree::{Arcs, Eisner, Root, SpanningTree};
use tree_common::{all_trees, is_projective, is_tree, roots};

fn random_arcs(random: &mut Random, n: usize) -> Arcs<f32> {
    let mut arcs = Arcs::new(n, 0.0);
    for head in 0..n {
        for dependent in 1..n {
            arcs.set(head, dependent, random.score(6));
        }
    }
    arcs
}

/// The best score of all trees that `allowed` lets through.
fn best(arcs: &Arcs<f32>, root: Root, allowed: impl Fn(&[u32]) -> bool) -> f32 {
    let mut best = f32::NEG_INFINITY;
    all_trees(arcs.nodes(), |heads| {
        if (root == Root::Many || roots(heads) == 1) && allowed(heads) {
            best = best.max(arcs.total(heads));
        }
    });
    best
}

fn check(rounds: usize, mut decode: impl FnMut(&Arcs<f32>, Root, &mut [u32]), allowed: fn(&[u32]) -> bool) {
    let mut random = Random(1);
    for round in 0..rounds {
        let arcs = random_arcs(&mut random, 1 + round % 6);
        for root in [Root::Single, Root::Many] {
            let mut heads = vec![9; arcs.nodes()];
            decode(&arcs, root, &mut heads);
            assert!(is_tree(&heads) && allowed(&heads), "{heads:?}");
            if arcs.nodes() > 1 {
                assert!(root == Root::Many || roots(&heads) == 1);
                assert_eq!(arcs.total(&heads), best(&arcs, root, allowed), "{root:?} {arcs:?}");
            }
        }
    }
}

#[test]
fn eisner_equals_brute_force() {
    let mut eisner = Eisner::default();
    let decode = |arcs: &Arcs<f32>, root, heads: &mut [u32]| {
        let score = eisner.decode(arcs, root, heads);
        assert_eq!(score, arcs.total(heads));
    };
    check(240, decode, is_projective);
}

#[test]
fn the_spanning_tree_equals_brute_force() {
    let mut tree = SpanningTree::default();
    check(240, |arcs, root, heads| tree.decode(arcs, root, heads), |_| true);
}

/// Long sentences have the remainders of the inner loops that short ones lack: there the two decoders agree on
/// trees whose scores make them projective, and the projective tree is never better otherwise.
#[test]
fn long_sentences() {
    let mut random = Random(2);
    let (mut eisner, mut spanning) = (Eisner::default(), SpanningTree::default());
    for n in [9, 17, 40, 63] {
        let mut arcs = random_arcs(&mut random, n);
        let (mut projective, mut any) = (vec![0; n], vec![0; n]);
        for root in [Root::Single, Root::Many] {
            eisner.decode(&arcs, root, &mut projective);
            spanning.decode(&arcs, root, &mut any);
            assert!(is_tree(&any) && is_tree(&projective) && is_projective(&projective));
            assert!(arcs.total(&projective) <= arcs.total(&any));
        }
        eisner.decode(&arcs, Root::Single, &mut projective);
        for word in 1..n {
            arcs.add(projective[word] as usize, word, 100.0);
        }
        let (mut one, mut other) = (vec![0; n], vec![0; n]);
        eisner.decode(&arcs, Root::Single, &mut one);
        spanning.decode(&arcs, Root::Single, &mut other);
        assert_eq!((&one, &other), (&projective, &projective));
    }
}

/// Forbidden arcs are used only where nothing else makes a tree.
#[test]
fn forbidden_arcs_come_last() {
    let mut random = Random(3);
    let mut spanning = SpanningTree::default();
    for round in 0..300 {
        let n = 2 + round % 5;
        let mut arcs = random_arcs(&mut random, n);
        for head in 0..n {
            for dependent in 1..n {
                if random.below(3) > 0 {
                    arcs.set(head, dependent, f32::NEG_INFINITY);
                }
            }
        }
        let forbidden =
            |heads: &[u32]| (1..n).filter(|&d| arcs.get(heads[d] as usize, d) == f32::NEG_INFINITY).count();
        let allowed = |heads: &[u32]| {
            (1..n).map(|d| arcs.get(heads[d] as usize, d)).filter(|score| score.is_finite()).sum::<f32>()
        };
        let mut best = (usize::MAX, 0.0);
        all_trees(n, |heads| {
            let this = (forbidden(heads), allowed(heads));
            if this.0 < best.0 || this.0 == best.0 && this.1 > best.1 {
                best = this;
            }
        });
        let mut heads = vec![0; n];
        spanning.decode(&arcs, Root::Many, &mut heads);
        assert!(is_tree(&heads));
        assert_eq!((forbidden(&heads), allowed(&heads)), best);
    }
}

#[test]
fn odd_scores_end_in_a_tree() {
    for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let arcs = Arcs::new(7, odd);
        for root in [Root::Single, Root::Many] {
            let mut heads = vec![0; 7];
            Eisner::default().decode(&arcs, root, &mut heads);
            assert!(is_tree(&heads), "{odd} {heads:?}");
            SpanningTree::default().decode(&arcs, root, &mut heads);
            assert!(is_tree(&heads), "{odd} {heads:?}");
        }
    }
}
