//! Bound pages against trying all pairs of noncrossing graphs.

mod common;

use common::Random;
use pleach_decode::noncrossing::binding::{Binding, Page, item, link, violation};
use pleach_decode::noncrossing::first::First;
use pleach_decode::noncrossing::{Candidates, Direction, EdgeId, Link, Scores};
use pleach_decode::relax::{Certificate, Relaxation, Settings};

const NONE: f32 = f32::NEG_INFINITY;

/// All noncrossing graphs of one direction, as sets of edges (bits), with their scores on both pages.
fn graphs(candidates: &Candidates, pages: &[Vec<Scores>; 2]) -> Vec<(u32, [f32; 2])> {
    let crossed: Vec<u32> = (0..candidates.len() as EdgeId)
        .map(|a| (0..candidates.len() as EdgeId).filter(|&b| candidates.cross(a, b)).map(|b| 1 << b).sum())
        .collect();
    let edges = |set: u32| (0..candidates.len()).filter(move |edge| set >> edge & 1 == 1);
    let noncrossing =
        (0..1u32 << candidates.len()).filter(|&set| edges(set).all(|edge| crossed[edge] & set == 0));
    noncrossing
        .map(|set| (set, [0, 1].map(|page| edges(set).map(|edge| pages[page][edge][0]).sum())))
        .collect()
}

/// Whether every edge of a page is also on the other or crossed by an edge there.
fn are_bound(candidates: &Candidates, a: u32, b: u32, counts: impl Fn(usize, EdgeId) -> bool) -> bool {
    let has = |set: u32, edge: EdgeId| set >> edge & 1 == 1;
    let all = 0..candidates.len() as EdgeId;
    all.clone().all(|edge| {
        let crossed = |page: usize, set: u32| {
            all.clone().any(|other| has(set, other) && candidates.cross(edge, other) && counts(page, other))
        };
        (!has(a, edge) || has(b, edge) || crossed(1, b)) && (!has(b, edge) || has(a, edge) || crossed(0, a))
    })
}

#[test]
fn certificates_of_books_hold() {
    let mut random = Random(5);
    let mut relaxation = Relaxation::default();
    let (mut optimal, mut within, mut disagreed) = (0, 0, 0);
    for round in 0..400 {
        let candidates = Candidates::complete(3 + round % 3);
        let draw = |random: &mut Random| -> Vec<Scores> {
            (0..candidates.len()).map(|_| [random.score(5), NONE, NONE]).collect()
        };
        let pages = [draw(&mut random), draw(&mut random)];
        let liked = round % 2 == 0;
        let counts = |page: usize, edge: EdgeId| !liked || pages[page][edge as usize][0] > 0.0;
        let graphs = graphs(&candidates, &pages);
        let mut best = 0.0f32;
        for &(a, scores_a) in &graphs {
            for &(b, scores_b) in &graphs {
                if scores_a[0] + scores_b[1] > best && are_bound(&candidates, a, b, counts) {
                    best = scores_a[0] + scores_b[1];
                }
            }
        }
        let decoders = [First::default(), First::default()];
        let [mut a, mut b] = decoders.map(|mut first| {
            let candidates = &candidates;
            move |scores: &[Scores], links: &mut Vec<Link>| first.decode(candidates, scores, links)
        });
        let (mut a, mut b) = (Page::new(&pages[0], true, &mut a), Page::new(&pages[1], true, &mut b));
        let settings =
            Settings { first_agreement: false, iterations: 200, tolerance: 1e-4, ..Settings::default() };
        let mut binding = match liked {
            true => Binding::among_liked(&candidates, [&pages[0], &pages[1]]),
            false => Binding::new(&candidates),
        };
        let outcome = relaxation.solve(&mut [&mut a, &mut b], &mut binding, &settings, None);
        let [a, b] =
            [0, 1].map(|page| relaxation.solution(page).iter().map(|&item| 1 << link(item).edge).sum());
        assert_eq!(are_bound(&candidates, a, b, counts), outcome.certificate.is_feasible());
        assert!(outcome.bound > f64::from(best) - 1e-3);
        match outcome.certificate {
            Certificate::Optimal => {
                optimal += 1;
                assert!((outcome.value - f64::from(best)).abs() < 1e-3, "{outcome:?} {best}");
            }
            Certificate::Within(gap) => {
                within += 1;
                assert!(f64::from(best) <= outcome.value + gap + 1e-3);
            }
            _ => disagreed += 1,
        }
    }
    // Even where the two pages have nothing to do with each other, the relaxation is nearly always tight.
    assert!(optimal > 350 && within > 0, "{optimal} {within} {disagreed}");
}

#[test]
fn items_and_constraints_have_names() {
    for direction in Direction::ALL {
        let one = Link { edge: 7, direction };
        assert_eq!(link(item(one)), one);
        assert_eq!(violation(u64::from(item(one)) * 2 + 1), (one, 1));
    }
}
