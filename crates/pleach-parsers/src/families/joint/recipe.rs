//! The recipe keys of joint parsers.

use crate::scorer::{PartShape, Structure};
use pleach_decode::part::Kind;
use pleach_model::recipe::{Schedule, When};
use serde::{Deserialize, Serialize};

/// The family's name, and its preset's.
pub(in crate::families) const NAME: &str = "joint";

/// The role of the stage whose tags are looked at.
pub(super) const GUESSES: &str = "guesses";

/// What can be learnt beside graphs.
const TASKS: [&str; 4] = ["tags", "features", "lemmas", "tree"];

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JointRecipe {
    /// The preset that the other keys change.
    pub preset: String,
    /// Who scores.
    pub scorer: String,
    /// What is learnt beside graphs, as far as the treebank has it: any of `tags features lemmas tree`.
    pub also: String,
    /// A stage whose tags the scorer looks at, `tagger` or none: a linear tagger sees other things than a network. Its tags are
    /// jackknifed for training and become better ones afterwards.
    pub guesses: String,
    /// How many folds they are jackknifed in.
    pub folds: usize,
    /// What the losses of tags, features and lemmas count beside that of graphs.
    pub word_weight: f32,
    /// What the loss of trees counts.
    pub tree_weight: f32,
    /// A file of sentences that a better model has parsed (`pleach parse -m better.pleach text.txt -o more.conllu`), to learn from too.
    /// Tags, labels and lemmas to choose from are those of the treebank. None when empty.
    pub more: String,
    /// How many of them an epoch has for each sentence of the treebank: they take turns.
    pub more_share: f32,
    /// The log-odds that an arc of a graph needs; more for precision, less for recall.
    pub threshold: f32,
    /// Put labels of graphs aside.
    pub unlabelled: bool,
    /// How the training data is gone through.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// Fold empty nodes into path labels.
    pub collapse: When,
    /// Write placeholders for words in labels.
    pub delexicalise: When,
}

impl Default for JointRecipe {
    fn default() -> Self {
        JointRecipe {
            preset: NAME.into(),
            scorer: "bilstm".into(),
            also: TASKS.join(" "),
            guesses: "tagger".into(),
            folds: 5,
            word_weight: 1.0,
            tree_weight: 1.0,
            more: String::new(),
            more_share: 1.5,
            threshold: 0.4,
            unlabelled: false,
            schedule: Schedule::by_size(),
            collapse: When::Auto,
            delexicalise: When::Auto,
        }
    }
}

impl JointRecipe {
    /// Whether something is learnt beside graphs.
    pub(super) fn learns(&self, task: &str) -> bool {
        self.also.split_whitespace().any(|name| name == task)
    }

    /// Says what makes no sense.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(name) = self.also.split_whitespace().find(|name| !TASKS.contains(name)) {
            return Err(format!("'also' has '{name}'; there are {}", TASKS.join(", ")));
        }
        if self.scorer == "linear" {
            return Err("linear scorers don't share anything between tasks: use scorer = 'bilstm', or a pipeline of stages".into());
        }
        if self.folds < 2 {
            return Err("'folds' is at least 2: a tagger must not tag what it was trained on".into());
        }
        if !["", "tagger"].contains(&self.guesses.as_str()) {
            return Err(format!("'guesses' is 'tagger' or empty, not '{}'", self.guesses));
        }
        if !(self.more_share >= 0.0 && self.more_share.is_finite()) {
            return Err("'more_share' is at least 0".into());
        }
        if !(self.word_weight >= 0.0 && self.tree_weight >= 0.0) {
            return Err("the weights of losses are at least 0".into());
        }
        Ok(())
    }
}

/// How many choices a scorer is asked for, and where those of each task stand: those of a kind of part are one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// The label sets of graphs, from 1; 0 is not used.
    pub sets: usize,
    /// The labels of trees, behind those of graphs; without any there are no trees.
    pub labels: usize,
    /// All choices of words.
    pub classes: usize,
}

impl Layout {
    /// The arcs of graphs are the first channel …
    pub const GRAPH: usize = 0;
    /// … and those of trees the second.
    pub const TREE: usize = 1;

    /// The channels of arcs.
    pub fn channels(&self) -> usize {
        if self.labels > 0 { 2 } else { 1 }
    }

    /// The places of the label sets of graphs.
    pub fn graph_labels(&self) -> std::ops::Range<usize> {
        1..self.sets + 1
    }

    /// The places of the labels of trees.
    pub fn tree_labels(&self) -> std::ops::Range<usize> {
        self.sets + 1..self.sets + 1 + self.labels
    }

    /// How many choices a label has in all.
    pub fn all_labels(&self) -> usize {
        self.sets + 1 + self.labels
    }

    /// What a scorer is asked.
    pub fn structure(&self) -> Structure {
        let mut parts = vec![
            PartShape::new(Kind::ARC, self.channels(), 0, ""),
            PartShape::new(Kind::LABEL, self.all_labels(), 0, ""),
        ];
        if self.classes > 0 {
            parts.push(PartShape::new(Kind::WORD, self.classes, 0, ""));
        }
        Structure { actions: None, parts }
    }
}
