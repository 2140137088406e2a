//! One parser, ready to run: the book that a [`Card`] describes, and who scores its pages.

use super::ROLES;
use super::arcs::PairScores;
use super::book::{Book, BoundPages, Found, Space, bind};
use super::card::Card;
use super::explain;
use crate::engine::{GraphEngine, Heeds, Options, Searched};
use crate::ensure::ArcScores;
use crate::scorer::ModelScorer;
use crate::train::{Catalogue, OpenError};
use crate::trees::TreeStage;
use crate::workspace::Workspace;
use pleach_graph::enhanced::Transform;
use pleach_graph::properties::Edges;
use pleach_graph::words::Words;
use pleach_graph::{Graph, Sentence, Tree};
use pleach_model::View;

/// The charts and the scores of all pairs of words grow with the square of the length.
pub(super) const LONGEST: usize = 400;

/// A parser with its scorers.
#[derive(Debug)]
pub(super) struct Engine {
    pub book: Book,
    /// One for each page.
    scorers: Vec<Box<dyn ModelScorer>>,
    /// The parser of the trees that it looks at, if it does.
    tree: Option<TreeStage>,
}

impl Engine {
    /// The engine of a trained model.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<Self, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        let book = Book::open(&card).map_err(OpenError::inconsistent)?;
        let structure = book.recipe.structure(book.model.edges.len());
        let pages = match book.recipe.page_count() {
            1 => vec![view.clone()],
            _ => ROLES.iter().filter_map(|role| view.role_child(role)).collect(),
        };
        if pages.len() != book.recipe.page_count() {
            return Err(OpenError::inconsistent("a book of two pages needs both"));
        }
        let scorers =
            pages.iter().map(|page| catalogue.open_scorer(page, &structure)).collect::<Result<_, _>>()?;
        Ok(Engine { book, scorers, tree: TreeStage::below(view, catalogue)? })
    }

    fn scorers(&self) -> Vec<&dyn ModelScorer> {
        self.scorers.iter().map(|scorer| &**scorer).collect()
    }

    fn trees(&self, sentences: &[Sentence], workspace: &mut Workspace) -> Vec<Tree> {
        let sentences = || sentences.iter().collect::<Vec<_>>();
        self.tree.as_ref().map_or_else(Vec::new, |stage| stage.trees(&sentences(), workspace))
    }

    /// Looks at one sentence with the scorers bound to it.
    pub fn look_at<T>(
        &self,
        sentence: &Sentence,
        workspace: &mut Workspace,
        look: impl FnOnce(&mut BoundPages<'_>, &Words, &mut Found) -> T,
    ) -> T {
        let trees = self.trees(std::slice::from_ref(sentence), workspace);
        let Space { words, scoring, found } = workspace.part();
        let (mut pages, words) =
            bind(&self.scorers(), std::slice::from_ref(sentence), &trees, words, scoring);
        look(&mut pages, &words[0], found)
    }

    fn beam(&self, options: &Options) -> usize {
        options.beam.unwrap_or(self.book.recipe.beam)
    }
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.book.transform
    }

    fn unlabelled(&self) -> bool {
        self.book.recipe.unlabelled
    }

    fn batch(&self) -> usize {
        self.scorers.iter().map(|scorer| scorer.batch()).max().unwrap_or(1)
    }

    fn longest(&self) -> usize {
        LONGEST
    }

    fn heeds(&self) -> Heeds {
        Heeds::BEAM
    }

    fn graphs(&self, sentences: &mut [Sentence], options: &Options, workspace: &mut Workspace) -> Vec<Graph> {
        let trees = self.trees(sentences, workspace);
        self.book.graphs(&self.scorers(), sentences, &trees, self.beam(options), workspace.part())
    }

    fn explain(&self, sentence: &Sentence, options: &Options, workspace: &mut Workspace) -> Option<String> {
        let beam = self.beam(options);
        Some(self.look_at(sentence, workspace, |pages, words, found| {
            let mut trace = Vec::new();
            let outcome = self.book.analyse(pages, words, beam, found, Some(&mut trace));
            let edges = (&found.links[..pages.len()], found.roots.as_slice());
            explain::explain(sentence, &found.candidates, edges, &outcome, &trace)
        }))
    }

    fn searched(
        &self,
        sentence: &Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Option<Searched> {
        let beam = self.beam(options);
        Some(self.look_at(sentence, workspace, |pages, words, found| {
            let outcome = self.book.analyse(pages, words, beam, found, None);
            let gold = Edges::new(&sentence.graph, self.book.recipe.on_pages());
            Searched {
                gold: gold.len(),
                candidates: found.candidates.len(),
                left: vec![("filter", found.passed(&gold))],
                outcome,
            }
        }))
    }

    fn arc_scores<'a>(
        &'a self,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        let trees = self.trees(std::slice::from_ref(sentence), workspace);
        let Space { words, scoring, .. } = workspace.part();
        let (pages, _) = bind(&self.scorers(), std::slice::from_ref(sentence), &trees, words, scoring);
        Box::new(PairScores::new(&self.book, pages))
    }
}
