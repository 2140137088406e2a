//! What a table surely does not have: asked before the table is.
//!
//! Most features of a place were never seen in training, and a hash table needs several looks, in memory that is far away, to say
//! so; whether it has a feature is also what a processor can't foresee. A filter is a bit for every value of the lowest bits of
//! a key, set where some key of the table has them: eight times as many bits as keys, so it says no to seven of eight keys that are not
//! there, from a cache that is near, and what it lets through is nearly always there. It is made of the table when a model is opened,
//! O(slots); sums are the same with it and without.

use crate::large::Large;
use crate::prefetch::prefetch;

/// So many bits for each key.
const BITS_A_KEY: usize = 8;

/// A filter for the keys of one table.
#[derive(Debug)]
pub(crate) struct Filter {
    bits: Large,
    mask: u32,
}

/// The same over borrowed memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterView<'a> {
    bits: &'a [u64],
    mask: u32,
}

impl Filter {
    /// The filter of keys whose lowest 24 bits are these.
    pub(crate) fn of(marks: impl Iterator<Item = u32> + Clone) -> Self {
        let keys = marks.clone().count();
        let width = (keys * BITS_A_KEY).max(64).next_power_of_two().min(1 << 24);
        let mut filter = Filter { bits: Large::zeros(width / 64), mask: width as u32 - 1 };
        let bits = filter.bits.as_mut_slice();
        for mark in marks {
            let place = mark & filter.mask;
            bits[place as usize / 64] |= 1 << (place % 64);
        }
        filter
    }

    /// The filter, to be asked.
    pub(crate) fn view(&self) -> FilterView<'_> {
        FilterView { bits: self.bits.as_slice(), mask: self.mask }
    }
}

impl FilterView<'_> {
    /// Whether a key may be there.
    #[inline]
    fn has(&self, key: u64) -> bool {
        let place = key as u32 & self.mask;
        // The mask is below the number of bits.
        self.bits.get(place as usize / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }

    /// Starts to load what says whether a key may be there.
    #[inline]
    pub(crate) fn hint(&self, key: u64) {
        prefetch(self.bits, (key as u32 & self.mask) as usize / 64);
    }

    /// Moves those keys of `keys[from..end]` that may be there to `to`, which is not behind `from`, and the places after it; gives the
    /// place after the last one. Without a branch on what a key is.
    #[inline]
    pub(crate) fn sift(&self, keys: &mut [u64], from: usize, end: usize, to: usize) -> usize {
        let mut next = to;
        for place in from..end {
            let key = keys[place];
            keys[next] = key;
            next += usize::from(self.has(key));
        }
        next
    }
}

/// The filters of a table with two parts, and what else is made of it when it is opened to be asked for much that is not there.
#[derive(Debug)]
pub struct Filters {
    /// For long rows.
    pub(crate) long: Filter,
    /// For short rows.
    pub(crate) short: Filter,
    /// The slots of long rows, with rows of one entry inside of them.
    pub(crate) slots: Large,
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::words::hash::finish;

    #[test]
    fn keys_that_are_there_pass_and_few_others_do() {
        for count in [0, 1, 100, 5000] {
            let there: Vec<u64> = (0..count).map(finish).collect();
            let filter = Filter::of(there.iter().map(|&key| key as u32 & 0xFF_FFFF));
            let mut keys = there.clone();
            let filter = filter.view();
            assert_eq!((filter.sift(&mut keys, 0, there.len(), 0), &keys), (there.len(), &there));
            let mut others: Vec<u64> = (100_000..110_000).map(finish).collect();
            let all = others.len();
            assert!(filter.sift(&mut others, 0, all, 0) < 1600);
        }
    }
}
