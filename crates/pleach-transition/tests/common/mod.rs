//! What the tests of the systems share: settings, graphs and a check that a sequence is what it should be.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

pub mod exact;
pub mod scores;

use pleach_transition::Node;
use pleach_transition::action::{Addition, Edge, Inventory, Legal, LinkKind, Move, Step};
use pleach_transition::graph::System;
use pleach_transition::inventory::InventoryBuilder;
use pleach_transition::oracle::{Derivation, Gold, actions, oracle};
use pleach_transition::settings::{Kind, Root, Settings, Timing, TwoCycles};
use pleach_transition::state::State;

pub type Arcs = Vec<(Node, Node, u16)>;

/// Every setting of the systems in question.
pub fn all_settings(kinds: &[Kind]) -> Vec<Settings> {
    let mut all = Vec::new();
    for &kind in kinds {
        for combined in [false, true] {
            for root in Root::ALL {
                for self_arcs in [false, true] {
                    for two_cycles in TwoCycles::ALL {
                        let new = Settings::new(kind, combined);
                        all.push(Settings { root, self_arcs, two_cycles, ..new });
                    }
                }
            }
        }
    }
    all
}

/// Every setting of the systems in question; for S_S with either oracle, with arcs from the root as actions of their own
/// with one of them.
pub fn all_oracles(kinds: &[Kind]) -> Vec<Settings> {
    let timings = |settings: Settings| {
        let count = if settings.kind == Kind::Reorder { 2 } else { 1 };
        Timing::ALL.into_iter().take(count).map(move |oracle| {
            let root_actions = settings.root != Root::None && (settings.self_arcs || oracle == Timing::Lazy);
            Settings { oracle, root_actions, ..settings.clone() }
        })
    };
    all_settings(kinds).into_iter().flat_map(timings).collect()
}

/// All actions that a system with two labels in each direction, one of loops and one tag can have.
pub fn inventory(settings: &Settings) -> Inventory {
    let mut builder = InventoryBuilder::default();
    let moves = System::new(settings).moves();
    let linking: &[Move] = if settings.combined { moves } else { &[Move::Stay] };
    for (left, right) in [(1, 0), (2, 0), (0, 1), (0, 2), (1, 1), (2, 1)] {
        let add = Addition::Edge(Edge { left, right });
        builder.add(&linking.iter().map(|&mv| Step { mv, add, tag: 0 }).collect::<Vec<_>>());
    }
    if settings.root_actions {
        let add = Addition::Root(3);
        builder.add(&linking.iter().map(|&mv| Step { mv, add, tag: 0 }).collect::<Vec<_>>());
    }
    builder.add(&[Step { mv: Move::Stay, add: Addition::Loop(1), tag: 0 }]);
    builder.add(&[Step { mv: Move::Shift, add: Addition::None, tag: 1 }]);
    builder.finish(settings).unwrap()
}

/// Whether a step is legal by its class.
pub fn is_legal(legal: Legal, step: Step) -> bool {
    let mut probe = Legal::default();
    let link = match step.add {
        Addition::None => LinkKind::None,
        Addition::Edge(Edge { right: 0, .. }) => LinkKind::Left,
        Addition::Edge(Edge { left: 0, .. }) => LinkKind::Right,
        Addition::Edge(_) => LinkKind::Both,
        Addition::Loop(_) => LinkKind::Loop,
        Addition::Root(_) => LinkKind::Root,
    };
    probe.allow(step.mv, link);
    probe.0 & legal.0 == probe.0
}

/// Runs a sequence through the system, action by action, and gives the arcs.
///
/// Fails when an action is not legal, when the sequence does not end in a final configuration or goes on
/// after one, and when it is longer than it may be.
pub fn run(system: &System, len: usize, steps: &[Step]) -> (State, Arcs) {
    let mut builder = InventoryBuilder::default();
    builder.add(steps);
    let inventory = builder.finish(system.settings()).unwrap();
    let sequence = actions(&inventory, steps).unwrap();
    let mut state = State::default();
    system.start(len, &mut state);
    for (place, &action) in sequence.iter().enumerate() {
        let legal = system.legal(&state);
        assert!(!system.is_final(&state), "goes on after the end: {:?} {steps:?}", system.settings());
        assert!(
            legal.has(inventory.class(action)),
            "step {place} {:?} is not legal in {:?} with {:?}: {steps:?}",
            steps[place],
            state,
            system.settings()
        );
        assert!(is_legal(legal, steps[place]));
        system.apply(&inventory, action, &mut state);
    }
    assert!(system.is_final(&state), "does not end: {:?} {steps:?}", system.settings());
    assert_eq!(system.legal(&state), Legal::default());
    assert!(steps.len() <= system.max_steps(len), "longer than {}", system.max_steps(len));
    let mut arcs: Arcs = state.arcs().collect();
    arcs.sort_unstable();
    (state, arcs)
}

/// Checks the oracle of one system on one graph and gives what it found.
pub fn check(settings: &Settings, len: usize, arcs: &Arcs) -> Derivation {
    let system = System::new(settings);
    let gold = Gold::new(len, arcs);
    let derivation = oracle(&system, &gold);
    let (_, mut built) = run(&system, len, &derivation.steps);
    // Nothing is made that is not gold, and what is not made is reported.
    built.extend(&derivation.lost);
    built.sort_unstable();
    assert_eq!(built, gold.arcs(), "{settings:?} {:?}", derivation.steps);
    derivation
}

/// The arcs that a system with these settings can't have at all.
pub fn out_of_class(settings: &Settings, arcs: &Arcs) -> usize {
    let outside = |&&(head, dependent, _): &&(Node, Node, u16)| {
        head == dependent && !settings.self_arcs || head == 0 && settings.root == Root::None
    };
    arcs.iter().filter(outside).count()
}

/// The arcs of the sentence read from right to left.
pub fn mirrored(len: usize, arcs: &Arcs) -> Arcs {
    let flip = |node: Node| if node == 0 { 0 } else { len as Node + 1 - node };
    arcs.iter().map(|&(head, dependent, label)| (flip(head), flip(dependent), label)).collect()
}

/// A small generator of random numbers, the same on every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % limit as u64) as usize
    }

    /// A graph over `len` words in which one of `sparsity` possible arcs is there.
    pub fn graph(&mut self, len: usize, sparsity: usize, labels: usize) -> Arcs {
        let mut arcs = Vec::new();
        for head in 0..=len {
            for dependent in 1..=len {
                if self.below(sparsity) == 0 && (head != dependent || self.below(3) == 0) {
                    arcs.push((head as Node, dependent as Node, 1 + self.below(labels) as u16));
                }
            }
        }
        arcs
    }
}

/// All moves in the order of their numbers.
pub const MOVES: [Move; Move::COUNT] =
    [Move::Stay, Move::Shift, Move::Pop, Move::Swap, Move::Mem, Move::Recall, Move::NoArc];
