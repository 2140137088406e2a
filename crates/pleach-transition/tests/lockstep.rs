//! Many sentences in lockstep give exactly what each gives alone, however the scorer goes about its answers.

#![allow(clippy::unwrap_used)]

mod common;

use common::scores::{Hashed, Order};
use common::{Random, inventory};
use pleach_transition::search::{self, Lockstep, Stepped};
use pleach_transition::settings::{Kind, Settings};
use pleach_transition::tree::classes::Classes;
use pleach_transition::tree::oracle::{Gold, Guide};
use pleach_transition::tree::presets::Preset;
use pleach_transition::tree::search as trees;
use pleach_transition::tree::system::System;
use std::collections::BTreeSet;
use std::fmt::Debug;

const ORDERS: [Order; 3] = [Order::Forwards, Order::Backwards, Order::Interleaved];

/// Sentences of very different lengths, an empty one among them.
fn lengths() -> Vec<usize> {
    let mut random = Random(0x10C5);
    let mut all: Vec<usize> = (0..24).map(|_| random.below(16)).collect();
    all[5] = 0;
    all[7] = 60;
    all
}

/// Starts a search for each sentence, runs them one by one and all together, and compares what is read off them.
fn compare<M, S: Stepped<M> + Default, T: PartialEq + Debug>(
    (machine, width): (&M, usize),
    begin: impl Fn(&mut S, usize, usize),
    read: impl Fn(&S) -> T,
) {
    let lengths = lengths();
    let seed = |number: usize| 1000 + number as u64;
    let mut alone: Vec<T> = Vec::new();
    let mut lockstep = Lockstep::default();
    let mut search = S::default();
    for (number, &len) in lengths.iter().enumerate() {
        begin(&mut search, number, len);
        lockstep.run(machine, &mut search, width, &mut Hashed::new([seed(number)]));
        alone.push(read(&search));
    }
    // They are not all the same anyway.
    assert!(alone.iter().any(|found| *found != alone[0]));
    for order in ORDERS {
        let mut scorer = Hashed { order, ..Hashed::new((0..lengths.len()).map(seed)) };
        let mut searches: Vec<S> = lengths.iter().map(|_| S::default()).collect();
        searches
            .iter_mut()
            .zip(&lengths)
            .enumerate()
            .for_each(|(number, (one, &len))| begin(one, number, len));
        lockstep.run_all(machine, &mut searches, width, &mut scorer);
        let together: Vec<T> = searches.iter().map(&read).collect();
        assert_eq!(together, alone, "{order:?}");
        assert!(scorer.most >= lengths.len() - 2, "the questions did not come together");
    }
}

fn graph_machines() -> Vec<search::Machine> {
    let all =
        Kind::ALL.into_iter().flat_map(|kind| [false, true].map(|combined| Settings::new(kind, combined)));
    all.map(|settings| search::Machine::new(&settings, inventory(&settings))).collect()
}

fn tree_machines() -> Vec<trees::Machine> {
    let labels: BTreeSet<u16> = [1, 2].into();
    let machine = |preset: Preset| {
        let system = System::new(&preset.settings());
        let classes = Classes::new(&system, &labels, &labels, &[3].into()).unwrap();
        trees::Machine::new(system, classes)
    };
    Preset::ALL.map(machine).to_vec()
}

#[test]
fn graphs_greedily() {
    for machine in graph_machines() {
        compare(
            (&machine, machine.actions()),
            |search: &mut search::Greedy, _, len| search.begin(&machine, len),
            |search| search.state().clone(),
        );
    }
}

#[test]
fn graphs_with_a_beam() {
    for machine in graph_machines() {
        compare(
            (&machine, machine.actions()),
            |search: &mut search::Beam, _, len| search.begin(&machine, len, 4),
            |search| {
                search.hypotheses().map(|(state, score)| (state.clone(), score.to_bits())).collect::<Vec<_>>()
            },
        );
    }
}

#[test]
fn graphs_in_training() {
    for machine in graph_machines() {
        // Any sequence can be followed; the best one of another scorer is a legal one.
        let gold = |number: usize, len: usize| {
            let mut beam = search::Beam::default();
            beam.begin(&machine, len, 1);
            Lockstep::default().run(
                &machine,
                &mut beam,
                machine.actions(),
                &mut Hashed::new([number as u64]),
            );
            let mut actions = Vec::new();
            beam.actions_of(0, &mut actions);
            actions
        };
        for early in [false, true] {
            compare(
                (&machine, machine.actions()),
                |search: &mut search::Beam, number, len| {
                    search.begin_training(&machine, len, 3, &gold(number, len), (early, 1.5));
                },
                |search| {
                    let mut actions = Vec::new();
                    let sequence = |moment: &search::Moment| {
                        search.sequence(moment, &mut actions);
                        (moment.violation.to_bits(), moment.gold_in_beam, actions.clone())
                    };
                    search.moments().iter().map(sequence).collect::<Vec<_>>()
                },
            );
        }
    }
}

#[test]
fn trees_greedily() {
    for machine in tree_machines() {
        compare(
            (&machine, machine.actions()),
            |search: &mut trees::Greedy, _, len| search.begin(&machine, len, 2),
            |search| search.state().clone(),
        );
    }
}

#[test]
fn trees_with_a_heap() {
    for machine in tree_machines().into_iter().filter(|machine| trees::Heap::serves(&machine.system)) {
        compare(
            (&machine, machine.actions()),
            |search: &mut trees::Heap, _, len| search.begin(&machine, len, 2),
            |search| search.state().clone(),
        );
    }
}

#[test]
fn trees_with_a_beam() {
    for machine in tree_machines() {
        compare(
            (&machine, machine.actions()),
            |search: &mut trees::Beam, _, len| search.begin(&machine, len, 4, 2),
            |search| {
                search.hypotheses().map(|(state, score)| (state.clone(), score.to_bits())).collect::<Vec<_>>()
            },
        );
    }
}

/// Every word is the dependent of the one before it.
fn chain(len: usize) -> Gold {
    let heads: Vec<_> = (0..len).map(|head| (head as u16, if head == 0 { 3 } else { 1 })).collect();
    Gold::tree(&heads)
}

#[test]
fn trees_in_training() {
    for machine in tree_machines() {
        for early in [false, true] {
            compare(
                (&machine, machine.actions()),
                |search: &mut trees::Beam, _, len| {
                    search.begin_training(&machine, Guide::Reachable(&chain(len)), 3, 2, (early, 1.5));
                },
                |search| {
                    let (mut best, mut correct) = (Vec::new(), Vec::new());
                    let sequences = |moment: &trees::Moment| {
                        search.sequences(moment, &mut best, &mut correct);
                        (moment.violation.to_bits(), best.clone(), correct.clone())
                    };
                    search.moments().iter().map(sequences).collect::<Vec<_>>()
                },
            );
        }
    }
}

/// Greedy training halts at mistakes; the sentences that have none go on, and all get to the same mistakes as alone.
#[test]
fn mistakes_in_lockstep() {
    for machine in tree_machines() {
        let lengths = lengths();
        let mut alone = Vec::new();
        let mut lockstep = Lockstep::default();
        for (number, &len) in lengths.iter().enumerate() {
            let mut greedy = trees::Greedy::default();
            greedy.begin_training(&machine, Guide::Reachable(&chain(len)), 2, 0.0);
            let mut mistakes = Vec::new();
            loop {
                lockstep.run(&machine, &mut greedy, machine.actions(), &mut Hashed::new([number as u64]));
                let Some(mistake) = greedy.mistake() else { break };
                mistakes.push((greedy.state().clone(), mistake));
                greedy.resume(&machine);
            }
            alone.push(mistakes);
        }
        assert!(alone.iter().map(Vec::len).sum::<usize>() > 50);
        let mut scorer = Hashed::new((0..lengths.len()).map(|number| number as u64));
        let mut searches: Vec<trees::Greedy> = lengths.iter().map(|_| trees::Greedy::default()).collect();
        for (search, &len) in searches.iter_mut().zip(&lengths) {
            search.begin_training(&machine, Guide::Reachable(&chain(len)), 2, 0.0);
        }
        let mut together = vec![Vec::new(); lengths.len()];
        loop {
            lockstep.run_all(&machine, &mut searches, machine.actions(), &mut scorer);
            let mut halted = false;
            for (search, mistakes) in searches.iter_mut().zip(&mut together) {
                if let Some(mistake) = search.mistake() {
                    mistakes.push((search.state().clone(), mistake));
                    search.resume(&machine);
                    halted = true;
                }
            }
            if !halted {
                break;
            }
        }
        assert_eq!(together, alone);
    }
}
