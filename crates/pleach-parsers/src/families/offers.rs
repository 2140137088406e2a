//! Tree models over pseudo trees as parts of a relaxation: what each arc of the tree offers to say about the graph.

use super::graph_based_trees::{Engine, Parse, Search};
use crate::scorer::ModelScorer;
use crate::train::{Catalogue, OpenError};
use pleach_decode::merge::offers::{Offer, OfferTree};
use pleach_decode::part::PartScorer;
use pleach_decode::tree::TreeParts;
use pleach_graph::Text;
use pleach_graph::words::Words;
use pleach_model::View;

/// A tree model without its scorer.
#[derive(Debug)]
pub(super) struct OfferModel {
    parse: Parse,
}

/// The memory that such a model needs for a sentence.
#[derive(Debug, Default)]
pub(super) struct OfferSpace {
    search: Search,
    /// The tree, ready to be decoded.
    pub tree: OfferTree,
    offers: Vec<Offer>,
    ends: Vec<usize>,
    around: TreeParts,
    scores: Vec<f32>,
}

impl OfferModel {
    /// A tree parser as such a model.
    pub fn new(parse: Parse) -> Self {
        OfferModel { parse }
    }

    /// Opens a tree model's section: the model, and its scorer.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<(Self, Box<dyn ModelScorer>), OpenError> {
        let Engine { parse, scorer } = Engine::open(view, catalogue)?;
        Ok((OfferModel { parse }, scorer))
    }

    /// The labels of its arcs.
    pub fn labels(&self) -> &[Text] {
        &self.parse.labels
    }

    /// The templates of its arcs and of its labels, for linear scorers.
    pub fn templates(&self) -> [&str; 2] {
        let recipe = &self.parse.recipe;
        [&recipe.arc_templates, &recipe.label_templates]
    }

    /// By how much wrong trees were worse in training: the size of its scores.
    pub fn margin(&self) -> f32 {
        self.parse.recipe.unit()
    }

    /// Scores a sentence, which the scorer is turned to; without siblings and grandchildren when it is not going to be decoded.
    /// `offer` turns the score of an arc (head, dependent) and those of its labels into
    /// offers, at least one.
    pub fn prepare(
        &self,
        scorer: &mut dyn PartScorer,
        (words, decoded): (&Words, bool),
        space: &mut OfferSpace,
        mut offer: impl FnMut((u32, u32), f32, &[f32], &mut Vec<Offer>),
    ) {
        let OfferSpace { search, tree, offers, ends, .. } = space;
        offers.clear();
        ends.clear();
        let problem = self.parse.problem(words, None);
        search.prepare_first(scorer, &problem, |(head, dependent), arc, labels| {
            offer((head as u32, dependent as u32), arc, labels, offers);
            ends.push(offers.len());
        });
        if decoded {
            search.scores.score_second_order(scorer, false);
        }
        std::mem::swap(&mut tree.parts, &mut search.scores.parts);
        tree.set_offers(|arc, out| {
            let start = if arc == 0 { 0 } else { ends[arc - 1] };
            out.extend_from_slice(&offers[start..ends[arc]]);
        });
    }

    /// Looks at what is around the arcs of the tree in `space`; comes before [`OfferModel::label`].
    pub fn look_around(&self, space: &mut OfferSpace) {
        space.around.fill(space.tree.heads());
    }

    /// The scores of the labels of the arc into a word, by the arc and by what is around it in the tree.
    pub fn label<'s>(
        &self,
        scorer: &mut dyn PartScorer,
        dependent: usize,
        space: &'s mut OfferSpace,
    ) -> &'s [f32] {
        let OfferSpace { search, around, scores, .. } = space;
        scores.resize(self.labels().len(), 0.0);
        search.scores.score_labels(scorer, around, dependent, scores);
        self.parse.weigh_labels(scores);
        scores
    }
}
