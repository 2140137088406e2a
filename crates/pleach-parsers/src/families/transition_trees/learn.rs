//! The structured perceptron over sequences of a tree system: at every wrong step of a greedy parser, or by early or
//! max-violation updates of a beam (`bohnet-2016` section 6).

use super::data::Example;
use super::engine::Engine;
use super::recipe::Update;
use crate::train::{Change, Lesson};
use pleach_linear::learner::Learner;
use pleach_linear::scoring::Scoring;
use pleach_linear::site::SiteScorer;
use pleach_transition::tree::search::{Beam, Greedy, Moment, Step};
use pleach_transition::tree::state::State;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct LearnSpace {
    scoring: Scoring<f32>,
    greedy: Greedy,
    beam: Beam,
    moments: Vec<Moment>,
    best: Vec<Step>,
    correct: Vec<Step>,
    state: State,
}

type TrainScorer<'a> = SiteScorer<'a, Learner>;

/// Searches one sentence and says how the weights should change.
pub(super) fn learn(engine: &Engine, learner: &Learner, example: &Example, space: &mut LearnSpace) -> Lesson {
    let recipe = &engine.card.recipe;
    let Engine { system, classes, templates, .. } = engine;
    let guide = example.guide(recipe.correct);
    let mut lesson = Lesson::default();
    let LearnSpace { scoring, greedy, beam, moments, best, correct, state } = space;
    let mut scorer = SiteScorer::new(learner, templates, &example.words, scoring, recipe.beam <= 1);
    let update = recipe.update();
    if update == Update::EveryStep {
        greedy.train(system, classes, &mut scorer, guide, recipe.margin, |scorer, state, mistake| {
            lesson.wrong = true;
            add(scorer, state, mistake.correct, 1.0, &mut lesson.changes);
            add(scorer, state, mistake.wrong, -1.0, &mut lesson.changes);
        });
        return lesson;
    }
    let early = update == Update::Early;
    beam.train(system, classes, &mut scorer, guide, recipe.beam, early, recipe.margin, moments);
    let Some(moment) = worst(moments, update) else { return lesson };
    lesson.wrong = true;
    beam.sequences(moment, best, correct);
    let same = correct.iter().zip(best.iter()).take_while(|(a, b)| a == b).count();
    for (steps, amount) in [(&*correct, 1.0), (&*best, -1.0)] {
        system.start(example.words.len(), state);
        for (i, &step) in steps.iter().enumerate() {
            if i >= same {
                add(&mut scorer, state, step, amount, &mut lesson.changes);
            }
            system.apply(classes.op(step.1, step.0), state);
        }
    }
    lesson
}

/// The features of a step are to be worth more or less.
fn add(
    scorer: &mut TrainScorer<'_>,
    state: &State,
    (site, class): Step,
    amount: f32,
    changes: &mut Vec<Change>,
) {
    changes.extend(scorer.keys(state, site).iter().map(|&key| (key, class, amount)));
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
