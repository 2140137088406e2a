//! Where `pleach parse` puts its graphs: a format, or pictures on the terminal.

use crate::failure::Failure;
use crate::screen;
use pleach_formats::{Format, Losses, Writer};
use pleach_graph::Sentence;
use pleach_render::{Basis, Picture, Terminal};
use std::io::{self, Write};

/// The output.
pub enum Sink {
    Format(Box<Writer>),
    Pictures { terminal: Terminal, drawn: usize },
}

impl Sink {
    /// Draws on the screen.
    pub fn pictures() -> Self {
        Sink::Pictures { terminal: screen::terminal(), drawn: 0 }
    }

    /// Writes one sentence.
    pub fn put(&mut self, sentence: &Sentence) -> Result<(), Failure> {
        match self {
            Sink::Format(writer) => Ok(writer.write(sentence)?),
            Sink::Pictures { terminal, drawn } => {
                let mut out = io::stdout().lock();
                if *drawn > 0 {
                    writeln!(out)?;
                }
                *drawn += 1;
                Ok(out.write_all(terminal.draw(&Picture::new(sentence, Basis::Auto)).as_bytes())?)
            }
        }
    }

    /// Writes what is held back and says what the format had no place for.
    pub fn finish(self) -> Result<Losses, Failure> {
        match self {
            Sink::Format(writer) => Ok(writer.finish()?),
            Sink::Pictures { .. } => {
                io::stdout().flush()?;
                Ok(Losses::default())
            }
        }
    }

    /// The format, if it is one.
    pub fn is_pictures(&self) -> bool {
        matches!(self, Sink::Pictures { .. })
    }
}

/// Opens a file or standard output for a format.
pub fn format(path: &std::path::Path, format: Format) -> Result<Sink, Failure> {
    Ok(Sink::Format(Box::new(Writer::create(path, Some(format))?)))
}
