//! Training: one loop for everything that the averaged perceptron learns.
//!
//! A family makes its data into a [`Task`] and hands it to the [`Session`], which goes through the epochs, keeps
//! checkpoints and writes the best model.

mod checkpoint;
mod held_out;
mod session;
mod shuffle;
mod task;
mod training;
mod transform;

pub use held_out::HeldOut;
pub use session::{Event, Fitted, Session, Watch};
pub use shuffle::Random;
pub use task::{Change, Lesson, Size, Task};
pub use training::{Corpus, Ended, TrainError, Training, templates};
pub use transform::choose_transform;
