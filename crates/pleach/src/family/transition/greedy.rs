//! Training of greedy parsers: every wrong decision on the way is an update.
//!
//! On the gold path the static oracle says what is right. A list-based parser may leave it: its dynamic
//! oracle knows the cost of every action in any configuration (`sun-2019` section 5, Goldberg & Nivre 2012).

use super::data::Example;
use super::engine::Engine;
use super::perceptron::LearnSpace;
use crate::train::{Lesson, Random};
use pleach_linear::learner::Learner;
use pleach_transition::dynamic::DynamicOracle;
use pleach_transition::system::System;

/// Walks one sentence. `explore` is the probability of following a wrong decision, for S_L.
pub fn learn(
    engine: &Engine,
    learner: &Learner,
    example: &Example,
    explore: f64,
    mut random: Random,
    workspace: &mut LearnSpace,
) -> Lesson {
    let LearnSpace { scoring, state, scores, .. } = workspace;
    scoring.begin();
    scores.resize(engine.index.len(), 0.0);
    let mut costs = vec![0; engine.index.len()];
    // Only S_L knows the cost of leaving the gold path.
    let dynamic = if explore > 0.0 { DynamicOracle::new(&engine.system) } else { None };
    let mut lesson = Lesson::default();
    engine.system.start(example.words.len(), state);
    let mut step = 0;
    while !engine.system.is_final(state) {
        scoring.score(learner, &engine.templates, &example.words, state, scores);
        let legal = engine.system.legal(state);
        let Some(predicted) = engine.index.best(legal, scores) else { break };
        let gold = if let Some(dynamic) = dynamic {
            dynamic.costs(&engine.inventory, state, &example.gold, &mut costs);
            let mut best: Option<u32> = None;
            engine.index.for_each_legal(legal, |id| {
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
            lesson.wrong = true;
            let keys = scoring.keys(&engine.templates, &example.words, state);
            for &key in keys {
                lesson.changes.extend([(key, gold as u16, 1.0), (key, predicted as u16, -1.0)]);
            }
        }
        let follow = if wrong && !(dynamic.is_some() && random.chance(explore)) { gold } else { predicted };
        engine.system.apply(&engine.inventory, engine.inventory.actions[follow as usize], state);
        step += 1;
    }
    lesson
}
