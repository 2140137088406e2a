//! From treebank sentences to what is learnt from: words and gold arcs with numbered label sets.

use super::LONGEST;
use super::card::GraphCard;
use super::pruning::Pruning;
use super::recipe::FactorRecipe;
use super::search::GoldArcs;
use crate::families::data::{DataError, Opening};
use crate::families::sieve::Sieve;
use crate::held_out::HeldOut;
use crate::train::{Corpus, TrainError};
use crate::trees::Supplied;
use pleach_graph::encoded::LabelSets;
use pleach_graph::enhanced::Transform;
use pleach_graph::words::Words;

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
    pub labels: LabelSets,
    pub pruning: Option<Pruning>,
    pub sieve: Option<Sieve>,
    pub examples: Vec<Example>,
    pub dev: HeldOut,
    pub tokens: usize,
    pub arcs: usize,
    /// Self-loops, which chains don't have.
    pub lost: usize,
}

impl Data {
    /// Transforms the sentences and numbers their label sets.
    pub fn prepare(
        recipe: &FactorRecipe,
        transform: Transform,
        corpus: Corpus,
        trees: Option<&Supplied>,
    ) -> Result<Self, TrainError> {
        let Opening { train, dev } = Opening::new(corpus, transform, recipe.unlabelled, trees);
        let mut data = Data {
            transform,
            labels: LabelSets::new(recipe.unlabelled),
            pruning: None,
            sieve: None,
            examples: Vec::new(),
            dev,
            tokens: 0,
            arcs: 0,
            lost: 0,
        };
        let mut pruning = Pruning::default();
        for (i, sentence) in train.iter().enumerate() {
            if sentence.is_empty() || sentence.len() > LONGEST {
                continue;
            }
            let arcs = data.labels.encode(&sentence.graph);
            let arcs = arcs.map_err(|source| DataError::encode(i, source))?;
            let mut gold: GoldArcs = arcs
                .into_iter()
                .filter(|(head, dependent, _)| head != dependent)
                .map(|(head, dependent, label)| (u32::from(dependent), u32::from(head), label))
                .collect();
            gold.sort_unstable();
            data.tokens += sentence.len();
            data.arcs += sentence.graph.arcs().len();
            data.lost += sentence.graph.arcs().iter().filter(|arc| arc.head == arc.dependent).count();
            let words = Words::of(sentence, trees.map(|trees| &trees.train[i]), false);
            pruning.learn(&words, gold.iter().map(|&(dependent, head, _)| (head, dependent)));
            data.examples.push(Example { words, gold });
        }
        if data.arcs == 0 {
            return Err(DataError::NoArcs.into());
        }
        data.pruning = recipe.pruning.then_some(pruning);
        data.sieve = recipe.sieve().and_then(|recall| sieve(recall, &data.examples));
        Ok(data)
    }

    /// What a model of this data knows about graphs.
    pub fn graph_card(&self) -> GraphCard {
        GraphCard {
            collapse: self.transform.collapse,
            delexicalise: self.transform.delexicalise,
            label_sets: self.labels.values(),
            pruning: self.pruning.clone(),
            sieve: self.sieve.clone(),
        }
    }
}

/// The sieve that examples teach.
fn sieve(recall: f64, examples: &[Example]) -> Option<Sieve> {
    Sieve::learn(recall, || {
        examples.iter().map(|example| {
            (&example.words, example.gold.iter().map(|&(dependent, head, _)| (head, dependent)))
        })
    })
}
