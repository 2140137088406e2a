//! The candidate arcs of three trees, and the edges that they make.
//!
//! Complexity: O(n² + arcs) a sentence; which arcs an edge has is one look at a table then.

use pleach_decode::merge::TREES;

/// The candidate arcs of a tree, with the scores of all their labels.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// (head, dependent), by heads and then by dependents.
    pub arcs: Vec<(u32, u32)>,
    /// Those of the first arc's labels, then those of the second one's …, the arc's own score included.
    pub scores: Vec<f32>,
    /// How many labels there are.
    pub width: usize,
}

impl Candidates {
    /// The scores of an arc's labels.
    pub fn labels(&self, arc: usize) -> &[f32] {
        &self.scores[arc * self.width..(arc + 1) * self.width]
    }
}

/// No arc, or no edge.
const NONE: u32 = u32::MAX;

/// An edge that some tree may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub left: u32,
    pub right: u32,
    /// The first statement about it, and how many there are.
    pub first: u32,
    pub count: u32,
    /// The numbers of each tree's arcs to the right and to the left.
    arcs: [[u32; 2]; TREES],
}

impl Edge {
    /// The arcs of a tree that make the edge: their sides, 0 for those to the right, and their numbers.
    pub fn arcs(&self, tree: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let sides = self.arcs[tree].into_iter().enumerate();
        sides.filter(|&(_, arc)| arc != NONE).map(|(side, arc)| (side, arc as usize))
    }
}

/// All edges of a sentence, by their left ends and then by their right ones; the memory is kept from sentence to sentence.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub all: Vec<Edge>,
    /// The place of an edge in `all`, at `left * nodes + right`.
    places: Vec<u32>,
    nodes: usize,
}

/// The edge of an arc.
pub(super) fn edge((head, dependent): (u32, u32)) -> (u32, u32) {
    (head.min(dependent), head.max(dependent))
}

/// The side that an arc goes to.
pub(super) fn side((head, dependent): (u32, u32)) -> usize {
    usize::from(head > dependent)
}

impl Edges {
    /// Takes the edges of candidate arcs over so many nodes; nothing is said about them yet.
    pub fn collect(&mut self, nodes: usize, candidates: &[Candidates; TREES]) {
        self.nodes = nodes;
        self.places.clear();
        self.places.resize(nodes * nodes, NONE);
        self.all.clear();
        for &arc in candidates.iter().flat_map(|candidates| &candidates.arcs) {
            let (left, right) = edge(arc);
            self.places[left as usize * nodes + right as usize] = 0;
        }
        for (number, place) in self.places.iter_mut().enumerate().filter(|(_, place)| **place != NONE) {
            *place = self.all.len() as u32;
            let (left, right) = ((number / nodes) as u32, (number % nodes) as u32);
            self.all.push(Edge { left, right, first: 0, count: 0, arcs: [[NONE; 2]; TREES] });
        }
        for (tree, candidates) in candidates.iter().enumerate() {
            for (number, &arc) in candidates.arcs.iter().enumerate() {
                let (left, right) = edge(arc);
                let place = self.places[left as usize * nodes + right as usize];
                self.all[place as usize].arcs[tree][side(arc)] = number as u32;
            }
        }
    }

    /// The edge between two nodes, the left one first, if some tree may have it.
    pub fn find(&self, (left, right): (u32, u32)) -> Option<&Edge> {
        if right as usize >= self.nodes {
            return None;
        }
        self.all.get(*self.places.get(left as usize * self.nodes + right as usize)? as usize)
    }
}
