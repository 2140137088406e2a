//! Three tree models, ready to run, and the graph that their trees make (`sun-2019` section 4.3).
//!
//! Each tree says something about edges, with a tag for what the other trees say. The readings of an edge (which labels, in
//! which direction) that the trees like best get numbers, the others fall to the best one: constraints are about
//! numbered statements. With one iteration the trees are merged as they are.

use super::card::Card;
use super::explain::explain;
use super::forest::Said;
use super::recipe::MergeRecipe;
use crate::ensure::{ArcScores, Listed};
use crate::family::offers::{OfferModel, OfferSpace};
use crate::family::pieces::pieces;
use crate::family::{GraphEngine, OpenError, Options};
use crate::model::View;
use crate::relaxed::Searched;
use crate::workspace::Workspace;
use pleach_decode::merge::TREES;
use pleach_decode::merge::consistency::{Consistency, TAGS, item, statement};
use pleach_decode::merge::offers::Offer;
use pleach_decode::relax::{Item, Iteration, Outcome, Relaxation, Settings, Subproblem};
use pleach_graph::enhanced::Transform;
use pleach_graph::{Arc, Graph, NodeId, Sentence};
use pleach_linear::factored::best_label;
use pleach_linear::table::Table;
use pleach_linear::words::Words;
use std::collections::{BTreeMap, BTreeSet};

/// Longer sentences are cut into pieces of this many words, which are parsed apart.
pub(super) const MOST_WORDS: usize = 300;

/// What a label of a tree model says: the number of what it says as seen from the left end, and its tag.
#[derive(Clone, Copy, Debug)]
struct Meaning {
    /// For arcs to the right and for arcs to the left; `None` for no statement.
    readings: Option<[u32; 2]>,
    tag: u32,
}

/// Models without their weights.
#[derive(Debug)]
pub(super) struct Engine {
    recipe: MergeRecipe,
    transform: Transform,
    models: [OfferModel; TREES],
    meanings: [Vec<Meaning>; TREES],
    /// What can be said about an edge, from its left end to its right one.
    readings: Vec<Said>,
}

/// A numbered statement: an edge from left to right, and what is said about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    pub left: u32,
    pub right: u32,
    reading: u32,
}

/// The candidate arcs of a tree, with the scores of all their labels.
#[derive(Debug, Default)]
struct Candidates {
    /// (head, dependent).
    arcs: Vec<(u32, u32)>,
    /// Those of the first arc's labels, then those of the second one's …, the arc's own score included.
    scores: Vec<f32>,
    labels: usize,
}

impl Candidates {
    fn iter(&self) -> impl Iterator<Item = ((u32, u32), &[f32])> {
        self.arcs.iter().copied().zip(self.scores.chunks(self.labels.max(1)))
    }

    fn labels(&self, arc: usize) -> &[f32] {
        &self.scores[arc * self.labels..(arc + 1) * self.labels]
    }
}

/// The edge of an arc.
fn edge((head, dependent): (u32, u32)) -> (u32, u32) {
    (head.min(dependent), head.max(dependent))
}

/// What an engine needs in memory.
#[derive(Debug, Default)]
pub(super) struct Space {
    words: Words,
    offers: [OfferSpace; TREES],
    relaxation: Relaxation,
    candidates: [Candidates; TREES],
    pub statements: Vec<Statement>,
    /// The first statement about an edge, and how many there are.
    edges: BTreeMap<(u32, u32), (u32, u32)>,
    best: Vec<f32>,
    said: Vec<f32>,
    changes: Vec<f64>,
}

impl Engine {
    /// The engine of a trained model.
    pub fn open(view: View<'_>) -> Result<Self, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        card.recipe.check().map_err(OpenError::Inconsistent)?;
        let child = |number: usize| {
            let missing = || OpenError::Inconsistent(format!("the model has no tree {}", number + 1));
            OfferModel::open(view.role_child(ROLES[number]).ok_or_else(missing)?)
        };
        let models = [child(0)?, child(1)?, child(2)?];
        let mut numbers: BTreeMap<Said, u32> = BTreeMap::new();
        let mut readings = Vec::new();
        let mut number = |said: Said| {
            *numbers.entry(said).or_insert_with_key(|said| {
                readings.push(said.clone());
                readings.len() as u32 - 1
            })
        };
        let meanings = models.each_ref().map(|model| {
            let meaning = |label: &pleach_graph::Text| {
                let (said, tag) = Said::parse(label);
                let turned = said.turned();
                Meaning { readings: (!said.is_nothing()).then(|| [number(said), number(turned)]), tag }
            };
            model.labels().iter().map(meaning).collect()
        });
        let transform = Transform { collapse: card.collapse, delexicalise: card.delexicalise };
        Ok(Engine { recipe: card.recipe, transform, models, meanings, readings })
    }

    /// What a label says about an edge when it is that of an arc: the number of its reading, and its tag.
    fn says(&self, tree: usize, label: usize, (head, dependent): (u32, u32)) -> Option<(u32, u32)> {
        let meaning = self.meanings[tree][label];
        let [right, left] = meaning.readings?;
        Some((if head < dependent { right } else { left }, meaning.tag))
    }

    /// The graph of the words in `space` and how it was found.
    fn merge(
        &self,
        tables: &[Table<'_>; TREES],
        space: &mut Space,
        trace: Option<&mut Vec<Iteration>>,
    ) -> Outcome {
        self.collect(tables, space);
        self.number(space);
        self.offer(space);
        let unit = f64::from(self.models[0].margin());
        let settings = Settings {
            iterations: self.recipe.iterations,
            step: self.recipe.step * unit,
            tolerance: 1e-3 * unit,
            ..Settings::default()
        };
        let mut consistency = Consistency { statements: space.statements.len() as u32 };
        let mut subproblems = space.offers.each_mut().map(|offers| &mut offers.tree as &mut dyn Subproblem);
        space.relaxation.solve(&mut subproblems, &mut consistency, &settings, trace)
    }

    /// Looks at what all trees think of all labels.
    fn collect(&self, tables: &[Table<'_>; TREES], space: &mut Space) {
        for (tree, (model, table)) in self.models.iter().zip(tables).enumerate() {
            let Candidates { arcs, scores, labels } = &mut space.candidates[tree];
            arcs.clear();
            scores.clear();
            *labels = model.labels().len();
            model.prepare(table, &space.words, &mut space.offers[tree], |arc, score, labels, offers| {
                arcs.push(arc);
                scores.extend(labels.iter().map(|label| label + score));
                offers.push(Offer::nothing(0.0));
            });
        }
    }

    /// Numbers the statements: for every edge that some tree may have, the readings that some tree likes
    /// best.
    fn number(&self, space: &mut Space) {
        let Space { candidates, statements, edges, best, .. } = space;
        edges.clear();
        for &arc in candidates.iter().flat_map(|candidates| &candidates.arcs) {
            edges.insert(edge(arc), (0, 0));
        }
        // The best score of each reading of each edge, by any tree.
        let width = self.readings.len();
        best.clear();
        best.resize(edges.len() * width, f32::NEG_INFINITY);
        for (place, value) in edges.values_mut().enumerate() {
            value.0 = place as u32;
        }
        for (tree, candidates) in candidates.iter().enumerate() {
            for (arc, labels) in candidates.iter() {
                let (place, _) = edges[&edge(arc)];
                let best = &mut best[place as usize * width..][..width];
                for (label, &score) in labels.iter().enumerate() {
                    if let Some((reading, _)) = self.says(tree, label, arc) {
                        let known = &mut best[reading as usize];
                        *known = known.max(score);
                    }
                }
            }
        }
        statements.clear();
        for (&(left, right), value) in edges.iter_mut() {
            let scores = &best[value.0 as usize * width..][..width];
            let first = statements.len() as u32;
            let mut order: Vec<u32> =
                (0..width as u32).filter(|&reading| scores[reading as usize] > f32::NEG_INFINITY).collect();
            order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
            order.truncate(self.recipe.readings);
            statements.extend(order.iter().map(|&reading| Statement { left, right, reading }));
            *value = (first, order.len() as u32);
        }
    }

    /// Makes offers of the scores: for every statement and tag the label that says it, and nothing.
    fn offer(&self, space: &mut Space) {
        let Space { candidates, statements, edges, offers, .. } = space;
        for (tree, (candidates, offers)) in candidates.iter().zip(offers).enumerate() {
            offers.tree.set_offers(|number, out| {
                let (arc, labels) = (candidates.arcs[number], candidates.labels(number));
                let (first, count) = edges[&edge(arc)];
                let known = &statements[first as usize..(first + count) as usize];
                let mut nothing = LEAST;
                for (label, &score) in labels.iter().enumerate() {
                    match self.says(tree, label, arc) {
                        None => nothing = score.max(nothing),
                        Some((reading, tag)) => {
                            let place = known.iter().position(|statement| statement.reading == reading);
                            let number = place.map(|place| first + place as u32);
                            out.extend(number.map(|number| Offer::one(score, item(number, tag))));
                        }
                    }
                }
                out.push(Offer::nothing(nothing));
            });
        }
    }

    /// The arcs that the trees make together: all edges that some tree says something about. What is said is chosen anew,
    /// by all trees that have the edge and with what is around it in each.
    fn arcs(&self, tables: &[Table<'_>; TREES], space: &mut Space, mut add: impl FnMut(Arc)) {
        let Space { words, offers, relaxation, statements, edges, best, said, changes, .. } = space;
        let (width, items) = (self.readings.len(), statements.len() * TAGS as usize);
        edges.clear();
        best.clear();
        let wanted = |tree: usize| self.recipe.subgraph == 0 || self.recipe.subgraph == tree + 1;
        let trees = self.models.iter().zip(offers).enumerate();
        for (tree, (model, offers)) in trees.filter(|(tree, _)| wanted(*tree)) {
            offers.tree.recall(relaxation.solution(tree), items, changes);
            model.look_around(offers);
            for word in 1..=words.len() {
                let arc = (offers.tree.heads()[word], word as u32);
                if offers.tree.says_nothing(arc.0 as usize, word) {
                    continue;
                }
                let next = edges.len() as u32;
                let place = edges.entry(edge(arc)).or_insert((next, 0)).0 as usize * width;
                best.resize(best.len().max(place + width), 0.0);
                // What the tree thinks of a reading is the score of the best label that says it.
                said.clear();
                said.resize(width, LEAST);
                for (label, &score) in model.label(&tables[tree], words, word, offers).iter().enumerate() {
                    if let Some((reading, _)) = self.says(tree, label, arc) {
                        let known = &mut said[reading as usize];
                        *known = known.max(score);
                    }
                }
                best[place..].iter_mut().zip(&*said).for_each(|(vote, score)| *vote += score);
            }
        }
        for (&(left, right), &(place, _)) in edges.iter() {
            let scores = &best[place as usize * width..][..width];
            let said = &self.readings[best_label(scores).0];
            said.arcs(NodeId(left), NodeId(right)).for_each(&mut add);
        }
    }

    /// Adds to a list what a tree arc says with each of its labels.
    fn list(&self, tree: usize, arc: (u32, u32), labels: &[f32], list: &mut Listed) {
        let (left, right) = edge(arc);
        for (label, &score) in labels.iter().enumerate() {
            let Some((reading, _)) = self.says(tree, label, arc) else { continue };
            let all: Vec<Arc> = self.readings[reading as usize].arcs(NodeId(left), NodeId(right)).collect();
            for arc in &all {
                let same = |other: &&Arc| (other.head, other.dependent) == (arc.head, arc.dependent);
                list.add(arc.head, arc.dependent, score, || {
                    all.iter().filter(same).map(|arc| arc.label.clone()).collect()
                });
            }
        }
    }

    fn tables<'a>(&self, view: View<'a>) -> Option<[Table<'a>; TREES]> {
        let table = |role: &str| view.role_child(role).map(View::table);
        Some([table(ROLES[0])?, table(ROLES[1])?, table(ROLES[2])?])
    }

    /// What a tree says of a sentence, for people.
    pub(super) fn describe(&self, space: &Space, chosen: Item) -> (Statement, String, u32) {
        let (number, tag) = statement(chosen);
        let about = space.statements[number as usize];
        let Said { along, against } = &self.readings[about.reading as usize];
        let arrow = match (along.is_empty(), against.is_empty()) {
            (false, true) => format!("→ {along}"),
            (true, _) => format!("← {against}"),
            (false, false) => format!("→ {along} ← {against}"),
        };
        (about, arrow, tag)
    }
}

/// The roles of the tree models.
pub(super) const ROLES: [&str; TREES] = ["tree-1", "tree-2", "tree-3"];

/// Stands for minus infinity where there must be a number.
const LEAST: f32 = -1e5;

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.transform
    }

    fn unlabelled(&self) -> bool {
        self.recipe.unlabelled
    }

    /// Sentences of more than [`MOST_WORDS`] words are parsed in pieces.
    fn graph(
        &self,
        view: View<'_>,
        sentence: &mut Sentence,
        _: &Options,
        workspace: &mut Workspace,
    ) -> Graph {
        let Some(tables) = self.tables(view) else { return Graph::new(sentence.len()) };
        let space: &mut Space = workspace.part();
        let mut arcs = Vec::new();
        pieces(sentence, MOST_WORDS, |piece, offset| {
            space.words.fill(piece, false);
            self.merge(&tables, space, None);
            let moved = |node: NodeId| NodeId(if node.is_root() { 0 } else { node.0 + offset as u32 });
            self.arcs(&tables, space, |Arc { head, dependent, label }| {
                arcs.push(Arc { head: moved(head), dependent: moved(dependent), label });
            });
        });
        Graph::from_arcs(sentence.len(), arcs)
    }

    fn explain(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        _: &Options,
        workspace: &mut Workspace,
    ) -> Option<String> {
        if sentence.is_empty() || sentence.len() > MOST_WORDS {
            return None;
        }
        let tables = self.tables(view)?;
        let space: &mut Space = workspace.part();
        space.words.fill(sentence, false);
        let mut trace = Vec::new();
        let outcome = self.merge(&tables, space, Some(&mut trace));
        Some(explain(self, space, sentence, &outcome, &trace))
    }

    /// The candidates are the edges that some tree may have.
    fn searched(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        _: &Options,
        workspace: &mut Workspace,
    ) -> Option<Searched> {
        if sentence.is_empty() || sentence.len() > MOST_WORDS {
            return None;
        }
        let tables = self.tables(view)?;
        let space: &mut Space = workspace.part();
        space.words.fill(sentence, false);
        let outcome = self.merge(&tables, space, None);
        let arcs = sentence.graph.arcs().iter().map(|arc| edge((arc.head.0, arc.dependent.0)));
        let gold: BTreeSet<(u32, u32)> = arcs.collect();
        let left = gold.iter().filter(|gold| space.edges.contains_key(gold)).count();
        let outcome = (self.recipe.iterations > 1).then_some(outcome);
        Some(Searched {
            gold: gold.len(),
            candidates: space.edges.len(),
            left: vec![("the filters", left)],
            outcome,
        })
    }

    /// The best that any tree thinks of an arc.
    fn arc_scores<'a>(
        &'a self,
        view: View<'a>,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        let mut list = Listed::default();
        if sentence.len() <= MOST_WORDS
            && let Some(tables) = self.tables(view)
        {
            let space: &mut Space = workspace.part();
            space.words.fill(sentence, false);
            self.collect(&tables, space);
            for (tree, candidates) in space.candidates.iter().enumerate() {
                for (arc, labels) in candidates.iter() {
                    self.list(tree, arc, labels, &mut list);
                }
            }
        }
        Box::new(list)
    }
}
