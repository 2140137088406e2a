//! One driver for all searches: it carries questions to the scorer and scores back, for one sentence or for many at once.
//!
//! Complexity: that of the searches. Invariant: a search gets its rows in the order of its questions, so what it finds
//! does not depend on which other sentences are parsed with it.

use crate::scorer::{Place, Question, Questions, Scorer};

/// A search that goes step by step over the machine `M`.
pub trait Stepped<M> {
    /// How many places wait for scores; none when the search is over.
    fn open(&self) -> usize;

    /// One of them.
    fn place(&self, number: usize) -> Place<'_>;

    /// How wide the rows of the open places are; most searches only ever ask for rows of `usual` width.
    fn width(&self, machine: &M, usual: usize) -> usize {
        let _ = machine;
        usual
    }

    /// Takes a row of scores for each open place and goes a step further.
    fn advance(&mut self, machine: &M, rows: &[f32]);
}

/// The memory of the driver.
#[derive(Clone, Debug, Default)]
pub struct Lockstep {
    rows: Vec<f32>,
    /// The search and the number of each question.
    asked: Vec<(u32, u32)>,
}

/// The open places of one search.
struct Alone<'a, S, M> {
    search: &'a S,
    open: usize,
    machine: std::marker::PhantomData<fn(M)>,
}

impl<M, S: Stepped<M>> Questions for Alone<'_, S, M> {
    fn len(&self) -> usize {
        self.open
    }

    fn get(&self, number: usize) -> Question<'_> {
        Question { sentence: 0, place: self.search.place(number) }
    }
}

/// The open places of many searches.
struct Together<'a, S, M> {
    searches: &'a [S],
    asked: &'a [(u32, u32)],
    machine: std::marker::PhantomData<fn(M)>,
}

impl<M, S: Stepped<M>> Questions for Together<'_, S, M> {
    fn len(&self) -> usize {
        self.asked.len()
    }

    fn get(&self, number: usize) -> Question<'_> {
        let (search, place) = self.asked[number];
        Question { sentence: search as usize, place: self.searches[search as usize].place(place as usize) }
    }
}

impl Lockstep {
    /// Runs a search to its end; `width` is the number of actions.
    pub fn run<M, S: Stepped<M>>(
        &mut self,
        machine: &M,
        search: &mut S,
        width: usize,
        scorer: &mut (impl Scorer + ?Sized),
    ) {
        loop {
            let open = search.open();
            if open == 0 {
                return;
            }
            self.rows.resize(open * search.width(machine, width), 0.0);
            scorer.answer(&Alone { search, open, machine: std::marker::PhantomData }, &mut self.rows);
            search.advance(machine, &self.rows);
        }
    }

    /// Runs many searches to their ends, step by step together; the scorer is bound to their sentences in this order.
    pub fn run_all<M, S: Stepped<M>>(
        &mut self,
        machine: &M,
        searches: &mut [S],
        usual: usize,
        scorer: &mut (impl Scorer + ?Sized),
    ) {
        loop {
            self.asked.clear();
            // Questions that are asked together have rows of one width: that of the first search that is not at its end.
            let first = searches.iter().find(|search| search.open() > 0);
            let Some(width) = first.map(|search| search.width(machine, usual)) else { return };
            for (number, search) in searches.iter().enumerate() {
                if search.width(machine, usual) != width {
                    continue;
                }
                self.asked.extend((0..search.open()).map(|place| (number as u32, place as u32)));
            }
            self.rows.resize(self.asked.len() * width, 0.0);
            let machine_type = std::marker::PhantomData;
            scorer.answer(&Together { searches, asked: &self.asked, machine: machine_type }, &mut self.rows);
            let mut rows = self.rows.as_slice();
            for search in self.asked.chunk_by(|a, b| a.0 == b.0) {
                let (own, rest) = rows.split_at(search.len() * width);
                rows = rest;
                searches[search[0].0 as usize].advance(machine, own);
            }
        }
    }
}
