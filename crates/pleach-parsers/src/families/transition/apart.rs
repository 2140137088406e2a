//! Learning actions, whole or taken apart into a choice and labels (`labelling = "factored"`).
//!
//! The score of an action that is taken apart is score(choice) + score(labels) - score(the choice's best labels), so its gradient
//! has the best labels in it with the opposite sign: labels that are best already teach nothing.

use crate::scorer::Learner;
use pleach_transition::factors::{Factor, Factors};
use pleach_transition::scorer::{Question, Side};
use pleach_transition::search::{Factored, Machine};
use pleach_transition::state::State;

/// Tells a learner that an action should be worth more by `amount`; `memory` is what it works in.
pub(super) fn change(
    machine: &Machine,
    learner: &mut dyn Learner,
    state: &State,
    (action, amount): (u32, f32),
    memory: &mut Memory,
) {
    let Some(Factored { factors, .. }) = &machine.factored else {
        return learner.change_action(Question::state(state), action, amount);
    };
    learner.change_action(Question::state(state), factors.of(action).choice.into(), amount);
    change_labels(factors, learner, state, (action, amount), memory);
}

/// Learns a step of a greedy parser. Choices and labels are decided one after the other, and so they are learnt: the gold choice
/// has to be better than all other legal ones by `margin`, and so have the gold labels among those that the choice may have. Labels
/// that are right most of the time would hardly be learnt otherwise.
pub(super) fn learn_step(
    machine: &Machine,
    Factored { factors, index }: &Factored,
    learner: &mut dyn Learner,
    state: &State,
    (gold, margin): (u32, f32),
    memory: &mut Memory,
) {
    let own = factors.of(gold);
    let right = u32::from(own.choice);
    memory.choices.clear();
    memory.choices.resize(factors.choices(), 0.0);
    learner.answer(&Question::state(state), &mut memory.choices);
    let scores = &memory.choices;
    let mut rival: Option<u32> = None;
    index.for_each_legal(machine.system.legal(state), |choice| {
        let better = |old: u32| scores[choice as usize] > scores[old as usize];
        if choice != right && rival.is_none_or(better) {
            rival = Some(choice);
        }
    });
    if let Some(rival) = rival
        && scores[right as usize] < scores[rival as usize] + margin
    {
        learner.change_action(Question::state(state), right, 1.0);
        learner.change_action(Question::state(state), rival, -1.0);
        learner.demand(scores[rival as usize] + margin - scores[right as usize]);
    }
    let rows = read_labels(factors, learner, state, right, &mut memory.labels);
    let mut rival: Option<(u32, f32)> = None;
    factors.for_each_penalty(right, rows, |action, penalty| {
        if action != gold && rival.is_none_or(|(_, least)| penalty > least) {
            rival = Some((action, penalty));
        }
    });
    if let Some((rival, penalty)) = rival
        && let behind = penalty + margin - factors.penalty(gold, rows)
        && behind > 0.0
    {
        change_sides(learner, state, (own, 1.0), factors.of(rival));
        learner.demand(behind);
    }
}

/// What learning works in.
#[derive(Debug, Default)]
pub(super) struct Memory {
    choices: Vec<f32>,
    labels: [Vec<f32>; 2],
}

/// The scores of the labels that a choice needs.
fn read_labels<'r>(
    factors: &Factors,
    learner: &mut dyn Learner,
    state: &State,
    choice: u32,
    labels: &'r mut [Vec<f32>; 2],
) -> [&'r [f32]; 2] {
    let sides = factors.sides(choice);
    for (side, row) in Side::BOTH.into_iter().zip(labels.iter_mut()) {
        row.clear();
        row.resize(factors.labels(), 0.0);
        if sides[side as usize] {
            learner.answer(&Question::arc(state, side), row);
        }
    }
    [&labels[0], &labels[1]]
}

/// Changes labels by `amount` and others by the opposite, where they differ.
fn change_sides(learner: &mut dyn Learner, state: &State, (own, amount): (Factor, f32), other: Factor) {
    for side in Side::BOTH {
        let (own, other) = (label(own, side), label(other, side));
        if own != other {
            learner.change_action(Question::arc(state, side), own.into(), amount);
            learner.change_action(Question::arc(state, side), other.into(), -amount);
        }
    }
}

fn change_labels(
    factors: &Factors,
    learner: &mut dyn Learner,
    state: &State,
    (action, amount): (u32, f32),
    memory: &mut Memory,
) {
    let own = factors.of(action);
    let rows = read_labels(factors, learner, state, own.choice.into(), &mut memory.labels);
    let (best, _) = factors.best(own.choice.into(), rows);
    change_sides(learner, state, (own, amount), factors.of(best));
}

fn label(factor: Factor, side: Side) -> u16 {
    match side {
        Side::Left => factor.left,
        Side::Right => factor.right,
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::Data;
    use super::super::recipe::{Labelling, TransitionRecipe};
    use super::*;
    use crate::scorer::toy::{self, Toy};
    use crate::train::Corpus;
    use pleach_graph::enhanced::Transform;
    use pleach_graph::{Graph, NodeId, Sentence};
    use pleach_transition::scorer::Place;

    /// The same arcs with other labels in every sentence, so that each choice has several labels.
    fn data() -> Data {
        let sentence = |labels: [&str; 3]| {
            let [x, y, z] = labels;
            let mut sentence = Sentence::from_forms(["a", "b", "c", "d", "e"]);
            sentence.graph = Graph::new(5);
            let arcs =
                [(0, 2, "r"), (2, 1, x), (2, 4, y), (5, 3, x), (3, 1, y), (1, 4, z), (4, 1, x), (4, 5, y)];
            for (head, dependent, label) in arcs {
                sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
            }
            sentence
        };
        let recipe = TransitionRecipe { labelling: Labelling::Factored, ..TransitionRecipe::default() };
        let train = [["x", "y", "z"], ["y", "z", "x"], ["z", "x", "y"]].map(sentence).to_vec();
        let corpus = Corpus { train, dev: Vec::new() };
        Data::prepare(&recipe, Transform::default(), corpus, None).unwrap()
    }

    /// The configurations on the way to the gold graph, with the gold actions.
    fn walk(data: &Data, mut visit: impl FnMut(&Machine, &Factored, &State, u32)) {
        let machine = &data.parse.machine;
        let mut state = State::default();
        machine.system.start(5, &mut state);
        for &gold in &data.examples[0].actions {
            visit(machine, machine.factored.as_ref().unwrap(), &state, gold);
            let action = machine.inventory.actions[gold as usize];
            machine.system.apply(&machine.inventory, action, &mut state);
        }
    }

    fn choice(toy: &Toy, state: &State, choice: u32) -> f64 {
        toy.value(&(toy::place(Place::Graph(state)), choice)).into()
    }

    fn labels(toy: &Toy, factors: &Factors, state: &State, action: u32) -> f64 {
        let of = |side| match label(factors.of(action), side) {
            0 => 0.0,
            label => toy.value(&(toy::place(Place::Arc(state, side)), label.into())).into(),
        };
        of(Side::Left) + of(Side::Right)
    }

    /// The actions of the same choice but one.
    fn others(factors: &Factors, gold: u32) -> Vec<u32> {
        let choice = factors.of(gold).choice;
        (0..factors.all().len() as u32).filter(|&id| id != gold && factors.of(id).choice == choice).collect()
    }

    #[test]
    fn changes_of_an_action_are_the_gradient_of_its_score() {
        let data = data();
        let mut with_labels = 0;
        walk(&data, |machine, Factored { factors, .. }, state, gold| {
            for action in others(factors, gold).into_iter().chain([gold]) {
                let mut toy = Toy::default();
                change(machine, &mut toy, state, (action, 1.0), &mut Memory::default());
                with_labels += usize::from(toy.told.len() > 1);
                toy.check_gradient(|toy| {
                    let worth = |id| labels(toy, factors, state, id);
                    let most = others(factors, action).into_iter().chain([action]).map(worth);
                    let most = most.fold(f64::NEG_INFINITY, f64::max);
                    -(choice(toy, state, factors.of(action).choice.into()) + worth(action) - most)
                });
            }
        });
        assert!(with_labels > 3, "{with_labels}");
    }

    /// Choices and labels are apart from their best rivals by the margin, or it is told by how much they are not.
    #[test]
    fn a_step_is_the_gradient_of_two_margins() {
        let data = data();
        let (mut told, mut silent) = (0, 0);
        for margin in [0.0, 0.6, 9.0] {
            walk(&data, |machine, factored, state, gold| {
                let Factored { factors, index } = factored;
                let mut toy = Toy::default();
                let right = u32::from(factors.of(gold).choice);
                learn_step(machine, factored, &mut toy, state, (gold, margin), &mut Memory::default());
                let loss = |toy: &Toy| {
                    let hinge = |own: f64, rival: f64| (rival + f64::from(margin) - own).max(0.0);
                    let mut rival = f64::NEG_INFINITY;
                    index.for_each_legal(machine.system.legal(state), |id| {
                        rival = if id == right { rival } else { rival.max(choice(toy, state, id)) };
                    });
                    let worth = |id| labels(toy, factors, state, id);
                    let other =
                        others(factors, gold).into_iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
                    hinge(choice(toy, state, right), rival) + hinge(worth(gold), other)
                };
                if toy.told.is_empty() {
                    silent += 1;
                    assert_eq!(loss(&toy), 0.0);
                } else {
                    told += 1;
                    toy.check_gradient(loss);
                }
            });
        }
        assert!(told > 10 && silent > 0, "{told} {silent}");
    }
}
