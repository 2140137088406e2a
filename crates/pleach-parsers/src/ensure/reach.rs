//! Which words a word leads to. O(words + arcs) once; a question costs what it finds.

use pleach_graph::{Graph, NodeId};

/// The arcs of a graph from head to dependent, with memory for the last question.
pub(super) struct Below {
    /// The place of a node's first arc in `links`, plus 1; 0 for none.
    first: Vec<u32>,
    /// Dependents, with the place of the next arc of the same head.
    links: Vec<(u32, u32)>,
    /// The number of the question that found a node last.
    found_by: Vec<u32>,
    question: u32,
    found: Vec<u32>,
}

impl Below {
    /// The arcs of a graph.
    pub fn of(graph: &Graph) -> Self {
        let n = graph.len() + 1;
        let mut below = Below {
            first: vec![0; n],
            links: Vec::with_capacity(graph.arcs().len()),
            found_by: vec![0; n],
            question: 0,
            found: Vec::with_capacity(n),
        };
        graph.arcs().iter().for_each(|arc| below.add(arc.head, arc.dependent));
        below
    }

    /// One more arc.
    pub fn add(&mut self, head: NodeId, dependent: NodeId) {
        let first = &mut self.first[head.index()];
        self.links.push((dependent.0, *first));
        *first = self.links.len() as u32;
    }

    /// The nodes that can be reached from this one, itself first.
    pub fn from(&mut self, start: NodeId) -> &[u32] {
        self.question += 1;
        self.found.clear();
        self.found.push(start.0);
        self.found_by[start.index()] = self.question;
        let mut at = 0;
        while let Some(&node) = self.found.get(at) {
            at += 1;
            let mut link = self.first[node as usize];
            while link != 0 {
                let (dependent, next) = self.links[link as usize - 1];
                let by = &mut self.found_by[dependent as usize];
                if *by != self.question {
                    *by = self.question;
                    self.found.push(dependent);
                }
                link = next;
            }
        }
        &self.found
    }

    /// Whether the last question found a node.
    pub fn found(&self, node: NodeId) -> bool {
        self.found_by[node.index()] == self.question
    }
}

/// Which nodes can be reached from the root; the root itself is place 0.
pub(super) fn reachable(graph: &Graph) -> Vec<bool> {
    let mut seen = vec![false; graph.len() + 1];
    Below::of(graph).from(NodeId::ROOT).iter().for_each(|&node| seen[node as usize] = true);
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// By the closure of all arcs, with arcs that come one by one.
    #[test]
    fn what_is_found_is_all_that_a_word_leads_to() {
        let mut random = Random::new(11, 11);
        for round in 0..300 {
            let n = 1 + round % 9;
            let mut graph = Graph::new(n);
            let mut below = Below::of(&graph);
            let mut leads = vec![vec![false; n + 1]; n + 1];
            (0..=n).for_each(|node| leads[node][node] = true);
            for _ in 0..random.below(2 * n + 1) {
                let (head, dependent) = (random.below(n + 1), 1 + random.below(n));
                graph.insert(NodeId(head as u32), NodeId(dependent as u32), "x".into());
                below.add(NodeId(head as u32), NodeId(dependent as u32));
                for from in 0..=n {
                    for to in 0..=n {
                        leads[from][to] |= leads[from][head] && leads[dependent][to];
                    }
                }
            }
            for mut asked in [below, Below::of(&graph)] {
                for from in 0..=n {
                    let mut found: Vec<u32> = asked.from(NodeId(from as u32)).to_vec();
                    assert_eq!(found[0], from as u32);
                    found.sort_unstable();
                    let all: Vec<u32> = (0..=n).filter(|&to| leads[from][to]).map(|to| to as u32).collect();
                    assert_eq!(found, all);
                    assert!((0..=n).all(|to| asked.found(NodeId(to as u32)) == leads[from][to]));
                }
            }
            assert_eq!(reachable(&graph), leads[0]);
        }
    }
}
