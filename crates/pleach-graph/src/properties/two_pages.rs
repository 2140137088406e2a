//! Finding two pages (Sun, Cao and Wan 2017, section 4.1).
//!
//! An edge that crosses nothing, or only dropped edges, is on both pages. The others hang together by crossings in components, each of which
//! is coloured depth first: an edge met over a crossing takes the other colour, or, if it crosses an edge of that
//! colour, it is bad and dropped. When two pages suffice this is the exact 2-colouring, and nothing is dropped.
//!
//! Either colour of a component can be the first page: [`TwoPages::flip`] turns one component around.
//!
//! Complexity: O(m log m) time, O(m) memory.
//!
//! Invariant: no two edges on a page cross; a dropped edge crosses an edge on each page.

use super::edges::{Edge, Edges};
use super::range::Crossers;

/// Where an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Page {
    /// It crosses nothing that is kept: on both pages.
    Both,
    /// On the first page.
    First,
    /// On the second page.
    Second,
    /// On none: dropped.
    Neither,
}

impl Page {
    /// Whether the edge is on the page of this number, 0 or 1.
    pub fn is_on(self, page: usize) -> bool {
        match self {
            Page::Both => true,
            Page::First => page == 0,
            Page::Second => page == 1,
            Page::Neither => false,
        }
    }

    fn flipped(self) -> Page {
        match self {
            Page::First => Page::Second,
            Page::Second => Page::First,
            page => page,
        }
    }
}

/// The pages of all edges of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoPages {
    pages: Vec<Page>,
    components: Vec<Vec<usize>>,
}

impl TwoPages {
    /// The pages in the order of the edges.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// The edges, by place, that hang together by crossings; edges that cross nothing are in none. The first edge
    /// of each component is on the first page until it is flipped.
    pub fn components(&self) -> &[Vec<usize>] {
        &self.components
    }

    /// Exchanges the pages of a component.
    pub fn flip(&mut self, component: usize) {
        for &edge in &self.components[component] {
            self.pages[edge] = self.pages[edge].flipped();
        }
    }

    /// The number of dropped edges.
    pub fn dropped(&self) -> usize {
        self.pages.iter().filter(|&&page| page == Page::Neither).count()
    }
}

impl Edges {
    /// Puts the edges onto two pages.
    pub fn two_pages(&self) -> TwoPages {
        let mut unseen = Crossers::new(&self.edges);
        let mut coloured = [unseen.clone(), unseen.clone()];
        coloured.iter_mut().for_each(Crossers::remove_all);
        let mut found = TwoPages { pages: vec![Page::Both; self.len()], components: Vec::new() };
        let mut seen = vec![false; self.len()];
        let mut path = Vec::new();
        for start in 0..self.len() {
            if seen[start] || unseen.any(self.edges[start]).is_none() {
                continue;
            }
            let mut component = vec![start];
            let mut visit = |edge: usize, page: Page, unseen: &mut Crossers| {
                seen[edge] = true;
                unseen.remove(edge);
                found.pages[edge] = page;
            };
            visit(start, Page::First, &mut unseen);
            coloured[0].put_back(start);
            path.push((start, 0));
            while let Some(&(edge, colour)) = path.last() {
                let Some(other) = unseen.any(self.edges[edge]) else {
                    path.pop();
                    continue;
                };
                component.push(other);
                let other_colour = 1 - colour;
                if coloured[other_colour].any(self.edges[other]).is_some() {
                    visit(other, Page::Neither, &mut unseen);
                } else {
                    visit(other, [Page::First, Page::Second][other_colour], &mut unseen);
                    coloured[other_colour].put_back(other);
                    path.push((other, other_colour));
                }
            }
            component.sort_unstable();
            found.components.push(component);
        }
        found
    }
}

impl FromIterator<Edge> for Edges {
    /// Edges between nodes in any order; the number of nodes is the least that has them all.
    fn from_iter<T: IntoIterator<Item = Edge>>(edges: T) -> Edges {
        let mut edges: Vec<Edge> = edges.into_iter().filter(|edge| edge.left < edge.right).collect();
        edges.sort_unstable();
        edges.dedup();
        let nodes = edges.iter().map(|edge| edge.right.index() + 1).max().unwrap_or(1);
        Edges { edges, nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn crosses_on(edges: &Edges, pages: &[Page], edge: usize, page: usize) -> bool {
        let all = edges.as_slice();
        (0..all.len()).any(|other| pages[other].is_on(page) && all[other].crosses(all[edge]))
    }

    #[test]
    fn pages_are_noncrossing_and_nothing_is_dropped_needlessly() {
        let mut dropped = 0;
        samples::edge_sets(|edges| {
            let mut found = edges.two_pages();
            for flip in 0..=found.components().len() {
                for (place, &page) in found.pages().iter().enumerate() {
                    for number in [0, 1] {
                        assert_eq!(crosses_on(edges, found.pages(), place, number), !page.is_on(number));
                    }
                }
                if flip < found.components().len() {
                    found.flip(flip);
                }
            }
            let in_components = found.components().iter().map(Vec::len).sum::<usize>();
            assert!(in_components == edges.crossing_edges() || found.dropped() > 0);
            if edges.len() < 12 && edges.book().pagenumber().upper() <= 2 {
                assert_eq!(found.dropped(), 0, "{edges:?}");
            }
            dropped += found.dropped();
        });
        assert!(dropped > 1000);
    }

    #[test]
    fn components_turn_alone() {
        let edge = |left, right| Edge { left: crate::NodeId(left), right: crate::NodeId(right) };
        let edges: Edges = [edge(1, 3), edge(2, 4), edge(6, 8), edge(5, 7), edge(4, 5)].into_iter().collect();
        let mut found = edges.two_pages();
        assert_eq!(found.components(), [vec![0, 1], vec![3, 4]]);
        found.flip(1);
        assert_eq!(found.pages(), [Page::First, Page::Second, Page::Both, Page::Second, Page::First]);
    }
}
