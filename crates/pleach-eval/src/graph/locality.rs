//! Recall of local and of non-local dependencies (`sun-2019` section 6.5.5, Table 13: URL, LRL, URNL, LRNL).
//!
//! Where gold marks long-distance dependencies in its labels (`subj*ldd`, grammatical relations of Chinese), those arcs are
//! the non-local ones; elsewhere, arcs into a word that has several heads in gold, the root not counted. Gold alone decides, so two systems
//! are measured on the same arcs. Any graphs; linear in the number of arcs. Arcs from the root are left out.

use super::merge::merge;
use crate::counts::ratio;
use pleach_graph::{Graph, Text};

/// The mark of long-distance dependencies in labels.
pub(super) const LONG_DISTANCE: &str = "*ldd";

/// Arcs of one graph, gold where nothing else is said, and how many of them another one has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recalled {
    /// Labelled arcs of the one.
    pub arcs: u64,
    /// Those that the other has between the same words.
    pub unlabelled: u64,
    /// Those that it has with the same label.
    pub labelled: u64,
}

impl Recalled {
    /// Unlabelled recall; none without arcs.
    pub fn ur(&self) -> Option<f64> {
        ratio(self.unlabelled, self.arcs)
    }

    /// Labelled recall; none without arcs.
    pub fn lr(&self) -> Option<f64> {
        ratio(self.labelled, self.arcs)
    }

    pub(super) fn merge(&mut self, other: &Recalled) {
        self.arcs += other.arcs;
        self.unlabelled += other.unlabelled;
        self.labelled += other.labelled;
    }
}

/// What of local and non-local arcs a system has. Which notion holds is known at the end, so both are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locality {
    /// Local and non-local by marks.
    pub(super) marked: [Recalled; 2],
    /// Local and non-local by re-entrancy.
    pub(super) reentrant: [Recalled; 2],
}

impl Locality {
    /// Counts one sentence.
    pub fn add(&mut self, gold: &Graph, system: &Graph) {
        let mut several = vec![false; gold.len() + 1];
        for (one, other) in gold.arcs().iter().zip(gold.arcs().iter().skip(1)) {
            if one.dependent == other.dependent && one.head != other.head && !one.head.is_root() {
                several[one.dependent.index()] = true;
            }
        }
        let ends = |arc: &pleach_graph::Arc<Text>| (arc.dependent, arc.head);
        for found in merge(gold.arcs(), system.arcs()).filter(|found| found.in_gold) {
            let arc = found.arc;
            if arc.head.is_root() {
                continue;
            }
            let linked = system.arcs().binary_search_by_key(&ends(arc), ends).is_ok();
            let one = Recalled { arcs: 1, unlabelled: linked.into(), labelled: found.in_system.into() };
            self.marked[usize::from(arc.label.contains(LONG_DISTANCE))].merge(&one);
            self.reentrant[usize::from(several[arc.dependent.index()])].merge(&one);
        }
    }

    /// Adds what another scorer has counted.
    pub fn merge(&mut self, other: &Locality) {
        let mine = self.marked.iter_mut().chain(&mut self.reentrant);
        mine.zip(other.marked.iter().chain(&other.reentrant)).for_each(|(mine, other)| mine.merge(other));
    }

    /// Whether gold marks long-distance dependencies.
    pub fn by_marks(&self) -> bool {
        self.marked[1].arcs > 0
    }

    /// Local or non-local arcs by one of the notions: that of a whole treebank, where only a part of it was counted.
    pub fn counted(&self, non_local: bool, by_marks: bool) -> Recalled {
        let both = if by_marks { &self.marked } else { &self.reentrant };
        both[usize::from(non_local)]
    }

    /// Local arcs.
    pub fn local(&self) -> Recalled {
        self.counted(false, self.by_marks())
    }

    /// Non-local arcs.
    pub fn non_local(&self) -> Recalled {
        self.counted(true, self.by_marks())
    }

    /// The four recalls by their names in the paper, as shares; what gold has no arcs for is left out.
    pub fn recalls(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let (local, non_local) = (self.local(), self.non_local());
        let all =
            [("URL", local.ur()), ("LRL", local.lr()), ("URNL", non_local.ur()), ("LRNL", non_local.lr())];
        all.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::{Arc, NodeId};

    fn graph(arcs: &[(u32, u32, &str)]) -> Graph {
        let arc = |&(head, dependent, label): &(u32, u32, &str)| Arc {
            head: NodeId(head),
            dependent: NodeId(dependent),
            label: Text::from(label),
        };
        Graph::from_arcs(4, arcs.iter().map(arc).collect())
    }

    #[test]
    fn reentrancy_counts_where_nothing_is_marked() {
        // 2 has two heads; 1 has one and the root.
        let gold = graph(&[(0, 1, "root"), (3, 1, "x"), (1, 2, "a"), (3, 2, "b"), (1, 4, "c")]);
        let system = graph(&[(0, 1, "root"), (1, 2, "a"), (3, 2, "wrong"), (1, 4, "wrong"), (4, 3, "more")]);
        let mut locality = Locality::default();
        locality.add(&gold, &system);
        assert!(!locality.by_marks());
        assert_eq!(locality.non_local(), Recalled { arcs: 2, unlabelled: 2, labelled: 1 });
        assert_eq!(locality.local(), Recalled { arcs: 2, unlabelled: 1, labelled: 0 });
        let recalls: Vec<_> = locality.recalls().collect();
        assert_eq!(recalls, [("URL", 0.5), ("LRL", 0.0), ("URNL", 1.0), ("LRNL", 0.5)]);
    }

    #[test]
    fn marks_count_where_there_are_some() {
        let gold = graph(&[(1, 2, "subj*ldd"), (3, 2, "obj"), (3, 4, "obj")]);
        let mut locality = Locality::default();
        locality.add(&gold, &graph(&[(1, 2, "subj"), (3, 2, "obj")]));
        assert_eq!(locality.non_local(), Recalled { arcs: 1, unlabelled: 1, labelled: 0 });
        assert_eq!(locality.local(), Recalled { arcs: 2, unlabelled: 1, labelled: 1 });
        // One marked sentence decides for all, in whatever order they are merged.
        let mut plain = Locality::default();
        plain.add(&graph(&[(1, 2, "a"), (3, 2, "b")]), &graph(&[]));
        plain.merge(&locality);
        assert_eq!((plain.by_marks(), plain.non_local().arcs, plain.local().arcs), (true, 1, 4));
        assert_eq!(Locality::default().recalls().count(), 0);
    }
}
