//! One parser, ready to run: the tasks that a [`Card`] describes, and who scores.

use super::parse::{Card, LONGEST, Parse, Space};
use super::recipe::{GUESSES, Layout};
use crate::engine::{GraphEngine, Options, WordEngine};
use crate::ensure::{ArcScores, Nearness};
use crate::scorer::{Bound, ModelScorer};
use crate::train::{Catalogue, OpenError, Opened};
use crate::workspace::Workspace;
use pleach_decode::part::{Part, best_choice};
use pleach_graph::enhanced::Transform;
use pleach_graph::{Graph, Node, NodeId, Sentence, Text};
use pleach_model::View;

/// A parser with its scorer.
#[derive(Debug)]
pub(super) struct Engine {
    parse: Parse,
    scorer: Box<dyn ModelScorer>,
    /// The stage whose tags the scorer looks at.
    guesses: Option<Box<dyn WordEngine>>,
}

impl Engine {
    /// The engine of a trained model.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<Self, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        card.recipe.check().map_err(OpenError::Inconsistent)?;
        let parse = Parse::of(card);
        let scorer = catalogue.open_scorer(view, &parse.layout().structure())?;
        let guesses = view.role_child(GUESSES).map(|view| open_guesses(&view, catalogue)).transpose()?;
        Ok(Engine { parse, scorer, guesses })
    }
}

/// The stage of a section.
pub(super) fn open_guesses(view: &View, catalogue: Catalogue) -> Result<Box<dyn WordEngine>, OpenError> {
    match catalogue.open(view)? {
        Opened::Words(engine) => Ok(engine),
        _ => Err(OpenError::Inconsistent(format!("the section '{GUESSES}' does not tag"))),
    }
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.parse.transform
    }

    fn unlabelled(&self) -> bool {
        self.parse.recipe.unlabelled
    }

    fn batch(&self) -> usize {
        self.scorer.batch()
    }

    fn longest(&self) -> usize {
        LONGEST
    }

    fn writes_trees(&self) -> bool {
        !self.parse.labels.is_empty()
    }

    fn writes_words(&self) -> bool {
        self.parse.inventory.len() > 0
    }

    fn known(&self, sentence: &Sentence) -> Option<(usize, usize)> {
        self.guesses.as_ref()?.known(sentence)
    }

    fn graphs(&self, sentences: &mut [Sentence], options: &Options, workspace: &mut Workspace) -> Vec<Graph> {
        let who = (&*self.scorer, self.guesses.as_deref());
        self.parse.graphs(who, sentences, options.tags, workspace.part())
    }

    fn arc_scores<'a>(
        &'a self,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        if sentence.is_empty() || sentence.len() > LONGEST {
            return Box::new(Nearness);
        }
        let space: &mut Space = workspace.part();
        Box::new(Alone { bound: Parse::bind(&*self.scorer, sentence, space), parse: &self.parse })
    }
}

/// What the network thinks of single arcs.
struct Alone<'a> {
    bound: Box<dyn Bound + 'a>,
    parse: &'a Parse,
}

impl ArcScores for Alone<'_> {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        let mut scores = [0.0; 2];
        self.bound.score(Part::arc(head.0 as Node, dependent.0 as Node), &mut scores);
        scores[Layout::GRAPH]
    }

    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text> {
        let layout = self.parse.layout();
        let mut row = vec![0.0; layout.all_labels()];
        self.bound.score(Part::label(head.0 as Node, dependent.0 as Node), &mut row);
        self.parse.sets.set(best_choice(&row[layout.graph_labels()]).0 as u16 + 1).to_vec()
    }
}
