//! Why an experiment can't be run, and the checks of its file that several parts share.

use pleach_formats::ReadError;
use pleach_model::recipe::{RecipeError, suggestion};
use pleach_parsers::ParserError;
use pleach_parsers::train::TrainError;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// Why an experiment can't be run.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// A file can't be read or written.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
    /// A report can't be written.
    #[error("{file}: {message}")]
    Unwritten {
        /// The file.
        file: String,
        /// Why not.
        message: String,
    },
    /// Not TOML, or a value of the wrong kind.
    #[error("{place}: {message}")]
    Syntax {
        /// The file and the table in it.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A name that doesn't exist.
    #[error("{place}: no {what} '{name}'{}; there are: {}", suggestion(.name, .known), .known.join(", "))]
    Unknown {
        /// The file and the table in it.
        place: String,
        /// What kind of thing: a key, a run, a data set.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A recipe is wrong.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The data can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A run failed.
    #[error("{run}: {source}")]
    Train {
        /// The run and its data set.
        run: String,
        /// Why.
        source: TrainError,
    },
    /// The recipe of a run doesn't fit.
    #[error("{run}: {source}")]
    Data {
        /// The run and its data set.
        run: String,
        /// Why not.
        source: TrainError,
    },
    /// The process that measures a model failed.
    #[error("pleach bench: {message}")]
    Bench {
        /// What it said.
        message: String,
    },
    /// A model of the cache can't be used.
    #[error(transparent)]
    Parser(#[from] ParserError),
    /// Some of several experiments can't be run.
    #[error("{} of the experiments can't be run: {}", .names.len(), .names.join(", "))]
    NotAll {
        /// Their names.
        names: Vec<String>,
    },
    /// A file of the cache is damaged.
    #[error("{file}: {message}; delete it to run it anew")]
    Cache {
        /// The file.
        file: String,
        /// What is wrong with it.
        message: String,
    },
}

/// The place of a TOML error, as the trainer's messages have it.
pub(super) fn at(text: &str, error: &toml::de::Error) -> String {
    let Some(span) = error.span() else { return String::new() };
    let before = &text.as_bytes()[..span.start.min(text.len())];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    format!(" (line {line})")
}

pub(super) fn syntax(place: &str, message: String) -> ExperimentError {
    ExperimentError::Syntax { place: place.to_owned(), message }
}

pub(super) fn unknown(place: &str, what: &'static str, name: &str, known: &[String]) -> ExperimentError {
    ExperimentError::Unknown { place: place.to_owned(), what, name: name.to_owned(), known: known.to_vec() }
}

pub(super) fn known_keys(place: &str, table: &Table, known: &[&str]) -> Result<(), ExperimentError> {
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => {
            let known: Vec<String> = known.iter().map(|&key| key.to_owned()).collect();
            Err(unknown(place, "key", key, &known))
        }
        None => Ok(()),
    }
}

pub(super) fn take_table(file: &str, top: &mut Table, key: &str) -> Result<Table, ExperimentError> {
    match top.remove(key) {
        None => Ok(Table::new()),
        Some(Value::Table(table)) => Ok(table),
        Some(other) => Err(syntax(file, format!("'{key}' is a table, found {other}"))),
    }
}

pub(super) fn take_list(file: &str, top: &mut Table, key: &str) -> Result<Vec<Value>, ExperimentError> {
    match top.remove(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(list),
        Some(other) => Err(syntax(file, format!("'{key}' is a list of tables ([[{key}]]), found {other}"))),
    }
}

/// A table with these keys only.
pub(super) fn typed<T: DeserializeOwned>(
    place: &str,
    value: Value,
    known: &[&str],
) -> Result<T, ExperimentError> {
    let Value::Table(table) = value else {
        return Err(syntax(place, format!("expected a table, found {value}")));
    };
    known_keys(place, &table, known)?;
    table.try_into().map_err(|error: toml::de::Error| syntax(place, error.message().to_owned()))
}
