//! The noncrossing decoders against trying all noncrossing graphs.

mod common;

use common::Random;
use pleach_decode::noncrossing::beam::{Beam, Effort};
use pleach_decode::noncrossing::first::First;
use pleach_decode::noncrossing::parts::Dissection;
use pleach_decode::noncrossing::second::Second;
use pleach_decode::noncrossing::{
    Candidates, DIRECTIONS, Direction, EdgeId, Factors, Link, Node, Order, PairScores, Scores, TripleScores,
};

const ORDERS: [Order; 4] = [Order::First, Order::Neighbours, Order::BothSides, Order::Third];

/// Factors whose scores are whole numbers drawn from what the factor is.
struct Drawn {
    seed: u64,
    pair: PairScores,
    triple: TripleScores,
    /// How many factors were asked for.
    asked: usize,
}

impl Drawn {
    fn random(&self, what: [u32; 4]) -> Random {
        let mut seed = self.seed;
        for value in what {
            seed = (seed ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            seed ^= seed >> 29;
        }
        Random(seed)
    }

    fn pair(&mut self, what: [u32; 4]) -> &PairScores {
        self.asked += 1;
        let mut random = self.random(what);
        self.pair.iter_mut().flatten().for_each(|score| *score = random.score(4));
        &self.pair
    }

    fn triple(&mut self, what: [u32; 4]) -> &TripleScores {
        let mut random = self.random(what);
        self.triple.iter_mut().flatten().flatten().for_each(|score| *score = random.score(4));
        &self.triple
    }
}

impl Factors for Drawn {
    fn neighbours(&mut self, node: Node, inner: Option<EdgeId>, outer: EdgeId) -> &PairScores {
        self.pair([1, node.into(), inner.map_or(0, |edge| edge + 1), outer])
    }

    fn both_sides(&mut self, node: Node, left: EdgeId, right: EdgeId) -> &PairScores {
        self.pair([2, node.into(), left, right])
    }

    fn one_side(&mut self, node: Node, inner: EdgeId, middle: EdgeId, outer: EdgeId) -> &TripleScores {
        self.triple([3 + 8 * u32::from(node), inner, middle, outer])
    }

    fn both_ends(&mut self, left: EdgeId, right: EdgeId, edge: EdgeId) -> &TripleScores {
        self.triple([4, left, right, edge])
    }
}

/// A problem: candidates, the scores of edges, factors.
struct Problem {
    candidates: Candidates,
    scores: Vec<Scores>,
    factors: Drawn,
}

impl Problem {
    /// `directions` of the three exist; edges are candidates with so many chances in ten.
    fn random(random: &mut Random, nodes: usize, directions: usize, tenths: u32) -> Problem {
        let mut candidates = Candidates::default();
        candidates.fill(nodes, |_, _| random.below(10) < tenths);
        let mut score = |direction: usize| {
            if direction < directions { random.score(6) } else { f32::NEG_INFINITY }
        };
        let scores = (0..candidates.len()).map(|_| [0, 1, 2].map(&mut score)).collect();
        let seed = u64::from(random.below(u32::MAX));
        let factors = Drawn { seed, pair: Default::default(), triple: Default::default(), asked: 0 };
        Problem { candidates, scores, factors }
    }

    /// The score of a graph, straight from the definition of the factors.
    fn value(&mut self, links: &[Link], order: Order) -> f32 {
        let at = |link: Link| link.direction.index();
        let mut sum = 0.0;
        let other_end = |node: Node, link: Link| {
            let (s, e) = self.candidates.ends(link.edge);
            if s == node { Some(e) } else { (e == node).then_some(s) }
        };
        for &link in links {
            sum += self.scores[link.edge as usize][at(link)];
        }
        for node in 0..self.candidates.nodes() as Node {
            let mut sides = [Vec::new(), Vec::new()];
            for &link in links {
                if let Some(other) = other_end(node, link) {
                    sides[usize::from(other > node)].push((other.abs_diff(node), link));
                }
            }
            for side in &mut sides {
                side.sort_by_key(|(length, _)| *length);
                for (place, &(_, outer)) in side.iter().enumerate() {
                    if order >= Order::Neighbours {
                        let inner = place.checked_sub(1).map(|before| side[before].1);
                        let row = inner.map_or(0, at);
                        sum += self.factors.neighbours(node, inner.map(|link| link.edge), outer.edge)[row]
                            [at(outer)];
                    }
                    if order >= Order::Third && place >= 2 {
                        let (inner, middle) = (side[place - 2].1, side[place - 1].1);
                        let table = self.factors.one_side(node, inner.edge, middle.edge, outer.edge);
                        sum += table[at(inner)][at(middle)][at(outer)];
                    }
                }
            }
            if let [Some(&(_, left)), Some(&(_, right))] = [sides[0].last(), sides[1].last()]
                && order >= Order::BothSides
            {
                sum += self.factors.both_sides(node, left.edge, right.edge)[at(left)][at(right)];
            }
        }
        for &edge in links.iter().filter(|_| order >= Order::Third) {
            let (s, e) = self.candidates.ends(edge.edge);
            let inside = |node: Node, link: &Link| {
                other_end(node, *link)
                    .filter(|&other| s < other && other < e)
                    .map(|other| (other.abs_diff(node), *link))
            };
            let longest =
                |node: Node| links.iter().filter_map(|link| inside(node, link)).max_by_key(|(l, _)| *l);
            if let (Some((_, left)), Some((_, right))) = (longest(s), longest(e)) {
                sum +=
                    self.factors.both_ends(left.edge, right.edge, edge.edge)[at(left)][at(right)][at(edge)];
            }
        }
        sum
    }

    /// Visits all noncrossing graphs.
    fn all_graphs(
        &mut self,
        from: EdgeId,
        links: &mut Vec<Link>,
        visit: &mut impl FnMut(&mut Problem, &[Link]),
    ) {
        visit(self, links);
        for edge in from..self.candidates.len() as EdgeId {
            if links.iter().any(|link| self.candidates.cross(link.edge, edge)) {
                continue;
            }
            for direction in Direction::ALL {
                if self.scores[edge as usize][direction.index()] > f32::NEG_INFINITY {
                    links.push(Link { edge, direction });
                    self.all_graphs(edge + 1, links, visit);
                    links.pop();
                }
            }
        }
    }

    /// The best values of all orders.
    fn brute_force(&mut self) -> [f32; 4] {
        let mut best = [f32::NEG_INFINITY; 4];
        self.all_graphs(0, &mut Vec::new(), &mut |problem, links| {
            for (best, order) in best.iter_mut().zip(ORDERS) {
                *best = best.max(problem.value(links, order));
            }
        });
        best
    }

    fn is_noncrossing(&self, links: &[Link]) -> bool {
        let crosses = |a: &Link| links.iter().any(|b| self.candidates.cross(a.edge, b.edge));
        !links.iter().any(crosses) && links.is_sorted_by(|a, b| a.edge < b.edge)
    }
}

/// Small problems of all shapes, dense and sparse, with one to three directions.
fn problems(seed: u64, count: u32, mut check: impl FnMut(&mut Problem)) {
    let mut random = Random(seed);
    for round in 0..count {
        let (nodes, directions) =
            [(1, 3), (2, 3), (3, 3), (4, 3), (4, 2), (5, 1), (5, 2), (6, 1)][round as usize % 8];
        let tenths = if round % 3 == 0 { 6 } else { 10 };
        check(&mut Problem::random(&mut random, nodes, directions, tenths));
    }
}

#[test]
fn every_decoder_equals_brute_force() {
    let (mut first, mut second, mut beam) = (First::default(), Second::default(), Beam::default());
    let mut links = Vec::new();
    problems(1, 400, |problem| {
        let best = problem.brute_force();
        let score = first.decode(&problem.candidates, &problem.scores, &mut links);
        assert_eq!((score, problem.value(&links, Order::First)), (best[0], best[0]));
        assert!(problem.is_noncrossing(&links));
        let score = second.decode(&problem.candidates, &problem.scores, &mut problem.factors, &mut links);
        assert_eq!((score, problem.value(&links, Order::Neighbours)), (best[1], best[1]));
        assert!(problem.is_noncrossing(&links));
        for (order, best) in ORDERS.into_iter().zip(best).skip(1) {
            let setting = Effort::new(order, 4096);
            let score =
                beam.decode(&problem.candidates, &problem.scores, &mut problem.factors, setting, &mut links);
            assert_eq!((score, problem.value(&links, order)), (best, best), "{order:?}");
            assert!(problem.is_noncrossing(&links));
        }
    });
}

#[test]
fn a_small_beam_gives_a_graph_with_its_true_score() {
    let mut random = Random(4);
    let (mut beam, mut dissection) = (Beam::default(), Dissection::default());
    let mut links = Vec::new();
    for round in 0..200 {
        let mut problem = Problem::random(&mut random, 2 + round % 11, DIRECTIONS, 7);
        for order in ORDERS.into_iter().skip(1) {
            let mut last = f32::NEG_INFINITY;
            for size in [1, 4, 64] {
                let Problem { candidates, scores, factors } = &mut problem;
                let score = beam.decode(candidates, scores, factors, Effort::new(order, size), &mut links);
                assert_eq!(score, dissection.score(candidates, &links, order, scores, factors));
                assert!(problem.is_noncrossing(&links));
                assert_eq!(score, problem.value(&links, order));
                last = last.max(score);
            }
            assert!(last >= 0.0, "the empty graph scores 0");
        }
    }
}

/// What is given up costs no more than it says: a graph has its true score, never more than without giving up, less in few cases when
/// little is given up and in none when so much would have to be lost that no factors can make up for it.
#[test]
fn edges_are_given_up_that_hardly_ever_win() {
    let mut random = Random(6);
    let (mut beam, mut links) = (Beam::default(), Vec::new());
    let (mut lost, mut asked) = ([0; 3], [0; 3]);
    for round in 0..200 {
        let mut problem = Problem::random(&mut random, 2 + round % 5, DIRECTIONS, 7);
        for order in ORDERS.into_iter().skip(1) {
            let Problem { candidates, scores, factors } = &mut problem;
            let all = Effort::new(order, 4096);
            let best = beam.decode(candidates, scores, factors, all, &mut links);
            for (number, give_up) in [1e6, 8.0, 0.5].into_iter().enumerate() {
                let Problem { candidates, scores, factors } = &mut problem;
                let (effort, before) = (Effort { give_up, ..all }, factors.asked);
                let score = beam.decode(candidates, scores, factors, effort, &mut links);
                asked[number] += factors.asked - before;
                assert!(score <= best && problem.is_noncrossing(&links));
                assert_eq!(score, problem.value(&links, order));
                lost[number] += usize::from(score < best);
            }
        }
    }
    assert!(lost[0] == 0 && lost[1] <= lost[2] && lost[2] > 0 && lost[2] < 800, "{lost:?}");
    assert!(asked[2] < asked[1] && asked[1] <= asked[0], "{asked:?}");
}

/// Decoding again with other scores of a few edges is decoding them from the beginning.
#[test]
fn decoding_again_is_decoding() {
    let mut random = Random(5);
    let (mut kept, mut fresh) = (Beam::default(), Beam::default());
    let (mut links, mut expected) = (Vec::new(), Vec::new());
    for round in 0..200 {
        let mut problem = Problem::random(&mut random, 1 + round % 12, DIRECTIONS, 6);
        let Problem { candidates, scores, factors } = &mut problem;
        for order in ORDERS.into_iter().skip(1) {
            let give_up = [f32::INFINITY, 3.0, 0.5][round % 3];
            let setting = Effort { give_up, ..Effort::new(order, 1 + round % 5) };
            kept.decode(candidates, scores, factors, setting, &mut links);
            for change in 0..4 {
                if let Some(edge) = random.below(candidates.len() as u32 + 1).checked_sub(1) {
                    scores[edge as usize][change % DIRECTIONS] += random.below(9) as f32 - 4.0;
                }
                let score = kept.decode_again(candidates, scores, factors, setting, &mut links);
                let right = fresh.decode(candidates, scores, factors, setting, &mut expected);
                assert_eq!((score, &links), (right, &expected), "{order:?}");
            }
        }
    }
}

#[test]
fn the_parts_of_a_graph_sum_up_to_its_score() {
    let mut dissection = Dissection::default();
    problems(2, 24, |problem| {
        problem.all_graphs(0, &mut Vec::new(), &mut |problem, links| {
            for order in ORDERS {
                let expected = problem.value(links, order);
                let Problem { candidates, scores, factors } = &mut *problem;
                let mut sorted = links.to_vec();
                sorted.sort_unstable();
                assert_eq!(dissection.score(candidates, &sorted, order, scores, factors), expected);
            }
        });
    });
}

#[test]
fn second_and_beam_agree_on_longer_sentences() {
    // On sparse candidates a beam of 64 finds the optimum of most sentences of 25 words; it never finds more.
    let mut random = Random(8);
    let (mut second, mut beam) = (Second::default(), Beam::default());
    let (mut exact, mut approximate) = (Vec::new(), Vec::new());
    let mut equal = 0;
    for _ in 0..60 {
        let mut problem = Problem::random(&mut random, 25, 2, 2);
        let Problem { candidates, scores, factors } = &mut problem;
        let best = second.decode(candidates, scores, factors, &mut exact);
        let found =
            beam.decode(candidates, scores, factors, Effort::new(Order::Neighbours, 64), &mut approximate);
        assert!(found <= best);
        equal += usize::from(found == best);
    }
    assert!(equal > 50, "{equal}");
}
