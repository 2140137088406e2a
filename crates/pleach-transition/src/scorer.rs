//! The seam between search and scorer: searches ask, scorers answer, learners are told what should change.
//!
//! A search never knows who scores. It asks about places, configurations or sites of them, of one or of many sentences,
//! and gets a row of scores for each: a linear model answers question by question, a network answers all of them at
//! once. Learning is the same interface with signs: at this place, this action should be worth more or less.

use crate::Node;
use crate::graph::state::State;
use crate::tree::state::State as TreeState;
use crate::tree::system::Site;

/// Where an action would happen.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// A configuration of a graph system.
    Graph(&'a State),
    /// A site of a configuration of a tree system.
    Tree(&'a TreeState, Site),
    /// An arc between the top of the stack and the front of the buffer of a graph system. What is asked for are its
    /// labels, of which 0 stands for none; only searches over [`factors`](crate::graph::factors) ask.
    Arc(&'a State, Side),
}

/// Which way an arc between the top of the stack and the front of the buffer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// From the front to the top.
    Left,
    /// From the top to the front.
    Right,
}

impl Side {
    /// Both, in the order of [`Factors::sides`](crate::graph::factors::Factors::sides).
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// The head and the dependent of such an arc.
    #[inline]
    pub fn arc(self, state: &State) -> (Node, Node) {
        let (top, front) = (state.stack_at(0), state.buffer_at(0));
        match self {
            Side::Left => (front, top),
            Side::Right => (top, front),
        }
    }
}

/// A place in one of the sentences that a scorer is bound to.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The sentence's number.
    pub sentence: usize,
    /// The place.
    pub place: Place<'a>,
}

impl<'a> Question<'a> {
    /// A configuration of the only sentence.
    pub fn state(state: &'a State) -> Self {
        Question { sentence: 0, place: Place::Graph(state) }
    }

    /// The labels of an arc of the only sentence.
    pub fn arc(state: &'a State, side: Side) -> Self {
        Question { sentence: 0, place: Place::Arc(state, side) }
    }

    /// A site of the only sentence.
    pub fn site(state: &'a TreeState, site: Site) -> Self {
        Question { sentence: 0, place: Place::Tree(state, site) }
    }
}

/// Several questions, to be answered together; a search gives them without collecting them anywhere.
pub trait Questions {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The question of a number.
    fn get(&self, number: usize) -> Question<'_>;
}

/// One question.
impl Questions for Question<'_> {
    fn len(&self) -> usize {
        1
    }

    fn get(&self, _: usize) -> Question<'_> {
        *self
    }
}

/// Scores the actions at places of the sentences that it is bound to.
pub trait Scorer {
    /// Writes a row with the score of every action (of every choice where actions are taken apart, of every label for an
    /// arc), legal or not, for each question; `rows` has room for just that. Questions that come together have rows of one
    /// width.
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]);

    /// For tree systems: how many tokens to the left of a site's left token, and to the right of its right one, the
    /// scores depend on. What hangs on these tokens counts too, but not where O ends. Searches keep rows that a transition
    /// can't have changed. `usize::MAX` says that scores may depend on anything: after every transition, SHIFT too, all active
    /// sites are asked about again.
    fn reach(&self) -> usize {
        usize::MAX
    }

    /// Says that hardly any part of a place will be asked about again, as in greedy search: a scorer that keeps what
    /// places share need not.
    fn expect_few_repeats(&mut self) {}
}

/// A scorer that learns.
pub trait Learn: Scorer {
    /// At a place, an action should be worth more by `amount`, or less if that is negative: the negative gradient of a
    /// loss by the action's score.
    fn change_action(&mut self, question: Question<'_>, action: u32, amount: f32);

    /// What was told since the last demand is one, whose loss is this with the present weights. A scorer that hears of
    /// several demands before it changes anything may look again when their turn comes, and leave out what is met by then.
    fn demand(&mut self, loss: f32) {
        let _ = loss;
    }
}

/// A function of configurations is a scorer of graph systems.
impl<F: FnMut(&State, &mut [f32])> Scorer for F {
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        let width = rows.len() / questions.len().max(1);
        for (number, row) in rows.chunks_exact_mut(width.max(1)).enumerate() {
            if let Place::Graph(state) = questions.get(number).place {
                self(state, row);
            }
        }
    }
}
