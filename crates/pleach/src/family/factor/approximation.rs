//! The tree approximation (`du-2015` section 3.4) as one of the models that agree.

use crate::family::OpenError;
use crate::family::offers::OfferModel;
use crate::model::View;
use crate::trees::TreeStage;
use pleach_decode::markov::Candidate;
use pleach_decode::merge::offers::Offer;

/// What a label of a tree arc says about the graph, labels put aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// `X`: the arc is there.
    Along,
    /// `X~R`: it is there the other way round.
    Against,
    /// `None`.
    Nothing,
}

/// A tree model without its weights.
#[derive(Debug)]
pub(super) struct Approximation {
    pub model: OfferModel,
    /// The same as a tree parser, for when it is alone.
    pub stage: TreeStage,
    says: Vec<Says>,
}

impl Approximation {
    /// Opens the section of the tree model.
    pub fn open(view: View<'_>) -> Result<Self, OpenError> {
        let model = OfferModel::open(view)?;
        let says = model.labels().iter().map(|label| match label.as_str() {
            "None" => Says::Nothing,
            label if label.ends_with("~R") => Says::Against,
            _ => Says::Along,
        });
        Ok(Approximation { says: says.collect(), stage: TreeStage::open(view)?, model })
    }

    /// The best score among the labels that say something.
    fn best(&self, what: Says, scores: &[f32]) -> f32 {
        let scores = self.says.iter().zip(scores).filter(|(says, _)| **says == what);
        scores.fold(LEAST, |best, (_, &score)| best.max(score))
    }
}

/// Stands for minus infinity where there must be a number.
const LEAST: f32 = -1e5;

/// The offers of a tree arc: to say nothing, and to stand for the candidate arcs along it and against it. Which label an
/// arc gets is left to the models of graphs.
pub(super) fn offer_arcs(
    approximation: &Approximation,
    arcs: &[Candidate],
    (head, dependent): (u32, u32),
    score: f32,
    labels: &[f32],
    offers: &mut Vec<Offer>,
) {
    let find = |head: u32, dependent: u32| {
        let place = arcs.binary_search_by_key(&(dependent, head), |arc| (arc.dependent, arc.head));
        place.ok().map(|place| place as u32)
    };
    let best = |what: Says| score + approximation.best(what, labels);
    offers.push(Offer::nothing(best(Says::Nothing)));
    offers.extend(find(head, dependent).map(|arc| Offer::one(best(Says::Along), arc)));
    offers.extend(find(dependent, head).map(|arc| Offer::one(best(Says::Against), arc)));
}
