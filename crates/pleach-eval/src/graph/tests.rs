use super::*;
use pleach_graph::{Arc, NodeId, Text};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn graph(len: usize, arcs: &[(u32, u32, char)]) -> Graph<char> {
    let arcs = arcs.iter().map(|&(h, d, label)| Arc { head: NodeId(h), dependent: NodeId(d), label });
    Graph::from_arcs(len, arcs.collect())
}

fn counts(gold: u64, system: u64, correct: u64) -> ArcCounts {
    ArcCounts { gold, system, correct }
}

#[test]
fn counted_by_hand() {
    let mut scores = GraphScores::new();
    // Pairs of gold: 0>2, 2>1, 2>3. Of the system: 0>2, 0>3, 2>1, 3>2.
    let gold = graph(3, &[(0, 2, 'r'), (2, 1, 'a'), (2, 1, 'b'), (2, 3, 'c')]);
    let system = graph(3, &[(0, 2, 'r'), (0, 3, 'r'), (2, 1, 'b'), (2, 1, 'x'), (3, 2, 'c')]);
    scores.add(&gold, &system);
    assert_eq!(scores.with_tops.labelled, counts(4, 5, 2));
    assert_eq!(scores.with_tops.unlabelled, counts(3, 4, 2));
    assert_eq!(scores.without_tops.labelled, counts(3, 3, 1));
    assert_eq!(scores.without_tops.unlabelled, counts(2, 2, 1));
    assert_eq!((scores.exact(), scores.unlabelled_exact()), (0.0, 0.0));
    // The same arcs without labels, another top: right only without tops.
    scores.add(&graph(2, &[(0, 1, 'r'), (1, 2, 'a')]), &graph(2, &[(0, 2, 'r'), (1, 2, 'a')]));
    // The same pairs under other labels.
    scores.add(&graph(2, &[(1, 2, 'a')]), &graph(2, &[(1, 2, 'b')]));
    // Nothing in nothing is an exact match, as in the official scorer.
    scores.add(&graph(2, &[]), &graph(2, &[]));
    assert_eq!(scores.sentences, 4);
    assert_eq!((scores.with_tops.labelled_exact, scores.with_tops.unlabelled_exact), (1, 2));
    assert_eq!((scores.without_tops.labelled_exact, scores.without_tops.unlabelled_exact), (2, 3));
    assert_eq!((scores.lp(), scores.lr(), scores.lf()), (3.0 / 8.0, 3.0 / 7.0, 6.0 / 15.0));
}

#[test]
fn nothing_gives_zero() {
    let scores = GraphScores::new();
    assert_eq!(
        (scores.lf(), scores.up(), scores.ur(), scores.uf(), scores.exact()),
        (0.0, 0.0, 0.0, 0.0, 0.0)
    );
}

type Triple = (u32, u32, char);

/// The same numbers from sets, as the definition says them.
fn tally_by_sets(pairs: &[(Vec<Triple>, Vec<Triple>)], tops: bool) -> Tally {
    let mut tally = Tally::default();
    for (gold, system) in pairs {
        let set = |arcs: &[Triple]| -> BTreeSet<Triple> {
            arcs.iter().copied().filter(|arc| tops || arc.0 != 0).collect()
        };
        let bare = |arcs: &BTreeSet<Triple>| -> BTreeSet<(u32, u32)> {
            arcs.iter().map(|&(h, d, _)| (h, d)).collect()
        };
        let (g, s) = (set(gold), set(system));
        tally.labelled += counts(g.len() as u64, s.len() as u64, g.intersection(&s).count() as u64);
        tally.labelled_exact += u64::from(g == s);
        let (g, s) = (bare(&g), bare(&s));
        tally.unlabelled += counts(g.len() as u64, s.len() as u64, g.intersection(&s).count() as u64);
        tally.unlabelled_exact += u64::from(g == s);
    }
    tally
}

prop_compose! {
    fn arcs()(arcs in prop::collection::vec((0u32..4, 1u32..4, prop::sample::select(vec!['a', 'b'])), 0..8))
        -> Vec<Triple> { arcs }
}

proptest! {
    #[test]
    fn agrees_with_sets_and_merges(pairs in prop::collection::vec((arcs(), arcs()), 0..6), cut in 0usize..6) {
        let mut parts = [GraphScores::new(), GraphScores::new()];
        for (i, (gold, system)) in pairs.iter().enumerate() {
            parts[usize::from(i >= cut)].add(&graph(3, gold), &graph(3, system));
        }
        let mut scores = parts[0];
        scores.merge(&parts[1]);
        prop_assert_eq!(scores.sentences, pairs.len() as u64);
        prop_assert_eq!(scores.with_tops, tally_by_sets(&pairs, true));
        prop_assert_eq!(scores.without_tops, tally_by_sets(&pairs, false));
    }
}

/// The groups of arcs, from sets.
fn groups_by_sets(gold: &[Triple], system: &[Triple]) -> Breakdown {
    let mut expected = Breakdown::new();
    // Crossing arcs are compared with their definition beside their code.
    expected.crossing.add(&texts(13, gold), &texts(13, system));
    let set = |arcs: &[Triple]| -> BTreeSet<Triple> { arcs.iter().copied().collect() };
    let (gold, system) = (set(gold), set(system));
    let heads = |arcs: &BTreeSet<Triple>, dependent: u32| {
        let heads = arcs.iter().filter(|arc| arc.1 == dependent && arc.0 != 0).map(|arc| arc.0);
        heads.collect::<BTreeSet<u32>>().len()
    };
    let mut pairs = BTreeSet::new();
    let mut count = |h: u32, d: u32, label: Option<char>, in_gold: bool, in_system: bool| {
        let group = match h.abs_diff(d) {
            length @ 0..=4 => length as usize,
            5..=9 => 5,
            _ => 6,
        };
        let several = heads(&gold, d) > 1 || heads(&system, d) > 1;
        let place = if several { &mut expected.non_local } else { &mut expected.local };
        let groups = [&mut expected.by_length_with_tops[group], &mut expected.by_length[group], place];
        for (i, group) in groups.into_iter().enumerate() {
            if i == 0 || h != 0 {
                let counts = if label.is_some() { &mut group.labelled } else { &mut group.unlabelled };
                counts.count(in_gold, in_system);
            }
        }
        if let Some(label) = label {
            let key = Text::from(label.to_string());
            expected.by_label.entry(key).or_default().count(in_gold, in_system);
        }
    };
    for &arc in gold.union(&system) {
        count(arc.0, arc.1, Some(arc.2), gold.contains(&arc), system.contains(&arc));
        if pairs.insert((arc.0, arc.1)) {
            let has = |arcs: &BTreeSet<Triple>| arcs.iter().any(|a| (a.0, a.1) == (arc.0, arc.1));
            count(arc.0, arc.1, None, has(&gold), has(&system));
        }
    }
    for arc in gold.iter().filter(|arc| arc.0 != 0) {
        let linked = system.iter().any(|other| (other.0, other.1) == (arc.0, arc.1));
        let several = heads(&gold, arc.1) > 1;
        for recalled in
            [&mut expected.locality.marked[0], &mut expected.locality.reentrant[usize::from(several)]]
        {
            recalled.arcs += 1;
            recalled.unlabelled += u64::from(linked);
            recalled.labelled += u64::from(system.contains(arc));
        }
    }
    expected
}

fn texts(len: usize, arcs: &[Triple]) -> Graph {
    graph(len, arcs).map_labels(|label| Text::from(label.to_string()))
}

fn long_arcs() -> impl Strategy<Value = Vec<Triple>> {
    prop::collection::vec((0u32..14, 1u32..14, prop::sample::select(vec!['a', 'b'])), 0..20)
}

proptest! {
    #[test]
    fn groups_agree_with_sets(gold in long_arcs(), system in long_arcs()) {
        let mut breakdown = Breakdown::new();
        breakdown.add(&texts(13, &gold), &texts(13, &system));
        let expected = groups_by_sets(&gold, &system);
        prop_assert_eq!(&breakdown, &expected);
        let mut twice = breakdown.clone();
        twice.merge(&breakdown);
        breakdown.add(&texts(13, &gold), &texts(13, &system));
        prop_assert_eq!(breakdown, twice);
    }
}

#[test]
fn marked_labels_are_long_distance() {
    let mut breakdown = Breakdown::new();
    let arc = |label: &str| {
        let mut graph: Graph = Graph::new(3);
        graph.insert(NodeId(1), NodeId(3), Text::from(label));
        graph
    };
    breakdown.add(&arc("subj*ldd"), &arc("subj"));
    breakdown.add(&arc("obj*ldd"), &arc("obj*ldd"));
    assert_eq!(breakdown.long_distance, counts(2, 1, 1));
}
