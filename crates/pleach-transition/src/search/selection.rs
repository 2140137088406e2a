//! The best candidates of a step of beam search.

/// A hypothesis to be: a parent in the beam and what is done there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<A> {
    pub score: f32,
    pub parent: u32,
    pub action: A,
}

impl<A: Copy + Ord> Candidate<A> {
    /// Higher scores come first, equal ones in the order of creation.
    #[inline]
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let place = |candidate: &Self| (candidate.parent, candidate.action);
        other.score.total_cmp(&self.score).then_with(|| place(self).cmp(&place(other)))
    }
}

/// Keeps the best of many candidates. Up to twice as many as wanted are collected, then cut: a cheap bounded selection.
#[derive(Debug)]
pub(crate) struct Selection<A> {
    candidates: Vec<Candidate<A>>,
    width: usize,
    /// The last one of the best so far, when there are enough.
    floor: Option<Candidate<A>>,
}

impl<A> Default for Selection<A> {
    fn default() -> Self {
        Selection { candidates: Vec::new(), width: 1, floor: None }
    }
}

impl<A: Copy + Ord> Selection<A> {
    /// Starts a step of a beam of this width.
    pub fn begin(&mut self, width: usize) {
        self.candidates.clear();
        self.width = width.max(1);
        self.floor = None;
    }

    /// Takes a candidate in if it can be among the best.
    #[inline]
    pub fn offer(&mut self, candidate: Candidate<A>) {
        if self.floor.is_some_and(|floor| candidate.order(&floor).is_ge()) {
            return;
        }
        self.candidates.push(candidate);
        if self.candidates.len() >= 2 * self.width.max(8) {
            let (_, last, _) = self.candidates.select_nth_unstable_by(self.width - 1, |a, b| a.order(b));
            self.floor = Some(*last);
            self.candidates.truncate(self.width);
        }
    }

    /// Whether a candidate of this score may be among the best; a cheap look before more is found out about it.
    #[inline]
    pub fn admits(&self, score: f32) -> bool {
        self.floor.is_none_or(|floor| score >= floor.score)
    }

    /// As [`Selection::offer`], but of all candidates that `same` says lead to the same place only the best is kept.
    #[inline]
    pub fn merge(&mut self, candidate: Candidate<A>, same: impl Fn(&A) -> bool) {
        match self.candidates.iter_mut().find(|other| same(&other.action)) {
            Some(other) if candidate.order(other).is_lt() => *other = candidate,
            Some(_) => {}
            None => self.offer(candidate),
        }
    }

    /// Cuts to the best ones and sorts them, best first.
    pub fn finish(&mut self) {
        self.candidates.sort_unstable_by(|a, b| a.order(b));
        self.candidates.truncate(self.width);
    }

    /// The candidates; the best ones in order after [`Selection::finish`].
    pub fn best(&self) -> &[Candidate<A>] {
        &self.candidates
    }
}
