//! Models that are ready to run, by what they give. An engine owns its part of the model.

use crate::ensure::{ArcScores, Nearness};
use crate::workspace::Workspace;
use pleach_decode::relax::Outcome;
use pleach_graph::enhanced::Transform;
use pleach_graph::{Graph, Sentence, Tree};
use pleach_transition::story::Story;
use std::fmt::Debug;

/// What to do with tags, features and lemmas that a sentence has already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tags {
    /// They stay; what is missing is predicted if the model can.
    #[default]
    Auto,
    /// They stay, and what is missing stays so.
    Given,
    /// The model's own take their place.
    Predicted,
}

/// What a caller may want otherwise than the model does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// What happens to tags, features and lemmas, for engines that write them; a parser's own options decide.
    pub tags: Tags,
    /// The beam's width, if not the model's own.
    pub beam: Option<usize>,
    /// For votes: the share that an arc needs more than, if not the model's own.
    pub threshold: Option<f64>,
}

/// Which of the [`Options`] change what an engine does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heeds {
    /// The beam.
    pub beam: bool,
    /// The share of votes.
    pub threshold: bool,
}

impl Heeds {
    /// For engines that have a beam and nothing else.
    pub const BEAM: Heeds = Heeds { beam: true, threshold: false };

    /// What one of two heeds.
    pub fn or(self, other: Heeds) -> Heeds {
        Heeds { beam: self.beam || other.beam, threshold: self.threshold || other.threshold }
    }
}

/// The search for the graph of one sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searched {
    /// The pairs of words that the gold graph links.
    pub gold: usize,
    /// The arcs that the search chose from.
    pub candidates: usize,
    /// What pruned arcs, in order, and how many of the gold ones were left each time.
    pub left: Vec<(&'static str, usize)>,
    /// How the models came to agree, if there are several.
    pub outcome: Option<Outcome>,
}

/// A transition that a parser could take.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Its name, as in derivations.
    pub transition: String,
    /// The parser's score.
    pub score: f32,
    /// Whether it is the one that leads to the graph.
    pub taken: bool,
}

/// How a transition parser's graph of a sentence comes about.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// The derivation.
    pub story: Story,
    /// The sentence with the graph that is derived.
    pub sentence: Sentence,
    /// For every configuration but the last, the best of the legal transitions.
    pub offers: Vec<Vec<Offer>>,
}

/// Gives graphs.
pub trait GraphEngine: Send + Sync + Debug {
    /// What is done to graphs before training and undone after parsing.
    fn transform(&self) -> Transform;

    /// Whether labels were put aside.
    fn unlabelled(&self) -> bool;

    /// How many sentences it likes to parse together.
    fn batch(&self) -> usize {
        1
    }

    /// How many words a sentence may have; callers cut longer ones into pieces ([`crate::pieces`]).
    fn longest(&self) -> usize;

    /// Which options it heeds.
    fn heeds(&self) -> Heeds {
        Heeds::default()
    }

    /// Whether it writes basic trees too.
    fn writes_trees(&self) -> bool {
        false
    }

    /// Whether it writes tags, features or lemmas too.
    fn writes_words(&self) -> bool {
        false
    }

    /// As [`WordEngine::known`], for engines that write tags.
    fn known(&self, sentence: &Sentence) -> Option<(usize, usize)> {
        let _ = sentence;
        None
    }

    /// The graphs of sentences without empty nodes, as the model learnt them: transforms not undone. Frames, trees, tags
    /// and lemmas are set when the model predicts them; all else in the sentences stays. A graph does not depend on the other
    /// sentences.
    fn graphs(&self, sentences: &mut [Sentence], options: &Options, workspace: &mut Workspace) -> Vec<Graph>;

    /// The graph of one sentence.
    fn graph(&self, sentence: &mut Sentence, options: &Options, workspace: &mut Workspace) -> Graph {
        let graph = self.graphs(std::slice::from_mut(sentence), options, workspace).pop();
        graph.unwrap_or_else(|| Graph::new(sentence.len()))
    }

    /// How the graph of a sentence without empty nodes was found, in words; `None` for engines that have nothing to tell.
    fn explain(&self, sentence: &Sentence, options: &Options, workspace: &mut Workspace) -> Option<String> {
        let _ = (sentence, options, workspace);
        None
    }

    /// How the graph of a sentence without empty nodes comes about, step by step; `None` for engines without steps.
    fn watch(&self, sentence: &Sentence, options: &Options, workspace: &mut Workspace) -> Option<Watched> {
        let _ = (sentence, options, workspace);
        None
    }

    /// What the search for a sentence's graph was like; the sentence has no empty nodes and its gold graph as the model
    /// learns it. `None` for engines that neither choose candidates nor relax anything.
    fn searched(
        &self,
        sentence: &Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Option<Searched> {
        let _ = (sentence, options, workspace);
        None
    }

    /// What the model thinks of arcs that it did not make; `sentence` has the graph that it made.
    fn arc_scores<'a>(
        &'a self,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        let _ = (sentence, workspace);
        Box::new(Nearness)
    }
}

/// Gives trees.
pub trait TreeEngine: Send + Sync + Debug {
    /// How many sentences it likes to parse together.
    fn batch(&self) -> usize {
        1
    }

    /// How many words a sentence may have; callers cut longer ones into pieces ([`crate::pieces`]).
    fn longest(&self) -> usize;

    /// Which options it heeds.
    fn heeds(&self) -> Heeds {
        Heeds::default()
    }

    /// The trees of sentences without empty nodes. A tree does not depend on the other sentences.
    fn trees(&self, sentences: &[&Sentence], options: &Options, workspace: &mut Workspace) -> Vec<Tree>;

    /// The tree of one sentence.
    fn tree(&self, sentence: &Sentence, options: &Options, workspace: &mut Workspace) -> Tree {
        self.trees(&[sentence], options, workspace).pop().unwrap_or_default()
    }
}

/// Cuts text into sentences of words.
pub trait TextEngine: Send + Sync + Debug {
    /// The sentences of a text. With a start (the characters before the text), MISC says where every token stands.
    fn sentences(&self, text: &str, start: Option<usize>, workspace: &mut Workspace) -> Vec<Sentence>;
}

/// Writes something into the words of sentences: tags, features, lemmas.
pub trait WordEngine: Send + Sync + Debug {
    /// Whether a sentence has already what the engine would write.
    fn given(&self, sentence: &Sentence) -> bool;

    /// Writes it, in place of what was there.
    fn annotate(&self, sentence: &mut Sentence, workspace: &mut Workspace);

    /// How many of a sentence's words of letters it knows by their forms, and how many there are, if it can tell.
    fn known(&self, sentence: &Sentence) -> Option<(usize, usize)> {
        let _ = sentence;
        None
    }
}
