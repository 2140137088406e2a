//! Structured learning with beam search (`zhang-2016` section 3.1): early or max-violation updates.

use super::apart;
use super::data::Example;
use super::recipe::{TransitionRecipe, Update};
use crate::scorer::Learner;
use pleach_transition::search::{Beam, Lockstep, Machine};
use pleach_transition::state::State;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    beam: Beam,
    lockstep: Lockstep,
    state: State,
    predicted: Vec<u32>,
    memory: apart::Memory,
}

/// Searches one sentence and says what should change: all actions of the gold prefix up, those of the best one down, at
/// the step that the update rule chooses.
pub(super) fn learn(
    machine: &Machine,
    learner: &mut dyn Learner,
    example: &Example,
    recipe: &TransitionRecipe,
    space: &mut Space,
) -> bool {
    let Space { beam, lockstep, state, predicted, memory } = space;
    let (len, rule) = (example.words.len(), (recipe.update == Update::Early, recipe.margin));
    beam.begin_training(machine, len, recipe.beam, &example.actions, rule);
    lockstep.run(machine, beam, machine.width(), learner);
    let moments = beam.moments();
    let Some(last) = moments.last().filter(|last| !last.best_is_gold) else { return false };
    // Early updates stop where the gold prefix fell out: the last moment is the place for both rules then.
    let mut place = moments.len() - 1;
    if recipe.update == Update::MaxViolation {
        let mut most = last.violation;
        for (i, moment) in moments.iter().enumerate() {
            if !moment.best_is_gold && moment.violation > most {
                (place, most) = (i, moment.violation);
            }
        }
    }
    beam.sequence(&moments[place], predicted);
    let gold = &example.actions[..(place + 1).min(example.actions.len())];
    let same = gold.iter().zip(predicted.iter()).take_while(|(a, b)| a == b).count();
    for (actions, amount) in [(gold, 1.0), (predicted.as_slice(), -1.0)] {
        machine.system.start(len, state);
        for (i, &action) in actions.iter().enumerate() {
            if i >= same {
                apart::change(machine, learner, state, (action, amount), memory);
            }
            machine.system.apply(&machine.inventory, machine.inventory.actions[action as usize], state);
        }
    }
    learner.demand(moments[place].violation);
    true
}
