//! The searches against plain ones that ask the scorer at every site of every step, and against brute force.

#![allow(clippy::unwrap_used)]

mod tree_common;

use pleach_transition::tree::check::legal_ops;
use pleach_transition::tree::classes::Classes;
use pleach_transition::tree::oracle::{Gold, Guide, Oracle};
use pleach_transition::tree::presets::Preset;
use pleach_transition::tree::search::{Beam, Greedy, Heap, Scorer};
use pleach_transition::tree::settings::{Base, Bound, Settings};
use pleach_transition::tree::state::State;
use pleach_transition::tree::system::{Op, Site, System, ends};
use pleach_transition::{NONE, Node};
use std::collections::BTreeSet;

/// Scores that look random but depend only on what is near a site, so that whoever keeps a score too long is found out.
struct Local {
    seed: u64,
    reach: usize,
    calls: usize,
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
        for (mut node, back) in [(site.left, true), (site.right, false)] {
            for _ in 0..=self.reach {
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
    fn score(&mut self, state: &State, site: Site, scores: &mut [f32]) {
        self.calls += 1;
        for class in 0..scores.len() {
            scores[class] = self.at(state, site, class);
        }
    }

    fn reach(&self) -> usize {
        self.reach
    }
}

fn classes(system: &System) -> Classes {
    let labels: BTreeSet<u16> = [1, 2, 3].into();
    Classes::new(system, &labels, &labels, &[4].into()).unwrap()
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
fn choices(system: &System, classes: &Classes, scorer: &Local, state: &State) -> Vec<(f32, Site, u16)> {
    let mut all = Vec::new();
    system.sites(&state.row, |site, position| {
        classes.for_each_legal(system.legal(state, site, position), |class| {
            all.push((scorer.at(state, site, class as usize), site, class));
        });
        true
    });
    all
}

fn plain_greedy(system: &System, classes: &Classes, scorer: &Local, len: usize) -> State {
    let mut state = State::default();
    system.start(len, &mut state);
    loop {
        let all = choices(system, classes, scorer, &state);
        let best = all.into_iter().min_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let Some((_, site, class)) = best else { return state };
        system.apply(classes.op(class, site), &mut state);
    }
}

#[test]
fn greedy_heap_and_a_beam_of_one_agree_with_a_plain_search() {
    let (mut greedy, mut heap, mut beam) = (Greedy::default(), Heap::default(), Beam::default());
    let mut heaps = 0;
    for system in systems() {
        let classes = classes(&system);
        for seed in 0..60 {
            let len = 1 + seed as usize % 17;
            let mut scorer = Local::new(seed);
            let expected = plain_greedy(&system, &classes, &scorer, len);
            assert_eq!(*greedy.parse(&system, &classes, &mut scorer, len), expected, "{system:?}");
            assert_eq!(*beam.parse(&system, &classes, &mut scorer, len, 1), expected, "{system:?}");
            if Heap::serves(&system) {
                heaps += 1;
                assert_eq!(*heap.parse(&system, &classes, &mut scorer, len), expected, "{system:?}");
            }
            let words = if system.is_bottom_up() { len } else { expected.arcs().count() };
            assert_eq!(expected.arcs().count(), words);
        }
    }
    assert_eq!(heaps, 3 * 60);
}

#[test]
fn the_heap_asks_for_a_bounded_number_of_sites_a_word() {
    let system = System::new(&Preset::EasyFirst.settings());
    let classes = classes(&system);
    let mut heap = Heap::default();
    for len in [10, 100, 1000] {
        let mut scorer = Local::new(7);
        heap.parse(&system, &classes, &mut scorer, len);
        assert!(scorer.calls <= 11 * len, "{len} {}", scorer.calls);
    }
}

/// The score of the best sequence, by trying all; also the number of steps it has.
fn best_score(system: &System, classes: &Classes, scorer: &Local, state: &State) -> f32 {
    let all = choices(system, classes, scorer, state);
    let after = all.into_iter().map(|(score, site, class)| {
        let mut next = state.clone();
        system.apply(classes.op(class, site), &mut next);
        score + best_score(system, classes, scorer, &next)
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
        for seed in 0..8 {
            for len in 1..=3 {
                let mut scorer = Local::new(seed);
                let mut start = State::default();
                system.start(len, &mut start);
                let expected = best_score(&system, &classes, &scorer, &start);
                let mut moments = Vec::new();
                // No gold tree: everything is wrong, and the moments tell the score of the best hypothesis.
                let guide = Guide::Sequence(len, &[]);
                beam.train(&system, &classes, &mut scorer, guide, 100_000, false, 0.0, &mut moments);
                assert_eq!(moments.last().unwrap().violation, expected, "{len} {system:?}");
            }
        }
    }
}

/// Leads to a gold tree, or away from it: a gold arc whose modifier is done with before REDUCE of a token that is done
/// with, and that before SHIFT.
struct Led<'a> {
    system: &'a System,
    classes: &'a Classes,
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
        let transition = self.system.transitions()[op.transition as usize];
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
    fn score(&mut self, state: &State, site: Site, scores: &mut [f32]) {
        for (class, score) in scores.iter_mut().enumerate() {
            *score = self.weight * self.worth(state, self.classes.op(class as u16, site));
        }
    }

    fn reach(&self) -> usize {
        0
    }
}

/// A projective tree with labels.
fn gold() -> Gold {
    Gold::tree(&[(2, 1), (6, 2), (2, 3), (5, 2), (3, 1), (0, 4), (8, 3), (6, 1)])
}

#[test]
fn an_oracle_drives_every_parser_to_the_gold_tree() {
    let gold = gold();
    for system in systems() {
        let classes = classes(&system);
        let mut scorer = Led { system: &system, classes: &classes, gold: &gold, weight: 1.0 };
        let mut expected: Vec<_> = gold.arcs().collect();
        let mut greedy = Greedy::default();
        let mut found: Vec<_> = greedy.parse(&system, &classes, &mut scorer, 8).arcs().collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{system:?}");
        let mut mistakes = 0;
        greedy.train(&system, &classes, &mut scorer, Guide::Reachable(&gold), 0.1, |_, _, _| mistakes += 1);
        assert_eq!(mistakes, 0);
        greedy.train(&system, &classes, &mut scorer, Guide::Reachable(&gold), 1.5, |_, _, _| mistakes += 1);
        assert!(mistakes > 0);
    }
}

#[test]
fn violations_are_between_a_wrong_and_a_correct_prefix() {
    let gold = gold();
    for system in systems() {
        let classes = classes(&system);
        let derivation = Oracle::default().derive(&system, &gold).unwrap();
        for guide in [Guide::Reachable(&gold), Guide::Sequence(8, &derivation)] {
            let mut beam = Beam::default();
            let mut scorer = Led { system: &system, classes: &classes, gold: &gold, weight: -1.0 };
            let mut moments = Vec::new();
            beam.train(&system, &classes, &mut scorer, guide, 2, true, 0.0, &mut moments);
            let last = *moments.last().unwrap();
            assert!(!last.correct_in_beam && !last.best_is_correct && last.violation > 0.0);
            assert!(moments[..moments.len() - 1].iter().all(|moment| moment.correct_in_beam));

            beam.train(&system, &classes, &mut scorer, guide, 2, false, 0.0, &mut moments);
            let (mut best, mut correct) = (Vec::new(), Vec::new());
            for moment in &moments {
                beam.sequences(moment, &mut best, &mut correct);
                let mut state = State::default();
                system.start(8, &mut state);
                for (step, &(site, class)) in correct.iter().enumerate() {
                    let op = classes.op(class, site);
                    let mut ops = Vec::new();
                    guide.correct(&system, &state, step, &mut Oracle::default(), &mut ops);
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

/// Random scorers always come to an end and give trees.
#[test]
fn long_sentences_and_empty_ones() {
    for system in systems() {
        let classes = classes(&system);
        let mut beam = Beam::default();
        assert_eq!(beam.parse(&system, &classes, &mut Local::new(1), 0, 4).arcs().count(), 0);
        let len = 150;
        let state = beam.parse(&system, &classes, &mut Local::new(1), len, 3);
        assert!(system.is_final(&state.row) && legal_ops(&system, state).is_empty());
        if system.transitions().iter().all(|t| !t.is_arc() || t.bottom_up) {
            for word in 1..=len as Node {
                assert_eq!(state.heads(word).count(), 1);
                assert!(state.hangs_below(word, 0));
            }
        }
    }
}
