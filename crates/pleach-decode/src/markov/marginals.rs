//! How likely choices and neighbours of a chain are, where a sequence is as likely as exp(score): forward and backward
//! (Lafferty et al. 2001), the sums that belong to the maxima of [`Chain::decode`].
//!
//! For chains of first and second order; a limit on the length of sequences is not looked at. O(m²) time and memory for m
//! choices. Invariant: the likelihoods of all pairs that end in a choice add up to the choice's own.

use super::{Chain, EDGE, Order};

/// The likelihoods of a chain, and the memory for them.
#[derive(Clone, Debug, Default)]
pub struct Marginals {
    /// The logarithm of the sum of exp(score) over all sequences that end, or begin, with a choice.
    forward: Vec<f64>,
    backward: Vec<f64>,
    total: f64,
}

/// log Σ exp of some terms; minus infinity for none.
fn log_sum(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + terms.map(|term| (term - most).exp()).sum::<f64>().ln()
}

impl Marginals {
    /// Computes what the other functions tell; gives the logarithm of the sum over all sequences.
    ///
    /// # Panics
    /// For chains of third order.
    pub fn of(&mut self, chain: &Chain) -> f64 {
        assert!(chain.order() <= Order::Second, "likelihoods of chains are of second order at most");
        let (len, places) = (chain.len(), chain.places());
        let pair = |a: usize, b: usize| score(chain, a, b);
        self.forward.clear();
        // forward(b) = one(b) + log(exp two(border, b) + Σ_a exp(forward(a) + two(a, b))), a to the left of b
        for b in 0..len {
            let left = places.partition_point(|&place| place < places[b]);
            let before = (0..left).map(|a| self.forward[a] + pair(a, b));
            let sum = log_sum(before.chain([pair(EDGE, b)]));
            self.forward.push(chain.one(b) + sum);
        }
        self.backward.clear();
        self.backward.resize(len, 0.0);
        // backward(a) = one(a) + log(exp two(a, border) + Σ_b exp(backward(b) + two(a, b))), b to the right of a
        for a in (0..len).rev() {
            let right = places.partition_point(|&place| place <= places[a]);
            let behind = (right..len).map(|b| self.backward[b] + pair(a, b));
            self.backward[a] = chain.one(a) + log_sum(behind.chain([pair(a, EDGE)]));
        }
        let ends = self.forward.iter().enumerate().map(|(b, &forward)| forward + pair(b, EDGE));
        self.total = log_sum(ends.chain([pair(EDGE, EDGE)]));
        self.total
    }

    /// How likely a choice is.
    pub fn one(&self, chain: &Chain, choice: usize) -> f64 {
        (self.forward[choice] + self.backward[choice] - chain.one(choice) - self.total).exp()
    }

    /// How likely two choices are as neighbours, one of which may be the border; both are in the empty sequence.
    pub fn two(&self, chain: &Chain, left: usize, right: usize) -> f64 {
        let before = if left == EDGE { 0.0 } else { self.forward[left] };
        let behind = if right == EDGE { 0.0 } else { self.backward[right] };
        (before + score(chain, left, right) + behind - self.total).exp()
    }
}

/// The score of two neighbours; chains of first order have none.
fn score(chain: &Chain, left: usize, right: usize) -> f64 {
    if chain.order() == Order::First { 0.0 } else { chain.pair_score(left, right) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places of which two are the same, and scores without a pattern.
    fn chain(order: Order, places: &[u32], seed: u32) -> Chain {
        let mut chain = Chain::new(order);
        chain.reset(places.iter().copied(), usize::MAX);
        let mut state = seed;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as f32 / 16_384.0 - 2.0
        };
        for choice in 0..places.len() {
            *chain.one_mut(choice) = number();
        }
        if order == Order::Second {
            for left in (0..places.len()).chain([EDGE]) {
                for right in (0..places.len()).chain([EDGE]) {
                    *chain.two_mut(left, right) = number();
                }
            }
        }
        chain
    }

    #[test]
    fn likelihoods_are_those_of_all_sequences() {
        for (order, places) in [
            (Order::First, &[1, 2, 2, 5][..]),
            (Order::Second, &[]),
            (Order::Second, &[3]),
            (Order::Second, &[1, 2, 2, 5, 6]),
            (Order::Second, &[0, 0, 0, 4]),
        ] {
            for seed in 0..20 {
                let chain = chain(order, places, seed);
                let len = places.len();
                let all = (0..1_usize << len).map(|set| (0..len).filter(|i| set >> i & 1 == 1).collect());
                let all: Vec<Vec<usize>> =
                    all.filter(|sequence: &Vec<usize>| chain.allows(sequence)).collect();
                let weight = |sequence: &[usize]| chain.score(sequence, |_| 0.0).exp();
                let total: f64 = all.iter().map(|sequence| weight(sequence)).sum();
                let mut marginals = Marginals::default();
                assert!((marginals.of(&chain) - total.ln()).abs() < 1e-9);
                let share = |has: &dyn Fn(&[usize]) -> bool| {
                    all.iter().filter(|sequence| has(sequence)).map(|sequence| weight(sequence)).sum::<f64>()
                        / total
                };
                for choice in 0..len {
                    let found = marginals.one(&chain, choice);
                    assert!((found - share(&|sequence| sequence.contains(&choice))).abs() < 1e-9);
                }
                for left in (0..len).chain([EDGE]) {
                    let behind =
                        |&right: &usize| left == EDGE || right == EDGE || places[left] < places[right];
                    for right in (0..len).chain([EDGE]).filter(behind) {
                        let neighbours = |sequence: &[usize]| {
                            let with_borders: Vec<usize> = [&[EDGE][..], sequence, &[EDGE]].concat();
                            with_borders.windows(2).any(|pair| pair == [left, right])
                        };
                        let found = marginals.two(&chain, left, right);
                        assert!((found - share(&neighbours)).abs() < 1e-9, "{left} {right}");
                    }
                }
            }
        }
    }

    #[test]
    fn large_scores_do_not_overflow() {
        let mut chain = Chain::new(Order::Second);
        chain.reset([1, 2], usize::MAX);
        *chain.one_mut(0) = 5_000.0;
        *chain.one_mut(1) = -5_000.0;
        let mut marginals = Marginals::default();
        assert_eq!(marginals.of(&chain), 5_000.0);
        assert_eq!((marginals.one(&chain, 0), marginals.one(&chain, 1)), (1.0, 0.0));
    }
}
