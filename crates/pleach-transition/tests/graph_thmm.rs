//! S_T: what its oracle reaches, against all that the system can reach.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Arcs, Random, all_settings, check, mirrored, out_of_class};
use pleach_transition::Node;
use pleach_transition::settings::{Kind, Root, Settings};
use std::collections::BTreeSet;

fn pairs(len: Node) -> Vec<(Node, Node)> {
    (1..=len).flat_map(|left| (left + 1..=len).map(move |right| (left, right))).collect()
}

/// The sets of pairs (as bits) that can meet in one sequence of S_T, by trying all moves.
fn reachable(len: Node) -> Vec<bool> {
    let pairs = pairs(len);
    let bit = |a: Node, b: Node| pairs.iter().position(|&pair| pair == (a.min(b), a.max(b))).unwrap();
    let mut graphs = vec![false; 1 << pairs.len()];
    let mut seen: BTreeSet<(Vec<Node>, Node, u32)> = BTreeSet::new();
    let mut agenda = vec![(Vec::new(), 1 as Node, 0u32)];
    while let Some((stack, front, met)) = agenda.pop() {
        if front > len {
            graphs[met as usize] = true;
            continue;
        }
        let met = stack.last().map_or(met, |&top| met | 1 << bit(top, front));
        if !seen.insert((stack.clone(), front, met)) {
            continue;
        }
        let mut shifted = stack.clone();
        shifted.push(front);
        agenda.push((shifted, front + 1, met));
        if let [rest @ .., second, top] = stack.as_slice() {
            agenda.push(([rest, &[*top, *second]].concat(), front, met));
        }
        if let [rest @ .., _] = stack.as_slice() {
            agenda.push((rest.to_vec(), front, met));
        }
    }
    // Pairs that meet need not be linked.
    for graph in (0..graphs.len()).rev().filter(|&graph| graphs[graph]).collect::<Vec<_>>() {
        let mut part = graph;
        while part > 0 {
            part = (part - 1) & graph;
            graphs[part] = true;
        }
    }
    graphs
}

fn arcs(pairs: &[(Node, Node)], graph: usize) -> Arcs {
    let picked = pairs.iter().enumerate().filter(|(bit, _)| graph >> bit & 1 == 1);
    picked.map(|(_, &(left, right))| (right, left, 1)).collect()
}

/// Whether Algorithm 3 of `zhang-2016` loses an arc: it compares only the next arcs of top and second node.
fn algorithm_3_loses(len: Node, arcs: &Arcs) -> bool {
    let mut left: BTreeSet<(Node, Node)> = arcs.iter().map(|&(right, left, _)| (left, right)).collect();
    let mut stack: Vec<Node> = Vec::new();
    let mut front = 1;
    while front <= len {
        let next = |left: &BTreeSet<(Node, Node)>, node: Node| {
            left.iter().find(|&&(from, to)| from == node && to >= front).map(|&(_, to)| to)
        };
        if let Some(&top) = stack.last() {
            left.remove(&(top, front));
        }
        match stack.as_mut_slice() {
            [.., top] if next(&left, *top).is_none() => {
                stack.pop();
            }
            [.., second, top] if next(&left, *second) < next(&left, *top) => std::mem::swap(second, top),
            _ => {
                stack.push(front);
                front += 1;
            }
        }
    }
    !left.is_empty()
}

#[test]
fn the_oracle_reaches_every_graph_that_the_system_can_build() {
    // The number of graphs out of reach of Algorithm 3, of the system, and the arcs that are lost by the
    // oracle and by the best sequence there is.
    let expected = [(3, 0, 0, 0, 0), (4, 0, 0, 0, 0), (5, 64, 32, 32, 32), (6, 10_496, 8_256, 9_472, 9_152)];
    for expected in expected {
        let len = expected.0;
        let reachable = reachable(len);
        let pairs = pairs(len);
        let settings = Settings { root: Root::None, ..Settings::new(Kind::Thmm, true) };
        // The most arcs of each graph that one sequence can make.
        let mut most = vec![0; reachable.len()];
        let mut found = (len, 0, 0, 0, 0);
        for graph in 0..reachable.len() {
            let size = graph.count_ones();
            let smaller =
                (0..pairs.len()).filter(|bit| graph >> bit & 1 == 1).map(|bit| most[graph & !(1 << bit)]);
            most[graph] = if reachable[graph] { size } else { smaller.max().unwrap() };
            let arcs = arcs(&pairs, graph);
            let lost = check(&settings, usize::from(len), &arcs).lost.len();
            assert_eq!(lost == 0, reachable[graph], "{arcs:?}");
            found.1 += usize::from(algorithm_3_loses(len, &arcs));
            found.2 += usize::from(!reachable[graph]);
            found.3 += lost;
            found.4 += (size - most[graph]) as usize;
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn what_is_lost_is_the_difference() {
    let mut random = Random(7);
    for round in 0..600 {
        let len = 1 + random.below(40);
        let arcs = random.graph(len, [2, 5, 10, 40, 80][round % 5], 5);
        let mirrored = mirrored(len, &arcs);
        for settings in all_settings(&[Kind::Thmm]) {
            for arcs in [&arcs, &mirrored] {
                // `check` compares what is built and what is lost with the graph.
                let found = check(&settings, len, arcs);
                assert!(found.lost.len() >= out_of_class(&settings, arcs));
            }
        }
    }
}
