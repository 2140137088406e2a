//! The scores of the sites of one hypothesis.
//!
//! Rows of scores lie in an arena that the hypotheses of a beam share, and a [`Board`] holds their numbers by left token
//! and distance: copying a hypothesis copies numbers. Invariant: a row on the board is what the scorer would say now.

use super::MOST_SITES;
use crate::tree::settings::Base;
use crate::tree::state::{Row, State};
use crate::tree::system::{Op, Site, System, ends};
use crate::{NONE, Node};

/// An arena with more scores than this is cleared of rows that no hypothesis needs.
const MANY_SCORES: usize = 1 << 22;

/// The rows of scores of a sentence.
#[derive(Debug, Default)]
pub(super) struct Arena {
    scores: Vec<f32>,
    spare: Vec<f32>,
    width: usize,
    /// When to clear next.
    limit: usize,
}

impl Arena {
    pub fn begin(&mut self, width: usize) {
        self.scores.clear();
        self.width = width;
        self.limit = MANY_SCORES;
    }

    #[inline]
    pub fn row(&self, number: u32) -> &[f32] {
        let start = (number as usize - 1) * self.width;
        &self.scores[start..start + self.width]
    }

    /// Takes in a row of scores and gives its number.
    #[inline]
    pub fn add(&mut self, scores: &[f32]) -> u32 {
        let start = self.scores.len();
        self.scores.extend_from_slice(scores);
        (start / self.width) as u32 + 1
    }

    /// Drops the rows that are on none of the boards, when there are many rows.
    pub fn tidy<'a>(&mut self, boards: impl Iterator<Item = &'a mut Board>) {
        if self.scores.len() <= self.limit {
            return;
        }
        let mut moved = vec![0u32; self.scores.len() / self.width + 1];
        self.spare.clear();
        for number in boards.flat_map(|board| &mut board.rows).filter(|number| **number != 0) {
            let old = *number as usize;
            if moved[old] == 0 {
                self.spare.extend_from_slice(&self.scores[(old - 1) * self.width..old * self.width]);
                moved[old] = (self.spare.len() / self.width) as u32;
            }
            *number = moved[old];
        }
        std::mem::swap(&mut self.scores, &mut self.spare);
        self.limit = MANY_SCORES.max(2 * self.scores.len());
    }
}

/// How far apart the tokens of the sites are that a search looks at in a sentence.
pub(super) fn widest(system: &System, len: usize) -> usize {
    system.reach(len).clamp(1, (MOST_SITES / (len + 1)).max(1))
}

/// The known rows of a hypothesis.
#[derive(Debug, Default)]
pub(super) struct Board {
    /// The row's number by left token and distance; 0 where the scorer has to be asked.
    rows: Vec<u32>,
    distances: usize,
}

impl Clone for Board {
    fn clone(&self) -> Self {
        Board { rows: self.rows.clone(), distances: self.distances }
    }

    fn clone_from(&mut self, from: &Self) {
        self.rows.clone_from(&from.rows);
        self.distances = from.distances;
    }
}

impl Board {
    pub fn begin(&mut self, system: &System, len: usize) {
        self.distances = widest(system, len);
        self.rows.clear();
        self.rows.resize((len + 1) * self.distances, 0);
    }

    /// The number of a site's row, 0 if the scorer has to be asked. `None` for a site that is too wide for the board.
    #[inline]
    pub fn row(&self, site: Site) -> Option<u32> {
        let distance = usize::from(site.distance);
        (distance <= self.distances).then(|| self.rows[self.place(site)])
    }

    /// Notes the number of a site's row.
    #[inline]
    pub fn put(&mut self, site: Site, row: u32) {
        let place = self.place(site);
        self.rows[place] = row;
    }

    #[inline]
    fn place(&self, site: Site) -> usize {
        site.left as usize * self.distances + usize::from(site.distance) - 1
    }

    /// Forgets the rows that a transition has changed; `state` is the configuration after it.
    #[inline]
    pub fn update(&mut self, system: &System, state: &State, op: Op, reach: usize) {
        let distances = self.distances;
        affected(system, &state.row, op, reach, distances, |left| {
            let start = left as usize * distances;
            self.rows[start..start + distances].fill(0);
        });
    }
}

/// Calls `visit` with the left tokens of all sites that see what a transition has changed: the tokens of its site, and
/// the place of one that is gone. A site sees `reach` tokens beyond its own two, or everything: then SHIFT changes what all
/// active ones see, and so does any other transition. `row` is the one after it.
#[inline]
pub(super) fn affected(
    system: &System,
    row: &Row,
    op: Op,
    reach: usize,
    distances: usize,
    mut visit: impl FnMut(Node),
) {
    if reach == usize::MAX {
        // A token that is gone, and one that has no other to its right any more, are no site's left one.
        [op.left, op.right, row.top()].into_iter().for_each(&mut visit);
        system.sites(row, |site, _| {
            visit(site.left);
            true
        });
        return;
    }
    let transition = system.transitions()[op.transition as usize];
    let gone = match transition.base {
        Base::Shift => return,
        Base::Reduce => [op.left, op.right][usize::from(op.variant)],
        Base::LeftArc | Base::RightArc if transition.bottom_up => ends(transition.base, op.left, op.right).1,
        Base::LeftArc | Base::RightArc => NONE,
    };
    for node in [op.left, op.right] {
        if node != gone {
            around(row, node, reach, distances, &mut visit);
            continue;
        }
        // A token that has left the row still knows who stood beside it.
        visit(node);
        for beside in [row.before(node), row.after(node)].into_iter().filter(|&beside| beside != NONE) {
            around(row, beside, reach, distances, &mut visit);
        }
    }
}

/// The left tokens of the sites that see a token.
#[inline]
fn around(row: &Row, node: Node, reach: usize, distances: usize, visit: &mut impl FnMut(Node)) {
    let mut left = node;
    let mut tokens = (1 + distances).saturating_add(reach);
    for _ in 0..reach {
        match row.after(left) {
            NONE => break,
            next => left = next,
        }
        tokens = tokens.saturating_add(1);
    }
    for _ in 0..tokens {
        visit(left);
        left = row.before(left);
        if left == NONE {
            return;
        }
    }
}
