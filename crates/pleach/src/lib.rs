//! Pleach turns sentences into deep dependency graphs: who did what to whom, with several heads a word.
//!
//! This crate is what programs depend on. [`Parser`] opens a model and parses texts or sentences, [`train`] makes models,
//! [`models`] finds those that are there, and the crates below are re-exported: [`formats`] reads and writes,
//! [`eval`] scores, [`render`] draws.
//!
//! ```
//! # #[cfg(feature = "english")] {
//! let parser = pleach::english()?;
//! for sentence in parser.parse_str("The company that Mark wants to buy is small.")? {
//!     for arc in sentence.graph.arcs() {
//!         println!("{} -{}-> {}", sentence.form(arc.head), arc.label, sentence.form(arc.dependent));
//!     }
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod feed;
pub mod models;
pub mod reading;
pub mod recipe;
pub mod records;
pub mod scored;
pub mod train;

pub use models::english;
pub use pleach_parsers::engine::Options;
pub use pleach_parsers::{
    CATALOGUE, KEPT, ParseOptions, Parser, ParserError, Tags, Workspace, engine, ensure, families, language,
    scorer, trees, vote,
};

pub use pleach_decode as decode;
pub use pleach_eval as eval;
pub use pleach_formats as formats;
pub use pleach_graph as graph;
pub use pleach_linear as linear;
pub use pleach_model as model;
pub use pleach_render as render;
pub use pleach_text as text;
pub use pleach_transition as transition;
