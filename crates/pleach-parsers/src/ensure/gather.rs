//! One top that reaches every word: which word it is, and what hangs on it.

use super::connect::source_of;
use super::reach::{Below, reachable};
use super::scores::ArcScores;
use super::{LONG, add, best_top};
use pleach_graph::{Graph, NodeId};

/// Makes one word the only top, and lets it reach all others. It is the word, of those that are tops or have no head at all,
/// that reaches most words already: a parser that misses the root arc mostly has the root's own arcs. What is left hangs on it,
/// where the gold heads of such words are more often than where a model puts them that missed them before.
pub(super) fn gather(graph: &mut Graph, acyclic: bool, scores: &mut dyn ArcScores) {
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
    let mut below = Below::of(graph);
    let reach: Vec<(usize, bool)> =
        candidates.iter().map(|&word| (below.from(word).len(), tops.contains(&word))).collect();
    let most = reach.iter().max();
    let reached = candidates.iter().zip(&reach).filter(|(_, reach)| Some(*reach) == most);
    let Some(top) = best_top(reached.map(|(&word, _)| word), scores) else { return };
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
            let source = source_of(graph, NodeId(first as u32), &seen, &mut Below::of(graph)).into_iter();
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
