//! Several graph parsers in one model that vote (`zhang-2016` section 5.4.2): by majority, or with weights that were
//! learnt ([`tuned_vote_section`]).

mod tune;

pub use tune::tuned_vote_section;

use crate::engine::{GraphEngine, Heeds, Options};
use crate::ensure::ArcScores;
use crate::pieces::graphs_in_pieces;
use crate::train::{Catalogue, Corpus, Ended, Family, OpenError, Opened, Session, TrainError};
use crate::vote::{Ballots, Weights, vote};
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
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Card {
    /// An arc needs more than this share of the votes.
    threshold: f64,
    /// The weights of the votes, if they were learnt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Weights>,
}

/// Several models that vote; the members of votes vote themselves.
pub fn vote_section<'a>(models: impl IntoIterator<Item = &'a View>, threshold: f64) -> Section<'a> {
    section(models, Card { threshold, weights: None })
}

fn section<'a>(models: impl IntoIterator<Item = &'a View>, card: Card) -> Section<'a> {
    let mut voters = Vec::new();
    for model in models {
        match model.section() {
            section if section.family == VOTE => voters.extend(section.children),
            section => voters.push(section),
        }
    }
    Section::group(VOTE, json!(card), voters)
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
        let voters = open(view.children(), catalogue)?;
        if card.weights.as_ref().is_some_and(|weights| weights.members.len() != voters.len()) {
            return Err(OpenError::Inconsistent("a vote has as many weights as parsers".into()));
        }
        Ok(Opened::Graph(Box::new(VoteEngine { voters, threshold: card.threshold, weights: card.weights })))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let weights: Option<Weights> =
            card.get("weights").and_then(|weights| serde_json::from_value(weights.clone()).ok());
        if let Some(weights) = weights {
            let what = if weights.asks_scores() { "votes and scores of arcs" } else { "votes" };
            return vec![("vote", format!("weighted {what}"))];
        }
        let threshold = card.get("threshold").and_then(Value::as_f64).unwrap_or_default();
        vec![("vote", format!("arcs of more than {:.0} % of the parsers", 100.0 * threshold))]
    }
}

/// Opens the members of a vote.
fn open(
    members: impl IntoIterator<Item = View>,
    catalogue: Catalogue,
) -> Result<Vec<Box<dyn GraphEngine>>, OpenError> {
    let mut voters = Vec::new();
    for member in members {
        match catalogue.open(&member)? {
            Opened::Graph(engine) => voters.push(engine),
            _ => return Err(OpenError::Inconsistent("only graph parsers can vote on graphs".into())),
        }
    }
    match voters.is_empty() {
        true => Err(OpenError::Inconsistent("a vote needs parsers".into())),
        false => Ok(voters),
    }
}

#[derive(Debug)]
struct VoteEngine {
    voters: Vec<Box<dyn GraphEngine>>,
    threshold: f64,
    weights: Option<Weights>,
}

/// What the members say of some sentences.
struct Said {
    /// By member, then by sentence: the graphs as it learnt them.
    own: Vec<Vec<Graph>>,
    /// By sentence, then by member: the graphs in the first member's terms.
    common: Vec<Vec<Graph>>,
}

impl VoteEngine {
    /// The votes are on the labels as learnt when all models learnt the same way; else every graph is put
    /// into the first model's terms first.
    fn ask(&self, sentences: &mut [Sentence], options: &Options, workspace: &mut Workspace) -> Said {
        let common = self.voters[0].transform();
        let mut said = Said {
            own: Vec::with_capacity(self.voters.len()),
            common: vec![Vec::with_capacity(self.voters.len()); sentences.len()],
        };
        for voter in &self.voters {
            let graphs = graphs_in_pieces(sentences, &[], voter.longest(), |sentences, _| {
                voter.graphs(sentences, options, workspace)
            });
            for ((graph, sentence), ballots) in graphs.iter().zip(&*sentences).zip(&mut said.common) {
                if voter.transform() == common {
                    ballots.push(graph.clone());
                    continue;
                }
                let mut other = sentence.clone();
                other.graph = graph.clone();
                voter.transform().undo(&mut other);
                common.apply(&mut other);
                // A model that keeps empty nodes apart can't vote on them: they are folded into labels.
                if other.has_empty_nodes() {
                    collapse(&mut other);
                }
                ballots.push(other.graph);
            }
            said.own.push(graphs);
        }
        said
    }

    /// The ballots of all sentences, with the scores of the members that are `wanted`.
    fn ballots(
        &self,
        said: &Said,
        sentences: &[Sentence],
        wanted: impl Fn(usize) -> bool,
        workspace: &mut Workspace,
    ) -> Vec<Ballots> {
        let mut ballots: Vec<Ballots> = said.common.iter().map(|graphs| Ballots::new(graphs)).collect();
        for (member, voter) in self.voters.iter().enumerate().filter(|(member, _)| wanted(*member)) {
            for ((sentence, graph), ballots) in sentences.iter().zip(&said.own[member]).zip(&mut ballots) {
                // What was parsed in pieces has no scores as a whole.
                if sentence.is_empty() || sentence.len() > voter.longest() {
                    continue;
                }
                let mut own = sentence.clone();
                own.graph = graph.clone();
                ballots.score(member, voter.arc_scores(&own, workspace).as_mut());
            }
        }
        ballots
    }
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

    fn heeds(&self) -> Heeds {
        let members = self.voters.iter().fold(Heeds::default(), |sum, voter| sum.or(voter.heeds()));
        Heeds { threshold: true, ..members }
    }

    /// A share that the caller wants is a plain vote.
    fn graphs(&self, sentences: &mut [Sentence], options: &Options, workspace: &mut Workspace) -> Vec<Graph> {
        let said = self.ask(sentences, options, workspace);
        match (&self.weights, options.threshold) {
            (Some(weights), None) => {
                let wanted = |member: usize| weights.members[member].asks_scores();
                let ballots = self.ballots(&said, sentences, wanted, workspace);
                ballots.iter().map(|ballots| weights.decide(ballots)).collect()
            }
            (_, threshold) => {
                let threshold = threshold.unwrap_or(self.threshold);
                said.common.iter().map(|graphs| vote(graphs, threshold)).collect()
            }
        }
    }

    fn arc_scores<'a>(
        &'a self,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        self.voters[0].arc_scores(sentence, workspace)
    }
}
