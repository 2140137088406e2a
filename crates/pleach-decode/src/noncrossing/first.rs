//! M1: first order, exact (`sun-2017` section 3.1; Kuhlmann and Jonsson 2015).
//!
//! > `C[s,e] = score(s,e) + max( O[s+1,e], max over edges (s,k), k < e, of C[s,k] + O[k,e] )`
//!
//! The maximum is O\[s,e\] before (s,e) is linked, and an edge whose best direction scores no more than 0 is never
//! linked. Labels and directions are maximised out before the chart.
//!
//! Complexity: O(n³) time for all pairs, O(n²d) for d candidates a node; O(n²) memory.

use super::open::{NONE, Open};
use super::{Candidates, Direction, EdgeId, Link, Node, Scores, best_direction};

/// The decoder with its memory.
#[derive(Clone, Debug, Default)]
pub struct First {
    open: Open,
    /// For each edge, its best direction, and the longest edge of its left end strictly inside.
    closed: Vec<(Direction, EdgeId)>,
    spans: Vec<(Node, Node)>,
}

impl First {
    /// Finds the best noncrossing graph and puts its edges into `links`, sorted. Gives its score.
    pub fn decode(&mut self, candidates: &Candidates, scores: &[Scores], links: &mut Vec<Link>) -> f32 {
        links.clear();
        let nodes = candidates.nodes() as Node;
        self.open.start(candidates.nodes());
        self.closed.clear();
        self.closed.resize(candidates.len(), (Direction::Right, NONE));
        for s in (0..nodes.saturating_sub(1)).rev() {
            self.open.begin_row(s);
            for edge in candidates.rightward(s) {
                let (direction, score) = best_direction(&scores[edge as usize]);
                if score > 0.0 {
                    let (_, e) = candidates.ends(edge);
                    self.closed[edge as usize] = (direction, self.open.longest(s, e));
                    self.open.link(s, e, edge, score + self.open.value(s, e));
                }
            }
        }
        if nodes == 0 {
            return 0.0;
        }
        self.collect(candidates, links);
        self.open.value(0, nodes - 1)
    }

    fn collect(&mut self, candidates: &Candidates, links: &mut Vec<Link>) {
        self.spans.push((0, candidates.nodes() as Node - 1));
        while let Some((s, e)) = self.spans.pop() {
            if s >= e {
                continue;
            }
            // All edges of s in the span, from the longest to the shortest; what is between them are spans.
            let mut end = e;
            let mut edge = self.open.longest(s, e);
            while edge != NONE {
                let (_, k) = candidates.ends(edge);
                let (direction, inner) = self.closed[edge as usize];
                links.push(Link { edge, direction });
                self.spans.push((k, end));
                (end, edge) = (k, inner);
            }
            self.spans.push((s + 1, end));
        }
        links.sort_unstable();
    }
}
