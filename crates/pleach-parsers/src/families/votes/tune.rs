//! Learns the weights of a vote from sentences that none of its members was trained on.

use super::{Card, VOTE, VoteEngine, open, section};
use crate::engine::{GraphEngine, Options};
use crate::given::Makes;
use crate::train::{Catalogue, OpenError};
use crate::vote::{Ballots, Fitted, Weights, fit};
use crate::workspace::Workspace;
use pleach_eval::graph::GraphScores;
use pleach_graph::enhanced::drop_empty_nodes;
use pleach_graph::{Graph, Sentence};
use pleach_model::{Section, View, comparable};
use rayon::prelude::*;

/// Sentences that a thread takes at once.
const CHUNK: usize = 64;

/// A sentence as it is needed to learn from it.
struct Example {
    /// Parsed, without a graph.
    sentence: Sentence,
    ballots: Ballots,
    /// The gold graph as the first member learnt graphs.
    learnt: Graph,
    /// The gold graph as it is scored.
    scored: Graph,
}

/// Several models that vote with weights, and all weights that were tried, best first. The sentences have gold graphs; those
/// that a member was trained on would flatter it. Runs on the current rayon pool; the weights don't depend on its size.
///
/// # Errors
/// When a model gives no graphs, or there are no sentences.
pub fn tuned_vote_section<'a>(
    models: &'a [View],
    sentences: &[Sentence],
    catalogue: Catalogue,
) -> Result<(Section<'a>, Vec<Fitted>), OpenError> {
    if sentences.is_empty() {
        return Err(OpenError::Inconsistent(
            "the weights of a vote are learnt from sentences; there are none".into(),
        ));
    }
    let members = models.iter().flat_map(|model| match model.family() {
        VOTE => model.children().collect(),
        _ => vec![model.clone()],
    });
    let engine = VoteEngine { voters: open(members, catalogue)?, threshold: HALF, weights: None };
    let examples: Vec<Example> = sentences
        .par_chunks(CHUNK)
        .map_init(Workspace::default, |workspace, sentences| examples(&engine, sentences, workspace))
        .flatten_iter()
        .collect();
    let ballots: Vec<Ballots> = examples.iter().map(|example| example.ballots.clone()).collect();
    let gold: Vec<Graph> = examples.iter().map(|example| example.learnt.clone()).collect();
    let fitted = fit(&ballots, &gold, engine.voters.len(), |weights| measure(&engine, &examples, weights));
    let weights = fitted.first().map(|best| best.weights.clone());
    Ok((section(models, Card { threshold: HALF, weights }), fitted))
}

/// The threshold of a weighted vote whose caller wants a plain one without saying which.
const HALF: f64 = 0.5;

fn examples(engine: &VoteEngine, gold: &[Sentence], workspace: &mut Workspace) -> Vec<Example> {
    let mut sentences = gold.to_vec();
    for sentence in &mut sentences {
        Makes { trees: engine.writes_trees(), graphs: true }.settle(sentence, false);
        drop_empty_nodes(sentence);
        sentence.graph = Graph::new(sentence.len());
    }
    let said = engine.ask(&mut sentences, &Options::default(), workspace);
    let ballots = engine.ballots(&said, &sentences, |_| true, workspace);
    let transform = engine.transform();
    let all = gold.iter().zip(sentences).zip(ballots);
    all.map(|((gold, sentence), ballots)| {
        let mut learnt = gold.clone();
        transform.apply(&mut learnt);
        drop_empty_nodes(&mut learnt);
        if engine.unlabelled() {
            learnt.graph = comparable(learnt.clone(), true);
        }
        let scored = comparable(gold.clone(), engine.unlabelled());
        Example { sentence, ballots, learnt: learnt.graph, scored }
    })
    .collect()
}

/// Labelled F of the graphs that weights decide on, transforms undone.
fn measure(engine: &VoteEngine, examples: &[Example], weights: &Weights) -> f64 {
    let transform = engine.transform();
    let mut counts = GraphScores::new();
    for example in examples {
        let mut sentence = example.sentence.clone();
        sentence.graph = weights.decide(&example.ballots);
        transform.undo(&mut sentence);
        counts.add(&example.scored, &comparable(sentence, engine.unlabelled()));
    }
    counts.lf()
}
