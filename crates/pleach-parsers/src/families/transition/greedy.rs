//! Training of greedy parsers: every wrong decision on the way is an update.
//!
//! On the gold path the static oracle says what is right. A list-based parser may leave it: its dynamic
//! oracle knows the cost of every action in any configuration (`sun-2019` section 5, Goldberg & Nivre 2012).

use super::data::Example;
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

/// Walks one sentence. `explore` is the probability of following a wrong decision, for S_L.
pub(super) fn learn(
    machine: &Machine,
    learner: &mut dyn Learner,
    example: &Example,
    explore: f64,
    mut random: Random,
    space: &mut Space,
) -> bool {
    let Machine { system, inventory, index } = machine;
    let Space { state, scores, costs } = space;
    scores.resize(index.len(), 0.0);
    costs.clear();
    costs.resize(index.len(), 0);
    // Not all systems know the cost of leaving the gold path.
    let dynamic = if explore > 0.0 { DynamicOracle::new(system) } else { None };
    let mut any_wrong = false;
    system.start(example.words.len(), state);
    let mut step = 0;
    while !system.is_final(state) {
        learner.answer(&Question::state(state), scores);
        let legal = system.legal(state);
        let Some(predicted) = index.best(legal, scores) else { break };
        let gold = if let Some(dynamic) = dynamic {
            dynamic.costs(inventory, state, &example.gold, costs);
            let mut best: Option<u32> = None;
            index.for_each_legal(legal, |id| {
                let key = |id: u32| (costs[id as usize], -scores[id as usize]);
                if best.is_none_or(|old| key(id).partial_cmp(&key(old)).is_some_and(|order| order.is_lt())) {
                    best = Some(id);
                }
            });
            best.unwrap_or(predicted)
        } else {
            let Some(&gold) = example.actions.get(step) else { break };
            gold
        };
        let wrong =
            if explore > 0.0 { costs[predicted as usize] > costs[gold as usize] } else { predicted != gold };
        if wrong {
            any_wrong = true;
            learner.change_action(Question::state(state), gold, 1.0);
            learner.change_action(Question::state(state), predicted, -1.0);
        }
        let follow = if wrong && !(dynamic.is_some() && random.chance(explore)) { gold } else { predicted };
        system.apply(inventory, inventory.actions[follow as usize], state);
        step += 1;
    }
    any_wrong
}
