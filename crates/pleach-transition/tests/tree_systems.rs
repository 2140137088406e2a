//! The presets equal their textbook definitions: the same sequences, the same trees. K and D in general equal the paper's
//! definitions carried out over plain lists.

#![allow(clippy::unwrap_used)]

mod tree_common;

use pleach_transition::Node;
use pleach_transition::tree::check::check;
use pleach_transition::tree::presets::Preset;
use pleach_transition::tree::settings::{Base, Bound, Heads, Periphery, Settings, Side, Transition};
use pleach_transition::tree::system::System;
use tree_common::{
    Arcs, Config, Derivations, Event, arcs_of, derivations, enumerate, is_noncrossing, paper, results, trees,
};

fn preset(preset: Preset, len: usize) -> Derivations {
    derivations(&System::new(&preset.settings()), len)
}

/// The trees of which no arc crosses another.
fn noncrossing_trees(len: usize, root: Side) -> std::collections::BTreeSet<Arcs> {
    trees(len).iter().map(|heads| arcs_of(heads)).filter(|arcs| is_noncrossing(arcs, len, root)).collect()
}

/// Nivre 2004: arcs between the two topmost tokens of the stack.
fn arc_standard(len: usize) -> Derivations {
    attardi(len, 1)
}

/// Cohen et al. 2011, after Attardi 2006: arcs between the top of the stack and a token up to `most` below it.
fn attardi(len: usize, most: usize) -> Derivations {
    let moves = |c: &Config| {
        let mut all = Vec::new();
        if !c.buffer.is_empty() {
            all.push((Event::Shift, c.shift()));
        }
        for below in 1..=most.min(c.stack.len() - 1) {
            let place = c.stack.len() - 1 - below;
            let (top, other) = (c.stack[c.stack.len() - 1], c.stack[place]);
            if other != 0 {
                let next = c.with(|c| {
                    c.stack.remove(place);
                    c.arcs.insert((top, other));
                });
                all.push((Event::Left(top, other), next));
            }
            let next = c.with(|c| {
                c.stack.pop();
                c.arcs.insert((other, top));
            });
            all.push((Event::Right(other, top), next));
        }
        all
    };
    enumerate(Config::new(&[0], 1..=len as Node), &moves, &|c| c.stack == [0] && c.buffer.is_empty())
}

/// The sentence with the root behind it, everything in the buffer.
fn root_last(len: usize) -> Config {
    Config::new(&[], (1..=len as Node).chain([0]))
}

/// Only the root is left, at the front of the buffer.
fn at_the_root(c: &Config) -> bool {
    c.stack.is_empty() && c.buffer == [0]
}

/// SHIFT of the systems whose root stands behind the words and never goes onto the stack.
fn shift_word(c: &Config, all: &mut Vec<(Event, Config)>) {
    if c.buffer[0] != 0 {
        all.push((Event::Shift, c.shift()));
    }
}

/// Kuhlmann et al. 2011, after Nivre 2003.
fn arc_eager(len: usize) -> Derivations {
    let moves = |c: &Config| {
        let mut all = Vec::new();
        shift_word(c, &mut all);
        let (Some(&top), front) = (c.stack.last(), c.buffer[0]) else { return all };
        if c.has_head(top) {
            all.push((Event::Reduce(top), c.popped()));
        } else {
            let next = c.with(|c| {
                c.stack.pop();
                c.arcs.insert((front, top));
            });
            all.push((Event::Left(front, top), next));
        }
        if front != 0 {
            let next = c.shift().linked(top, front);
            all.push((Event::Right(top, front), next));
        }
        all
    };
    enumerate(root_last(len), &moves, &at_the_root)
}

/// Kuhlmann et al. 2011: LEFT-ARC of arc-eager, RIGHT-ARC of arc-standard.
fn hybrid(len: usize) -> Derivations {
    let moves = |c: &Config| {
        let mut all = Vec::new();
        shift_word(c, &mut all);
        if let [below @ .., top] = c.stack.as_slice() {
            for (event, head) in [(true, Some(c.buffer[0])), (false, below.last().copied())] {
                let Some(head) = head else { continue };
                let next = c.with(|c| {
                    c.stack.pop();
                    c.arcs.insert((head, *top));
                });
                all.push((if event { Event::Left(head, *top) } else { Event::Right(head, *top) }, next));
            }
        }
        all
    };
    enumerate(root_last(len), &moves, &at_the_root)
}

/// Sagae & Tsujii 2008 as the paper gives it: arcs leave stack and buffer alone; one arc a pair, no cycles.
fn dag(len: usize) -> Derivations {
    let moves = |c: &Config| {
        let mut all = Vec::new();
        shift_word(c, &mut all);
        let (Some(&top), front) = (c.stack.last(), c.buffer[0]) else { return all };
        all.push((Event::Reduce(top), c.popped()));
        if !c.arcs.contains(&(front, top)) && !c.leads_to(top, front) {
            all.push((Event::Left(front, top), c.linked(front, top)));
        }
        if front != 0 && !c.arcs.contains(&(top, front)) && !c.leads_to(front, top) {
            all.push((Event::Right(top, front), c.linked(top, front)));
        }
        all
    };
    enumerate(root_last(len), &moves, &at_the_root)
}

/// Goldberg & Elhadad 2010: a list of structures, any two neighbours can be joined.
fn easy_first(len: usize) -> Derivations {
    let moves = |c: &Config| {
        let mut all = Vec::new();
        for place in 1..c.stack.len() {
            let (left, right) = (c.stack[place - 1], c.stack[place]);
            let join = |head: Node, modifier: Node, gone: usize| {
                c.with(|c| {
                    c.stack.remove(gone);
                    c.arcs.insert((head, modifier));
                })
            };
            if left != 0 {
                all.push((Event::Left(right, left), join(right, left, place - 1)));
            }
            all.push((Event::Right(left, right), join(left, right, place)));
        }
        all
    };
    let list: Vec<Node> = (0..=len as Node).collect();
    let found = enumerate(Config::new(&list, []), &moves, &|c| c.stack == [0]);
    // The framework writes the deterministic shifts out.
    let shifts = vec![Event::Shift; len];
    found.into_iter().map(|(path, arcs)| ([shifts.clone(), path].concat(), arcs)).collect()
}

#[test]
fn arc_standard_is_the_textbook_system() {
    for len in 1..=5 {
        let found = preset(Preset::ArcStandard, len);
        assert_eq!(found, arc_standard(len));
        assert_eq!(results(&found), noncrossing_trees(len, Side::Left));
    }
}

#[test]
fn arc_eager_is_the_textbook_system() {
    for len in 1..=5 {
        let found = preset(Preset::ArcEager, len);
        assert_eq!(found, arc_eager(len));
        assert_eq!(results(&found), noncrossing_trees(len, Side::Right));
    }
}

#[test]
fn hybrid_is_the_textbook_system() {
    for len in 1..=5 {
        let found = preset(Preset::Hybrid, len);
        assert_eq!(found, hybrid(len));
        assert_eq!(results(&found), noncrossing_trees(len, Side::Right));
    }
}

#[test]
fn dag_is_the_textbook_system() {
    for len in 1..=3 {
        let found = preset(Preset::Dag, len);
        assert_eq!(found, dag(len));
        // It reaches every acyclic graph without crossing arcs, one arc a pair, words without heads included.
        let pairs: Vec<(Node, Node)> = (0..=len as Node)
            .flat_map(|h| (1..=len as Node).map(move |d| (h, d)))
            .filter(|(h, d)| h != d)
            .collect();
        let mut expected = std::collections::BTreeSet::new();
        for mask in 0..1u32 << pairs.len() {
            let arcs: Arcs =
                (0..pairs.len()).filter(|bit| mask >> bit & 1 == 1).map(|bit| pairs[bit]).collect();
            let config = Config { stack: vec![], buffer: vec![], arcs: Arcs::new() };
            let acyclic = arcs.iter().try_fold(config, |c, &(head, dependent)| {
                (!c.leads_to(dependent, head)).then(|| c.linked(head, dependent))
            });
            if acyclic.is_some() && is_noncrossing(&arcs, len, Side::Right) {
                expected.insert(arcs);
            }
        }
        assert_eq!(results(&found), expected);
    }
}

#[test]
fn attardi_is_the_textbook_system() {
    for (most, longest) in [(1, 5), (2, 5), (3, 4)] {
        let mut settings = Preset::Attardi.settings();
        settings.capacity = Bound::Finite(most + 1);
        settings.distance = Bound::Finite(most);
        for len in 1..=longest {
            let found = derivations(&System::new(&settings), len);
            assert_eq!(found, attardi(len, most.into()), "{most} {len}");
        }
    }
}

#[test]
fn easy_first_is_the_textbook_system() {
    for len in 1..=5 {
        let found = preset(Preset::EasyFirst, len);
        assert_eq!(found, easy_first(len));
        assert_eq!(results(&found), noncrossing_trees(len, Side::Left));
    }
}

/// Read to the letter (SHIFT is deterministic while |O| < K), the paper's hybrid and Attardi systems lose trees.
#[test]
fn the_papers_fill_loses_trees() {
    for (preset, len) in [(Preset::Hybrid, 2), (Preset::Attardi, 3)] {
        let mut settings = preset.settings();
        let all = derivations(&System::new(&settings), len);
        settings.fill = Bound::Infinite;
        // The hybrid system even gets stuck, which `derivations` would not forgive.
        let found = paper(&settings, len);
        assert!(results(&found).is_subset(&results(&all)) && results(&found).len() < results(&all).len());
    }
}

/// Settings of all kinds, sensible or not.
fn all_settings() -> Vec<Settings> {
    let peripheries = [Periphery::Na, Periphery::Left, Periphery::Right];
    let arc = |base, bottom_up, arc_shift, periphery| Transition { base, bottom_up, arc_shift, periphery };
    let mut multisets: Vec<Vec<Transition>> = Vec::new();
    for left in peripheries {
        for right in peripheries {
            for (b_left, b_right, s_left, s_right) in [
                (true, true, false, false),
                (true, false, false, true),
                (true, false, false, false),
                (false, false, false, false),
                (true, true, true, true),
            ] {
                let arcs =
                    [arc(Base::LeftArc, b_left, s_left, left), arc(Base::RightArc, b_right, s_right, right)];
                let reducers: &[&[Periphery]] =
                    if b_left && b_right { &[&[]] } else { &[&[], &[Periphery::Left], &[Periphery::Na]] };
                for reducer in reducers {
                    let reduce = reducer.iter().map(|&periphery| Transition::new(Base::Reduce).at(periphery));
                    for shift in [true, false] {
                        let shift = shift.then_some(Transition::new(Base::Shift));
                        multisets.push(arcs.into_iter().chain(reduce.clone()).chain(shift).collect());
                    }
                }
            }
        }
    }
    let mut all = Vec::new();
    for transitions in multisets {
        for root in [Side::Left, Side::Right] {
            for (capacity, distance) in [(2, 1), (3, 1), (3, 2), (0, 1)] {
                for heads in [Heads::One, Heads::Many] {
                    for fill in [Bound::Infinite, Bound::Finite(2)] {
                        let infinite = capacity == 0;
                        let keeps = transitions.iter().any(|t| t.is_arc() && !t.bottom_up);
                        if infinite && fill != Bound::Infinite || heads == Heads::Many && !keeps {
                            continue;
                        }
                        all.push(Settings {
                            capacity: if infinite { Bound::Infinite } else { Bound::Finite(capacity) },
                            distance: Bound::Finite(distance),
                            fill,
                            root,
                            heads,
                            transitions: transitions.clone(),
                        });
                    }
                }
            }
        }
    }
    all
}

#[test]
fn settings_in_general_are_the_paper_carried_out() {
    let (mut sensible, mut rejected) = (0, 0);
    for settings in all_settings() {
        match check(&settings) {
            Err(_) => rejected += 1,
            Ok(()) => {
                sensible += 1;
                // `derivations` fails on a dead end, so that what `check` lets pass is also proved to have none.
                let longest = if System::new(&settings).is_bottom_up() { 3 } else { 2 };
                for len in 1..=longest {
                    assert_eq!(
                        derivations(&System::new(&settings), len),
                        paper(&settings, len),
                        "{settings:?}"
                    );
                }
            }
        }
    }
    assert!(sensible > 100 && rejected > 100, "{sensible} {rejected}");
}

#[test]
fn every_k_and_d_of_easy_first_is_the_paper_carried_out() {
    let mut reached = std::collections::BTreeMap::new();
    for root in [Side::Left, Side::Right] {
        for capacity in [2, 3, 4, 5, 0] {
            for distance in 1..=4u16 {
                if capacity != 0 && distance >= capacity {
                    continue;
                }
                let bounded = Preset::BoundedEasyFirst.settings();
                let unbounded = Preset::EasyFirst.settings();
                let settings = Settings {
                    root,
                    distance: Bound::Finite(distance),
                    capacity: if capacity == 0 { Bound::Infinite } else { Bound::Finite(capacity) },
                    ..if capacity == 0 { unbounded } else { bounded }
                };
                check(&settings).unwrap();
                let found = derivations(&System::new(&settings), 4);
                assert_eq!(found, paper(&settings, 4), "{settings:?}");
                reached.insert((root == Side::Right, capacity, distance), results(&found).len());
            }
        }
    }
    // D = 1 gives the trees without crossing arcs, whatever K is; a larger D gives more; D = n gives all (5³ = 125).
    for capacity in [2, 3, 4, 5, 0] {
        assert_eq!(reached[&(false, capacity, 1)], noncrossing_trees(4, Side::Left).len());
    }
    assert_eq!(reached[&(false, 0, 4)], trees(4).len());
    assert!(
        reached[&(false, 0, 1)] < reached[&(false, 0, 2)]
            && reached[&(false, 0, 2)] < reached[&(false, 0, 3)]
    );
    assert!(reached[&(false, 3, 2)] <= reached[&(false, 0, 2)]);
}
