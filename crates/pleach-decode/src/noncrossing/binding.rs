//! Binding two pages into a book by relaxation (`sun-2017` section 4.2).
//!
//! Each page is a noncrossing graph with its own scores. An edge that crosses nothing belongs to both pages, so
//! whatever one page has and the other has not must be crossed there:
//!
//! > g_A(i,j) ≤ g_B(i,j) + Σ g_B(i′,j′) over all (i′,j′) that cross (i,j), and the same with A and B exchanged.
//!
//! Read literally, this lets any edge excuse any other that it crosses: a page whose scores for the edge are far below 0
//! rather takes some other edge across it whose score is just below 0, and of the many that could be meant one always is.
//! So [`Binding::among_liked`] sums only over those (i′,j′) that the page likes by themselves, with a score above 0.
//!
//! Items are edges with their directions, so that pages also agree on directions; what crosses counts in any
//! direction. There are O(n⁴) crossing pairs; only the constraints that an iterate violates are ever written out.
//!
//! Invariant: when no constraint is violated, the union of the pages is a graph whose edges are each on one page or
//! on both, and on both if nothing that counts crosses them.

use super::{Candidates, DIRECTIONS, Direction, EdgeId, Link, Scores};
use crate::relax::{Choice, Constraint, Coupling, Item, Row, Subproblem};

/// The item of an edge with a direction.
pub fn item(link: Link) -> Item {
    link.edge * DIRECTIONS as Item + link.direction as Item
}

/// The edge and direction of an item.
pub fn link(item: Item) -> Link {
    Link { edge: item / DIRECTIONS as Item, direction: Direction::ALL[item as usize % DIRECTIONS] }
}

/// The edge, and the page that has it though the other one does not, of a constraint.
pub fn violation(constraint: Constraint) -> (Link, usize) {
    (link((constraint / 2) as Item), (constraint % 2) as usize)
}

/// The constraints between two pages over the same candidates.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    candidates: &'a Candidates,
    /// The scores of the edges of both pages, if only liked ones count.
    scores: Option<[&'a [Scores]; 2]>,
}

impl<'a> Binding<'a> {
    /// The constraints of a book of two pages, as in the paper.
    pub fn new(candidates: &'a Candidates) -> Self {
        Binding { candidates, scores: None }
    }

    /// The same, but that an edge is excused only by edges that score above 0 on their page.
    pub fn among_liked(candidates: &'a Candidates, scores: [&'a [Scores]; 2]) -> Self {
        Binding { candidates, scores: Some(scores) }
    }

    /// Whether an edge counts for what it crosses, on a page.
    fn counts(&self, page: usize, edge: EdgeId) -> bool {
        self.scores.is_none_or(|scores| scores[page][edge as usize].iter().any(|&score| score > 0.0))
    }

    /// All candidates that cross an edge.
    fn crossing(&self, edge: EdgeId) -> impl Iterator<Item = EdgeId> {
        let (s, e) = self.candidates.ends(edge);
        let inside = s + 1..e;
        let rightward = inside.clone().flat_map(move |node| {
            self.candidates.rightward(node).rev().take_while(move |&other| self.candidates.ends(other).1 > e)
        });
        let leftward = inside.flat_map(move |node| {
            self.candidates
                .leftward(node)
                .iter()
                .copied()
                .take_while(move |&other| self.candidates.ends(other).0 < s)
        });
        rightward.chain(leftward)
    }

    /// Whether a page, of this number, has the link or something that excuses it.
    fn is_excused(&self, wanted: Item, number: usize, page: &Choice) -> bool {
        let edge = link(wanted).edge;
        let excuses = |other: EdgeId| self.candidates.cross(edge, other) && self.counts(number, other);
        page.contains(wanted) || page.items().iter().any(|&other| excuses(link(other).edge))
    }
}

impl Coupling for Binding<'_> {
    fn items(&self, _page: usize) -> usize {
        self.candidates.len() * DIRECTIONS
    }

    fn violated(&mut self, pages: &[Choice], violated: &mut Vec<Constraint>) {
        for (page, other) in [(0, 1), (1, 0)] {
            let alone =
                pages[page].items().iter().filter(|&&item| !self.is_excused(item, other, &pages[other]));
            violated.extend(alone.map(|&item| Constraint::from(item) * 2 + page as Constraint));
        }
    }

    fn row(&self, constraint: Constraint, row: &mut Row) {
        let (wanted, page) = violation(constraint);
        row.add(page, item(wanted), 1.0);
        row.add(1 - page, item(wanted), -1.0);
        for edge in self.crossing(wanted.edge).filter(|&edge| self.counts(1 - page, edge)) {
            for direction in Direction::ALL {
                row.add(1 - page, item(Link { edge, direction }), -1.0);
            }
        }
    }
}

/// A page as a subproblem: a decoder with the scores of its edges.
pub struct Page<'a, D> {
    scores: &'a [Scores],
    decode: D,
    exact: bool,
    changed: Vec<Scores>,
    links: Vec<Link>,
}

impl<'a, D: FnMut(&[Scores], &mut Vec<Link>) -> f32> Page<'a, D> {
    /// A page with the scores of its edges and a decoder that takes such scores and gives the best links and their
    /// whole score. `exact` says whether they are really the best.
    pub fn new(scores: &'a [Scores], exact: bool, decode: D) -> Self {
        Page { scores, decode, exact, changed: Vec::new(), links: Vec::new() }
    }
}

impl<D: FnMut(&[Scores], &mut Vec<Link>) -> f32> Subproblem for Page<'_, D> {
    fn maximise(&mut self, changes: &[f64], chosen: &mut Vec<Item>) -> f64 {
        self.changed.clear();
        self.changed.extend(self.scores.iter().zip(changes.chunks_exact(DIRECTIONS)).map(
            |(scores, changes)| {
                let mut changed = *scores;
                for (score, change) in changed.iter_mut().zip(changes) {
                    *score += *change as f32;
                }
                changed
            },
        ));
        let score = (self.decode)(&self.changed, &mut self.links);
        chosen.extend(self.links.iter().map(|&link| item(link)));
        f64::from(score) - chosen.iter().map(|&item| changes[item as usize] as f32 as f64).sum::<f64>()
    }

    fn is_exact(&self) -> bool {
        self.exact
    }
}
