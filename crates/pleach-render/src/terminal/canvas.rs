//! A grid of terminal cells that becomes lines of text, with or without colour.

use crate::picture::Mark;
use crate::text;

/// What a piece of the drawing is; it decides the colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// Plain text.
    #[default]
    Plain,
    /// A heading.
    Heading,
    /// Something less important: tags, numbers.
    Faint,
    /// An empty node.
    Empty,
    /// An arc or its label, with a number that tells neighbours apart.
    Arc(u32),
    /// An arc of a comparison.
    Marked(Mark),
}

impl Ink {
    /// The ink of a link.
    pub fn of(mark: Mark, number: u32) -> Ink {
        if mark == Mark::Same { Ink::Arc(number) } else { Ink::Marked(mark) }
    }

    fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Heading => "1",
            Ink::Faint => "2",
            Ink::Empty => "3",
            Ink::Arc(number) => ["36", "34", "32", "35"][number as usize % 4],
            Ink::Marked(Mark::Missing) => "1;31",
            Ink::Marked(Mark::Spurious) => "1;33",
            Ink::Marked(_) => "1;35",
        }
    }
}

/// Text in colour, when colour is wanted.
pub fn paint(text: &str, ink: Ink, colour: bool) -> String {
    match ink.code() {
        code if colour && !code.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
        _ => text.to_owned(),
    }
}

/// Which neighbours a line cell is joined to.
const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

#[derive(Clone, Debug, Default)]
enum Cell {
    #[default]
    Blank,
    /// A piece of lines, by the neighbours it is joined to.
    Line(u8),
    /// A text that starts here.
    Text(String),
    /// A cell that a text before it covers.
    Covered,
}

/// The grid.
pub struct Canvas {
    width: usize,
    cells: Vec<(Cell, Ink)>,
}

impl Canvas {
    /// An empty grid.
    pub fn new(width: i32, height: usize) -> Self {
        let width = width.max(0) as usize;
        Canvas { width, cells: vec![(Cell::Blank, Ink::Plain); width * height] }
    }

    /// Writes text; whatever would go beyond the right edge is left out.
    pub fn text(&mut self, row: usize, column: i32, text: &str, ink: Ink) {
        let width = text::cells(text);
        if width == 0 || column < 0 || (column + width) as usize > self.width {
            return;
        }
        let start = row * self.width + column as usize;
        self.cells[start] = (Cell::Text(text.to_owned()), ink);
        for cell in &mut self.cells[start + 1..start + width as usize] {
            *cell = (Cell::Covered, ink);
        }
    }

    /// Draws a horizontal line between two columns.
    pub fn horizontal(&mut self, row: usize, from: i32, to: i32, ink: Ink) {
        for column in from..=to {
            let left = if column > from { LEFT } else { 0 };
            let right = if column < to { RIGHT } else { 0 };
            self.join(row, column, left | right, ink);
        }
    }

    /// Draws a vertical line between two rows.
    pub fn vertical(&mut self, column: i32, from: usize, to: usize, ink: Ink) {
        for row in from..=to {
            let up = if row > from { UP } else { 0 };
            let down = if row < to { DOWN } else { 0 };
            self.join(row, column, up | down, ink);
        }
    }

    /// Turns a piece of a horizontal line upwards.
    pub fn tick(&mut self, row: usize, column: i32, ink: Ink) {
        self.join(row, column, UP, ink);
    }

    fn join(&mut self, row: usize, column: i32, joints: u8, ink: Ink) {
        if column < 0 || column as usize >= self.width {
            return;
        }
        let cell = &mut self.cells[row * self.width + column as usize];
        match &mut cell.0 {
            Cell::Blank => *cell = (Cell::Line(joints), ink),
            Cell::Line(old) => {
                *old |= joints;
                cell.1 = ink;
            }
            // A line passes behind text.
            Cell::Text(_) | Cell::Covered => {}
        }
    }

    /// The grid as lines without trailing blanks.
    ///
    /// Words of right-to-left scripts are fenced in by left-to-right marks, so that a terminal that reorders
    /// text does so within each word and leaves the columns alone.
    pub fn lines(&self, colour: bool) -> Vec<String> {
        self.cells.chunks(self.width.max(1)).map(|row| line(row, colour)).collect()
    }
}

fn line(row: &[(Cell, Ink)], colour: bool) -> String {
    let end = row.iter().rposition(|(cell, _)| !matches!(cell, Cell::Blank)).map_or(0, |last| last + 1);
    let mut line = String::new();
    let mut current = Ink::Plain;
    for (cell, ink) in &row[..end] {
        let blank = matches!(cell, Cell::Blank);
        if colour && !blank && ink.code() != current.code() {
            line.push_str("\x1b[0");
            if !ink.code().is_empty() {
                line.push(';');
                line.push_str(ink.code());
            }
            line.push('m');
            current = *ink;
        }
        match cell {
            Cell::Blank => line.push(' '),
            Cell::Covered => {}
            Cell::Line(joints) => line.push(glyph(*joints)),
            Cell::Text(text) if text.chars().any(text::is_right_to_left) => {
                line.push('\u{200e}');
                line.push_str(text);
                line.push('\u{200e}');
            }
            Cell::Text(text) => line.push_str(text),
        }
    }
    if colour && !current.code().is_empty() {
        line.push_str("\x1b[0m");
    }
    line
}

fn glyph(joints: u8) -> char {
    const GLYPHS: [char; 16] =
        [' ', '│', '│', '│', '─', '╯', '╮', '┤', '─', '╰', '╭', '├', '─', '┴', '┬', '┼'];
    GLYPHS[usize::from(joints & 15)]
}
