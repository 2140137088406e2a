//! Whoever chooses the actions: every sequence ends within its bound and builds a legal graph.

#![allow(clippy::unwrap_used)]

mod common;

use common::{MOVES, Random, all_settings, inventory};
use pleach_transition::Node;
use pleach_transition::action::{Addition, Edge, Move, Step};
use pleach_transition::graph::System;
use pleach_transition::settings::{Kind, Root, Settings, TwoCycles};
use pleach_transition::state::State;

/// Lets `weights` of the moves choose at random; gives the number of steps.
fn play(settings: &Settings, len: usize, weights: &[usize; Move::COUNT], random: &mut Random) -> usize {
    let system = System::new(settings);
    let inventory = inventory(settings);
    let bound = system.max_steps(len);
    let mut state = State::default();
    system.start(len, &mut state);
    let mut steps = 0;
    while !system.is_final(&state) {
        assert!(steps < bound, "{settings:?} with {len} words takes more than {bound} steps");
        let legal = system.legal(&state);
        let choices = inventory.actions.iter().filter(|&&action| legal.has(inventory.class(action)));
        let choices: Vec<_> = choices.copied().collect();
        assert!(choices.iter().any(|action| action.mv != Move::Stay), "only edges are legal");
        let sum: usize = choices.iter().map(|action| weights[action.mv as usize]).sum();
        let mut pick = random.below(sum);
        let chosen = choices.iter().find(|action| {
            let weight = weights[action.mv as usize];
            let found = pick < weight;
            pick = pick.saturating_sub(weight);
            found
        });
        system.apply(&inventory, *chosen.unwrap(), &mut state);
        steps += 1;
    }
    assert!(system.legal(&state).is_empty());
    assert_eq!(state.steps as usize, steps);

    let mut pairs: Vec<(Node, Node)> = state.arcs().map(|(head, dependent, _)| (head, dependent)).collect();
    let arcs = pairs.len();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), arcs, "an arc was made twice: {settings:?}");
    for (head, dependent, label) in state.arcs() {
        assert!(dependent != 0 && usize::from(dependent) <= len && usize::from(head) <= len && label != 0);
        assert!(head != dependent || settings.self_arcs);
        assert!(head != 0 || settings.root != Root::None);
    }
    steps
}

#[test]
fn random_scorers_end_within_the_bound() {
    let mut random = Random(0xACE);
    for settings in all_settings(&Kind::ALL) {
        for round in 0..60 {
            let len = random.below(25);
            // Most weight on one move makes the systems run in circles, if they can.
            let mut weights = [1; Move::COUNT];
            if round % 3 != 0 {
                weights[random.below(Move::COUNT)] = 200;
            }
            if round % 3 == 2 {
                weights[Move::Shift as usize] = 0;
                weights[Move::Pop as usize] = 0;
                weights[random.below(Move::COUNT)] = 3;
            }
            weights = weights.map(|weight| weight.max(1) * 10);
            play(&settings, len, &weights, &mut random);
        }
    }
}

/// The longest sequence of all, by trying every action: the bound holds and is not far off.
#[test]
fn no_sequence_is_longer_than_the_bound() {
    fn longest(settings: &Settings, state: &State) -> usize {
        let system = System::new(settings);
        let legal = system.legal(state);
        let mut most = 0;
        let mut tried: Vec<State> = Vec::new();
        for mv in MOVES {
            for add in [
                Addition::None,
                Addition::Edge(Edge { left: 1, right: 0 }),
                Addition::Edge(Edge { left: 0, right: 1 }),
            ] {
                let step = Step { mv, add, tag: 0 };
                if common::is_legal(legal, step) && (mv != Move::Stay || add != Addition::None) {
                    let mut next = state.clone();
                    system.perform(step, &mut next);
                    tried.push(next);
                }
            }
        }
        for next in &tried {
            most = most.max(1 + longest(settings, next));
        }
        most
    }
    for kind in Kind::ALL {
        for (combined, root) in [(false, Root::None), (true, Root::None), (true, Root::Last)] {
            let settings = Settings { root, ..Settings::new(kind, combined) };
            for len in 0..=if root == Root::None { 3 } else { 2 } {
                let system = System::new(&settings);
                let mut state = State::default();
                system.start(len, &mut state);
                let longest = longest(&settings, &state);
                let bound = system.max_steps(len);
                assert!(longest <= bound, "{settings:?} {len}: {longest} > {bound}");
            }
        }
    }
}

#[test]
fn strategy_a_links_a_pair_once_in_each_direction() {
    let two_cycles = TwoCycles::Transitions;
    let settings = Settings { two_cycles, root: Root::None, ..Settings::new(Kind::TwoStack, false) };
    let system = System::new(&settings);
    let mut state = State::default();
    system.start(2, &mut state);
    let left = Step { mv: Move::Stay, add: Addition::Edge(Edge { left: 1, right: 0 }), tag: 0 };
    let right = Step { mv: Move::Stay, add: Addition::Edge(Edge { left: 0, right: 2 }), tag: 0 };
    let both = Step { mv: Move::Stay, add: Addition::Edge(Edge { left: 1, right: 2 }), tag: 0 };
    system.perform(Step::plain(Move::Shift), &mut state);
    assert!(common::is_legal(system.legal(&state), left));
    assert!(!common::is_legal(system.legal(&state), both));
    system.perform(left, &mut state);
    assert!(!common::is_legal(system.legal(&state), left));
    assert!(common::is_legal(system.legal(&state), right));
    system.perform(right, &mut state);
    assert!(!common::is_legal(system.legal(&state), right));
    assert_eq!(state.edge_between(1, 2), Some(Edge { left: 1, right: 2 }));
}

/// With actions of their own, arcs from the root have their own labels, whoever chooses.
#[test]
fn arcs_from_the_root_keep_to_their_labels() {
    let mut random = Random(0x4007);
    for settings in all_settings(&Kind::ALL) {
        let settings = Settings { root_actions: true, ..settings };
        let system = System::new(&settings);
        let inventory = inventory(&settings);
        let mut seen = [0, 0];
        for _ in 0..40 {
            let mut state = State::default();
            system.start(6, &mut state);
            while !system.is_final(&state) {
                let legal = system.legal(&state);
                let choices = inventory.actions.iter().filter(|&&action| legal.has(inventory.class(action)));
                let choices: Vec<_> = choices.copied().collect();
                system.apply(&inventory, choices[random.below(choices.len())], &mut state);
            }
            for (head, _, label) in state.arcs() {
                assert_eq!(head == 0, label == 3, "{settings:?}");
                seen[usize::from(head == 0)] += 1;
            }
        }
        assert!(seen[0] > 20 && (settings.root == Root::None || seen[1] > 5), "{settings:?} {seen:?}");
    }
}
