//! The searches of graph systems against plain ones and against brute force, and training searches against what they say.

#![allow(clippy::unwrap_used)]

mod common;

use common::inventory;
use common::scores::{Hashed, run_alone};
use pleach_transition::action::Inventory;
use pleach_transition::oracle::{Gold, actions, oracle};
use pleach_transition::scorer::Question;
use pleach_transition::search::{Beam, Greedy, Machine, Stepped};
use pleach_transition::settings::{Kind, Settings};
use pleach_transition::state::State;

fn machines() -> Vec<Machine> {
    let all =
        Kind::ALL.into_iter().flat_map(|kind| [false, true].map(|combined| Settings::new(kind, combined)));
    all.map(|settings| Machine::new(&settings, inventory(&settings))).collect()
}

/// Every legal action of a configuration with its score.
fn choices(machine: &Machine, scorer: &Hashed, state: &State) -> Vec<(f32, usize)> {
    let legal = machine.system.legal(state);
    let actions = machine.inventory.actions.iter().enumerate();
    let legal = actions.filter(|(_, action)| legal.has(machine.inventory.class(**action)));
    legal.map(|(id, _)| (scorer.at(Question::state(state), id), id)).collect()
}

fn apply(machine: &Machine, state: &State, id: usize) -> State {
    let mut next = state.clone();
    machine.system.apply(&machine.inventory, machine.inventory.actions[id], &mut next);
    next
}

#[test]
fn greedy_and_a_beam_of_one_agree_with_a_plain_search() {
    for machine in machines() {
        let (mut greedy, mut beam) = (Greedy::default(), Beam::default());
        for seed in 0..40 {
            let len = seed as usize % 12;
            let mut scorer = Hashed::new([seed]);
            let mut state = State::default();
            machine.system.start(len, &mut state);
            while !machine.system.is_final(&state) {
                let all = choices(&machine, &scorer, &state);
                let best = all.into_iter().min_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))).unwrap();
                state = apply(&machine, &state, best.1);
            }
            greedy.begin(&machine, len);
            run_alone(&machine, machine.actions(), &mut greedy, &mut scorer);
            assert_eq!(*greedy.state(), state);
            beam.begin(&machine, len, 1);
            run_alone(&machine, machine.actions(), &mut beam, &mut scorer);
            assert_eq!(*beam.best(), state);
        }
    }
}

fn best_score(machine: &Machine, scorer: &Hashed, state: &State) -> f32 {
    let after = choices(machine, scorer, state)
        .into_iter()
        .map(|(score, id)| score + best_score(machine, scorer, &apply(machine, state, id)));
    after.reduce(f32::max).unwrap_or(0.0)
}

#[test]
fn a_wide_beam_finds_the_best_sequence() {
    for machine in machines() {
        let mut beam = Beam::default();
        for seed in 0..4 {
            for len in 0..=2 {
                let mut scorer = Hashed::new([seed]);
                let mut start = State::default();
                machine.system.start(len, &mut start);
                let expected = best_score(&machine, &scorer, &start);
                beam.begin(&machine, len, 1_000_000);
                run_alone(&machine, machine.actions(), &mut beam, &mut scorer);
                assert_eq!(beam.hypotheses().next().unwrap().1, expected);
                let scores: Vec<f32> = beam.hypotheses().map(|(_, score)| score).collect();
                assert!(scores.is_sorted_by(|a, b| a >= b));
            }
        }
    }
}

fn gold_actions(machine: &Machine, gold: &Gold) -> Vec<u32> {
    let steps = oracle(&machine.system, gold).steps;
    let all = actions(&machine.inventory, &steps).unwrap();
    all.iter().map(|&action| machine.inventory.id(action).unwrap() as u32).collect()
}

fn score_of(machine: &Machine, scorer: &Hashed, len: usize, actions: &[u32]) -> f32 {
    let mut state = State::default();
    machine.system.start(len, &mut state);
    let mut score = 0.0;
    for &action in actions {
        score += scorer.at(Question::state(&state), action as usize);
        state = apply(machine, &state, action as usize);
    }
    score
}

#[test]
fn moments_tell_the_difference_to_the_gold_prefix() {
    let gold = Gold::new(4, &[(0, 2, 1), (2, 1, 2), (2, 4, 1), (4, 3, 2), (3, 1, 1)]);
    let mut violations = 0;
    for machine in machines() {
        let sequence = gold_actions(&machine, &gold);
        let mut beam = Beam::default();
        for seed in 0..10 {
            let mut scorer = Hashed::new([seed]);
            beam.begin_training(&machine, 4, 3, &sequence, (true, 0.0));
            run_alone(&machine, machine.actions(), &mut beam, &mut scorer);
            let (last, before) = beam.moments().split_last().unwrap();
            assert!(before.iter().all(|moment| moment.gold_in_beam));
            let early = beam.moments().len();
            let fell = !last.gold_in_beam;

            beam.begin_training(&machine, 4, 3, &sequence, (false, 0.0));
            run_alone(&machine, machine.actions(), &mut beam, &mut scorer);
            assert!(beam.moments().len() >= early);
            let mut best = Vec::new();
            for (step, moment) in beam.moments().iter().enumerate() {
                beam.sequence(moment, &mut best);
                let prefix = &sequence[..(step + 1).min(sequence.len())];
                let difference =
                    score_of(&machine, &scorer, 4, &best) - score_of(&machine, &scorer, 4, prefix);
                assert_eq!(moment.violation, difference);
                assert_eq!(moment.best_is_gold, best == prefix);
                violations += usize::from(moment.violation > 0.0);
                assert!(!fell || step + 1 < early || !moment.gold_in_beam);
            }
        }
    }
    assert!(violations > 100, "{violations}");
}

/// A margin that no score can make up for keeps the gold sequence from ever being the best one.
#[test]
fn margins_count_for_everything_but_the_gold_sequence() {
    let gold = Gold::new(3, &[(0, 2, 1), (2, 1, 2), (2, 3, 1)]);
    for machine in machines() {
        let sequence = gold_actions(&machine, &gold);
        for (margin, is_gold) in [(1e6, false), (-1e6, true)] {
            let mut beam = Beam::default();
            beam.begin_training(&machine, 3, 4, &sequence, (false, margin));
            run_alone(&machine, machine.actions(), &mut beam, &mut Hashed::new([3]));
            assert_eq!(beam.moments().last().unwrap().best_is_gold, is_gold);
        }
    }
}

/// An inventory without the moves that a system needs leaves nothing to do; searches end instead of failing.
#[test]
fn an_empty_inventory_ends_the_search() {
    let machine = Machine::new(&Settings::new(Kind::List, true), Inventory::default());
    let (mut greedy, mut beam) = (Greedy::default(), Beam::default());
    greedy.begin(&machine, 3);
    beam.begin(&machine, 3, 2);
    run_alone(&machine, 0, &mut greedy, &mut Hashed::new([1]));
    run_alone(&machine, 0, &mut beam, &mut Hashed::new([1]));
    assert_eq!((greedy.open(), beam.open()), (0, 0));
}
