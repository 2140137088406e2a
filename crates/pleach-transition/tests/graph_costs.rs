//! Dynamic oracles against enumeration: cost = least loss after the action - least loss before, in every configuration.

#![allow(clippy::unwrap_used)]

mod common;

use common::exact::{Exact, digraphs};
use common::{Random, all_settings};
use pleach_transition::action::{Addition, Edge, Inventory, Move, Step};
use pleach_transition::costs::{DynamicOracle, ILLEGAL};
use pleach_transition::graph::System;
use pleach_transition::inventory::InventoryBuilder;
use pleach_transition::oracle::{Gold, oracle};
use pleach_transition::settings::{Kind, Root, Settings};
use pleach_transition::state::State;

/// Every action that a system with these numbers of labels and tags can have.
fn inventory(settings: &Settings, labels: u16, tags: u16) -> Inventory {
    let mut builder = InventoryBuilder::default();
    let moves: &[Move] = if settings.combined { System::new(settings).moves() } else { &[Move::Stay] };
    let tagged = |mv: Move, add: Addition| {
        let tags = if mv == Move::Shift { tags } else { 0 };
        (0..=tags).map(move |tag| Step { mv, add, tag }).collect::<Vec<_>>()
    };
    for left in 0..=labels {
        for right in 0..=labels {
            if left != 0 || right != 0 {
                let add = Addition::Edge(Edge { left, right });
                moves.iter().for_each(|&mv| builder.add(&tagged(mv, add)));
            }
        }
    }
    if settings.root_actions {
        for label in 1..=labels {
            moves.iter().for_each(|&mv| builder.add(&tagged(mv, Addition::Root(label))));
        }
    }
    for label in 1..=labels {
        builder.add(&[Step { mv: Move::Stay, add: Addition::Loop(label), tag: 0 }]);
    }
    builder.add(&tagged(Move::Shift, Addition::None));
    builder.finish(settings).unwrap()
}

/// The settings whose systems have costs.
fn settings_with_costs() -> Vec<Settings> {
    // Arcs from the root are actions of their own in two thirds of them.
    let own = |(number, settings): (usize, Settings)| Settings { root_actions: number % 3 != 0, ..settings };
    let all = all_settings(&Kind::ALL).into_iter().enumerate().map(own);
    all.filter(|settings| DynamicOracle::new(&System::new(settings)).is_some()).collect()
}

/// Compares all costs in all given configurations; gives how many there were.
fn compare(exact: &mut Exact<'_>, states: &[State]) -> usize {
    let dynamic = DynamicOracle::new(exact.system).unwrap();
    let mut costs = vec![0; exact.inventory.actions.len()];
    for state in states {
        dynamic.costs(exact.inventory, state, exact.gold, &mut costs);
        let legal = exact.legal(state);
        for (&action, &cost) in exact.inventory.actions.iter().zip(&costs) {
            assert_eq!(legal.contains(&action), cost != ILLEGAL);
            if cost != ILLEGAL {
                let expected = exact.cost(state, action);
                assert_eq!(
                    cost,
                    expected,
                    "{:?} of {:?} in {state:?} with {:?}",
                    exact.inventory.step(action),
                    exact.gold.arcs(),
                    exact.system.settings()
                );
                assert_eq!(dynamic.cost(exact.inventory, state, exact.gold, action), cost);
            }
        }
        assert!(costs.contains(&0));
    }
    states.len()
}

#[test]
fn costs_are_exact_in_every_configuration() {
    let mut compared = 0;
    for settings in settings_with_costs() {
        let system = System::new(&settings);
        let inventory = inventory(&settings, 1, 0);
        // Three nodes: three words without a root, or two words and the root.
        let len = if settings.root == Root::None { 3 } else { 2 };
        for arcs in digraphs(len, settings.root, settings.self_arcs) {
            // Loops make too many graphs; those with an even number of arcs are enough.
            if settings.self_arcs && arcs.len() % 2 == 1 {
                continue;
            }
            let gold = Gold::new(len.into(), &arcs);
            let mut exact = Exact::new(&system, &inventory, &gold);
            let states = exact.configurations();
            compared += compare(&mut exact, &states);
        }
    }
    assert!(compared > 100_000, "{compared}");
}

/// Larger graphs with labels and tags: random walks lead into configurations that no static oracle would see.
#[test]
fn costs_are_exact_on_random_walks() {
    let mut random = Random(0xC057);
    for settings in settings_with_costs() {
        let system = System::new(&settings);
        for round in 0..6 {
            let (len, labels) = [(4, 1), (3, 2), (2, 2)][round % 3];
            let inventory = inventory(&settings, labels, 1);
            let mut arcs = random.graph(len, 1 + round % 3, labels.into());
            arcs.retain(|&(head, dependent, _)| {
                (settings.root != Root::None || head != 0) && (settings.self_arcs || head != dependent)
            });
            let tags = (0..=len).map(|node| if node == 0 { 0 } else { random.below(2) as u16 }).collect();
            let gold = Gold::new(len, &arcs).with_tags(tags);
            let mut exact = Exact::new(&system, &inventory, &gold);
            for _ in 0..3 {
                let mut state = State::default();
                system.start(len, &mut state);
                let mut states = Vec::new();
                while !system.is_final(&state) {
                    let legal = exact.legal(&state);
                    let next = exact.after(&state, legal[random.below(legal.len())]);
                    states.push(std::mem::replace(&mut state, next));
                }
                compare(&mut exact, &states);
            }
        }
    }
}

/// The static oracle costs nothing, and is what the dynamic one calls canonical, at every step of every digraph.
#[test]
fn the_static_oracle_is_canonical() {
    for settings in settings_with_costs() {
        let system = System::new(&settings);
        let inventory = inventory(&settings, 1, 0);
        let dynamic = DynamicOracle::new(&system).unwrap();
        let mut costs = vec![0; inventory.actions.len()];
        for arcs in digraphs(3, settings.root, false) {
            let gold = Gold::new(3, &arcs);
            let mut state = State::default();
            system.start(3, &mut state);
            for step in oracle(&system, &gold).steps {
                dynamic.costs(&inventory, &state, &gold, &mut costs);
                let id = inventory.id(inventory.action(step).unwrap()).unwrap();
                assert_eq!(costs[id], 0, "{settings:?} {arcs:?} {step:?}");
                assert_eq!(dynamic.canonical(&inventory, &state, &gold), Some(id), "{settings:?} {arcs:?}");
                system.perform(step, &mut state);
            }
        }
    }
}

/// Without loops S_L has a canonical action in every configuration, and following it loses nothing more.
#[test]
fn lists_are_canonical_everywhere() {
    for settings in all_settings(&[Kind::List]).into_iter().filter(|settings| !settings.self_arcs) {
        let system = System::new(&settings);
        let inventory = inventory(&settings, 1, 0);
        let dynamic = DynamicOracle::new(&system).unwrap();
        for arcs in digraphs(3, settings.root, false).step_by(7) {
            let gold = Gold::new(3, &arcs);
            let mut exact = Exact::new(&system, &inventory, &gold);
            for mut state in exact.configurations() {
                let least = exact.least(&state);
                while !system.is_final(&state) {
                    let id = dynamic.canonical(&inventory, &state, &gold);
                    let action =
                        inventory.actions[id.unwrap_or_else(|| panic!("{settings:?} {arcs:?} {state:?}"))];
                    // With nothing left to do for the front, the derivation of the paper shifts.
                    let busy = state.stack.iter().any(|&node| {
                        gold.edge(node, state.buffer_at(0)).is_some()
                            && state.edge_between(node, state.buffer_at(0)).is_none()
                    });
                    if !state.buffer.is_empty() && !busy && inventory.step(action).add == Addition::None {
                        assert_eq!(action.mv, Move::Shift, "{settings:?} {arcs:?} {state:?}");
                    }
                    state = exact.after(&state, action);
                }
                assert_eq!(exact.least(&state), least, "{settings:?} {arcs:?}");
            }
        }
    }
}

/// What S_T and S_S would cost if moves decomposed over arcs: SHIFT the front's arcs with the stack, POP the top's with the
/// unread buffer, and SWAP nothing.
fn decomposed(exact: &Exact<'_>, state: &State, step: Step) -> u32 {
    let reread = exact.system.settings().kind == Kind::Reorder
        && state.buffer.len() > (state.counter & 0xFFFF) as usize;
    let (top, front) = (state.stack_at(0), state.buffer_at(0));
    let arcs = |a: u16, b: u16| {
        let edge = exact.gold.edge(a, b).filter(|_| state.edge_between(a, b).is_none()).unwrap_or_default();
        u32::from(edge.left != 0) + u32::from(edge.right != 0)
    };
    let mut cost = 0;
    if let Addition::Edge(made) = step.add {
        let gold = exact.gold.edge(top, front).unwrap_or_default();
        cost += u32::from(made.left != gold.left) + u32::from(made.right != gold.right);
    }
    let linked = step.add != Addition::None;
    let pending =
        |node: u16, other: u16| if linked && node == top && other == front { 0 } else { arcs(node, other) };
    let unread = if reread { (state.counter & 0xFFFF) as usize } else { state.buffer.len() };
    cost + match step.mv {
        Move::Shift if !reread => state.stack.iter().map(|&node| pending(node, front)).sum(),
        Move::Pop => state.buffer[..unread].iter().map(|&other| pending(top, other)).sum(),
        _ => 0,
    }
}

/// S_T and S_S have no costs that decompose: over three words they do, but not over four any more.
#[test]
fn costs_of_the_other_systems_do_not_decompose() {
    for (kind, expected) in [(Kind::Thmm, (48, 65_728)), (Kind::Reorder, (56, 379_520))] {
        let settings = Settings { root: Root::None, ..Settings::new(kind, false) };
        let system = System::new(&settings);
        assert!(DynamicOracle::new(&system).is_none());
        let inventory = inventory(&settings, 1, 0);
        let (mut wrong, mut all) = (0, 0);
        for arcs in digraphs(4, Root::None, false) {
            // The directions don't matter.
            if arcs.iter().any(|&(head, dependent, _)| head < dependent) {
                continue;
            }
            let gold = Gold::new(4, &arcs);
            let mut exact = Exact::new(&system, &inventory, &gold);
            for state in exact.configurations() {
                for action in exact.legal(&state) {
                    let guess = decomposed(&exact, &state, inventory.step(action));
                    wrong += usize::from(guess != exact.cost(&state, action));
                    all += 1;
                }
            }
        }
        assert_eq!((wrong, all), expected, "{kind:?}");
    }
}
