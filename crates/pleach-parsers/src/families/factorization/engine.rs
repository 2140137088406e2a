//! One parser, ready to run: the models that a [`Card`] describes, and who scores.

use super::LONGEST;
use super::alone::Alone;
use super::approximation::Approximation;
use super::card::{Card, GraphCard, ModelCard};
use super::explain::explain;
use super::parse::{Parse, Space, Work};
use super::problem::ChainModel;
use super::recipe::Member;
use crate::engine::{GraphEngine, Options, Searched};
use crate::ensure::{ArcScores, Nearness};
use crate::scorer::ModelScorer;
use crate::train::{Catalogue, OpenError};
use crate::trees::{TreeStage, graph_of};
use crate::workspace::Workspace;
use pleach_decode::markov::{Candidate, Centre};
use pleach_graph::enhanced::Transform;
use pleach_graph::{Graph, Sentence, Tree};
use pleach_model::View;

/// A parser with its scorers.
#[derive(Debug)]
pub(super) struct Engine {
    parse: Parse,
    /// Those of the chain models.
    scorers: Vec<Box<dyn ModelScorer>>,
    /// The parser of the trees that it looks at, if it does.
    tree: Option<TreeStage>,
}

/// A model of chains from a model file, and its scorer.
type Chains = (ChainModel, Box<dyn ModelScorer>);

fn open_chains(
    card: &ModelCard,
    weight: f32,
    view: &View,
    catalogue: Catalogue,
) -> Result<Chains, OpenError> {
    let ModelCard { recipe, graphs } = card;
    recipe.check().map_err(OpenError::Inconsistent)?;
    let [Member::Chains(centre)] = recipe.members()[..] else {
        return Err(OpenError::Inconsistent(format!("'{}' is not a model of chains", recipe.models)));
    };
    let scorer = catalogue.open_scorer(view, &recipe.structure(graphs.label_sets.len()))?;
    Ok((ChainModel { centre, order: recipe.order(), weight }, scorer))
}

impl Engine {
    /// The engine of a trained model.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<Self, OpenError> {
        let (mut models, mut scorers, mut approximation) = (Vec::new(), Vec::new(), None);
        let mut add = |(model, scorer): Chains| {
            models.push(model);
            scorers.push(scorer);
        };
        let card = match serde_json::from_value(view.card().clone())? {
            Card::Chains(card) => {
                add(open_chains(&card, 1.0, view, catalogue)?);
                card
            }
            Card::Joint(card) => {
                card.recipe.check().map_err(OpenError::Inconsistent)?;
                for member in card.recipe.agreeing() {
                    let child = view.role_child(member.name()).ok_or_else(|| missing(member))?;
                    match member {
                        Member::Tree => approximation = Some(child),
                        Member::Chains(centre) => {
                            add(open_part(&card, centre, &child, catalogue)?);
                        }
                    }
                }
                card
            }
        };
        let mut parse = Parse::new(card.recipe, models, card.graphs);
        if let Some(child) = approximation {
            parse.scale_to(Approximation::open(&child, &parse.labels, catalogue)?);
        }
        Ok(Engine { parse, scorers, tree: TreeStage::below(view, catalogue)? })
    }

    fn scorers(&self) -> impl ExactSizeIterator<Item = &dyn ModelScorer> {
        self.scorers.iter().map(|scorer| &**scorer)
    }

    /// Whether chains take part, and a sentence is one that they can take whole.
    fn takes(&self, sentence: &Sentence) -> bool {
        !self.scorers.is_empty() && !sentence.is_empty() && sentence.len() <= LONGEST
    }

    fn trees(&self, sentences: &[Sentence], workspace: &mut Workspace) -> Vec<Tree> {
        let sentences = || sentences.iter().collect::<Vec<_>>();
        self.tree.as_ref().map_or_else(Vec::new, |stage| stage.trees(&sentences(), workspace))
    }
}

fn missing(member: Member) -> OpenError {
    OpenError::Inconsistent(format!("the model has no part '{}'", member.name()))
}

/// A model of chains inside a joint one.
fn open_part(
    joint: &ModelCard,
    centre: Centre,
    child: &View,
    catalogue: Catalogue,
) -> Result<Chains, OpenError> {
    let member = Member::Chains(centre);
    let Card::Chains(card) = serde_json::from_value(child.card().clone())? else {
        return Err(missing(member));
    };
    let GraphCard { label_sets, .. } = &card.graphs;
    if *label_sets != joint.graphs.label_sets {
        return Err(OpenError::Inconsistent("the parts have different labels".into()));
    }
    open_chains(&card, joint.recipe.weight(member), child, catalogue)
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.parse.transform
    }

    fn unlabelled(&self) -> bool {
        self.parse.recipe.unlabelled
    }

    fn batch(&self) -> usize {
        let tree = self.parse.approximation.as_ref().map(|approximation| approximation.scorer.batch());
        self.scorers().map(|scorer| scorer.batch()).chain(tree).max().unwrap_or(1)
    }

    fn longest(&self) -> usize {
        // A tree parser alone cuts sentences for itself.
        if self.scorers.is_empty() { usize::MAX } else { LONGEST }
    }

    fn graphs(&self, sentences: &mut [Sentence], _: &Options, workspace: &mut Workspace) -> Vec<Graph> {
        if let Some(approximation) = self.parse.approximation.as_ref().filter(|_| self.scorers.is_empty()) {
            // A tree approximation alone: the graph is what its tree says.
            let sentences: Vec<&Sentence> = sentences.iter().collect();
            return approximation.stage.trees(&sentences, workspace).iter().map(graph_of).collect();
        }
        let trees = self.trees(sentences, workspace);
        self.parse.graphs(self.scorers(), sentences, &trees, workspace.part())
    }

    fn explain(&self, sentence: &Sentence, _: &Options, workspace: &mut Workspace) -> Option<String> {
        if !self.takes(sentence) {
            return None;
        }
        let sentences = std::slice::from_ref(sentence);
        let trees = self.trees(sentences, workspace);
        let space: &mut Space = workspace.part();
        let (mut scorers, work) = self.parse.bind(self.scorers(), sentences, &trees, space);
        let mut trace = Vec::new();
        let outcome = self.parse.decode(&mut scorers, work, Some(&mut trace));
        Some(explain(&self.parse.recipe, &work.search.arcs, sentence, &outcome, &trace))
    }

    fn searched(&self, sentence: &Sentence, _: &Options, workspace: &mut Workspace) -> Option<Searched> {
        if !self.takes(sentence) {
            return None;
        }
        let sentences = std::slice::from_ref(sentence);
        let trees = self.trees(sentences, workspace);
        let space: &mut Space = workspace.part();
        let (mut scorers, work) = self.parse.bind(self.scorers(), sentences, &trees, space);
        let outcome = self.parse.decode(&mut scorers, work, None);
        let Work { search, .. } = work;
        let mut gold: Vec<(u32, u32)> =
            sentence.graph.arcs().iter().map(|arc| (arc.head.0, arc.dependent.0)).collect();
        gold.dedup();
        let problem = self.parse.problem(scorers.words());
        let allowed = |&&(head, dependent): &&(u32, u32)| problem.wants(head as usize, dependent as usize);
        let kept = |&&(head, dependent): &&(u32, u32)| search.arcs.contains(&Candidate { head, dependent });
        Some(Searched {
            gold: gold.len(),
            candidates: search.arcs.len(),
            left: vec![
                ("tags", gold.iter().filter(allowed).count()),
                ("the filter", gold.iter().filter(kept).count()),
            ],
            outcome: (self.parse.recipe.agreeing().len() > 1).then_some(outcome),
        })
    }

    fn arc_scores<'a>(
        &'a self,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        if !self.takes(sentence) {
            return Box::new(Nearness);
        }
        let sentences = std::slice::from_ref(sentence);
        let trees = self.trees(sentences, workspace);
        let space: &mut Space = workspace.part();
        let (scorers, work) = self.parse.bind(self.scorers(), sentences, &trees, space);
        Box::new(Alone::new(&self.parse, scorers, &mut work.search))
    }
}
