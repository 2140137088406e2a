//! The oracle against brute force: a tree is in reach exactly when some sequence builds it, in every configuration on
//! the way, for all presets and for K and D in general.

#![allow(clippy::unwrap_used)]

mod tree_common;

use pleach_transition::Node;
use pleach_transition::tree::check::{check, legal_ops};
use pleach_transition::tree::coverage::noncrossing_acyclic;
use pleach_transition::tree::oracle::{Gold, Oracle};
use pleach_transition::tree::presets::Preset;
use pleach_transition::tree::settings::{Base, Bound, Periphery, Settings, Side};
use pleach_transition::tree::state::State;
use pleach_transition::tree::system::{Op, System};
use std::collections::{BTreeMap, BTreeSet};
use tree_common::{Arcs, arcs, arcs_of, derivations, results, trees};

type Key = (Vec<Node>, Node, Arcs);

fn key(state: &State) -> Key {
    (state.row.operative().collect(), state.row.front(), arcs(state))
}

/// Whether a gold tree can be reached, by trying everything.
struct Search<'a> {
    system: &'a System,
    gold: &'a Arcs,
    known: BTreeMap<Key, bool>,
}

impl Search<'_> {
    fn reaches(&mut self, state: &State) -> bool {
        if !arcs(state).is_subset(self.gold) {
            return false;
        }
        if self.system.is_final(&state.row) {
            return arcs(state) == *self.gold;
        }
        if let Some(&known) = self.known.get(&key(state)) {
            return known;
        }
        let found =
            legal_ops(self.system, state).into_iter().any(|op| self.reaches(&after(self.system, state, op)));
        self.known.insert(key(state), found);
        found
    }
}

fn after(system: &System, state: &State, op: Op) -> State {
    let mut next = state.clone();
    system.apply(op, &mut next);
    next
}

/// Follows all correct transitions and compares every configuration with brute force.
fn compare(system: &System, arcs: &Arcs, len: usize) -> bool {
    let gold = Gold::new(len, arcs.iter().map(|&(head, dependent)| (head, dependent, 0)));
    let mut oracle = Oracle::default();
    let mut search = Search { system, gold: arcs, known: BTreeMap::new() };
    let mut start = State::default();
    system.start(len, &mut start);
    let reachable = search.reaches(&start);
    let derivation = oracle.derive(system, &gold);
    assert_eq!(derivation.is_some(), reachable, "{arcs:?} {:?}", system.settings());
    let Some(derivation) = derivation else { return false };
    let mut state = start.clone();
    for &op in &derivation {
        assert!(legal_ops(system, &state).contains(&op), "{op:?}");
        system.apply(op, &mut state);
    }
    assert!(system.is_final(&state.row) && tree_common::arcs(&state) == *arcs);

    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let mut waiting = vec![start];
    let mut correct = Vec::new();
    while let Some(state) = waiting.pop() {
        if !seen.insert(key(&state)) || system.is_final(&state.row) {
            continue;
        }
        assert!(oracle.reaches(system, &gold, &state));
        oracle.correct(system, &gold, &state, &mut correct);
        for op in legal_ops(system, &state) {
            let next = after(system, &state, op);
            let expected = search.reaches(&next);
            assert_eq!(correct.contains(&op), expected, "{op:?} {arcs:?} {:?}", system.settings());
            if expected {
                waiting.push(next);
            }
        }
    }
    true
}

fn compare_trees(settings: &Settings, longest: usize) {
    let system = System::new(settings);
    for len in 1..=longest {
        let mut reached = BTreeSet::new();
        for heads in trees(len) {
            let arcs = arcs_of(&heads);
            if compare(&system, &arcs, len) {
                reached.insert(arcs);
            }
        }
        if len <= 4 {
            assert_eq!(reached, results(&derivations(&system, len)));
        }
    }
}

#[test]
fn presets() {
    for preset in Preset::ALL {
        if preset != Preset::Dag {
            compare_trees(&preset.settings(), 5);
        }
    }
}

#[test]
fn every_k_and_d() {
    for root in [Side::Left, Side::Right] {
        for capacity in [2, 3, 4, 0] {
            for distance in 1..=4u16 {
                if capacity != 0 && distance >= capacity {
                    continue;
                }
                let capacity = if capacity == 0 { Bound::Infinite } else { Bound::Finite(capacity) };
                let base =
                    if capacity == Bound::Infinite { Preset::EasyFirst } else { Preset::BoundedEasyFirst };
                let settings =
                    Settings { root, capacity, distance: Bound::Finite(distance), ..base.settings() };
                compare_trees(&settings, 4);
            }
        }
    }
}

/// Bounded easy-first with these control parameters.
fn bounded(capacity: u16, fill: u16, root: Side, distance: u16) -> System {
    System::new(&Settings {
        capacity: Bound::Finite(capacity),
        distance: Bound::Finite(distance),
        fill: Bound::Finite(fill),
        root,
        ..Preset::BoundedEasyFirst.settings()
    })
}

/// Along transitions that are correct in the window the gold tree is always built; all of them are correct; nothing but
/// SHIFT is left out, and that exactly where it pushes out a token with an arc to make. With K = 2 nothing is left to
/// choose: it is the static oracle.
#[test]
fn a_window_keeps_what_can_be_done_now() {
    let mut left_out = 0;
    for capacity in [2, 3, 4] {
        for (fill, root, distance) in
            [(2, Side::Left, 1), (capacity, Side::Left, 1), (2, Side::Right, capacity - 1)]
        {
            let system = bounded(capacity, fill, root, distance);
            let is_shift = |op: &Op| system.transitions()[op.transition as usize].base == Base::Shift;
            let mut oracle = Oracle::default();
            for len in 1..=5usize {
                for heads in trees(len) {
                    let arcs = arcs_of(&heads);
                    let gold = Gold::new(len, arcs.iter().map(|&(head, dependent)| (head, dependent, 0)));
                    let Some(derivation) = oracle.derive(&system, &gold) else { continue };
                    let mut start = State::default();
                    system.start(len, &mut start);
                    let mut waiting = vec![(start, 0)];
                    let (mut all, mut kept) = (Vec::new(), Vec::new());
                    while let Some((state, step)) = waiting.pop() {
                        if system.is_final(&state.row) {
                            assert_eq!(tree_common::arcs(&state), arcs);
                            continue;
                        }
                        oracle.correct(&system, &gold, &state, &mut all);
                        oracle.correct_in_window(&system, &gold, &state, &mut kept);
                        assert!(!kept.is_empty());
                        let operative: Vec<Node> = state.row.operative().collect();
                        let first = operative.get(usize::from(capacity) - 1).copied();
                        let lost = all.iter().any(|op| Some(op.left) == first && !is_shift(op));
                        let expected: Vec<Op> =
                            all.iter().copied().filter(|op| !(lost && is_shift(op))).collect();
                        assert_eq!(kept, expected);
                        left_out += all.len() - kept.len();
                        if capacity == 2 {
                            assert_eq!(kept, [derivation[step]]);
                        }
                        waiting.extend(kept.iter().map(|&op| (after(&system, &state, op), step + 1)));
                    }
                }
            }
        }
    }
    assert!(left_out > 1000, "{left_out}");
}

/// Along transitions that are correct when tokens are settled the gold tree is always built; nothing but SHIFT is left out, and
/// that exactly where some sequence of correct transitions without a SHIFT gives the token that it pushes out an arc.
#[test]
fn a_settled_token_has_all_that_it_can_get_without_a_shift() {
    fn gets_an_arc(system: &System, gold: &Gold, state: &State, token: Node) -> bool {
        let mut ops = Vec::new();
        Oracle::default().correct(system, gold, state, &mut ops);
        let base = |op: &Op| system.transitions()[op.transition as usize].base;
        ops.retain(|op| base(op) != Base::Shift);
        ops.iter().any(|&op| {
            (op.left == token || op.right == token) && base(&op) != Base::Reduce
                || gets_an_arc(system, gold, &after(system, state, op), token)
        })
    }
    let (mut left_out, mut more_than_window) = (0, 0);
    for capacity in [2, 3, 4] {
        for (fill, root, distance) in [(2, Side::Left, 1), (capacity, Side::Right, capacity - 1)] {
            let system = bounded(capacity, fill, root, distance);
            let is_shift = |op: &Op| system.transitions()[op.transition as usize].base == Base::Shift;
            let mut oracle = Oracle::default();
            for heads in (1..=5usize).flat_map(trees) {
                let arcs = arcs_of(&heads);
                let gold = Gold::new(heads.len(), arcs.iter().map(|&(head, dependent)| (head, dependent, 0)));
                if oracle.derive(&system, &gold).is_none() {
                    continue;
                }
                let mut start = State::default();
                system.start(heads.len(), &mut start);
                let mut waiting = vec![start];
                let (mut all, mut window, mut kept) = (Vec::new(), Vec::new(), Vec::new());
                while let Some(state) = waiting.pop() {
                    if system.is_final(&state.row) {
                        assert_eq!(tree_common::arcs(&state), arcs);
                        continue;
                    }
                    oracle.correct(&system, &gold, &state, &mut all);
                    oracle.correct_in_window(&system, &gold, &state, &mut window);
                    oracle.correct_when_settled(&system, &gold, &state, &mut kept);
                    assert!(!kept.is_empty());
                    let first = state.row.operative().nth(usize::from(capacity) - 1);
                    let waits = first.is_some_and(|first| gets_an_arc(&system, &gold, &state, first));
                    let expected: Vec<Op> =
                        all.iter().copied().filter(|op| !(waits && is_shift(op))).collect();
                    assert_eq!(kept, expected);
                    left_out += all.len() - kept.len();
                    more_than_window += window.len() - kept.len();
                    waiting.extend(kept.iter().map(|&op| after(&system, &state, op)));
                }
            }
        }
    }
    assert!(left_out > 1000 && more_than_window > 100, "{left_out} {more_than_window}");
}

#[test]
fn attardi_and_hybrid_windows() {
    for (preset, root) in
        [(Preset::Attardi, Side::Left), (Preset::Attardi, Side::Right), (Preset::Hybrid, Side::Right)]
    {
        for capacity in 3..=4 {
            for distance in 1..capacity {
                let capacity = Bound::Finite(capacity);
                let settings =
                    Settings { root, capacity, distance: Bound::Finite(distance), ..preset.settings() };
                if preset == Preset::Hybrid && settings.capacity != Bound::Finite(3) {
                    continue;
                }
                compare_trees(&settings, 4);
            }
        }
    }
}

#[test]
fn the_static_oracles_are_the_known_ones() {
    // "the1 dog2 barks3 loudly4": 2->1, 3->2, 0->3, 3->4.
    let gold = Gold::tree(&[(2, 1), (3, 2), (0, 3), (3, 4)]);
    let names = |preset: Preset| {
        let system = System::new(&preset.settings());
        let ops = Oracle::default().derive(&system, &gold).unwrap();
        let name = |op: &Op| {
            let transition = system.transitions()[op.transition as usize].to_string();
            format!("{}{}", &transition[..1], op.label)
        };
        ops.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(Preset::ArcStandard), "S0 L1 S0 L2 S0 R4 R3");
    assert_eq!(names(Preset::ArcEager), "L1 L2 R4 R0 L3");
    assert_eq!(names(Preset::Hybrid), "L1 L2 S0 R4 L3");
}

#[test]
fn dag() {
    let system = System::new(&Preset::Dag.settings());
    for len in 1..=3usize {
        let pairs: Vec<(Node, Node)> = (0..=len as Node)
            .flat_map(|h| (1..=len as Node).map(move |d| (h, d)))
            .filter(|(h, d)| h != d)
            .collect();
        let mut reached = BTreeSet::new();
        for mask in 0..1u32 << pairs.len() {
            let arcs: Arcs =
                (0..pairs.len()).filter(|bit| mask >> bit & 1 == 1).map(|bit| pairs[bit]).collect();
            // What is kept of any graph is in reach, and nothing is lost of a graph that is.
            let labelled: Vec<_> = arcs.iter().map(|&(head, dependent)| (head, dependent, 1)).collect();
            let kept: Arcs = noncrossing_acyclic(len, &labelled)
                .iter()
                .map(|&(head, dependent, _)| (head, dependent))
                .collect();
            let reachable = compare(&system, &arcs, len);
            assert_eq!(reachable, kept == arcs, "{arcs:?}");
            if reachable {
                reached.insert(arcs);
            } else {
                assert!(kept.is_subset(&arcs) && compare(&system, &kept, len));
            }
        }
        assert_eq!(reached, results(&derivations(&system, len)));
    }
}

/// All bottom-up systems that make sense: the confluent ones are exact, the others on the safe side.
#[test]
fn bottom_up_systems_in_general() {
    let peripheries = [Periphery::Na, Periphery::Left, Periphery::Right];
    let (mut exact, mut safe) = (0, 0);
    for left in peripheries {
        for right in peripheries {
            for (capacity, distance) in [(2, 1), (3, 1), (3, 2), (4, 1), (4, 3)] {
                for (root, fill) in
                    [(Side::Left, 2), (Side::Right, 2), (Side::Left, capacity), (Side::Right, capacity)]
                {
                    let mut settings = Preset::BoundedEasyFirst.settings();
                    settings.transitions[0].periphery = left;
                    settings.transitions[1].periphery = right;
                    settings.capacity = Bound::Finite(capacity);
                    settings.distance = Bound::Finite(distance);
                    settings.fill = Bound::Finite(fill);
                    settings.root = root;
                    if check(&settings).is_err() {
                        continue;
                    }
                    if System::new(&settings).is_confluent() {
                        compare_trees(&settings, 4);
                        exact += 1;
                    } else {
                        assert_safe(&settings, 3);
                        safe += 1;
                    }
                }
            }
        }
    }
    assert!(exact > 20 && safe > 20, "{exact} {safe}");
}

/// What the oracle calls correct leads to the gold tree.
fn assert_safe(settings: &Settings, longest: usize) {
    let system = System::new(settings);
    for len in 1..=longest {
        for heads in trees(len) {
            let arcs = arcs_of(&heads);
            let gold = Gold::new(len, arcs.iter().map(|&(head, dependent)| (head, dependent, 0)));
            let mut state = State::default();
            system.start(len, &mut state);
            if Oracle::default().derive(&system, &gold).is_some() {
                follow(&system, &gold, &arcs, &state);
            }
        }
    }
}

fn follow(system: &System, gold: &Gold, arcs: &Arcs, state: &State) {
    let mut correct = Vec::new();
    Oracle::default().correct(system, gold, state, &mut correct);
    if system.is_final(&state.row) {
        assert_eq!(tree_common::arcs(state), *arcs);
        return;
    }
    assert!(!correct.is_empty(), "{state:?}");
    for op in correct {
        follow(system, gold, arcs, &after(system, state, op));
    }
}
