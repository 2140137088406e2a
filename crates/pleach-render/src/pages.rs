//! Which arcs go above the words and which below: the two pages of a book.
//!
//! Arcs cross when exactly one end of each lies strictly inside the other. A book with two pages exists
//! where the graph of crossings is bipartite; each connected component of it is coloured by breadth-first
//! search that finds the crossing arcs not yet seen in two range trees, O(m log m) for m arcs however many
//! pairs cross. Components of pagenumber 3 and more keep some crossings on one page; moving single arcs
//! brings their number down to a local minimum.
//!
//! Invariant: two arcs of one page cross only within a component that has no two-page drawing.

/// The side of the words on which an arc is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Above the words.
    #[default]
    Above,
    /// Below the words.
    Below,
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::Above => Side::Below,
            Side::Below => Side::Above,
        }
    }
}

/// The two ends of an arc, the smaller first.
pub type Span = (u32, u32);

/// Components with more arcs than this are left as breadth-first search coloured them.
const LARGEST_SEARCH: usize = 600;

/// Whether two arcs cross.
pub fn cross(a: Span, b: Span) -> bool {
    (a.0 < b.0 && b.0 < a.1 && a.1 < b.1) || (b.0 < a.0 && a.0 < b.1 && b.1 < a.1)
}

/// A side for each span, in their order. Arcs that cross nothing are above; in each component of crossing
/// arcs the larger part is.
pub fn assign(spans: &[Span]) -> Vec<Side> {
    let mut unique: Vec<Span> = spans.iter().copied().filter(|span| span.1 > span.0 + 1).collect();
    unique.sort_unstable_by_key(|&(left, right)| (left, std::cmp::Reverse(right)));
    unique.dedup();
    let (mut sides, components) = colour(&unique);
    let odd = components_with_crossings(&unique, &sides, &components);
    for members in &components {
        if odd[members[0]] && members.len() <= LARGEST_SEARCH {
            improve(&unique, &mut sides, members);
        }
        let below = members.iter().filter(|&&arc| sides[arc] == Side::Below).count();
        if 2 * below > members.len() {
            for &arc in members {
                sides[arc] = sides[arc].other();
            }
        }
    }
    let side = |span: &Span| {
        let key = (span.0, std::cmp::Reverse(span.1));
        let found = unique.binary_search_by_key(&key, |&(left, right)| (left, std::cmp::Reverse(right)));
        found.map_or(Side::Above, |place| sides[place])
    };
    spans.iter().map(side).collect()
}

/// Colours each component of the crossing graph by breadth-first search; returns the colours and the
/// components with two arcs and more.
fn colour(spans: &[Span]) -> (Vec<Side>, Vec<Vec<usize>>) {
    let mut by_right: Vec<usize> = (0..spans.len()).collect();
    by_right.sort_unstable_by_key(|&arc| spans[arc].1);
    let mut farthest_right = Farthest::new(spans.iter().map(|span| i64::from(span.1)));
    let mut farthest_left = Farthest::new(by_right.iter().map(|&arc| -i64::from(spans[arc].0)));
    let mut rank = vec![0; spans.len()];
    for (place, &arc) in by_right.iter().enumerate() {
        rank[arc] = place;
    }
    let mut sides = vec![Side::Above; spans.len()];
    let mut seen = vec![false; spans.len()];
    let mut components = Vec::new();
    for start in 0..spans.len() {
        if seen[start] {
            continue;
        }
        let mut members = vec![start];
        seen[start] = true;
        farthest_right.remove(start);
        farthest_left.remove(rank[start]);
        let mut next = 0;
        while next < members.len() {
            let arc = members[next];
            let (left, right) = spans[arc];
            next += 1;
            loop {
                // Arcs that start inside and end beyond, then arcs that end inside and start before.
                let starts = spans.partition_point(|span| span.0 <= left)
                    ..spans.partition_point(|span| span.0 < right);
                let ends = by_right.partition_point(|&other| spans[other].1 <= left)
                    ..by_right.partition_point(|&other| spans[other].1 < right);
                let beyond = farthest_right.find(starts, i64::from(right));
                let before = || farthest_left.find(ends, -i64::from(left)).map(|place| by_right[place]);
                let Some(found) = beyond.or_else(before) else { break };
                seen[found] = true;
                farthest_right.remove(found);
                farthest_left.remove(rank[found]);
                sides[found] = sides[arc].other();
                members.push(found);
            }
        }
        if members.len() > 1 {
            components.push(members);
        }
    }
    (sides, components)
}

/// For each arc, whether its component has two crossing arcs on one side.
fn components_with_crossings(spans: &[Span], sides: &[Side], components: &[Vec<usize>]) -> Vec<bool> {
    let mut crossing = vec![false; spans.len()];
    for side in [Side::Above, Side::Below] {
        let mut open: Vec<u32> = Vec::new();
        for (arc, &(left, right)) in spans.iter().enumerate().filter(|&(arc, _)| sides[arc] == side) {
            while open.last().is_some_and(|&end| end <= left) {
                open.pop();
            }
            crossing[arc] = open.last().is_some_and(|&end| end < right);
            open.push(right);
        }
    }
    for members in components {
        if members.iter().any(|&arc| crossing[arc]) {
            for &arc in members {
                crossing[arc] = true;
            }
        }
    }
    crossing
}

/// Moves arcs to the side where they cross fewer others, until none can. Each move lowers the number of
/// crossings, so this ends.
fn improve(spans: &[Span], sides: &mut [Side], members: &[usize]) {
    let mut moved = true;
    while moved {
        moved = false;
        for &arc in members {
            let mut excess = 0;
            for &other in members.iter().filter(|&&other| cross(spans[arc], spans[other])) {
                excess += if sides[other] == sides[arc] { 1 } else { -1 };
            }
            if excess > 0 {
                sides[arc] = sides[arc].other();
                moved = true;
            }
        }
    }
}

/// A tree of maxima over a row of values from which values are taken out.
struct Farthest {
    size: usize,
    tree: Vec<i64>,
}

impl Farthest {
    fn new(values: impl ExactSizeIterator<Item = i64>) -> Self {
        let size = values.len().next_power_of_two();
        let mut tree = vec![i64::MIN; 2 * size];
        for (place, value) in values.enumerate() {
            tree[size + place] = value;
        }
        for node in (1..size).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
        Farthest { size, tree }
    }

    fn remove(&mut self, place: usize) {
        let mut node = self.size + place;
        self.tree[node] = i64::MIN;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].max(self.tree[2 * node + 1]);
        }
    }

    /// A place within the range whose value is above the bound.
    fn find(&self, range: std::ops::Range<usize>, bound: i64) -> Option<usize> {
        let (mut low, mut high) = (self.size + range.start, self.size + range.end);
        while low < high {
            for node in [(low % 2 == 1).then_some(low), (high % 2 == 1).then(|| high - 1)] {
                if let Some(mut node) = node.filter(|&node| self.tree[node] > bound) {
                    while node < self.size {
                        node = if self.tree[2 * node] > bound { 2 * node } else { 2 * node + 1 };
                    }
                    return Some(node - self.size);
                }
            }
            low = low.div_ceil(2);
            high /= 2;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two pages are enough, by trying all assignments.
    fn two_pages(spans: &[Span]) -> bool {
        (0u32..1 << spans.len()).any(|sides| {
            let side = |arc: usize| sides >> arc & 1;
            (0..spans.len()).all(|a| (0..a).all(|b| side(a) != side(b) || !cross(spans[a], spans[b])))
        })
    }

    fn crossings(spans: &[Span], sides: &[Side]) -> usize {
        let pairs = (0..spans.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.filter(|&(a, b)| sides[a] == sides[b] && cross(spans[a], spans[b])).count()
    }

    #[test]
    fn two_pages_are_found_exactly_when_they_exist() {
        // All graphs over the ten spans of five words, and a sample of the twenty-one of seven.
        let all = |n: u32| -> Vec<Span> { (1..=n).flat_map(|a| (a + 1..=n).map(move |b| (a, b))).collect() };
        let five = all(5);
        let seven = all(7);
        let mut odd = 0;
        let subsets = (0u32..1 << five.len()).map(|set| (&five, set));
        let sample = (0u32..2000).map(|i| (&seven, i.wrapping_mul(2_654_435_761) >> 11));
        for (pool, set) in subsets.chain(sample) {
            let spans: Vec<Span> =
                (0..pool.len()).filter(|i| set >> i & 1 == 1).map(|i| pool[i]).take(14).collect();
            let sides = assign(&spans);
            let possible = two_pages(&spans);
            odd += usize::from(!possible);
            assert_eq!(crossings(&spans, &sides) == 0, possible, "{spans:?} {sides:?}");
        }
        assert!(odd > 0);
    }

    #[test]
    fn arcs_that_cross_nothing_stay_above() {
        let spans = [(1, 9), (2, 4), (3, 5), (6, 7), (2, 4)];
        let sides = assign(&spans);
        assert_eq!((sides[0], sides[3]), (Side::Above, Side::Above));
        assert_ne!(sides[1], sides[2]);
        assert_eq!(sides[1], sides[4]);
    }

    #[test]
    fn many_crossing_arcs_take_no_long_time() {
        let spans: Vec<Span> = (0..60_000).map(|i| (i, i + 60_000)).collect();
        assert_eq!(assign(&spans).len(), spans.len());
    }
}
