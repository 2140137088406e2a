//! The cheapest set of arcs whose removal leaves no cycle (minimum feedback arc set).
//!
//! Any graph, component by component. NP-hard in general: exact by dynamic programming over subsets for
//! components of up to [`EXACT`] words, O(2^k · k²); above that an order improved by moving single words until
//! none helps. Self-loops always go.

use pleach_graph::{Arc, Graph, NodeId};

/// Components of up to this many words are solved exactly.
pub const EXACT: usize = 14;

/// The words of every strongly connected component that has a cycle.
pub fn components(graph: &Graph) -> Vec<Vec<NodeId>> {
    let n = graph.len() + 1;
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut looped = vec![false; n];
    for arc in graph.arcs() {
        out[arc.head.index()].push(arc.dependent.index());
        looped[arc.head.index()] |= arc.head == arc.dependent;
    }
    let found = strong_components(&out);
    let cyclic = found.into_iter().filter(|part| part.len() > 1 || looped[part[0]]);
    cyclic.map(|part| part.into_iter().map(|node| NodeId(node as u32)).collect()).collect()
}

/// Tarjan's algorithm with an explicit stack; components hold ascending nodes.
fn strong_components(out: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let n = out.len();
    let (mut order, mut low, mut on_stack) = (vec![UNSEEN; n], vec![0; n], vec![false; n]);
    let (mut stack, mut found, mut clock) = (Vec::new(), Vec::new(), 0);
    for start in 0..n {
        if order[start] != UNSEEN {
            continue;
        }
        let mut calls = vec![(start, 0)];
        while let Some((node, next)) = calls.pop() {
            if next == 0 {
                (order[node], low[node]) = (clock, clock);
                clock += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&child) = out[node].get(next) {
                calls.push((node, next + 1));
                if order[child] == UNSEEN {
                    calls.push((child, 0));
                } else if on_stack[child] {
                    low[node] = low[node].min(order[child]);
                }
                continue;
            }
            if low[node] == order[node] {
                let mut part = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    part.push(member);
                    if member == node {
                        break;
                    }
                }
                part.sort_unstable();
                found.push(part);
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    found
}

/// The arcs to remove. `score` says what the model gives for an arc: what it likes is dear.
pub fn cheapest_break(graph: &Graph, mut score: impl FnMut(NodeId, NodeId) -> f32) -> Vec<Arc> {
    let mut removed = Vec::new();
    for words in components(graph) {
        let k = words.len();
        let place = |node: NodeId| words.binary_search(&node).ok();
        // Every arc costs at least a little, so that none is removed for nothing.
        let mut weights = vec![0.0f64; k * k];
        for arc in graph.arcs() {
            if let (Some(head), Some(dependent)) = (place(arc.head), place(arc.dependent)) {
                weights[head * k + dependent] = f64::from(score(arc.head, arc.dependent)).max(0.0) + 1.0;
            }
        }
        let order = if k <= EXACT { best_order(k, &weights) } else { good_order(k, &weights) };
        let mut rank = vec![0; k];
        order.iter().enumerate().for_each(|(i, &word)| rank[word] = i);
        removed.extend(
            graph
                .arcs()
                .iter()
                .filter(|arc| match (place(arc.head), place(arc.dependent)) {
                    (Some(head), Some(dependent)) => rank[head] >= rank[dependent],
                    _ => false,
                })
                .cloned(),
        );
    }
    removed
}

/// The order of the words in which the arcs that point backwards weigh least.
fn best_order(k: usize, weights: &[f64]) -> Vec<usize> {
    // cost[set]: the least weight of backward arcs when the words of `set` come first.
    let mut cost = vec![f64::INFINITY; 1 << k];
    let mut last = vec![0u8; 1 << k];
    cost[0] = 0.0;
    for set in 0usize..1 << k {
        for word in (0..k).filter(|word| set >> word & 1 == 0) {
            let back: f64 =
                (0..k).filter(|other| set >> other & 1 == 1).map(|other| weights[word * k + other]).sum();
            let with = set | 1 << word;
            if cost[set] + back < cost[with] {
                cost[with] = cost[set] + back;
                last[with] = word as u8;
            }
        }
    }
    let mut set = (1 << k) - 1;
    let mut order = Vec::with_capacity(k);
    while set != 0 {
        let word = usize::from(last[set]);
        order.push(word);
        set &= !(1 << word);
    }
    order.reverse();
    order
}

/// An order that no move of a single word makes better.
fn good_order(k: usize, weights: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..k).collect();
    // Each round that changes anything lowers the cost; the bound is for rounding errors.
    for _ in 0..k {
        let mut changed = false;
        for word in 0..k {
            let Some(at) = order.iter().position(|&other| other == word) else { continue };
            order.remove(at);
            // The cost of standing before everything is that of all arcs into the word.
            let mut cost: f64 = order.iter().map(|&other| weights[other * k + word]).sum();
            let (mut best, mut here) = ((cost, 0), cost);
            for (i, &other) in order.iter().enumerate() {
                cost += weights[word * k + other] - weights[other * k + word];
                if cost < best.0 - 1e-9 {
                    best = (cost, i + 1);
                }
                if i + 1 == at {
                    here = cost;
                }
            }
            let target = if best.0 < here - 1e-9 { best.1 } else { at };
            changed |= target != at;
            order.insert(target, word);
        }
        if !changed {
            break;
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use pleach_graph::Text;

    fn weight_of(order: &[usize], k: usize, weights: &[f64]) -> f64 {
        let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
        pairs.map(|(i, j)| weights[order[j] * k + order[i]]).sum()
    }

    fn orders(k: usize) -> Vec<Vec<usize>> {
        if k == 0 {
            return vec![vec![]];
        }
        let mut all = Vec::new();
        for shorter in orders(k - 1) {
            for at in 0..k {
                let mut order = shorter.clone();
                order.insert(at, k - 1);
                all.push(order);
            }
        }
        all
    }

    #[test]
    fn the_exact_order_is_the_best_of_all() {
        let mut random = Random::new(1, 1);
        for round in 0..200 {
            let k = 2 + round % 5;
            let weights: Vec<f64> = (0..k * k).map(|_| random.below(5) as f64).collect();
            let best =
                orders(k).iter().map(|order| weight_of(order, k, &weights)).fold(f64::INFINITY, f64::min);
            assert_eq!(weight_of(&best_order(k, &weights), k, &weights), best);
            assert!(weight_of(&good_order(k, &weights), k, &weights) >= best);
        }
    }

    #[test]
    fn no_cycle_is_left() {
        let mut random = Random::new(2, 2);
        for round in 0..200 {
            let n = 3 + round % 20;
            let arcs = (0..2 * n).map(|_| Arc {
                head: NodeId(random.below(n + 1) as u32),
                dependent: NodeId(1 + random.below(n) as u32),
                label: Text::from("x"),
            });
            let mut graph = Graph::from_arcs(n, arcs.collect());
            for arc in cheapest_break(&graph, |head, dependent| (head.0 * 7 + dependent.0) as f32 % 5.0) {
                assert!(graph.remove(&arc));
            }
            assert!(components(&graph).is_empty());
        }
    }
}
