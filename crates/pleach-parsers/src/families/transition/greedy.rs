//! Training of greedy parsers: every wrong decision on the way is an update.
//!
//! On the gold path the static oracle says what is right. A list-based parser may leave it: its dynamic
//! oracle knows the cost of every action in any configuration (`sun-2019` section 5, Goldberg & Nivre 2012).

use super::apart;
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
    memory: apart::Memory,
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
    let Machine { system, inventory, index, .. } = machine;
    let Space { state, scores, costs, memory } = space;
    costs.clear();
    costs.resize(index.len(), 0);
    // Not every system knows the cost of leaving the gold path.
    let dynamic = if recipe.explore > 0.0 { DynamicOracle::new(system) } else { None };
    let mut any_wrong = false;
    system.start(example.words.len(), state);
    let mut step = 0;
    while !system.is_final(state) {
        machine.score_actions(learner, state, scores);
        let legal = system.legal(state);
        let Some(predicted) = index.best(legal, scores) else { break };
        // Several actions may be free; the one of the paper's derivation is right where there is one, so that a model
        // learns one way to go on and not all of them a little.
        let canonical = match dynamic {
            Some(dynamic) => dynamic.canonical(inventory, state, &example.gold).map(|id| id as u32),
            None => example.actions.get(step).copied(),
        };
        let gold = match (canonical, dynamic) {
            (Some(gold), _) => gold,
            (None, Some(dynamic)) => {
                dynamic.costs(inventory, state, &example.gold, costs);
                cheapest(machine, state, scores, costs).unwrap_or(predicted)
            }
            (None, None) => break,
        };
        let is_right = |id: u32| match canonical {
            Some(gold) => id == gold,
            None => costs[id as usize] <= costs[gold as usize],
        };
        let wrong = !is_right(predicted);
        any_wrong |= wrong;
        match (recipe.loss, &machine.factored) {
            (Loss::Local, _) => likelihood(machine, learner, state, scores, gold),
            (Loss::Margin, Some(factored)) => {
                apart::learn_step(machine, factored, learner, state, (gold, recipe.margin), memory);
            }
            (Loss::Margin, None) => {
                let rival = rival(machine, state, scores, is_right);
                let behind = |id: u32| scores[id as usize] + recipe.margin - scores[gold as usize];
                if let Some(rival) = rival.filter(|&id| wrong && id == predicted || behind(id) > 0.0) {
                    any_wrong = true;
                    learner.change_action(Question::state(state), gold, 1.0);
                    learner.change_action(Question::state(state), rival, -1.0);
                    learner.demand(behind(rival));
                }
            }
        }
        let follow =
            if wrong && !(dynamic.is_some() && random.chance(recipe.explore)) { gold } else { predicted };
        system.apply(inventory, inventory.actions[follow as usize], state);
        step += 1;
    }
    any_wrong
}

/// The wrong action that scores best; the lowest id among equals.
fn rival(machine: &Machine, state: &State, scores: &[f32], is_right: impl Fn(u32) -> bool) -> Option<u32> {
    let mut best: Option<u32> = None;
    machine.index.for_each_legal(machine.system.legal(state), |id| {
        let beats = |old: u32| {
            let (new, old) = ((scores[id as usize], old > id), (scores[old as usize], false));
            new > old
        };
        if !is_right(id) && best.is_none_or(beats) {
            best = Some(id);
        }
    });
    best
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

#[cfg(test)]
pub(super) mod tests {
    use super::super::data::Data;
    use super::*;
    use crate::scorer::toy::{self, Toy};
    use crate::train::Corpus;
    use pleach_decode::part::{Kind, Part, PartLearner, PartScorer};
    use pleach_graph::enhanced::Transform;
    use pleach_graph::{Graph, NodeId, Sentence};
    use pleach_transition::scorer::{Learn, Place, Questions, Scorer};
    use std::collections::BTreeSet;

    pub fn data(recipe: &TransitionRecipe) -> Data {
        let sentence = |arcs: &[(u32, u32, &str)]| {
            let mut sentence = Sentence::from_forms(["a", "b", "c", "d", "e"]);
            sentence.graph = Graph::new(5);
            for &(head, dependent, label) in arcs {
                sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
            }
            sentence
        };
        let train = vec![
            sentence(&[(0, 2, "r"), (2, 1, "x"), (2, 4, "y"), (5, 3, "x"), (1, 4, "z"), (4, 5, "y")]),
            sentence(&[(0, 1, "r"), (1, 3, "x"), (3, 1, "z"), (5, 2, "y")]),
        ];
        let corpus = Corpus { train, dev: Vec::new() };
        Data::prepare(recipe, Transform::default(), corpus, None).unwrap()
    }

    /// The local loss along the gold sequence, in double precision.
    fn loss(machine: &Machine, toy: &Toy, example: &Example) -> f64 {
        let Machine { system, inventory, index, .. } = machine;
        let mut state = State::default();
        system.start(example.words.len(), &mut state);
        let mut loss = 0.0;
        for &gold in &example.actions {
            let score = |id: u32| f64::from(toy.value(&(toy::place(Place::Graph(&state)), id)));
            let mut all = 0.0;
            index.for_each_legal(system.legal(&state), |id| all += score(id).exp());
            loss += f64::ln(all) - score(gold);
            system.apply(inventory, inventory.actions[gold as usize], &mut state);
        }
        loss
    }

    #[test]
    fn changes_are_the_negative_gradient() {
        for preset in ["st-bilstm", "ss-bilstm", "s2s-bilstm", "sl-bilstm"] {
            let recipe = TransitionRecipe { explore: 0.0, ..TransitionRecipe::preset(preset).unwrap() };
            let data = data(&recipe);
            for example in &data.examples {
                let mut toy = Toy::default();
                let (machine, random) = (&data.parse.machine, Random::new(1, 2));
                assert!(learn(machine, &mut toy, example, &recipe, random, &mut Space::default()));
                toy.check_gradient(|toy| loss(machine, toy, example));
            }
        }
    }

    /// Looks at what is taught, and where.
    struct Inspector<'a> {
        toy: Toy,
        machine: &'a Machine,
        example: &'a Example,
        /// Configurations in which something was taught to be right.
        places: BTreeSet<String>,
    }

    impl Scorer for Inspector<'_> {
        fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
            self.toy.answer(questions, rows);
        }
    }

    impl Learn for Inspector<'_> {
        fn change_action(&mut self, question: Question<'_>, action: u32, amount: f32) {
            let Place::Graph(state) = question.place else { panic!("a graph system") };
            if amount > 0.0 {
                let Machine { system, inventory, .. } = self.machine;
                let oracle = DynamicOracle::new(system).unwrap();
                let mut costs = vec![0; inventory.actions.len()];
                oracle.costs(inventory, state, &self.example.gold, &mut costs);
                assert_eq!(costs.iter().min(), Some(&costs[action as usize]));
                self.places.insert(toy::place(question.place));
            }
        }
    }

    impl PartScorer for Inspector<'_> {
        fn scores(&self, _: Kind) -> bool {
            false
        }

        fn score(&mut self, _: Part, _: &mut [f32]) {}
    }

    impl PartLearner for Inspector<'_> {
        fn change_part(&mut self, _: Part, _: u16, _: f32) {}
    }

    /// With a margin, a right decision that is not ahead of all others by so much is learnt from too.
    #[test]
    fn right_actions_must_be_ahead_by_the_margin() {
        for preset in ["s2s-combined", "sl-combined"] {
            let recipe =
                |margin| TransitionRecipe { beam: 1, margin, ..TransitionRecipe::preset(preset).unwrap() };
            let data = data(&recipe(0.0));
            let (machine, example) = (&data.parse.machine, &data.examples[0]);
            let told = |margin: f32, ahead: f32| {
                // Where the gold actions are put ahead of all others by this much.
                let (mut toy, mut state) = (Toy::default(), State::default());
                machine.system.start(example.words.len(), &mut state);
                for &gold in &example.actions {
                    let place = toy::place(Place::Graph(&state));
                    let most = (0..machine.actions() as u32).map(|id| toy.value(&(place.clone(), id)));
                    let most = most.fold(f32::NEG_INFINITY, f32::max);
                    let at = (place, gold);
                    let change = most + ahead - toy.value(&at);
                    toy.moved.insert(at, change);
                    machine.system.apply(
                        &machine.inventory,
                        machine.inventory.actions[gold as usize],
                        &mut state,
                    );
                }
                let random = Random::new(1, 2);
                let wrong = learn(machine, &mut toy, example, &recipe(margin), random, &mut Space::default());
                assert_eq!(wrong, !toy.told.is_empty());
                toy.told
            };
            assert!(told(0.0, 1.0).is_empty() && told(2.0, 4.0).is_empty());
            let changes = told(3.0, 1.0);
            // At every step with a choice, the gold action up and one other down.
            assert_eq!(changes.values().filter(|&&amount| amount == 1.0).count(), changes.len() / 2);
            assert!(changes.len() > example.actions.len() && changes.values().sum::<f32>() == 0.0);
        }
    }

    /// Wherever exploration leads, what is taught to be right costs no more than anything else; and it does lead away from
    /// the gold sequence.
    #[test]
    fn what_is_taught_costs_least() {
        for preset in ["sl-bilstm", "s2s-bilstm"] {
            let recipe = TransitionRecipe { explore: 0.7, ..TransitionRecipe::preset(preset).unwrap() };
            let data = data(&recipe);
            let mut away = 0;
            for (example, seed) in data.examples.iter().flat_map(|example| (0..8).map(move |i| (example, i)))
            {
                let machine = &data.parse.machine;
                let (toy, places) = (Toy::default(), BTreeSet::new());
                let mut inspector = Inspector { toy, machine, example, places };
                let random = Random::new(seed, 5);
                learn(machine, &mut inspector, example, &recipe, random, &mut Space::default());
                assert!(!inspector.places.is_empty());
                let (Machine { system, inventory, .. }, mut state) = (machine, State::default());
                system.start(example.words.len(), &mut state);
                let mut path = BTreeSet::new();
                for &action in &example.actions {
                    path.insert(toy::place(Place::Graph(&state)));
                    system.apply(inventory, inventory.actions[action as usize], &mut state);
                }
                away += inspector.places.difference(&path).count();
            }
            assert!(away > 0, "{preset}");
        }
    }
}
