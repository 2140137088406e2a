//! How a verb fails: exit code 1 for an error in the data, 2 for an error in the command line, 130 when it was stopped.

use crate::say::say;
use std::error::Error;
use std::io;

/// Why a verb could not do its work.
pub enum Failure {
    /// Something is wrong with a file or its content.
    Data(Box<dyn Error + Send + Sync>),
    /// The options don't make sense together.
    Usage(String),
    /// Ctrl-C or SIGTERM came before the end; what was done so far is kept, and how is said here.
    Stopped(String),
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Data(Box::new(error))
    }
}

impl Failure {
    /// Whether the reader of our output, such as `head`, has seen enough: no failure at all.
    pub fn is_broken_pipe(&self) -> bool {
        let Failure::Data(error) = self else { return false };
        let mut next: Option<&(dyn Error + 'static)> = Some(error.as_ref());
        while let Some(error) = next {
            if error
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            {
                return true;
            }
            next = error.source();
        }
        false
    }

    /// Says what went wrong on standard error, and gives the exit code.
    pub fn report(self) -> u8 {
        match self {
            Failure::Data(error) => {
                let mut said = error.to_string();
                say!("error: {said}");
                let mut source = error.source();
                while let Some(cause) = source {
                    // Many errors have the text of their cause in their own.
                    let text = cause.to_string();
                    if !said.contains(&text) {
                        say!("  because: {text}");
                        said = text;
                    }
                    source = cause.source();
                }
                1
            }
            Failure::Usage(message) => {
                say!("error: {message}\n\nFor more information, try '--help'.");
                2
            }
            Failure::Stopped(message) => {
                say!("{message}");
                130
            }
        }
    }
}
