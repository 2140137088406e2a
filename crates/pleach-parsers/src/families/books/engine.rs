//! One parser, ready to run: the page model that a [`Card`] describes, and how its pages are put together.

use super::arcs::PairScores;
use super::explain;
use super::page::{Choice, Model, PageSpace};
use super::recipe::{BookRecipe, Excuses, Pages};
use crate::ensure::ArcScores;
use crate::family::pieces::pieces;
use crate::family::{GraphEngine, OpenError, Options};
use crate::model::View;
use crate::trees::TreeStage;
use crate::workspace::Workspace;
use pleach_decode::noncrossing::binding::{Binding, Page, item, link};
use pleach_decode::noncrossing::{Candidates, Link};
use pleach_decode::relax::{Iteration, Outcome, Relaxation, Settings};
use pleach_graph::enhanced::Transform;
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Tree};
use pleach_linear::factored::BookTemplates;
use pleach_linear::table::Table;
use pleach_linear::template::TemplateError;
use pleach_linear::words::Words;
use pleach_transition::action::Edge;
use pleach_transition::labels::Labels;
use pleach_transition::settings::{Kind, Root};
use serde::{Deserialize, Serialize};

/// Longer sentences are cut into pieces of this many words, between which there are no arcs: the charts and the scores
/// of all pairs of words grow with the square of the length.
pub const MOST_WORDS: usize = 400;

/// The description of a trained parser or of one of its pages, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// How it was trained.
    pub recipe: BookRecipe,
    /// The template files' texts: pairs of words, labels, two and three edges, labels in company.
    pub templates: Vec<String>,
    /// Fold empty nodes into path labels before, restore them after.
    pub collapse: bool,
    /// Placeholders for words in labels.
    pub delexicalise: bool,
    /// The label sets, from id 1.
    pub label_sets: Vec<Vec<String>>,
    /// The encoded labels: label sets to the left and to the right.
    pub edges: Vec<(u16, u16)>,
}

/// What is wrong with a card or a recipe.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// A setting makes no sense.
    #[error("{0}")]
    Setting(String),
    /// A bad template file.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A label that is not there.
    #[error("the model's edges are out of range")]
    Range,
}

/// How labels are encoded: the root is a node like others.
pub(super) fn label_settings() -> pleach_transition::settings::Settings {
    let mut settings = pleach_transition::settings::Settings::new(Kind::List, false);
    settings.root = Root::First;
    settings
}

/// A parser without its weights.
#[derive(Debug)]
pub(super) struct Engine {
    pub card: Card,
    pub model: Model,
    pub labels: Labels,
    pub transform: Transform,
    /// The parser of the trees that it looks at, if it does.
    pub tree: Option<TreeStage>,
}

/// The memory for parsing.
#[derive(Debug, Default)]
pub(super) struct Space {
    pub words: Words,
    pub pages: [PageSpace<i32>; 2],
    choice: Choice,
    pub candidates: Candidates,
    relaxation: Relaxation,
    /// The edges of each page.
    links: [Vec<Link>; 2],
}

impl Space {
    /// Looks at another sentence.
    pub fn begin(&mut self, sentence: &Sentence, tree: Option<&Tree>) {
        self.words.fill(sentence, false);
        if let Some(tree) = tree {
            self.words.set_tree(tree, false);
        }
        self.pages.iter_mut().for_each(|page| page.scorer.begin());
    }
}

impl Engine {
    /// The engine of a trained model.
    pub fn new(card: Card) -> Result<Self, BookError> {
        card.recipe.check().map_err(BookError::Setting)?;
        let order = card.recipe.order().map_err(BookError::Setting)?;
        let text = |place: usize| card.templates.get(place).map_or("", String::as_str);
        let label = (!card.recipe.unlabelled).then(|| text(1));
        let templates = BookTemplates::parse(order, text(0), label, [text(2), text(3), text(4)])?;
        let edges: Vec<Edge> = card.edges.iter().map(|&(left, right)| Edge { left, right }).collect();
        let in_range = |edge: &Edge| usize::from(edge.left.max(edge.right)) <= card.label_sets.len();
        if !edges.iter().all(in_range) || edges.len() > usize::from(u16::MAX) {
            return Err(BookError::Range);
        }
        let model = Model::new(&card.recipe, order, templates, edges);
        let (sets, unlabelled) = (card.label_sets.clone(), card.recipe.unlabelled);
        Ok(Engine {
            model,
            labels: Labels::from_values(&label_settings(), unlabelled, sets, Vec::new()),
            transform: Transform { collapse: card.collapse, delexicalise: card.delexicalise },
            tree: None,
            card,
        })
    }

    /// The engine of a part of a model, with the tree parser below it.
    pub fn open(card: Card, view: View<'_>) -> Result<Self, OpenError> {
        let engine = Engine::new(card).map_err(|error| OpenError::Inconsistent(error.to_string()))?;
        Ok(Engine { tree: TreeStage::below(view)?, ..engine })
    }

    /// The model's own beam.
    pub fn recipe_beam(&self) -> usize {
        self.card.recipe.beam
    }

    /// The score of a page alone, found with a beam, of the sentence that was analysed last.
    pub fn page_score(&self, table: &Table<'_>, page: usize, beam: usize, space: &mut Space) -> f32 {
        let Space { words, pages, candidates, .. } = space;
        let PageSpace { scorer, scores, decoders, .. } = &mut pages[page];
        let links = &mut Vec::new();
        let mut factors = scorer.factors(table, &self.model.templates, words, candidates);
        self.model.decode(candidates, scores, &mut factors, beam, decoders, links)
    }

    /// The graph of a sentence without empty nodes; `tables` are the weights of the pages. Sentences of more than
    /// [`MOST_WORDS`] words are cut.
    pub fn parse(
        &self,
        tables: &[Table<'_>],
        (sentence, tree): (&Sentence, Option<&Tree>),
        options: &Options,
        space: &mut Space,
    ) -> Graph {
        let mut arcs = Vec::new();
        pieces(sentence, MOST_WORDS, |piece, offset| {
            self.analyse(tables, (piece, tree), options, space, None);
            self.read_off(tables, offset, space, &mut arcs);
        });
        Graph::from_arcs(sentence.len(), arcs)
    }

    /// How a sentence was parsed, in words.
    pub fn describe(
        &self,
        tables: &[Table<'_>],
        (sentence, tree): (&Sentence, Option<&Tree>),
        options: &Options,
        space: &mut Space,
    ) -> String {
        let mut text = String::new();
        pieces(sentence, MOST_WORDS, |piece, _| {
            let mut trace = Vec::new();
            let outcome = self.analyse(tables, (piece, tree), options, space, Some(&mut trace));
            text.push_str(&explain::explain(piece, space, &space.links[..tables.len()], &outcome, &trace));
        });
        text
    }

    /// Finds the edges of all pages; gives the outcome of the relaxation if there was one.
    pub fn analyse(
        &self,
        tables: &[Table<'_>],
        (sentence, tree): (&Sentence, Option<&Tree>),
        options: &Options,
        space: &mut Space,
        trace: Option<&mut Vec<Iteration>>,
    ) -> Option<Outcome> {
        space.begin(sentence, tree);
        let Space { words, pages, choice, candidates, relaxation, links } = space;
        let model = &self.model;
        choice.start(words.len() + 1);
        for (table, page) in tables.iter().zip(&mut *pages) {
            model.score_pairs(table, words, page);
            model.filter(page, choice);
        }
        choice.candidates(candidates);
        for (table, page) in tables.iter().zip(&mut *pages) {
            model.score_candidates(table, words, candidates, None, page);
        }
        let beam = options.beam.unwrap_or(self.card.recipe.beam);
        if let ([table_1, table_2], Pages::Bound) = (tables, self.card.recipe.pages) {
            let step = self.card.recipe.step * mean_score(pages);
            let [one, two] = pages;
            let mut factors_1 = one.scorer.factors(table_1, &model.templates, words, candidates);
            let mut factors_2 = two.scorer.factors(table_2, &model.templates, words, candidates);
            let decode_1 = model.decoder(candidates, &mut factors_1, beam, &mut one.decoders);
            let decode_2 = model.decoder(candidates, &mut factors_2, beam, &mut two.decoders);
            let mut page_1 = Page::new(&one.scores, model.is_exact(), decode_1);
            let mut page_2 = Page::new(&two.scores, model.is_exact(), decode_2);
            let settings = Settings { iterations: self.card.recipe.iterations, step, ..Settings::default() };
            let mut binding = match self.card.recipe.excuses {
                Excuses::Any => Binding::new(candidates),
                Excuses::Liked => Binding::among_liked(candidates, [&one.scores, &two.scores]),
            };
            let outcome = relaxation.solve(&mut [&mut page_1, &mut page_2], &mut binding, &settings, trace);
            for (page, links) in links.iter_mut().enumerate() {
                links.clear();
                links.extend(relaxation.solution(page).iter().map(|&item| link(item)));
            }
            return Some(outcome);
        }
        for ((table, page), links) in tables.iter().zip(pages).zip(links) {
            let mut factors = page.scorer.factors(table, &model.templates, words, candidates);
            model.decode(candidates, &page.scores, &mut factors, beam, &mut page.decoders, links);
        }
        None
    }

    /// The arcs of all pages. What is on both pages gets the label that both together like best; pages that disagree on
    /// the direction of an edge each have their own.
    fn read_off(&self, tables: &[Table<'_>], offset: usize, space: &mut Space, arcs: &mut Vec<Arc<Text>>) {
        let Space { words, pages: spaces, candidates, links, .. } = space;
        let pages = tables.len();
        for ((table, space), links) in tables.iter().zip(&mut *spaces).zip(&*links) {
            self.model.score_labels(table, words, candidates, links, space);
        }
        let mut all: Vec<Link> = links[..pages].iter().flatten().copied().collect();
        all.sort_unstable_by_key(|&link| item(link));
        all.dedup();
        for link in all {
            let of_link =
                spaces.iter().zip(&links[..pages]).filter(|(_, links)| links.binary_search(&link).is_ok());
            let (of_link, count) = of_link.fold(([&spaces[0]; 2], 0), |(mut list, count), (space, _)| {
                list[count] = space;
                (list, count + 1)
            });
            let label = self.model.best_label(link, None, &of_link[..count]);
            let Edge { left: to_left, right: to_right } = self.model.edges[usize::from(label)];
            let (left, right) = candidates.ends(link.edge);
            for (head, dependent, set) in [(left, right, to_right), (right, left, to_left)] {
                let node = |node: u16| NodeId(if node == 0 { 0 } else { u32::from(node) + offset as u32 });
                let (head, dependent) = (node(head), node(dependent));
                arcs.extend(self.labels.set(set).iter().map(|label| Arc {
                    head,
                    dependent,
                    label: label.clone(),
                }));
            }
        }
    }
}

/// The mean score of the edges that score above 0, the unit of the relaxation's steps.
fn mean_score(pages: &[PageSpace<i32>; 2]) -> f64 {
    let best =
        pages.iter().flat_map(|page| &page.scores).map(|scores| scores.iter().copied().fold(0.0, f32::max));
    let (sum, count) = best
        .filter(|&score| score > 0.0)
        .fold((0.0, 0), |(sum, count), score| (sum + f64::from(score), count + 1));
    if count == 0 { 1.0 } else { sum / f64::from(count) }
}

/// The weights of the pages of a model.
pub(super) fn tables<'a>(view: View<'a>, pages: usize) -> Vec<Table<'a>> {
    match pages {
        1 => vec![view.table()],
        _ => super::ROLES.iter().filter_map(|role| view.role_child(role)).map(View::table).collect(),
    }
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.transform
    }

    fn unlabelled(&self) -> bool {
        self.card.recipe.unlabelled
    }

    fn graph(
        &self,
        view: View<'_>,
        sentence: &mut Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Graph {
        let tables = tables(view, self.card.recipe.page_count());
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        self.parse(&tables, (sentence, tree.as_ref()), options, workspace.part())
    }

    fn explain(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Option<String> {
        let tables = tables(view, self.card.recipe.page_count());
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        Some(self.describe(&tables, (sentence, tree.as_ref()), options, workspace.part()))
    }

    fn arc_scores<'a>(
        &'a self,
        view: View<'a>,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        let tables = tables(view, self.card.recipe.page_count());
        let tree = self.tree.as_ref().map(|stage| stage.tree_below(view, sentence, workspace));
        Box::new(PairScores::new(self, tables, (sentence, tree.as_ref()), workspace.part()))
    }
}
