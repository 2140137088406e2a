//! Voting (`zhang-2016` section 5.4.2): an arc that enough parsers have, with the label that most of them give.
//!
//! Any graphs over the same words; O(arcs · log arcs). The labels of one ordered pair are one choice: the
//! most common label set wins, and among equals the one of the earliest parser. [`Weights`] are votes by what members
//! think of arcs, learnt from sentences whose graphs are known.

mod fit;
mod weighted;

pub use fit::{Fitted, fit};
pub use weighted::{Ballots, Voice, Weights};

use pleach_graph::{Arc, Graph, NodeId, Text};

/// An ordered pair and what one parser says of it: its labels, as a range of that parser's arcs.
struct Ballot<'a> {
    pair: (NodeId, NodeId),
    parser: usize,
    arcs: &'a [Arc],
}

/// The graph of the arcs that more than `threshold` (a share, 0.5 for half) of the graphs have.
pub fn vote(graphs: &[Graph], threshold: f64) -> Graph {
    let len = graphs.first().map_or(0, Graph::len);
    let mut ballots: Vec<Ballot<'_>> = Vec::new();
    for (parser, graph) in graphs.iter().enumerate() {
        let same = |a: &Arc, b: &Arc| (a.dependent, a.head) == (b.dependent, b.head);
        ballots.extend(graph.arcs().chunk_by(same).map(|arcs| Ballot {
            pair: (arcs[0].dependent, arcs[0].head),
            parser,
            arcs,
        }));
    }
    ballots.sort_by_key(|ballot| (ballot.pair, ballot.parser));
    let mut chosen: Vec<Arc> = Vec::new();
    for votes in ballots.chunk_by(|a, b| a.pair == b.pair) {
        if votes.len() as f64 <= threshold * graphs.len() as f64 {
            continue;
        }
        let labels =
            |ballot: &Ballot<'_>| ballot.arcs.iter().map(|arc| arc.label.clone()).collect::<Vec<Text>>();
        let mut best: Option<(usize, &Ballot<'_>)> = None;
        for ballot in votes {
            let mine = labels(ballot);
            let count = votes.iter().filter(|other| labels(other) == mine).count();
            if best.is_none_or(|(most, _)| count > most) {
                best = Some((count, ballot));
            }
        }
        chosen.extend(best.into_iter().flat_map(|(_, ballot)| ballot.arcs.iter().cloned()));
    }
    Graph::from_arcs(len, chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(arcs: &[(u32, u32, &str)]) -> Graph {
        let arcs =
            arcs.iter().map(|&(h, d, l)| Arc { head: NodeId(h), dependent: NodeId(d), label: Text::from(l) });
        Graph::from_arcs(4, arcs.collect())
    }

    #[test]
    fn the_majority_decides_arcs_and_labels() {
        let graphs = [
            graph(&[(0, 1, "root"), (1, 2, "a"), (2, 3, "x"), (4, 3, "lone")]),
            graph(&[(0, 1, "root"), (1, 2, "b"), (2, 3, "y")]),
            graph(&[(0, 2, "root"), (1, 2, "b"), (2, 3, "y"), (2, 3, "z")]),
        ];
        let expected = graph(&[(0, 1, "root"), (1, 2, "b"), (2, 3, "x")]);
        assert_eq!(vote(&graphs, 0.5), expected);
        assert_eq!(vote(&graphs, 0.99), graph(&[(1, 2, "b"), (2, 3, "x")]));
        assert_eq!(vote(&graphs, 0.0).arcs().len(), 5);
    }

    #[test]
    fn half_is_not_more_than_half() {
        let graphs = [graph(&[(1, 2, "a")]), graph(&[(1, 2, "a"), (2, 1, "b")])];
        assert_eq!(vote(&graphs, 0.5), graph(&[(1, 2, "a")]));
        assert_eq!(vote(&[], 0.5), Graph::new(0));
    }
}
