//! Two sorted arc lists walked in step.

use pleach_graph::Arc;
use std::cmp::Ordering;

/// An arc of the union of two graphs, and where it stands.
pub(crate) struct Found<'a, L> {
    pub arc: &'a Arc<L>,
    pub in_gold: bool,
    pub in_system: bool,
}

/// The union of two sorted lists of arcs, in order; linear.
pub(crate) fn merge<'a, L: Ord>(
    mut gold: &'a [Arc<L>],
    mut system: &'a [Arc<L>],
) -> impl Iterator<Item = Found<'a, L>> {
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
