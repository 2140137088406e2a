//! What all stages have in common: they are learnt from a treebank, by labelling sequences.

use crate::forms::Forms;
use crate::labelling::Labelling;
use crate::labelling::search::Memory;
use pleach_graph::Sentence;
use pleach_linear::table::Table;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// A stage: all that it knows apart from its weights.
pub trait Stage: Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name of the stage, and of its section in model files.
    const NAME: &'static str;

    /// What its features see of earlier labels.
    type History: Copy + Default + PartialEq + Debug + Send + 'static;

    /// What it labels.
    type Sequence<'a>: Labelling<History = Self::History> + Sync;

    /// Collects the labels of a treebank.
    fn new(sentences: &[Sentence]) -> Self;

    /// The same with what is sure of a treebank ([`Sure`](crate::sure::Sure)): words that were seen at least `least` times
    /// with one label only. Stages whose positions are no words know nothing of the kind.
    fn with_sure(self, sentences: &[Sentence], least: usize) -> Self {
        let _ = (sentences, least);
        self
    }

    /// The number of labels.
    fn labels(&self) -> usize;

    /// The sequences of a treebank and their labels, as far as this stage has them.
    fn examples(&self, sentences: &[Sentence]) -> Vec<Example<Self::Sequence<'_>>>;
}

/// A stage that writes what it found into the words of sentences.
pub trait Annotate: Stage {
    /// Whether a sentence has already what the stage would write.
    fn given(sentence: &Sentence) -> bool;

    /// Writes it, in place of what was there. Stages of one sentence share its hashed words.
    fn annotate(
        &self,
        table: Table<'_>,
        sentence: &mut Sentence,
        beam: usize,
        forms: &mut Forms,
        memory: &mut Memory<Self::History>,
    );

    /// How many of a sentence's words of letters the weights know by their forms, and how many there are; `None` when
    /// the stage can't tell.
    fn known(&self, table: Table<'_>, sentence: &Sentence) -> Option<(usize, usize)> {
        let _ = (table, sentence);
        None
    }
}

/// A sequence with its labels.
#[derive(Debug)]
pub struct Example<S> {
    /// The sequence.
    pub sequence: S,
    /// The label of every position.
    pub gold: Vec<u16>,
    /// How many words it stands for.
    pub words: usize,
}

/// A small training loop for the tests of stages.
#[cfg(test)]
pub(crate) fn fit<S: Stage>(stage: &S, sentences: &[Sentence], width: usize) -> pleach_linear::table::Frozen {
    let mut learner = pleach_linear::learner::Learner::default();
    let mut search = crate::labelling::search::Search::default();
    let examples = stage.examples(sentences);
    for _ in 0..20 {
        for example in &examples {
            let mut changes = Vec::new();
            crate::labelling::learn::learn(
                &example.sequence,
                &example.gold,
                &learner,
                width,
                1.0,
                &mut search,
                &mut changes,
            );
            for (key, label, amount) in changes {
                learner.update(key, label, amount);
            }
            learner.tick();
        }
    }
    learner.freeze(0.0)
}
