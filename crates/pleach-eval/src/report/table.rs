//! Columns of text: the first to the left, the others to the right.

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

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
        let width = |text: &str| text.chars().count();
        let title = self.rows.iter().map(|(title, _)| width(title)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|(_, cells)| cells.get(column));
                cells.map(|cell| width(cell)).max().unwrap_or(0)
            })
            .collect();
        for (name, cells) in &self.rows {
            let mut line = format!("{name:title$}");
            for (cell, width) in cells.iter().zip(&widths) {
                line.push_str(&format!("  {cell:>width$}"));
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
