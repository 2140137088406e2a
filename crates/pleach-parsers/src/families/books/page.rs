//! One page: from the weights of a page model to the edges on the page.
//!
//! Every pair of words gets a filter score and one for each direction; the pairs that pass the filter are scored with
//! labels, which are maximised out, and with neighbours, and decoded. In training, costs are added to the scores of
//! everything that is not gold, and gold edges always pass.

use super::recipe::BookRecipe;
use pleach_decode::noncrossing::beam::Beam;
use pleach_decode::noncrossing::first::First;
use pleach_decode::noncrossing::second::Second;
use pleach_decode::noncrossing::{
    Candidates, DIRECTIONS, Direction, EdgeId, Factors, Link, Node, Order, Scores,
};
use pleach_linear::factored::{BookScorer, BookTemplates, COMPANY, PAIR_WEIGHTS, companies};
use pleach_linear::scoring::Rows;
use pleach_linear::words::Words;
use pleach_transition::action::Edge;
use std::ops::AddAssign;

/// An edge with its encoded label: the left end, the right end, the label's number.
pub(super) type Labelled = (Node, Node, u16);

/// What all pages of a book share: features, labels and the decoder.
#[derive(Debug)]
pub(super) struct Model {
    pub templates: BookTemplates,
    /// The encoded labels: label sets to the left and to the right.
    pub edges: Vec<Edge>,
    of_direction: [Vec<u16>; DIRECTIONS],
    pub order: Order,
    /// M2 and not M3.
    exact: bool,
    most: usize,
    gap: f32,
    pub margin: f32,
    recall: f32,
}

/// The direction of an encoded label.
fn direction(edge: Edge) -> Direction {
    match (edge.left, edge.right) {
        (0, _) => Direction::Right,
        (_, 0) => Direction::Left,
        _ => Direction::Both,
    }
}

/// The label of an edge of a gold page, sorted.
pub(super) fn gold_label(gold: &[Labelled], ends: (Node, Node)) -> Option<u16> {
    let place = gold.binary_search_by_key(&ends, |&(left, right, _)| (left, right));
    place.ok().map(|place| gold[place].2)
}

impl Model {
    pub fn new(recipe: &BookRecipe, order: Order, templates: BookTemplates, edges: Vec<Edge>) -> Self {
        let of = |wanted| {
            let labels = edges.iter().enumerate().filter(|(_, edge)| direction(**edge) == wanted);
            labels.map(|(label, _)| label as u16).collect()
        };
        Model {
            templates,
            of_direction: Direction::ALL.map(of),
            edges,
            order,
            exact: recipe.model == "m2",
            most: recipe.candidates,
            gap: recipe.gap * recipe.margin,
            margin: recipe.margin,
            recall: recipe.recall,
        }
    }

    /// Whether the decoder finds the best page.
    pub fn is_exact(&self) -> bool {
        self.order == Order::First || self.exact
    }

    /// The direction of a label.
    pub fn direction(&self, label: u16) -> Direction {
        direction(self.edges[usize::from(label)])
    }

    /// Marks the pairs of words that pass the filter of a page.
    pub fn filter<S>(&self, page: &PageSpace<S>, choice: &mut Choice) {
        let Choice { nodes, keep, best } = choice;
        for node in 0..*nodes {
            best.clear();
            best.extend((0..*nodes).filter(|&other| other != node).map(|other| {
                let place = node.min(other) * *nodes + node.max(other);
                (page.pairs[place][0], place)
            }));
            best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let least = best.first().map_or(0.0, |(score, _)| score - self.gap);
            for &(_, place) in best.iter().take(self.most).take_while(|(score, _)| *score >= least) {
                keep[place] = true;
            }
        }
    }

    /// Scores all pairs of words.
    pub fn score_pairs<R: Rows>(&self, rows: &R, words: &Words, page: &mut PageSpace<R::Sum>)
    where
        R::Sum: Copy + Default + AddAssign,
    {
        let nodes = words.len() + 1;
        page.scorer.begin();
        page.pairs.clear();
        page.pairs.resize(nodes * nodes, [0.0; PAIR_WEIGHTS]);
        for left in 0..nodes {
            for right in left + 1..nodes {
                let ends = (left as Node, right as Node);
                page.pairs[left * nodes + right] = page.scorer.words(rows, &self.templates, words, ends);
            }
        }
    }

    /// Scores the candidates with their best labels for each direction; with costs when there is a `gold` page,
    /// sorted.
    pub fn score_candidates<R: Rows>(
        &self,
        rows: &R,
        words: &Words,
        candidates: &Candidates,
        gold: Option<&[Labelled]>,
        page: &mut PageSpace<R::Sum>,
    ) where
        R::Sum: Copy + Default + AddAssign,
    {
        let labels = self.edges.len();
        let PageSpace { scorer, pairs, label_scores, scores, .. } = page;
        label_scores.clear();
        label_scores.resize(labels * candidates.len(), 0.0);
        scores.clear();
        for (edge, &ends) in candidates.edges().iter().enumerate() {
            let row = &mut label_scores[edge * labels..(edge + 1) * labels];
            scorer.labels(rows, &self.templates, words, ends, row);
            let right_label = gold.map(|gold| gold_label(gold, ends));
            let place = usize::from(ends.0) * candidates.nodes() + usize::from(ends.1);
            let mut of_edge = [f32::NEG_INFINITY; DIRECTIONS];
            for direction in Direction::ALL {
                // Nothing is the head of the root.
                if ends.0 == 0 && direction != Direction::Right {
                    continue;
                }
                let at = direction.index();
                for &label in &self.of_direction[at] {
                    let cost = self.label_cost(right_label.flatten(), label);
                    of_edge[at] = of_edge[at].max(row[usize::from(label)] + cost);
                }
                of_edge[at] += pairs[place][1 + at]
                    + match right_label {
                        None => 0.0,
                        Some(Some(right)) if self.direction(right) == direction => -self.margin * self.recall,
                        Some(_) => self.margin,
                    };
            }
            scores.push(of_edge);
        }
    }

    /// Decodes a page, with these scores for its edges.
    pub fn decode(
        &self,
        candidates: &Candidates,
        scores: &[Scores],
        factors: &mut dyn Factors,
        beam: usize,
        decoders: &mut Decoders,
        links: &mut Vec<Link>,
    ) -> f32 {
        self.decoder(candidates, factors, beam, decoders)(scores, links)
    }

    /// Decodes a page again and again, with other scores for its edges each time.
    pub fn decoder<'a>(
        &'a self,
        candidates: &'a Candidates,
        factors: &'a mut dyn Factors,
        beam: usize,
        decoders: &'a mut Decoders,
    ) -> impl FnMut(&[Scores], &mut Vec<Link>) -> f32 + 'a {
        let mut again = false;
        move |scores: &[Scores], links: &mut Vec<Link>| match (
            self.order,
            std::mem::replace(&mut again, true),
        ) {
            (Order::First, _) => decoders.first.decode(candidates, scores, links),
            _ if self.exact => decoders.second.decode(candidates, scores, factors, links),
            (order, false) => decoders.beam.decode(candidates, scores, factors, (order, beam), links),
            (order, true) => decoders.beam.decode_again(candidates, scores, factors, order, links),
        }
    }

    /// Adds to the scores of the labels of all links what their company says, once it is known.
    pub fn score_labels<R: Rows>(
        &self,
        rows: &R,
        words: &Words,
        candidates: &Candidates,
        links: &[Link],
        page: &mut PageSpace<R::Sum>,
    ) where
        R::Sum: Copy + Default + AddAssign,
    {
        let PageSpace { scorer, label_scores, company, last, .. } = page;
        if self.templates.context.is_none() {
            return;
        }
        companies(candidates, links, last, company);
        for (link, company) in links.iter().zip(company) {
            let row = self.row(label_scores, link.edge);
            scorer.add_company(rows, &self.templates, words, candidates.ends(link.edge), company, row);
        }
    }

    fn row<'a>(&self, label_scores: &'a mut [f32], edge: EdgeId) -> &'a mut [f32] {
        &mut label_scores[edge as usize * self.edges.len()..][..self.edges.len()]
    }

    /// What a label costs where another one is right.
    fn label_cost(&self, right: Option<u16>, label: u16) -> f32 {
        if right.is_some_and(|right| right != label) { self.margin / 2.0 } else { 0.0 }
    }

    /// The best label of a link by one or several pages together; with costs where one is right.
    pub fn best_label<S>(&self, link: Link, right: Option<u16>, pages: &[&PageSpace<S>]) -> u16 {
        let row = link.edge as usize * self.edges.len();
        let score = |label: u16| {
            let scores = pages.iter().map(|page| page.label_scores[row + usize::from(label)]);
            scores.sum::<f32>() + self.label_cost(right, label)
        };
        self.best_of(link.direction, score).unwrap_or(0)
    }

    /// The label of a direction that scores best, the first one among equals.
    pub fn best_of(&self, direction: Direction, score: impl Fn(u16) -> f32) -> Option<u16> {
        let mut best = None;
        for &label in &self.of_direction[direction.index()] {
            let score = score(label);
            if best.is_none_or(|(_, least)| score > least) {
                best = Some((label, score));
            }
        }
        best.map(|(label, _)| label)
    }
}

/// The decoders of a page.
#[derive(Debug, Default)]
pub(super) struct Decoders {
    first: First,
    second: Second,
    beam: Beam,
}

/// The memory of a page.
#[derive(Debug, Default)]
pub(super) struct PageSpace<S> {
    pub scorer: BookScorer<S>,
    /// The scores of pairs of words, by left and right one.
    pub pairs: Vec<[f32; PAIR_WEIGHTS]>,
    /// The scores of all labels of the candidates.
    label_scores: Vec<f32>,
    /// The scores of the candidates.
    pub scores: Vec<Scores>,
    pub decoders: Decoders,
    /// What is linked to the ends of each link.
    pub company: Vec<[Node; COMPANY]>,
    last: Vec<[Node; 2]>,
}

impl<S> PageSpace<S> {
    /// The filter's score of a pair of words in a sentence of so many nodes.
    pub fn filter_score(&self, nodes: Node, (left, right): (Node, Node)) -> f32 {
        self.pairs[usize::from(left) * usize::from(nodes) + usize::from(right)][0]
    }
}

/// Which pairs of words are candidates.
#[derive(Debug, Default)]
pub(super) struct Choice {
    nodes: usize,
    keep: Vec<bool>,
    best: Vec<(f32, usize)>,
}

impl Choice {
    /// Starts a sentence of so many nodes.
    pub fn start(&mut self, nodes: usize) {
        self.nodes = nodes;
        self.keep.clear();
        self.keep.resize(nodes * nodes, false);
    }

    /// Takes an edge in any case.
    pub fn add(&mut self, left: Node, right: Node) {
        self.keep[usize::from(left) * self.nodes + usize::from(right)] = true;
    }

    /// Whether an edge was taken.
    pub fn has(&self, left: Node, right: Node) -> bool {
        self.keep[usize::from(left) * self.nodes + usize::from(right)]
    }

    /// The edges that were taken.
    pub fn candidates(&self, candidates: &mut Candidates) {
        candidates.fill(self.nodes, |left, right| self.has(left, right));
    }
}
