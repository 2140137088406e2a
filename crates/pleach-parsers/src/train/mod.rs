//! Training: one loop for everything that is learnt, whoever scores.
//!
//! A family ([`Family`]) makes its data into a [`Task`]; together with a scorer that learns it is a [`Course`], which the
//! [`Session`] takes through the epochs, with checkpoints, and whose best model it writes.

mod catalogue;
mod checkpoint;
mod corpus;
mod course;
mod error;
mod lessons;
mod lock;
mod session;
mod training;

pub(crate) use checkpoint::beside;
pub(crate) use lock::Lock;

pub use catalogue::{Catalogue, Family, OpenError, Opened};
pub use corpus::{Corpus, folds};
pub use course::{Course, Size};
pub use error::TrainError;
pub use lessons::{Lessons, Task};
pub use session::{Ended, Event, Fitted, Session, Watch};
pub use training::{Preparation, Training};
