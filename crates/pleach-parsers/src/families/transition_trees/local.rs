//! Local losses of greedy tree systems: at every step along correct transitions, the negative log-likelihood of the correct
//! ones among all legal transitions of all sites.
//!
//! The loss of a step is −log(Σ over correct transitions of e^score / Σ over legal ones of e^score), so what changes is
//! p/q − p for a correct transition and −p for another one, q being what all correct ones have together. The walk goes on
//! with the best-scored correct transition. O(sites · classes) a step.

use crate::scorer::Learner;
use pleach_transition::scorer::Question;
use pleach_transition::search::tree::Machine;
use pleach_transition::tree::oracle::{Guide, Oracle};
use pleach_transition::tree::state::State;
use pleach_transition::tree::system::{Op, Site};

/// Changes below this are too small to be told.
const LEAST: f32 = 1e-6;

/// A legal transition.
#[derive(Clone, Copy, Debug)]
struct Choice {
    site: Site,
    class: u16,
    score: f32,
    correct: bool,
}

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct LocalSpace {
    state: State,
    oracle: Oracle,
    correct: Vec<Op>,
    choices: Vec<Choice>,
    row: Vec<f32>,
}

/// Walks one sentence and says at every step what should change; gives whether another transition than a correct one was
/// ever the best.
pub(super) fn learn(
    machine: &Machine,
    learner: &mut dyn Learner,
    guide: Guide<'_>,
    space: &mut LocalSpace,
) -> bool {
    let Machine { system, classes } = machine;
    let LocalSpace { state, oracle, correct, choices, row } = space;
    row.resize(machine.actions(), 0.0);
    system.start(guide.len(), state);
    let mut wrong = false;
    for step in 0.. {
        guide.correct(system, state, step, oracle, correct);
        choices.clear();
        system.sites(&state.row, |site, position| {
            let legal = system.legal(state, site, position);
            if legal.0 != 0 {
                learner.answer(&Question::site(state, site), row);
                classes.for_each_legal(legal, |class| {
                    let (score, correct) =
                        (row[usize::from(class)], correct.contains(&classes.op(class, site)));
                    choices.push(Choice { site, class, score, correct });
                });
            }
            true
        });
        let best = |correct: bool| {
            let all = choices.iter().filter(|choice| choice.correct == correct);
            all.max_by(|a, b| a.score.total_cmp(&b.score)).copied()
        };
        let Some(right) = best(true) else { break };
        let other = best(false).filter(|other| other.score >= right.score);
        wrong |= other.is_some();
        tell(learner, state, choices, other.unwrap_or(right).score.max(right.score));
        system.apply(classes.op(right.class, right.site), state);
    }
    wrong
}

/// Tells the negative gradient of a step's loss; `most` is the best score.
fn tell(learner: &mut dyn Learner, state: &State, choices: &[Choice], most: f32) {
    let weight = |choice: &Choice| (choice.score - most).exp();
    let all: f32 = choices.iter().map(weight).sum();
    let correct = choices.iter().filter(|choice| choice.correct);
    // Nothing correct may be left of it where scores are far apart; the best correct one is all of it then.
    let best = correct.clone().fold(f32::NEG_INFINITY, |best, choice| best.max(choice.score));
    let share = |choice: &Choice| (choice.score - best).exp();
    let right: f32 = correct.map(share).sum();
    for choice in choices {
        let wanted = if choice.correct { share(choice) / right } else { 0.0 };
        let amount = wanted - weight(choice) / all;
        if amount.abs() > LEAST {
            learner.change_action(Question::site(state, choice.site), choice.class.into(), amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scorer::toy::{self, Toy};
    use pleach_transition::scorer::Place;
    use pleach_transition::tree::classes::Classes;
    use pleach_transition::tree::oracle::Gold;
    use pleach_transition::tree::presets::Preset;
    use pleach_transition::tree::system::System;
    use std::collections::BTreeSet;

    fn machine(preset: Preset) -> Machine {
        let system = System::new(&preset.settings());
        let labels: BTreeSet<u16> = [1, 2].into();
        let classes = Classes::new(&system, &labels, &labels, &labels).unwrap();
        Machine::new(system, classes)
    }

    fn gold() -> Gold {
        Gold::tree(&[(2, 1), (0, 2), (4, 1), (2, 2)])
    }

    /// The loss of the same walk, in double precision.
    fn loss(machine: &Machine, toy: &Toy, gold: &Gold) -> f64 {
        let Machine { system, classes } = machine;
        let (mut state, mut oracle, mut correct) = (State::default(), Oracle::default(), Vec::new());
        system.start(gold.len(), &mut state);
        let mut loss = 0.0;
        loop {
            Guide::Reachable(gold).correct(system, &state, 0, &mut oracle, &mut correct);
            let (mut all, mut right, mut best) = (0.0, 0.0, None);
            system.sites(&state.row, |site, position| {
                classes.for_each_legal(system.legal(&state, site, position), |class| {
                    let score = toy.value(&(toy::place(Place::Tree(&state, site)), class.into()));
                    let op = classes.op(class, site);
                    all += f64::from(score).exp();
                    if correct.contains(&op) {
                        right += f64::from(score).exp();
                        if best.is_none_or(|(most, _)| score >= most) {
                            best = Some((score, op));
                        }
                    }
                });
                true
            });
            let Some((_, op)) = best else { return loss };
            loss += f64::ln(all) - f64::ln(right);
            system.apply(op, &mut state);
        }
    }

    #[test]
    fn changes_are_the_negative_gradient() {
        let gold = gold();
        for preset in [Preset::ArcEager, Preset::ArcStandard, Preset::EasyFirst, Preset::BoundedEasyFirst] {
            let machine = machine(preset);
            let mut toy = Toy::default();
            assert!(learn(&machine, &mut toy, Guide::Reachable(&gold), &mut LocalSpace::default()));
            toy.check_gradient(|toy| loss(&machine, toy, &gold));
        }
    }

    /// What was learnt is what the oracle does: the walk ends with the gold tree, and soon nothing is wrong.
    #[test]
    fn steps_lead_to_the_gold_tree() {
        let gold = gold();
        let machine = machine(Preset::ArcEager);
        let (mut toy, mut space) = (Toy::default(), LocalSpace::default());
        let mut rounds = 0;
        while learn(&machine, &mut toy, Guide::Reachable(&gold), &mut space) {
            rounds += 1;
            assert!(rounds < 50);
            for (place, amount) in std::mem::take(&mut toy.told) {
                *toy.moved.entry(place).or_insert(0.0) += amount;
            }
        }
        assert!(rounds > 0);
        let made: Vec<_> = gold.arcs().map(|(head, word, _)| space.state.label(head, word)).collect();
        assert_eq!(made, gold.arcs().map(|(.., label)| Some(label)).collect::<Vec<_>>());
    }
}
