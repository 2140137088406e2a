//! Which hypotheses of a beam are at the same configuration.
//!
//! Arcs that are far apart can be made in any order, so one configuration has many derivations: k arcs that don't touch each
//! other have k! where all tokens are active. Whatever comes after a configuration is scored alike for all of them, so all
//! but the best are a waste of the beam; without a look at this, a beam of 8 is filled with orders of the same few arcs.
//!
//! A configuration is its arcs, its reduced tokens and how much of the sentence is operative. An [`Identity`] is a hash of
//! these that a transition changes in O(1), so that a successor's is known before it is made. Invariant: equal configurations
//! have equal identities; different ones have equal identities with a chance of 2⁻⁶⁴.

use crate::Node;
use crate::tree::settings::Base;
use crate::tree::state::State;
use crate::tree::system::{Op, System, ends};

/// Marks a token that is gone; arcs have labels below it.
const REDUCED: u64 = 1 << 16;

/// A configuration as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    /// Arcs and reduced tokens.
    done: u64,
    /// |U|.
    waiting: usize,
    /// Training tells correct hypotheses from wrong ones: with one gold sequence, a configuration may be reached by
    /// it and by others.
    correct: bool,
}

impl Identity {
    /// That of a configuration without arcs.
    pub fn start(state: &State) -> Self {
        Identity { done: 0, waiting: state.row.waiting(), correct: false }
    }

    /// The same configuration, correct or not.
    #[inline]
    pub fn marked(self, correct: bool) -> Self {
        Identity { correct, ..self }
    }

    /// That of the configuration that a transition leads to from `state`, which is this one's.
    #[inline]
    pub fn after(self, system: &System, state: &State, op: Op) -> Self {
        let transition = system.transitions()[op.transition as usize];
        let mut done = self.done;
        let mut reduce = |node: Node| done ^= spread(node.into(), REDUCED);
        match transition.base {
            Base::LeftArc | Base::RightArc => {
                let (head, modifier) = ends(transition.base, op.left, op.right);
                if transition.bottom_up {
                    reduce(modifier);
                }
                done ^= spread(u64::from(head) << 32 | u64::from(modifier), op.label.into());
            }
            Base::Reduce => reduce(if op.variant == 0 { op.left } else { op.right }),
            Base::Shift => {}
        }
        Identity { done, waiting: system.waiting_after(&state.row, op), correct: self.correct }
    }
}

/// A number whose bits look random (the finalizer of splitmix64, twice).
#[inline]
fn spread(nodes: u64, mark: u64) -> u64 {
    let mix = |mut x: u64| {
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    };
    mix(mix(nodes.wrapping_add(0x9E37_79B9_7F4A_7C15)) ^ mark)
}
