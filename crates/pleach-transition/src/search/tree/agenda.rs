//! The sites of a step whose rows are not known yet.

/// More sites than this are asked about in portions, so that the rows of long sentences never lie in memory all at once.
const PORTION: usize = 4096;

/// What a scorer has to be asked about, in order.
#[derive(Debug)]
pub(super) struct Agenda<T> {
    all: Vec<T>,
    /// How many are answered.
    done: usize,
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Agenda { all: Vec::new(), done: 0 }
    }
}

impl<T: Copy> Agenda<T> {
    /// Starts a step.
    pub fn clear(&mut self) {
        self.all.clear();
        self.done = 0;
    }

    #[inline]
    pub fn push(&mut self, item: T) {
        self.all.push(item);
    }

    /// What is asked about now.
    #[inline]
    pub fn portion(&self) -> &[T] {
        let rest = &self.all[self.done..];
        &rest[..rest.len().min(PORTION)]
    }

    /// The portion is answered; whether there is another one.
    pub fn pass(&mut self) -> bool {
        self.done += self.portion().len();
        !self.is_empty()
    }

    /// Whether all is answered.
    pub fn is_empty(&self) -> bool {
        self.done == self.all.len()
    }

    /// All items of the step, answered or not.
    pub fn all(&self) -> &[T] {
        &self.all
    }
}
