//! Structured perceptron with beam search (`zhang-2016` section 3.1): early or max-violation updates.

use super::data::Example;
use super::engine::Engine;
use super::recipe::{TransitionRecipe, Update};
use crate::train::Lesson;
use pleach_linear::learner::Learner;
use pleach_linear::scoring::Scoring;
use pleach_transition::search::{Beam, Outcome};
use pleach_transition::state::State;
use pleach_transition::system::System;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub struct LearnSpace {
    pub(super) scoring: Scoring<f32>,
    pub(super) state: State,
    pub(super) scores: Vec<f32>,
    beam: Beam,
    outcome: Outcome,
    predicted: Vec<u32>,
}

/// Searches one sentence and says how the weights should change.
pub fn learn(
    engine: &Engine,
    learner: &Learner,
    example: &Example,
    recipe: &TransitionRecipe,
    workspace: &mut LearnSpace,
) -> Lesson {
    let scoring = &mut workspace.scoring;
    scoring.begin();
    let mut scorer = |state: &State, scores: &mut [f32]| {
        scoring.score(learner, &engine.templates, &example.words, state, scores);
    };
    workspace.beam.train(
        &engine.system,
        &engine.inventory,
        &engine.index,
        &mut scorer,
        example.words.len(),
        recipe.beam,
        &example.actions,
        recipe.update == Update::Early,
        recipe.margin,
        &mut workspace.outcome,
    );
    let moments = &workspace.outcome.steps;
    let mut lesson = Lesson::default();
    let Some(last) = moments.last() else { return lesson };
    if last.best_is_gold {
        return lesson;
    }
    lesson.wrong = true;
    // Early updates stop where the gold prefix fell out: the last moment is the place for both rules then.
    let place = match recipe.update {
        Update::Early => moments.len() - 1,
        Update::MaxViolation => {
            let mut best = moments.len() - 1;
            for (i, moment) in moments.iter().enumerate() {
                if !moment.best_is_gold && moment.violation > moments[best].violation {
                    best = i;
                }
            }
            best
        }
    };
    workspace.beam.sequence(&moments[place], &mut workspace.predicted);
    let predicted = &workspace.predicted;
    let gold = &example.actions[..(place + 1).min(example.actions.len())];
    let same = gold.iter().zip(predicted.iter()).take_while(|(a, b)| a == b).count();
    for (actions, amount) in [(gold, 1.0), (predicted.as_slice(), -1.0)] {
        engine.system.start(example.words.len(), &mut workspace.state);
        for (i, &action) in actions.iter().enumerate() {
            if i >= same {
                let keys = workspace.scoring.keys(&engine.templates, &example.words, &workspace.state);
                lesson.changes.extend(keys.iter().map(|&key| (key, action as u16, amount)));
            }
            let action = engine.inventory.actions[action as usize];
            engine.system.apply(&engine.inventory, action, &mut workspace.state);
        }
    }
    lesson
}
