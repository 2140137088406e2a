//! One tree parser, ready to run: the templates and labels that a [`Card`] describes.

use super::recipe::SpanRecipe;
use super::search::{Analysis, Problem, Search};
use crate::family::{OpenError, Options, TreeEngine};
use crate::model::View;
use crate::train::{self, TrainError};
use crate::workspace::Workspace;
use pleach_graph::{Sentence, Text, Tree};
use pleach_linear::factored::TreeTemplates;
use pleach_linear::table::Table;
use pleach_linear::template::TemplateError;
use pleach_linear::words::Words;
use serde::{Deserialize, Serialize};

/// Longer sentences are cut into pieces of this many words, whose roots hang on the first piece's root: the chart and
/// the scores of all arcs grow with the square of the length.
pub const MOST_WORDS: usize = 500;

/// The description of one trained parser, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// How it was trained.
    pub recipe: SpanRecipe,
    /// The labels; a label is its place here.
    pub labels: Vec<String>,
    /// The template files' texts: arcs, labels, and for second-order models siblings and grandchildren.
    pub templates: Vec<String>,
}

impl SpanRecipe {
    /// The texts of its template files.
    pub(super) fn sources(&self) -> Result<Vec<String>, TrainError> {
        let mut names = vec![&self.arc_templates, &self.label_templates];
        if self.order == 2 {
            names.extend([&self.sibling_templates, &self.grandchild_templates]);
        }
        names.into_iter().map(|name| Ok(train::templates(&[name.as_str()])?.source().to_owned())).collect()
    }
}

/// A parser without its weights.
#[derive(Debug)]
pub(in crate::family) struct Engine {
    card: Card,
    pub templates: TreeTemplates,
    pub labels: Vec<Text>,
}

impl Engine {
    /// The engine of a trained model.
    pub fn new(card: Card) -> Result<Self, TemplateError> {
        let text = |place: usize| card.templates.get(place).map_or("", String::as_str);
        let second = (card.recipe.order == 2).then(|| (text(2), text(3)));
        let templates = TreeTemplates::parse(text(0), text(1), second)?;
        let labels = card.labels.iter().map(Text::from).collect();
        Ok(Engine { card, templates, labels })
    }

    /// The engine of a part of a model file.
    pub fn open(view: View<'_>) -> Result<Self, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        if card.labels.is_empty() {
            return Err(OpenError::Inconsistent("a tree parser needs labels".into()));
        }
        card.recipe.check().map_err(OpenError::Inconsistent)?;
        Engine::new(card).map_err(|error| OpenError::Inconsistent(error.to_string()))
    }

    pub fn card(&self) -> &Card {
        &self.card
    }

    /// What is searched for a sentence, in training with its gold tree.
    pub fn problem<'a>(&'a self, words: &'a Words, gold: Option<&'a Analysis>) -> Problem<'a> {
        let Engine { card, templates, labels } = self;
        let recipe = &card.recipe;
        Problem { recipe, templates, labels: labels.len(), heads: recipe.heads, words, gold }
    }

    /// The tree of a sentence without empty nodes.
    pub fn parse(
        &self,
        table: Table<'_>,
        sentence: &Sentence,
        options: &Options,
        words: &mut Words,
        search: &mut Search<i32>,
    ) -> Tree {
        let heads = options.beam.unwrap_or(self.card.recipe.heads).max(1);
        let mut tree = Tree::default();
        let mut top = 0;
        let mut piece = Sentence::default();
        for (number, tokens) in sentence.tokens.chunks(MOST_WORDS).enumerate() {
            if sentence.len() <= MOST_WORDS {
                words.fill(sentence, false);
            } else {
                piece.tokens.clear();
                piece.tokens.extend_from_slice(tokens);
                words.fill(&piece, false);
            }
            search.run(&table, &Problem { heads, ..self.problem(words, None) });
            let offset = (number * MOST_WORDS) as u16;
            let heads = search.best.heads.iter().skip(1).map(|&head| match head as u16 {
                0 => top,
                head => head + offset,
            });
            tree.heads.extend(heads);
            let labels = search.best.labels.iter().skip(1);
            tree.labels.extend(labels.map(|&label| self.labels[usize::from(label)].clone()));
            if number == 0 {
                let root = tree.heads.iter().position(|&head| head == 0);
                top = root.map_or(0, |place| place as u16 + 1);
            }
        }
        tree
    }
}

/// What an engine needs in memory.
#[derive(Debug, Default)]
struct Space {
    words: Words,
    search: Search<i32>,
}

impl TreeEngine for Engine {
    fn tree(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Tree {
        let Space { words, search } = workspace.part();
        self.parse(view.table(), sentence, options, words, search)
    }
}
