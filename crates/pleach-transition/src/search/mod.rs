//! Greedy and beam search.
