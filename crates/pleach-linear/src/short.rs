//! Short rows, dense and inside of the hash table: a feature is one place in memory instead of two.
//!
//! Where actions are taken apart there are about ten choices, and nearly every row has most of them. Layout: an
//! open-addressing table of entries of `1 + n` words (u32). The first word has 24 bits of the key and how far the weights are
//! shifted plus one (8 bits); 0 is an empty entry. The others have 4n weights of 8 bits: weight · 2^shift is in the
//! steps of the big table's weights, so that both have one scale, and rows of large weights are as exact as those of small ones
//! (one part in 127 of the largest). A false hit needs the same 24 bits and the same run of entries.
//! Cache lines: 12 bytes for eight choices, so one line a feature, or two for one in six; the big table takes two or more.
//! Every access is checked, so a corrupt file can give wrong scores but no panic.

use crate::prefetch::prefetch;

/// Rows of more choices than this stay in the big table.
pub const WIDEST: usize = 28;

/// The bit of a key that says that its row is short, in models whose templates of choices are told apart by it. The 24 bits that
/// tables compare are below it.
pub const MARK: u64 = 1 << 24;

/// Weights are shifted by at most this much.
const FARTHEST: u32 = 15;

/// A table of short rows over borrowed memory.
#[derive(Clone, Copy, Debug)]
pub struct Short<'a> {
    words: &'a [u32],
    stride: usize,
}

impl<'a> Short<'a> {
    /// A table over the array of a model file, of which every entry has `stride` words; `None` when that can't be.
    pub fn new(words: &'a [u32], stride: usize) -> Option<Self> {
        let fits = stride >= 2 && stride <= 1 + WIDEST.div_ceil(4) && words.len().is_multiple_of(stride);
        (fits && !words.is_empty()).then_some(Short { words, stride })
    }

    /// The first entry of a key, as the place of its first word.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let entries = self.words.len() / self.stride;
        ((u128::from(key) * entries as u128) >> 64) as usize * self.stride
    }

    /// Where the row of a key begins.
    #[inline]
    pub fn find(&self, key: u64) -> Option<usize> {
        let mark = (key & 0xFF_FFFF) as u32;
        let mut place = self.place(key);
        // A well-formed table has empty entries; the bound is for corrupt ones.
        for _ in 0..(self.words.len() / self.stride).min(4096) {
            let entry = self.words.get(place..place + self.stride)?;
            if entry[0] == 0 {
                return None;
            }
            if entry[0] >> 8 == mark {
                return Some(place);
            }
            place += self.stride;
            if place == self.words.len() {
                place = 0;
            }
        }
        None
    }

    /// What is compared of the keys that it has.
    pub(crate) fn marks(&self) -> impl Iterator<Item = u32> + Clone + use<'a> {
        self.words
            .chunks_exact(self.stride)
            .map(|entry| entry[0])
            .filter(|&head| head != 0)
            .map(|head| head >> 8)
    }

    /// Starts to load the row of a key.
    #[inline]
    pub fn hint(&self, key: u64) {
        prefetch(self.words, self.place(key));
    }

    /// Adds the row that begins at a place to the sums of all choices.
    #[inline]
    pub fn add(&self, place: usize, sums: &mut [i32]) {
        if let Some([head, row @ ..]) = self.words.get(place..place + self.stride) {
            add_row(*head, row, sums);
        }
    }

    /// Adds the rows of all keys that have one.
    #[inline]
    pub fn add_all(&self, keys: &[u64], sums: &mut [i32]) {
        keys.iter().filter_map(|&key| self.find(key)).for_each(|place| self.add(place, sums));
    }
}

/// Adds a row, four weights a word; whole fours of sums side by side.
#[inline]
fn add_row(head: u32, row: &[u32], sums: &mut [i32]) {
    let shift = ((head & 0xFF).wrapping_sub(1)).min(FARTHEST);
    let (fours, rest) = sums.as_chunks_mut::<4>();
    let last = row.get(fours.len());
    for (word, sums) in row.iter().zip(fours) {
        let weights = word.to_le_bytes();
        for lane in 0..4 {
            sums[lane] = sums[lane].wrapping_add(i32::from(weights[lane] as i8) << shift);
        }
    }
    for (weight, sum) in last.iter().flat_map(|word| word.to_le_bytes()).zip(rest) {
        *sum = sum.wrapping_add(i32::from(weight as i8) << shift);
    }
}

/// Builds a table from rows of (key, [(choice, weight in steps)]), and says how many words an entry has; `None` when the rows are too
/// wide. The rows are in the order of their keys.
pub(crate) fn build(rows: &[(u64, Vec<(u16, i32)>)]) -> Option<(Vec<u32>, usize)> {
    let width = rows.iter().flat_map(|(_, row)| row).map(|&(choice, _)| usize::from(choice) + 1).max()?;
    if width > WIDEST {
        return None;
    }
    let (stride, entries) = (1 + width.div_ceil(4), rows.len() * 3 / 2 + 16);
    let mut words = vec![0; entries * stride];
    let mut entry = vec![0; stride];
    for (key, row) in rows {
        let largest = row.iter().map(|(_, weight)| weight.unsigned_abs()).max().unwrap_or(0);
        let mut shift = 0;
        while rounded(largest as i32, shift) > i32::from(i8::MAX) && shift < FARTHEST {
            shift += 1;
        }
        entry.fill(0);
        entry[0] = ((key & 0xFF_FFFF) as u32) << 8 | (shift + 1);
        for &(choice, weight) in row {
            let byte = rounded(weight, shift).clamp(-127, 127) as i8 as u8;
            entry[1 + usize::from(choice) / 4] |= u32::from(byte) << (usize::from(choice) % 4 * 8);
        }
        let mut place = ((u128::from(*key) * entries as u128) >> 64) as usize;
        while words[place * stride] != 0 {
            place = (place + 1) % entries;
        }
        words[place * stride..(place + 1) * stride].copy_from_slice(&entry);
    }
    Some((words, stride))
}

/// weight / 2^shift, to the nearest.
fn rounded(weight: i32, shift: u32) -> i32 {
    (f64::from(weight) / f64::from(1u32 << shift)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::words::hash;

    fn key(number: u32) -> u64 {
        hash::finish(hash::mix(hash::seed(number), number))
    }

    fn add(table: &Short<'_>, keys: &[u64], sums: &mut [i32]) {
        keys.iter().filter_map(|&key| table.find(key)).for_each(|place| table.add(place, sums));
    }

    #[test]
    fn rows_come_back_as_exact_as_eight_bits_are() {
        let weight = |number: u32, choice: u32| {
            let size = [5, 100, 3000, 32767][number as usize % 4];
            (key(number * 31 + choice) % (2 * size + 1)) as i32 - size as i32
        };
        let row = |number| (0..10).filter(|choice| choice % 3 != 1).map(move |choice| (choice, number));
        let mut rows: Vec<(u64, Vec<(u16, i32)>)> = (0..3000)
            .map(|n| (key(n), row(n).map(|(choice, n)| (choice as u16, weight(n, choice))).collect()))
            .collect();
        rows.sort_unstable_by_key(|(key, _)| *key);
        let (words, stride) = build(&rows).unwrap();
        assert_eq!(stride, 4);
        let table = Short::new(&words, stride).unwrap();
        for number in 0..3000 {
            let mut sums = [0; 10];
            add(&table, &[key(number), key(number + 1_000_000)], &mut sums);
            let largest = row(number).map(|(choice, n)| weight(n, choice).abs()).max().unwrap();
            for (choice, sum) in sums.into_iter().enumerate() {
                let exact = if choice % 3 == 1 { 0 } else { weight(number, choice as u32) };
                // Half a step, and what the largest loses where it would be rounded to 128.
                assert!((sum - exact).abs() <= largest / 127 + 1, "{sum} {exact} {largest}");
            }
        }
        // A row that is narrower than the table's is filled as far as it goes.
        let (mut few, mut all) = ([0; 3], [0; 10]);
        add(&table, &[key(7)], &mut few);
        add(&table, &[key(7)], &mut all);
        assert_eq!(few, all[..3]);
    }

    #[test]
    fn wide_rows_and_wrong_shapes_are_refused() {
        assert!(build(&[(1, vec![(WIDEST as u16, 1)])]).is_none());
        assert!(build(&[]).is_none());
        assert!(Short::new(&[0; 12], 5).is_none());
        assert!(Short::new(&[0; 12], 1).is_none());
        assert!(Short::new(&[], 3).is_none());
    }

    #[test]
    fn a_corrupt_table_does_not_panic() {
        let words: Vec<u32> = (0..60).map(|number| u32::MAX - number * 977).collect();
        let keys: Vec<u64> = (0..1000).map(hash::finish).collect();
        for stride in [2, 3, 4] {
            add(&Short::new(&words, stride).unwrap(), &keys, &mut [0; 3]);
        }
    }
}
