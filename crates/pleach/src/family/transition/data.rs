//! From treebank sentences to what the perceptron learns from: hashed words and gold action sequences.

use super::engine::{Engine, settings};
use super::recipe::TransitionRecipe;
use crate::train::{Corpus, HeldOut, TrainError};
use crate::trees::Supplied;
use pleach_graph::Text;
use pleach_graph::enhanced::Transform;
use pleach_linear::words::Words;
use pleach_transition::graph::system;
use pleach_transition::inventory::{InventoryBuilder, TooManyEdges};
use pleach_transition::labels::{EncodeError, Labels};
use pleach_transition::oracle::{Gold, oracle};
use pleach_transition::search::ActionIndex;

/// Why data can't be trained on.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// There is nothing in it.
    #[error("the training data has no arcs to learn from; is the graph in another column or format?")]
    NoArcs,
    /// A sentence can't be encoded.
    #[error("training sentence {sentence}: {source}")]
    Encode {
        /// Its number, from 1.
        sentence: usize,
        /// Why not.
        source: EncodeError,
    },
    /// Too many different edges.
    #[error(transparent)]
    Edges(#[from] TooManyEdges),
    /// More actions than a model can hold.
    #[error("{0} actions are too many: a model holds 65535")]
    Actions(usize),
}

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
    pub engine: Engine,
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
        let Corpus { mut train, dev } = corpus;
        for sentence in &mut train {
            transform.apply(sentence);
        }
        let has_loops = || train.iter().any(|s| s.graph.arcs().iter().any(|arc| arc.head == arc.dependent));
        let settings = settings(recipe, recipe.self_arcs.decide(has_loops))?;
        let system = system(&settings);
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
            let gold = gold.map_err(|source| DataError::Encode { sentence: i + 1, source })?;
            let derivation = oracle(&system, &gold);
            builder.add(&derivation.steps);
            tokens += sentence.len();
            arcs += graph.arcs().len();
            lost += derivation.lost.len();
            let mut words = Words::default();
            words.fill(sentence, recipe.reversed);
            if let Some(trees) = trees {
                words.set_tree(&trees.train[i], recipe.reversed);
            }
            derivations.push((words, gold, derivation.steps));
        }
        if arcs == 0 {
            return Err(DataError::NoArcs.into());
        }
        let inventory = builder.finish(&settings).map_err(DataError::from)?;
        if inventory.actions.len() > usize::from(u16::MAX) {
            return Err(DataError::Actions(inventory.actions.len()).into());
        }
        let examples = derivations.into_iter().map(|(words, gold, steps)| {
            // The inventory was collected from these very steps.
            let ids = steps.iter().filter_map(|&step| inventory.id(inventory.action(step)?));
            Example { words, gold, actions: ids.map(|id| id as u32).collect() }
        });
        let examples = examples.collect();
        Ok(Data {
            engine: Engine {
                index: ActionIndex::new(&inventory),
                inventory,
                templates: recipe.templates()?,
                labels,
                transform,
                reversed: recipe.reversed,
                unlabelled: recipe.unlabelled,
                tree: None,
                beam: recipe.beam,
                system,
            },
            examples,
            dev: HeldOut::new(dev, recipe.unlabelled, trees),
            tokens,
            arcs,
            lost,
        })
    }
}
