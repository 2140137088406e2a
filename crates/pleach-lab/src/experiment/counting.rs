//! How a measure counts a sentence, so that the bootstrap can draw sentences.
//!
//! What is counted is put so that F of the sums is the measure: for a recall both sides have as many arcs as gold, for a
//! precision as many as the parser's graph. Basic trees are graphs in which every word has one arc, so that F is accuracy.

use pleach_eval::ArcCounts;
use pleach_eval::graph::Locality;
use pleach_eval::tree::crossing;
use pleach_graph::Graph;
use pleach_graph::properties::Root;

/// Counts a sentence: gold, then what a parser gave.
pub(super) type Count = Box<dyn Fn(&Graph, &Graph) -> ArcCounts>;

/// How a measure counts; `gold` is of all sentences. None for what sentences have no counts of.
pub(super) fn counter(measure: &str, gold: &[Graph]) -> Option<Count> {
    let labelled = matches!(measure, "LF" | "LAS" | "LP" | "LR");
    Some(match measure {
        "LF" | "LAS" | "UF" | "UAS" => Box::new(move |gold, system| counts(gold, system, labelled)),
        "LP" | "UP" => Box::new(move |gold, system| {
            let counts = counts(gold, system, labelled);
            ArcCounts { gold: counts.system, ..counts }
        }),
        "LR" | "UR" => Box::new(move |gold, system| recall(counts(gold, system, labelled))),
        "URL" | "LRL" | "URNL" | "LRNL" => by_locality(measure, gold),
        "CUR" => Box::new(crossing_counts),
        "exact" => Box::new(|gold, system| whole(gold.arcs() == system.arcs())),
        "UEM" => Box::new(|gold, system| whole(pairs(gold) == pairs(system))),
        _ => return None,
    })
}

/// Local or non-local arcs of gold, and those that were found; what is non-local all sentences decide together.
fn by_locality(measure: &str, gold: &[Graph]) -> Count {
    let mut all = Locality::default();
    gold.iter().for_each(|gold| all.add(gold, gold));
    let marks = all.by_marks();
    let (labelled, non_local) = (measure.starts_with('L'), measure.ends_with("NL"));
    Box::new(move |gold, system| {
        let mut locality = Locality::default();
        locality.add(gold, system);
        let found = locality.counted(non_local, marks);
        let correct = if labelled { found.labelled } else { found.unlabelled };
        recall(ArcCounts { gold: found.arcs, system: 0, correct })
    })
}

/// The crossing arcs of the gold tree, and those whose words have the right head.
fn crossing_counts(gold: &Graph, system: &Graph) -> ArcCounts {
    let heads: Vec<(u32, u32)> = gold.arcs().iter().map(|arc| (arc.head.0, arc.dependent.0)).collect();
    let found = pairs(system);
    let mut counts = ArcCounts::default();
    for ((head, dependent), crosses) in heads.iter().zip(crossing(&heads, Root::Included)) {
        if crosses {
            counts.gold += 1;
            counts.correct += u64::from(found.binary_search(&(*dependent, *head)).is_ok());
        }
    }
    recall(counts)
}

fn recall(counts: ArcCounts) -> ArcCounts {
    ArcCounts { system: counts.gold, ..counts }
}

fn whole(right: bool) -> ArcCounts {
    ArcCounts { gold: 1, system: 1, correct: u64::from(right) }
}

fn pairs(graph: &Graph) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = graph.arcs().iter().map(|arc| (arc.dependent.0, arc.head.0)).collect();
    pairs.dedup();
    pairs
}

fn counts(gold: &Graph, system: &Graph, labelled: bool) -> ArcCounts {
    if labelled {
        let right = system.arcs().iter().filter(|arc| gold.arcs().contains(arc)).count();
        return ArcCounts {
            gold: gold.arcs().len() as u64,
            system: system.arcs().len() as u64,
            correct: right as u64,
        };
    }
    let (gold, system) = (pairs(gold), pairs(system));
    let right = system.iter().filter(|pair| gold.binary_search(pair).is_ok()).count();
    ArcCounts { gold: gold.len() as u64, system: system.len() as u64, correct: right as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::finding::plain;
    use crate::experiment::{Finding, Verdict};
    use pleach_graph::{Arc, NodeId};

    #[test]
    fn crossing_arcs_are_compared_by_their_recall() {
        let graph = |heads: &[u32]| {
            let arcs = heads.iter().enumerate().map(|(i, &head)| Arc {
                head: NodeId(head),
                dependent: NodeId(i as u32 + 1),
                label: "x".into(),
            });
            Graph::from_arcs(heads.len(), arcs.collect())
        };
        // 1 -> 3 crosses 2 -> 4 and the root's arc to 2; 4 -> 5 crosses nothing.
        let gold = graph(&[2, 0, 1, 2, 4]);
        let system = graph(&[2, 0, 2, 2, 1]);
        let counts = crossing_counts(&gold, &system);
        assert_eq!((counts.gold, counts.system, counts.correct), (3, 3, 2));
        let finding = Finding { measure: "CUR".into(), ..plain("x") };
        let p = |better: &Graph, than: &Graph| {
            let (better, than) = (vec![better.clone(); 30], vec![than.clone(); 30]);
            finding.p_value(&vec![gold.clone(); 30], &[(&better, &than)])
        };
        assert_eq!((p(&gold, &system), p(&system, &system)), (Some(0.0), Some(1.0)));
        // Heads of words whose arcs cross nothing don't matter.
        assert_eq!(p(&gold, &graph(&[2, 0, 1, 2, 1])), Some(1.0));
        let reachable = Finding { measure: "NPS".into(), ..plain("x") };
        assert_eq!(reachable.shown("d", vec![10.0], None).verdict, Verdict::Yes);
    }

    #[test]
    fn the_bootstrap_sees_what_the_measure_sees() {
        let graph = |arcs: &[(u32, u32, &str)]| {
            let arcs = arcs.iter().map(|&(head, dependent, label)| Arc {
                head: NodeId(head),
                dependent: NodeId(dependent),
                label: label.into(),
            });
            Graph::from_arcs(3, arcs.collect())
        };
        let gold = vec![graph(&[(0, 1, "a"), (1, 2, "b"), (1, 2, "c")]); 30];
        let other = vec![graph(&[(0, 1, "a"), (1, 2, "x")]); 30];
        let p = |measure: &str| {
            let finding = Finding { measure: measure.into(), ..plain("x") };
            finding.p_value(&gold, &[(&gold, &other)])
        };
        assert_eq!((p("LF"), p("exact")), (Some(0.0), Some(0.0)));
        // Without labels both are the same.
        assert_eq!((p("UF"), p("UEM")), (Some(1.0), Some(1.0)));
        assert_eq!(p("tokens/s"), None);
    }

    /// The measure by its counts, summed over sentences.
    fn summed(measure: &str, gold: &[Graph], system: &[Graph]) -> f64 {
        let count = counter(measure, gold).unwrap();
        let mut sum = ArcCounts::default();
        gold.iter().zip(system).for_each(|(gold, system)| sum += count(gold, system));
        sum.f()
    }

    #[test]
    fn sums_are_the_measures() {
        let mut state = 7u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for marks in [false, true] {
            let mut graph = |mark: bool| {
                let labels = ["a", "b", if mark { "a*ldd" } else { "c" }];
                let arcs = (0..8).map(|_| Arc {
                    head: NodeId(below(5) as u32),
                    dependent: NodeId(below(4) as u32 + 1),
                    label: labels[below(3) as usize].into(),
                });
                let arcs: Vec<Arc> = arcs.filter(|arc| arc.head != arc.dependent).collect();
                Graph::from_arcs(4, arcs)
            };
            // Where arcs are marked anywhere, marks count everywhere.
            let gold: Vec<Graph> = (0..40).map(|i| graph(marks && i == 20)).collect();
            let system: Vec<Graph> = (0..40).map(|_| graph(false)).collect();
            let mut locality = Locality::default();
            let (mut labelled, mut unlabelled) = ([0.0; 3], [0.0; 3]);
            for (gold, system) in gold.iter().zip(&system) {
                locality.add(gold, system);
                let both = |a: usize, b: usize, right: usize| [right as f64, a as f64, b as f64];
                let right = system.arcs().iter().filter(|arc| gold.arcs().contains(arc)).count();
                let counted = both(gold.arcs().len(), system.arcs().len(), right);
                labelled.iter_mut().zip(counted).for_each(|(sum, count)| *sum += count);
                let (gold, system) = (pairs(gold), pairs(system));
                let right = system.iter().filter(|pair| gold.contains(pair)).count();
                let counted = both(gold.len(), system.len(), right);
                unlabelled.iter_mut().zip(counted).for_each(|(sum, count)| *sum += count);
            }
            assert_eq!(locality.by_marks(), marks);
            let mut expected: Vec<(&str, f64)> = locality.recalls().collect();
            assert_eq!(expected.len(), 4);
            for (names, [right, gold, system]) in
                [(["LR", "LP", "LF"], labelled), (["UR", "UP", "UF"], unlabelled)]
            {
                let values = [right / gold, right / system, 2.0 * right / (gold + system)];
                expected.extend(names.into_iter().zip(values));
            }
            for (measure, value) in expected {
                let found = summed(measure, &gold, &system);
                assert!((found - value).abs() < 1e-12, "{measure}, marks {marks}: {found}, {value}");
            }
        }
    }
}
