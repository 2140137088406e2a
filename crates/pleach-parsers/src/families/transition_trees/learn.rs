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
            learner.demand(mistake.violation);
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
    learner.demand(moment.violation);
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

#[cfg(test)]
mod tests {
    use super::super::data::Data;
    use super::*;
    use crate::scorer::toy::Toy;
    use crate::train::Corpus;
    use pleach_decode::part::{Kind, Part, PartLearner, PartScorer};
    use pleach_graph::{NodeId, Sentence};
    use pleach_transition::scorer::{Learn, Place, Questions, Scorer};
    use pleach_transition::tree::system::Site;
    use std::collections::BTreeMap;

    /// Scores like a toy and counts what is punished.
    #[derive(Default)]
    struct Counter {
        toy: Toy,
        punished: BTreeMap<(String, u32), usize>,
        /// What was added and taken away in all.
        balance: f32,
    }

    impl Scorer for Counter {
        fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
            self.toy.answer(questions, rows);
        }

        fn reach(&self) -> usize {
            1
        }
    }

    impl Learn for Counter {
        fn change_action(&mut self, question: Question<'_>, action: u32, amount: f32) {
            let Place::Tree(_, site) = question.place else { panic!("a tree system") };
            let Site { left, right, distance } = site;
            if amount < 0.0 {
                *self.punished.entry((format!("{left} {right} {distance}"), action)).or_default() += 1;
            }
            self.balance += amount;
        }
    }

    impl PartScorer for Counter {
        fn scores(&self, _: Kind) -> bool {
            false
        }

        fn score(&mut self, _: Part, _: &mut [f32]) {}
    }

    impl PartLearner for Counter {
        fn change_part(&mut self, _: Part, _: u16, _: f32) {}
    }

    /// However long a class is wrong at a site, it is punished once a sentence.
    #[test]
    fn a_site_and_a_class_are_punished_once() {
        let mut sentence = Sentence::from_forms(["a", "b", "c", "d", "e", "f", "g", "h"]);
        for (token, head) in sentence.tokens.iter_mut().zip([2, 0, 2, 5, 3, 8, 8, 2]) {
            (token.head, token.deprel) = (Some(NodeId(head)), if head == 2 { "x" } else { "y" }.into());
        }
        for preset in ["easy-first", "bounded-easy-first", "arc-eager"] {
            let recipe =
                TreeRecipe { beam: 1, margin: 100.0, ..TreeRecipe::preset(preset).expect("a preset") };
            let corpus = Corpus { train: vec![sentence.clone()], dev: Vec::new() };
            let data = Data::prepare(&recipe, corpus).expect("a tree");
            let (machine, mut counter) = (&data.parse.machine, Counter::default());
            assert!(learn(machine, &recipe, &mut counter, &data.examples[0], &mut Space::default()));
            // With such a margin all steps go wrong; easy-first has many sites that stay as they are.
            assert!(counter.punished.len() > 4, "{preset}");
            assert!(counter.punished.values().all(|&times| times == 1), "{preset}: {:?}", counter.punished);
            assert_eq!(counter.balance, 0.0);
        }
    }
}
