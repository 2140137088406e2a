//! Arcs that make every word reachable from the root: the best set of the fewest, or one after the other.

use super::reach::{Below, reachable};
use super::scores::ArcScores;
use super::{LONG, add};
use pleach_decode::tree::{Arcs, Root, SpanningTree};
use pleach_graph::{Graph, NodeId};

/// Adds the arcs of the best spanning tree that are not there yet. With the fewest arcs every source gets one, and no other word does; so
/// what a model thinks of arcs to other words is never asked, which are most of the words that can't be reached.
pub(super) fn connect(graph: &mut Graph, scores: &mut dyn ArcScores) {
    let seen = reachable(graph);
    if seen.iter().all(|&seen| seen) {
        return;
    }
    let n = graph.len() + 1;
    let mut below = Below::of(graph);
    let sources: Vec<usize> =
        (1..n).filter(|&word| !seen[word] && is_in_source(graph, NodeId(word as u32), &mut below)).collect();
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
fn is_in_source(graph: &Graph, word: NodeId, below: &mut Below) -> bool {
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
    below.from(word);
    above.iter().all(|&other| below.found(other))
}

/// Adds the best arc from a reachable word to an unreachable one until there are none. In long sentences the word is the root or at most
/// [`LONG`] words away.
pub(super) fn connect_greedily(graph: &mut Graph, acyclic: bool, scores: &mut dyn ArcScores) {
    let n = graph.len() + 1;
    let mut below = Below::of(graph);
    let mut seen = reachable(graph);
    // Only words that no other unreachable word leads to (but for cycles) need an arc of their own.
    while let Some(first) = (1..n).find(|&word| !seen[word]) {
        let source = source_of(graph, NodeId(first as u32), &seen, &mut below);
        let mut best: Option<(f32, NodeId, NodeId)> = None;
        for dependent in source {
            if acyclic {
                below.from(dependent);
            }
            let at = dependent.index();
            let near = at.saturating_sub(LONG).max(1)..n.min(at + LONG + 1);
            for head in std::iter::once(0).chain(near).filter(|&head| seen[head]) {
                let head = NodeId(head as u32);
                if acyclic && below.found(head) {
                    continue;
                }
                let score = scores.score(head, dependent);
                if best.is_none_or(|(top, ..)| score > top) {
                    best = Some((score, head, dependent));
                }
            }
        }
        // The root is reached and has nothing above it.
        let Some((_, head, dependent)) = best else { return };
        add(graph, head, dependent, scores);
        below.add(head, dependent);
        below.from(dependent).iter().for_each(|&node| seen[node as usize] = true);
    }
}

/// A set of unreachable words with no arcs into it from outside: walking against the arcs from `start` ends in it.
pub(super) fn source_of(graph: &Graph, start: NodeId, seen: &[bool], below: &mut Below) -> Vec<NodeId> {
    let mut current = start;
    loop {
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
        below.from(current);
        match backward.iter().find(|&&node| !below.found(node)) {
            Some(&above) => current = above,
            None => return backward,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use pleach_graph::{Arc, Text};

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
            let leads = |from: NodeId, to: NodeId| Below::of(&graph).from(from).contains(&to.0);
            for &word in &asked.0 {
                assert!(!seen[word.index()]);
                let mut above = graph.tokens().filter(|&other| leads(other, word));
                assert!(!headed(&word) || above.all(|other| leads(word, other)));
            }
        }
    }

    /// Every arc that is added is the best one of those that it could be, of long sentences the near ones and the root's; all words are reached,
    /// and without cycles if none were there.
    #[test]
    fn arcs_come_best_first_and_near_in_long_sentences() {
        let mut random = Random::new(9, 9);
        for round in 0..60 {
            let n = if round % 4 == 0 { 2 * LONG + random.below(100) } else { 2 + round % 9 };
            let arcs = (0..random.below(n + n / 2)).map(|_| {
                let (a, b) = (random.below(n + 1), 1 + random.below(n));
                // Heads before their dependents: no cycles.
                let (head, dependent) = (a.min(b), a.max(b));
                Arc { head: NodeId(head as u32), dependent: NodeId(dependent as u32), label: Text::from("x") }
            });
            let arcs: Vec<Arc> = arcs.filter(|arc| arc.head != arc.dependent).collect();
            let graph = Graph::from_arcs(n, arcs);
            for acyclic in [false, true] {
                let (mut mended, mut by_definition) = (graph.clone(), graph.clone());
                connect_greedily(&mut mended, acyclic, &mut Asked::default());
                loop {
                    let seen = reachable(&by_definition);
                    let mut below = Below::of(&by_definition);
                    let Some(first) = (1..=n).find(|&word| !seen[word]) else { break };
                    // The words that lead to the first one and that it leads to, of those above it that nothing else leads to.
                    let source = source_of(&by_definition, NodeId(first as u32), &seen, &mut below);
                    let mut best = (f32::NEG_INFINITY, NodeId::ROOT, NodeId::ROOT);
                    for &dependent in &source {
                        for head in (0..=n).filter(|&head| seen[head]) {
                            let near = head == 0 || head.abs_diff(dependent.index()) <= LONG;
                            let head = NodeId(head as u32);
                            let cycle = below.from(dependent).contains(&head.0);
                            let score = Asked::default().score(head, dependent);
                            if near && !(acyclic && cycle) && score > best.0 {
                                best = (score, head, dependent);
                            }
                        }
                    }
                    by_definition.insert(best.1, best.2, "new".into());
                }
                assert_eq!(mended, by_definition);
                assert!(!acyclic || super::super::cycles::components(&mended).is_empty());
            }
        }
    }
}
