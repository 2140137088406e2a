//! The laboratory: what is measured on parsers rather than done with them.
//!
//! [`experiment`] runs the tables of a paper, cached and resumable; [`mod@bench`] measures speed and memory, [`diversity`] how
//! parsers differ, [`challenge`] which constructions they get right, [`relaxed`] what their searches are like; [`vote_files`] lets parsed files vote.

#![forbid(unsafe_code)]

pub mod bench;
pub mod challenge;
pub mod diversity;
pub mod experiment;
pub mod relaxed;
pub mod vote_files;
