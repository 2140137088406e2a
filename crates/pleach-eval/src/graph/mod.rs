//! Precision, recall, F and exact match of the arcs of graphs, in the manner of the SDP shared tasks
//! (Oepen et al., SemEval-2014 Task 8 and SemEval-2015 Task 18).
//!
//! Any graphs; linear in the number of arcs. Several labels for one ordered pair are several arcs in the
//! labelled scores and one in the unlabelled ones. Arcs from the root (SDP's tops, `0:root`) count as
//! arcs, except in the scores "without tops".

mod breakdown;
mod crossing;
mod locality;
mod merge;

use crate::ArcCounts;
use crate::counts::ratio;
use merge::{Pairs, merge};
use pleach_graph::Graph;

pub use breakdown::{Breakdown, Group, LENGTHS};
pub use crossing::Crossing;
pub use locality::{Locality, Recalled};

/// Arc counts and exact matches over one reading of the arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Arcs with their labels.
    pub labelled: ArcCounts,
    /// Ordered pairs.
    pub unlabelled: ArcCounts,
    /// Sentences whose labelled arcs are all right, none missing, none spurious.
    pub labelled_exact: u64,
    /// Sentences whose ordered pairs are all right.
    pub unlabelled_exact: u64,
}

impl Tally {
    fn close_sentence(&mut self, counts: Tally) {
        let exact = |c: ArcCounts| u64::from(c.correct == c.gold && c.correct == c.system);
        self.labelled += counts.labelled;
        self.unlabelled += counts.unlabelled;
        self.labelled_exact += exact(counts.labelled);
        self.unlabelled_exact += exact(counts.unlabelled);
    }

    fn merge(&mut self, other: &Tally) {
        self.labelled += other.labelled;
        self.unlabelled += other.unlabelled;
        self.labelled_exact += other.labelled_exact;
        self.unlabelled_exact += other.unlabelled_exact;
    }
}

/// The scores of a system's graphs; cheap to fill and to merge, so that training can use it too.
///
/// The short accessors ([`lf`](Self::lf) …) count arcs from the root and give 0 for 0/0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphScores {
    /// Sentences seen.
    pub sentences: u64,
    /// With arcs from the root: "including virtual dependencies to top nodes".
    pub with_tops: Tally,
    /// Without them.
    pub without_tops: Tally,
}

impl GraphScores {
    /// No sentences yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one sentence: the gold graph and the system's over the same tokens.
    pub fn add<L: Ord>(&mut self, gold: &Graph<L>, system: &Graph<L>) {
        let (mut all, mut inner) = (Tally::default(), Tally::default());
        for found in merge(gold.arcs(), system.arcs()) {
            all.labelled.count(found.in_gold, found.in_system);
            if !found.arc.head.is_root() {
                inner.labelled.count(found.in_gold, found.in_system);
            }
        }
        for pair in Pairs::new(gold.arcs(), system.arcs()) {
            all.unlabelled.count(pair.in_gold, pair.in_system);
            if !pair.head.is_root() {
                inner.unlabelled.count(pair.in_gold, pair.in_system);
            }
        }
        self.sentences += 1;
        self.with_tops.close_sentence(all);
        self.without_tops.close_sentence(inner);
    }

    /// Adds what another scorer (another thread's) has counted.
    pub fn merge(&mut self, other: &GraphScores) {
        self.sentences += other.sentences;
        self.with_tops.merge(&other.with_tops);
        self.without_tops.merge(&other.without_tops);
    }

    /// Labelled arcs, root arcs included.
    pub fn labelled(&self) -> ArcCounts {
        self.with_tops.labelled
    }

    /// Ordered pairs, root arcs included.
    pub fn unlabelled(&self) -> ArcCounts {
        self.with_tops.unlabelled
    }

    /// Labelled precision.
    pub fn lp(&self) -> f64 {
        self.labelled().precision()
    }

    /// Labelled recall.
    pub fn lr(&self) -> f64 {
        self.labelled().recall()
    }

    /// Labelled F.
    pub fn lf(&self) -> f64 {
        self.labelled().f()
    }

    /// Unlabelled precision.
    pub fn up(&self) -> f64 {
        self.unlabelled().precision()
    }

    /// Unlabelled recall.
    pub fn ur(&self) -> f64 {
        self.unlabelled().recall()
    }

    /// Unlabelled F.
    pub fn uf(&self) -> f64 {
        self.unlabelled().f()
    }

    /// The share of sentences whose labelled graph is right.
    pub fn exact(&self) -> f64 {
        ratio(self.with_tops.labelled_exact, self.sentences).unwrap_or(0.0)
    }

    /// The share of sentences whose unlabelled graph is right.
    pub fn unlabelled_exact(&self) -> f64 {
        ratio(self.with_tops.unlabelled_exact, self.sentences).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests;
