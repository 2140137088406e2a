//! Words from their characters by a convolution and a maximum over places (Kim et al. 2016).
//!
//! For the characters k₁ … k_m of a word, a window of width w = 2r + 1 and E\[k\] the embedding of k:
//!
//! ```text
//! forward    z_t = b + Σ_{j=−r..r} E[k_{t+j}] W_j      y = max_t z_t        (no term where t + j is outside)
//! backward   dz_t = dy where t is the maximum          db += dy
//!            dW_j += E[k_{t+j}]ᵀ dz_t                  dE[k_{t+j}] += dz_t W_jᵀ
//! ```
//!
//! There are few characters and many places, so T_j = E W_j is computed once for every character that occurs, and the
//! convolution is sums of rows of T; backward, dT is gathered first and turned into dE and dW by one product. O(characters ·
//! embedding · w · output + places · w · output).

use super::elementwise::add;
use super::product::{Matrix, Target, add_product, product};
use super::simd::vectorised;
use crate::memory::Memory;

/// The sizes of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The width of a character's embedding.
    pub embedding: usize,
    /// The number of characters on each side of a place that its window has.
    pub radius: usize,
    /// The width of y.
    pub output: usize,
}

impl Size {
    /// The number of characters in a window.
    pub fn window(self) -> usize {
        2 * self.radius + 1
    }
}

/// Words by the rows of their characters in a table of the characters that occur.
#[derive(Clone, Debug, Default)]
pub struct Words {
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl Words {
    /// Adds a word.
    pub fn push(&mut self, rows: impl IntoIterator<Item = u32>) {
        self.rows.extend(rows);
        self.ends.push(self.rows.len() as u32);
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn get(&self, word: usize) -> &[u32] {
        let start = if word == 0 { 0 } else { self.ends[word - 1] };
        &self.rows[start as usize..self.ends[word] as usize]
    }
}

/// What the backward pass needs: for every output of every word the place of its maximum.
#[derive(Debug)]
pub struct Saved {
    places: Vec<u32>,
}

/// Computes y for all words. `e` has the embeddings of the characters that occur, W is embedding × (window · output),
/// `y` has a row a word; a word without characters gets b.
pub fn forward(
    size: Size,
    w: &[f32],
    b: &[f32],
    e: &[f32],
    words: &Words,
    y: &mut [f32],
    memory: &mut Memory,
) -> Saved {
    let (output, wide) = (size.output, size.window() * size.output);
    let characters = e.len() / size.embedding;
    let mut t = memory.take(characters * wide);
    let w = Matrix::new(w, size.embedding, wide);
    product(Matrix::new(e, characters, size.embedding), w, Target::new(&mut t, wide));
    let mut z = memory.take(output);
    let mut places = vec![0_u32; words.len() * output];
    for word in 0..words.len() {
        let rows = words.get(word);
        let y = &mut y[word * output..][..output];
        let places = &mut places[word * output..][..output];
        y.copy_from_slice(b);
        for place in 0..rows.len() {
            z.copy_from_slice(b);
            for (j, row) in window(size.radius, rows, place) {
                add(&mut z, &t[row as usize * wide + j * output..][..output]);
            }
            if place == 0 {
                y.copy_from_slice(&z);
            } else {
                keep_greater(y, places, &z, place as u32);
            }
        }
    }
    memory.give(z);
    memory.give(t);
    Saved { places }
}

/// The offsets in the window around a place that lie inside of the word, each with the character's row.
fn window(radius: usize, rows: &[u32], place: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
    let first = place.saturating_sub(radius);
    let last = (place + radius).min(rows.len() - 1);
    (first..=last).map(move |other| (other + radius - place, rows[other]))
}

vectorised! {
    fn keep_greater(y: &mut [f32], places: &mut [u32], z: &[f32], place: u32) {
        for ((y, p), z) in y.iter_mut().zip(places).zip(z) {
            let greater = *z > *y;
            *p = if greater { place } else { *p };
            *y = if greater { *z } else { *y };
        }
    }
}

/// Adds to dW, db and the embeddings' gradient.
#[allow(clippy::too_many_arguments)]
pub fn backward(
    size: Size,
    w: &[f32],
    dw: &mut [f32],
    db: &mut [f32],
    e: &[f32],
    de: &mut [f32],
    words: &Words,
    saved: &Saved,
    dy: &[f32],
    memory: &mut Memory,
) {
    let (output, wide) = (size.output, size.window() * size.output);
    let characters = e.len() / size.embedding;
    let mut dt = memory.zeros(characters * wide);
    for word in 0..words.len() {
        let rows = words.get(word);
        let dy = &dy[word * output..][..output];
        add(db, dy);
        if rows.is_empty() {
            continue;
        }
        let places = &saved.places[word * output..][..output];
        for (i, (&place, &d)) in places.iter().zip(dy).enumerate() {
            for (j, row) in window(size.radius, rows, place as usize) {
                dt[row as usize * wide + j * output + i] += d;
            }
        }
    }
    let d = Matrix::new(&dt, characters, wide);
    add_product(Matrix::new(e, characters, size.embedding).transposed(), d, Target::new(dw, wide));
    let w = Matrix::new(w, size.embedding, wide);
    add_product(d, w.transposed(), Target::new(de, size.embedding));
    memory.give(dt);
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    #[test]
    fn gradients() {
        let size = Size { embedding: 3, radius: 1, output: 4 };
        let mut words = Words::default();
        words.push([0, 1, 2, 1, 3]);
        words.push([2]);
        words.push([]);
        words.push([3, 0]);
        let (w, b, e, dy) = (numbers(36, 1), numbers(4, 2), numbers(12, 3), numbers(16, 4));
        let run = |w: &[f32], b: &[f32], e: &[f32]| {
            let mut y = vec![0.0; 16];
            forward(size, w, b, e, &words, &mut y, &mut Memory::default());
            y
        };
        let mut memory = Memory::default();
        let saved = forward(size, &w, &b, &e, &words, &mut [0.0; 16], &mut memory);
        let (mut dw, mut db, mut de) = (vec![0.0; 36], vec![0.0; 4], vec![0.0; 12]);
        backward(size, &w, &mut dw, &mut db, &e, &mut de, &words, &saved, &dy, &mut memory);
        check("W", &w, &dw, |w| weighted(&run(w, &b, &e), &dy));
        check("b", &b, &db, |b| weighted(&run(&w, b, &e), &dy));
        check("E", &e, &de, |e| weighted(&run(&w, &b, e), &dy));
    }
}
