//! The scores of noncrossing graphs (`sun-2017` section 5.2): edges, neighbours and three edges together.
//!
//! A feature's row has a weight for every direction of the edges it is about, so one look-up scores them all. Of a pair
//! of words `h` is the left one and `d` the right one; its rows also decide whether it is a candidate ([`FILTER`]).
//! In the templates of several edges `h` is the node they share, `d` the other end of the longest, `x` that of the next
//! (on the other side of `h` for both sides) and `y` that of the shortest; where there is no shorter edge, `x` is a
//! word beyond the ends of the sentence. Of an edge with the longest edges of its ends inside, `h` and `d` are its
//! ends, `x` and `y` the other ends of theirs. Sides and shapes have features of their own.

use super::FILTER;
use crate::configuration::{LEFT_EDGE, Part as Nodes, RIGHT_EDGE};
use crate::scoring::{Rows, Scoring};
use crate::template::{TemplateError, Templates};
use crate::words::Words;
use pleach_decode::noncrossing::{
    Candidates, DIRECTIONS, EdgeId, Factors, Link, Node, Order, PairScores, Part, TripleScores,
};
use pleach_transition::NONE;
use std::collections::HashMap;
use std::ops::AddAssign;

/// The weights of a pair of words: for the filter, and for each direction.
pub const PAIR_WEIGHTS: usize = 1 + DIRECTIONS;

/// The weight of a direction in the rows of a pair of words.
fn weight_of(link: Link) -> u16 {
    FILTER + 1 + link.direction as u16
}

/// The templates of a model of noncrossing graphs. Their features share one table.
#[derive(Clone, Debug)]
pub struct BookTemplates {
    /// Pairs of words.
    pub arc: Templates,
    /// Labels of edges; none in models without labels.
    pub label: Option<Templates>,
    /// Two edges of a node: to the right, to the left, on both sides.
    pub pair: Option<[Templates; 3]>,
    /// Three edges: to the right, to the left, at both ends of the longest.
    pub triple: Option<[Templates; 3]>,
    /// Labels of edges in the company of another edge; none in first-order models, in those without labels, and where
    /// the file is empty.
    pub context: Option<[Templates; COMPANY]>,
}

/// How many other edges the label of an edge looks at.
pub const COMPANY: usize = 4;

impl BookTemplates {
    /// Compiles template files: pairs of words, labels, two and three edges, labels in company.
    pub fn parse(
        order: Order,
        arc: &str,
        label: Option<&str>,
        [pair, triple, context]: [&str; 3],
    ) -> Result<Self, TemplateError> {
        let parse = |name: &str, source: &str, set: u16| Ok(Templates::parse(name, source)?.as_set(set));
        let three = |name: &str, source: &str, set: u16| {
            Ok([parse(name, source, set)?, parse(name, source, set + 1)?, parse(name, source, set + 2)?])
        };
        Ok(BookTemplates {
            arc: parse("arc", arc, 0)?,
            label: label.map(|label| parse("label", label, 1)).transpose()?,
            pair: (order >= Order::Neighbours).then(|| three("pair", pair, 2)).transpose()?,
            triple: (order >= Order::Third).then(|| three("triple", triple, 5)).transpose()?,
            context: (order >= Order::Neighbours && label.is_some() && !context.is_empty())
                .then(|| {
                    let set = |number: u16| parse("context", context, 8 + number);
                    Ok([set(0)?, set(1)?, set(2)?, set(3)?])
                })
                .transpose()?,
        })
    }

    /// How many templates there are.
    pub fn len(&self) -> usize {
        let label = self.label.as_ref().map_or(0, Templates::len);
        let more = self.pair.iter().chain(&self.triple).flatten().chain(self.context.iter().flatten());
        self.arc.len() + label + more.map(Templates::len).sum::<usize>()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

const RIGHT: usize = 0;
const LEFT: usize = 1;
const ACROSS: usize = 2;

/// Scores the parts of noncrossing graphs, one sentence after the other.
#[derive(Clone, Debug, Default)]
pub struct BookScorer<S> {
    arcs: Scoring<S>,
    labels: Scoring<S>,
    pairs: [Scoring<S>; 3],
    triples: [Scoring<S>; 3],
    context: Scoring<S>,
    company: Vec<f32>,
    memo: Memo,
}

impl<S: Copy + Default + AddAssign> BookScorer<S> {
    /// Forgets what was kept: another sentence, or other weights.
    pub fn begin(&mut self) {
        self.arcs.begin();
        self.labels.begin();
        self.pairs.iter_mut().chain(&mut self.triples).for_each(Scoring::begin);
    }

    /// Scores a pair of words for the filter and for each direction.
    pub fn words(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &BookTemplates,
        words: &Words,
        (left, right): (Node, Node),
    ) -> [f32; PAIR_WEIGHTS] {
        let mut scores = [0.0; PAIR_WEIGHTS];
        self.arcs.score(rows, &templates.arc, words, &Nodes::arc(left, right), &mut scores);
        scores
    }

    /// Scores the labels of an edge; all are 0 in models without labels.
    pub fn labels(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &BookTemplates,
        words: &Words,
        (left, right): (Node, Node),
        scores: &mut [f32],
    ) {
        match &templates.label {
            Some(templates) => self.labels.score(rows, templates, words, &Nodes::arc(left, right), scores),
            None => scores.fill(0.0),
        }
    }

    /// Adds to the scores of an edge's labels what its company says.
    pub fn add_company(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &BookTemplates,
        words: &Words,
        (left, right): (Node, Node),
        company: &[Node; COMPANY],
        scores: &mut [f32],
    ) {
        self.company.resize(scores.len(), 0.0);
        for (templates, &other) in templates.context.iter().flatten().zip(company) {
            // Every part is looked at once, so nothing is kept.
            self.context.begin();
            let part = Nodes::triple(left, right, other);
            self.context.score(rows, templates, words, &part, &mut self.company);
            scores.iter_mut().zip(&self.company).for_each(|(score, sum)| *score += sum);
        }
    }

    /// Adds `amount` to the features of an edge's label in its company.
    pub fn change_company(
        &mut self,
        templates: &BookTemplates,
        words: &Words,
        ((left, right), label): ((Node, Node), u16),
        company: &[Node; COMPANY],
        amount: f32,
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        for (templates, &other) in templates.context.iter().flatten().zip(company) {
            let keys = self.context.keys(templates, words, &Nodes::triple(left, right, other));
            changes.extend(keys.iter().map(|&key| (key, label, amount)));
        }
    }

    /// The scores of the factors beyond single edges, over these candidates. Each is computed when it is first asked
    /// for; they are kept until the next call.
    pub fn factors<'a, R: Rows<Sum = S>>(
        &'a mut self,
        rows: &'a R,
        templates: &'a BookTemplates,
        words: &'a Words,
        candidates: &'a Candidates,
    ) -> BookFactors<'a, R> {
        self.memo.start(candidates);
        BookFactors { scorer: self, rows, templates, words, candidates }
    }

    /// Adds `amount` to the features of a part.
    pub fn change(
        &mut self,
        templates: &BookTemplates,
        words: &Words,
        candidates: &Candidates,
        part: Part,
        amount: f32,
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        let at = |link: Link| link.direction.index();
        let (scoring, templates, weight, nodes) = match part {
            Part::Edge(link) => {
                let (left, right) = candidates.ends(link.edge);
                (&mut self.arcs, Some(&templates.arc), usize::from(weight_of(link)), Nodes::arc(left, right))
            }
            Part::Neighbours { node, inner, outer } => {
                let (side, nodes) = neighbours(candidates, node, inner.map(|link| link.edge), outer.edge);
                let weight = inner.map_or(0, at) * DIRECTIONS + at(outer);
                (&mut self.pairs[side], templates.pair.as_ref().map(|sets| &sets[side]), weight, nodes)
            }
            Part::BothSides { node, left, right } => {
                let nodes = both_sides(candidates, node, left.edge, right.edge);
                let weight = at(left) * DIRECTIONS + at(right);
                (&mut self.pairs[ACROSS], templates.pair.as_ref().map(|sets| &sets[ACROSS]), weight, nodes)
            }
            Part::OneSide { node, inner, middle, outer } => {
                let (side, nodes) = one_side(candidates, node, [inner.edge, middle.edge, outer.edge]);
                let weight = (at(inner) * DIRECTIONS + at(middle)) * DIRECTIONS + at(outer);
                (&mut self.triples[side], templates.triple.as_ref().map(|sets| &sets[side]), weight, nodes)
            }
            Part::BothEnds { left, right, edge } => {
                let nodes = both_ends(candidates, left.edge, right.edge, edge.edge);
                let weight = (at(left) * DIRECTIONS + at(right)) * DIRECTIONS + at(edge);
                (
                    &mut self.triples[ACROSS],
                    templates.triple.as_ref().map(|sets| &sets[ACROSS]),
                    weight,
                    nodes,
                )
            }
        };
        if let Some(templates) = templates {
            let keys = scoring.keys(templates, words, &nodes);
            changes.extend(keys.iter().map(|&key| (key, weight as u16, amount)));
        }
    }

    /// Adds `amount` to the features that let a pair of words pass the filter.
    pub fn change_filter(
        &mut self,
        templates: &BookTemplates,
        words: &Words,
        (left, right): (Node, Node),
        amount: f32,
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        let keys = self.arcs.keys(&templates.arc, words, &Nodes::arc(left, right));
        changes.extend(keys.iter().map(|&key| (key, FILTER, amount)));
    }

    /// Adds `amount` to the features of an edge's label.
    pub fn change_label(
        &mut self,
        templates: &BookTemplates,
        words: &Words,
        (left, right): (Node, Node),
        label: u16,
        amount: f32,
        changes: &mut Vec<(u64, u16, f32)>,
    ) {
        if let Some(templates) = &templates.label {
            let keys = self.labels.keys(templates, words, &Nodes::arc(left, right));
            changes.extend(keys.iter().map(|&key| (key, label, amount)));
        }
    }
}

/// The other end of an edge of a node.
#[inline]
fn other_end(candidates: &Candidates, node: Node, edge: EdgeId) -> Node {
    let (left, right) = candidates.ends(edge);
    if left == node { right } else { left }
}

#[inline]
fn neighbours(candidates: &Candidates, node: Node, inner: Option<EdgeId>, outer: EdgeId) -> (usize, Nodes) {
    let end = other_end(candidates, node, outer);
    let (side, nothing) = if end > node { (RIGHT, RIGHT_EDGE) } else { (LEFT, LEFT_EDGE) };
    let inner = inner.map_or(nothing, |inner| other_end(candidates, node, inner));
    (side, Nodes::triple(node, end, inner))
}

#[inline]
fn both_sides(candidates: &Candidates, node: Node, left: EdgeId, right: EdgeId) -> Nodes {
    Nodes::triple(node, candidates.ends(right).1, candidates.ends(left).0)
}

#[inline]
fn one_side(candidates: &Candidates, node: Node, edges: [EdgeId; 3]) -> (usize, Nodes) {
    let [inner, middle, outer] = edges.map(|edge| other_end(candidates, node, edge));
    (if outer > node { RIGHT } else { LEFT }, Nodes([node, outer, middle, inner]))
}

#[inline]
fn both_ends(candidates: &Candidates, left: EdgeId, right: EdgeId, edge: EdgeId) -> Nodes {
    let (s, e) = candidates.ends(edge);
    Nodes([s, e, candidates.ends(left).1, candidates.ends(right).0])
}

/// For each edge (s,e) of a graph, `links` being sorted: the other ends of the longest edge of s to the left, of the
/// longest edges of s and of e strictly inside, and of the longest edge of e to the right. Where there is none, it is a
/// word beyond the sentence. `last` is memory to work in.
pub fn companies(
    candidates: &Candidates,
    links: &[Link],
    last: &mut Vec<[Node; 2]>,
    companies: &mut Vec<[Node; COMPANY]>,
) {
    last.clear();
    last.resize(candidates.nodes(), [LEFT_EDGE, RIGHT_EDGE]);
    companies.clear();
    companies.resize(links.len(), [LEFT_EDGE, RIGHT_EDGE, LEFT_EDGE, RIGHT_EDGE]);
    // From the left, the last edge that a node met to the right is the longest one so far; from the right likewise.
    for (link, company) in links.iter().zip(&mut *companies) {
        let (s, e) = candidates.ends(link.edge);
        company[1] = std::mem::replace(&mut last[usize::from(s)][1], e);
    }
    for (link, company) in links.iter().zip(&mut *companies).rev() {
        let (s, e) = candidates.ends(link.edge);
        company[2] = std::mem::replace(&mut last[usize::from(e)][0], s);
    }
    for (link, company) in links.iter().zip(companies) {
        let (s, e) = candidates.ends(link.edge);
        company[0] = last[usize::from(s)][0];
        company[3] = last[usize::from(e)][1];
    }
}

/// The factors of a sentence, over a table of weights.
#[derive(Debug)]
pub struct BookFactors<'a, R: Rows> {
    scorer: &'a mut BookScorer<R::Sum>,
    rows: &'a R,
    templates: &'a BookTemplates,
    words: &'a Words,
    candidates: &'a Candidates,
}

const NO_PAIR: PairScores = [[0.0; DIRECTIONS]; DIRECTIONS];
const NO_TRIPLE: TripleScores = [NO_PAIR; DIRECTIONS];

impl<R: Rows> BookFactors<'_, R> {
    /// The scores of a pair, from memory or computed.
    fn pair(&mut self, slot: usize, kind: usize, nodes: Nodes) -> &PairScores {
        let Some(sets) = &self.templates.pair else { return &NO_PAIR };
        let memo = &mut self.scorer.memo;
        let at = match memo.pair_at[slot] {
            0 => {
                memo.pairs.push(NO_PAIR);
                let at = memo.pairs.len();
                memo.pair_at[slot] = at as u32;
                let scores = memo.pairs[at - 1].as_flattened_mut();
                self.scorer.pairs[kind].score(self.rows, &sets[kind], self.words, &nodes, scores);
                at
            }
            at => at as usize,
        };
        &self.scorer.memo.pairs[at - 1]
    }

    fn triple(&mut self, kind: usize, edges: [EdgeId; 3], nodes: Nodes) -> &TripleScores {
        let Some(sets) = &self.templates.triple else { return &NO_TRIPLE };
        debug_assert!(nodes.0.iter().all(|&node| node != NONE));
        let memo = &mut self.scorer.memo;
        let next = memo.triples.len();
        let at = *memo.triple_at.entry((kind, edges)).or_insert(next);
        if at == next {
            memo.triples.push(NO_TRIPLE);
            let scores = memo.triples[at].as_flattened_mut().as_flattened_mut();
            self.scorer.triples[kind].score(self.rows, &sets[kind], self.words, &nodes, scores);
        }
        &self.scorer.memo.triples[at]
    }
}

impl<R: Rows> Factors for BookFactors<'_, R> {
    fn neighbours(&mut self, node: Node, inner: Option<EdgeId>, outer: EdgeId) -> &PairScores {
        let (side, nodes) = neighbours(self.candidates, node, inner, outer);
        let slot = self.scorer.memo.neighbour_slot(side, node, inner, outer);
        self.pair(slot, side, nodes)
    }

    fn both_sides(&mut self, node: Node, left: EdgeId, right: EdgeId) -> &PairScores {
        let nodes = both_sides(self.candidates, node, left, right);
        let slot = self.scorer.memo.across_slot(node, left, right);
        self.pair(slot, ACROSS, nodes)
    }

    fn one_side(&mut self, node: Node, inner: EdgeId, middle: EdgeId, outer: EdgeId) -> &TripleScores {
        let edges = [inner, middle, outer];
        let (side, nodes) = one_side(self.candidates, node, edges);
        self.triple(side, edges, nodes)
    }

    fn both_ends(&mut self, left: EdgeId, right: EdgeId, edge: EdgeId) -> &TripleScores {
        let nodes = both_ends(self.candidates, left, right, edge);
        self.triple(ACROSS, [left, right, edge], nodes)
    }
}

/// Computed scores. The pairs of a node's edges have places of their own in a table, triples are looked up.
#[derive(Clone, Debug, Default)]
struct Memo {
    /// For each node, where its pairs begin, and its number of edges to the right and to the left.
    nodes: Vec<(usize, u32, u32)>,
    /// For each edge, its number among the edges of its left and of its right end.
    ranks: Vec<[u32; 2]>,
    /// For each pair of edges, the place of its scores plus one.
    pair_at: Vec<u32>,
    pairs: Vec<PairScores>,
    triple_at: HashMap<(usize, [EdgeId; 3]), usize>,
    triples: Vec<TripleScores>,
}

impl Memo {
    fn start(&mut self, candidates: &Candidates) {
        self.nodes.clear();
        self.ranks.clear();
        self.ranks.resize(candidates.len(), [0; 2]);
        let mut slots = 0;
        for node in 0..candidates.nodes() as Node {
            let (rightward, leftward) = (candidates.rightward(node), candidates.leftward(node));
            for (rank, edge) in rightward.clone().enumerate() {
                self.ranks[edge as usize][0] = rank as u32;
            }
            for (rank, &edge) in leftward.iter().enumerate() {
                self.ranks[edge as usize][1] = rank as u32;
            }
            let (right, left) = (rightward.len(), leftward.len());
            self.nodes.push((slots, right as u32, left as u32));
            slots += right * (right + 1) + left * (left + 1) + left * right;
        }
        self.pair_at.clear();
        self.pair_at.resize(slots, 0);
        self.pairs.clear();
        self.triple_at.clear();
        self.triples.clear();
    }

    #[inline]
    fn neighbour_slot(&self, side: usize, node: Node, inner: Option<EdgeId>, outer: EdgeId) -> usize {
        let (start, right, left) = self.nodes[usize::from(node)];
        let rank = |edge: EdgeId| self.ranks[edge as usize][side] as usize;
        let row = inner.map_or(0, |inner| rank(inner) + 1);
        let (right, left) = (right as usize, left as usize);
        let (offset, width) = if side == RIGHT { (0, right) } else { (right * (right + 1), left) };
        start + offset + row * width + rank(outer)
    }

    #[inline]
    fn across_slot(&self, node: Node, left: EdgeId, right: EdgeId) -> usize {
        let (start, rightward, leftward) = self.nodes[usize::from(node)];
        let (rightward, leftward) = (rightward as usize, leftward as usize);
        let [left, right] = [self.ranks[left as usize][LEFT], self.ranks[right as usize][RIGHT]];
        start
            + rightward * (rightward + 1)
            + leftward * (leftward + 1)
            + left as usize * rightward
            + right as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Learner;
    use crate::template;
    use pleach_decode::noncrossing::parts::Dissection;
    use pleach_decode::noncrossing::{Direction, Scores};
    use pleach_graph::Sentence;

    #[test]
    fn companies_are_the_longest_edges_of_the_ends() {
        let candidates = Candidates::complete(7);
        let ends = [(0, 3), (1, 2), (1, 3), (1, 5), (2, 3), (3, 5), (5, 6)];
        let link = |&(left, right): &(Node, Node)| Link {
            edge: candidates.find(left, right).unwrap(),
            direction: Direction::Left,
        };
        let links: Vec<Link> = ends.iter().map(link).collect();
        let mut found = Vec::new();
        companies(&candidates, &links, &mut Vec::new(), &mut found);
        let (none_left, none_right) = (LEFT_EDGE, RIGHT_EDGE);
        assert_eq!(found[0], [none_left, none_right, 1, 5], "0-3: under it 1-3, beyond it 3-5");
        assert_eq!(found[2], [none_left, 2, 2, 5], "1-3: under it 1-2 and 2-3");
        assert_eq!(found[3], [none_left, 3, 3, 6], "1-5");
        assert_eq!(found[4], [1, none_right, none_left, 5], "2-3");
        assert_eq!(found[6], [1, none_right, none_left, none_right], "5-6: beyond it 1-5");
    }

    /// After learning the parts of one graph, its score is the squared length of its feature vector, and every factor
    /// says the same when it is asked again.
    #[test]
    fn changes_are_those_of_the_scores() {
        let text = |name| template::shipped(name).unwrap();
        let templates = BookTemplates::parse(
            Order::Third,
            text("graph-arc"),
            Some(text("graph-label")),
            ["graph-pair", "graph-triple", "graph-context"].map(text),
        )
        .unwrap();
        let mut words = Words::default();
        words.fill(&Sentence::from_forms(["a", "b", "c", "d", "e", "f", "g"]), false);
        let candidates = Candidates::complete(8);
        let link = |(left, right): (Node, Node), direction| Link {
            edge: candidates.find(left, right).unwrap(),
            direction,
        };
        let mut links: Vec<Link> = [(0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (4, 5), (4, 6), (4, 7), (6, 7)]
            .into_iter()
            .enumerate()
            .map(|(i, ends)| link(ends, Direction::ALL[i % 3]))
            .collect();
        links.sort_unstable();
        let mut scorer: BookScorer<f32> = BookScorer::default();
        let mut changes = Vec::new();
        let mut parts = Vec::new();
        let mut dissection = Dissection::default();
        dissection.visit(&candidates, &links, Order::Third, |part| parts.push(part));
        for &part in &parts {
            scorer.change(&templates, &words, &candidates, part, 1.0, &mut changes);
        }
        assert!(parts.iter().any(|part| matches!(part, Part::OneSide { .. })));
        assert!(parts.iter().any(|part| matches!(part, Part::BothEnds { .. })));
        assert!(parts.iter().any(|part| matches!(part, Part::BothSides { .. })));
        let mut learner = Learner::default();
        let mut weights = std::collections::BTreeMap::new();
        for &(key, action, amount) in &changes {
            learner.update(key, action, amount);
            *weights.entry((key, action)).or_insert(0.0) += amount;
        }
        let length: f32 = weights.values().map(|weight| weight * weight).sum();
        scorer.begin();
        let mut scores = |&ends: &(Node, Node)| -> Scores {
            let [_, scores @ ..] = scorer.words(&learner, &templates, &words, ends);
            scores
        };
        let scores: Vec<Scores> = candidates.edges().iter().map(&mut scores).collect();
        let mut factors = scorer.factors(&learner, &templates, &words, &candidates);
        for _ in 0..2 {
            assert_eq!(dissection.score(&candidates, &links, Order::Third, &scores, &mut factors), length);
        }
        changes.clear();
        scorer.change_filter(&templates, &words, (1, 2), 1.0, &mut changes);
        scorer.change_label(&templates, &words, (1, 2), 7, 1.0, &mut changes);
        assert!(
            changes.iter().any(|change| change.1 == FILTER) && changes.iter().any(|change| change.1 == 7)
        );
    }
}
