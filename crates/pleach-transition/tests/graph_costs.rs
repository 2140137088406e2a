//! The dynamic oracle of S_L against enumeration: cost = least loss after the action - least loss before.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, all_settings};
use pleach_transition::action::{Addition, Edge, Inventory, Move, Step};
use pleach_transition::costs::{DynamicOracle, ILLEGAL};
use pleach_transition::graph::System;
use pleach_transition::inventory::InventoryBuilder;
use pleach_transition::oracle::{Gold, actions, oracle};
use pleach_transition::settings::{Kind, Root, Settings};
use pleach_transition::state::State;

const LABELS: u16 = 2;

/// Every action that a system with two labels and two tags can have.
fn inventory(settings: &Settings) -> Inventory {
    let mut builder = InventoryBuilder::default();
    let moves: &[Move] = if settings.combined { &[Move::Shift, Move::NoArc] } else { &[Move::Stay] };
    for left in 0..=LABELS {
        for right in 0..=LABELS {
            if left != 0 || right != 0 {
                let add = Addition::Edge(Edge { left, right });
                let tags = moves.iter().flat_map(|&mv| (0..2).map(move |tag| Step { mv, add, tag }));
                builder.add(&tags.filter(|step| step.mv == Move::Shift || step.tag == 0).collect::<Vec<_>>());
            }
        }
    }
    for label in 1..=LABELS {
        builder.add(&[Step { mv: Move::Stay, add: Addition::Loop(label), tag: 0 }]);
    }
    builder.add(&[Step { mv: Move::Shift, add: Addition::None, tag: 1 }]);
    builder.finish(settings).unwrap()
}

fn loss(state: &State, gold: &Gold) -> u32 {
    let gold_arcs = gold.arcs();
    let built: Vec<_> = state.arcs().collect();
    let missing = gold_arcs.iter().filter(|arc| !built.contains(arc)).count();
    let wrong = built.iter().filter(|arc| !gold_arcs.contains(arc)).count();
    let tags = (1..=gold.len()).filter(|&node| state.tags[node] != gold.tag(node as u16)).count();
    (missing + wrong + tags) as u32
}

/// The least loss that can be reached, by trying everything.
///
/// Labels that are neither gold nor the first one are as bad as the first one, so they are not tried here.
fn least(system: &System, inventory: &Inventory, state: &State, gold: &Gold) -> u32 {
    if system.is_final(state) {
        return loss(state, gold);
    }
    let legal = system.legal(state);
    let mut least_loss = u32::MAX;
    for &action in &inventory.actions {
        // A wrong arc is never better than none: leaving these out keeps the enumeration small, and the
        // actions whose cost is asked for are not left out.
        let step = inventory.step(action);
        if !legal.has(inventory.class(action)) || is_wrong(step, state, gold) {
            continue;
        }
        let mut next = state.clone();
        system.apply(inventory, action, &mut next);
        least_loss = least_loss.min(least(system, inventory, &next, gold));
    }
    least_loss
}

fn is_wrong(step: Step, state: &State, gold: &Gold) -> bool {
    let (top, front) = (state.stack_at(0), state.buffer_at(0));
    let wrong_tag = step.mv == Move::Shift && step.tag != gold.tag(front);
    wrong_tag
        || match step.add {
            Addition::None => false,
            Addition::Loop(label) => gold.self_loop(top) != label,
            Addition::Edge(edge) => {
                let gold = gold.edge(top, front).unwrap_or_default();
                edge.left != 0 && edge.left != gold.left || edge.right != 0 && edge.right != gold.right
            }
        }
}

#[test]
fn costs_are_exact() {
    let mut random = Random(0xC057);
    for settings in all_settings(&[Kind::List]) {
        let system = System::new(&settings);
        let inventory = inventory(&settings);
        let dynamic = DynamicOracle::new(&system).unwrap();
        for round in 0..30 {
            let len = 1 + random.below(3);
            let mut arcs = random.graph(len, 1 + round % 3, usize::from(LABELS));
            arcs.retain(|&(head, dependent, _)| {
                (settings.root != Root::None || head != 0) && (settings.self_arcs || head != dependent)
            });
            let tags = (0..=len).map(|node| if node == 0 { 0 } else { random.below(2) as u16 }).collect();
            let gold = Gold::new(len, &arcs).with_tags(tags);
            // A random walk leads into configurations that no static oracle would see.
            let mut state = State::default();
            system.start(len, &mut state);
            let mut costs = vec![0; inventory.actions.len()];
            while !system.is_final(&state) {
                dynamic.costs(&inventory, &state, &gold, &mut costs);
                let before = least(&system, &inventory, &state, &gold);
                let mut legal = Vec::new();
                for (&action, &cost) in inventory.actions.iter().zip(&costs) {
                    let is_legal = system.legal(&state).has(inventory.class(action));
                    assert_eq!(is_legal, cost != ILLEGAL);
                    if is_legal {
                        legal.push(action);
                        let mut next = state.clone();
                        system.apply(&inventory, action, &mut next);
                        let after = least(&system, &inventory, &next, &gold);
                        assert_eq!(
                            after - before,
                            cost,
                            "{settings:?} {arcs:?} {state:?} {:?}",
                            inventory.step(action)
                        );
                    }
                }
                assert!(costs.contains(&0));
                let action = legal[random.below(legal.len())];
                system.apply(&inventory, action, &mut state);
            }
        }
    }
}

#[test]
fn the_static_oracle_costs_nothing() {
    let mut random = Random(0x57A7);
    for settings in all_settings(&[Kind::List]) {
        let system = System::new(&settings);
        let inventory = inventory(&settings);
        let dynamic = DynamicOracle::new(&system).unwrap();
        let mut costs = vec![0; inventory.actions.len()];
        for _ in 0..20 {
            let len = random.below(20);
            let gold = Gold::new(len, &random.graph(len, 8, usize::from(LABELS)));
            let mut state = State::default();
            system.start(len, &mut state);
            for action in actions(&inventory, &oracle(&system, &gold).steps).unwrap() {
                dynamic.costs(&inventory, &state, &gold, &mut costs);
                assert_eq!(costs[inventory.id(action).unwrap()], 0);
                system.apply(&inventory, action, &mut state);
            }
        }
    }
}

#[test]
fn only_lists_have_one() {
    for kind in Kind::ALL {
        let system = System::new(&Settings::new(kind, true));
        assert_eq!(DynamicOracle::new(&system).is_some(), kind == Kind::List);
    }
}
