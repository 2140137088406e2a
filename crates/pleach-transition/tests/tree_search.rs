//! The searches against plain ones that ask the scorer at every site of every step, and against brute force.

#![allow(clippy::unwrap_used)]

mod tree_common;

use pleach_transition::scorer::{Place, Questions, Scorer};
use pleach_transition::search::{Lockstep, Stepped};
use pleach_transition::tree::check::legal_ops;
use pleach_transition::tree::classes::Classes;
use pleach_transition::tree::oracle::{Gold, Guide, Oracle};
use pleach_transition::tree::presets::Preset;
use pleach_transition::tree::search::{Beam, Greedy, Heap, Machine};
use pleach_transition::tree::settings::{Base, Bound, Settings};
use pleach_transition::tree::state::State;
use pleach_transition::tree::system::{Op, Site, System, ends};
use pleach_transition::{NONE, Node};
use std::collections::BTreeSet;

/// Scores that look random but depend only on what is near a site, so that whoever keeps a score too long is found out.
/// With an endless reach they depend on all of O and on what waits.
struct Local {
    seed: u64,
    reach: usize,
    calls: usize,
}

/// Answers questions about sites one by one.
fn each_site(questions: &dyn Questions, rows: &mut [f32], mut score: impl FnMut(&State, Site, &mut [f32])) {
    let width = rows.len() / questions.len();
    for (number, row) in rows.chunks_exact_mut(width).enumerate() {
        let Place::Tree(state, site) = questions.get(number).place else { unreachable!() };
        score(state, site, row);
    }
}

/// Runs a search to its end.
fn run(machine: &Machine, search: &mut impl Stepped<Machine>, scorer: &mut impl Scorer) {
    Lockstep::default().run(machine, search, machine.actions(), scorer);
}

fn mix(h: u64, value: u64) -> u64 {
    (h.rotate_left(23) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (h >> 31)
}

impl Local {
    fn new(seed: u64) -> Self {
        Local { seed, reach: 2, calls: 0 }
    }

    fn at(&self, state: &State, site: Site, class: usize) -> f32 {
        let mut h = mix(self.seed, u64::from(site.distance));
        let see = |h: u64, node: Node| {
            let links = state
                .links
                .get(node as usize)
                .map_or(0, |links| u64::from(links.child_labels[0]) << 32 | u64::from(links.child_labels[1]));
            mix(mix(h, node.into()), links)
        };
        if self.reach == usize::MAX {
            h = state.row.operative().fold(mix(h, state.row.front().into()), see);
        }
        for (mut node, back) in [(site.left, true), (site.right, false)] {
            for _ in 0..=self.reach.min(2) {
                h = see(h, node);
                if node != NONE {
                    node = if back { state.row.before(node) } else { state.row.after(node) };
                }
            }
        }
        // Few different values, so that ties are common.
        (mix(h, class as u64) >> 40) as f32 % 7.0
    }
}

impl Scorer for Local {
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        self.calls += questions.len();
        each_site(questions, rows, |state, site, row| {
            for (class, score) in row.iter_mut().enumerate() {
                *score = self.at(state, site, class);
            }
        });
    }

    fn reach(&self) -> usize {
        self.reach
    }
}

fn machine(system: System) -> Machine {
    let labels: BTreeSet<u16> = [1, 2, 3].into();
    let classes = Classes::new(&system, &labels, &labels, &[4].into()).unwrap();
    Machine::new(system, classes)
}

fn machines() -> Vec<Machine> {
    systems().into_iter().map(machine).collect()
}

fn systems() -> Vec<System> {
    let mut all: Vec<Settings> = Preset::ALL.map(Preset::settings).to_vec();
    for (capacity, distance) in [(3, 1), (3, 2), (8, 3)] {
        let mut settings = Preset::BoundedEasyFirst.settings();
        settings.capacity = Bound::Finite(capacity);
        settings.distance = Bound::Finite(distance);
        all.push(settings);
    }
    all.push(Settings { distance: Bound::Infinite, ..Preset::EasyFirst.settings() });
    all.iter().map(System::new).collect()
}

/// Every legal class of a configuration with its score.
fn choices(machine: &Machine, scorer: &Local, state: &State) -> Vec<(f32, Site, u16)> {
    let mut all = Vec::new();
    machine.system.sites(&state.row, |site, position| {
        machine.classes.for_each_legal(machine.system.legal(state, site, position), |class| {
            all.push((scorer.at(state, site, class as usize), site, class));
        });
        true
    });
    all
}

fn plain_greedy(machine: &Machine, scorer: &Local, len: usize) -> State {
    let mut state = State::default();
    machine.system.start(len, &mut state);
    loop {
        let all = choices(machine, scorer, &state);
        let best = all.into_iter().min_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let Some((_, site, class)) = best else { return state };
        machine.system.apply(machine.classes.op(class, site), &mut state);
    }
}

#[test]
fn greedy_heap_and_a_beam_of_one_agree_with_a_plain_search() {
    let (mut greedy, mut heap, mut beam) = (Greedy::default(), Heap::default(), Beam::default());
    let mut heaps = 0;
    for machine in machines() {
        let system = &machine.system;
        for seed in 0..120 {
            let len = 1 + seed as usize % 17;
            let reach = if seed < 60 { 2 } else { usize::MAX };
            let mut scorer = Local { reach, ..Local::new(seed) };
            let expected = plain_greedy(&machine, &scorer, len);
            greedy.begin(&machine, len, reach);
            run(&machine, &mut greedy, &mut scorer);
            assert_eq!(*greedy.state(), expected, "{system:?}");
            beam.begin(&machine, len, 1, reach);
            run(&machine, &mut beam, &mut scorer);
            assert_eq!(*beam.best(), expected, "{system:?}");
            if Heap::serves(system) {
                heaps += 1;
                heap.begin(&machine, len, reach);
                run(&machine, &mut heap, &mut scorer);
                assert_eq!(*heap.state(), expected, "{system:?}");
            }
            let words = if system.is_bottom_up() { len } else { expected.arcs().count() };
            assert_eq!(expected.arcs().count(), words);
        }
    }
    assert_eq!(heaps, 3 * 120);
}

/// A scorer that says nothing of its reach is asked again after every transition, and the result is the same.
#[test]
fn an_unknown_reach_costs_questions_and_nothing_else() {
    for machine in machines() {
        let mut scorer = Local::new(3);
        let mut calls = [0; 2];
        let mut found = Vec::new();
        for (reach, calls) in [scorer.reach(), usize::MAX].into_iter().zip(&mut calls) {
            let mut beam = Beam::default();
            beam.begin(&machine, 30, 3, reach);
            scorer.calls = 0;
            run(&machine, &mut beam, &mut scorer);
            *calls = scorer.calls;
            found.push(beam.best().clone());
        }
        assert_eq!(found[0], found[1]);
        assert!(calls[0] <= calls[1]);
    }
}

/// Many sites are open at once in a long sentence in which all tokens are active; they are asked about in portions.
#[test]
fn portions_of_many_open_sites() {
    let machine =
        machine(System::new(&Settings { distance: Bound::Finite(8), ..Preset::EasyFirst.settings() }));
    let (mut greedy, mut heap) = (Greedy::default(), Heap::default());
    let mut scorer = Local::new(11);
    let len = 1000;
    greedy.begin(&machine, len, scorer.reach());
    assert!(greedy.open() < 8 * len - 100 && greedy.open() > 1000, "{}", greedy.open());
    run(&machine, &mut greedy, &mut scorer);
    heap.begin(&machine, len, scorer.reach());
    run(&machine, &mut heap, &mut scorer);
    assert_eq!(greedy.state(), heap.state());
    assert_eq!(greedy.state().arcs().count(), len);
}

#[test]
fn the_heap_asks_for_a_bounded_number_of_sites_a_word() {
    let machine = machine(System::new(&Preset::EasyFirst.settings()));
    let mut heap = Heap::default();
    for len in [10, 100, 1000] {
        let mut scorer = Local::new(7);
        heap.begin(&machine, len, scorer.reach());
        run(&machine, &mut heap, &mut scorer);
        assert!(scorer.calls <= 11 * len, "{len} {}", scorer.calls);
    }
}

/// The score of the best sequence, by trying all; also the number of steps it has.
fn best_score(machine: &Machine, scorer: &Local, state: &State) -> f32 {
    let all = choices(machine, scorer, state);
    let after = all.into_iter().map(|(score, site, class)| {
        let mut next = state.clone();
        machine.system.apply(machine.classes.op(class, site), &mut next);
        score + best_score(machine, scorer, &next)
    });
    after
        .fold(None, |best: Option<f32>, score| Some(best.map_or(score, |best| best.max(score))))
        .unwrap_or(0.0)
}

#[test]
fn a_wide_beam_finds_the_best_sequence() {
    let mut beam = Beam::default();
    for system in systems().into_iter().filter(System::is_bottom_up) {
        let labels: BTreeSet<u16> = [1].into();
        let classes = Classes::new(&system, &labels, &labels, &[2].into()).unwrap();
        let machine = Machine::new(system, classes);
        for seed in 0..8 {
            for len in 1..=3 {
                let mut scorer = Local::new(seed);
                let mut start = State::default();
                machine.system.start(len, &mut start);
                let expected = best_score(&machine, &scorer, &start);
                // No gold tree: everything is wrong, and the moments tell the score of the best hypothesis.
                let guide = Guide::Sequence(len, &[]);
                beam.begin_training(&machine, guide, 100_000, scorer.reach(), (false, 0.0));
                run(&machine, &mut beam, &mut scorer);
                assert_eq!(beam.moments().last().unwrap().violation, expected, "{len} {machine:?}");
                assert_eq!(beam.hypotheses().next().unwrap().1, expected);
            }
        }
    }
}

/// Leads to a gold tree, or away from it: a gold arc whose modifier is done with before REDUCE of a token that is done
/// with, and that before SHIFT.
struct Led<'a> {
    machine: &'a Machine,
    gold: &'a Gold,
    weight: f32,
}

impl Led<'_> {
    /// How many gold arcs of a node are missing.
    fn pending(&self, state: &State, node: Node) -> usize {
        let missing = |&(head, dependent, _): &(Node, Node, u16)| {
            (head == node || dependent == node) && state.label(head, dependent).is_none()
        };
        self.gold.arcs().filter(missing).count()
    }

    fn worth(&self, state: &State, op: Op) -> f32 {
        let transition = self.machine.system.transitions()[op.transition as usize];
        let (head, modifier) = ends(transition.base, op.left, op.right);
        match transition.base {
            Base::Shift => 0.5,
            Base::Reduce => {
                let node = if op.variant == 0 { op.left } else { op.right };
                if self.pending(state, node) == 0 { 0.8 } else { 0.0 }
            }
            Base::LeftArc | Base::RightArc => {
                let gold = self.gold.arcs().any(|arc| arc == (head, modifier, op.label));
                let done = !transition.bottom_up || self.pending(state, modifier) == 1;
                if gold && done { 1.0 } else { 0.0 }
            }
        }
    }
}

impl Scorer for Led<'_> {
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        each_site(questions, rows, |state, site, row| {
            for (class, score) in row.iter_mut().enumerate() {
                *score = self.weight * self.worth(state, self.machine.classes.op(class as u16, site));
            }
        });
    }

    fn reach(&self) -> usize {
        0
    }
}

/// A projective tree with labels.
fn gold() -> Gold {
    Gold::tree(&[(2, 1), (6, 2), (2, 3), (5, 2), (3, 1), (0, 4), (8, 3), (6, 1)])
}

/// Trains greedily on one sentence and counts the mistakes; each is between a correct and a wrong transition.
fn mistakes(
    machine: &Machine,
    greedy: &mut Greedy,
    scorer: &mut impl Scorer,
    guide: Guide<'_>,
    margin: f32,
) -> usize {
    greedy.begin_training(machine, guide, scorer.reach(), margin);
    let mut seen = Vec::new();
    for count in 0.. {
        run(machine, greedy, scorer);
        let Some(mistake) = greedy.mistake() else { return count };
        assert!(!seen.contains(&mistake.wrong) && mistake.violation >= 0.0);
        seen.push(mistake.wrong);
        let mut ops = Vec::new();
        let step = greedy.state().steps as usize;
        if let Guide::Reachable(_) = guide {
            guide.correct(&machine.system, greedy.state(), step, &mut Oracle::default(), &mut ops);
            let is_correct = |(site, class): (Site, u16)| ops.contains(&machine.classes.op(class, site));
            assert!(is_correct(mistake.correct) && !is_correct(mistake.wrong));
        }
        greedy.resume(machine);
    }
    0
}

#[test]
fn an_oracle_drives_every_parser_to_the_gold_tree() {
    let gold = gold();
    for machine in machines() {
        let mut scorer = Led { machine: &machine, gold: &gold, weight: 1.0 };
        let mut expected: Vec<_> = gold.arcs().collect();
        let mut greedy = Greedy::default();
        greedy.begin(&machine, 8, scorer.reach());
        run(&machine, &mut greedy, &mut scorer);
        let mut found: Vec<_> = greedy.state().arcs().collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{machine:?}");
        assert_eq!(mistakes(&machine, &mut greedy, &mut scorer, Guide::Reachable(&gold), 0.1), 0);
        assert!(mistakes(&machine, &mut greedy, &mut scorer, Guide::Reachable(&gold), 1.5) > 0);
        // The walk goes along correct transitions however many mistakes there are.
        let mut led: Vec<_> = greedy.state().arcs().collect();
        led.sort_unstable();
        assert_eq!(led, expected);
        let derivation = Oracle::default().derive(&machine.system, &gold).unwrap();
        let mut astray = Led { machine: &machine, gold: &gold, weight: -1.0 };
        let guide = Guide::Sequence(8, &derivation);
        let most = mistakes(&machine, &mut greedy, &mut astray, guide, 0.0);
        assert!(most > 0 && most <= derivation.len());
    }
}

/// Where all tokens are active, a site that nothing happens near would be wrong again at every step. A mistake is the best
/// wrong transition of those that have not been one in this sentence.
#[test]
fn a_site_and_a_class_are_a_mistake_once() {
    let machine = machine(System::new(&Preset::EasyFirst.settings()));
    let gold = gold();
    let mut greedy = Greedy::default();
    let mut scorer = Local::new(5);
    let (mut punished, mut passed_over) = (Vec::new(), 0);
    greedy.begin_training(&machine, Guide::Reachable(&gold), scorer.reach(), 100.0);
    loop {
        run(&machine, &mut greedy, &mut scorer);
        let Some(mistake) = greedy.mistake() else { break };
        let (state, mut correct) = (greedy.state(), Vec::new());
        Guide::Reachable(&gold).correct(&machine.system, state, 0, &mut Oracle::default(), &mut correct);
        let mut wrong = Vec::new();
        machine.system.sites(&state.row, |site, position| {
            machine.classes.for_each_legal(machine.system.legal(state, site, position), |class| {
                if !correct.contains(&machine.classes.op(class, site)) {
                    wrong.push((scorer.at(state, site, usize::from(class)), (site, class)));
                }
            });
            true
        });
        let rank = |&(_, (site, class)): &(f32, (Site, u16))| (site.left, site.distance, class);
        wrong.sort_by(|a, b| b.0.total_cmp(&a.0).then(rank(a).cmp(&rank(b))));
        let best = wrong.iter().position(|(_, choice)| !punished.contains(choice)).unwrap();
        assert_eq!(wrong[best].1, mistake.wrong);
        passed_over += usize::from(best > 0);
        punished.push(mistake.wrong);
        greedy.resume(&machine);
    }
    assert!(passed_over > 0 && punished.len() > passed_over, "{passed_over} of {}", punished.len());
}

#[test]
fn violations_are_between_a_wrong_and_a_correct_prefix() {
    let gold = gold();
    for machine in machines() {
        let Machine { system, classes } = &machine;
        let derivation = Oracle::default().derive(system, &gold).unwrap();
        for guide in [Guide::Reachable(&gold), Guide::Sequence(8, &derivation)] {
            let mut beam = Beam::default();
            let mut scorer = Led { machine: &machine, gold: &gold, weight: -1.0 };
            beam.begin_training(&machine, guide, 2, scorer.reach(), (true, 0.0));
            run(&machine, &mut beam, &mut scorer);
            let moments = beam.moments();
            let last = *moments.last().unwrap();
            assert!(!last.correct_in_beam && !last.best_is_correct && last.violation > 0.0);
            assert!(moments[..moments.len() - 1].iter().all(|moment| moment.correct_in_beam));

            beam.begin_training(&machine, guide, 2, scorer.reach(), (false, 0.0));
            run(&machine, &mut beam, &mut scorer);
            let (mut best, mut correct) = (Vec::new(), Vec::new());
            for moment in beam.moments() {
                beam.sequences(moment, &mut best, &mut correct);
                let mut state = State::default();
                system.start(8, &mut state);
                for (step, &(site, class)) in correct.iter().enumerate() {
                    let op = classes.op(class, site);
                    let mut ops = Vec::new();
                    guide.correct(system, &state, step, &mut Oracle::default(), &mut ops);
                    assert!(ops.contains(&op));
                    system.apply(op, &mut state);
                }
            }
            // The last one is a whole derivation of the gold tree.
            let mut state = State::default();
            system.start(8, &mut state);
            correct.iter().for_each(|&(site, class)| system.apply(classes.op(class, site), &mut state));
            assert!(system.is_final(&state.row));
            assert!(gold.arcs().all(|(head, dependent, label)| state.label(head, dependent) == Some(label)));
        }
    }
}

/// Arcs that don't touch each other can be made in any order; a beam has a configuration once, whatever led to it, with the
/// best of its scores.
#[test]
fn a_configuration_is_in_the_beam_once() {
    let gold = gold();
    for machine in machines() {
        let system = &machine.system;
        for seed in 0..20 {
            let mut scorer = Local::new(seed);
            let mut beam = Beam::default();
            beam.begin(&machine, 9, 8, scorer.reach());
            loop {
                let mut seen: Vec<(Vec<_>, Vec<Node>, Node)> = Vec::new();
                for (state, _) in beam.hypotheses() {
                    let mut arcs: Vec<_> = state.arcs().collect();
                    arcs.sort_unstable();
                    seen.push((arcs, state.row.operative().collect(), state.row.front()));
                }
                let all = seen.len();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len(), all, "{system:?}");
                if beam.open() == 0 {
                    break;
                }
                let width = machine.actions();
                let rows: Vec<f32> = (0..beam.open())
                    .flat_map(|number| {
                        let Place::Tree(state, site) = beam.place(number) else { unreachable!() };
                        (0..width).map(|class| scorer.at(state, site, class)).collect::<Vec<_>>()
                    })
                    .collect();
                beam.advance(&machine, &rows);
            }
            // In training, too; and a correct hypothesis is not lost to a wrong one at the same place.
            beam.begin_training(&machine, Guide::Reachable(&gold), 8, scorer.reach(), (false, 0.0));
            run(&machine, &mut beam, &mut scorer);
            let mut trees: Vec<Vec<_>> = beam.hypotheses().map(|(state, _)| state.arcs().collect()).collect();
            trees.iter_mut().for_each(|arcs| arcs.sort_unstable());
            trees.sort_unstable();
            let all = trees.len();
            trees.dedup();
            assert_eq!(trees.len(), all, "{system:?}");
        }
    }
}

/// Random scorers always come to an end and give trees.
#[test]
fn long_sentences_and_empty_ones() {
    for machine in machines() {
        let system = &machine.system;
        let mut beam = Beam::default();
        let mut scorer = Local::new(1);
        beam.begin(&machine, 0, 4, scorer.reach());
        assert_eq!(beam.open(), 0);
        assert_eq!(beam.best().arcs().count(), 0);
        let len = 150;
        beam.begin(&machine, len, 3, scorer.reach());
        run(&machine, &mut beam, &mut scorer);
        let state = beam.best();
        assert!(system.is_final(&state.row) && legal_ops(system, state).is_empty());
        if system.transitions().iter().all(|t| !t.is_arc() || t.bottom_up) {
            for word in 1..=len as Node {
                assert_eq!(state.heads(word).count(), 1);
                assert!(state.hangs_below(word, 0));
            }
        }
    }
}
