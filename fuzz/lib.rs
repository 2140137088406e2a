//! What the fuzz targets check; `./test --fuzz 60` runs them all.

mod models;
mod plans;
mod readers;

pub use models::{damaged_model, text_to_graphs, words_of_text};
pub use plans::{experiment, recipe, templates};
pub use readers::{detect, read_and_write, write_everywhere};
