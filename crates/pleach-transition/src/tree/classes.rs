//! What a scorer tells apart at a site: transitions with their labels.
//!
//! Only labels that were seen in training exist. Arcs from the root have classes of their own, so that a word under the
//! root never gets another label than root words have, and the other way round.

use super::settings::{Base, Side};
use super::system::{Legal, Op, Site, System};
use std::collections::BTreeSet;

/// A transition, its variant and its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// The transition's place in the multiset.
    pub transition: u8,
    /// See [`Op::variant`].
    pub variant: u8,
    /// The label of an arc, 0 without one.
    pub label: u16,
}

/// All classes of a parser, in a fixed order; a class's place is its number in scores and models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    all: Vec<Class>,
    /// Where the classes of each variant of each transition are.
    ranges: Vec<(u16, u16)>,
}

/// More classes than a model can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} different transitions with labels are too many: a model can tell 65535 apart")]
pub struct TooManyClasses(usize);

impl Classes {
    /// The classes of a system for labels 1, 2, … of arcs that go left, right, and from the root.
    pub fn new(
        system: &System,
        left: &BTreeSet<u16>,
        right: &BTreeSet<u16>,
        root: &BTreeSet<u16>,
    ) -> Result<Self, TooManyClasses> {
        let mut all = Vec::new();
        let mut ranges = Vec::new();
        let root_goes = match system.settings().root {
            Side::Left => Base::RightArc,
            Side::Right => Base::LeftArc,
        };
        for (number, transition) in system.transitions().iter().enumerate() {
            for variant in 0..2 {
                let start = all.len();
                let mut add = |label| all.push(Class { transition: number as u8, variant, label });
                let labels = match (transition.base, variant) {
                    (Base::LeftArc | Base::RightArc, 1) if transition.base != root_goes => None,
                    (Base::LeftArc | Base::RightArc, 1) => Some(root),
                    (Base::LeftArc, _) => Some(left),
                    (Base::RightArc, _) => Some(right),
                    (Base::Reduce, _) | (Base::Shift, 0) => {
                        add(0);
                        None
                    }
                    (Base::Shift, _) => None,
                };
                // Without a label to give, an arc has none: a parser must never be left without a way out.
                match labels {
                    Some(labels) if labels.is_empty() => add(0),
                    Some(labels) => labels.iter().copied().for_each(add),
                    None => {}
                }
                ranges.push((start, all.len()));
            }
        }
        if all.len() > usize::from(u16::MAX) {
            return Err(TooManyClasses(all.len()));
        }
        let ranges = ranges.into_iter().map(|(start, end)| (start as u16, end as u16)).collect();
        Ok(Classes { all, ranges })
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// A class by its number.
    #[inline]
    pub fn get(&self, class: u16) -> Class {
        self.all[class as usize]
    }

    /// The transition of a class at a site.
    #[inline]
    pub fn op(&self, class: u16, site: Site) -> Op {
        let Class { transition, variant, label } = self.get(class);
        Op { left: site.left, right: site.right, transition, variant, label }
    }

    /// The number of a transition's class, if there is one.
    pub fn class(&self, op: Op) -> Option<u16> {
        let class = Class { transition: op.transition, variant: op.variant, label: op.label };
        self.all.binary_search(&class).ok().map(|place| place as u16)
    }

    /// Calls `visit` with the number of every legal class, in ascending order.
    #[inline]
    pub fn for_each_legal(&self, legal: Legal, mut visit: impl FnMut(u16)) {
        let mut bits = legal.0;
        while bits != 0 {
            let (start, end) = self.ranges[bits.trailing_zeros() as usize];
            (start..end).for_each(&mut visit);
            bits &= bits - 1;
        }
    }

    /// The best legal class and its score; the lowest number among equals.
    #[inline]
    pub fn best(&self, legal: Legal, scores: &[f32]) -> Option<(f32, u16)> {
        let mut best: Option<(f32, u16)> = None;
        self.for_each_legal(legal, |class| {
            let score = scores[class as usize];
            if best.is_none_or(|(top, _)| score > top) {
                best = Some((score, class));
            }
        });
        best
    }
}
