//! A graph taken apart into three projective trees that together hold its edges (`sun-2019` section 4.2, Figure 11).
//!
//! Simple decomposition decodes each tree by itself. The relaxation asks for
//!
//! > max Σₖ ωₖ(gₖ)  such that  Σₖ gₖ(e) ≥ 1 for every edge e of the graph,
//!
//! so that an edge which no tree has yet becomes more attractive to all three. A tree arc holds its edge whatever its
//! direction: its label says both. The update is that of Figure 11, which never lowers a multiplier: the proper
//! subgradient does when several trees hold the edge, and so finds fewer covers (872 against 1,018 of the 1,024 edge
//! sets over four words).
//!
//! Class: any graph; edges that three projective trees can't hold are counted as lost, and so are self-loops. O(n³) an
//! iteration, O(n²) memory.

use super::weights::{Coefficients, Source, TREES, Weighing, edges};
use crate::relax::{
    Choice, Constraint, Coupling, Item, Outcome, Relaxation, Row, Sense, Settings, Subproblem,
};
use crate::tree::{Arcs, Eisner, Root};

/// What a decomposition does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The weights of the arcs.
    pub coefficients: Coefficients,
    /// At most so many iterations; 1 is simple decomposition.
    pub iterations: usize,
    /// The first step of the multipliers.
    pub step: f64,
}

impl Default for Plan {
    fn default() -> Self {
        Plan { coefficients: Coefficients::default(), iterations: 100, step: 20.0 }
    }
}

/// Longer sentences are not taken apart: a hundred iterations over three charts would take minutes.
pub const MOST_WORDS: usize = 400;

/// The sentence has more than [`MOST_WORDS`] words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a sentence of more than {MOST_WORDS} words is not taken apart into trees")]
pub struct TooLong;

/// Takes graphs apart; holds the memory for it.
#[derive(Debug, Default)]
pub struct Decomposer {
    weighing: Weighing,
    weights: [Arcs<f64>; TREES],
    trees: [Tree; TREES],
    cover: Cover,
    relaxation: Relaxation,
}

impl Decomposer {
    /// Writes the heads of three trees, one place for each node, and says how the search ended. If it did not find trees that
    /// hold all edges, they are those that held the most.
    pub fn decompose(
        &mut self,
        source: &Source,
        plan: &Plan,
        heads: &mut [Vec<u32>; TREES],
    ) -> Result<Outcome, TooLong> {
        if source.words > MOST_WORDS {
            return Err(TooLong);
        }
        self.weighing.fill(source, &plan.coefficients, &mut self.weights);
        self.cover.edges.clear();
        self.cover.edges.extend(edges(source));
        for (tree, weights) in self.trees.iter_mut().zip(&self.weights) {
            tree.reset(weights, &self.cover.edges);
        }
        let settings = Settings { iterations: plan.iterations, step: plan.step, ..Settings::default() };
        let mut subproblems = self.trees.each_mut().map(|tree| tree as &mut dyn Subproblem);
        let outcome = self.relaxation.solve(&mut subproblems, &mut self.cover, &settings, None);
        for (k, tree) in self.trees.iter_mut().enumerate() {
            tree.rebuild(self.relaxation.solution(k), &mut heads[k]);
        }
        Ok(outcome)
    }
}

/// One tree: its items are the edges of the graph.
#[derive(Clone, Debug, Default)]
struct Tree {
    weights: Arcs<f64>,
    changed: Arcs<f64>,
    edges: Vec<(usize, usize)>,
    heads: Vec<u32>,
    eisner: Eisner<f64>,
}

impl Tree {
    fn reset(&mut self, weights: &Arcs<f64>, edges: &[(usize, usize)]) {
        self.weights.clone_from(weights);
        self.changed.clone_from(weights);
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        self.heads.clear();
        self.heads.resize(weights.nodes(), 0);
    }

    fn holds(&self, edge: usize) -> bool {
        let (low, high) = self.edges[edge];
        self.heads[high] as usize == low || (low > 0 && self.heads[low] as usize == high)
    }

    fn decode(&mut self, change: impl Fn(usize) -> f64) {
        for (edge, &(low, high)) in self.edges.iter().enumerate() {
            self.changed.set(low, high, self.weights.get(low, high) + change(edge));
            if low > 0 {
                self.changed.set(high, low, self.weights.get(high, low) + change(edge));
            }
        }
        self.eisner.decode(&self.changed, Root::Many, &mut self.heads);
    }

    /// The best tree with these edges: a relaxation gives back edges only.
    fn rebuild(&mut self, edges: &[Item], heads: &mut Vec<u32>) {
        // More than any tree can lose elsewhere.
        let much = 1e6;
        self.decode(|edge| if edges.contains(&(edge as Item)) { much } else { 0.0 });
        heads.clone_from(&self.heads);
    }
}

impl Subproblem for Tree {
    fn maximise(&mut self, changes: &[f64], chosen: &mut Vec<Item>) -> f64 {
        self.decode(|edge| changes[edge]);
        chosen.extend((0..self.edges.len()).filter(|&edge| self.holds(edge)).map(|edge| edge as Item));
        self.weights.total(&self.heads)
    }
}

/// Every edge is in at least one tree: -Σₖ gₖ(e) ≤ -1.
#[derive(Debug, Default)]
struct Cover {
    edges: Vec<(usize, usize)>,
}

impl Coupling for Cover {
    fn items(&self, _subproblem: usize) -> usize {
        self.edges.len()
    }

    fn violated(&mut self, choices: &[Choice], violated: &mut Vec<Constraint>) {
        let lost = |edge: &usize| choices.iter().all(|choice| !choice.contains(*edge as Item));
        violated.extend((0..self.edges.len()).filter(lost).map(|edge| edge as Constraint));
    }

    fn row(&self, constraint: Constraint, row: &mut Row) {
        (0..TREES).for_each(|tree| row.add(tree, constraint as Item, -1.0));
        row.sense = Sense::AtMost;
        row.bound = -1.0;
        row.rising = true;
    }
}
