//! The static oracles of S_S, S_2S and S_L rebuild every graph; every action they take is legal.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Arcs, Random, all_oracles, check, mirrored, out_of_class};
use pleach_transition::Node;
use pleach_transition::action::Move;
use pleach_transition::graph::System;
use pleach_transition::oracle::{Gold, next_step, oracle};
use pleach_transition::settings::{Kind, Root, Settings, Timing, TwoCycles};
use pleach_transition::state::State;

const COMPLETE: [Kind; 3] = [Kind::Reorder, Kind::TwoStack, Kind::List];

/// The ordered pairs that a bit mask picks, as a graph.
fn digraph(pairs: &[(Node, Node)], mask: u32) -> Arcs {
    let picked = pairs.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
    picked.map(|(_, &(head, dependent))| (head, dependent, 1)).collect()
}

fn pairs(first: Node, len: Node, loops: bool) -> Vec<(Node, Node)> {
    let all = (first..=len).flat_map(|head| (1..=len).map(move |dependent| (head, dependent)));
    all.filter(|(head, dependent)| loops || head != dependent).collect()
}

#[test]
fn every_digraph_of_up_to_four_nodes() {
    for settings in all_oracles(&COMPLETE) {
        // Four nodes: four words without a root, or three words and the root.
        let (first, most) = if settings.root == Root::None { (1, 4) } else { (0, 3) };
        for len in 0..=most {
            let pairs = pairs(first, len, settings.self_arcs);
            // 65,536 graphs of four words with self-loops are too many for every other setting.
            if pairs.len() == 16 && settings.two_cycles == TwoCycles::Transitions {
                continue;
            }
            // The mirrored graphs are among them.
            for mask in 0..1u32 << pairs.len() {
                let arcs = digraph(&pairs, mask);
                let found = check(&settings, usize::from(len), &arcs);
                assert_eq!(found.lost, [], "{settings:?} {arcs:?}");
            }
        }
    }
}

#[test]
fn random_graphs_of_up_to_forty_words() {
    let mut random = Random(0x5EED);
    for round in 0..600 {
        let len = 1 + random.below(40);
        let sparsity = [2, 3, 5, 10, 40, 80][round % 6];
        let arcs = random.graph(len, sparsity, 5);
        let mirrored = mirrored(len, &arcs);
        for settings in all_oracles(&COMPLETE) {
            // Dense graphs take S_S a cubic number of steps: a sample of its settings is enough.
            if settings.kind == Kind::Reorder && sparsity < 10 && random.below(8) != 0 {
                continue;
            }
            for arcs in [&arcs, &mirrored] {
                let found = check(&settings, len, arcs);
                assert_eq!(found.lost.len(), out_of_class(&settings, arcs), "{settings:?} {arcs:?}");
            }
        }
    }
}

/// What the oracle would do next can be told from a configuration alone, however it was reached.
#[test]
fn the_next_step_is_known_without_the_steps_before() {
    let mut random = Random(0x4E57);
    for settings in all_oracles(&Kind::ALL) {
        for _ in 0..40 {
            let len = random.below(9);
            let sparsity = 2 + random.below(8);
            let gold = Gold::new(len, &random.graph(len, sparsity, 3));
            let system = System::new(&settings);
            let mut state = State::default();
            system.start(len, &mut state);
            for step in oracle(&system, &gold).steps {
                assert_eq!(next_step(&system, &gold, &state), Some(step), "{settings:?} {:?}", gold.arcs());
                system.perform(step, &mut state);
            }
            assert_eq!(next_step(&system, &gold, &state), None);
        }
    }
}

/// Undirected graphs over six words: neither oracle of S_S loses an arc, and the lazy one needs fewer SWAPs.
#[test]
fn both_oracles_of_reordering_are_complete() {
    let pairs: Vec<(Node, Node)> =
        (1..=6).flat_map(|left| (left + 1..=6).map(move |right| (right, left))).collect();
    let mut swaps = [0, 0];
    for mask in 0..1u32 << pairs.len() {
        let arcs = digraph(&pairs, mask);
        for (swaps, oracle) in swaps.iter_mut().zip(Timing::ALL) {
            let settings = Settings { root: Root::None, oracle, ..Settings::new(Kind::Reorder, true) };
            let found = check(&settings, 6, &arcs);
            assert_eq!(found.lost, [], "{oracle:?} {arcs:?}");
            *swaps += found.steps.iter().filter(|step| step.mv == Move::Swap).count();
        }
    }
    assert!(swaps[1] < swaps[0], "{swaps:?}");
}
