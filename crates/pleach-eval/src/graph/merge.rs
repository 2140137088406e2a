//! Two sorted arc lists walked in step.

use pleach_graph::{Arc, NodeId};
use std::cmp::Ordering;

/// An arc of the union of two graphs, and where it stands.
pub(crate) struct Found<'a, L> {
    pub arc: &'a Arc<L>,
    pub in_gold: bool,
    pub in_system: bool,
}

/// The union of two sorted lists of arcs, in order; linear.
pub(crate) fn merge<'a, L: Ord>(
    gold: &'a [Arc<L>],
    system: &'a [Arc<L>],
) -> impl Iterator<Item = Found<'a, L>> {
    let (mut gold, mut system) = (gold, system);
    std::iter::from_fn(move || {
        let order = match (gold.first(), system.first()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.cmp(b),
        };
        let (in_gold, in_system) = (order.is_le(), order.is_ge());
        let arc = if in_gold { &gold[0] } else { &system[0] };
        gold = &gold[usize::from(in_gold)..];
        system = &system[usize::from(in_system)..];
        Some(Found { arc, in_gold, in_system })
    })
}

/// An ordered pair of the union of two graphs, and where it stands.
pub(crate) struct FoundPair {
    pub head: NodeId,
    pub dependent: NodeId,
    pub in_gold: bool,
    pub in_system: bool,
}

/// The ordered pairs of the union of two sorted lists of arcs, each once; linear.
pub(crate) struct Pairs<'a, L> {
    gold: &'a [Arc<L>],
    system: &'a [Arc<L>],
}

impl<'a, L> Pairs<'a, L> {
    pub fn new(gold: &'a [Arc<L>], system: &'a [Arc<L>]) -> Self {
        Pairs { gold, system }
    }
}

impl<L> Iterator for Pairs<'_, L> {
    type Item = FoundPair;

    fn next(&mut self) -> Option<FoundPair> {
        let first = |arcs: &[Arc<L>]| arcs.first().map(|arc| (arc.dependent, arc.head));
        let pair = first(self.gold).into_iter().chain(first(self.system)).min()?;
        let skip = |arcs: &mut &[Arc<L>]| {
            let run = arcs.iter().take_while(|arc| (arc.dependent, arc.head) == pair).count();
            *arcs = &arcs[run..];
            run > 0
        };
        let (in_gold, in_system) = (skip(&mut self.gold), skip(&mut self.system));
        Some(FoundPair { dependent: pair.0, head: pair.1, in_gold, in_system })
    }
}
