//! Structured learning over sequences of a tree system: at every wrong step of a greedy parser, or by early or
//! max-violation updates of a beam (`bohnet-2016` section 6).

use super::data::Example;
use super::local::{self, LocalSpace};
use super::recipe::{Loss, TreeRecipe, Update};
use crate::scorer::Learner;
use pleach_transition::scorer::Question;
use pleach_transition::search::Lockstep;
use pleach_transition::search::tree::{Beam, Greedy, Machine, Moment, Step};
use pleach_transition::tree::state::State;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    lockstep: Lockstep,
    greedy: Greedy,
    beam: Beam,
    best: Vec<Step>,
    correct: Vec<Step>,
    state: State,
    local: LocalSpace,
}

/// Searches one sentence and says what should change; gives whether anything was wrong.
pub(super) fn learn(
    machine: &Machine,
    recipe: &TreeRecipe,
    learner: &mut dyn Learner,
    example: &Example,
    space: &mut Space,
) -> bool {
    let Space { lockstep, greedy, beam, best, correct, state, local } = space;
    let guide = example.guide(recipe.correct);
    if recipe.loss == Loss::Local {
        return local::learn(machine, learner, guide, local);
    }
    let (width, reach) = (machine.actions(), learner.reach());

    if recipe.beam <= 1 {
        learner.expect_few_repeats();
    }
    let update = recipe.update();
    if update == Update::EveryStep {
        let mut wrong = false;
        greedy.begin_training(machine, guide, reach, recipe.margin);
        loop {
            lockstep.run(machine, greedy, width, learner);
            let Some(mistake) = greedy.mistake() else { return wrong };
            wrong = true;
            for ((site, class), amount) in [(mistake.correct, 1.0), (mistake.wrong, -1.0)] {
                learner.change_action(Question::site(greedy.state(), site), u32::from(class), amount);
            }
            greedy.resume(machine);
        }
    }
    let rule = (update == Update::Early, recipe.margin);
    beam.begin_training(machine, guide, recipe.beam, reach, rule);
    lockstep.run(machine, beam, width, learner);
    let Some(moment) = worst(beam.moments(), update) else { return false };
    beam.sequences(moment, best, correct);
    let same = correct.iter().zip(best.iter()).take_while(|(a, b)| a == b).count();
    for (steps, amount) in [(&*correct, 1.0), (&*best, -1.0)] {
        machine.system.start(example.words.len(), state);
        for (i, &(site, class)) in steps.iter().enumerate() {
            if i >= same {
                learner.change_action(Question::site(state, site), u32::from(class), amount);
            }
            machine.system.apply(machine.classes.op(class, site), state);
        }
    }
    true
}

/// The moment to learn from; none when the best hypothesis is correct in the end.
fn worst(moments: &[Moment], update: Update) -> Option<&Moment> {
    let last = moments.last().filter(|last| !last.best_is_correct)?;
    // Early updates end where the last correct hypothesis fell out.
    if update == Update::Early {
        return Some(last);
    }
    let wrong = moments.iter().filter(|moment| !moment.best_is_correct);
    wrong.fold(None, |worst: Option<&Moment>, moment| match worst {
        Some(worst) if worst.violation >= moment.violation => Some(worst),
        _ => Some(moment),
    })
}
