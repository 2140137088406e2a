//! Books: pages of edges that do not cross (Sun, Cao and Wan 2017, section 2).
//!
//! The words are the spine of a book, each edge lies on one page, and no two edges on a page cross. The
//! pagenumber is the least number of pages. With the order of the words given, that is the least number of
//! colours for the graph whose nodes are the edges and whose links are the crossings.
//!
//! - 1 page: no crossing, O(m).
//! - 2 pages: a search over the crossings takes each edge out when it is first met, so that it finds a
//!   spanning forest in O(m log m) however many crossings there are; the two colours along the forest are
//!   right if no page has a crossing.
//! - more: for each component of crossings that needs it, exact search within a budget, from as many colours
//!   as there are edges that all cross each other (at least 3) up to the pages that a greedy book takes. When
//!   the budget does not suffice the result is a range.
//!
//! Complexity: O(m log m) time and O(n + m) memory up to two pages; above, bounded by the budget.

use super::colouring::{Search, colour};
use super::crossing::are_noncrossing;
use super::edges::{Edge, Edges};
use super::range::Crossers;
use std::collections::BTreeSet;
use std::fmt;

/// Steps of exact search for one book: well below a second.
const BUDGET: u64 = 30_000_000;

/// A component with more crossings than this is not searched.
const CROSSINGS: usize = 1 << 20;

/// How many gaps between words are looked at for edges that all cross each other.
const GAPS: usize = 32;

/// The least number of pages. A graph without edges has pagenumber 1, like every noncrossing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pagenumber {
    /// It is known.
    Exact(u32),
    /// The search was given up: at least the first, at most the second.
    Between(u32, u32),
}

impl Pagenumber {
    /// The largest number known to be needed.
    pub fn lower(self) -> u32 {
        match self {
            Pagenumber::Exact(pages) | Pagenumber::Between(pages, _) => pages,
        }
    }

    /// The smallest number known to suffice.
    pub fn upper(self) -> u32 {
        match self {
            Pagenumber::Exact(pages) | Pagenumber::Between(_, pages) => pages,
        }
    }
}

impl fmt::Display for Pagenumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pagenumber::Exact(pages) => pages.fmt(f),
            Pagenumber::Between(lower, upper) => write!(f, "{lower}-{upper}"),
        }
    }
}

/// A page for every edge, such that no two edges on a page cross.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    edges: Vec<Edge>,
    pages: Vec<u32>,
    lower: u32,
}

impl Book {
    /// How many pages the graph needs: exact when this book is known to be the thinnest.
    pub fn pagenumber(&self) -> Pagenumber {
        let upper = self.pages.iter().max().map_or(1, |&page| page + 1);
        if self.lower == upper { Pagenumber::Exact(upper) } else { Pagenumber::Between(self.lower, upper) }
    }

    /// The edges with their pages, counted from 0, in the order of the edges.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = (Edge, u32)> {
        self.edges.iter().copied().zip(self.pages.iter().copied())
    }

    /// The page of an edge.
    pub fn page_of(&self, edge: Edge) -> Option<u32> {
        self.edges.binary_search(&edge).ok().map(|place| self.pages[place])
    }
}

impl Edges {
    /// Puts the edges onto as few pages as possible.
    pub fn book(&self) -> Book {
        self.book_within(BUDGET)
    }

    /// As [`book`](Edges::book) with a budget of search steps for more than two pages. The result depends on
    /// the budget only, not on the machine.
    pub fn book_within(&self, mut budget: u64) -> Book {
        let mut book = Book { edges: self.edges.clone(), pages: vec![0; self.len()], lower: 1 };
        if self.is_noncrossing() {
            return book;
        }
        book.lower = 2;
        for component in self.crossing_components(&mut book.pages) {
            let edges: Vec<Edge> = component.iter().map(|&i| self.edges[i]).collect();
            let pages = &book.pages;
            let page = |page| component.iter().filter(move |&&i| pages[i] == page).map(|&i| self.edges[i]);
            if are_noncrossing(page(0)) && are_noncrossing(page(1)) {
                continue;
            }
            let (pages, lower) = thick_book(Edges { edges, nodes: self.nodes }, &mut budget);
            book.lower = book.lower.max(lower);
            for (i, page) in component.into_iter().zip(pages) {
                book.pages[i] = page;
            }
        }
        book
    }

    /// The edges that hang together by crossings, each component in order; the pages alternate along the
    /// crossings by which the edges were found.
    fn crossing_components(&self, pages: &mut [u32]) -> Vec<Vec<usize>> {
        let mut crossers = Crossers::new(&self.edges);
        let mut seen = vec![false; self.len()];
        let mut components = Vec::new();
        for start in 0..self.len() {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            crossers.remove(start);
            let mut component = vec![start];
            let mut next = 0;
            while next < component.len() {
                let edge = component[next];
                while let Some(other) = crossers.any(self.edges[edge]) {
                    seen[other] = true;
                    crossers.remove(other);
                    pages[other] = 1 - pages[edge];
                    component.push(other);
                }
                next += 1;
            }
            component.sort_unstable();
            components.push(component);
        }
        components
    }
}

/// Pages for edges that need at least three, and the number of pages that are known to be needed.
fn thick_book(edges: Edges, budget: &mut u64) -> (Vec<u32>, u32) {
    let greedy = greedy_pages(&edges.edges);
    let most = greedy.iter().max().map_or(1, |&page| page + 1);
    let mut lower = clique(&edges.edges).max(3);
    if most == lower {
        return (greedy, lower);
    }
    let mut neighbours = vec![Vec::new(); edges.len()];
    let mut pairs = edges.crossing_pairs();
    let mut count = 0;
    while let Some((a, b)) = pairs.next_places() {
        count += 1;
        if count > CROSSINGS {
            return (greedy, lower);
        }
        neighbours[a].push(b as u32);
        neighbours[b].push(a as u32);
    }
    while lower < most {
        match colour(&neighbours, lower, budget) {
            Search::Found(pages) => return (pages, lower),
            Search::Impossible => lower += 1,
            Search::GaveUp => break,
        }
    }
    (greedy, lower)
}

/// The size of a set of edges that all cross each other, so that no two can share a page. Over a gap between
/// two words these are edges whose left and right ends rise together; the longest such sequence is found for
/// each gap after a left end, or for some of them when there are many. O(m log m).
fn clique(edges: &[Edge]) -> u32 {
    let mut gaps: Vec<u32> = edges.iter().map(|edge| edge.left.0 + 1).collect();
    gaps.dedup();
    let step = gaps.len().div_ceil(GAPS).max(1);
    let mut largest = 0;
    for gap in gaps.into_iter().step_by(step) {
        // The least right end with which a sequence of each length can end.
        let mut ends: Vec<u32> = Vec::new();
        for group in edges.chunk_by(|a, b| a.left == b.left).take_while(|group| group[0].left.0 < gap) {
            // From one node only one edge can be in a sequence: long ones first.
            for edge in group.iter().rev().take_while(|edge| edge.right.0 >= gap) {
                let place = ends.partition_point(|&end| end < edge.right.0);
                match ends.get_mut(place) {
                    Some(end) => *end = edge.right.0,
                    None => ends.push(edge.right.0),
                }
            }
        }
        largest = largest.max(ends.len());
    }
    largest as u32
}

/// A book that may be too thick, in O(m log m): from left to right, each edge goes to the page where it fits
/// most tightly under the edges that are still open.
fn greedy_pages(edges: &[Edge]) -> Vec<u32> {
    let mut pages = vec![0; edges.len()];
    // For each page the right ends of its open edges, innermost on top; and all pages by that end.
    let mut open: Vec<Vec<u32>> = Vec::new();
    let mut by_end: BTreeSet<(u32, u32)> = BTreeSet::new();
    let end = |open: &[Vec<u32>], page: u32| open[page as usize].last().copied().unwrap_or(u32::MAX);
    let mut first = 0;
    for group in edges.chunk_by(|a, b| a.left == b.left) {
        while let Some(&(right, page)) = by_end.first().filter(|(right, _)| *right <= group[0].left.0) {
            by_end.remove(&(right, page));
            open[page as usize].pop();
            by_end.insert((end(&open, page), page));
        }
        // Long edges first, so that short ones can nest in them.
        for (i, edge) in group.iter().enumerate().rev() {
            let fitting = by_end.range((edge.right.0, 0)..).next().copied();
            let page = match fitting {
                Some((right, page)) => {
                    by_end.remove(&(right, page));
                    page
                }
                None => {
                    open.push(Vec::new());
                    open.len() as u32 - 1
                }
            };
            pages[first + i] = page;
            open[page as usize].push(edge.right.0);
            by_end.insert((edge.right.0, page));
        }
        first += group.len();
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::NodeId;

    fn is_valid(edges: &[Edge], pages: &[u32]) -> bool {
        (0..edges.len()).all(|i| (0..i).all(|j| pages[i] != pages[j] || !edges[i].crosses(edges[j])))
    }

    /// Whether so many pages suffice, by trying all pages for every edge.
    fn fits(edges: &[Edge], pages: &mut Vec<u32>, count: u32) -> bool {
        let place = pages.len();
        if place == edges.len() {
            return true;
        }
        // Of the pages without an edge, one is as good as another.
        let fresh = pages.iter().max().map_or(0, |&page| page + 1);
        (0..count.min(fresh + 1)).any(|page| {
            let clash = (0..place).any(|i| pages[i] == page && edges[i].crosses(edges[place]));
            pages.push(page);
            let found = !clash && fits(edges, pages, count);
            pages.pop();
            found
        })
    }

    fn naive(edges: &[Edge]) -> u32 {
        (1..).find(|&count| fits(edges, &mut Vec::new(), count)).unwrap()
    }

    #[test]
    fn pagenumbers_agree_with_trying_all_books() {
        let mut thickest = 0;
        let mut check = |edges: &Edges| {
            let book = edges.book();
            let slice = edges.as_slice();
            assert!(is_valid(slice, &book.pages), "{slice:?}");
            assert_eq!(book.pagenumber(), Pagenumber::Exact(naive(slice)), "{slice:?}");
            let greedy = greedy_pages(slice);
            assert!(is_valid(slice, &greedy), "{slice:?}");
            assert!(clique(slice) <= book.pagenumber().lower(), "{slice:?}");
            thickest = thickest.max(book.pagenumber().upper());
        };
        samples::small_edge_sets(&mut check);
        samples::random_edge_sets(7, 10, 800, check);
        assert!(thickest >= 4);
    }

    #[test]
    fn a_book_knows_its_pages() {
        let edge = |left, right| Edge { left: NodeId(left), right: NodeId(right) };
        let edges = Edges { edges: vec![edge(1, 3), edge(2, 4)], nodes: 5 };
        let book = edges.book();
        assert_ne!(book.page_of(edge(1, 3)), book.page_of(edge(2, 4)));
        assert_eq!(book.page_of(edge(1, 4)), None);
        assert_eq!(book.edges().len(), 2);
        assert_eq!(Edges { edges: vec![], nodes: 1 }.book().pagenumber(), Pagenumber::Exact(1));
    }

    #[test]
    fn a_hopeless_search_gives_a_range() {
        // All pairs of 60 nodes: the pagenumber is 30, and proving it takes too long.
        let all: Vec<Edge> = (0..60)
            .flat_map(|left| {
                (left + 1..60).map(move |right| Edge { left: NodeId(left), right: NodeId(right) })
            })
            .collect();
        let book = Edges { edges: all, nodes: 60 }.book_within(100_000);
        let number = book.pagenumber();
        assert!(number.lower() >= 25 && number.lower() <= 30 && number.upper() >= 30, "{number}");
        assert!(is_valid(&book.edges, &book.pages));
        assert!(number.to_string().contains('-'));
    }
}
