//! A graph-based tree parser as something that the perceptron trains.

use super::engine::{Card, Engine};
use super::learn::{self, LearnSpace};
use super::recipe::{SpanRecipe, Trees};
use super::search::{Analysis, Search};
use crate::family::Options;
use crate::family::transition::DataError;
use crate::model::{Provenance, Section};
use crate::parser::drop_empty_nodes;
use crate::score::Scores;
use crate::train::{Corpus, Lesson, Random, Size, Task, TrainError};
use pleach_graph::{Sentence, Text, Tree};
use pleach_linear::learner::Learner;
use pleach_linear::table::Table;
use pleach_linear::words::Words;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// A treebank made ready, and the engine that fits it.
pub(super) struct SpanTask {
    engine: Engine,
    examples: Vec<(Words, Analysis)>,
    dev: Vec<Sentence>,
    tokens: usize,
    lost: usize,
}

impl SpanTask {
    /// Takes the trees of all sentences that have one and are not too long.
    pub fn prepare(recipe: &SpanRecipe, corpus: Corpus) -> Result<Self, TrainError> {
        let Corpus { mut train, mut dev } = corpus;
        train.iter_mut().chain(&mut dev).for_each(drop_empty_nodes);
        let trees: Vec<(Sentence, Tree)> = train
            .into_iter()
            .filter(|sentence| !sentence.is_empty() && sentence.len() <= super::engine::MOST_WORDS)
            .filter_map(|sentence| Tree::of(&sentence).map(|tree| (sentence, tree)))
            .collect();
        let labels: BTreeSet<&Text> = trees.iter().flat_map(|(_, tree)| &tree.labels).collect();
        let labels: Vec<String> = labels.into_iter().map(|label| label.to_string()).collect();
        if labels.is_empty() {
            return Err(DataError::NoArcs.into());
        }
        if labels.len() > usize::from(u16::MAX) {
            return Err(DataError::Actions(labels.len()).into());
        }
        let number = |label: &Text| labels.binary_search_by(|l| l.as_str().cmp(label)).unwrap_or(0) as u16;
        let mut examples = Vec::with_capacity(trees.len());
        let (mut tokens, mut lost) = (0, 0);
        for (sentence, tree) in &trees {
            let mut words = Words::default();
            words.fill(sentence, false);
            let heads: Vec<u32> =
                std::iter::once(0).chain(tree.heads.iter().map(|&h| u32::from(h))).collect();
            let labels = std::iter::once(0).chain(tree.labels.iter().map(number)).collect();
            tokens += words.len();
            lost += if recipe.trees == Trees::Projective { crossing(&heads) } else { 0 };
            examples.push((words, Analysis { heads, labels }));
        }
        let engine = Engine::new(Card { recipe: recipe.clone(), labels, templates: recipe.sources()? })?;
        Ok(SpanTask { engine, examples, dev, tokens, lost })
    }
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

impl Task for SpanTask {
    type Workspace = LearnSpace;

    fn size(&self) -> Size {
        Size {
            examples: self.examples.len(),
            tokens: self.tokens,
            choices: self.engine.labels.len(),
            templates: self.engine.templates.len(),
            arcs: self.tokens,
            lost: self.lost,
        }
    }

    fn tokens(&self, example: usize) -> usize {
        self.examples[example].0.len()
    }

    fn learn(&self, learner: &Learner, example: usize, _: Random, workspace: &mut LearnSpace) -> Lesson {
        let (words, gold) = &self.examples[example];
        learn::learn(learner, &self.engine.problem(words, Some(gold)), gold, workspace)
    }

    fn evaluate(&self, table: Table<'_>) -> Option<Scores> {
        if self.dev.is_empty() {
            return None;
        }
        let parsed: Vec<Sentence> = self
            .dev
            .par_iter()
            .map_init(Default::default, |(words, search): &mut (Words, Search<i32>), sentence| {
                let mut sentence = sentence.clone();
                self.engine.parse(table, &sentence, &Options::default(), words, search).write(&mut sentence);
                sentence
            })
            .collect();
        Some(Scores::of_trees(self.dev.iter().zip(&parsed)))
    }

    fn section<'a>(&'a self, table: Table<'a>, provenance: Provenance) -> Section<'a> {
        Section {
            role: String::new(),
            family: super::NAME.to_owned(),
            // A card of strings and numbers always has JSON.
            card: serde_json::to_value(self.engine.card()).unwrap_or(Value::Null),
            provenance: Some(provenance),
            table,
            children: Vec::new(),
        }
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
