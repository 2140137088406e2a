//! A tree parser by control parameters as something to be learnt.

use super::data::{Data, Dev};
use super::learn;
use super::parse::Space;
use crate::families::section;
use crate::random::Random;
use crate::scorer::{Learner, ModelScorer};
use crate::train::{Size, Task};
use crate::workspace::Workspace;
use pleach_graph::Sentence;
use pleach_graph::words::Words;
use pleach_model::{Scores, Section};
use pleach_transition::MAX_WORDS;
use rayon::prelude::*;

/// A treebank made ready.
pub(super) struct TreeTask {
    pub data: Data,
}

impl Task for TreeTask {
    fn size(&self) -> Size {
        let Data { parse, examples, tokens, arcs, lost, .. } = &self.data;
        let choices = parse.machine.actions();
        Size { examples: examples.len(), tokens: *tokens, choices, arcs: *arcs, lost: *lost }
    }

    fn words(&self, example: usize) -> &Words {
        &self.data.examples[example].words
    }

    fn learn(&self, example: usize, learner: &mut dyn Learner, _: Random, workspace: &mut Workspace) -> bool {
        let Data { parse, examples, .. } = &self.data;
        learn::learn(&parse.machine, &parse.card.recipe, learner, &examples[example], workspace.part())
    }

    fn evaluate(&self, scorer: &dyn ModelScorer) -> Option<Scores> {
        let parse = &self.data.parse;
        let beam = parse.card.recipe.beam;
        match &self.data.dev {
            Dev::Trees(dev) if dev.is_empty() => None,
            Dev::Trees(dev) => {
                let parsed = dev.par_chunks(scorer.batch().max(1));
                let parsed = parsed.map_init(Workspace::default, |workspace, sentences| {
                    let inputs: Vec<&Sentence> = sentences.iter().collect();
                    let trees = parse.trees(scorer, &inputs, beam, workspace.part::<Space>());
                    let mut parsed = sentences.to_vec();
                    parsed.iter_mut().zip(trees).for_each(|(sentence, tree)| tree.write(sentence));
                    parsed
                });
                let parsed: Vec<Sentence> = parsed.flatten_iter().collect();
                Some(Scores::of_trees(dev.iter().zip(&parsed)))
            }
            Dev::Graphs(dev) => {
                let limits = (scorer.batch(), MAX_WORDS);
                dev.score(parse.transform(), limits, |sentences, _, workspace| {
                    let inputs: Vec<&Sentence> = sentences.iter().collect();
                    parse.graphs(scorer, &inputs, beam, workspace.part::<Space>())
                })
            }
        }
    }

    fn section(&self) -> Section<'_> {
        section::with_tree(super::NAME, &self.data.parse.card, None)
    }
}
