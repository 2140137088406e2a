//! Pictures for terminals: arcs over a line of words when they fit, words in a column when they don't, and
//! a plain list when nothing else would be readable.

mod arcs;
mod canvas;
mod column;

pub use canvas::{Ink, paint};

use crate::layout::Pages;
use crate::picture::{Mark, Picture};

/// How to draw for a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// The number of columns.
    pub width: i32,
    /// Whether escape sequences for colour are understood.
    pub colour: bool,
    /// How pages are used.
    pub pages: Pages,
}

impl Default for Terminal {
    fn default() -> Self {
        Terminal { width: 100, colour: false, pages: Pages::Book }
    }
}

impl Terminal {
    /// Draws a picture; every line ends in a newline.
    pub fn draw(&self, picture: &Picture) -> String {
        let lines = arcs::draw(picture, self)
            .or_else(|| column::draw(picture, self))
            .unwrap_or_else(|| column::list(picture, self));
        let mut out = String::new();
        for line in lines {
            out.push_str(&line);
            out.push('\n');
        }
        out
    }

    /// What the marks of a comparison mean, in one line.
    pub fn legend(&self) -> String {
        let entry = |text: &str, mark: Mark| paint(text, Ink::Marked(mark), self.colour);
        format!(
            "{}   {}   {}\n",
            entry("−label: missing (only in gold)", Mark::Missing),
            entry("+label: spurious (only in system)", Mark::Spurious),
            entry("−x, +y: other label", Mark::Relabelled),
        )
    }
}
