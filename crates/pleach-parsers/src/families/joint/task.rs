//! A joint parser as something to be learnt.

use super::data::Data;
use super::learn::{Lesson, Space, Weights};
use super::more::in_turn;
use super::parse::{LONGEST, Parse};
use super::recipe::{GUESSES, NAME};
use crate::engine::{Tags, WordEngine};
use crate::families::section;
use crate::pieces::graphs_in_pieces;
use crate::random::Random;
use crate::scorer::{Learner, ModelScorer};
use crate::train::{Size, Task};
use crate::workspace::Workspace;
use pleach_eval::graph::GraphScores;
use pleach_graph::enhanced::{collapse, drop_empty_nodes};
use pleach_graph::words::Words;
use pleach_graph::{Sentence, Text, Token};
use pleach_model::{Scores, Section, View, comparable};
use rayon::prelude::*;
use std::ops::Range;

/// The data, and the parser that fits it.
pub(super) struct JointTask {
    pub data: Data,
    /// The stage whose tags the scorer looks at: its model and, made ready, what it does.
    guesses: Option<(View, Box<dyn WordEngine>)>,
    questions: Vec<Range<usize>>,
}

impl JointTask {
    /// What a treebank asks for.
    pub fn new(data: Data, guesses: Option<(View, Box<dyn WordEngine>)>) -> Self {
        JointTask { questions: data.parse.inventory.questions(), data, guesses }
    }

    /// The development sentences, analysed from nothing but their words.
    fn analysed(&self, scorer: &dyn ModelScorer) -> Vec<Sentence> {
        let parse = &self.data.parse;
        let analyse = |workspace: &mut Workspace, gold: &[Sentence]| {
            let mut sentences = gold.to_vec();
            sentences.iter_mut().for_each(drop_empty_nodes);
            let graphs = graphs_in_pieces(&mut sentences, &[], LONGEST, |sentences, _| {
                let guesses = self.guesses.as_ref().map(|(_, engine)| &**engine);
                parse.graphs((scorer, guesses), sentences, Tags::Predicted, workspace.part())
            });
            for (sentence, graph) in sentences.iter_mut().zip(graphs) {
                sentence.graph = graph;
                parse.transform.undo(sentence);
                collapse(sentence);
            }
            sentences
        };
        let chunks = self.data.dev.par_chunks(scorer.batch().max(1));
        chunks.map_init(Workspace::default, analyse).flatten_iter().collect()
    }
}

/// What is scored of words: the name of the score, the task, and where it stands.
const WORDS: [(&str, &str, Column); 4] = [
    ("UPOS", "tags", |token| &token.upos),
    ("XPOS", "tags", |token| &token.xpos),
    ("features", "features", |token| &token.feats),
    ("lemmas", "lemmas", |token| &token.lemma),
];

type Column = fn(&Token) -> &Text;

impl Task for JointTask {
    fn size(&self) -> Size {
        let Data { parse, examples, tokens, arcs, lost, .. } = &self.data;
        let choices = parse.layout().all_labels() + parse.inventory.len();
        Size { examples: examples.len(), tokens: *tokens, choices, arcs: *arcs, lost: *lost }
    }

    fn examples(&self, epoch: usize) -> Vec<u32> {
        let Data { parse, examples, own, .. } = &self.data;
        in_turn(*own, examples.len() - own, parse.recipe.more_share, epoch)
    }

    fn words(&self, example: usize) -> &Words {
        &self.data.examples[example].0
    }

    fn learn(&self, example: usize, learner: &mut dyn Learner, _: Random, workspace: &mut Workspace) -> bool {
        let (words, gold) = &self.data.examples[example];
        let Parse { recipe, .. } = &self.data.parse;
        let mut lesson = Lesson {
            learner,
            layout: self.data.parse.layout(),
            questions: &self.questions,
            weights: Weights { words: recipe.word_weight, tree: recipe.tree_weight },
            space: workspace.part::<Space>(),
        };
        lesson.learn(words.len(), gold)
    }

    /// The graphs as a user would score them, then whatever else was learnt.
    fn evaluate(&self, scorer: &dyn ModelScorer) -> Option<Scores> {
        let dev = &self.data.dev;
        if dev.is_empty() {
            return None;
        }
        let parsed = self.analysed(scorer);
        let mut counts = GraphScores::new();
        for (gold, parsed) in dev.iter().zip(&parsed) {
            counts.add(&comparable(gold.clone(), self.data.parse.recipe.unlabelled), &parsed.graph);
        }
        let graphs = Scores::of_graphs(&counts);
        let recipe = &self.data.parse.recipe;
        let mut more: Vec<(&str, f64)> = Vec::new();
        let mut gold = dev.clone();
        gold.iter_mut().for_each(drop_empty_nodes);
        let trees;
        if !self.data.parse.labels.is_empty() {
            trees = Scores::of_trees(gold.iter().zip(&parsed));
            more.extend(trees.iter().filter(|(name, _)| ["LAS", "UAS"].contains(name)));
        }
        for (name, task, of) in WORDS {
            if recipe.learns(task) {
                more.push((name, share_of_equal(&gold, &parsed, of)));
            }
        }
        Some(Scores::new(graphs.iter().chain(more)))
    }

    fn section(&self) -> Section<'_> {
        let section = section::with_tree(NAME, &self.data.parse.card(), None);
        let guesses = self.guesses.iter().map(|(view, _)| view.section().with_role(GUESSES));
        Section { children: guesses.collect(), ..section }
    }
}

/// The share of words that have the same of something, in percent.
fn share_of_equal(gold: &[Sentence], parsed: &[Sentence], of: Column) -> f64 {
    let (mut all, mut equal) = (0, 0);
    for (gold, parsed) in gold.iter().zip(parsed) {
        let same = gold.tokens.iter().zip(&parsed.tokens).filter(|(gold, parsed)| of(gold) == of(parsed));
        all += gold.len();
        equal += same.count();
    }
    100.0 * equal as f64 / all.max(1) as f64
}
