//! Certificates of the relaxation against trying all combinations of choices.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Random;
use pleach_decode::relax::{
    Certificate, Choice, Constraint, Coupling, Item, Relaxation, Row, Sense, Settings, Subproblem,
};

const ITEMS: usize = 5;

/// A subproblem that is a list: sets of items (as bits) with their scores.
#[derive(Clone)]
struct List {
    sets: Vec<(u32, f64)>,
    exact: bool,
}

impl List {
    fn random(random: &mut Random) -> List {
        let count = 2 + random.below(8);
        let set = |_| (random.below(1 << ITEMS), f64::from(random.score(6)));
        List { sets: (0..count).map(set).collect(), exact: true }
    }
}

impl Subproblem for List {
    fn maximise(&mut self, changes: &[f64], chosen: &mut Vec<Item>) -> f64 {
        let items = |set: u32| (0..ITEMS as u32).filter(move |item| set >> item & 1 == 1);
        let value =
            |&(set, score): &(u32, f64)| score + items(set).map(|item| changes[item as usize]).sum::<f64>();
        let best = self.sets.iter().max_by(|a, b| value(a).total_cmp(&value(b))).unwrap();
        chosen.extend(items(best.0));
        best.1
    }

    fn is_exact(&self) -> bool {
        self.exact
    }
}

/// Constraints as rows, all of them known.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
}

impl Rows {
    fn add(&mut self, sense: Sense, bound: f64, terms: &[(usize, Item, f64)]) {
        let mut row = Row::default();
        (row.sense, row.bound) = (sense, bound);
        for &(place, item, coefficient) in terms {
            row.add(place, item, coefficient);
        }
        self.rows.push(row);
    }

    /// What the papers ask for: agreement (`du-2015`), one part of the other (its trees), and pages (`sun-2017`),
    /// where an item is on the other page too or one of its neighbours is.
    fn random(random: &mut Random, subproblems: usize) -> Rows {
        let mut rows = Rows::default();
        for item in 0..ITEMS as Item {
            match random.below(3) {
                0 => rows.add(Sense::Equal, 0.0, &[(0, item, 1.0), (1, item, -1.0)]),
                1 => rows.add(Sense::AtMost, 0.0, &[(0, item, 1.0), (1, item, -1.0)]),
                _ => {
                    let next = (item + 1) % ITEMS as Item;
                    rows.add(Sense::AtMost, 0.0, &[(0, item, 1.0), (1, item, -1.0), (1, next, -1.0)]);
                }
            }
            if subproblems == 3 {
                rows.add(Sense::AtMost, 1.0, &[(2, item, 1.0), (0, item, 1.0)]);
            }
        }
        rows
    }
}

impl Coupling for Rows {
    fn items(&self, _: usize) -> usize {
        ITEMS
    }

    fn violated(&mut self, choices: &[Choice], violated: &mut Vec<Constraint>) {
        let broken = |row: &Row| {
            let excess = row.excess(choices);
            excess > 0.0 || (row.sense == Sense::Equal && excess != 0.0)
        };
        violated.extend((0..self.rows.len()).filter(|&i| broken(&self.rows[i])).map(|i| i as u64));
    }

    fn row(&self, constraint: Constraint, row: &mut Row) {
        row.clone_from(&self.rows[constraint as usize]);
    }
}

/// Whether sets of items satisfy all rows: the same question asked of numbers.
fn satisfies(rows: &Rows, sets: &[u32]) -> bool {
    rows.rows.iter().all(|row| {
        let terms = row.terms().filter(|(place, item, _)| sets[*place] >> item & 1 == 1);
        let sum: f64 = terms.map(|(_, _, coefficient)| coefficient).sum();
        if row.sense == Sense::Equal { sum == row.bound } else { sum <= row.bound }
    })
}

/// The best value of all combinations that satisfy the rows.
fn brute_force(lists: &[List], rows: &Rows, sets: &mut Vec<u32>, value: f64) -> Option<f64> {
    let Some(list) = lists.get(sets.len()) else { return satisfies(rows, sets).then_some(value) };
    let mut best: Option<f64> = None;
    for &(set, score) in &list.sets {
        sets.push(set);
        let found = brute_force(lists, rows, sets, value + score);
        best = [best, found].into_iter().flatten().max_by(f64::total_cmp);
        sets.pop();
    }
    best
}

#[test]
fn certificates_hold() {
    let mut random = Random(3);
    let mut relaxation = Relaxation::default();
    let (mut optimal, mut within, mut none) = (0, 0, 0);
    for round in 0..6000 {
        let count = 2 + round % 2;
        let mut lists: Vec<List> = (0..count).map(|_| List::random(&mut random)).collect();
        let mut rows = Rows::random(&mut random, count);
        let best = brute_force(&lists, &rows, &mut Vec::new(), 0.0);
        let settings = Settings { first_agreement: round % 4 < 2, ..Settings::default() };
        let mut trace = Vec::new();
        let mut subproblems: Vec<&mut dyn Subproblem> =
            lists.iter_mut().map(|list| list as &mut dyn Subproblem).collect();
        let outcome = relaxation.solve(&mut subproblems, &mut rows, &settings, Some(&mut trace));
        assert_eq!(trace.len(), outcome.iterations);
        if let Some(best) = best {
            assert!(trace.iter().all(|iteration| iteration.dual >= best - 1e-9), "{trace:?}");
            assert!(outcome.bound >= best - 1e-9);
        }
        let sets: Vec<u32> =
            (0..count).map(|place| relaxation.solution(place).iter().map(|item| 1 << item).sum()).collect();
        assert_eq!(outcome.certificate.is_feasible(), satisfies(&rows, &sets));
        match outcome.certificate {
            Certificate::Optimal => {
                optimal += 1;
                assert!((outcome.value - best.unwrap()).abs() < 1e-6);
            }
            Certificate::Within(gap) => {
                within += 1;
                assert!(outcome.value <= best.unwrap() && best.unwrap() <= outcome.value + gap + 1e-9);
            }
            Certificate::Agreed => panic!("all subproblems are exact"),
            Certificate::Disagreed => none += 1,
        }
    }
    // All three kinds occur, and the relaxation is tight more often than not where there is a solution.
    assert!(optimal > 2000 && within > 50 && none > 50, "{optimal} {within} {none}");
}

#[test]
fn an_inexact_subproblem_proves_nothing() {
    let mut list = List { sets: vec![(1, 1.0)], exact: false };
    let mut other = List { sets: vec![(1, 1.0)], exact: true };
    let mut rows = Rows::default();
    rows.add(Sense::Equal, 0.0, &[(0, 0, 1.0), (1, 0, -1.0)]);
    let outcome =
        Relaxation::default().solve(&mut [&mut list, &mut other], &mut rows, &Settings::default(), None);
    assert_eq!((outcome.certificate, outcome.iterations), (Certificate::Agreed, 1));
    assert_eq!((outcome.value, outcome.bound), (2.0, f64::INFINITY));
}

#[test]
fn a_feasible_iterate_need_not_be_optimal() {
    // Item 0 is worth 4 in the first but needs item 0 in the second, which costs 3 there: together they are the
    // best. A first step of 10 overshoots: the first gives its item up, the second takes it.
    let lists = [vec![(0, 0.0), (1, 4.0)], vec![(0, 0.0), (1, -3.0)]].map(|sets| List { sets, exact: true });
    let solve = |first_agreement: bool| {
        let mut rows = Rows::default();
        rows.add(Sense::AtMost, 0.0, &[(0, 0, 1.0), (1, 0, -1.0)]);
        let [mut a, mut b] = lists.clone();
        let settings = Settings { step: 10.0, first_agreement, ..Settings::default() };
        Relaxation::default().solve(&mut [&mut a, &mut b], &mut rows, &settings, None)
    };
    let first = solve(true);
    assert_eq!((first.certificate, first.value), (Certificate::Within(7.0), -3.0));
    let best = solve(false);
    assert_eq!((best.certificate, best.value), (Certificate::Optimal, 1.0));
}

/// Agreement of item 0 whose coefficient is taken from the last choice of the first subproblem, as in `sun-2019`.
struct Linearised {
    last: bool,
}

impl Coupling for Linearised {
    fn items(&self, _: usize) -> usize {
        ITEMS
    }

    fn linearise(&mut self, choices: &[Choice]) -> bool {
        std::mem::replace(&mut self.last, choices[0].contains(0)) != self.last
    }

    fn violated(&mut self, choices: &[Choice], violated: &mut Vec<Constraint>) {
        if choices[0].contains(0) && !choices[1].contains(0) {
            violated.push(0);
        }
    }

    fn row(&self, _: Constraint, row: &mut Row) {
        row.sense = Sense::Equal;
        if self.last {
            row.add(0, 0, 1.0);
            row.add(1, 0, -1.0);
        }
    }
}

#[test]
fn a_linearised_constraint_that_runs_in_a_circle_is_found() {
    // Once item 0 is given up its constraint is gone, so it comes back: without the end of the search at the first
    // agreement, that goes on for ever.
    let mut first = List { sets: vec![(0, 0.0), (1, 1.0)], exact: true };
    let mut second = List { sets: vec![(0, 0.0)], exact: true };
    let settings = Settings { first_agreement: false, step: 2.0, ..Settings::default() };
    let mut relaxation = Relaxation::default();
    let mut coupling = Linearised { last: false };
    let outcome = relaxation.solve(&mut [&mut first, &mut second], &mut coupling, &settings, None);
    assert_eq!(outcome.period, Some(2));
    assert_eq!(outcome.circles, settings.circles);
    assert!(outcome.iterations < settings.iterations);
    // What is feasible was kept; optimality can't be claimed, though the bound of the first iteration holds.
    assert_eq!((outcome.certificate, outcome.value), (Certificate::Within(1.0), 0.0));
    assert!(relaxation.solution(0).is_empty());
}

#[test]
fn constraints_are_generated_only_when_violated() {
    let mut a = List { sets: vec![(0b00011, 3.0), (0b00001, 2.5)], exact: true };
    let mut b = List { sets: vec![(0b00001, 1.0), (0b00011, 0.8)], exact: true };
    let mut rows = Rows::default();
    for item in 0..ITEMS as Item {
        rows.add(Sense::Equal, 0.0, &[(0, item, 1.0), (1, item, -1.0)]);
    }
    let mut relaxation = Relaxation::default();
    let mut trace = Vec::new();
    let settings = Settings { step: 0.4, ..Settings::default() };
    let outcome = relaxation.solve(&mut [&mut a, &mut b], &mut rows, &settings, Some(&mut trace));
    assert_eq!((outcome.certificate, outcome.iterations), (Certificate::Optimal, 2));
    assert_eq!((trace[0].multipliers, trace[1].multipliers), (0, 1));
    assert_eq!((&trace[0].violated[..], &trace[1].violated[..]), (&[1][..], &[][..]));
    assert_eq!(relaxation.multipliers().map(|(constraint, _)| constraint).collect::<Vec<_>>(), [1]);
}
