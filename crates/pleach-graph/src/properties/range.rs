//! Range queries: sums over prefixes, and the first large value in a range.

use super::edges::Edge;

/// A Fenwick tree: counts at places, sums over ranges, both O(log n).
pub(super) struct Counts {
    sums: Vec<u64>,
}

impl Counts {
    pub(super) fn new(places: usize) -> Self {
        Counts { sums: vec![0; places + 1] }
    }

    pub(super) fn add(&mut self, place: usize) {
        let mut i = place + 1;
        while i < self.sums.len() {
            self.sums[i] += 1;
            i += i & i.wrapping_neg();
        }
    }

    fn below(&self, place: usize) -> u64 {
        let mut i = place.min(self.sums.len() - 1);
        let mut sum = 0;
        while i > 0 {
            sum += self.sums[i];
            i &= i - 1;
        }
        sum
    }

    /// The count at places strictly between two places.
    pub(super) fn between(&self, low: usize, high: usize) -> u64 {
        self.below(high) - self.below((low + 1).min(high))
    }
}

/// A tree of maxima. Values can be set and cleared and the first value above a bound found, both O(log n).
#[derive(Clone)]
pub(super) struct Maxima {
    leaves: usize,
    /// 0 means that there is no value.
    tree: Vec<u32>,
}

impl Maxima {
    pub(super) fn new(values: impl ExactSizeIterator<Item = u32>) -> Self {
        let leaves = values.len().next_power_of_two();
        let mut tree = vec![0; 2 * leaves];
        for (place, value) in values.enumerate() {
            tree[leaves + place] = value;
        }
        for i in (1..leaves).rev() {
            tree[i] = tree[2 * i].max(tree[2 * i + 1]);
        }
        Maxima { leaves, tree }
    }

    pub(super) fn clear(&mut self, place: usize) {
        self.set(place, 0);
    }

    pub(super) fn set(&mut self, place: usize, value: u32) {
        let mut i = self.leaves + place;
        self.tree[i] = value;
        while i > 1 {
            i /= 2;
            self.tree[i] = self.tree[2 * i].max(self.tree[2 * i + 1]);
        }
    }

    /// The first place in `low..high` whose value is above `bound`.
    pub(super) fn first_above(&self, low: usize, high: usize, bound: u32) -> Option<usize> {
        if low >= high {
            return None;
        }
        let mut i = self.leaves + low;
        // Climb until a subtree to the right of everything seen holds such a value.
        while self.tree[i] <= bound {
            while i & 1 == 1 {
                i >>= 1;
                if i <= 1 {
                    return None;
                }
            }
            i += 1;
            if i.is_power_of_two() {
                return None;
            }
        }
        while i < self.leaves {
            i *= 2;
            if self.tree[i] <= bound {
                i += 1;
            }
        }
        let place = i - self.leaves;
        (place < high).then_some(place)
    }
}

/// Finds edges that cross a given one; edges can be taken out and put back.
#[derive(Clone)]
pub(super) struct Crossers<'a> {
    edges: &'a [Edge],
    /// Right ends, in the order of the edges.
    rights: Maxima,
    /// The edges sorted by right, then left end.
    by_right: Vec<u32>,
    place_by_right: Vec<u32>,
    /// Left ends turned around, in the order of `by_right`.
    lefts: Maxima,
}

impl<'a> Crossers<'a> {
    pub(super) fn new(edges: &'a [Edge]) -> Self {
        let rights = Maxima::new(edges.iter().map(|edge| edge.right.0));
        let mut by_right: Vec<u32> = (0..edges.len() as u32).collect();
        by_right.sort_unstable_by_key(|&i| (edges[i as usize].right, edges[i as usize].left));
        let mut place_by_right = vec![0; edges.len()];
        for (place, &i) in by_right.iter().enumerate() {
            place_by_right[i as usize] = place as u32;
        }
        let lefts = Maxima::new(by_right.iter().map(|&i| u32::MAX - edges[i as usize].left.0));
        Crossers { edges, rights, by_right, place_by_right, lefts }
    }

    /// An edge that crosses this one and ends to its right, searched from the edge `from` on.
    pub(super) fn to_the_right(&self, edge: Edge, from: usize) -> Option<usize> {
        let low = self.edges.partition_point(|other| other.left <= edge.left).max(from);
        let high = self.edges.partition_point(|other| other.left < edge.right);
        self.rights.first_above(low, high, edge.right.0)
    }

    fn to_the_left(&self, edge: Edge) -> Option<usize> {
        let right = |&i: &u32| self.edges[i as usize].right;
        let low = self.by_right.partition_point(|i| right(i) <= edge.left);
        let high = self.by_right.partition_point(|i| right(i) < edge.right);
        let place = self.lefts.first_above(low, high, u32::MAX - edge.left.0);
        place.map(|place| self.by_right[place] as usize)
    }

    /// Any edge that crosses this one.
    pub(super) fn any(&self, edge: Edge) -> Option<usize> {
        self.to_the_right(edge, 0).or_else(|| self.to_the_left(edge))
    }

    /// Takes an edge out.
    pub(super) fn remove(&mut self, edge: usize) {
        self.rights.clear(edge);
        self.lefts.clear(self.place_by_right[edge] as usize);
    }

    /// Takes all edges out.
    pub(super) fn remove_all(&mut self) {
        self.rights.tree.fill(0);
        self.lefts.tree.fill(0);
    }

    /// Puts an edge back.
    pub(super) fn put_back(&mut self, edge: usize) {
        let Edge { left, right } = self.edges[edge];
        self.rights.set(edge, right.0);
        self.lefts.set(self.place_by_right[edge] as usize, u32::MAX - left.0);
    }
}
