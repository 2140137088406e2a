//! The native part of the Python package `pleach`: thin classes and functions over the crate of the same name.
//!
//! Objects are views: a `Document` holds its sentences in Rust's memory, and a `Sentence`, `Word` or `Graph` in Python
//! is a reference to one with a place in it. Long work runs without Python's lock, and a panic becomes a `pleach.Error`.

// PyO3's macros make code that is unsafe; nothing here writes any by hand (`checks/unsafe`).
#![deny(unsafe_code)]
#![allow(missing_docs)]

mod border;
mod columns;
mod command;
mod document;
mod draw;
mod evaluate;
mod files;
mod given;
mod graph;
mod lab;
mod models;
mod parser;
mod pipe;
mod reader;
mod sentence;
mod shared;
mod statistics;
mod training;
mod values;
mod word;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        border::check_border,
        columns::{arc_arrays, columns},
        command::command,
        document::Document,
        draw::{render_html, render_svg},
        evaluate::evaluate,
        graph::Graph,
        lab::{bench, vote_models, vote_sentences},
        models::{model_info, models, presets, recipe},
        parser::Parser,
        pipe::Pipe,
        reader::{Reader, convert, format_names, write},
        sentence::{Sentence, sentences_from_bytes},
        statistics::statistics,
        training::train_model,
        word::Word,
    };

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
