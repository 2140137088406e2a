//! The tree approximation (`du-2015` section 3.4) as one of the models that agree.

use super::search::Search;
use crate::families::offers::{OfferModel, OfferSpace};
use crate::scorer::ModelScorer;
use crate::train::{Catalogue, OpenError};
use crate::trees::{Said as Reading, TreeStage};
use pleach_decode::markov::Candidate;
use pleach_decode::merge::offers::Offer;
use pleach_decode::part::PartScorer;
use pleach_decode::relax::{Item, Subproblem};
use pleach_graph::Text;
use pleach_graph::encoded::LabelSets;
use pleach_graph::words::Words;
use pleach_model::View;

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

/// A tree model with its scorer.
#[derive(Debug)]
pub(super) struct Approximation {
    pub model: OfferModel,
    pub scorer: Box<dyn ModelScorer>,
    /// The same as a tree parser, for when it is alone.
    pub stage: TreeStage,
    says: Vec<Says>,
    /// The label set of each label, 0 for those that are none.
    sets: Vec<u16>,
}

impl Approximation {
    /// Opens the section of the tree model.
    pub fn open(view: &View, labels: &LabelSets, catalogue: Catalogue) -> Result<Self, OpenError> {
        let (model, scorer) = OfferModel::open(view, catalogue)?;
        let number = |set: &[Text]| labels.number_of(set.iter().map(Text::as_str)).unwrap_or(0);
        let readings = model.labels().iter().map(|label| match Reading::parse(label) {
            Reading::Nothing => (Says::Nothing, 0),
            Reading::Against(set) => (Says::Against, number(&set)),
            // Pseudo trees of this family never say both.
            Reading::Along(set) | Reading::Both(set, _) => (Says::Along, number(&set)),
        });
        let (says, sets) = readings.unzip();
        Ok(Approximation { says, sets, stage: TreeStage::open(view, catalogue)?, model, scorer })
    }

    /// Chooses labels again by the sum of all models, where arcs of the graph are in the tree that was agreed on, with
    /// what is around them in it. `said` is what that tree says.
    pub fn label(
        &self,
        scorer: &mut dyn PartScorer,
        words: usize,
        said: &[Item],
        space: &mut TreeSpace,
        search: &mut Search,
    ) {
        let Search { arcs, labels, sums, .. } = search;
        let TreeSpace { offers, changes, .. } = space;
        offers.tree.recall(said, arcs.len(), changes);
        self.model.look_around(offers);
        let width = sums.len() / arcs.len().max(1);
        for dependent in 1..=words {
            let (head, word) = (offers.tree.heads()[dependent], dependent as u32);
            let scores = self.model.label(scorer, dependent, offers);
            for (way, arc) in [(Says::Along, find(arcs, head, word)), (Says::Against, find(arcs, word, head))]
            {
                let Some(arc) = arc.map(|arc| arc as usize) else { continue };
                let sums = &sums[arc * width..][..width];
                let known = self.says.iter().zip(&self.sets).zip(scores);
                let known = known.filter(|((says, set), _)| **says == way && **set > 0);
                let sums = known.map(|((_, &set), score)| (set, score + sums[usize::from(set)]));
                let best = sums.reduce(|best, sum| if sum.1 > best.1 { sum } else { best });
                if let Some((set, _)) = best {
                    labels[arc] = set;
                }
            }
        }
    }

    /// Scores a sentence and finds the arcs that the best tree alone says the graph has: `space.wanted`.
    pub fn prepare(&self, scorer: &mut dyn PartScorer, words: &Words, space: &mut TreeSpace) {
        let TreeSpace { offers, said, wanted, changes } = space;
        said.clear();
        self.model.prepare(scorer, (words, true), offers, |(head, dependent), score, labels, offers| {
            let item = 2 * said.len() as Item;
            let scores =
                [Says::Nothing, Says::Along, Says::Against].map(|way| score + self.best(way, labels));
            said.push(Said { head, dependent, scores });
            offers.push(Offer::nothing(scores[0]));
            offers.push(Offer::one(scores[1], item));
            offers.push(Offer::one(scores[2], item + 1));
        });
        let mut chosen = Vec::new();
        changes.clear();
        changes.resize(2 * said.len(), 0.0);
        offers.tree.maximise(changes, &mut chosen);
        wanted.clear();
        wanted.extend(chosen.into_iter().map(|item| {
            let Said { head, dependent, .. } = said[item as usize / 2];
            let (head, dependent) = if item % 2 == 0 { (head, dependent) } else { (dependent, head) };
            Candidate { head, dependent }
        }));
        // Nothing is the root's head.
        wanted.retain(|arc| arc.dependent > 0);
        wanted.sort_by_key(|arc| (arc.dependent, arc.head));
    }

    /// The best score among the labels that say something.
    fn best(&self, what: Says, scores: &[f32]) -> f32 {
        let scores = self.says.iter().zip(scores).filter(|(says, _)| **says == what);
        scores.fold(LEAST, |best, (_, &score)| best.max(score))
    }
}

/// Stands for minus infinity where there must be a number.
const LEAST: f32 = -1e5;

/// What an arc of the tree says and how good that is.
#[derive(Clone, Copy, Debug)]
struct Said {
    head: u32,
    dependent: u32,
    /// For nothing, for the arc along it, and for the one against it.
    scores: [f32; 3],
}

/// The memory of the tree model.
#[derive(Debug, Default)]
pub(super) struct TreeSpace {
    /// The tree, ready to be decoded.
    pub offers: OfferSpace,
    said: Vec<Said>,
    /// The arcs of the best tree alone, by dependents, then by heads.
    pub wanted: Vec<Candidate>,
    changes: Vec<f64>,
}

impl TreeSpace {
    /// Lets the arcs of the tree stand for candidates.
    pub fn offer(&mut self, arcs: &[Candidate]) {
        let TreeSpace { offers, said, .. } = self;
        offers.tree.change_offers(|arc, offers| {
            let Said { head, dependent, scores: [nothing, along, against] } = said[arc];
            offers.push(Offer::nothing(nothing));
            offers.extend(find(arcs, head, dependent).map(|arc| Offer::one(along, arc)));
            offers.extend(find(arcs, dependent, head).map(|arc| Offer::one(against, arc)));
        });
    }
}

fn find(arcs: &[Candidate], head: u32, dependent: u32) -> Option<u32> {
    let place = arcs.binary_search_by_key(&(dependent, head), |arc| (arc.dependent, arc.head));
    place.ok().map(|place| place as u32)
}
