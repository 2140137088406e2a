//! The arguments of one predicate, or the predicates of one argument, as a Markov chain (`du-2015` sections 3.2, 3.3).
//!
//! A chain has *choices*, each at a place of the sentence; several choices at one place are the labels that an arc
//! to it can have. A solution is a sequence of choices with rising places, possibly empty, and its score is
//!
//! `Σ one(a_j) + Σ two(a_{j-1}, a_j) + Σ three(a_{j-2}, a_{j-1}, a_j)`
//!
//! over `a_1 … a_m`, with `a_0` = [`EDGE`] and `a_{m+1}` = [`EDGE`] as the borders of pairs and triples. A chain of
//! order k has the factors up to k neighbours. With m choices the best sequence takes O(m^k) time, and O(c·m^k)
//! when it may have at most c choices; memory is O(m^k) for the scores. Ties go to the sequence that stops earlier,
//! then to choices further left, so results never depend on anything but the scores.

/// The border of a chain, before the first choice and behind the last one.
pub const EDGE: usize = usize::MAX;

/// How many neighbouring choices a factor sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// Every choice alone.
    First,
    /// Neighbouring pairs too.
    Second,
    /// Neighbouring triples too.
    Third,
}

impl Order {
    /// The most choices that a chain of this order takes, so that no sentence needs more than some megabytes: a
    /// caller keeps the best ones.
    pub fn most_choices(self) -> usize {
        match self {
            Order::First => 1 << 16,
            Order::Second => 256,
            Order::Third => 40,
        }
    }
}

/// The choices of one word and the scores of their factors.
#[derive(Clone, Debug)]
pub struct Chain {
    order: Order,
    /// The most choices that a sequence may have.
    limit: usize,
    /// The place of every choice, rising.
    places: Vec<u32>,
    one: Vec<f32>,
    /// `two[(a + 1) * (m + 1) + b]`, where a is -1 for the left border and b is m for the right one.
    two: Vec<f32>,
    /// `three[((z + 1) * (m + 1) + a + 1) * (m + 1) + b]` likewise.
    three: Vec<f32>,
}

/// The memory that decoding works in.
#[derive(Clone, Debug, Default)]
pub struct ChainScratch {
    one: Vec<f64>,
    best: Vec<f64>,
    /// The cell before, in the same numbering as `best`; `u32::MAX` behind the border.
    back: Vec<u32>,
}

const BORDER: u32 = u32::MAX;

impl Chain {
    /// A chain without choices.
    pub fn new(order: Order) -> Self {
        Chain {
            order,
            limit: usize::MAX,
            places: Vec::new(),
            one: Vec::new(),
            two: Vec::new(),
            three: Vec::new(),
        }
    }

    /// Starts anew with choices at some places: all scores are 0, sequences may have up to `limit` choices.
    ///
    /// # Panics
    /// When the places fall, or when there are more than [`Order::most_choices`].
    pub fn reset(&mut self, places: impl IntoIterator<Item = u32>, limit: usize) {
        self.places.clear();
        self.places.extend(places);
        let len = self.places.len();
        assert!(self.places.is_sorted(), "the choices of a chain stand in order");
        assert!(len <= self.order.most_choices(), "a chain with {len} choices");
        self.limit = limit;
        self.one.clear();
        self.one.resize(len, 0.0);
        self.two.clear();
        self.three.clear();
        if self.order >= Order::Second {
            self.two.resize((len + 1).pow(2), 0.0);
        }
        if self.order == Order::Third {
            self.three.resize((len + 1).pow(3), 0.0);
        }
    }

    /// How many choices there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is nothing to choose.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The order of the chain.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The places of the choices.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// The score of a choice.
    #[inline]
    pub(super) fn one(&self, choice: usize) -> f64 {
        self.one[choice].into()
    }

    /// The score of a choice, to be set.
    pub fn one_mut(&mut self, choice: usize) -> &mut f32 {
        &mut self.one[choice]
    }

    /// The score of two neighbours, one of which may be [`EDGE`]; both are in the empty sequence. For chains of second and
    /// third order.
    pub fn two_mut(&mut self, left: usize, right: usize) -> &mut f32 {
        let place = self.pair(left, right);
        &mut self.two[place]
    }

    /// The score of three neighbours, of which the first or the last may be [`EDGE`], or both. For chains of third order.
    pub fn three_mut(&mut self, first: usize, middle: usize, last: usize) -> &mut f32 {
        let place = self.triple(first, middle, last);
        &mut self.three[place]
    }

    #[inline]
    pub(super) fn pair(&self, left: usize, right: usize) -> usize {
        left.wrapping_add(1) * (self.len() + 1) + right.min(self.len())
    }

    #[inline]
    fn triple(&self, first: usize, middle: usize, last: usize) -> usize {
        (first.wrapping_add(1) * (self.len() + 1) + middle.wrapping_add(1)) * (self.len() + 1)
            + last.min(self.len())
    }

    #[inline]
    pub(super) fn pair_score(&self, left: usize, right: usize) -> f64 {
        self.two[self.pair(left, right)].into()
    }

    #[inline]
    fn triple_score(&self, first: usize, middle: usize, last: usize) -> f64 {
        self.three[self.triple(first, middle, last)].into()
    }

    /// Whether a sequence has rising places and is no longer than the limit.
    pub fn allows(&self, sequence: &[usize]) -> bool {
        sequence.len() <= self.limit && sequence.is_sorted_by(|&a, &b| self.places[a] < self.places[b])
    }

    /// The score of a sequence of choices, with `extra` added to the score of every choice.
    pub fn score(&self, sequence: &[usize], extra: impl Fn(usize) -> f64) -> f64 {
        let at = |place: usize| sequence.get(place).copied().unwrap_or(EDGE);
        let mut score = 0.0;
        for place in 0..=sequence.len() {
            let before = at(place.wrapping_sub(1));
            if at(place) != EDGE {
                score += f64::from(self.one[at(place)]) + extra(at(place));
            }
            if self.order >= Order::Second {
                score += self.pair_score(before, at(place));
            }
            if self.order == Order::Third && before != EDGE {
                score += self.triple_score(at(place.wrapping_sub(2)), before, at(place));
            }
        }
        score
    }

    /// Writes the best sequence to `sequence` and returns its score, with `extra` added to the score of every choice.
    pub fn decode(
        &self,
        extra: impl Fn(usize) -> f64,
        scratch: &mut ChainScratch,
        sequence: &mut Vec<usize>,
    ) -> f64 {
        scratch.one.clear();
        scratch.one.extend(self.one.iter().enumerate().map(|(choice, one)| f64::from(*one) + extra(choice)));
        sequence.clear();
        if self.is_empty() || self.limit == 0 {
            return self.score(sequence, extra);
        }
        match self.order {
            Order::First => self.decode_first(scratch, sequence),
            Order::Second => self.decode_second(scratch, sequence),
            Order::Third => self.decode_third(scratch, sequence),
        }
    }

    /// Layers of cells: with a limit, layer c has the sequences of c + 1 choices and builds on layer c - 1; without one,
    /// a single layer builds on itself. Returns the number of layers and how far the layer before is away.
    fn layers(&self) -> (usize, usize) {
        let different = self.places.chunk_by(|a, b| a == b).count();
        if self.limit < different { (self.limit, 1) } else { (1, 0) }
    }

    /// `Σ max(0, one(a))` over the best choice of each place; with a limit, over the best of those.
    fn decode_first(&self, scratch: &mut ChainScratch, sequence: &mut Vec<usize>) -> f64 {
        let ChainScratch { one, .. } = scratch;
        let mut start = 0;
        for choices in self.places.chunk_by(|a, b| a == b) {
            let range = start..start + choices.len();
            start = range.end;
            let best = range.reduce(|best, choice| if one[choice] > one[best] { choice } else { best });
            sequence.extend(best.filter(|&best| one[best] > 0.0));
        }
        if sequence.len() > self.limit {
            sequence.sort_by(|&a, &b| one[b].total_cmp(&one[a]).then(a.cmp(&b)));
            sequence.truncate(self.limit);
            sequence.sort_unstable();
        }
        sequence.iter().map(|&choice| one[choice]).sum()
    }

    /// `best(b) = one(b) + max_a best(a) + two(a, b)` over the border and all a to the left of b.
    fn decode_second(&self, scratch: &mut ChainScratch, sequence: &mut Vec<usize>) -> f64 {
        let len = self.len();
        let (layers, down) = self.layers();
        let ChainScratch { one, best, back } = scratch;
        best.clear();
        best.resize(layers * len, f64::NEG_INFINITY);
        back.clear();
        back.resize(layers * len, BORDER);
        let (mut top, mut end) = (self.pair_score(EDGE, EDGE), BORDER);
        for layer in 0..layers {
            for b in 0..len {
                let (mut score, mut from) = (f64::NEG_INFINITY, BORDER);
                if layer == 0 {
                    score = self.pair_score(EDGE, b);
                }
                if let Some(below) = layer.checked_sub(down) {
                    let left = self.places.partition_point(|&place| place < self.places[b]);
                    for a in 0..left {
                        let cell = below * len + a;
                        let found = best[cell] + self.pair_score(a, b);
                        if found > score {
                            (score, from) = (found, cell as u32);
                        }
                    }
                }
                let cell = layer * len + b;
                best[cell] = score + one[b];
                back[cell] = from;
                let whole = best[cell] + self.pair_score(b, EDGE);
                if whole > top {
                    (top, end) = (whole, cell as u32);
                }
            }
        }
        walk(back, end, len, sequence);
        top
    }

    /// `best(a, b) = one(b) + two(a, b) + max_z best(z, a) + three(z, a, b)`, where z and a may be the border.
    fn decode_third(&self, scratch: &mut ChainScratch, sequence: &mut Vec<usize>) -> f64 {
        let len = self.len();
        let (layers, down) = self.layers();
        let ChainScratch { one, best, back } = scratch;
        // Cell (layer, a + 1, b), so that column 0 stands for the border.
        let size = (len + 1) * len;
        let cell_of = |layer: usize, a: usize, b: usize| layer * size + a.wrapping_add(1) * len + b;
        best.clear();
        best.resize(layers * size, f64::NEG_INFINITY);
        back.clear();
        back.resize(layers * size, BORDER);
        let (mut top, mut end) = (self.pair_score(EDGE, EDGE), BORDER);
        for layer in 0..layers {
            for b in 0..len {
                if layer == 0 {
                    let cell = cell_of(0, EDGE, b);
                    best[cell] = one[b] + self.pair_score(EDGE, b);
                }
                if let Some(below) = layer.checked_sub(down) {
                    let left = self.places.partition_point(|&place| place < self.places[b]);
                    for a in 0..left {
                        let further = self.places.partition_point(|&place| place < self.places[a]);
                        let (mut score, mut from) = (f64::NEG_INFINITY, BORDER);
                        for z in std::iter::once(EDGE).chain(0..further) {
                            let cell = cell_of(below, z, a);
                            let found = best[cell] + self.triple_score(z, a, b);
                            if found > score {
                                (score, from) = (found, cell as u32);
                            }
                        }
                        let cell = cell_of(layer, a, b);
                        best[cell] = score + one[b] + self.pair_score(a, b);
                        back[cell] = from;
                    }
                }
                for a in std::iter::once(EDGE).chain(0..b) {
                    let cell = cell_of(layer, a, b);
                    let whole = best[cell] + self.pair_score(b, EDGE) + self.triple_score(a, b, EDGE);
                    if whole > top {
                        (top, end) = (whole, cell as u32);
                    }
                }
            }
        }
        walk(back, end, len, sequence);
        top
    }
}

/// Writes the choices on the way back from a cell, the first one first; cells are numbered so that the choice is the rest
/// of a division by the number of choices.
fn walk(back: &[u32], mut cell: u32, choices: usize, sequence: &mut Vec<usize>) {
    while cell != BORDER {
        sequence.push(cell as usize % choices);
        cell = back[cell as usize];
    }
    sequence.reverse();
}
