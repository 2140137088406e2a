//! Candidate arcs and the scores of the second-order factors over them.
//!
//! The factors of an arc h → m (Carreras 2007, section 2; Bohnet 2010): the arc; its inner sibling, the child of h
//! between h and m that is nearest to m, or none; the outermost child of m on the side towards h, or none; and
//! the outermost child of m on the other side, or none. Only factors whose arcs are all candidates exist, so k
//! candidate heads a word make O(k·n) arcs and O(k²·n) factors.

/// A set of candidate arcs, sorted by head and dependent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    heads: Vec<u32>,
    dependents: Vec<u32>,
    /// Where the arcs of each head begin; one more than there are nodes.
    first: Vec<u32>,
    /// Where the arcs to the right of each head begin.
    turn: Vec<u32>,
}

impl Candidates {
    /// Takes (head, dependent) pairs over `nodes` nodes in any order; the same pair may come twice. Arcs into
    /// the root and loops are left out.
    pub fn reset(&mut self, nodes: usize, arcs: &mut Vec<(u32, u32)>) {
        arcs.retain(|&(head, dependent)| head != dependent && dependent != 0);
        arcs.sort_unstable();
        arcs.dedup();
        self.heads.clear();
        self.dependents.clear();
        self.heads.extend(arcs.iter().map(|arc| arc.0));
        self.dependents.extend(arcs.iter().map(|arc| arc.1));
        self.first.clear();
        self.turn.clear();
        let mut at = 0;
        for node in 0..nodes as u32 {
            self.first.push(at as u32);
            at += arcs[at..].partition_point(|&arc| arc < (node, node));
            self.turn.push(at as u32);
            at += arcs[at..].partition_point(|&arc| arc.0 <= node);
        }
        self.first.push(at as u32);
    }

    /// The number of nodes, the root counted.
    pub fn nodes(&self) -> usize {
        self.turn.len()
    }

    /// The number of arcs.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are no arcs.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The head of an arc.
    #[inline]
    pub fn head(&self, arc: usize) -> usize {
        self.heads[arc] as usize
    }

    /// The dependent of an arc.
    #[inline]
    pub fn dependent(&self, arc: usize) -> usize {
        self.dependents[arc] as usize
    }

    /// The arcs of a head, by their dependents.
    #[inline]
    pub fn of(&self, head: usize) -> std::ops::Range<usize> {
        self.first[head] as usize..self.first[head + 1] as usize
    }

    /// The arcs of a head to its left.
    #[inline]
    pub fn left_of(&self, head: usize) -> std::ops::Range<usize> {
        self.first[head] as usize..self.turn[head] as usize
    }

    /// The arcs of a head to its right.
    #[inline]
    pub fn right_of(&self, head: usize) -> std::ops::Range<usize> {
        self.turn[head] as usize..self.first[head + 1] as usize
    }

    /// The number of the arc from `head` to `dependent`, if it is a candidate.
    pub fn find(&self, head: usize, dependent: usize) -> Option<usize> {
        let arcs = self.of(head);
        let place = self.dependents[arcs.clone()].binary_search(&(dependent as u32)).ok()?;
        Some(arcs.start + place)
    }

    /// The arcs to the inner siblings that an arc can have: those of the same head and side that are shorter.
    #[inline]
    pub fn inner(&self, arc: usize) -> std::ops::Range<usize> {
        let head = self.head(arc);
        if self.dependent(arc) > head {
            self.turn[head] as usize..arc
        } else {
            arc + 1..self.turn[head] as usize
        }
    }
}

/// The scores of all factors over a set of candidates, or of its arcs alone.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The candidates.
    pub arcs: Candidates,
    /// The score of each arc.
    pub scores: Vec<f32>,
    siblings: Vec<f32>,
    grandchildren: Vec<f32>,
    /// Where the sibling scores of each arc begin: those of [`Candidates::inner`], then none.
    sibling_starts: Vec<usize>,
    /// Where the grandchild scores of each arc begin: those of [`Candidates::of`] the dependent, then none on its
    /// left and none on its right.
    grandchild_starts: Vec<usize>,
}

impl Parts {
    /// Makes room for the scores of `self.arcs`, all zero. Factors of second order are not there and count nothing.
    pub fn reset_first_order(&mut self) {
        self.scores.clear();
        self.scores.resize(self.arcs.len(), 0.0);
        self.sibling_starts.clear();
        self.grandchild_starts.clear();
        self.siblings.clear();
        self.grandchildren.clear();
    }

    /// Whether there are factors of second order.
    #[inline]
    pub fn is_second_order(&self) -> bool {
        !self.sibling_starts.is_empty()
    }

    /// Makes room for the factors of `self.arcs`, all with a score of zero.
    pub fn reset(&mut self) {
        self.reset_first_order();
        let arcs = &self.arcs;
        let (mut siblings, mut grandchildren) = (0, 0);
        for arc in 0..arcs.len() {
            self.sibling_starts.push(siblings);
            self.grandchild_starts.push(grandchildren);
            siblings += arcs.inner(arc).len() + 1;
            grandchildren += arcs.of(arcs.dependent(arc)).len() + 2;
        }
        self.siblings.resize(siblings, 0.0);
        self.grandchildren.resize(grandchildren, 0.0);
    }

    /// The scores of an arc with each of its inner siblings ([`Candidates::inner`]), and with none as the last.
    #[inline]
    pub fn siblings(&self, arc: usize) -> &[f32] {
        let start = self.sibling_starts[arc];
        &self.siblings[start..=start + self.arcs.inner(arc).len()]
    }

    /// The same scores, to be written.
    pub fn siblings_mut(&mut self, arc: usize) -> &mut [f32] {
        let start = self.sibling_starts[arc];
        &mut self.siblings[start..=start + self.arcs.inner(arc).len()]
    }

    /// The scores of an arc with each grandchild ([`Candidates::of`] its dependent), then with no grandchild on
    /// the left and with none on the right.
    #[inline]
    pub fn grandchildren(&self, arc: usize) -> &[f32] {
        let start = self.grandchild_starts[arc];
        &self.grandchildren[start..start + self.arcs.of(self.arcs.dependent(arc)).len() + 2]
    }

    /// The same scores, to be written.
    pub fn grandchildren_mut(&mut self, arc: usize) -> &mut [f32] {
        let start = self.grandchild_starts[arc];
        &mut self.grandchildren[start..start + self.arcs.of(self.arcs.dependent(arc)).len() + 2]
    }

    /// The score of an arc with an inner sibling (the number of its arc) or without one.
    #[inline]
    pub fn sibling(&self, arc: usize, inner: Option<usize>) -> f32 {
        if !self.is_second_order() {
            return 0.0;
        }
        let range = self.arcs.inner(arc);
        self.siblings[self.sibling_starts[arc] + inner.map_or(range.len(), |inner| inner - range.start)]
    }

    /// The score of an arc with an outermost grandchild (the number of its arc).
    #[inline]
    pub fn grandchild(&self, arc: usize, outer: usize) -> f32 {
        if !self.is_second_order() {
            return 0.0;
        }
        self.grandchildren[self.grandchild_starts[arc] + outer - self.arcs.of(self.arcs.dependent(arc)).start]
    }

    /// The score of an arc without a grandchild on one side of its dependent.
    #[inline]
    pub fn no_grandchild(&self, arc: usize, on_the_right: bool) -> f32 {
        if !self.is_second_order() {
            return 0.0;
        }
        let children = self.arcs.of(self.arcs.dependent(arc)).len();
        self.grandchildren[self.grandchild_starts[arc] + children + usize::from(on_the_right)]
    }
}
