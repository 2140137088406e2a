//! The long rows of a table once more, with a weight for every choice, so that a processor adds many at once.
//!
//! Of the weights that a beam of S_2S adds up (en_ewt, 450 actions), two thirds are in rows that have a weight for more than 127
//! of them: features of frequent tags, which every configuration has. Made of the table when a model is opened, O(slots), with a
//! copy of the slots in large pages; sums are the same with it and without.

use crate::large::Large;
use crate::prefetch::prefetch;
use crate::table::{MOST_PLACES, Table, at};
use crate::wide::{add_weights, sum_weights};

/// A row is spread out if it has weights for one of so many choices at least …
const ONE_OF: usize = 6;

/// … and for so many.
const LEAST: usize = 48;

/// All spread rows together have so many weights at the most (two bytes each); the longest rows come first.
const MOST: usize = 8 << 20;

/// The weights of a cache line.
const LINE: usize = 32;

/// Spread rows, and the slots of the table, in which these have places behind those of all others.
#[derive(Debug)]
pub struct Dense {
    width: usize,
    rows: Vec<i16>,
    slots: Large,
}

impl Dense {
    /// Those of a table, if it has any.
    pub(crate) fn of(table: &Table<'_>) -> Option<Self> {
        let mut long: Vec<(usize, &[u32])> = table.long_rows(LEAST).collect();
        let choices = long.iter().flat_map(|(_, row)| row.last()).map(|entry| (entry >> 16) as usize + 1);
        let width = choices.max().unwrap_or(0);
        long.retain(|(_, row)| row.len() * ONE_OF >= width);
        long.sort_unstable_by_key(|(slot, row)| (usize::MAX - row.len(), *slot));
        let behind = table.entries().len();
        long.truncate((MOST / width.max(1)).min(MOST_PLACES.saturating_sub(behind)));
        if long.is_empty() {
            return None;
        }
        let mut slots = Large::zeros(table.slots().len());
        let near = slots.as_mut_slice();
        near.iter_mut().zip(table.slots()).for_each(|(near, &slot)| *near = table.near(slot));
        let mut rows = vec![0; long.len() * width];
        for (number, ((slot, row), spread)) in
            long.iter().zip(rows.chunks_exact_mut(width.max(1))).enumerate()
        {
            for entry in *row {
                // Entries of a row are in order, unless a file is corrupt.
                if let Some(weight) = spread.get_mut((entry >> 16) as usize) {
                    *weight = *entry as u16 as i16;
                }
            }
            near[*slot] = at(near[*slot], behind + number);
        }
        Some(Dense { width, rows, slots })
    }

    /// The slots that name them.
    pub(crate) fn slots(&self) -> &[u64] {
        self.slots.as_slice()
    }

    /// Starts to load a row.
    #[inline]
    pub(crate) fn hint(&self, number: usize) {
        let start = number * self.width;
        [0, LINE].into_iter().for_each(|weight| prefetch(&self.rows, start + weight));
    }

    /// Adds a row.
    #[inline]
    pub(crate) fn add(&self, number: usize, sums: &mut [i32]) {
        if let Some(row) = self.rows.get(number * self.width..(number + 1) * self.width) {
            add_weights(sums, row);
        }
    }

    /// Makes the sums those of some rows.
    #[inline]
    pub(crate) fn sum(&self, numbers: &[usize], sums: &mut [i32]) {
        let (sums, beyond) = sums.split_at_mut(self.width.min(sums.len()));
        sum_weights(sums, &self.rows, self.width, numbers);
        beyond.fill(0);
    }
}
