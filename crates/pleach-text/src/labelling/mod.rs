//! Sequence labelling by a global linear model: the machine under every stage from characters to lemmas.
//!
//! A stage says what its positions, labels and features are ([`Labelling`]); [`search::Search`] finds the best
//! labels with a beam in which equal histories are one, and [`learn`] turns one example into changes of weights.
//! Features that don't look at earlier labels are scored once a position, the others once a hypothesis.

pub mod learn;
pub mod search;

use pleach_graph::words::hash;
use std::fmt::Debug;

/// A sequence to be labelled.
pub trait Labelling {
    /// What the features of a position see of the labels before it.
    type History: Copy + Default + PartialEq + Debug + Send + 'static;

    /// The number of positions.
    fn len(&self) -> usize;

    /// Whether there are no positions.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of labels.
    fn labels(&self) -> usize;

    /// The label of a position where nothing is to be decided.
    fn only(&self, _position: usize, _history: &Self::History) -> Option<u16> {
        None
    }

    /// Whether a position may have a label. At least one label is allowed.
    fn allowed(&self, _position: usize, _label: u16) -> bool {
        true
    }

    /// The features that don't look at earlier labels.
    fn local(&self, position: usize, keys: &mut Keys);

    /// The features that do.
    fn historic(&self, _position: usize, _history: &Self::History, _keys: &mut Keys) {}

    /// The history behind a position.
    fn next(&self, _position: usize, history: Self::History, _label: u16) -> Self::History {
        history
    }
}

/// The keys of the features of one position. A feature's template is its place in the order of calls, so a stage
/// calls [`Keys::add`] or [`Keys::skip`] the same number of times for every position.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    keys: Vec<u64>,
    template: u32,
}

/// Templates of historic features have numbers from here on.
const HISTORIC: u32 = 1 << 16;

impl Keys {
    fn begin(&mut self, first: u32) {
        self.keys.clear();
        self.template = first;
    }

    /// Adds the feature of the next template.
    #[inline]
    pub fn add<const N: usize>(&mut self, values: [u32; N]) {
        let key = values.into_iter().fold(hash::seed(self.template), hash::mix);
        self.keys.push(hash::finish(key));
        self.template += 1;
    }

    /// Leaves out some templates.
    #[inline]
    pub fn skip(&mut self, templates: u32) {
        self.template += templates;
    }

    pub(crate) fn local<L: Labelling>(&mut self, labelling: &L, position: usize) -> &[u64] {
        self.begin(0);
        labelling.local(position, self);
        &self.keys
    }

    fn historic<L: Labelling>(&mut self, labelling: &L, position: usize, history: &L::History) -> &[u64] {
        self.begin(HISTORIC);
        labelling.historic(position, history, self);
        &self.keys
    }
}

#[cfg(test)]
pub(crate) mod toy {
    use super::*;

    /// Colours of beads: the label follows from the bead and from the label before.
    pub struct Beads(pub Vec<u32>);

    impl Labelling for Beads {
        type History = u16;

        fn len(&self) -> usize {
            self.0.len()
        }

        fn labels(&self) -> usize {
            3
        }

        fn allowed(&self, position: usize, label: u16) -> bool {
            self.0[position] != 7 || label != 1
        }

        fn local(&self, position: usize, keys: &mut Keys) {
            keys.add([self.0[position]]);
        }

        fn historic(&self, position: usize, history: &u16, keys: &mut Keys) {
            keys.add([u32::from(*history)]);
            keys.add([u32::from(*history), self.0[position]]);
        }

        fn next(&self, _: usize, _: u16, label: u16) -> u16 {
            label + 1
        }
    }
}
