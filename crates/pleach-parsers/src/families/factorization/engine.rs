//! One parser, ready to run: the models that a [`Card`] describes, and the graph that they agree on.

use super::alone::Alone;
use super::approximation::{Approximation, TreeSpace};
use super::card::{Card, ChainCard, GraphCard};
use super::data;
use super::explain::explain;
use super::pruning::Pruning;
use super::recipe::{FactorRecipe, Member};
use super::search::{ChainModel, MOST_WORDS, Problem, Search};
use crate::ensure::{ArcScores, Nearness};
use crate::family::pieces::pieces;
use crate::family::{GraphEngine, OpenError, Options};
use crate::model::View;
use crate::relaxed::Searched;
use crate::trees::{TreeStage, graph_of};
use crate::workspace::Workspace;
use pleach_decode::markov::{Agreement, Candidate, Centre};
use pleach_decode::relax::{Iteration, Outcome, Relaxation, Settings, Subproblem};
use pleach_graph::enhanced::Transform;
use pleach_graph::{Arc, Graph, NodeId, Sentence, Tree};
use pleach_linear::factored::ChainTemplates;
use pleach_linear::table::Table;
use pleach_linear::template::TemplateError;
use pleach_linear::words::Words;
use pleach_transition::labels::Labels;

/// Models without their weights.
#[derive(Debug)]
pub(super) struct Engine {
    pub recipe: FactorRecipe,
    pub models: Vec<ChainModel>,
    pub labels: Labels,
    pub transform: Transform,
    pub pruning: Option<Pruning>,
    /// The parser of the trees that it looks at, if it does.
    pub tree: Option<TreeStage>,
    approximation: Option<Approximation>,
    label_count: usize,
    /// Whether the models are the sections below, and not the model itself.
    joint: bool,
    /// The margin in the units of the scores: chain models are scaled to the tree approximation.
    unit: f32,
}

/// What an engine needs in memory.
#[derive(Debug, Default)]
pub(super) struct Space {
    pub words: Words,
    pub search: Search<i32>,
    tree: TreeSpace,
    pub relaxation: Relaxation,
}

/// The weights of an engine's models.
#[derive(Debug)]
pub(super) struct Weights<'a> {
    pub chains: Vec<Table<'a>>,
    pub tree: Option<Table<'a>>,
}

/// Scores are sums of 32-bit floats; a gap below this share of the margin is none.
const TOLERANCE: f64 = 1e-3;

/// Compiles a model of chains.
pub(super) fn chain_model(
    card: &ChainCard,
    centre: Centre,
    weight: f32,
) -> Result<ChainModel, TemplateError> {
    let order = card.recipe.order();
    let [arc, label, pair, triple] = &card.templates;
    let templates = ChainTemplates::parse(order, arc, label, pair, triple)?;
    Ok(ChainModel { centre, order, templates, weight })
}

/// The same from a model file.
fn open_chains(card: &ChainCard, weight: f32) -> Result<ChainModel, OpenError> {
    card.recipe.check().map_err(OpenError::Inconsistent)?;
    let [Member::Chains(centre)] = card.recipe.members()[..] else {
        return Err(OpenError::Inconsistent(format!("'{}' is not a model of chains", card.recipe.models)));
    };
    chain_model(card, centre, weight).map_err(|error| OpenError::Inconsistent(error.to_string()))
}

impl Engine {
    /// An engine of some models that were trained on the same data.
    pub fn new(recipe: FactorRecipe, models: Vec<ChainModel>, graphs: GraphCard) -> Self {
        Engine {
            labels: data::labels(recipe.unlabelled, graphs.label_sets.clone()),
            label_count: graphs.label_sets.len(),
            transform: Transform { collapse: graphs.collapse, delexicalise: graphs.delexicalise },
            pruning: graphs.pruning,
            tree: None,
            approximation: None,
            joint: false,
            unit: recipe.margin,
            recipe,
            models,
        }
    }

    /// The engine of a trained model.
    pub fn open(view: View<'_>) -> Result<Self, OpenError> {
        let mut engine = match serde_json::from_value(view.card().clone())? {
            Card::Chains(card) => {
                let model = open_chains(&card, 1.0)?;
                Engine::new(card.recipe, vec![model], card.graphs)
            }
            Card::Joint(card) => {
                card.recipe.check().map_err(OpenError::Inconsistent)?;
                let mut engine = Engine::new(card.recipe, Vec::new(), card.graphs.clone());
                engine.joint = true;
                for member in engine.recipe.agreeing() {
                    engine.add(member, view, &card.graphs)?;
                }
                engine
            }
        };
        engine.tree = TreeStage::below(view)?;
        if let Some(approximation) = &engine.approximation {
            engine.unit = approximation.model.margin();
            let scale = engine.unit / (engine.recipe.margin * engine.recipe.ta_weight);
            engine.models.iter_mut().for_each(|model| model.weight *= scale);
        }
        Ok(engine)
    }

    /// Adds a part of a joint model.
    fn add(&mut self, member: Member, view: View<'_>, graphs: &GraphCard) -> Result<(), OpenError> {
        let missing = || OpenError::Inconsistent(format!("the model has no part '{}'", member.name()));
        let child = view.role_child(member.name()).ok_or_else(missing)?;
        if member == Member::Tree {
            self.approximation = Some(Approximation::open(child, &self.labels)?);
            return Ok(());
        }
        let Card::Chains(chains) = serde_json::from_value(child.card().clone())? else {
            return Err(missing());
        };
        if chains.graphs.label_sets != graphs.label_sets {
            return Err(OpenError::Inconsistent("the parts have different labels".into()));
        }
        self.models.push(open_chains(&chains, self.recipe.weight(member))?);
        Ok(())
    }

    /// The weights in a model file.
    pub fn weights<'a>(&self, view: View<'a>) -> Weights<'a> {
        let child = |member: Member| view.role_child(member.name()).map(View::table);
        if !self.joint {
            return Weights { chains: vec![view.table()], tree: None };
        }
        let (trees, chains): (Vec<_>, Vec<_>) =
            self.recipe.agreeing().into_iter().partition(|&member| member == Member::Tree);
        Weights {
            chains: chains.into_iter().filter_map(child).collect(),
            tree: trees.into_iter().find_map(child),
        }
    }

    /// The problem of a sentence.
    pub fn problem<'a>(&'a self, words: &'a Words) -> Problem<'a> {
        Problem {
            models: &self.models,
            pruning: self.pruning.as_ref(),
            labels: self.label_count,
            heads: self.recipe.heads,
            filter: self.recipe.filter * self.recipe.margin * self.models.len() as f32,
            words,
            missing: self.recipe.missing,
            also: &[],
            gold: None,
        }
    }

    /// The graph of a sentence without empty nodes. Sentences of more than [`MOST_WORDS`] words are parsed in pieces.
    pub fn parse(
        &self,
        weights: &Weights<'_>,
        sentence: &Sentence,
        tree: Option<&Tree>,
        space: &mut Space,
    ) -> Graph {
        let mut arcs = Vec::new();
        pieces(sentence, MOST_WORDS, |piece, offset| {
            // The tree of a whole sentence is not that of a piece; words take only trees of their own length.
            self.begin(piece, tree, space);
            self.decode(weights, space, None);
            let moved = |node: u32| NodeId(if node == 0 { 0 } else { node + offset as u32 });
            for &id in space.relaxation.solution(0) {
                let arc = space.search.arcs[id as usize];
                let labels = self.labels.set(space.search.labels[id as usize]);
                let (head, dependent) = (moved(arc.head), moved(arc.dependent));
                arcs.extend(labels.iter().map(|label| Arc { head, dependent, label: label.clone() }));
            }
        });
        Graph::from_arcs(sentence.len(), arcs)
    }

    fn begin(&self, sentence: &Sentence, tree: Option<&Tree>, space: &mut Space) {
        space.words.fill(sentence, false);
        if let Some(tree) = tree {
            space.words.set_tree(tree, false);
        }
    }

    /// Scores the words in `space` and makes the models agree.
    fn decode(
        &self,
        weights: &Weights<'_>,
        space: &mut Space,
        trace: Option<&mut Vec<Iteration>>,
    ) -> Outcome {
        let Space { words, search, tree: tree_space, relaxation } = space;
        let tables: Vec<&Table<'_>> = weights.chains.iter().collect();
        let tree = self.approximation.as_ref().zip(weights.tree.as_ref());
        let mut problem = self.problem(words);
        if let Some((approximation, table)) = tree {
            approximation.prepare(table, words, tree_space);
            problem.also = &tree_space.wanted;
        }
        search.prepare(&tables, &problem);
        if tree.is_some() {
            tree_space.offer(&search.arcs);
        }
        let (count, graphs) = (search.arcs.len(), search.spaces.len());
        let mut agreement = Agreement { arcs: count, graphs, tree: tree.is_some() };
        let unit = f64::from(self.unit);
        let settings = Settings {
            iterations: self.recipe.iterations,
            step: self.recipe.step * unit,
            tolerance: TOLERANCE * unit,
            ..Settings::default()
        };
        let mut subproblems: Vec<&mut dyn Subproblem> =
            search.spaces.iter_mut().map(|space| &mut space.markov as &mut dyn Subproblem).collect();
        if tree.is_some() {
            subproblems.push(&mut tree_space.offers.tree);
        }
        let outcome = relaxation.solve(&mut subproblems, &mut agreement, &settings, trace);
        if let Some((approximation, table)) = tree {
            approximation.label(table, words, relaxation.solution(graphs), tree_space, search);
        }
        outcome
    }
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.transform
    }

    fn unlabelled(&self) -> bool {
        self.recipe.unlabelled
    }

    fn graph(
        &self,
        view: View<'_>,
        sentence: &mut Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Graph {
        if self.models.is_empty() {
            // A tree approximation alone: the graph is what its tree says.
            let tree = self.approximation.as_ref().zip(view.role_child(Member::Tree.name()));
            let tree = tree.map(|(tree, child)| tree.stage.tree(child, sentence, options, workspace));
            return tree.map_or_else(|| Graph::new(sentence.len()), |tree| graph_of(&tree));
        }
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        self.parse(&self.weights(view), sentence, tree.as_ref(), workspace.part())
    }

    fn explain(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        _: &Options,
        workspace: &mut Workspace,
    ) -> Option<String> {
        if self.models.is_empty() || sentence.is_empty() || sentence.len() > MOST_WORDS {
            return None;
        }
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        let space: &mut Space = workspace.part();
        self.begin(sentence, tree.as_ref(), space);
        let mut trace = Vec::new();
        let outcome = self.decode(&self.weights(view), space, Some(&mut trace));
        Some(explain(&self.recipe, &space.search.arcs, sentence, &outcome, &trace))
    }

    fn searched(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        _: &Options,
        workspace: &mut Workspace,
    ) -> Option<Searched> {
        if self.models.is_empty() || sentence.len() > MOST_WORDS {
            return None;
        }
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        let space: &mut Space = workspace.part();
        self.begin(sentence, tree.as_ref(), space);
        let outcome = self.decode(&self.weights(view), space, None);
        let mut gold: Vec<(u32, u32)> =
            sentence.graph.arcs().iter().map(|arc| (arc.head.0, arc.dependent.0)).collect();
        gold.dedup();
        let problem = self.problem(&space.words);
        let allowed = |&&(head, dependent): &&(u32, u32)| problem.wants(head as usize, dependent as usize);
        let kept =
            |&&(head, dependent): &&(u32, u32)| space.search.arcs.contains(&Candidate { head, dependent });
        Some(Searched {
            gold: gold.len(),
            candidates: space.search.arcs.len(),
            left: vec![
                ("tags", gold.iter().filter(allowed).count()),
                ("the filter", gold.iter().filter(kept).count()),
            ],
            outcome: (self.recipe.agreeing().len() > 1).then_some(outcome),
        })
    }

    fn arc_scores<'a>(
        &'a self,
        view: View<'a>,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        if self.models.is_empty() || sentence.len() > MOST_WORDS {
            return Box::new(Nearness);
        }
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        let space: &mut Space = workspace.part();
        self.begin(sentence, tree.as_ref(), space);
        Box::new(Alone::new(self, self.weights(view), space))
    }
}
