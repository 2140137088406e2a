//! A graph-based tree parser as something to be learnt.

use super::engine::{Card, LONGEST};
use super::parse::{Parse, Space};
use super::recipe::{GraphBasedRecipe, Loss, Trees};
use super::search::Analysis;
use super::{learn, local};
use crate::families::data::DataError;
use crate::families::section;
use crate::families::sieve::Sieve;
use crate::pieces::trees_in_pieces;
use crate::random::Random;
use crate::scorer::{Learner, ModelScorer};
use crate::train::{Corpus, Size, Task, TrainError};
use crate::workspace::Workspace;
use pleach_graph::enhanced::drop_empty_nodes;
use pleach_graph::words::Words;
use pleach_graph::{Sentence, Text, Tree};
use pleach_model::{Scores, Section};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// A treebank made ready, and the parser that fits it.
pub(in crate::families) struct GraphBasedTask {
    pub parse: Parse,
    pub examples: Vec<(Words, Analysis)>,
    dev: Vec<Sentence>,
    tokens: usize,
    lost: usize,
}

impl GraphBasedTask {
    /// Takes the trees of all sentences that have one and are not too long.
    pub fn prepare(recipe: &GraphBasedRecipe, corpus: Corpus) -> Result<Self, TrainError> {
        let Corpus { mut train, mut dev } = corpus;
        train.iter_mut().chain(&mut dev).for_each(drop_empty_nodes);
        let trees: Vec<(Sentence, Tree)> = train
            .into_iter()
            .filter(|sentence| !sentence.is_empty() && sentence.len() <= LONGEST)
            .filter_map(|sentence| Tree::of(&sentence).map(|tree| (sentence, tree)))
            .collect();
        let labels: BTreeSet<&Text> = trees.iter().flat_map(|(_, tree)| &tree.labels).collect();
        let labels: Vec<Text> = labels.into_iter().cloned().collect();
        if labels.is_empty() {
            return Err(DataError::NoArcs.into());
        }
        DataError::check_actions(labels.len())?;
        let number = |label: &Text| labels.binary_search(label).unwrap_or(0) as u16;
        let mut examples = Vec::with_capacity(trees.len());
        let (mut tokens, mut lost) = (0, 0);
        for (sentence, tree) in &trees {
            let words = Words::of(sentence, None, false);
            let heads: Vec<u32> =
                std::iter::once(0).chain(tree.heads.iter().map(|&h| u32::from(h))).collect();
            let labels = std::iter::once(0).chain(tree.labels.iter().map(number)).collect();
            tokens += words.len();
            lost += if recipe.trees == Trees::Projective { crossing(&heads) } else { 0 };
            examples.push((words, Analysis { heads, labels }));
        }
        let sieve = recipe.sieve().and_then(|recall| sieve(recall, &examples));
        let parse = Parse { recipe: recipe.clone(), labels, sieve };
        Ok(GraphBasedTask { parse, examples, dev, tokens, lost })
    }
}

/// The sieve that examples teach.
fn sieve(recall: f64, examples: &[(Words, Analysis)]) -> Option<Sieve> {
    let arcs = |(_, tree): &(Words, Analysis)| {
        let arcs: Vec<(u32, u32)> =
            (1..tree.heads.len()).map(|word| (tree.heads[word], word as u32)).collect();
        arcs.into_iter()
    };
    Sieve::learn(recall, || examples.iter().map(|example| (&example.0, arcs(example))))
}

/// How many words have a head that does not dominate all that stands between them.
fn crossing(heads: &[u32]) -> usize {
    let below = |mut word: usize, top: usize| {
        // A cycle in the data ends after as many steps as there are words.
        for _ in 0..heads.len() {
            if word == top || word == 0 {
                break;
            }
            word = heads[word] as usize;
        }
        word == top
    };
    let words = (1..heads.len()).filter(|&word| {
        let head = heads[word] as usize;
        (head.min(word) + 1..head.max(word)).any(|between| !below(between, head))
    });
    words.count()
}

impl Task for GraphBasedTask {
    fn size(&self) -> Size {
        Size {
            examples: self.examples.len(),
            tokens: self.tokens,
            choices: self.parse.labels.len(),
            arcs: self.tokens,
            lost: self.lost,
        }
    }

    fn words(&self, example: usize) -> &Words {
        &self.examples[example].0
    }

    fn learn(&self, example: usize, learner: &mut dyn Learner, _: Random, workspace: &mut Workspace) -> bool {
        let (words, gold) = &self.examples[example];
        if self.parse.recipe.loss == Loss::Local {
            return local::learn(learner, self.parse.labels.len(), gold, workspace.part());
        }
        learn::learn(learner, &self.parse.problem(words, Some(gold)), gold, workspace.part())
    }

    fn evaluate(&self, scorer: &dyn ModelScorer) -> Option<Scores> {
        if self.dev.is_empty() {
            return None;
        }
        let parse = |workspace: &mut Workspace, sentences: &[Sentence]| {
            let space: &mut Space = workspace.part();
            let sentences: Vec<&Sentence> = sentences.iter().collect();
            trees_in_pieces(&sentences, LONGEST, |sentences| self.parse.trees(scorer, sentences, None, space))
        };
        let trees: Vec<Tree> = self
            .dev
            .par_chunks(scorer.batch().max(1))
            .map_init(Workspace::default, parse)
            .flatten_iter()
            .collect();
        let mut parsed = self.dev.clone();
        parsed.iter_mut().zip(&trees).for_each(|(sentence, tree)| tree.write(sentence));
        Some(Scores::of_trees(self.dev.iter().zip(&parsed)))
    }

    fn section(&self) -> Section<'_> {
        section::with_tree(super::NAME, &Card::from(&self.parse), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_words_are_counted() {
        assert_eq!(crossing(&[0, 2, 0, 2]), 0);
        assert_eq!(crossing(&[0, 3, 0, 2]), 1);
        assert_eq!(crossing(&[0, 2, 1]), 0);
    }
}
