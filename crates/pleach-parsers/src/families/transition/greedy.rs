//! Training of greedy parsers: every wrong decision on the way is an update.
//!
//! On the gold path the static oracle says what is right. A list-based parser may leave it: its dynamic
//! oracle knows the cost of every action in any configuration (`sun-2019` section 5, Goldberg & Nivre 2012).

use super::data::Example;
use super::recipe::{Loss, TransitionRecipe};
use crate::random::Random;
use crate::scorer::Learner;
use pleach_transition::costs::DynamicOracle;
use pleach_transition::scorer::Question;
use pleach_transition::search::Machine;
use pleach_transition::state::State;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    state: State,
    scores: Vec<f32>,
    costs: Vec<u32>,
}

/// Walks one sentence and learns at every step. With the dynamic oracle, a wrong decision is followed now and then.
pub(super) fn learn(
    machine: &Machine,
    learner: &mut dyn Learner,
    example: &Example,
    recipe: &TransitionRecipe,
    mut random: Random,
    space: &mut Space,
) -> bool {
    let Machine { system, inventory, index } = machine;
    let Space { state, scores, costs } = space;
    scores.resize(index.len(), 0.0);
    costs.clear();
    costs.resize(index.len(), 0);
    // Not every system knows the cost of leaving the gold path.
    let dynamic = if recipe.explore > 0.0 { DynamicOracle::new(system) } else { None };
    let mut any_wrong = false;
    system.start(example.words.len(), state);
    let mut step = 0;
    while !system.is_final(state) {
        learner.answer(&Question::state(state), scores);
        let legal = system.legal(state);
        let Some(predicted) = index.best(legal, scores) else { break };
        let (gold, wrong) = if let Some(dynamic) = dynamic {
            // Several actions may be free; the one of the paper's derivation is right where there is one, so that a model
            // learns one way to go on and not all of them a little.
            match dynamic.canonical(inventory, state, &example.gold).map(|id| id as u32) {
                Some(gold) => (gold, predicted != gold),
                None => {
                    dynamic.costs(inventory, state, &example.gold, costs);
                    let gold = cheapest(machine, state, scores, costs).unwrap_or(predicted);
                    (gold, costs[predicted as usize] > costs[gold as usize])
                }
            }
        } else {
            let Some(&gold) = example.actions.get(step) else { break };
            (gold, predicted != gold)
        };
        any_wrong |= wrong;
        match recipe.loss {
            Loss::Local => likelihood(machine, learner, state, scores, gold),
            Loss::Margin if wrong => {
                learner.change_action(Question::state(state), gold, 1.0);
                learner.change_action(Question::state(state), predicted, -1.0);
            }
            Loss::Margin => {}
        }
        let follow =
            if wrong && !(dynamic.is_some() && random.chance(recipe.explore)) { gold } else { predicted };
        system.apply(inventory, inventory.actions[follow as usize], state);
        step += 1;
    }
    any_wrong
}

/// The action that costs least, and among those the one that scores best.
fn cheapest(machine: &Machine, state: &State, scores: &[f32], costs: &[u32]) -> Option<u32> {
    let mut best: Option<u32> = None;
    machine.index.for_each_legal(machine.system.legal(state), |id| {
        let key = |id: u32| (costs[id as usize], -scores[id as usize]);
        if best.is_none_or(|old| key(id).partial_cmp(&key(old)).is_some_and(|order| order.is_lt())) {
            best = Some(id);
        }
    });
    best
}

/// The gradient of the log-likelihood of an action among all legal ones: 1 for it, minus the probability of each.
fn likelihood(machine: &Machine, learner: &mut dyn Learner, state: &State, scores: &[f32], gold: u32) {
    let legal = machine.system.legal(state);
    let (mut most, mut sum) = (f32::NEG_INFINITY, 0.0);
    machine.index.for_each_legal(legal, |id| most = most.max(scores[id as usize]));
    machine.index.for_each_legal(legal, |id| sum += (scores[id as usize] - most).exp());
    machine.index.for_each_legal(legal, |id| {
        let probability = (scores[id as usize] - most).exp() / sum;
        let amount = f32::from(u8::from(id == gold)) - probability;
        if amount.abs() > LEAST {
            learner.change_action(Question::state(state), id, amount);
        }
    });
}

/// Changes below this are too small to be told.
const LEAST: f32 = 1e-6;
