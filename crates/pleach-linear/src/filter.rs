//! What a table surely does not have: asked before the table is.
//!
//! Most features of a place were never seen in training, and a hash table needs several looks, in memory that is far away, to say
//! so; whether it has a feature is also what a processor can't foresee. A filter is a bit for every value of the lowest bits of
//! a key, set where some key of the table has them: eight times as many bits as keys, so it says no to seven of eight keys that are not
//! there, from a cache that is near, and what it lets through is nearly always there. It is made of the table when a model is opened,
//! O(slots); sums are the same with it and without.

/// So many bits for each key.
const BITS_A_KEY: usize = 8;

/// A filter for the keys of one table.
#[derive(Clone, Debug)]
pub struct Filter {
    bits: Vec<u64>,
    mask: u32,
}

impl Filter {
    /// The filter of keys whose lowest 24 bits are these.
    pub(crate) fn of(marks: impl Iterator<Item = u32> + Clone) -> Self {
        let keys = marks.clone().count();
        let width = (keys * BITS_A_KEY).max(64).next_power_of_two().min(1 << 24);
        let mut filter = Filter { bits: vec![0; width / 64], mask: width as u32 - 1 };
        for mark in marks {
            let place = mark & filter.mask;
            filter.bits[place as usize / 64] |= 1 << (place % 64);
        }
        filter
    }

    /// Whether a key may be there.
    #[inline]
    fn has(&self, key: u64) -> bool {
        let place = key as u32 & self.mask;
        // The mask is below the number of bits.
        self.bits.get(place as usize / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }

    /// Moves the keys that may be there to the front; gives their number. Without a branch on what a key is.
    #[inline]
    pub(crate) fn sift(&self, keys: &mut [u64]) -> usize {
        let mut kept = 0;
        for place in 0..keys.len() {
            let key = keys[place];
            keys[kept] = key;
            kept += usize::from(self.has(key));
        }
        kept
    }
}

/// The filters of a table with two parts.
#[derive(Clone, Debug)]
pub struct Filters {
    /// For long rows.
    pub(crate) long: Filter,
    /// For short rows.
    pub(crate) short: Filter,
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
            assert_eq!((filter.sift(&mut keys), &keys), (there.len(), &there));
            let mut others: Vec<u64> = (100_000..110_000).map(finish).collect();
            assert!(filter.sift(&mut others) < 1600);
        }
    }
}
