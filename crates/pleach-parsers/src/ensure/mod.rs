//! Guarantees for parsed graphs: at least one top, exactly one, every word reachable from the root, no cycles, no empty
//! nodes or labels such as the treebank doesn't have.
//!
//! Which of them hold when nobody asks is learnt ([`kept`]): those that nearly all training graphs keep.
//!
//! A repair changes as little as possible, and among equally small changes takes the one that the model likes
//! best. What the model thinks of an arc that it did not choose is its score for making that edge, minus its
//! score for the best action without an edge, in a configuration in which the two words face each other and
//! all other arcs are as parsed.
//!
//! - rooted: one arc from the root, to the word that gets the best score for it;
//! - one-root: of several tops the best one stays; together with connected, the one that reaches most words is the top, and what
//!   it doesn't reach hangs on it;
//! - acyclic: per strongly connected component, the arcs of the cheapest set that leaves no cycle (exact up to
//!   14 words, by local search above that);
//! - connected: the fewest new arcs, of the highest total score, that make every word reachable: a spanning
//!   tree in which arcs that are there cost nothing. Together with acyclic, or in sentences of more
//!   than [`LONG`] words, arcs are added one at a time, best first;
//! - nodes: an empty node with fewer dependents than those of the treebank gives its place to them;
//! - labels: labels name words of their sentence only, and arcs from the root have the root's label.

mod cycles;
mod labels;
mod learnt;
mod scores;

pub use labels::mend_labels;
pub use learnt::{ENOUGH, SHARE, kept};
pub use scores::{ArcScores, Listed, Nearness};

use pleach_decode::tree::{Arcs, Root, SpanningTree};
use pleach_graph::{Arc, Graph, NodeId, Text};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// Above this length, arcs that connect are chosen one at a time.
pub const LONG: usize = 120;

/// What every parsed graph must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarantees {
    /// At least one top.
    pub rooted: bool,
    /// At most one top.
    pub one_root: bool,
    /// Every word can be reached from the root.
    pub connected: bool,
    /// No cycles, two-cycles and self-loops included.
    pub acyclic: bool,
    /// Empty nodes have as many dependents as those of the treebank.
    pub nodes: bool,
    /// Labels name words of the sentence only, and arcs from the root have the root's label.
    pub labels: bool,
}

impl Guarantees {
    /// The names, in the order in which they are said.
    pub const NAMES: [&str; 6] = ["rooted", "one-root", "connected", "acyclic", "nodes", "labels"];

    fn fields(&mut self) -> [&mut bool; 6] {
        let Guarantees { rooted, one_root, connected, acyclic, nodes, labels } = self;
        [rooted, one_root, connected, acyclic, nodes, labels]
    }

    /// Whether anything is asked for that takes or adds arcs.
    pub fn any(self) -> bool {
        self.rooted || self.one_root || self.connected || self.acyclic
    }

    /// What both ask for.
    pub fn and(mut self, mut other: Guarantees) -> Guarantees {
        self.fields().into_iter().zip(other.fields()).for_each(|(mine, other)| *mine &= *other);
        self
    }
}

impl Display for Guarantees {
    /// The names of what is asked for, as they are read; `none` when nothing is.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut copy = *self;
        let wanted = Self::NAMES.into_iter().zip(copy.fields());
        let names: Vec<&str> = wanted.filter(|(_, wanted)| **wanted).map(|(name, _)| name).collect();
        f.write_str(if names.is_empty() { NONE } else { "" })?;
        f.write_str(&names.join(","))
    }
}

/// Asks for nothing.
const NONE: &str = "none";

/// An unknown guarantee.
#[derive(Debug, thiserror::Error)]
#[error("no guarantee '{name}'; there are {}, or {NONE}", Guarantees::NAMES.join(", "))]
pub struct UnknownGuarantee {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Guarantees {
    type Err = UnknownGuarantee;

    /// Reads a list such as `rooted,acyclic`, or `none`.
    fn from_str(list: &str) -> Result<Self, UnknownGuarantee> {
        let mut guarantees = Guarantees::default();
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != NONE);
        for name in names {
            let known = Self::NAMES.into_iter().position(|known| known == name);
            let known = known.ok_or_else(|| UnknownGuarantee { name: name.to_owned() })?;
            *guarantees.fields()[known] = true;
        }
        Ok(guarantees)
    }
}

/// Whether a graph lacks arcs that it must have, or has some that it may not have.
pub fn lacks(graph: &Graph, guarantees: Guarantees) -> bool {
    (guarantees.rooted && graph.tops().next().is_none())
        || (guarantees.one_root && graph.tops().nth(1).is_some())
        || (guarantees.connected && !reachable(graph).iter().all(|&r| r))
        || (guarantees.acyclic && !cycles::components(graph).is_empty())
}

/// The word that the model would most like to see below the root; the earlier one among equals.
fn best_top(mut words: impl Iterator<Item = NodeId>, scores: &mut dyn ArcScores) -> Option<NodeId> {
    let first = words.next()?;
    // Scores are dear, and the only word needs none.
    let Some(second) = words.next() else { return Some(first) };
    let scored = [first, second].into_iter().chain(words);
    let scored = scored.map(|word| (scores.score(NodeId::ROOT, word), word));
    scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, word)| word)
}

/// Mends the graph of a parsed sentence (transforms not undone).
pub fn repair(graph: &mut Graph, guarantees: Guarantees, scores: &mut dyn ArcScores) {
    if guarantees.acyclic {
        for arc in cycles::cheapest_break(graph, |head, dependent| scores.score(head, dependent)) {
            graph.remove(&arc);
        }
    }
    if guarantees.one_root && guarantees.connected {
        if lacks(graph, guarantees) {
            gather(graph, guarantees.acyclic, scores);
        }
        return;
    }
    if guarantees.rooted
        && graph.tops().next().is_none()
        && let Some(word) = best_top(graph.tokens(), scores)
    {
        add(graph, NodeId::ROOT, word, scores);
    }
    if guarantees.one_root
        && graph.tops().nth(1).is_some()
        && let Some(best) = best_top(graph.tops(), scores)
    {
        graph.retain(|arc| !arc.head.is_root() || arc.dependent == best);
    }
    if guarantees.connected {
        if guarantees.acyclic || graph.len() > LONG {
            connect_greedily(graph, guarantees.acyclic, scores);
        } else {
            connect(graph, scores);
        }
    }
}

/// Makes one word the only top, and lets it reach all others. It is the word, of those that are tops or have no head at all,
/// that reaches most words already: a parser that misses the root arc mostly has the root's own arcs. What is left hangs on it,
/// where the gold heads of such words are more often than where a model puts them that missed them before.
fn gather(graph: &mut Graph, acyclic: bool, scores: &mut dyn ArcScores) {
    let headed = headed(graph);
    let tops: Vec<NodeId> = graph.tops().collect();
    let free = |word: &NodeId| !headed[word.index()] || tops.contains(word);
    let mut candidates: Vec<NodeId> = match graph.len() > LONG && !tops.is_empty() {
        // In very long sentences it is not worth the time.
        true => tops.clone(),
        false => graph.tokens().filter(free).take(LONG).collect(),
    };
    if candidates.is_empty() {
        candidates = graph.tokens().take(LONG).collect();
    }
    let reach =
        |graph: &Graph, word: NodeId| reachable_from(graph, word).iter().filter(|&&seen| seen).count();
    let most = candidates.iter().map(|&word| (reach(graph, word), tops.contains(&word))).max();
    candidates.retain(|&word| Some((reach(graph, word), tops.contains(&word))) == most);
    let Some(top) = best_top(candidates.into_iter(), scores) else { return };
    graph.retain(|arc| !arc.head.is_root() || arc.dependent == top);
    if graph.tops().next().is_none() {
        add(graph, NodeId::ROOT, top, scores);
    }
    if acyclic {
        // A word above the only top could be reached by a cycle only.
        graph.retain(|arc| arc.head.is_root() || arc.dependent != top);
    }
    loop {
        let (seen, headed) = (reachable(graph), self::headed(graph));
        let Some(first) = (1..seen.len()).find(|&word| !seen[word]) else { return };
        let mut words: Vec<NodeId> = (1..seen.len())
            .filter(|&word| !seen[word] && !headed[word])
            .map(|word| NodeId(word as u32))
            .collect();
        if words.is_empty() {
            // Only cycles are left, of which any word would do.
            let source = source_of(graph, NodeId(first as u32), &seen).into_iter();
            words.extend(
                source.max_by(|&a, &b| scores.score(top, a).total_cmp(&scores.score(top, b)).then(b.cmp(&a))),
            );
        }
        words.into_iter().for_each(|word| add(graph, top, word, scores));
    }
}

/// Which words have a head other than the root and themselves.
fn headed(graph: &Graph) -> Vec<bool> {
    let mut headed = vec![false; graph.len() + 1];
    for arc in graph.arcs().iter().filter(|arc| !arc.head.is_root() && arc.head != arc.dependent) {
        headed[arc.dependent.index()] = true;
    }
    headed
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

/// Adds the arcs of the best spanning tree that are not there yet. With the fewest arcs every source gets one, and no other word does; so
/// what a model thinks of arcs to other words is never asked, which are most of the words that can't be reached.
fn connect(graph: &mut Graph, scores: &mut dyn ArcScores) {
    let seen = reachable(graph);
    if seen.iter().all(|&seen| seen) {
        return;
    }
    let n = graph.len() + 1;
    let sources: Vec<usize> =
        (1..n).filter(|&word| !seen[word] && is_in_source(graph, NodeId(word as u32))).collect();
    let mut worth = Arcs::new(n, f64::NEG_INFINITY);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &dependent in &sources {
        for head in (0..n).filter(|&h| h != dependent) {
            let score = f64::from(scores.score(NodeId(head as u32), NodeId(dependent as u32)));
            worth.set(head, dependent, score);
            (low, high) = (low.min(score), high.max(score));
        }
    }
    // One new arc costs more than any difference of scores between whole sets: fewer arcs come first.
    let each = high + (high - low + 1.0) * n as f64;
    for &dependent in &sources {
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

/// Whether an unreachable word is in a source: all words that lead to it are those that it leads to, mostly none.
fn is_in_source(graph: &Graph, word: NodeId) -> bool {
    let heads =
        |word: NodeId| graph.incoming(word).iter().map(|arc| arc.head).filter(move |&head| head != word);
    let mut above = vec![word];
    let mut marked = vec![false; graph.len() + 1];
    marked[word.index()] = true;
    let mut at = 0;
    while let Some(&current) = above.get(at) {
        let mut headless = true;
        for head in heads(current) {
            headless = false;
            if !std::mem::replace(&mut marked[head.index()], true) {
                above.push(head);
            }
        }
        // Nothing leads to a word without a head.
        if headless && current != word {
            return false;
        }
        at += 1;
    }
    let below = reachable_from(graph, word);
    above.iter().all(|other| below[other.index()])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Any graph, with all guarantees that the arcs are about, alone and together.
    #[test]
    fn every_graph_can_be_mended() {
        let mut random = Random::new(5, 5);
        for round in 0..2000 {
            let n = 1 + round % 12;
            let arcs = (0..random.below(2 * n + 1)).map(|_| Arc {
                head: NodeId(random.below(n + 1) as u32),
                dependent: NodeId(1 + random.below(n) as u32),
                label: Text::from("x"),
            });
            let graph = Graph::from_arcs(n, arcs.collect());
            for wanted in ["one-root", "connected", "one-root,connected", "rooted,one-root,connected,acyclic"]
            {
                let guarantees: Guarantees = wanted.parse().unwrap();
                let mut mended = graph.clone();
                repair(&mut mended, guarantees, &mut Nearness);
                assert!(!lacks(&mended, guarantees), "{wanted}: {graph:?} became {mended:?}");
                if !lacks(&graph, guarantees) {
                    assert_eq!(mended, graph, "{wanted}");
                }
            }
        }
    }

    /// Whole numbers made of the arc, and which words were asked about.
    #[derive(Default)]
    struct Asked(std::collections::BTreeSet<NodeId>);

    impl ArcScores for Asked {
        fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
            self.0.insert(dependent);
            Random::new(3, u64::from(head.0 * 100 + dependent.0)).below(50) as f32
        }

        fn labels(&mut self, _: NodeId, _: NodeId) -> Vec<Text> {
            vec!["new".into()]
        }
    }

    /// All words are reached by the fewest new arcs, of these by those that score best, and nothing is asked about words that need none.
    #[test]
    fn words_are_connected_by_the_best_of_the_fewest_arcs() {
        let mut random = Random::new(7, 7);
        for round in 0..400 {
            let n = if round % 40 == 0 { 4 } else { 3 };
            let arcs = (0..random.below(n + 1)).map(|_| Arc {
                head: NodeId(random.below(n + 1) as u32),
                dependent: NodeId(1 + random.below(n) as u32),
                label: Text::from("x"),
            });
            let graph = Graph::from_arcs(n, arcs.collect());
            let all =
                (0..=n as u32).flat_map(|head| (1..=n as u32).map(move |word| (NodeId(head), NodeId(word))));
            let missing: Vec<(NodeId, NodeId)> =
                all.filter(|&(head, word)| head != word && !graph.has_edge(head, word)).collect();
            let worth = |arcs: &[(NodeId, NodeId)]| {
                let sum: f32 = arcs.iter().map(|&(head, word)| Asked::default().score(head, word)).sum();
                (std::cmp::Reverse(arcs.len()), sum as i64)
            };
            let subset = |code: u32| -> Vec<(NodeId, NodeId)> {
                let chosen = missing.iter().enumerate().filter(|(place, _)| code >> place & 1 == 1);
                chosen.map(|(_, &arc)| arc).collect()
            };
            let connects = |arcs: &[(NodeId, NodeId)]| {
                let mut graph = graph.clone();
                arcs.iter().for_each(|&(head, word)| {
                    graph.insert(head, word, "new".into());
                });
                reachable(&graph).iter().all(|&seen| seen)
            };
            let few = (0..1u32 << missing.len()).filter(|code| code.count_ones() <= n as u32).map(subset);
            let best = few.filter(|arcs| connects(arcs)).map(|arcs| worth(&arcs)).max();
            let (mut mended, mut asked) = (graph.clone(), Asked::default());
            connect(&mut mended, &mut asked);
            let new: Vec<(NodeId, NodeId)> =
                missing.iter().copied().filter(|&(head, word)| mended.has_edge(head, word)).collect();
            assert!(connects(&new) && Some(worth(&new)) == best, "{graph:?} became {mended:?}");
            let headed = |word: &NodeId| graph.incoming(*word).iter().any(|arc| arc.head != *word);
            let seen = reachable(&graph);
            for word in &asked.0 {
                let below = reachable_from(&graph, *word);
                let leads = |other: &NodeId| reachable_from(&graph, *other)[word.index()];
                assert!(!seen[word.index()]);
                assert!(!headed(word) || graph.tokens().filter(leads).all(|other| below[other.index()]));
            }
        }
    }

    /// A root without a root arc that has the sentence below it is the top, not a word at the rim that has one.
    #[test]
    fn the_word_that_reaches_most_is_the_top() {
        let mut graph = Graph::new(5);
        for (head, dependent) in [(0, 5), (2, 1), (2, 3), (3, 4)] {
            graph.insert(NodeId(head), NodeId(dependent), "x".into());
        }
        repair(&mut graph, "one-root,connected".parse().unwrap(), &mut Nearness);
        assert!(graph.tops().eq([NodeId(2)]));
        assert!(graph.has_edge(NodeId(2), NodeId(5)));
    }

    /// "written by Anna and sent to Bob": of two tops one stays, and the other hangs on it.
    #[test]
    fn one_of_two_tops_stays() {
        let mut graph = Graph::new(3);
        for (head, dependent) in [(0, 1), (0, 3), (3, 2)] {
            graph.insert(NodeId(head), NodeId(dependent), "root".into());
        }
        let mut scores = Listed::default();
        scores.add(NodeId(0), NodeId(1), 1.0, || vec!["root".into()]);
        scores.add(NodeId(0), NodeId(3), 2.0, || vec!["root".into()]);
        scores.add(NodeId(3), NodeId(1), 0.5, || vec!["conj".into()]);
        repair(&mut graph, "one-root,connected".parse().unwrap(), &mut scores);
        assert!(graph.tops().eq([NodeId(3)]));
        assert!(graph.labels(NodeId(3), NodeId(1)).eq(["conj"]));
    }

    #[test]
    fn names_are_read_as_they_are_said() {
        for list in ["none", "rooted", "one-root,nodes", "rooted,one-root,connected,acyclic,nodes,labels"] {
            assert_eq!(list.parse::<Guarantees>().unwrap().to_string(), list);
        }
        let error = "happy".parse::<Guarantees>().unwrap_err().to_string();
        assert_eq!(
            error,
            "no guarantee 'happy'; there are rooted, one-root, connected, acyclic, nodes, labels, or none"
        );
    }
}
