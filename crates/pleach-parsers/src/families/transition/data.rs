//! From treebank sentences to what is learnt from: words and gold action sequences.

use super::parse::Parse;
use super::recipe::TransitionRecipe;
use crate::families::data::{DataError, Opening};
use crate::held_out::HeldOut;
use crate::train::{Corpus, TrainError};
use crate::trees::Supplied;
use pleach_graph::Text;
use pleach_graph::enhanced::Transform;
use pleach_graph::words::Words;
use pleach_transition::graph::System;
use pleach_transition::inventory::InventoryBuilder;
use pleach_transition::labels::Labels;
use pleach_transition::oracle::{Gold, oracle};

/// One sentence to learn from.
#[derive(Debug)]
pub struct Example {
    /// Its words, in reading direction.
    pub words: Words,
    /// Its graph.
    pub gold: Gold,
    /// The ids of the actions that build it.
    pub actions: Vec<u32>,
}

/// A treebank made ready, and the engine that fits it.
#[derive(Debug)]
pub struct Data {
    /// The parser to train.
    pub parse: Parse,
    /// The training sentences.
    pub examples: Vec<Example>,
    /// The development sentences.
    pub dev: HeldOut,
    /// The number of training words.
    pub tokens: usize,
    /// The number of training arcs.
    pub arcs: usize,
    /// Those that the system can't build.
    pub lost: usize,
}

impl Data {
    /// Transforms the sentences, runs the oracle and collects the actions.
    pub fn prepare(
        recipe: &TransitionRecipe,
        transform: Transform,
        corpus: Corpus,
        trees: Option<&Supplied>,
    ) -> Result<Self, TrainError> {
        let Opening { train, dev } = Opening::new(corpus, transform, recipe.unlabelled, trees);
        let has_loops = || train.iter().any(|s| s.graph.arcs().iter().any(|arc| arc.head == arc.dependent));
        let settings = recipe.settings(recipe.self_arcs.decide(has_loops)).map_err(TrainError::family)?;
        let system = System::new(&settings);
        let mut labels = Labels::new(&settings, recipe.unlabelled);
        let mut builder = InventoryBuilder::default();
        let mut derivations = Vec::new();
        let (mut tokens, mut arcs, mut lost) = (0, 0, 0);
        for (i, sentence) in train.iter().enumerate() {
            if sentence.is_empty() {
                continue;
            }
            let mut frames: Vec<Text> = sentence.tokens.iter().map(|token| token.frame.clone()).collect();
            let mirrored;
            let graph = if recipe.reversed {
                frames.reverse();
                mirrored = sentence.graph.mirrored();
                &mirrored
            } else {
                &sentence.graph
            };
            let gold = labels.encode(graph, &frames);
            let gold = gold.map_err(|source| DataError::encode(i, source))?;
            let derivation = oracle(&system, &gold);
            builder.add(&derivation.steps);
            tokens += sentence.len();
            arcs += graph.arcs().len();
            lost += derivation.lost.len();
            let tree = trees.map(|trees| &trees.train[i]);
            let words = Words::of(sentence, tree, recipe.reversed);
            derivations.push((words, gold, derivation.steps));
        }
        if arcs == 0 {
            return Err(DataError::NoArcs.into());
        }
        let inventory = builder.finish(&settings).map_err(TrainError::family)?;
        DataError::check_actions(inventory.actions.len())?;
        let examples = derivations.into_iter().map(|(words, gold, steps)| {
            // The inventory was collected from these very steps.
            let ids = steps.iter().filter_map(|&step| inventory.id(inventory.action(step)?));
            Example { words, gold, actions: ids.map(|id| id as u32).collect() }
        });
        let examples = examples.collect();
        Ok(Data {
            parse: Parse {
                machine: recipe.machine(&settings, inventory),
                labels,
                transform,
                reversed: recipe.reversed,
                unlabelled: recipe.unlabelled,
            },
            examples,
            dev,
            tokens,
            arcs,
            lost,
        })
    }
}
