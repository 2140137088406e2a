//! How high each arc rises, so that none runs along another.
//!
//! Arcs are stacked in the order given: each goes one level above everything it covers. A tree of maxima
//! with pending updates gives O(log n) per arc.

/// The heights that have been reached over a row of places.
pub struct Skyline {
    size: usize,
    /// The maximum within a node's range.
    highest: Vec<u32>,
    /// The height that the whole of a node's range has at least.
    floor: Vec<u32>,
}

impl Skyline {
    /// A flat skyline.
    pub fn new(places: usize) -> Self {
        let size = places.next_power_of_two();
        Skyline { size, highest: vec![0; 2 * size], floor: vec![0; 2 * size] }
    }

    /// Puts something over the places `from..to`; returns its level, 1 at the bottom.
    pub fn stack(&mut self, from: usize, to: usize) -> u32 {
        let level = 1 + self.query(1, 0, self.size, from, to);
        self.raise(1, 0, self.size, from, to, level);
        level
    }

    fn query(&self, node: usize, low: usize, high: usize, from: usize, to: usize) -> u32 {
        if to <= low || high <= from {
            return 0;
        }
        if from <= low && high <= to {
            return self.highest[node];
        }
        let middle = low.midpoint(high);
        let left = self.query(2 * node, low, middle, from, to);
        let right = self.query(2 * node + 1, middle, high, from, to);
        left.max(right).max(self.floor[node])
    }

    fn raise(&mut self, node: usize, low: usize, high: usize, from: usize, to: usize, level: u32) {
        if to <= low || high <= from {
            return;
        }
        self.highest[node] = self.highest[node].max(level);
        if from <= low && high <= to {
            self.floor[node] = self.floor[node].max(level);
            return;
        }
        let middle = low.midpoint(high);
        self.raise(2 * node, low, middle, from, to, level);
        self.raise(2 * node + 1, middle, high, from, to, level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_plain_array() {
        let mut heights = [0u32; 13];
        let mut skyline = Skyline::new(13);
        let mut state = 7u32;
        for _ in 0..200 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (from, length) = ((state >> 8) as usize % 12, (state >> 16) as usize % 4 + 1);
            let to = (from + length).min(13);
            let level = 1 + heights[from..to].iter().max().unwrap();
            heights[from..to].fill(level);
            assert_eq!(skyline.stack(from, to), level);
        }
    }
}
