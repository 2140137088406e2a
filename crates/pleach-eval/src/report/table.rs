//! Columns of text: the first to the left, the others to the right.

use pleach_graph::visible;
use std::fmt;

/// Rows with a title each; a row without cells is a heading.
#[derive(Default)]
pub(super) struct Table {
    rows: Vec<(String, Vec<String>)>,
}

impl Table {
    pub fn row(&mut self, title: impl Into<String>, cells: impl IntoIterator<Item = String>) {
        self.rows.push((title.into(), cells.into_iter().collect()));
    }

    pub fn header(&mut self, title: &str, cells: &[&str]) {
        if !self.rows.is_empty() {
            self.row("", []);
        }
        self.row(title, cells.iter().map(|cell| (*cell).to_owned()));
    }
}

/// The longest title that is written out, in characters: labels come from files.
const LONGEST: usize = 60;

/// A title as it is written: cut when it is long, and unable to steer a terminal.
fn shown(title: &str) -> String {
    let title = visible(title);
    match title.char_indices().nth(LONGEST) {
        Some(_) => title.chars().take(LONGEST - 1).chain(['…']).collect(),
        None => title.into_owned(),
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
        let width = |text: &str| text.chars().count();
        let titles: Vec<String> = self.rows.iter().map(|(title, _)| shown(title)).collect();
        let widest = titles.iter().map(|title| width(title)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|(_, cells)| cells.get(column));
                cells.map(|cell| width(cell)).max().unwrap_or(0)
            })
            .collect();
        for (title, (_, cells)) in titles.iter().zip(&self.rows) {
            let mut line = title.clone();
            line.push_str(&" ".repeat(widest - width(title)));
            for (cell, column) in cells.iter().zip(&widths) {
                line.push_str(&" ".repeat(2 + column - width(cell)));
                line.push_str(cell);
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A ratio as a percentage with two decimals, rounded as C's and Python's `%.2f`.
pub(super) fn percent(ratio: f64) -> String {
    match ratio {
        r if r.is_nan() => "NaN".to_owned(),
        r if r.is_infinite() => "inf".to_owned(),
        r => format!("{:.2}", 100.0 * r),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `eval --metric sdp --per-label` panicked: a width of a format is at most 65,535.
    #[test]
    fn a_label_of_more_than_65535_characters_is_cut() {
        let mut table = Table::default();
        table.header("label", &["LP"]);
        table.row("x".repeat(70_000), ["1.00".to_owned()]);
        table.row("obj", ["100.00".to_owned()]);
        let lines: Vec<String> = table.to_string().lines().map(str::to_owned).collect();
        assert_eq!(lines[1], format!("{}…    1.00", "x".repeat(LONGEST - 1)));
        assert_eq!(lines[2], format!("obj{}  100.00", " ".repeat(LONGEST - 3)));
    }

    #[test]
    fn labels_cannot_steer_the_terminal() {
        let mut table = Table::default();
        table.row("a\x1b[2J\n\u{9b}b", ["1".to_owned()]);
        assert_eq!(table.to_string(), "a␛[2J␊\u{fffd}b  1\n");
    }
}
