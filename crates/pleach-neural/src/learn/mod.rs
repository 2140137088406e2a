//! Training: from gradients to better weights.

mod adam;
mod average;
mod checkpoint;
mod learner;
mod schedule;

pub use adam::{Adam, AdamSettings};
pub use average::Average;
pub use learner::{Learner, LearnerSettings};
pub use schedule::{Decay, Schedule};
