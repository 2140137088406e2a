//! Searches over actions that are taken apart against a plain search over all combinations of choices and labels.

#![allow(clippy::unwrap_used)]

mod common;

use common::inventory;
use common::scores::{Hashed, run_alone};
use pleach_transition::oracle::{Gold, actions, oracle};
use pleach_transition::scorer::{Question, Side};
use pleach_transition::search::{Beam, Greedy, Lockstep, Machine};
use pleach_transition::settings::{Kind, Settings};
use pleach_transition::state::State;

fn machines() -> Vec<Machine> {
    let all =
        Kind::ALL.into_iter().flat_map(|kind| [false, true].map(|combined| Settings::new(kind, combined)));
    all.map(|settings| Machine::new(&settings, inventory(&settings)).taken_apart()).collect()
}

/// All legal actions of a configuration: choice, action, the choice's score, and the penalty by its definition.
fn all(machine: &Machine, scorer: &Hashed, state: &State) -> Vec<(u32, u32, f32, f32)> {
    let factors = &machine.factored.as_ref().unwrap().factors;
    let legal = machine.system.legal(state);
    let worth = |action: u32| {
        let factor = factors.of(action);
        let of = |label: u16, side| {
            if label == 0 { 0.0 } else { scorer.at(Question::arc(state, side), label.into()) }
        };
        of(factor.left, Side::Left) + of(factor.right, Side::Right)
    };
    let mut all = Vec::new();
    for (id, &action) in machine.inventory.actions.iter().enumerate() {
        if legal.has(machine.inventory.class(action)) {
            let choice = factors.of(id as u32).choice;
            let same = (0..machine.actions() as u32).filter(|&other| factors.of(other).choice == choice);
            let most = same.map(worth).reduce(f32::max).unwrap();
            let score = scorer.at(Question::state(state), choice.into());
            all.push((u32::from(choice), id as u32, score, worth(id as u32) - most));
        }
    }
    all
}

fn apply(machine: &Machine, state: &State, id: u32) -> State {
    let mut next = state.clone();
    machine.system.apply(&machine.inventory, machine.inventory.actions[id as usize], &mut next);
    next
}

#[test]
fn greedy_takes_the_best_of_all_combinations() {
    for machine in machines() {
        let mut greedy = Greedy::default();
        for seed in 0..40 {
            let (len, mut scorer) = (seed as usize % 12, Hashed::new([seed]));
            let mut state = State::default();
            machine.system.start(len, &mut state);
            while !machine.system.is_final(&state) {
                let mut all = all(&machine, &scorer, &state);
                all.sort_by(|a, b| (b.2 + b.3).total_cmp(&(a.2 + a.3)).then((a.0, a.1).cmp(&(b.0, b.1))));
                state = apply(&machine, &state, all[0].1);
            }
            greedy.begin(&machine, len);
            run_alone(&machine, machine.width(), &mut greedy, &mut scorer);
            assert_eq!(*greedy.state(), state);
        }
    }
}

#[derive(Clone)]
struct Plain {
    state: State,
    score: f32,
    actions: Vec<u32>,
    finished: bool,
}

/// One step of a beam over all combinations; `gold` is the sequence whose prefix gets no margin.
fn step(machine: &Machine, scorer: &Hashed, beam: &[Plain], width: usize, gold: (&[u32], f32)) -> Vec<Plain> {
    let mut next: Vec<(f32, usize, u32, u32)> = Vec::new();
    for (parent, item) in beam.iter().enumerate() {
        if item.finished {
            next.push((item.score, parent, u32::MAX, u32::MAX));
            continue;
        }
        let on_gold = gold.0.starts_with(&item.actions);
        for (choice, action, score, penalty) in all(machine, scorer, &item.state) {
            let margin = on_gold && gold.0.get(item.actions.len()) != Some(&action);
            let bonus = if margin { gold.1 } else { 0.0 };
            next.push((item.score + score + (bonus + penalty), parent, choice, action));
        }
    }
    next.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
    next.truncate(width);
    let grow = |(score, parent, _, action): (f32, usize, u32, u32)| {
        let mut item = beam[parent].clone();
        item.score = score;
        if action != u32::MAX {
            item.state = apply(machine, &item.state, action);
            item.actions.push(action);
            item.finished = machine.system.is_final(&item.state);
        }
        item
    };
    next.into_iter().map(grow).collect()
}

fn start(machine: &Machine, len: usize) -> Vec<Plain> {
    let mut state = State::default();
    machine.system.start(len, &mut state);
    let finished = machine.system.is_final(&state);
    vec![Plain { state, score: 0.0, actions: Vec::new(), finished }]
}

#[test]
fn a_beam_holds_the_best_of_all_combinations() {
    for machine in machines() {
        let mut beam = Beam::default();
        for seed in 0..12 {
            let (len, mut scorer) = (seed as usize % 7, Hashed::new([seed]));
            for width in [1, 2, 5, 16, 200] {
                let mut plain = start(&machine, len);
                while plain.iter().any(|item| !item.finished) {
                    plain = step(&machine, &scorer, &plain, width, (&[u32::MAX], 0.0));
                }
                beam.begin(&machine, len, width);
                run_alone(&machine, machine.width(), &mut beam, &mut scorer);
                assert_eq!(beam.hypotheses().count(), plain.len());
                let mut actions = Vec::new();
                for (place, ((state, score), expected)) in beam.hypotheses().zip(&plain).enumerate() {
                    assert_eq!((state, score), (&expected.state, expected.score));
                    beam.actions_of(place, &mut actions);
                    assert_eq!(actions, expected.actions);
                }
            }
        }
    }
}

/// Where the gold sequence stands, step by step and with margins of all signs, is what the definition says.
#[test]
fn training_compares_with_the_gold_sequence() {
    let gold = Gold::new(4, &[(0, 2, 1), (2, 1, 2), (2, 4, 1), (4, 3, 2), (3, 1, 1)]);
    let (mut fell, mut stayed) = (0, 0);
    for machine in machines() {
        let steps = oracle(&machine.system, &gold).steps;
        let sequence: Vec<u32> = actions(&machine.inventory, &steps)
            .unwrap()
            .iter()
            .map(|&action| machine.inventory.id(action).unwrap() as u32)
            .collect();
        let mut beam = Beam::default();
        for (seed, margin) in (0..8).flat_map(|seed| [0.0, 3.0, 40.0, -15.0].map(|margin| (seed, margin))) {
            let mut scorer = Hashed::new([seed]);
            beam.begin_training(&machine, 4, 3, &sequence, (false, margin));
            run_alone(&machine, machine.width(), &mut beam, &mut scorer);
            let (mut plain, mut best) = (start(&machine, 4), Vec::new());
            let (mut state, mut score) = (start(&machine, 4).remove(0).state, 0.0);
            for (number, moment) in beam.moments().iter().enumerate() {
                plain = step(&machine, &scorer, &plain, 3, (&sequence, margin));
                if let Some(&action) = sequence.get(number) {
                    let all = all(&machine, &scorer, &state);
                    let own = all.iter().find(|one| one.1 == action).unwrap();
                    score += own.2 + own.3;
                    state = apply(&machine, &state, action);
                }
                let prefix = &sequence[..(number + 1).min(sequence.len())];
                beam.sequence(moment, &mut best);
                assert_eq!(best, plain[0].actions);
                assert_eq!(moment.violation, plain[0].score - score);
                assert_eq!(moment.gold_in_beam, plain.iter().any(|item| item.actions == prefix));
                assert_eq!(moment.best_is_gold, plain[0].actions == prefix);
                if moment.gold_in_beam { stayed += 1 } else { fell += 1 }
            }
            assert!(plain.iter().all(|item| item.finished));
        }
    }
    assert!(fell > 100 && stayed > 100, "{fell} {stayed}");
}

/// Sentences that are parsed together don't see each other, though some ask for labels while others ask for choices.
#[test]
fn together_is_as_alone() {
    for machine in machines() {
        let seeds = [3, 4, 5, 6];
        let len = |seed: u64| seed as usize;
        let (mut greedy, mut beams): (Vec<Greedy>, Vec<Beam>) = Default::default();
        for seed in seeds {
            greedy.push(Greedy::default());
            greedy.last_mut().unwrap().begin(&machine, len(seed));
            beams.push(Beam::default());
            beams.last_mut().unwrap().begin(&machine, len(seed), 4);
        }
        let mut lockstep = Lockstep::default();
        lockstep.run_all(&machine, &mut greedy, machine.width(), &mut Hashed::new(seeds));
        lockstep.run_all(&machine, &mut beams, machine.width(), &mut Hashed::new(seeds));
        for (number, seed) in seeds.into_iter().enumerate() {
            let (mut alone, mut beam) = (Greedy::default(), Beam::default());
            alone.begin(&machine, len(seed));
            run_alone(&machine, machine.width(), &mut alone, &mut Hashed::new([seed]));
            assert_eq!(alone.state(), greedy[number].state());
            beam.begin(&machine, len(seed), 4);
            run_alone(&machine, machine.width(), &mut beam, &mut Hashed::new([seed]));
            assert_eq!(beam.best(), beams[number].best());
        }
    }
}

/// The scores of whole actions are those that searches see.
#[test]
fn whole_actions_have_the_scores_of_their_parts() {
    for machine in machines() {
        let mut scorer = Hashed::new([9]);
        let mut state = start(&machine, 5).remove(0).state;
        let mut scores = Vec::new();
        while !machine.system.is_final(&state) {
            machine.score_actions(&mut scorer, &state, &mut scores);
            let all = all(&machine, &scorer, &state);
            for &(_, action, score, penalty) in &all {
                assert_eq!(scores[action as usize], score + penalty);
            }
            state = apply(&machine, &state, all[all.len() / 2].1);
        }
    }
}
