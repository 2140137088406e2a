//! One parser, ready to run: the models that a [`Card`] describes, and the graph that they agree on.

use super::card::{Card, ChainCard, GraphCard};
use super::data;
use super::pruning::Pruning;
use super::recipe::{FactorRecipe, Member};
use super::search::{ChainModel, MOST_WORDS, Problem, Search};
use crate::family::{GraphEngine, OpenError, Options};
use crate::model::View;
use crate::trees::TreeStage;
use crate::workspace::Workspace;
use pleach_decode::markov::{Agreement, Centre};
use pleach_decode::relax::{Outcome, Relaxation, Settings, Subproblem};
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
    label_count: usize,
}

/// What an engine needs in memory.
#[derive(Debug, Default)]
pub(super) struct Space {
    words: Words,
    search: Search<i32>,
    relaxation: Relaxation,
}

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
            recipe,
            models,
        }
    }

    /// The engine of a trained model.
    pub fn open(view: View<'_>) -> Result<Self, OpenError> {
        let engine = Engine::open_models(view)?;
        Ok(Engine { tree: TreeStage::below(view)?, ..engine })
    }

    fn open_models(view: View<'_>) -> Result<Self, OpenError> {
        match serde_json::from_value(view.card().clone())? {
            Card::Chains(card) => {
                let model = open_chains(&card, 1.0)?;
                Ok(Engine::new(card.recipe, vec![model], card.graphs))
            }
            Card::Joint(card) => {
                card.recipe.check().map_err(OpenError::Inconsistent)?;
                let mut models = Vec::new();
                for member in card.recipe.members() {
                    let missing =
                        || OpenError::Inconsistent(format!("the model has no part '{}'", member.name()));
                    let child = view.role_child(member.name()).ok_or_else(missing)?;
                    let Card::Chains(chains) = serde_json::from_value(child.card().clone())? else {
                        return Err(missing());
                    };
                    if chains.graphs.label_sets != card.graphs.label_sets {
                        return Err(OpenError::Inconsistent("the parts have different labels".into()));
                    }
                    models.push(open_chains(&chains, card.recipe.weight(member))?);
                }
                Ok(Engine::new(card.recipe, models, card.graphs))
            }
        }
    }

    /// The problem of a sentence.
    pub fn problem<'a>(&'a self, words: &'a Words) -> Problem<'a> {
        Problem {
            models: &self.models,
            pruning: self.pruning.as_ref(),
            labels: self.label_count,
            heads: self.recipe.heads,
            filter: self.recipe.filter * self.models.len() as f32,
            words,
            gold: None,
        }
    }

    /// The graph of a sentence without empty nodes. Sentences of more than [`MOST_WORDS`] words are parsed in pieces.
    pub fn parse(
        &self,
        tables: &[&Table<'_>],
        sentence: &Sentence,
        tree: Option<&Tree>,
        space: &mut Space,
    ) -> (Graph, Outcome) {
        let mut arcs = Vec::new();
        let mut outcome = Outcome::default();
        for (number, tokens) in sentence.tokens.chunks(MOST_WORDS).enumerate() {
            if sentence.len() <= MOST_WORDS {
                space.words.fill(sentence, false);
                if let Some(tree) = tree {
                    space.words.set_tree(tree, false);
                }
            } else {
                let piece = Sentence { tokens: tokens.to_vec(), ..Sentence::default() };
                space.words.fill(&piece, false);
            }
            outcome = self.decode(tables, space);
            let offset = (number * MOST_WORDS) as u32;
            let moved = |node: u32| NodeId(if node == 0 { 0 } else { node + offset });
            for &id in &self.chosen(space) {
                let arc = space.search.arcs[id as usize];
                let labels = self.labels.set(space.search.labels[id as usize]);
                let (head, dependent) = (moved(arc.head), moved(arc.dependent));
                arcs.extend(labels.iter().map(|label| Arc { head, dependent, label: label.clone() }));
            }
        }
        (Graph::from_arcs(sentence.len(), arcs), outcome)
    }

    /// Scores the words in `space` and makes the models agree.
    fn decode(&self, tables: &[&Table<'_>], space: &mut Space) -> Outcome {
        let Space { words, search, relaxation, .. } = space;
        search.prepare(tables, &self.problem(words));
        let mut agreement = Agreement { arcs: search.arcs.len(), graphs: search.spaces.len(), tree: false };
        let settings = Settings {
            iterations: self.recipe.iterations,
            step: self.recipe.step,
            tolerance: TOLERANCE,
            ..Settings::default()
        };
        let mut subproblems: Vec<&mut dyn Subproblem> =
            search.spaces.iter_mut().map(|space| &mut space.markov as &mut dyn Subproblem).collect();
        relaxation.solve(&mut subproblems, &mut agreement, &settings, None)
    }

    /// The arcs that were agreed on, by number.
    fn chosen(&self, space: &Space) -> Vec<u32> {
        space.relaxation.solution(0).to_vec()
    }
}

/// Scores are sums of 32-bit floats in the hundreds.
const TOLERANCE: f64 = 1e-3;

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
        _: &Options,
        workspace: &mut Workspace,
    ) -> Graph {
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        let tables: Vec<Table<'_>> = match self.models.len() {
            1 if self.recipe.members().len() == 1 => vec![view.table()],
            _ => {
                let members = self.recipe.members().into_iter();
                members.filter_map(|member| view.role_child(member.name())).map(View::table).collect()
            }
        };
        let tables: Vec<&Table<'_>> = tables.iter().collect();
        self.parse(&tables, sentence, tree.as_ref(), workspace.part()).0
    }
}
