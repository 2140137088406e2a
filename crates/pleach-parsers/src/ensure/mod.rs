//! Guarantees for parsed graphs: at least one top, every word reachable from the root, no cycles.
//!
//! A repair changes as little as possible, and among equally small changes takes the one that the model likes
//! best. What the model thinks of an arc that it did not choose is its score for making that edge, minus its
//! score for the best action without an edge, in a configuration in which the two words face each other and
//! all other arcs are as parsed.
//!
//! - rooted: one arc from the root, to the word that gets the best score for it;
//! - acyclic: per strongly connected component, the arcs of the cheapest set that leaves no cycle (exact up to
//!   14 words, by local search above that);
//! - connected: the fewest new arcs, of the highest total score, that make every word reachable: a spanning
//!   tree in which arcs that are there cost nothing. Together with acyclic, or in sentences of more
//!   than [`LONG`] words, arcs are added one at a time, best first.

mod cycles;
mod scores;

pub use scores::{ArcScores, Listed, Nearness};

use pleach_decode::tree::{Arcs, Root, SpanningTree};
use pleach_graph::{Arc, Graph, NodeId, Text};
use std::str::FromStr;

/// Above this length, arcs that connect are chosen one at a time.
pub const LONG: usize = 120;

/// What every parsed graph must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarantees {
    /// At least one top.
    pub rooted: bool,
    /// Every word can be reached from the root.
    pub connected: bool,
    /// No cycles, two-cycles and self-loops included.
    pub acyclic: bool,
}

impl Guarantees {
    /// Whether anything is asked for.
    pub fn any(self) -> bool {
        self.rooted || self.connected || self.acyclic
    }
}

/// An unknown guarantee.
#[derive(Debug, thiserror::Error)]
#[error("no guarantee '{0}'; there are rooted, connected and acyclic")]
pub struct UnknownGuarantee(String);

impl FromStr for Guarantees {
    type Err = UnknownGuarantee;

    /// Reads a list such as `rooted,acyclic`.
    fn from_str(list: &str) -> Result<Self, UnknownGuarantee> {
        let mut guarantees = Guarantees::default();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "rooted" => guarantees.rooted = true,
                "connected" => guarantees.connected = true,
                "acyclic" => guarantees.acyclic = true,
                other => return Err(UnknownGuarantee(other.to_owned())),
            }
        }
        Ok(guarantees)
    }
}

/// Whether a graph lacks something that it must have.
pub fn lacks(graph: &Graph, guarantees: Guarantees) -> bool {
    (guarantees.rooted && graph.tops().next().is_none())
        || (guarantees.connected && !reachable(graph).iter().all(|&r| r))
        || (guarantees.acyclic && !cycles::components(graph).is_empty())
}

/// Mends the graph of a parsed sentence (transforms not undone).
pub fn repair(graph: &mut Graph, guarantees: Guarantees, scores: &mut dyn ArcScores) {
    if guarantees.acyclic {
        for arc in cycles::cheapest_break(graph, |head, dependent| scores.score(head, dependent)) {
            graph.remove(&arc);
        }
    }
    if guarantees.rooted && graph.tops().next().is_none() {
        let best = graph.tokens().max_by(|&a, &b| {
            // The earlier word wins among equals.
            scores.score(NodeId::ROOT, a).total_cmp(&scores.score(NodeId::ROOT, b)).then(b.cmp(&a))
        });
        if let Some(word) = best {
            add(graph, NodeId::ROOT, word, scores);
        }
    }
    if guarantees.connected {
        if guarantees.acyclic || graph.len() > LONG {
            connect_greedily(graph, guarantees.acyclic, scores);
        } else {
            connect(graph, scores);
        }
    }
}

/// Adds an arc; one that training never saw there is `root` or `dep`.
fn add(graph: &mut Graph, head: NodeId, dependent: NodeId, scores: &mut dyn ArcScores) {
    let labels = scores.labels(head, dependent);
    if labels.is_empty() {
        graph.insert(head, dependent, Text::from(if head.is_root() { "root" } else { "dep" }));
    }
    for label in labels {
        graph.insert(head, dependent, label);
    }
}

/// Which nodes can be reached from the root; the root itself is place 0.
fn reachable(graph: &Graph) -> Vec<bool> {
    reachable_from(graph, NodeId::ROOT)
}

fn reachable_from(graph: &Graph, start: NodeId) -> Vec<bool> {
    let mut out: Vec<Vec<u32>> = vec![Vec::new(); graph.len() + 1];
    for arc in graph.arcs() {
        out[arc.head.index()].push(arc.dependent.0);
    }
    let mut seen = vec![false; graph.len() + 1];
    let mut open = vec![start.0];
    seen[start.index()] = true;
    while let Some(node) = open.pop() {
        for &next in &out[node as usize] {
            if !std::mem::replace(&mut seen[next as usize], true) {
                open.push(next);
            }
        }
    }
    seen
}

/// Adds the arcs of the best spanning tree that are not there yet.
fn connect(graph: &mut Graph, scores: &mut dyn ArcScores) {
    let seen = reachable(graph);
    if seen.iter().all(|&seen| seen) {
        return;
    }
    let n = graph.len() + 1;
    let unseen: Vec<usize> = (1..n).filter(|&word| !seen[word]).collect();
    let mut worth = Arcs::new(n, f64::NEG_INFINITY);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &dependent in &unseen {
        for head in (0..n).filter(|&h| h != dependent) {
            let score = f64::from(scores.score(NodeId(head as u32), NodeId(dependent as u32)));
            worth.set(head, dependent, score);
            (low, high) = (low.min(score), high.max(score));
        }
    }
    // One new arc costs more than any difference of scores between whole sets: fewer arcs come first.
    let each = high + (high - low + 1.0) * n as f64;
    for &dependent in &unseen {
        (0..n).for_each(|head| worth.add(head, dependent, -each));
    }
    for arc in graph.arcs() {
        worth.set(arc.head.index(), arc.dependent.index(), 0.0);
    }
    let mut heads = vec![0; n];
    SpanningTree::default().decode(&worth, Root::Many, &mut heads);
    for (dependent, head) in heads.into_iter().enumerate().skip(1) {
        let (head, dependent) = (NodeId(head), NodeId(dependent as u32));
        if !seen[dependent.index()] && !graph.has_edge(head, dependent) {
            add(graph, head, dependent, scores);
        }
    }
}

/// Adds the best arc from a reachable word to an unreachable one until there are none.
fn connect_greedily(graph: &mut Graph, acyclic: bool, scores: &mut dyn ArcScores) {
    loop {
        let seen = reachable(graph);
        // Only words that no other unreachable word leads to (but for cycles) need an arc of their own.
        let Some(first) = (1..seen.len()).find(|&d| !seen[d]) else { return };
        let source = source_of(graph, NodeId(first as u32), &seen);
        let mut best: Option<(f32, Arc<()>)> = None;
        for dependent in source {
            let below = reachable_from(graph, dependent);
            for head in (0..seen.len()).filter(|&h| seen[h] && !(acyclic && below[h])) {
                let head = NodeId(head as u32);
                let score = scores.score(head, dependent);
                if best.as_ref().is_none_or(|(top, _)| score > *top) {
                    best = Some((score, Arc { head, dependent, label: () }));
                }
            }
        }
        let Some((_, arc)) = best else { return };
        add(graph, arc.head, arc.dependent, scores);
    }
}

/// A set of unreachable words with no arcs into it from outside: walking against the arcs from `start` ends in it.
fn source_of(graph: &Graph, start: NodeId, seen: &[bool]) -> Vec<NodeId> {
    let mut current = start;
    loop {
        let forward = reachable_from(graph, current);
        // The words that lead to `current`.
        let mut backward = vec![current];
        let mut marked = vec![false; seen.len()];
        marked[current.index()] = true;
        let mut at = 0;
        while at < backward.len() {
            for arc in graph.incoming(backward[at]) {
                if !seen[arc.head.index()] && !std::mem::replace(&mut marked[arc.head.index()], true) {
                    backward.push(arc.head);
                }
            }
            at += 1;
        }
        match backward.iter().find(|node| !forward[node.index()]) {
            Some(&above) => current = above,
            None => return backward,
        }
    }
}
