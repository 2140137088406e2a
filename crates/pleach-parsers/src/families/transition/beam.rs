//! Structured learning with beam search: early or max-violation updates (`zhang-2016` section 3.1), or likelihoods that are
//! normalised over the beam (Andor et al. 2016, for `sun-2019` section 5.3).

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
    scores: Vec<f32>,
    /// How likely the hypotheses are that have left the gold prefix at a step or before.
    lost: Vec<f32>,
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
    let Space { beam, lockstep, state, predicted, memory, .. } = space;
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
        walk(machine, learner, len, actions, |step| if step >= same { amount } else { 0.0 }, state, memory);
    }
    learner.demand(moments[place].violation);
    true
}

/// Searches one sentence until the gold prefix falls out of the beam, or to the end, and tells the gradient of log p(gold prefix),
/// p being as large as exp(score) among it and the hypotheses there. At a step of the gold prefix that is the sum of the
/// likelihoods of those that have left it by then; at their own steps from there on it is minus their likelihood.
pub(super) fn learn_likelihood(
    machine: &Machine,
    learner: &mut dyn Learner,
    example: &Example,
    recipe: &TransitionRecipe,
    space: &mut Space,
) -> bool {
    let Space { beam, lockstep, state, predicted, scores, lost, memory } = space;
    let len = example.words.len();
    beam.begin_training(machine, len, recipe.beam, &example.actions, (true, 0.0));
    lockstep.run(machine, beam, machine.width(), learner);
    let Some(&last) = beam.moments().last() else { return false };
    let gold = &example.actions[..beam.moments().len().min(example.actions.len())];
    scores.clear();
    scores.extend(beam.hypotheses().map(|(_, score)| score));
    let own = scores[0] - last.violation;
    let total: f32 = scores.iter().map(|score| (score - scores[0]).exp()).sum();
    let total = total + if last.gold_in_beam { 0.0 } else { (own - scores[0]).exp() };
    lost.clear();
    lost.resize(gold.len() + 1, 0.0);
    for place in 0..scores.len() {
        beam.actions_of(place, predicted);
        let likely = (scores[place] - scores[0]).exp() / total;
        if *predicted == gold || likely < LEAST {
            continue;
        }
        let same = gold.iter().zip(predicted.iter()).take_while(|(a, b)| a == b).count();
        lost[same] += likely;
        walk(
            machine,
            learner,
            len,
            predicted,
            |step| if step >= same { -likely } else { 0.0 },
            state,
            memory,
        );
    }
    for step in 1..lost.len() {
        lost[step] += lost[step - 1];
    }
    walk(machine, learner, len, gold, |step| lost[step], state, memory);
    !last.best_is_gold
}

/// Likelihoods below this are too small to be told.
const LEAST: f32 = 1e-4;

/// Goes through a sequence of actions; each should be worth more by its `amount`.
fn walk(
    machine: &Machine,
    learner: &mut dyn Learner,
    len: usize,
    actions: &[u32],
    amount: impl Fn(usize) -> f32,
    state: &mut State,
    memory: &mut apart::Memory,
) {
    machine.system.start(len, state);
    for (step, &action) in actions.iter().enumerate() {
        let amount = amount(step);
        if amount != 0.0 {
            apart::change(machine, learner, state, (action, amount), memory);
        }
        machine.system.apply(&machine.inventory, machine.inventory.actions[action as usize], state);
    }
}

#[cfg(test)]
mod tests {
    use super::super::greedy::tests::data;
    use super::*;
    use crate::scorer::toy::{self, Toy};
    use pleach_transition::scorer::Place;

    /// The sequences that a search compares at its end, the gold prefix first, and whether the beam has that too.
    fn compared(machine: &Machine, toy: &mut Toy, example: &Example, width: usize) -> (Vec<Vec<u32>>, bool) {
        let mut beam = Beam::default();
        beam.begin_training(machine, example.words.len(), width, &example.actions, (true, 0.0));
        Lockstep::default().run(machine, &mut beam, machine.width(), toy);
        let gold = example.actions[..beam.moments().len().min(example.actions.len())].to_vec();
        let found = (0..beam.hypotheses().count()).map(|place| {
            let mut actions = Vec::new();
            beam.actions_of(place, &mut actions);
            actions
        });
        let others: Vec<Vec<u32>> = found.filter(|actions| *actions != gold).collect();
        let kept = others.len() < beam.hypotheses().count();
        ([vec![gold], others].concat(), kept)
    }

    /// The negative log-likelihood of the first sequence among all of them, in double precision.
    fn loss(machine: &Machine, toy: &Toy, example: &Example, sequences: &[Vec<u32>]) -> f64 {
        let score = |actions: &Vec<u32>| {
            let (mut state, mut sum) = (State::default(), 0.0);
            machine.system.start(example.words.len(), &mut state);
            for &action in actions {
                sum += f64::from(toy.value(&(toy::place(Place::Graph(&state)), action)));
                let action = machine.inventory.actions[action as usize];
                machine.system.apply(&machine.inventory, action, &mut state);
            }
            sum
        };
        sequences.iter().map(|actions| score(actions).exp()).sum::<f64>().ln() - score(&sequences[0])
    }

    /// Makes the gold actions worth more.
    fn led(machine: &Machine, example: &Example, amount: f32) -> Toy {
        let (mut toy, mut state) = (Toy::default(), State::default());
        machine.system.start(example.words.len(), &mut state);
        for &action in &example.actions {
            toy.moved.insert((toy::place(Place::Graph(&state)), action), amount);
            let action = machine.inventory.actions[action as usize];
            machine.system.apply(&machine.inventory, action, &mut state);
        }
        toy
    }

    #[test]
    fn changes_are_the_negative_gradient() {
        let mut seen = [0; 2];
        for (preset, lead) in
            [("sl-bilstm", 0.0), ("sl-bilstm", 1.5), ("s2s-bilstm", 0.5), ("st-bilstm", 1.5)]
        {
            let preset = TransitionRecipe::preset(preset).unwrap();
            let recipe = TransitionRecipe { explore: 0.0, beam: 4, ..preset };
            let data = data(&recipe);
            for example in &data.examples {
                let machine = &data.parse.machine;
                let mut toy = led(machine, example, lead);
                learn_likelihood(machine, &mut toy, example, &recipe, &mut Space::default());
                let (sequences, kept) = compared(machine, &mut toy, example, recipe.beam);
                seen[usize::from(kept)] += 1;
                toy.check_gradient(|toy| loss(machine, toy, example, &sequences));
            }
        }
        // The gold prefix both fell out of a beam and stayed in one.
        assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    }
}
