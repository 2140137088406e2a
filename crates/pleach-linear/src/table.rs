//! The feature table of a finished model: compact, read straight from the memory-mapped file.
//!
//! Layout: `slots` is an open-addressing hash table, one u64 each: 24 bits of the key, the row's length
//! (12 bits) and its place in `entries` (28 bits); 0 is empty. With filters, slots are a copy in memory, in which a length
//! of 0 says that the place is the row's only entry: most rows of charts have one, and it need not be fetched. An entry is an
//! action (16 bits) and a weight quantised to i16. Sums are integers, so their order never matters. A false hit needs the same 24 bits and
//! the same run of slots: about one lookup in ten million.
//! Every access is checked, so a corrupt file can give wrong scores but no panic.

use crate::dense::Dense;
use crate::filter::{Filter, FilterView, Filters};
use crate::large::Large;
use crate::prefetch::prefetch;
use crate::rows::{Place, Rows};
use crate::short::{self, MARK, Short};

/// The longest row that a slot can name.
pub const MOST_ENTRIES: usize = 0xFFF;
/// How many entries a table can hold.
pub const MOST_PLACES: usize = 0x0FFF_FFFF;

/// A feature table over borrowed memory.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    slots: &'a [u64],
    entries: &'a [u32],
    scale: f32,
    short: Option<Short<'a>>,
    /// Those of long and of short rows.
    filters: Option<[FilterView<'a>; 2]>,
    /// Its long rows, spread out.
    dense: Option<&'a Dense>,
}

/// So many slots are looked at without a branch for each.
const NEAR: usize = 4;

/// Keys that are sifted at once.
const AT_ONCE: usize = 64;

/// What stands for the length of a short row; others are shorter than this.
const SHORT: u32 = u32::MAX;

/// What stands for the length of a row whose only entry is where others have their place.
const HERE: u32 = 0;

/// So many spread rows of a vector are added up in one go, the others one after the other.
const TOGETHER: usize = 16;

impl<'a> Table<'a> {
    /// A table over the two arrays of a model file; a weight is its integer times `scale`.
    pub fn new(slots: &'a [u64], entries: &'a [u32], scale: f32) -> Self {
        Table { slots, entries, scale, short: None, filters: None, dense: None }
    }

    /// The same with short rows, which keys with the [`MARK`] have.
    pub fn with_short(self, short: Option<Short<'a>>) -> Self {
        Table { short, ..self }
    }

    /// The filters of its keys.
    pub fn filters(&self) -> Filters {
        let slots = self.slots.iter().filter(|&&slot| slot != 0);
        let short = self.short.iter().flat_map(Short::marks);
        let long = Filter::of(slots.map(|slot| (slot >> 40) as u32));
        let mut slots = Large::zeros(self.slots.len());
        for (near, &slot) in slots.as_mut_slice().iter_mut().zip(self.slots) {
            *near = self.near(slot);
        }
        Filters { long, short: Filter::of(short), slots }
    }

    /// A slot with the row itself instead of its place, where the row is one entry and fits.
    pub(crate) fn near(&self, slot: u64) -> u64 {
        match *self.row(place_of(slot)) {
            [entry] if entry >> 16 < 0xFFF => (slot >> 40) << 40 | u64::from(entry),
            _ => slot,
        }
    }

    /// The same, asking the filters of its keys first, if there are any, and with the slots that they have.
    pub fn with_filters(self, filters: Option<&'a Filters>) -> Self {
        Table {
            filters: filters.map(|Filters { long, short, .. }| [long, short].map(Filter::view)),
            slots: filters.map_or(self.slots, |filters| filters.slots.as_slice()),
            ..self
        }
    }

    /// Its long rows, spread out, if it has any.
    pub fn dense(&self) -> Option<Dense> {
        Dense::of(self)
    }

    /// The same with long rows that are spread out, if there are any, and with the slots that name them.
    pub fn with_dense(self, dense: Option<&'a Dense>) -> Self {
        Table { dense, slots: dense.map_or(self.slots, Dense::slots), ..self }
    }

    /// The rows of so many entries at least, with the numbers of their slots.
    pub(crate) fn long_rows(&self, least: usize) -> impl Iterator<Item = (usize, &'a [u32])> {
        let rows = self.slots.iter().map(|&slot| self.row(place_of(slot))).enumerate();
        rows.filter(move |(_, row)| row.len() >= least)
    }

    /// Whether keys are those of short rows. Those of one call are of one set of templates: all of them have the mark, or none.
    #[inline]
    fn are_short(&self, keys: &[u64]) -> Option<&Short<'a>> {
        self.short.as_ref().filter(|_| keys.first().is_some_and(|key| key & MARK != 0))
    }

    /// The filter of keys, if there is one.
    #[inline]
    fn filter(&self, keys: &[u64]) -> Option<FilterView<'a>> {
        let [long, short] = self.filters?;
        Some(if self.are_short(keys).is_some() { short } else { long })
    }

    /// Starts to load the slots of keys, or their short rows.
    #[inline]
    fn load(&self, keys: &[u64]) {
        match self.are_short(keys) {
            Some(short) => keys.iter().for_each(|&key| short.hint(key)),
            None => keys.iter().for_each(|&key| prefetch(self.slots, place(key, self.slots.len()))),
        }
    }

    /// The first array.
    pub fn slots(&self) -> &'a [u64] {
        self.slots
    }

    /// The second array.
    pub fn entries(&self) -> &'a [u32] {
        self.entries
    }

    /// What one step of a weight is worth.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The number of a row that is spread out.
    #[inline]
    fn spread(&self, (start, len): Place) -> Option<(&'a Dense, usize)> {
        let number = (start as usize).checked_sub(self.entries.len()).filter(|_| len != HERE)?;
        self.dense.map(|dense| (dense, number))
    }

    /// Adds a row that is not.
    #[inline]
    fn add_row(&self, (start, len): Place, sums: &mut [i32]) {
        let mut add = |entry: u32| {
            if let Some(sum) = sums.get_mut((entry >> 16) as usize) {
                *sum = sum.wrapping_add(i32::from(entry as u16 as i16));
            }
        };
        match len {
            HERE => add(start),
            _ => self.row((start, len)).iter().for_each(|&entry| add(entry)),
        }
    }

    #[inline]
    fn row(&self, (start, len): Place) -> &'a [u32] {
        self.entries.get(start as usize..start as usize + len as usize).unwrap_or_default()
    }

    #[inline]
    fn look_up(&self, key: u64, mut place: usize) -> Option<Place> {
        let mark = fingerprint(key);
        // In one of the first slots it nearly always is; in which of them a processor can't foresee, so all are looked at.
        if let Some(first) = self.slots[place.min(self.slots.len())..].first_chunk::<NEAR>() {
            let same = |slot: u64, other: u64| if other >> 40 == mark { other } else { slot };
            let slot = first.iter().rev().fold(0, |slot, &other| same(slot, other));
            if slot != 0 {
                return Some(place_of(slot));
            }
            if first.contains(&0) {
                return None;
            }
            place += NEAR - 1;
        }
        // A well-formed table has empty slots; the bound is for corrupt ones.
        for _ in 0..self.slots.len().min(4096) {
            let slot = *self.slots.get(place)?;
            if slot == 0 {
                return None;
            }
            if slot >> 40 == mark {
                return Some(place_of(slot));
            }
            place += 1;
            if place == self.slots.len() {
                place = 0;
            }
        }
        None
    }
}

impl Rows for Table<'_> {
    type Sum = i32;

    fn add(&self, keys: &[u64], found: &mut Vec<Place>, sums: &mut [i32]) {
        let mut sifted = [0; AT_ONCE];
        for keys in keys.chunks(AT_ONCE) {
            let sifted = &mut sifted[..keys.len()];
            sifted.copy_from_slice(keys);
            self.expect(keys);
            let kept = self.sift(sifted, 0, keys.len(), 0);
            found.clear();
            self.find(&sifted[..kept], found);
            self.add_found(found, sums);
        }
    }

    #[inline]
    fn expect(&self, keys: &[u64]) {
        match self.filter(keys) {
            Some(filter) => keys.iter().for_each(|&key| filter.hint(key)),
            None => self.load(keys),
        }
    }

    #[inline]
    fn sift(&self, keys: &mut [u64], from: usize, end: usize, to: usize) -> usize {
        let Some(filter) = self.filter(&keys[from..end]) else {
            keys.copy_within(from..end, to);
            return to + (end - from);
        };
        let kept = filter.sift(keys, from, end, to);
        self.load(&keys[to..kept]);
        kept
    }

    fn find(&self, keys: &[u64], found: &mut Vec<Place>) {
        if let Some(short) = self.are_short(keys) {
            found.extend(keys.iter().filter_map(|&key| short.find(key)).map(|place| (place as u32, SHORT)));
            return;
        }
        for &key in keys {
            let Some(row) = self.look_up(key, place(key, self.slots.len())) else { continue };
            match self.spread(row) {
                Some((dense, number)) => dense.hint(number),
                None if row.1 == HERE => {}
                None => prefetch(self.entries, row.0 as usize),
            }
            found.push(row);
        }
    }

    fn add_found(&self, found: &[Place], sums: &mut [i32]) {
        if let Some((_, SHORT)) = found.first() {
            // Those of one call are of one set of templates.
            let short = self.short.iter();
            return short
                .for_each(|short| found.iter().for_each(|&(place, _)| short.add(place as usize, sums)));
        }
        for &place in found {
            match self.spread(place) {
                Some((dense, number)) => dense.add(number, sums),
                None => self.add_row(place, sums),
            }
        }
    }

    fn sum_found(&self, found: &[Place], sums: &mut [i32]) {
        let long = found.first().is_some_and(|&(_, len)| len != SHORT);
        let Some(dense) = self.dense.filter(|_| long) else {
            sums.fill(0);
            return self.add_found(found, sums);
        };
        let mut numbers = [0; TOGETHER];
        let spread = found.iter().filter_map(|&place| self.spread(place));
        let many = numbers.iter_mut().zip(spread).map(|(number, (_, own))| *number = own).count();
        dense.sum(&numbers[..many], sums);
        let mut done = 0;
        for &place in found {
            match self.spread(place) {
                Some(_) if done < many => done += 1,
                Some((dense, number)) => dense.add(number, sums),
                None => self.add_row(place, sums),
            }
        }
    }

    fn add_expected(&self, keys: &mut Vec<u64>, found: &mut Vec<Place>, sums: &mut [i32]) {
        match (self.are_short(keys), self.filters) {
            (Some(short), None) => {
                short.add_all(keys, sums);
                keys.clear();
            }
            _ => self.add_in_steps(keys, found, sums),
        }
    }

    #[inline]
    fn score(&self, sum: i32) -> f32 {
        sum as f32 * self.scale
    }
}

/// Where a slot says that the row is: place and length. The length of an entry that is the place itself is 0.
#[inline]
fn place_of(slot: u64) -> Place {
    ((slot & MOST_PLACES as u64) as u32, (slot >> 28 & MOST_ENTRIES as u64) as u32)
}

/// A slot whose row is elsewhere.
pub(crate) fn at(slot: u64, place: usize) -> u64 {
    slot & !(MOST_PLACES as u64) | place as u64
}

#[inline]
fn fingerprint(key: u64) -> u64 {
    key & 0xFF_FFFF
}

/// The first slot of a key: the high bits, scaled to any table length.
#[inline]
fn place(key: u64, slots: usize) -> usize {
    ((u128::from(key) * slots as u128) >> 64) as usize
}

/// The two arrays of a table, built from averaged weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frozen {
    /// The hash table.
    pub slots: Vec<u64>,
    /// The rows.
    pub entries: Vec<u32>,
    /// What one step of a quantised weight is worth.
    pub scale: f32,
    /// The short rows, if there are any.
    pub short: Vec<u32>,
    /// How many words a short row has with its key.
    pub stride: usize,
    /// How many weights were dropped because they are (nearly) zero.
    pub dropped: u64,
}

impl Frozen {
    /// Quantises rows of (key, [(action, weight)]) and builds the table. Weights below `least` are dropped.
    /// The same rows give the same bytes, in whatever order they come.
    pub fn build(rows: Vec<(u64, Vec<(u16, f32)>)>, least: f32) -> Self {
        Frozen::with_short(rows, least, false)
    }

    /// The same; with `short`, the rows of keys that have the [`MARK`] are short ones, unless they are too wide for that.
    pub fn with_short(rows: Vec<(u64, Vec<(u16, f32)>)>, least: f32, short: bool) -> Self {
        let keys = rows.iter().enumerate().map(|(number, (key, _))| (*key, number as u32)).collect();
        let row_of = |number: u32, row: &mut Vec<_>| row.extend_from_slice(&rows[number as usize].1);
        Frozen::collect(keys, row_of, least, short)
    }

    /// The same from keys with the numbers of their rows, which are asked for one by one: a large table has millions, and a list for each
    /// of them would take more memory than all that was learnt.
    pub(crate) fn collect(
        mut keys: Vec<(u64, u32)>,
        row_of: impl Fn(u32, &mut Vec<(u16, f32)>),
        least: f32,
        short: bool,
    ) -> Self {
        keys.sort_unstable_by_key(|(key, _)| *key);
        let (mut row, mut largest) = (Vec::new(), 0f32);
        for &(_, number) in &keys {
            row.clear();
            row_of(number, &mut row);
            largest = row.iter().map(|(_, weight)| weight.abs()).fold(largest, f32::max);
        }
        let scale = if largest > 0.0 { largest / f32::from(i16::MAX) } else { 1.0 };
        let mut frozen = Frozen { scale, ..Frozen::default() };
        if short {
            keys = frozen.take_short(keys, &row_of, least);
        }
        let mut kept: Vec<(u64, u64)> = Vec::new();
        for (key, number) in keys {
            row.clear();
            row_of(number, &mut row);
            let before = row.len();
            row.retain(|(_, weight)| weight.abs() >= least && (weight / scale).round() != 0.0);
            if row.len() > MOST_ENTRIES {
                row.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
                row.truncate(MOST_ENTRIES);
            }
            row.sort_unstable_by_key(|(action, _)| *action);
            frozen.dropped += (before - row.len()) as u64;
            if row.is_empty() || frozen.entries.len() + row.len() > MOST_PLACES {
                continue;
            }
            let slot = fingerprint(key) << 40 | (row.len() as u64) << 28 | frozen.entries.len() as u64;
            frozen.entries.extend(row.iter().map(|&(action, weight)| {
                u32::from(action) << 16 | u32::from((weight / scale).round() as i16 as u16)
            }));
            kept.push((key, slot));
        }
        frozen.slots = vec![0; kept.len() * 3 / 2 + 16];
        for (key, slot) in kept {
            let mut at = place(key, frozen.slots.len());
            while frozen.slots[at] != 0 {
                at = (at + 1) % frozen.slots.len();
            }
            frozen.slots[at] = slot;
        }
        frozen
    }

    /// Takes the rows of marked keys, which are in order, into the table of short rows; gives those that are left.
    fn take_short(
        &mut self,
        keys: Vec<(u64, u32)>,
        row_of: &impl Fn(u32, &mut Vec<(u16, f32)>),
        least: f32,
    ) -> Vec<(u64, u32)> {
        let steps = |row: &[(u16, f32)]| -> Vec<(u16, i32)> {
            let step = |&(choice, weight): &(u16, f32)| match weight.abs() >= least {
                true => (choice, (weight / self.scale).round() as i32),
                false => (choice, 0),
            };
            row.iter().map(step).filter(|(_, weight)| *weight != 0).collect()
        };
        let (mut row, mut all, mut marked) = (Vec::new(), 0, Vec::new());
        for &(key, number) in keys.iter().filter(|(key, _)| key & MARK != 0) {
            row.clear();
            row_of(number, &mut row);
            all += row.len();
            marked.push((key, steps(&row)));
        }
        marked.retain(|(_, row)| !row.is_empty());
        let Some((words, stride)) = short::build(&marked) else { return keys };
        self.dropped += (all - marked.iter().map(|(_, row)| row.len()).sum::<usize>()) as u64;
        (self.short, self.stride) = (words, stride);
        keys.into_iter().filter(|(key, _)| key & MARK == 0).collect()
    }

    /// The table over these arrays.
    pub fn table(&self) -> Table<'_> {
        let short = Short::new(&self.short, self.stride);
        Table::new(&self.slots, &self.entries, self.scale).with_short(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::words::hash;

    #[test]
    fn scores_are_the_sums_of_the_rows() {
        let key = |i: u32| hash::finish(hash::mix(hash::seed(i), i));
        let rows: Vec<(u64, Vec<(u16, f32)>)> =
            (0..2000).map(|i| (key(i), vec![(0, i as f32 / 100.0), ((i % 7) as u16 + 1, -1.0)])).collect();
        let frozen = Frozen::build(rows, 0.0);
        let mut sums = vec![0; 8];
        let table = frozen.table();
        table.add(&[key(3), key(1000), key(99_999)], &mut Vec::new(), &mut sums);
        let scores: Vec<f32> = sums.into_iter().map(|sum| table.score(sum)).collect();
        assert!((scores[0] - 10.03).abs() < 0.01, "{scores:?}");
        assert!((scores[4] + 1.0).abs() < 0.01 && (scores[7] + 1.0).abs() < 0.01);
        assert_eq!(scores[2], 0.0);
    }

    /// Marked keys have short rows, others long ones, and what both add up to differs by no more than eight bits cost.
    #[test]
    fn short_rows_are_those_of_marked_keys() {
        let key = |i: u32| hash::finish(hash::mix(hash::seed(i), i)) & !MARK | (u64::from(i % 2) * MARK);
        let weight = |i: u32, action: u32| (i * 7 % 19) as f32 - 9.0 + action as f32 / 4.0;
        let row = |i| (0..8).map(|action| (action as u16, weight(i, action))).collect();
        let rows: Vec<(u64, Vec<(u16, f32)>)> = (0..2000).map(|i| (key(i), row(i))).collect();
        let (long, both) = (Frozen::build(rows.clone(), 0.5), Frozen::with_short(rows, 0.5, true));
        assert_eq!((long.short.len(), both.stride), (0, 3));
        assert_eq!(long.dropped, both.dropped);
        assert!(both.entries.len() * 3 < long.entries.len() * 2);
        for i in 0..2000 {
            let (mut one, mut two) = ([0; 8], [0; 8]);
            long.table().add(&[key(i)], &mut Vec::new(), &mut one);
            both.table().add(&[key(i)], &mut Vec::new(), &mut two);
            let largest = one.iter().map(|sum| sum.abs()).max().unwrap_or(0);
            assert!(largest > 0);
            for (one, two) in one.into_iter().zip(two) {
                assert!((one - two).abs() <= if i % 2 == 0 { 0 } else { largest / 127 + 1 });
            }
        }
        // A row that is too wide for that is a long one.
        let wide = vec![(key(1), vec![(500, 1.0)]), (key(3), vec![(2, 1.0)])];
        let frozen = Frozen::with_short(wide, 0.0, true);
        assert_eq!((frozen.short.len(), frozen.entries.len()), (0, 2));
    }

    /// What is asked for, there or not, is the same with filters and without.
    #[test]
    fn filters_change_nothing() {
        let key = |i: u32| hash::finish(hash::mix(hash::seed(i), i)) & !MARK;
        // Rows of one entry lie in the slots; those of actions beyond 4,094 don't fit there.
        let row = |i: u32| match i % 4 {
            0 => vec![((i % 9) as u16, i as f32 + 1.0)],
            1 => vec![(5000, 2.0)],
            _ => vec![((i % 9) as u16, i as f32), (9, -3.0)],
        };
        let marked = |i: u32| key(i) | (u64::from(i / 7 % 2) * MARK);
        let frozen = Frozen::with_short((0..3000).map(|i| (marked(i * 7), row(i))).collect(), 0.0, true);
        let (plain, filters) = (frozen.table(), frozen.table().filters());
        let filtered = plain.with_filters(Some(&filters));
        let here =
            filters.slots.as_slice().iter().filter(|&&slot| slot != 0 && place_of(slot).1 == HERE).count();
        assert!(here > 300 && here < 1500, "{here}");
        for mark in [0, MARK] {
            for first in 0..200 {
                let keys: Vec<u64> = (first * 100..first * 100 + 130).map(|i| key(i) | mark).collect();
                let sums = |table: &Table<'_>, sifted: bool| {
                    let (mut sums, mut keys) = ([0; 10], keys.clone());
                    match sifted {
                        false => table.add(&keys, &mut Vec::new(), &mut sums),
                        true => {
                            let (mut found, all) = (Vec::new(), keys.len());
                            table.expect(&keys);
                            let kept = table.sift(&mut keys, 0, all, 0);
                            table.find(&keys[..kept], &mut found);
                            table.add_found(&found, &mut sums);
                        }
                    }
                    sums
                };
                let expected = sums(&plain, false);
                assert_eq!([sums(&filtered, false), sums(&filtered, true)], [expected; 2]);
                assert_eq!(sums(&plain, true), expected);
            }
        }
        let mut keys: Vec<u64> = (0..7000).map(|i| key(i) | MARK).collect();
        let kept = filtered.sift(&mut keys, 10, 7000, 3);
        assert!(kept > 500 && kept < 2500, "{kept}");
    }

    /// Long rows add up to the same, spread out or not.
    #[test]
    fn spread_rows_change_nothing() {
        let key = |i: u32| hash::finish(hash::mix(hash::seed(i), i)) & !MARK;
        let row = |i: u32| (0..300).filter(move |action| action % (i % 12 + 1) == 0);
        let row = |i: u32| row(i).map(|action| (action as u16, (i * 31 + action) as f32)).collect();
        let frozen = Frozen::build((1..2000).map(|i| (key(i), row(i))).collect(), 0.0);
        let (plain, dense) = (frozen.table(), frozen.table().dense().unwrap());
        let spread = plain.with_dense(Some(&dense));
        let mut found = Vec::new();
        let keys: Vec<u64> = (0..4000).map(key).collect();
        spread.find(&keys, &mut found);
        let count = found
            .iter()
            .filter(|(start, len)| *len != HERE && *start as usize >= frozen.entries.len())
            .count();
        assert!(count > 500 && count < 1500 && found.len() == 1999, "{count}");
        for keys in keys.chunks(7).chain(keys.chunks(70)) {
            for width in [300, 200, 310] {
                let (mut one, mut two) = (vec![0; width], vec![0; width]);
                plain.add(keys, &mut Vec::new(), &mut one);
                spread.add(keys, &mut Vec::new(), &mut two);
                assert_eq!(one, two);
                for table in [plain, spread] {
                    let (mut found, mut sums) = (Vec::new(), vec![7; width]);
                    table.find(keys, &mut found);
                    table.sum_found(&found, &mut sums);
                    assert_eq!(sums, one);
                }
            }
        }
    }

    #[test]
    fn a_corrupt_table_does_not_panic() {
        let slots: Vec<u64> = (0..64).map(|i| u64::MAX - i * 977).collect();
        let table = Table::new(&slots, &[u32::MAX; 5], f32::NAN);
        let keys: Vec<u64> = (0..1000).map(hash::finish).collect();
        table.add(&keys, &mut Vec::new(), &mut [0; 3]);
        table.with_filters(Some(&table.filters())).add(&keys, &mut Vec::new(), &mut [0; 3]);
        Table::new(&[], &[], 1.0).add(&keys, &mut Vec::new(), &mut [0; 3]);
        table.with_dense(table.dense().as_ref()).add(&keys, &mut Vec::new(), &mut [0; 3]);
        // Rows that lie over each other, in any order.
        let slots: Vec<u64> = (0..64).map(|i| (i << 58) | (i << 40) | (60 << 28) | (i * 3)).collect();
        let entries: Vec<u32> = (0..200u32).map(|i| ((i * 37 % 200) << 16) | (i * 977 % 65536)).collect();
        let table = Table::new(&slots, &entries, 1.0);
        let dense = table.dense();
        assert!(dense.is_some());
        let (spread, mut found) = (table.with_dense(dense.as_ref()), Vec::new());
        spread.add(&keys, &mut found, &mut [0; 3]);
        spread.find(&keys, &mut found);
        found.extend((0..100).map(|i| (u32::MAX - i, 60)));
        spread.sum_found(&found, &mut [0; 3]);
    }
}
