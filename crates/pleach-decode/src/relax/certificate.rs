//! What a relaxation gives back: a certificate, and the iterations for those who want to look.

use super::{Constraint, Item};

/// What is known about the solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Certificate {
    /// It satisfies all constraints and no other solution is better: its value equals the dual bound.
    Optimal,
    /// It satisfies all constraints, and the best solution is better by at most this.
    Within(f64),
    /// It satisfies all constraints. How good it is is unknown, since a subproblem is not exact.
    Agreed,
    /// No solution that satisfies all constraints was found.
    #[default]
    Disagreed,
}

impl Certificate {
    /// Whether the solution satisfies all constraints.
    pub fn is_feasible(self) -> bool {
        self != Certificate::Disagreed
    }
}

/// How a relaxation ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What is known about the solution.
    pub certificate: Certificate,
    /// The number of iterations, at least 1.
    pub iterations: usize,
    /// The sum of the subproblems' own scores.
    pub value: f64,
    /// The lowest dual value: no solution is better. Infinite if nothing could be proved.
    pub bound: f64,
    /// How often the iterates were found running in a circle.
    pub circles: usize,
    /// The length of the last circle.
    pub period: Option<usize>,
}

/// One iteration, for people to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// The value of the dual.
    pub dual: f64,
    /// Each subproblem's own score of its choice.
    pub scores: Vec<f64>,
    /// What each subproblem chose.
    pub items: Vec<Vec<Item>>,
    /// The constraints that the choices violate.
    pub violated: Vec<Constraint>,
    /// The number of constraints that had a multiplier.
    pub multipliers: usize,
    /// The size of the step that follows.
    pub step: f64,
}
