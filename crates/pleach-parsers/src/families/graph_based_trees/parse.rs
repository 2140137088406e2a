//! From sentences to trees, whoever scores.

use super::local::log_softmax;
use super::recipe::{GraphBasedRecipe, Loss};
use super::search::{Analysis, Problem, Search};
use crate::families::batch;
use crate::families::sieve::Sieve;
use crate::scorer::ModelScorer;
use crate::workspace::Workspace;
use pleach_graph::words::Words;
use pleach_graph::{Sentence, Text, Tree};

/// A parser without its scorer.
#[derive(Clone, Debug)]
pub(in crate::families) struct Parse {
    pub recipe: GraphBasedRecipe,
    /// A label is its place here.
    pub labels: Vec<Text>,
    pub sieve: Option<Sieve>,
}

/// The memory for parsing, one per thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    words: Vec<Words>,
    scoring: Workspace,
    search: Search,
}

impl Parse {
    /// What is searched for a sentence, in training with its gold tree.
    pub fn problem<'a>(&'a self, words: &'a Words, gold: Option<&'a Analysis>) -> Problem<'a> {
        let Parse { recipe, labels, sieve } = self;
        let sieve = sieve.as_ref().map(|sieve| (sieve, words));
        Problem { recipe, labels: labels.len(), heads: recipe.heads, words: words.len(), gold, sieve }
    }

    /// Makes the scores of an arc's labels logarithms of probabilities if they were learnt as such.
    pub fn weigh_labels(&self, scores: &mut [f32]) {
        if self.recipe.loss == Loss::Local {
            log_softmax(scores);
        }
    }

    /// The trees of sentences without empty nodes; `heads` are kept for a word at most, if not the recipe's number.
    pub(super) fn trees(
        &self,
        scorer: &dyn ModelScorer,
        sentences: &[&Sentence],
        heads: Option<usize>,
        space: &mut Space,
    ) -> Vec<Tree> {
        let Space { words, scoring, search } = space;
        let heads = heads.unwrap_or(self.recipe.heads).max(1);
        let words = batch::fill(words, sentences.iter().copied(), &[]);
        let mut bound = scorer.bind(words.clone(), scoring);
        let tree = |(number, words): (usize, &Words)| {
            bound.turn_to(number);
            search.run(&mut *bound, &Problem { heads, ..self.problem(words, None) });
            let Analysis { heads, labels } = &search.best;
            Tree {
                heads: heads.iter().skip(1).map(|&head| head as u16).collect(),
                labels: labels.iter().skip(1).map(|&label| self.labels[usize::from(label)].clone()).collect(),
            }
        };
        words.into_iter().enumerate().map(tree).collect()
    }
}
