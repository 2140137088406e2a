//! Several graph parsers in one model that vote (`zhang-2016` section 5.4.2).

use super::{Family, GraphEngine, OpenError, Opened, Options};
use crate::ensure::ArcScores;
use crate::model::View;
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Session, TrainError};
use crate::vote::vote;
use crate::workspace::Workspace;
use pleach_graph::enhanced::{Transform, collapse};
use pleach_graph::{Graph, Sentence};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The family's name.
pub const VOTE: &str = "vote";

/// What a vote's section says.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Card {
    /// An arc needs more than this share of the votes.
    pub threshold: f64,
}

/// The family of ensembles; they are put together, not trained.
#[derive(Debug)]
pub(super) struct Vote;

impl Family for Vote {
    fn name(&self) -> &'static str {
        VOTE
    }

    fn presets(&self) -> Vec<String> {
        Vec::new()
    }

    fn preset(&self, _: &str) -> Option<toml::Table> {
        None
    }

    fn check(&self, _: &Recipe) -> Result<(), String> {
        Ok(())
    }

    fn sources(&self, _: &Recipe) -> Result<String, TrainError> {
        Ok(String::new())
    }

    fn train(&self, _: &Recipe, _: Corpus, _: &mut Session<'_>) -> Result<Ended, TrainError> {
        Err(TrainError::NotTrained(VOTE))
    }

    fn open(&self, view: View<'_>) -> Result<Opened, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        let mut voters = Vec::new();
        for child in view.children() {
            match super::open(child)? {
                Opened::Graph(engine) => voters.push(engine),
                _ => return Err(OpenError::Inconsistent("only graph parsers can vote on graphs".into())),
            }
        }
        if voters.is_empty() {
            return Err(OpenError::Inconsistent("a vote needs parsers".into()));
        }
        Ok(Opened::Graph(Box::new(VoteEngine { voters, threshold: card.threshold })))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let threshold = card.get("threshold").and_then(Value::as_f64).unwrap_or_default();
        vec![("vote", format!("arcs of more than {:.0} % of the parsers", 100.0 * threshold))]
    }
}

#[derive(Debug)]
struct VoteEngine {
    voters: Vec<Box<dyn GraphEngine>>,
    threshold: f64,
}

impl GraphEngine for VoteEngine {
    fn transform(&self) -> Transform {
        self.voters[0].transform()
    }

    fn unlabelled(&self) -> bool {
        self.voters.iter().any(|voter| voter.unlabelled())
    }

    /// The votes are on the labels as learnt when all models learnt the same way; else every graph is put
    /// into the first model's terms first.
    fn graph(
        &self,
        view: View<'_>,
        sentence: &mut Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Graph {
        let common = self.transform();
        let mut graphs = Vec::with_capacity(self.voters.len());
        for (voter, part) in self.voters.iter().zip(view.children()) {
            let graph = voter.graph(part, sentence, options, workspace);
            if voter.transform() == common {
                graphs.push(graph);
                continue;
            }
            let mut other = sentence.clone();
            other.graph = graph;
            voter.transform().undo(&mut other);
            common.apply(&mut other);
            // A model that keeps empty nodes apart can't vote on them: they are folded into labels.
            if other.has_empty_nodes() {
                collapse(&mut other);
            }
            graphs.push(other.graph);
        }
        vote(&graphs, options.threshold.unwrap_or(self.threshold))
    }

    fn arc_scores<'a>(
        &'a self,
        view: View<'a>,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        self.voters[0].arc_scores(view.child(0).unwrap_or(view), sentence, workspace)
    }
}
