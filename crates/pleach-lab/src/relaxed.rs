//! What the search of a parser is like on a treebank: the recall of its candidates, and after how many iterations its
//! relaxations end (Figure 3 of `du-2015`, Figure 8 of `sun-2017`).

use pleach_decode::relax::{Certificate, Outcome};
use pleach_graph::Sentence;
use pleach_parsers::Parser;
use pleach_parsers::engine::Searched;
use rayon::prelude::*;
use std::fmt;

/// The searches for the graphs of a treebank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relaxed {
    /// The number of sentences.
    pub sentences: usize,
    /// Their words.
    pub words: usize,
    /// The sums over all sentences; the outcome is none.
    pub sum: Searched,
    /// The outcomes of the relaxations.
    pub outcomes: Vec<Outcome>,
}

impl Relaxed {
    /// Parses sentences that have gold graphs; `None` when the parser has nothing to tell.
    pub fn measure(parser: &Parser, sentences: &[Sentence]) -> Option<Self> {
        let searched: Vec<(usize, Option<Searched>)> = sentences
            .par_iter()
            .map_init(Default::default, |workspace, sentence| {
                (sentence.len(), parser.searched(sentence, workspace))
            })
            .collect();
        let mut all = Relaxed::default();
        for (words, searched) in searched {
            let Some(searched) = searched else { continue };
            all.sentences += 1;
            all.words += words;
            all.sum.gold += searched.gold;
            all.sum.candidates += searched.candidates;
            all.sum.left.resize(searched.left.len(), ("", 0));
            for (sum, (name, left)) in all.sum.left.iter_mut().zip(searched.left) {
                *sum = (name, sum.1 + left);
            }
            all.outcomes.extend(searched.outcome);
        }
        (all.sentences > 0).then_some(all)
    }

    /// The share of relaxations, in percent, that ended within so many iterations with a solution that passes.
    pub fn within(&self, iterations: usize, passes: impl Fn(Certificate) -> bool) -> f64 {
        let ended = |outcome: &&Outcome| outcome.iterations <= iterations && passes(outcome.certificate);
        share(self.outcomes.iter().filter(ended).count(), self.outcomes.len())
    }

    /// The share that was proved to be the best, in percent.
    pub fn proved_within(&self, iterations: usize) -> f64 {
        self.within(iterations, |certificate| certificate == Certificate::Optimal)
    }
}

fn share(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

/// The numbers of iterations that tables and curves show.
pub const ITERATIONS: [usize; 10] = [1, 2, 3, 5, 10, 20, 50, 100, 150, 200];

impl fmt::Display for Relaxed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Relaxed { sentences, words, sum, .. } = self;
        let each = sum.candidates as f64 / (*words).max(1) as f64;
        writeln!(f, "{sentences} sentences, {words} words, {} arcs, {each:.2} candidates a word", sum.gold)?;
        for (name, left) in &sum.left {
            writeln!(f, "gold arcs left by {name}: {:.2} %", share(*left, sum.gold))?;
        }
        if self.outcomes.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n| iterations | agreed | proved best |\n| ---: | ---: | ---: |")?;
        for iterations in ITERATIONS {
            let agreed = self.within(iterations, Certificate::is_feasible);
            writeln!(f, "| {iterations} | {agreed:.2} | {:.2} |", self.proved_within(iterations))?;
        }
        let mean = self.outcomes.iter().map(|outcome| outcome.iterations).sum::<usize>() as f64;
        writeln!(f, "\n{:.1} iterations a sentence", mean / self.outcomes.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_count_what_ended_in_time() {
        let outcome = |iterations, certificate| Outcome { iterations, certificate, ..Outcome::default() };
        let outcomes = vec![
            outcome(1, Certificate::Optimal),
            outcome(3, Certificate::Within(0.5)),
            outcome(3, Certificate::Optimal),
            outcome(200, Certificate::Disagreed),
        ];
        let relaxed = Relaxed { outcomes, ..Relaxed::default() };
        let rates = |iterations| {
            (relaxed.within(iterations, Certificate::is_feasible), relaxed.proved_within(iterations))
        };
        assert_eq!([1, 2, 3, 200].map(rates), [(25.0, 25.0), (25.0, 25.0), (75.0, 50.0), (75.0, 50.0)]);
    }
}
