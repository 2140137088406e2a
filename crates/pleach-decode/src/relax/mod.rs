//! Lagrangian relaxation: several subproblems, each easy alone, that have to agree.
//!
//! Papers: page binding (`sun-2017` section 4.2), dual decomposition (`du-2015` section 4.2, after Koo et al.
//! 2010), graph merging (`sun-2019` section 4.3). All three are one problem,
//!
//! > max Σₖ fₖ(yₖ)  such that  Σₖ Σᵢ a(c,k,i) · yₖ(i) ≤ b(c), or = b(c), for every constraint c,
//!
//! and its dual, with u(c) ≥ 0 for the inequalities and u(c) free for the equalities,
//!
//! > L(u) = Σₖ max [ fₖ(yₖ) − Σᵢ yₖ(i) · Σ꜀ u(c) · a(c,k,i) ] + Σ꜀ u(c) · b(c).
//!
//! [`Relaxation::solve`] lowers L by subgradient steps. What differs between the papers stands in two traits: a
//! [`Subproblem`] maximises under changed scores, a [`Coupling`] says which constraints there are. A new
//! combination is a new coupling, not a new loop.
//!
//! - Constraints are generated lazily: only those that an iterate violated have a multiplier. Since all others
//!   have u(c) = 0, L(u) bounds the whole problem from above.
//! - Multipliers of inequalities are projected onto u ≥ 0 after each step (Figure 7 of `sun-2017` omits it).
//! - The step shrinks when the dual goes up ([`step`]), and when the iterates run in a circle.
//! - The best feasible solution is kept, not the last one, and comes with a [`Certificate`].
//!
//! Complexity: an iteration costs one maximisation of each subproblem whose scores changed, and the length of
//! all constraints with a multiplier.
//!
//! Invariant: every feasible value ≤ optimum ≤ every dual value, if the subproblems are exact and the
//! constraints are linear.

mod certificate;
mod multipliers;
pub mod step;

pub use certificate::{Certificate, Iteration, Outcome};
pub use multipliers::{Row, Sense};

use multipliers::Multipliers;
use step::{Circle, Step};

/// A thing that a subproblem can choose, by number: an arc, or an arc with a tag.
pub type Item = u32;

/// The name of a constraint; what it says is for the coupling to know.
pub type Constraint = u64;

/// A maximisation that is easy alone.
pub trait Subproblem {
    /// Maximises the own score plus `changes[i]` for each chosen item i, and puts the chosen items, each once,
    /// into `chosen`, which is empty. Gives the own score of the choice, without the changes.
    fn maximise(&mut self, changes: &[f64], chosen: &mut Vec<Item>) -> f64;

    /// Whether [`maximise`](Subproblem::maximise) finds the maximum. If not, nothing can be proved.
    fn is_exact(&self) -> bool {
        true
    }
}

/// What the subproblems have to agree on.
pub trait Coupling {
    /// How many items the subproblem of this place has.
    fn items(&self, subproblem: usize) -> usize;

    /// All constraints that the choices violate, in an order that depends on nothing else. `violated` is empty.
    fn violated(&mut self, choices: &[Choice], violated: &mut Vec<Constraint>);

    /// Writes a constraint into `row`, which is empty.
    fn row(&self, constraint: Constraint, row: &mut Row);

    /// For constraints whose coefficients are taken from the last choices: takes them, and says whether any
    /// changed. Such a relaxation proves optimality only while all multipliers are 0.
    fn linearise(&mut self, _choices: &[Choice]) -> bool {
        false
    }

    /// A solution made of choices that don't agree: puts the items of each subproblem into `rounded` (one
    /// empty list for each) and gives the value, if this coupling knows how.
    fn round(&mut self, _choices: &[Choice], _rounded: &mut [Vec<Item>]) -> Option<f64> {
        None
    }
}

/// What a subproblem has chosen.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    items: Vec<Item>,
    present: Vec<bool>,
    score: f64,
}

impl Choice {
    /// The chosen items in order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Whether an item is chosen.
    pub fn contains(&self, item: Item) -> bool {
        self.present[item as usize]
    }

    /// The subproblem's own score.
    pub fn score(&self) -> f64 {
        self.score
    }

    fn reset(&mut self, items: usize) {
        self.items.clear();
        self.present.clear();
        self.present.resize(items, false);
        self.score = 0.0;
    }

    fn choose(&mut self, subproblem: &mut dyn Subproblem, changes: &[f64]) {
        for &item in &self.items {
            self.present[item as usize] = false;
        }
        self.items.clear();
        self.score = subproblem.maximise(changes, &mut self.items);
        self.items.sort_unstable();
        for &item in &self.items {
            self.present[item as usize] = true;
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// At most so many iterations; the first has all multipliers 0.
    pub iterations: usize,
    /// The first step.
    pub step: f64,
    /// Whether to stop at the first iterate without a violation, as the papers do. With inequalities such an
    /// iterate need not be optimal: a multiplier can be above 0 where the constraint is not tight. Otherwise
    /// the search goes on until the gap is closed.
    pub first_agreement: bool,
    /// A gap up to this much counts as none.
    pub tolerance: f64,
    /// Give up when the iterates were found running in a circle so many times.
    pub circles: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { iterations: 100, step: 1.0, first_agreement: true, tolerance: 1e-6, circles: 4 }
    }
}

/// The solver with its memory, to be kept between sentences.
#[derive(Debug, Default)]
pub struct Relaxation {
    choices: Vec<Choice>,
    multipliers: Multipliers,
    violated: Vec<Constraint>,
    best: Vec<Vec<Item>>,
    rounded: Vec<Vec<Item>>,
    circle: Circle,
}

impl Relaxation {
    /// Solves one problem. With a `trace`, every iteration is written to it.
    pub fn solve(
        &mut self,
        subproblems: &mut [&mut dyn Subproblem],
        coupling: &mut dyn Coupling,
        settings: &Settings,
        mut trace: Option<&mut Vec<Iteration>>,
    ) -> Outcome {
        self.start(subproblems.len(), coupling);
        let exact = subproblems.iter().all(|subproblem| subproblem.is_exact());
        let mut step = Step::new(settings.step);
        let mut found = Found::default();
        let mut linear = true;
        let mut outcome = Outcome::default();
        for number in 1..=settings.iterations.max(1) {
            outcome.iterations = number;
            self.maximise(subproblems);
            let dual = self.dual();
            step.observe(dual);
            if exact && (linear || self.multipliers.are_zero()) {
                found.bound = found.bound.min(dual);
            }
            if coupling.linearise(&self.choices) {
                linear = false;
                self.multipliers.mark_stale();
            }
            self.violated.clear();
            coupling.violated(&self.choices, &mut self.violated);
            self.keep(coupling, &mut found);
            if let Some(trace) = trace.as_deref_mut() {
                trace.push(Iteration {
                    dual,
                    scores: self.choices.iter().map(Choice::score).collect(),
                    items: self.choices.iter().map(|choice| choice.items.clone()).collect(),
                    violated: self.violated.clone(),
                    multipliers: self.multipliers.len(),
                    step: step.size(),
                });
            }
            let agreed = self.violated.is_empty();
            let closed = found.feasible && found.bound - found.value <= settings.tolerance;
            if closed || (agreed && settings.first_agreement) {
                break;
            }
            if let Some(period) = self.circle.push(&self.choices) {
                outcome.circles += 1;
                outcome.period = Some(period);
                step.shrink();
                if outcome.circles >= settings.circles {
                    break;
                }
            }
            // Without a violation and without slack at a positive multiplier the step moves nothing, and every
            // further iteration would be the same.
            if !self.multipliers.update(coupling, &self.choices, &self.violated, step.size()) {
                break;
            }
        }
        found.certify(settings.tolerance, &mut outcome);
        outcome
    }

    /// The items of the best solution of the last problem, in order: a feasible one if the outcome says so, else
    /// the choices with the fewest violations.
    pub fn solution(&self, subproblem: usize) -> &[Item] {
        &self.best[subproblem]
    }

    /// The multipliers that are not 0 at the end of the last problem.
    pub fn multipliers(&self) -> impl Iterator<Item = (Constraint, f64)> {
        self.multipliers.nonzero()
    }

    fn start(&mut self, subproblems: usize, coupling: &dyn Coupling) {
        self.choices.resize_with(subproblems, Choice::default);
        self.best.resize_with(subproblems, Vec::new);
        self.rounded.resize_with(subproblems, Vec::new);
        for (place, choice) in self.choices.iter_mut().enumerate() {
            choice.reset(coupling.items(place));
            self.best[place].clear();
        }
        self.multipliers.start(self.choices.iter().map(|choice| choice.present.len()));
        self.circle.clear();
    }

    fn maximise(&mut self, subproblems: &mut [&mut dyn Subproblem]) {
        for (place, subproblem) in subproblems.iter_mut().enumerate() {
            if let Some(changes) = self.multipliers.changes(place) {
                self.choices[place].choose(*subproblem, changes);
            }
        }
    }

    /// L(u) at the current multipliers.
    fn dual(&self) -> f64 {
        let scores: f64 = self.choices.iter().map(Choice::score).sum();
        scores + self.multipliers.change_of(&self.choices) + self.multipliers.bounds()
    }

    /// Keeps the choices, or what they can be rounded to, if nothing better was seen.
    fn keep(&mut self, coupling: &mut dyn Coupling, found: &mut Found) {
        let violations = self.violated.len();
        let value = self.choices.iter().map(Choice::score).sum();
        if found.improve(violations == 0, violations, value) {
            for (best, choice) in self.best.iter_mut().zip(&self.choices) {
                best.clone_from(&choice.items);
            }
        }
        if violations > 0 {
            self.rounded.iter_mut().for_each(Vec::clear);
            if let Some(value) = coupling.round(&self.choices, &mut self.rounded)
                && found.improve(true, 0, value)
            {
                for (best, rounded) in self.best.iter_mut().zip(&mut self.rounded) {
                    rounded.sort_unstable();
                    std::mem::swap(best, rounded);
                }
            }
        }
    }
}

/// What has been found so far: the best solution and the lowest bound.
#[derive(Debug)]
struct Found {
    feasible: bool,
    violations: usize,
    value: f64,
    bound: f64,
}

impl Default for Found {
    fn default() -> Self {
        Found { feasible: false, violations: usize::MAX, value: f64::NEG_INFINITY, bound: f64::INFINITY }
    }
}

impl Found {
    /// Takes a solution over if it is better than what was seen: feasible before infeasible, fewer violations
    /// before more, and then by value.
    fn improve(&mut self, feasible: bool, violations: usize, value: f64) -> bool {
        let better = violations < self.violations || (violations == self.violations && value > self.value);
        if better {
            (self.feasible, self.violations, self.value) = (feasible, violations, value);
        }
        better
    }

    fn certify(&self, tolerance: f64, outcome: &mut Outcome) {
        outcome.value = self.value;
        outcome.bound = self.bound;
        let gap = self.bound - self.value;
        outcome.certificate = match (self.feasible, self.bound.is_finite()) {
            (false, _) => Certificate::Disagreed,
            (true, false) => Certificate::Agreed,
            (true, true) if gap <= tolerance => Certificate::Optimal,
            (true, true) => Certificate::Within(gap),
        };
    }
}
