//! Predicate-centric, argument-centric and tree models agree on what brute force finds, and certificates tell the truth.

mod common;

use common::Random;
use pleach_decode::markov::{Agreement, Candidate, Centre, EDGE, Markov, Order};
use pleach_decode::merge::offers::{Offer, OfferTree};
use pleach_decode::relax::{Certificate, Relaxation, Settings, Subproblem};

const NODES: u32 = 4;

fn all_arcs() -> Vec<Candidate> {
    let pairs = (0..NODES).flat_map(|head| (1..NODES).map(move |dependent| (head, dependent)));
    let pairs = pairs.filter(|(head, dependent)| head != dependent);
    pairs.map(|(head, dependent)| Candidate { head, dependent }).collect()
}

fn model(centre: Centre, arcs: &[Candidate], random: &mut Random) -> Markov {
    let mut model = Markov::new(centre, Order::Second);
    model.reset(NODES as usize, arcs, |_| usize::MAX);
    for (_, chain, _) in model.chains() {
        let ends: Vec<usize> = (0..chain.len()).chain([EDGE]).collect();
        (0..chain.len()).for_each(|choice| *chain.one_mut(choice) = random.score(6));
        for &a in &ends {
            ends.iter().for_each(|&b| *chain.two_mut(a, b) = random.score(3));
        }
    }
    model
}

/// A tree over all arcs, each of which can say X, X~R or nothing.
fn tree(arcs: &[Candidate], random: &mut Random) -> OfferTree {
    let mut tree = OfferTree::default();
    let mut pairs: Vec<(u32, u32)> = arcs.iter().map(|arc| (arc.head, arc.dependent)).collect();
    tree.parts.arcs.reset(NODES as usize, &mut pairs);
    tree.parts.reset();
    let id = |head: u32, dependent: u32| {
        arcs.iter().position(|arc| (arc.head, arc.dependent) == (head, dependent)).map(|id| id as u32)
    };
    let pairs: Vec<(u32, u32)> = (0..arcs.len())
        .map(|arc| (tree.parts.arcs.head(arc) as u32, tree.parts.arcs.dependent(arc) as u32))
        .collect();
    tree.set_offers(|arc, offers| {
        let (head, dependent) = pairs[arc];
        offers.push(Offer::nothing(random.score(4)));
        offers.extend(id(head, dependent).map(|id| Offer::one(random.score(6), id)));
        offers.extend(id(dependent, head).map(|id| Offer::one(random.score(6), id)));
    });
    tree
}

/// The best own score of the tree among trees whose statements are all in the graph.
fn best_tree_within(tree: &mut OfferTree, graph: &[bool]) -> f64 {
    let forbid: Vec<f64> = graph.iter().map(|&there| if there { 0.0 } else { -1e4 }).collect();
    let mut chosen = Vec::new();
    let score = tree.maximise(&forbid, &mut chosen);
    assert!(chosen.iter().all(|&id| graph[id as usize]), "nothing can always be said");
    score
}

#[test]
fn agreement_equals_brute_force() {
    let mut random = Random(3);
    let arcs = all_arcs();
    let settings = Settings { iterations: 300, tolerance: 1e-3, ..Settings::default() };
    let (mut relaxation, mut proved, mut rounds) = (Relaxation::default(), 0, 0);
    for round in 0..120 {
        let subset = round % 4;
        let mut predicate = model(Centre::Predicate, &arcs, &mut random);
        let mut argument = model(Centre::Argument, &arcs, &mut random);
        let mut tree = tree(&arcs, &mut random);
        // PC+AC, PC+TA, AC+TA, PC+AC+TA.
        let (with_predicate, with_argument, with_tree) = (subset != 2, subset != 1, subset != 0);
        let mut best = f64::NEG_INFINITY;
        for bits in 0..1u32 << arcs.len() {
            let graph: Vec<bool> = (0..arcs.len()).map(|id| bits >> id & 1 == 1).collect();
            let mut score = 0.0;
            score += if with_predicate { predicate.score(&graph) } else { 0.0 };
            score += if with_argument { argument.score(&graph) } else { 0.0 };
            score += if with_tree { best_tree_within(&mut tree, &graph) } else { 0.0 };
            best = best.max(score);
        }
        let mut subproblems: Vec<&mut dyn Subproblem> = Vec::new();
        if with_predicate {
            subproblems.push(&mut predicate);
        }
        if with_argument {
            subproblems.push(&mut argument);
        }
        let graphs = subproblems.len();
        if with_tree {
            subproblems.push(&mut tree);
        }
        let mut agreement = Agreement { arcs: arcs.len(), graphs, tree: with_tree };
        let outcome = relaxation.solve(&mut subproblems, &mut agreement, &settings, None);
        rounds += 1;
        assert!(outcome.bound >= best - 1e-3, "the dual bounds the optimum");
        match outcome.certificate {
            Certificate::Optimal => {
                proved += 1;
                assert!((outcome.value - best).abs() < 2e-3, "{} is not {best}", outcome.value);
            }
            Certificate::Within(gap) => {
                assert!(outcome.value <= best + 1e-3 && best - outcome.value <= gap + 1e-3);
            }
            Certificate::Agreed | Certificate::Disagreed => {}
        }
        if outcome.certificate.is_feasible() {
            for graph in 1..graphs {
                assert_eq!(relaxation.solution(0), relaxation.solution(graph));
            }
            if with_tree {
                let graph = relaxation.solution(0);
                assert!(relaxation.solution(graphs).iter().all(|item| graph.contains(item)));
            }
        }
    }
    assert!(proved * 2 > rounds, "most problems are solved exactly: {proved} of {rounds}");
}
