//! The log: one line an event, for people or for programs, on standard error.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

/// What lines look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Starts the log; `filter` is `info`, `warn`, `off` or what `RUST_LOG` takes.
pub fn start(format: LogFormat, filter: &str) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let log = fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // A log that runs already, in a program that has several services, is good enough.
    let _ = match format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
}
