//! Precision and recall of arcs that cross others: what a graph has beyond what can be drawn on one page.
//!
//! Which arcs cross is each graph's own matter: recall asks which of gold's crossing arcs the system has, precision which of the
//! system's crossing arcs gold has, whether they cross there or not. Any graphs; O(m log n). Arcs from the root are left out.

use super::locality::Recalled;
use pleach_graph::properties::{Edge, Edges, Root};
use pleach_graph::{Arc, Graph};

/// The crossing arcs of gold and of a system, and how many of them the other one has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossing {
    /// Gold's, and what of them the system has.
    pub gold: Recalled,
    /// The system's, and what of them gold has.
    pub system: Recalled,
}

/// The harmonic mean of what is there.
fn f(precision: Option<f64>, recall: Option<f64>) -> Option<f64> {
    let (precision, recall) = (precision?, recall?);
    Some(if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 })
}

impl Crossing {
    /// Counts one sentence.
    pub fn add<L: Ord>(&mut self, gold: &Graph<L>, system: &Graph<L>) {
        count(&mut self.gold, gold, system);
        count(&mut self.system, system, gold);
    }

    /// Adds what another scorer has counted.
    pub fn merge(&mut self, other: &Crossing) {
        self.gold.merge(&other.gold);
        self.system.merge(&other.system);
    }

    /// Unlabelled precision, recall and F; none without arcs.
    pub fn unlabelled(&self) -> [Option<f64>; 3] {
        let (precision, recall) = (self.system.ur(), self.gold.ur());
        [precision, recall, f(precision, recall)]
    }

    /// Labelled precision, recall and F; none without arcs.
    pub fn labelled(&self) -> [Option<f64>; 3] {
        let (precision, recall) = (self.system.lr(), self.gold.lr());
        [precision, recall, f(precision, recall)]
    }

    /// Precision and recall by their names in reports, as shares; what there are no arcs for is left out.
    pub fn shares(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let ([up, ur, _], [lp, lr, _]) = (self.unlabelled(), self.labelled());
        let all = [("UPX", up), ("URX", ur), ("LPX", lp), ("LRX", lr)];
        all.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

/// Counts the arcs of `one` that cross there, and those of them that `other` has.
fn count<L: Ord>(recalled: &mut Recalled, one: &Graph<L>, other: &Graph<L>) {
    let edges = Edges::new(one, Root::Excluded);
    if edges.is_noncrossing() {
        return;
    }
    let crossings = edges.crossings();
    let ends = |arc: &Arc<L>| (arc.dependent, arc.head);
    for arc in one.arcs() {
        let (left, right) = arc.span();
        let place = edges.as_slice().binary_search(&Edge { left, right });
        // Self-loops are no edges, arcs from the root none of these.
        if place.is_ok_and(|place| crossings[place] > 0) && !arc.head.is_root() {
            let linked = other.arcs().binary_search_by_key(&ends(arc), ends).is_ok();
            let labelled = other.arcs().binary_search(arc).is_ok();
            recalled.merge(&Recalled { arcs: 1, unlabelled: linked.into(), labelled: labelled.into() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::NodeId;
    use proptest::prelude::*;

    type Triple = (u32, u32, char);

    fn graph(arcs: &[Triple]) -> Graph<char> {
        let arc = |&(head, dependent, label): &Triple| Arc {
            head: NodeId(head),
            dependent: NodeId(dependent),
            label,
        };
        Graph::from_arcs(8, arcs.iter().map(arc).collect())
    }

    /// The definition, pair by pair.
    fn by_pairs(one: &[Triple], other: &[Triple]) -> Recalled {
        let mut recalled = Recalled::default();
        let one: std::collections::BTreeSet<Triple> = one.iter().copied().filter(|arc| arc.0 != 0).collect();
        for a in &one {
            let inside = |node: u32, b: &Triple| b.0.min(b.1) < node && node < b.0.max(b.1);
            let outside = |node: u32, b: &Triple| node < b.0.min(b.1) || node > b.0.max(b.1);
            let cross =
                |b: &Triple| (inside(a.0, b) && outside(a.1, b)) || (inside(a.1, b) && outside(a.0, b));
            if one.iter().any(cross) {
                recalled.arcs += 1;
                recalled.unlabelled += u64::from(other.iter().any(|b| (b.0, b.1) == (a.0, a.1)));
                recalled.labelled += u64::from(other.contains(a));
            }
        }
        recalled
    }

    #[test]
    fn each_graph_has_its_own_crossing_arcs() {
        // 1-3 and 2-4 cross in gold; the system has 1-3 with another label, and crosses it with 2-5.
        let gold = graph(&[(0, 1, 'r'), (1, 3, 'a'), (2, 4, 'b'), (4, 5, 'c')]);
        let system = graph(&[(0, 2, 'r'), (1, 3, 'x'), (2, 5, 'b'), (4, 5, 'c')]);
        let mut crossing = Crossing::default();
        crossing.add(&gold, &system);
        assert_eq!(crossing.gold, Recalled { arcs: 2, unlabelled: 1, labelled: 0 });
        assert_eq!(crossing.system, Recalled { arcs: 2, unlabelled: 1, labelled: 0 });
        assert_eq!(crossing.unlabelled(), [Some(0.5); 3]);
        assert_eq!(crossing.labelled(), [Some(0.0); 3]);
        assert_eq!(Crossing::default().shares().count(), 0);
    }

    fn arcs() -> impl Strategy<Value = Vec<Triple>> {
        prop::collection::vec((0u32..9, 1u32..9, prop::sample::select(vec!['a', 'b'])), 0..14)
    }

    proptest! {
        #[test]
        fn crossing_arcs_agree_with_pairs(gold in arcs(), system in arcs()) {
            let mut crossing = Crossing::default();
            crossing.add(&graph(&gold), &graph(&system));
            let expected = Crossing { gold: by_pairs(&gold, &system), system: by_pairs(&system, &gold) };
            prop_assert_eq!(crossing, expected);
            let mut twice = crossing;
            twice.merge(&crossing);
            crossing.add(&graph(&gold), &graph(&system));
            prop_assert_eq!(crossing, twice);
        }
    }
}
