//! Embeddings: a row is the sum of the table's rows that its ids name.
//!
//! ```text
//! forward    y[i] = Σ_{k ∈ ids(i)} E[k]          backward    dE[k] += dy[i]  for k ∈ ids(i)
//! ```
//!
//! Several ids a row make bags (morphological features) and hashed words (a word is the sum of two buckets, so two words
//! are told apart unless both collide). O(ids · width).

use super::elementwise::add;

/// The ids of consecutive rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bags {
    ends: Vec<u32>,
    ids: Vec<u32>,
}

impl Bags {
    /// Adds a row.
    pub fn push(&mut self, ids: impl IntoIterator<Item = u32>) {
        self.ids.extend(ids);
        self.ends.push(self.ids.len() as u32);
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.ids.clear();
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The ids of a row.
    #[inline]
    pub fn get(&self, row: usize) -> &[u32] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.ids[start as usize..self.ends[row] as usize]
    }
}

/// Writes the sum of the rows `ids` of the table.
pub fn gather(table: &[f32], ids: &[u32], y: &mut [f32]) {
    let row = |id: u32| &table[id as usize * y.len()..][..y.len()];
    let Some((&first, rest)) = ids.split_first() else {
        y.fill(0.0);
        return;
    };
    let first = row(first);
    if rest.is_empty() {
        y.copy_from_slice(first);
        return;
    }
    let width = y.len();
    y.copy_from_slice(first);
    for &id in rest {
        add(y, &table[id as usize * width..][..width]);
    }
}

/// Adds a row's gradient to the rows `ids` of the table's gradient.
pub fn scatter(d_table: &mut [f32], ids: &[u32], dy: &[f32]) {
    for &id in ids {
        add(&mut d_table[id as usize * dy.len()..][..dy.len()], dy);
    }
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    #[test]
    fn gradients() {
        let mut bags = Bags::default();
        bags.push([1]);
        bags.push([]);
        bags.push([3, 1, 3]);
        let (table, dy) = (numbers(8, 1), numbers(6, 2));
        let run = |table: &[f32]| {
            let mut y = vec![0.0; 6];
            (0..3).for_each(|row| gather(table, bags.get(row), &mut y[row * 2..][..2]));
            y
        };
        let mut d_table = vec![0.0; 8];
        (0..3).for_each(|row| scatter(&mut d_table, bags.get(row), &dy[row * 2..][..2]));
        check("E", &table, &d_table, |table| weighted(&run(table), &dy));
        assert_eq!(bags.len(), 3);
    }
}
