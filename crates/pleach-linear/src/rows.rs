//! Tables of feature weights, as scoring sees them: in steps, so that memory has time to come.
//!
//! A row lies in memory that is far away. Who has many keys to add goes through all of them once for each step (`Queue`),
//! and each step starts to load what the next one reads: the filter's bits, the slots, the rows.

/// Where a row is; what the two numbers are is the table's own business.
pub type Place = (u32, u32);

/// A table of feature weights.
pub trait Rows {
    /// What weights are summed up in.
    type Sum: Copy + Default + std::ops::AddAssign;

    /// Adds the rows of some keys to the sums of all choices; `found` is memory to work in.
    fn add(&self, keys: &[u64], found: &mut Vec<Place>, sums: &mut [Self::Sum]);

    /// Starts to load what [`Rows::sift`] will read.
    #[inline]
    fn expect(&self, keys: &[u64]) {
        let _ = keys;
    }

    /// Moves those keys of `keys[from..end]` that may have rows to `to` (which is not behind `from`) and the places after it, and
    /// starts to load what [`Rows::find`] will read; gives the place after the last one.
    fn sift(&self, keys: &mut [u64], from: usize, end: usize, to: usize) -> usize;

    /// Says where the rows of some keys are, and starts to load them.
    fn find(&self, keys: &[u64], found: &mut Vec<Place>);

    /// Adds rows that were found.
    fn add_found(&self, found: &[Place], sums: &mut [Self::Sum]);

    /// Makes the sums those of rows that were found, whatever they were.
    fn sum_found(&self, found: &[Place], sums: &mut [Self::Sum]) {
        sums.fill(Self::Sum::default());
        self.add_found(found, sums);
    }

    /// Adds the rows of keys that [`Rows::expect`] was told of, all steps in one, and empties the list.
    fn add_expected(&self, keys: &mut Vec<u64>, found: &mut Vec<Place>, sums: &mut [Self::Sum]) {
        self.add_in_steps(keys, found, sums);
    }

    /// The same one step after the other, whatever the rows are.
    fn add_in_steps(&self, keys: &mut Vec<u64>, found: &mut Vec<Place>, sums: &mut [Self::Sum]) {
        let all = keys.len();
        let kept = self.sift(keys, 0, all, 0);
        found.clear();
        self.find(&keys[..kept], found);
        self.add_found(found, sums);
        keys.clear();
    }

    /// The score that a sum stands for.
    fn score(&self, sum: Self::Sum) -> f32;
}

impl<R: Rows> Rows for &R {
    type Sum = R::Sum;

    #[inline]
    fn add(&self, keys: &[u64], found: &mut Vec<Place>, sums: &mut [Self::Sum]) {
        (**self).add(keys, found, sums);
    }

    #[inline]
    fn expect(&self, keys: &[u64]) {
        (**self).expect(keys);
    }

    #[inline]
    fn sift(&self, keys: &mut [u64], from: usize, end: usize, to: usize) -> usize {
        (**self).sift(keys, from, end, to)
    }

    #[inline]
    fn find(&self, keys: &[u64], found: &mut Vec<Place>) {
        (**self).find(keys, found);
    }

    #[inline]
    fn add_found(&self, found: &[Place], sums: &mut [Self::Sum]) {
        (**self).add_found(found, sums);
    }

    #[inline]
    fn sum_found(&self, found: &[Place], sums: &mut [Self::Sum]) {
        (**self).sum_found(found, sums);
    }

    #[inline]
    fn add_expected(&self, keys: &mut Vec<u64>, found: &mut Vec<Place>, sums: &mut [Self::Sum]) {
        (**self).add_expected(keys, found, sums);
    }

    #[inline]
    fn score(&self, sum: Self::Sum) -> f32 {
        (**self).score(sum)
    }
}

/// Keys that wait to be added, in runs: those of a run go to the same sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    pub keys: Vec<u64>,
    /// Where the runs end: in `keys`, and once they were looked up in `found`.
    ends: Vec<u32>,
    found: Vec<Place>,
}

impl Queue {
    /// Ends the run of the keys that were pushed since the last one.
    #[inline]
    pub fn end_run(&mut self) {
        self.ends.push(self.keys.len() as u32);
    }

    /// Drops the keys that have no rows, first step.
    pub fn sift(&mut self, rows: &impl Rows) {
        let (mut from, mut to) = (0, 0);
        for end in &mut self.ends {
            let next = *end as usize;
            to = rows.sift(&mut self.keys, from, next, to);
            from = next;
            *end = to as u32;
        }
    }

    /// Looks the others up, second step.
    pub fn find(&mut self, rows: &impl Rows) {
        self.found.clear();
        let mut from = 0;
        for end in &mut self.ends {
            let next = *end as usize;
            rows.find(&self.keys[from..next], &mut self.found);
            from = next;
            *end = self.found.len() as u32;
        }
        self.keys.clear();
    }

    /// Gives the rows of each run, third step; then it is empty.
    pub fn drain(&mut self, mut add: impl FnMut(usize, &[Place])) {
        let mut from = 0;
        for (run, &end) in self.ends.iter().enumerate() {
            add(run, &self.found[from..end as usize]);
            from = end as usize;
        }
        self.ends.clear();
    }
}
