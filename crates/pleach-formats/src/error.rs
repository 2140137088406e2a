//! What can go wrong with a file, and where. What messages quote from files can't steer a terminal.

use crate::Format;
use pleach_graph::visible;
use std::io;
use thiserror::Error;

/// Why a sentence could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The text does not follow the format; reading can go on with the next sentence.
    #[error("{}:{line}:{column}: {}", visible(.file), visible(.message))]
    Syntax {
        /// The file's name, `<stdin>` for standard input.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The column in characters, counted from 1.
        column: u64,
        /// What was expected and what was found.
        message: String,
    },
    /// The bytes could not be had; nothing more can be read.
    #[error("{}: {source}", visible(.file))]
    Io {
        /// The file's name.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The format was not given and the content does not look like any that is known.
    #[error("{}: {message}", visible(.file))]
    Unknown {
        /// The file's name.
        file: String,
        /// What was looked for.
        message: String,
    },
}

impl ReadError {
    /// Whether reading can go on with the next sentence.
    pub fn is_recoverable(&self) -> bool {
        matches!(self, ReadError::Syntax { .. })
    }
}

/// Why a sentence could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The sentence has something that the format cannot express, not even by leaving a part out.
    #[error("cannot write {} as {format}: {}", visible(.sentence), visible(.message))]
    Unwritable {
        /// The target.
        format: Format,
        /// The sentence's id, or its number in the output.
        sentence: String,
        /// What stands in the way.
        message: String,
    },
    /// The bytes could not be written.
    #[error("{}: {source}", visible(.file))]
    Io {
        /// The file's name.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// No format was given and the file's extension does not name one.
    #[error("{}: no format is known for this name; known are {}", visible(.file), Format::names())]
    Unknown {
        /// The file's name.
        file: String,
    },
}
