//! From treebank sentences to what the perceptron learns from: hashed words and gold arcs with numbered label sets.

use super::card::GraphCard;
use super::pruning::Pruning;
use super::recipe::FactorRecipe;
use super::search::{GoldArcs, MOST_WORDS};
use crate::family::transition::DataError;
use crate::train::{Corpus, HeldOut, TrainError};
use crate::trees::Supplied;
use pleach_graph::enhanced::Transform;
use pleach_linear::words::Words;
use pleach_transition::labels::Labels;
use pleach_transition::settings::{Kind, Settings};

/// One sentence to learn from.
#[derive(Debug)]
pub(super) struct Example {
    pub words: Words,
    pub gold: GoldArcs,
}

/// A treebank made ready.
#[derive(Debug)]
pub(super) struct Data {
    pub transform: Transform,
    pub labels: Labels,
    pub pruning: Option<Pruning>,
    pub examples: Vec<Example>,
    pub dev: HeldOut,
    pub tokens: usize,
    pub arcs: usize,
    /// Self-loops, which chains don't have.
    pub lost: usize,
}

/// Label sets by number; that the root is a head like others is all that matters of the settings.
pub(super) fn labels(unlabelled: bool, sets: Vec<Vec<String>>) -> Labels {
    Labels::from_values(&Settings::new(Kind::List, false), unlabelled, sets, Vec::new())
}

impl Data {
    /// Transforms the sentences and numbers their label sets.
    pub fn prepare(
        recipe: &FactorRecipe,
        transform: Transform,
        corpus: Corpus,
        trees: Option<&Supplied>,
    ) -> Result<Self, TrainError> {
        let Corpus { mut train, dev } = corpus;
        let mut data = Data {
            transform,
            labels: labels(recipe.unlabelled, Vec::new()),
            pruning: None,
            examples: Vec::new(),
            dev: HeldOut::new(dev, recipe.unlabelled, trees),
            tokens: 0,
            arcs: 0,
            lost: 0,
        };
        let mut pruning = Pruning::default();
        for (i, sentence) in train.iter_mut().enumerate() {
            transform.apply(sentence);
            if sentence.is_empty() || sentence.len() > MOST_WORDS {
                continue;
            }
            let gold = data.labels.encode(&sentence.graph, &[]);
            let gold = gold.map_err(|source| DataError::Encode { sentence: i + 1, source })?;
            let mut arcs: GoldArcs = gold
                .arcs()
                .into_iter()
                .filter(|(head, dependent, _)| head != dependent)
                .map(|(head, dependent, label)| (u32::from(dependent), u32::from(head), label))
                .collect();
            arcs.sort_unstable();
            data.tokens += sentence.len();
            data.arcs += sentence.graph.arcs().len();
            data.lost += sentence.graph.arcs().iter().filter(|arc| arc.head == arc.dependent).count();
            let mut words = Words::default();
            words.fill(sentence, false);
            if let Some(trees) = trees {
                words.set_tree(&trees.train[i], false);
            }
            pruning.learn(&words, arcs.iter().map(|&(dependent, head, _)| (head, dependent)));
            data.examples.push(Example { words, gold: arcs });
        }
        if data.arcs == 0 {
            return Err(DataError::NoArcs.into());
        }
        data.pruning = recipe.pruning.then_some(pruning);
        Ok(data)
    }

    /// What a model of this data knows about graphs.
    pub fn graph_card(&self) -> GraphCard {
        GraphCard {
            collapse: self.transform.collapse,
            delexicalise: self.transform.delexicalise,
            label_sets: self.labels.sets(),
            pruning: self.pruning.clone(),
        }
    }
}
