//! Chains and Markov models equal the best of all sequences and graphs.

use pleach_decode::markov::{Candidate, Centre, Chain, ChainScratch, EDGE, Markov, Order};

const ORDERS: [Order; 3] = [Order::First, Order::Second, Order::Third];

/// A small generator of numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    /// A score in steps of 1/8, so that sums are exact.
    fn score(&mut self) -> f32 {
        self.below(161) as f32 / 8.0 - 10.0
    }
}

/// Fills every factor of a chain with random scores.
fn fill(chain: &mut Chain, random: &mut Random) {
    let len = chain.len();
    let with_edge = || (0..len).chain([EDGE]);
    (0..len).for_each(|choice| *chain.one_mut(choice) = random.score());
    if chain.order() >= Order::Second {
        for a in with_edge() {
            with_edge().for_each(|b| *chain.two_mut(a, b) = random.score());
        }
    }
    if chain.order() == Order::Third {
        for z in with_edge() {
            for a in 0..len {
                with_edge().for_each(|b| *chain.three_mut(z, a, b) = random.score());
            }
        }
    }
}

fn subset(bits: u32, len: usize) -> Vec<usize> {
    (0..len).filter(|&i| bits >> i & 1 == 1).collect()
}

#[test]
fn chains_equal_brute_force() {
    let mut random = Random(7);
    let (mut scratch, mut sequence) = (ChainScratch::default(), Vec::new());
    let mut longest = 0;
    for round in 0..6000 {
        let order = ORDERS[round % 3];
        let mut chain = Chain::new(order);
        let len = random.below(8) as usize;
        let mut places: Vec<u32> = (0..len).map(|_| random.below(9)).collect();
        places.sort_unstable();
        let limit = if random.below(2) == 0 { usize::MAX } else { random.below(5) as usize };
        chain.reset(places, limit);
        fill(&mut chain, &mut random);
        let extra: Vec<f64> = (0..len).map(|_| random.score().into()).collect();
        let best = (0..1 << len)
            .map(|bits| subset(bits, len))
            .filter(|sequence| chain.allows(sequence))
            .map(|sequence| chain.score(&sequence, |choice| extra[choice]))
            .fold(f64::NEG_INFINITY, f64::max);
        let found = chain.decode(|choice| extra[choice], &mut scratch, &mut sequence);
        assert!(chain.allows(&sequence), "{chain:?}: {sequence:?}");
        assert_eq!(found, best, "{chain:?}");
        assert_eq!(chain.score(&sequence, |choice| extra[choice]), best);
        longest = longest.max(sequence.len());
    }
    assert!(longest >= 5);
}

/// The factors of a window are those of the definition, written out by hand.
#[test]
fn a_score_is_the_sum_of_its_windows() {
    let mut chain = Chain::new(Order::Third);
    chain.reset([2, 4, 7], usize::MAX);
    *chain.one_mut(0) = 1.0;
    *chain.one_mut(2) = 2.0;
    *chain.two_mut(EDGE, 0) = 4.0;
    *chain.two_mut(0, 2) = 8.0;
    *chain.two_mut(2, EDGE) = 16.0;
    *chain.two_mut(EDGE, EDGE) = 32.0;
    *chain.three_mut(EDGE, 0, 2) = 64.0;
    *chain.three_mut(0, 2, EDGE) = 128.0;
    *chain.three_mut(EDGE, 1, EDGE) = 256.0;
    assert_eq!(chain.score(&[0, 2], |_| 0.0), 223.0);
    assert_eq!(chain.score(&[], |_| 0.0), 32.0);
    assert_eq!(chain.score(&[1], |_| 0.0), 256.0);
}

#[test]
fn models_equal_brute_force_over_graphs() {
    let mut random = Random(11);
    for round in 0..60 {
        let centre = if round % 2 == 0 { Centre::Predicate } else { Centre::Argument };
        let mut model = Markov::new(centre, ORDERS[round % 3]);
        // Two sentences in the same memory: nothing of the first is left.
        for words in [4, 3] {
            let mut arcs = Vec::new();
            for head in 0..words {
                for dependent in 1..words {
                    let labels = random.below(2) + u32::from(words == 3);
                    (0..labels).for_each(|_| arcs.push(Candidate { head, dependent }));
                }
            }
            let limits: Vec<usize> = (0..words).map(|_| random.below(4) as usize).collect();
            model.reset(words as usize, &arcs, |word| limits[word as usize]);
            for (_, chain, _) in model.chains() {
                fill(chain, &mut random);
            }
            // A few decodings between which some scores change, as in a relaxation.
            let mut changes = vec![0.0; arcs.len()];
            for _ in 0..4 {
                let own = model.decode(&changes);
                let chosen = model.chosen().to_vec();
                let change = |chosen: &[bool]| -> f64 {
                    (0..arcs.len()).filter(|&id| chosen[id]).map(|id| changes[id]).sum()
                };
                assert_eq!(model.score(&chosen), own);
                let mut best = f64::NEG_INFINITY;
                for bits in 0..1u32 << arcs.len() {
                    let graph: Vec<bool> = (0..arcs.len()).map(|id| bits >> id & 1 == 1).collect();
                    best = best.max(model.score(&graph) + change(&graph));
                }
                assert_eq!(own + change(&chosen), best);
                for _ in 0..2.min(arcs.len()) {
                    let id = random.below(arcs.len() as u32) as usize;
                    changes[id] += f64::from(random.score());
                }
            }
        }
    }
}

/// More choices than a chain takes are refused, not tried: memory stays bounded.
#[test]
#[should_panic(expected = "choices")]
fn chains_are_bounded() {
    let mut chain = Chain::new(Order::Third);
    chain.reset(0..1000, usize::MAX);
}
