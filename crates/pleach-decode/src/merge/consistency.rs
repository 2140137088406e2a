//! Three trees that must keep their word about each other (`sun-2019` section 4.3, Figure 12).
//!
//! A tree's statement about an edge carries a tag from 0 to 6, whose bits say which of the *other* trees make the same
//! statement: bit k is tree k, and tree k never sets its own bit. The consistency constraints are
//!
//! > Σ over tags t with bit m of gₖ(s, t)  ≤  Σ over all tags of gₘ(s, t)
//!
//! for every statement s and trees k ≠ m. They are linear as they stand, so they are kept as inequalities with
//! multipliers that are never negative. The paper rewrites them as equations with the last solution as coefficients, which
//! can run in circles and proves nothing.

use super::weights::TREES;
use crate::relax::{Choice, Constraint, Coupling, Item, Row, Sense};

/// The number of tags that there is room for; 7 would be all bits, which no tree uses.
pub const TAGS: u32 = 8;

/// What a tree says: a statement about an edge, and its tag.
#[inline]
pub fn item(statement: u32, tag: u32) -> Item {
    statement * TAGS + tag
}

/// The statement and the tag of an item.
#[inline]
pub fn statement(item: Item) -> (u32, u32) {
    (item / TAGS, item % TAGS)
}

/// The tags that a tree can give.
pub fn tags(tree: usize) -> impl Iterator<Item = u32> {
    (0..TAGS - 1).filter(move |tag| tag & 1 << tree == 0)
}

/// The tag of a statement in a tree, by which trees make it.
pub fn tag(tree: usize, makers: [bool; TREES]) -> u32 {
    let others = (0..TREES).filter(|&other| other != tree && makers[other]);
    others.map(|other| 1 << other).sum()
}

/// The constraints over some statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consistency {
    /// The number of statements.
    pub statements: u32,
}

impl Coupling for Consistency {
    fn items(&self, _subproblem: usize) -> usize {
        (self.statements * TAGS) as usize
    }

    fn violated(&mut self, choices: &[Choice], violated: &mut Vec<Constraint>) {
        let makes = |tree: usize, about: u32| tags(tree).any(|tag| choices[tree].contains(item(about, tag)));
        for (tree, choice) in choices.iter().enumerate() {
            for &chosen in choice.items() {
                let (about, tag) = statement(chosen);
                let promised = (0..TREES).filter(|other| tag & 1 << other != 0);
                let broken = promised.filter(|&other| !makes(other, about));
                violated.extend(broken.map(|other| name(about, tree, other)));
            }
        }
        violated.sort_unstable();
    }

    fn row(&self, constraint: Constraint, row: &mut Row) {
        let about = (constraint / (TREES * TREES) as u64) as u32;
        let (tree, other) = (constraint as usize / TREES % TREES, constraint as usize % TREES);
        for tag in tags(tree).filter(|tag| tag & 1 << other != 0) {
            row.add(tree, item(about, tag), 1.0);
        }
        for tag in tags(other) {
            row.add(other, item(about, tag), -1.0);
        }
        row.sense = Sense::AtMost;
    }
}

fn name(statement: u32, tree: usize, other: usize) -> Constraint {
    u64::from(statement) * (TREES * TREES) as u64 + (tree * TREES + other) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_those_of_the_paper() {
        let all: Vec<Vec<u32>> = (0..TREES).map(|tree| tags(tree).collect()).collect();
        assert_eq!(all, [[0, 2, 4, 6], [0, 1, 4, 5], [0, 1, 2, 3]]);
        // In g1 and g2: tagged 2 in the first tree and 1 in the second.
        assert_eq!((tag(0, [true, true, false]), tag(1, [true, true, false])), (2, 1));
        assert_eq!(tag(2, [true, true, true]), 3);
    }
}
