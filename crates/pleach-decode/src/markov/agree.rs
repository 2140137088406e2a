//! Factorizations that must agree on one graph (`du-2015` sections 3.5 and 4.2).
//!
//! > max Σ fₘ(yₘ)  such that  y₀ = yₘ for all models m of whole graphs, and yₜ ≤ yₘ for the tree's part of the graph.
//!
//! The constraint of the tree is kept as the inequality it is, with a multiplier that is never negative; the paper
//! makes an equation of it with the tree's last solution as coefficients, which is not linear and proves nothing.
//! Exact joint decoding is NP-hard (section 4.1). Any subset of the models can take part; all are over the same
//! numbered arcs.

use crate::relax::{Choice, Constraint, Coupling, Item, Row, Sense};

/// The constraints: subproblems `0..graphs` are models of whole graphs, one more is the tree if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The number of candidate arcs.
    pub arcs: usize,
    /// The number of models of whole graphs.
    pub graphs: usize,
    /// Whether a tree approximation takes part, as the last subproblem.
    pub tree: bool,
}

/// A constraint: an arc, and the two subproblems of which the first must have what the second has.
const PAIRS: u64 = 16;

impl Agreement {
    /// The pairs of subproblems that are bound: the models of graphs to the first one, the tree to all of them.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, Sense)> + use<> {
        let (graphs, tree) = (self.graphs, self.tree);
        let equal = (1..graphs).map(|other| (0, other, Sense::Equal));
        equal.chain((0..graphs).filter(move |_| tree).map(move |graph| (graphs, graph, Sense::AtMost)))
    }
}

impl Coupling for Agreement {
    fn items(&self, _subproblem: usize) -> usize {
        self.arcs
    }

    fn violated(&mut self, choices: &[Choice], violated: &mut Vec<Constraint>) {
        for (number, (a, b, sense)) in self.pairs().enumerate() {
            let broken = |arc: &Item| match (choices[a].contains(*arc), choices[b].contains(*arc)) {
                (true, false) => true,
                (false, true) => sense == Sense::Equal,
                _ => false,
            };
            let arcs = (0..self.arcs as Item).filter(broken);
            violated.extend(arcs.map(|arc| u64::from(arc) * PAIRS + number as u64));
        }
    }

    fn row(&self, constraint: Constraint, row: &mut Row) {
        if let Some((a, b, sense)) = self.pairs().nth((constraint % PAIRS) as usize) {
            let arc = (constraint / PAIRS) as Item;
            row.add(a, arc, 1.0);
            row.add(b, arc, -1.0);
            row.sense = sense;
        }
    }
}
