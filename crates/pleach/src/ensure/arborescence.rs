//! Minimum-cost arborescence rooted at node 0 (Chu & Liu 1965, Edmonds 1967), by contraction of cycles.
//!
//! Complete digraphs over n nodes given as a cost matrix; O(n³). Invariant: every node but the root has chosen
//! its cheapest head; a cycle of choices becomes one node, and entering it costs the difference.

/// The head of every node in a cheapest arborescence from node 0; the root's own entry is 0. `costs[h * n + d]`
/// is the cost of an arc, infinity for none.
pub fn minimum(n: usize, costs: &[f64]) -> Vec<usize> {
    let mut heads = vec![0; n];
    // The cheapest head of each node; the lowest number among equals.
    for dependent in 1..n {
        let candidates = (0..n).filter(|&head| head != dependent);
        heads[dependent] = candidates
            .min_by(|&a, &b| costs[a * n + dependent].total_cmp(&costs[b * n + dependent]))
            .unwrap_or(0);
    }
    let Some(cycle) = find_cycle(&heads) else { return heads };
    let in_cycle: Vec<bool> = (0..n).map(|node| cycle.contains(&node)).collect();
    // The nodes outside keep their order; the cycle is the last node of the smaller graph.
    let outside: Vec<usize> = (0..n).filter(|&node| !in_cycle[node]).collect();
    let (small, new) = (outside.len() + 1, outside.len());
    let mut contracted = vec![f64::INFINITY; small * small];
    // Which node of the cycle an outside node enters, and which one leaves to it.
    let mut enter = vec![cycle[0]; small];
    let mut leave = vec![cycle[0]; small];
    for (i, &node) in outside.iter().enumerate() {
        for (j, &other) in outside.iter().enumerate() {
            contracted[i * small + j] = costs[node * n + other];
        }
        for &inside in &cycle {
            let out = costs[inside * n + node];
            if out < contracted[new * small + i] {
                contracted[new * small + i] = out;
                leave[i] = inside;
            }
            let into = costs[node * n + inside] - costs[heads[inside] * n + inside];
            if into < contracted[i * small + new] {
                contracted[i * small + new] = into;
                enter[i] = inside;
            }
        }
    }
    let solved = minimum(small, &contracted);
    for (i, &node) in outside.iter().enumerate().skip(1) {
        heads[node] = if solved[i] == new { leave[i] } else { outside[solved[i]] };
    }
    heads[enter[solved[new]]] = outside[solved[new]];
    heads
}

fn find_cycle(heads: &[usize]) -> Option<Vec<usize>> {
    let mut mark = vec![0; heads.len()];
    for start in 1..heads.len() {
        let mut node = start;
        while node != 0 && mark[node] == 0 {
            mark[node] = start;
            node = heads[node];
        }
        if node != 0 && mark[node] == start {
            let mut cycle = vec![node];
            let mut next = heads[node];
            while next != node {
                cycle.push(next);
                next = heads[next];
            }
            return Some(cycle);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Random;

    /// The cheapest of all assignments of heads without cycles.
    fn brute_force(n: usize, costs: &[f64]) -> f64 {
        let mut best = f64::INFINITY;
        for code in 0..n.pow(n as u32 - 1) {
            let mut rest = code;
            let mut heads = vec![0; n];
            for head in heads.iter_mut().skip(1) {
                *head = rest % n;
                rest /= n;
            }
            if (1..n).all(|d| heads[d] != d) && find_cycle(&heads).is_none() {
                best = best.min((1..n).map(|d| costs[heads[d] * n + d]).sum());
            }
        }
        best
    }

    #[test]
    fn equals_brute_force() {
        let mut random = Random::new(3, 3);
        for round in 0..600 {
            let n = 2 + round % 5;
            // Few distinct costs make many cycles and ties.
            let costs: Vec<f64> = (0..n * n).map(|_| random.below(6) as f64).collect();
            let heads = minimum(n, &costs);
            assert!(find_cycle(&heads).is_none());
            let cost: f64 = (1..n).map(|d| costs[heads[d] * n + d]).sum();
            assert_eq!(cost, brute_force(n, &costs), "{costs:?}");
        }
    }
}
