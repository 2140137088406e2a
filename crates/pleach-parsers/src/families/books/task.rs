//! A page of a book as something to be learnt.

use super::data::Data;
use super::engine::LONGEST;
use super::recipe::{Loss, Pages};
use super::{learn, local};
use crate::families::section;
use crate::random::Random;
use crate::scorer::{Learner, ModelScorer};
use crate::train::{Size, Task};
use crate::workspace::Workspace;
use pleach_graph::Graph;
use pleach_graph::enhanced::Transform;
use pleach_graph::words::Words;
use pleach_model::{Scores, Section, View};

/// One page of the data.
pub(super) struct PageTask<'a> {
    pub data: &'a Data,
    pub page: usize,
    /// The tree parser that goes into the model.
    pub tree: Option<View>,
}

impl Task for PageTask<'_> {
    fn size(&self) -> Size {
        let data = self.data;
        Size {
            examples: data.examples.len(),
            tokens: data.tokens,
            choices: data.book.model.edges.len(),
            arcs: data.arcs,
            lost: data.lost,
        }
    }

    fn words(&self, example: usize) -> &Words {
        &self.data.examples[example].words
    }

    fn learn(&self, example: usize, learner: &mut dyn Learner, _: Random, workspace: &mut Workspace) -> bool {
        let (book, example) = (&self.data.book, &self.data.examples[example]);
        let (words, gold, roots) = (&example.words, &example.pages[self.page], self.page == 0);
        match book.recipe.loss {
            Loss::Margin => learn::learn(book, learner, words, gold, roots, workspace.part()),
            Loss::Local => local::learn(&book.model, learner, words.len(), gold, roots, workspace.part()),
        }
    }

    /// A page of several is compared with what of the gold graph is on it, the only page with the whole graph.
    fn evaluate(&self, scorer: &dyn ModelScorer) -> Option<Scores> {
        let book = &self.data.book;
        if book.recipe.pages == Pages::One {
            return evaluate(self.data, &[scorer]);
        }
        let limits = (scorer.batch(), LONGEST);
        self.data.dev_pages[self.page].score(Transform::default(), limits, |sentences, trees, workspace| {
            let graphs = book.graphs(&[scorer], sentences, trees, book.recipe.beam, workspace.part());
            // Only the first page's model knows of a root that is apart.
            let rootless = book.model.apart && self.page > 0;
            graphs.into_iter().map(|graph| if rootless { without_root(&graph) } else { graph }).collect()
        })
    }

    fn section(&self) -> Section<'_> {
        section::with_tree(super::NAME, &self.data.book.card(), self.tree.as_ref())
    }
}

fn without_root(graph: &Graph) -> Graph {
    let arcs = graph.arcs().iter().filter(|arc| !arc.head.is_root()).cloned();
    Graph::from_arcs(graph.len(), arcs.collect())
}

/// Parses the development data with the scorers of all pages and scores it as a user would.
pub(super) fn evaluate(data: &Data, scorers: &[&dyn ModelScorer]) -> Option<Scores> {
    let book = &data.book;
    let batch = scorers.iter().map(|scorer| scorer.batch()).max().unwrap_or(1);
    data.dev.score(book.transform, (batch, LONGEST), |sentences, trees, workspace| {
        book.graphs(scorers, sentences, trees, book.recipe.beam, workspace.part())
    })
}
