//! What the terminal is like.

use pleach_render::{Pages, Terminal};
use std::io::{self, IsTerminal};

/// The width of drawings that don't go to a terminal.
pub const DEFAULT_WIDTH: u16 = 100;

/// The columns of the terminal, if standard output is one.
pub fn width() -> Option<u16> {
    let screen = io::stdout().is_terminal();
    terminal_size::terminal_size().filter(|_| screen).map(|(width, _)| width.0)
}

/// Whether colour is understood and wanted: a terminal, no NO_COLOR, and not a dumb one.
pub fn colour() -> bool {
    io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// How to draw on standard output.
pub fn terminal() -> Terminal {
    Terminal { width: width().unwrap_or(DEFAULT_WIDTH).into(), colour: colour(), pages: Pages::Book }
}
