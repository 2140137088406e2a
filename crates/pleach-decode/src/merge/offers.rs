//! A tree whose arcs say something about a graph: the subproblem of tree approximation and of merging.
//!
//! Every candidate arc of the tree has *offers*: a score and the items of the graph that the arc then stands for; the
//! labels `X`, `X~R` and `None` of `du-2015` section 3.4 and of `sun-2019` section 4.2 are such offers. Multipliers
//! change what an offer is worth, the best offer gives an arc its first-order score, and the factors of second
//! order stay as they are (`sun-2019` section 4.3.3).
//!
//! Class: projective trees over the candidate arcs, decoded exactly: by [`SecondOrder`] in O(offers + k²·n²) for k
//! candidate heads a word, or by [`Eisner`] in O(offers + n³) where only arcs are scored. Of second order, only what changed multipliers
//! can change is decoded again.

use crate::relax::{Item, Subproblem};
use crate::tree::{Arcs, Eisner, Parts, Root, SecondOrder};

/// No item.
pub const NOTHING: Item = Item::MAX;

/// More than any tree can gain or lose by an arc.
const MUCH: f64 = 1e5;

/// What a tree arc can say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    /// How good it is.
    pub score: f32,
    /// The items it stands for; [`NOTHING`] where there are fewer.
    pub items: [Item; 2],
}

impl Offer {
    /// An offer that says nothing about the graph.
    pub fn nothing(score: f32) -> Self {
        Offer { score, items: [NOTHING; 2] }
    }

    /// An offer that stands for one item.
    pub fn one(score: f32, item: Item) -> Self {
        Offer { score, items: [item, NOTHING] }
    }

    /// The items it stands for.
    pub fn items(&self) -> impl Iterator<Item = Item> + use<> {
        self.items.into_iter().filter(|&item| item != NOTHING)
    }

    fn changed(&self, changes: &[f64]) -> f64 {
        f64::from(self.score) + self.items().map(|item| changes[item as usize]).sum::<f64>()
    }
}

/// A tree of offers; the memory is kept between sentences.
#[derive(Clone, Debug, Default)]
pub struct OfferTree {
    /// The candidate arcs and the factors of second order; the scores of single arcs come from the offers.
    pub parts: Parts,
    offers: Vec<Offer>,
    /// Where the offers of each arc begin; one more than there are arcs.
    starts: Vec<u32>,
    /// The best offer of each arc.
    best: Vec<u32>,
    heads: Vec<u32>,
    decoder: SecondOrder,
    /// Whether the decoder was asked since the candidates came.
    decoded: bool,
    /// Whether a tree was found since the offers came.
    found: bool,
    /// The items of the last tree, when they were asked for.
    said: Vec<Item>,
    /// For arcs alone.
    eisner: Eisner,
    arcs: Arcs,
}

impl OfferTree {
    /// Takes the offers of all candidate arcs of `parts`, arc by arc in their order; each arc needs at least one.
    /// The candidates must hold a projective tree, else the tree says nothing. `parts` stays as it is until the next offers.
    pub fn set_offers(&mut self, offers: impl FnMut(usize, &mut Vec<Offer>)) {
        self.decoded = false;
        self.change_offers(offers);
    }

    /// Takes other offers of the same candidate arcs, whose factors are those of before.
    pub fn change_offers(&mut self, mut offers: impl FnMut(usize, &mut Vec<Offer>)) {
        self.offers.clear();
        self.starts.clear();
        self.starts.push(0);
        for arc in 0..self.parts.arcs.len() {
            offers(arc, &mut self.offers);
            self.starts.push(self.offers.len() as u32);
        }
        self.best.clear();
        self.best.resize(self.parts.arcs.len(), 0);
        self.heads.clear();
        self.heads.resize(self.parts.arcs.nodes(), 0);
        self.found = false;
    }

    /// The offers of an arc.
    pub fn offers(&self, arc: usize) -> &[Offer] {
        &self.offers[self.starts[arc] as usize..self.starts[arc + 1] as usize]
    }

    /// Whether an arc of the last tree says nothing about the graph.
    pub fn says_nothing(&self, head: usize, dependent: usize) -> bool {
        let arc = self.parts.arcs.find(head, dependent);
        arc.is_none_or(|arc| self.offers[self.best[arc] as usize].items().next().is_none())
    }

    /// The heads of the last tree that was decoded.
    pub fn heads(&self) -> &[u32] {
        &self.heads
    }

    /// The arcs of the last tree that was decoded, and which of their offers were taken.
    pub fn taken(&self) -> impl Iterator<Item = (usize, usize)> {
        let arcs = self.heads.iter().enumerate().skip(1);
        let arcs = arcs.filter_map(|(word, &head)| self.parts.arcs.find(head as usize, word));
        arcs.map(|arc| (arc, (self.best[arc] - self.starts[arc]) as usize))
    }

    /// Finds the best tree that stands for exactly these items, if there is one: what a relaxation gives back is a choice of
    /// items, in order, and the tree behind it may not be the last one. If it is, nothing is better: whatever the multipliers were, all
    /// trees of these items were changed by the same amount. `changes` is memory to work in, `items` the number of items.
    pub fn recall(&mut self, chosen: &[Item], items: usize, changes: &mut Vec<f64>) {
        if self.found && self.stands_for(chosen) {
            return;
        }
        changes.clear();
        changes.resize(items, -MUCH);
        chosen.iter().for_each(|&item| changes[item as usize] = MUCH);
        self.choose(changes);
        self.decode();
    }

    /// Whether the last tree stands for just these items, which are in order.
    fn stands_for(&mut self, chosen: &[Item]) -> bool {
        let mut said = std::mem::take(&mut self.said);
        said.clear();
        said.extend(self.taken().flat_map(|(arc, offer)| self.offers(arc)[offer].items()));
        said.sort_unstable();
        self.said = said;
        self.said == chosen
    }

    /// Finds the best tree over the offers that were chosen; all words hang on the root when there is none.
    fn decode(&mut self) -> Option<f32> {
        let again = std::mem::replace(&mut self.decoded, true);
        let score = if self.parts.is_second_order() {
            match again {
                false => self.decoder.decode(&self.parts, Root::Many, &mut self.heads),
                true => self.decoder.decode_again(&self.parts, Root::Many, &mut self.heads),
            }
        } else {
            let arcs = &self.parts.arcs;
            self.arcs.reset(arcs.nodes(), f32::NEG_INFINITY);
            for (arc, &score) in self.parts.scores.iter().enumerate() {
                self.arcs.set(arcs.head(arc), arcs.dependent(arc), score);
            }
            let score = self.eisner.decode(&self.arcs, Root::Many, &mut self.heads);
            Some(score).filter(|&score| score > f32::NEG_INFINITY)
        };
        self.found = score.is_some();
        if !self.found {
            self.heads.fill(0);
        }
        score
    }

    fn choose(&mut self, changes: &[f64]) {
        for arc in 0..self.parts.arcs.len() {
            let (mut best, mut top) = (self.starts[arc], f64::NEG_INFINITY);
            for offer in self.starts[arc]..self.starts[arc + 1] {
                let score = self.offers[offer as usize].changed(changes);
                if score > top {
                    (best, top) = (offer, score);
                }
            }
            self.best[arc] = best;
            self.parts.scores[arc] = top as f32;
        }
    }
}

impl Subproblem for OfferTree {
    fn maximise(&mut self, changes: &[f64], chosen: &mut Vec<Item>) -> f64 {
        self.choose(changes);
        let Some(score) = self.decode() else { return 0.0 };
        for (arc, offer) in self.taken() {
            chosen.extend(self.offers(arc)[offer].items());
        }
        f64::from(score) - chosen.iter().map(|&item| changes[item as usize]).sum::<f64>()
    }
}
