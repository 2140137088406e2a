//! Tree models over pseudo trees as parts of a relaxation: what each arc of the tree offers to say about the graph.

use super::OpenError;
use super::span::{Engine, Search};
use crate::model::View;
use pleach_decode::merge::offers::{Offer, OfferTree};
use pleach_graph::Text;
use pleach_linear::factored::TreeParts;
use pleach_linear::table::Table;
use pleach_linear::words::Words;

/// A tree model without its weights.
#[derive(Debug)]
pub(super) struct OfferModel {
    engine: Engine,
}

/// The memory that such a model needs.
#[derive(Debug, Default)]
pub(super) struct OfferSpace {
    search: Search<i32>,
    /// The tree, ready to be decoded.
    pub tree: OfferTree,
    offers: Vec<Offer>,
    ends: Vec<usize>,
    around: TreeParts,
    scores: Vec<f32>,
}

impl OfferModel {
    /// Opens a tree model's section.
    pub fn open(view: View<'_>) -> Result<Self, OpenError> {
        Ok(OfferModel { engine: Engine::open(view)? })
    }

    /// The labels of its arcs.
    pub fn labels(&self) -> &[Text] {
        &self.engine.labels
    }

    /// By how much wrong trees were worse in training: the size of its scores.
    pub fn margin(&self) -> f32 {
        self.engine.card().recipe.margin
    }

    /// Scores a sentence. `offer` turns the score of an arc (head, dependent) and those of its labels into offers, at
    /// least one.
    pub fn prepare(
        &self,
        table: &Table<'_>,
        words: &Words,
        space: &mut OfferSpace,
        mut offer: impl FnMut((u32, u32), f32, &[f32], &mut Vec<Offer>),
    ) {
        let OfferSpace { search, tree, offers, ends, .. } = space;
        offers.clear();
        ends.clear();
        search.prepare(table, &self.engine.problem(words, None), |(head, dependent), arc, labels| {
            offer((head as u32, dependent as u32), arc, labels, offers);
            ends.push(offers.len());
        });
        std::mem::swap(&mut tree.parts, &mut search.parts);
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
        table: &Table<'_>,
        words: &Words,
        dependent: usize,
        space: &'s mut OfferSpace,
    ) -> &'s [f32] {
        let OfferSpace { search, around, scores, .. } = space;
        scores.resize(self.engine.labels.len(), 0.0);
        search.scorer.labels_in_tree(table, &self.engine.templates, words, around, dependent, scores);
        scores
    }
}
