//! One page: from the scores of a page model to the edges on the page.
//!
//! Every pair of words has a score for the filter and one for each direction; the pairs that pass the filter are scored
//! with labels, which are maximised out, and with neighbours, and decoded. In training, costs are added to the scores of
//! everything that is not gold, and gold edges always pass. Where probabilities are learnt ([`Loss::Local`]), the
//! directions are their own filter and labels are looked at last.

use super::recipe::{BookRecipe, Loss, RootArcs};
use super::space::{Choice, Decoders, PageSpace};
use pleach_decode::noncrossing::beam::Effort;
use pleach_decode::noncrossing::company::{companies, contexts};
use pleach_decode::noncrossing::factors::{CHANNELS, FILTER, PartFactors, channel, order_of};
use pleach_decode::noncrossing::{
    Candidates, DIRECTIONS, Direction, EdgeId, Factors, Link, Memo, Node, Order, Scores,
};
use pleach_decode::part::{Kind, Part, PartScorer};
use pleach_graph::encoded::Edge;

/// An edge with its encoded label: the left end, the right end, the label's number.
pub(super) type Labelled = (Node, Node, u16);

/// What all pages of a book share: labels and the decoder.
#[derive(Debug)]
pub(super) struct Model {
    /// The encoded labels: label sets to the left and to the right.
    pub edges: Vec<Edge>,
    of_direction: [Vec<u16>; DIRECTIONS],
    /// The order that the recipe wants; scorers may have no opinion on some of it.
    order: Order,
    /// M2 and not M3.
    exact: bool,
    give_up: f32,
    most: usize,
    gap: f32,
    /// The gap is below the best pair of a word, or below this where that is less: log-odds of 0 are never hopeless.
    ceiling: f32,
    pub loss: Loss,
    /// The root is not on the spine.
    pub apart: bool,
    pub margin: f32,
    pub recall: f32,
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
    pub fn new(recipe: &BookRecipe, order: Order, edges: Vec<Edge>) -> Self {
        let of = |wanted| {
            let labels = edges.iter().enumerate().filter(|(_, edge)| direction(**edge) == wanted);
            labels.map(|(label, _)| label as u16).collect()
        };
        let (unit, ceiling) = match recipe.loss {
            Loss::Margin => (recipe.margin, f32::INFINITY),
            Loss::Local => (1.0, 0.0),
        };
        Model {
            of_direction: Direction::ALL.map(of),
            edges,
            order,
            exact: recipe.model == "m2",
            give_up: if recipe.give_up > 0.0 { recipe.give_up * unit } else { f32::INFINITY },
            most: recipe.candidates,
            gap: recipe.gap * unit,
            ceiling,
            loss: recipe.loss,
            apart: recipe.root == RootArcs::Apart,
            margin: recipe.margin,
            recall: recipe.recall,
        }
    }

    /// The first node of the spine.
    pub fn first(&self) -> Node {
        Node::from(self.apart)
    }

    /// The order of the factors that a scorer knows.
    pub fn order(&self, scorer: &dyn PartScorer) -> Order {
        order_of(scorer, self.order)
    }

    /// Whether the decoder of this order finds the best page.
    pub fn is_exact(&self, order: Order) -> bool {
        order == Order::First || self.exact
    }

    /// The direction of a label.
    pub fn direction(&self, label: u16) -> Direction {
        direction(self.edges[usize::from(label)])
    }

    /// The labels of a direction.
    pub fn labels(&self, direction: Direction) -> &[u16] {
        &self.of_direction[direction.index()]
    }

    /// The directions that an edge from this left end can have: nothing is the head of the root.
    pub fn directions(&self, left: Node) -> impl Iterator<Item = Direction> + Clone {
        let all = if left == 0 { &Direction::ALL[..1] } else { &Direction::ALL[..] };
        all.iter().copied().filter(|&direction| !self.labels(direction).is_empty())
    }

    /// What a pair of words is worth as a candidate.
    fn worth(&self, left: Node, channels: &[f32; CHANNELS]) -> f32 {
        match self.loss {
            Loss::Margin => channels[usize::from(FILTER)],
            Loss::Local => {
                let scores = self.directions(left).map(|direction| channels[usize::from(channel(direction))]);
                scores.fold(f32::NEG_INFINITY, f32::max)
            }
        }
    }

    /// Marks the pairs of words that pass the filter of a page.
    pub fn filter(&self, page: &PageSpace, choice: &mut Choice) {
        let first = usize::from(self.first());
        for node in first..choice.nodes {
            let nodes = choice.nodes;
            let mut best = std::mem::take(&mut choice.best);
            best.clear();
            let others = (first..nodes).filter(|&other| other != node && choice.passes(node, other));
            best.extend(others.map(|other| {
                let left = node.min(other);
                let place = left * nodes + node.max(other);
                (self.worth(left as Node, &page.pairs[place]), place)
            }));
            best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let least = best.first().map_or(0.0, |(score, _)| score.min(self.ceiling) - self.gap);
            for &(_, place) in best.iter().take(self.most).take_while(|(score, _)| *score >= least) {
                choice.keep[place] = true;
            }
            choice.best = best;
        }
    }

    /// Scores all pairs of words of a sentence that are in question; others have no chance.
    pub fn score_pairs(&self, scorer: &mut dyn PartScorer, choice: &Choice, page: &mut PageSpace) {
        let nodes = choice.nodes;
        page.pairs.clear();
        page.pairs.resize(nodes * nodes, [f32::NEG_INFINITY; CHANNELS]);
        let PageSpace { pairs, expected, .. } = page;
        expected.clear();
        for left in 0..nodes {
            let rights = (left + 1..nodes).filter(|&right| choice.passes(left, right));
            expected.extend(rights.map(|right| Part::arc(left as Node, right as Node)));
        }
        scorer.expect(expected);
        for &part in &*expected {
            let [left, right, ..] = part.nodes.map(usize::from);
            scorer.score(part, &mut pairs[left * nodes + right]);
        }
    }

    /// Scores the candidates with their best labels for each direction; with costs when there is a `gold` page,
    /// sorted.
    pub fn score_candidates(
        &self,
        scorer: &mut dyn PartScorer,
        candidates: &Candidates,
        gold: Option<&[Labelled]>,
        page: &mut PageSpace,
    ) {
        let labels = self.edges.len();
        page.label_scores.clear();
        page.label_scores.resize(labels * candidates.len(), 0.0);
        let local = self.loss == Loss::Local;
        if !local {
            page.expect_labels(scorer, candidates.edges().iter().copied());
        }
        let PageSpace { pairs, label_scores, scores, .. } = page;
        scores.clear();
        for (edge, &(left, right)) in candidates.edges().iter().enumerate() {
            let row = &mut label_scores[edge * labels..(edge + 1) * labels];
            let channels = &pairs[usize::from(left) * candidates.nodes() + usize::from(right)];
            let right_label = gold.map(|gold| gold_label(gold, (left, right)));
            if !local {
                scorer.score(Part::label(left, right), row);
            }
            let mut of_edge = [f32::NEG_INFINITY; DIRECTIONS];
            for direction in self.directions(left) {
                let at = direction.index();
                if local {
                    of_edge[at] = channels[usize::from(channel(direction))];
                    continue;
                }
                for &label in self.labels(direction) {
                    let cost = self.label_cost(right_label.flatten(), label);
                    of_edge[at] = of_edge[at].max(row[usize::from(label)] + cost);
                }
                of_edge[at] += channels[usize::from(channel(direction))]
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
        scorer: &mut dyn PartScorer,
        candidates: &Candidates,
        beam: usize,
        page: &mut PageSpace,
        links: &mut Vec<Link>,
    ) -> f32 {
        let PageSpace { scores, decoders, memo, .. } = page;
        self.decoder(scorer, candidates, beam, (decoders, memo))(scores, links)
    }

    /// Decodes a page again and again, with other scores for its edges each time.
    pub fn decoder<'a>(
        &'a self,
        scorer: &'a mut dyn PartScorer,
        candidates: &'a Candidates,
        beam: usize,
        (decoders, memo): (&'a mut Decoders, &'a mut Memo),
    ) -> impl FnMut(&[Scores], &mut Vec<Link>) -> f32 + 'a {
        let order = self.order(scorer);
        let effort = Effort { order, beam, give_up: self.give_up };
        let mut factors = PartFactors::new(scorer, candidates, memo);
        let mut again = false;
        move |scores: &[Scores], links: &mut Vec<Link>| {
            let factors: &mut dyn Factors = &mut factors;
            match (order, std::mem::replace(&mut again, true)) {
                (Order::First, _) => decoders.first.decode(candidates, scores, links),
                _ if self.exact => decoders.second.decode(candidates, scores, factors, links),
                (_, false) => decoders.beam.decode(candidates, scores, factors, effort, links),
                (_, true) => decoders.beam.decode_again(candidates, scores, factors, effort, links),
            }
        }
    }

    /// Completes the scores of the labels of all links: by what their company says, once it is known, and where the
    /// search did without labels by the edges' own.
    pub fn score_labels(
        &self,
        scorer: &mut dyn PartScorer,
        candidates: &Candidates,
        links: &[Link],
        page: &mut PageSpace,
    ) {
        if self.loss == Loss::Local {
            page.expect_labels(scorer, links.iter().map(|link| candidates.ends(link.edge)));
            for link in links {
                let (left, right) = candidates.ends(link.edge);
                scorer.score(Part::label(left, right), self.row(&mut page.label_scores, link.edge));
            }
        }
        if !self.has_company(scorer) {
            return;
        }
        let PageSpace { label_scores, company, last, of_company, expected, .. } = page;
        companies(candidates, links, last, company);
        of_company.resize(self.edges.len(), 0.0);
        expected.clear();
        expected.extend(
            links
                .iter()
                .zip(&*company)
                .flat_map(|(link, company)| contexts(candidates.ends(link.edge), company)),
        );
        scorer.expect(expected);
        for (link, company) in links.iter().zip(&*company) {
            let row = self.row(label_scores, link.edge);
            for part in contexts(candidates.ends(link.edge), company) {
                scorer.score(part, of_company);
                row.iter_mut().zip(&*of_company).for_each(|(score, sum)| *score += sum);
            }
        }
    }

    /// Whether the scorer looks at the company of edges when it chooses their labels.
    pub fn has_company(&self, scorer: &dyn PartScorer) -> bool {
        let contexts = pleach_decode::noncrossing::company::CONTEXTS;
        scorer.scores(Kind::LABEL) && contexts.iter().any(|&kind| scorer.scores(kind))
    }

    fn row<'a>(&self, label_scores: &'a mut [f32], edge: EdgeId) -> &'a mut [f32] {
        &mut label_scores[edge as usize * self.edges.len()..][..self.edges.len()]
    }

    /// What a label costs where another one is right.
    pub fn label_cost(&self, right: Option<u16>, label: u16) -> f32 {
        if right.is_some_and(|right| right != label) { self.margin / 2.0 } else { 0.0 }
    }

    /// The best label of a link by one or several pages together; with costs where one is right.
    pub fn best_label(&self, link: Link, right: Option<u16>, pages: &[&PageSpace]) -> u16 {
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
        for &label in self.labels(direction) {
            let score = score(label);
            if best.is_none_or(|(_, least)| score > least) {
                best = Some((label, score));
            }
        }
        best.map(|(label, _)| label)
    }
}
