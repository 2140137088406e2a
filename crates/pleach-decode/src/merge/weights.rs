//! How good an arc is for each of the three trees (`sun-2019` section 4.2.2).
//!
//! The weight of a tree arc (i, j) for tree k is ω_k(i, j) = S1 + S2 + S3 + S4 + V_k over a graph y with n words:
//!
//! - S1 = w1 if y has the edge {i, j} in either direction, S2 = w2 if y has the arc i → j;
//! - S3 = w3 · (1 - |i - j| / n), short arcs being easier to predict;
//! - S4 = w4 · (1 - lp(i, j) / n), where lp is the length of the shortest path between a node and a child of one of
//!   its ancestors: `i ← … ← a → j` or `i ← a → … → j`; n if there is none;
//! - V_k gives d to what tree k should keep: long-distance arcs and parts of coordinations.
//!
//! Where a graph has neither, V_k is 0 and the three trees of the paper are one and the same, whatever the
//! multipliers: crossing edges are then never all held. So each tree also *leans*: by `lean` at most, the first one
//! prefers edges that begin further left, the second one edges that begin further right, and the third one long ones.
//!
//! The paper multiplies S3 and S4 by n instead; dividing keeps the coefficients and the steps of the relaxation the
//! same for all lengths. O(n · arcs + n²) time, O(n²) memory.

use crate::tree::Arcs;
use std::collections::VecDeque;

/// The number of trees that a graph is taken apart into.
pub const TREES: usize = 3;

/// What the parts of a weight count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// w1: the edge is in the graph.
    pub edge: f64,
    /// w2: so is its direction.
    pub direction: f64,
    /// w3: the words are close.
    pub distance: f64,
    /// w4: they are close in the graph.
    pub path: f64,
    /// d: the variation of a tree wants the arc.
    pub variation: f64,
    /// How much the trees lean to different sides; 0 in the paper.
    pub lean: f64,
}

impl Default for Coefficients {
    fn default() -> Self {
        Coefficients { edge: 100.0, direction: 10.0, distance: 1.0, path: 0.5, variation: 50.0, lean: 2.0 }
    }
}

/// The words that are coordinated under one parent: two or more of its children, from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordination {
    /// The parent.
    pub parent: u32,
    /// The coordinated children.
    pub children: Vec<u32>,
}

/// A graph to be taken apart. The root is node 0; self-loops are not looked at.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The number of words.
    pub words: usize,
    /// The arcs as (head, dependent), each pair once.
    pub arcs: Vec<(u32, u32)>,
    /// Those of them that are long-distance dependencies.
    pub long: Vec<(u32, u32)>,
    /// The coordinations, found by what the treebank calls them.
    pub coordinations: Vec<Coordination>,
}

/// Computes the weights; holds the memory for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Weighing {
    children: Vec<Vec<u32>>,
    heads: Vec<Vec<u32>>,
    /// Lengths of the shortest directed paths by (from, to); the number of nodes if there is none.
    paths: Vec<u32>,
    queue: VecDeque<u32>,
}

impl Weighing {
    /// Fills the weights of the three trees.
    pub(super) fn fill(
        &mut self,
        source: &Source,
        coefficients: &Coefficients,
        weights: &mut [Arcs<f64>; TREES],
    ) {
        self.look_at(source);
        let nodes = source.words + 1;
        let [first, others @ ..] = weights;
        first.reset(nodes, 0.0);
        let share = |length: usize| 1.0 - length as f64 / source.words as f64;
        for i in 0..nodes {
            for j in (1..nodes).filter(|&j| j != i) {
                let path = self.path(i, j).min(source.words);
                let s3 = coefficients.distance * share(i.abs_diff(j));
                first.set(i, j, s3 + coefficients.path * share(path));
            }
        }
        for (head, dependent) in edges(source) {
            first.add(head, dependent, coefficients.edge);
            if head != 0 {
                first.add(dependent, head, coefficients.edge);
            }
        }
        for &(head, dependent) in source.arcs.iter().filter(|(head, dependent)| head != dependent) {
            first.add(head as usize, dependent as usize, coefficients.direction);
        }
        others.iter_mut().for_each(|tree| tree.clone_from(first));
        for (low, high) in edges(source) {
            let begin = coefficients.lean * share(low);
            let long = coefficients.lean * (1.0 - share(high - low));
            for (tree, lean) in weights.iter_mut().zip([begin, coefficients.lean - begin, long]) {
                tree.add(low, high, lean);
                if low > 0 {
                    tree.add(high, low, lean);
                }
            }
        }
        self.vary(source, coefficients.variation, weights);
    }

    /// V1 to V3.
    fn vary(&self, source: &Source, d: f64, weights: &mut [Arcs<f64>; TREES]) {
        let mut add = |tree: usize, head: u32, dependent: u32| {
            if dependent != 0 {
                weights[tree].add(head as usize, dependent as usize, d);
            }
        };
        for &(head, dependent) in &source.long {
            add(0, head, dependent);
            add(1, dependent, head);
        }
        for Coordination { parent, children } in &source.coordinations {
            let [left, .., right] = children[..] else { continue };
            add(0, *parent, left);
            if let Some(&outermost) = self.children[left as usize].last() {
                add(0, left, outermost);
            }
            add(1, *parent, right);
            if let Some(&outermost) = self.children[right as usize].first() {
                add(1, right, outermost);
            }
            children.iter().for_each(|&child| add(2, *parent, child));
        }
    }

    /// Indexes the arcs and finds all directed paths by breadth-first search.
    fn look_at(&mut self, source: &Source) {
        let nodes = source.words + 1;
        for lists in [&mut self.children, &mut self.heads] {
            lists.iter_mut().for_each(Vec::clear);
            lists.resize(nodes, Vec::new());
        }
        for &(head, dependent) in source.arcs.iter().filter(|(head, dependent)| head != dependent) {
            self.children[head as usize].push(dependent);
            self.heads[dependent as usize].push(head);
        }
        self.children.iter_mut().for_each(|children| children.sort_unstable());
        self.paths.clear();
        self.paths.resize(nodes * nodes, nodes as u32);
        for start in 0..nodes {
            let lengths = &mut self.paths[start * nodes..(start + 1) * nodes];
            lengths[start] = 0;
            self.queue.push_back(start as u32);
            while let Some(node) = self.queue.pop_front() {
                for &child in &self.children[node as usize] {
                    if lengths[child as usize] == nodes as u32 {
                        lengths[child as usize] = lengths[node as usize] + 1;
                        self.queue.push_back(child);
                    }
                }
            }
        }
    }

    /// lp(i, j): through a head of either one that is an ancestor of the other.
    fn path(&self, i: usize, j: usize) -> usize {
        let nodes = self.heads.len();
        let over = |child: usize, other: usize| {
            let ancestors = self.heads[child].iter().map(|&head| self.paths[head as usize * nodes + other]);
            ancestors.filter(|&length| length > 0).min().map_or(nodes, |length| length as usize + 1)
        };
        over(i, j).min(over(j, i))
    }
}

/// The edges of a graph as (lower, higher) pairs, each once, self-loops left out.
pub(super) fn edges(source: &Source) -> impl Iterator<Item = (usize, usize)> {
    let mut edges: Vec<(usize, usize)> = source
        .arcs
        .iter()
        .filter(|(head, dependent)| head != dependent)
        .map(|&(head, dependent)| (head.min(dependent) as usize, head.max(dependent) as usize))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(words: usize, arcs: &[(u32, u32)]) -> Source {
        Source { words, arcs: arcs.to_vec(), ..Source::default() }
    }

    #[test]
    fn paths_go_over_a_head_that_is_an_ancestor() {
        let mut weighing = Weighing::default();
        // 1 → 2 → 3 → 4 and 1 → 5.
        weighing.look_at(&source(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (1, 5)]));
        assert_eq!(weighing.path(2, 5), 2);
        assert_eq!(weighing.path(4, 5), 4);
        assert_eq!(weighing.path(5, 4), 4);
        // 3 and its own ancestor are no such pair: 1's only head is the root, 3 ← 2 ← 1 ← 0 → 1.
        assert_eq!(weighing.path(3, 1), 4);
    }

    #[test]
    fn weights_are_the_sums_of_the_definition() {
        let mut source = source(4, &[(0, 1), (1, 2), (1, 4), (4, 3), (2, 3), (3, 2)]);
        source.long = vec![(1, 4)];
        source.coordinations = vec![Coordination { parent: 1, children: vec![2, 4] }];
        let coefficients = Coefficients {
            edge: 1000.0,
            direction: 100.0,
            distance: 4.0,
            path: 0.0,
            variation: 10000.0,
            lean: 0.0,
        };
        let mut weights = [(); TREES].map(|()| Arcs::default());
        Weighing::default().fill(&source, &coefficients, &mut weights);
        let get = |tree: usize, head, dependent| weights[tree].get(head, dependent);
        assert_eq!([get(2, 1, 3), get(2, 2, 3), get(2, 4, 3), get(2, 3, 4)], [2.0, 1103.0, 1103.0, 1003.0]);
        // The long arc as it is, then against its direction; the outer conjuncts with what leans on them.
        assert_eq!([get(0, 1, 4), get(0, 1, 2), get(0, 2, 3)], [11101.0, 11103.0, 11103.0]);
        assert_eq!([get(1, 4, 1), get(1, 1, 4), get(1, 4, 3)], [11001.0, 11101.0, 11103.0]);
        assert_eq!([get(2, 1, 4), get(2, 1, 2), get(2, 4, 1)], [11101.0, 11103.0, 1001.0]);
    }

    #[test]
    fn the_root_has_no_head() {
        let mut source = source(1, &[(0, 1)]);
        source.long = vec![(0, 1)];
        let mut weights = [(); TREES].map(|()| Arcs::default());
        let upright = Coefficients { lean: 0.0, ..Coefficients::default() };
        Weighing::default().fill(&source, &upright, &mut weights);
        assert_eq!(weights[1].get(0, 1), weights[2].get(0, 1));
    }
}
