//! Several graph parsers in one model that vote (`zhang-2016` section 5.4.2).

use crate::engine::{GraphEngine, Options};
use crate::ensure::ArcScores;
use crate::pieces::graphs_in_pieces;
use crate::train::{Catalogue, Corpus, Ended, Family, OpenError, Opened, Session, TrainError};
use crate::vote::vote;
use crate::workspace::Workspace;
use pleach_graph::enhanced::{Transform, collapse};
use pleach_graph::{Graph, Sentence};
use pleach_model::recipe::{Keys, Recipe};
use pleach_model::{Section, View};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The family's name.
pub const VOTE: &str = "vote";

/// What a vote's section says.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Card {
    /// An arc needs more than this share of the votes.
    threshold: f64,
}

/// Several models that vote; the members of votes vote themselves.
pub fn vote_section<'a>(models: impl IntoIterator<Item = &'a View>, threshold: f64) -> Section<'a> {
    let mut voters = Vec::new();
    for model in models {
        match model.section() {
            section if section.family == VOTE => voters.extend(section.children),
            section => voters.push(section),
        }
    }
    Section::group(VOTE, json!(Card { threshold }), voters)
}

/// The family of ensembles; they are put together, not trained.
#[derive(Debug)]
pub(super) struct Vote;

impl Keys for Vote {
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
}

impl Family for Vote {
    fn train(&self, _: &Recipe, _: Corpus, _: &mut Session<'_>) -> Result<Ended, TrainError> {
        Err(TrainError::NotTrained(VOTE))
    }

    fn open(&self, view: &View, catalogue: Catalogue) -> Result<Opened, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        let mut voters = Vec::new();
        for child in view.children() {
            match catalogue.open(&child)? {
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

    fn batch(&self) -> usize {
        self.voters.iter().map(|voter| voter.batch()).max().unwrap_or(1)
    }

    /// Each voter cuts for itself.
    fn longest(&self) -> usize {
        usize::MAX
    }

    /// The votes are on the labels as learnt when all models learnt the same way; else every graph is put
    /// into the first model's terms first.
    fn graphs(&self, sentences: &mut [Sentence], options: &Options, workspace: &mut Workspace) -> Vec<Graph> {
        let common = self.transform();
        let mut ballots: Vec<Vec<Graph>> = vec![Vec::with_capacity(self.voters.len()); sentences.len()];
        for voter in &self.voters {
            let graphs = graphs_in_pieces(sentences, &[], voter.longest(), |sentences, _| {
                voter.graphs(sentences, options, workspace)
            });
            for ((graph, sentence), ballots) in graphs.into_iter().zip(&*sentences).zip(&mut ballots) {
                if voter.transform() == common {
                    ballots.push(graph);
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
                ballots.push(other.graph);
            }
        }
        let threshold = options.threshold.unwrap_or(self.threshold);
        ballots.iter().map(|graphs| vote(graphs, threshold)).collect()
    }

    fn arc_scores<'a>(
        &'a self,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        self.voters[0].arc_scores(sentence, workspace)
    }
}
