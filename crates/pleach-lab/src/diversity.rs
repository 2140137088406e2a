//! How alike parsers are (`zhang-2016` section 5.4.1): `2|A∩B| / (|A|+|B|)` over the arcs of two parsers.
//!
//! Any graphs over the same words; linear in the arcs for each of the n(n-1)/2 pairs.

use pleach_eval::graph::GraphScores;
use pleach_graph::Graph;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The agreement of every two parsers.
#[derive(Clone, Debug)]
pub struct Diversity {
    names: Vec<String>,
    /// The pairs (0, 1), (0, 2), …, (1, 2), …
    pairs: Vec<GraphScores>,
}

impl Diversity {
    /// No sentences yet.
    pub fn new(names: Vec<String>) -> Self {
        let pairs = names.len() * names.len().saturating_sub(1) / 2;
        Diversity { names, pairs: vec![GraphScores::new(); pairs] }
    }

    /// Counts one sentence: each parser's graph, in the order of the names.
    pub fn add(&mut self, graphs: &[&Graph]) {
        let mut pairs = self.pairs.iter_mut();
        for (i, first) in graphs.iter().enumerate() {
            for (second, pair) in graphs[i + 1..].iter().zip(pairs.by_ref()) {
                pair.add(first, second);
            }
        }
    }

    /// The agreement of two parsers, by place: over labelled arcs, and over ordered pairs of words.
    pub fn agreement(&self, a: usize, b: usize) -> Option<(f64, f64)> {
        let n = self.names.len();
        let (a, b) = (a.min(b), a.max(b));
        if a == b || b >= n {
            return None;
        }
        let pair = &self.pairs[a * n - a * (a + 1) / 2 + b - a - 1];
        Some((pair.lf(), pair.uf()))
    }

    /// A triangle as in Tables 3 and 4, as Markdown; also readable as plain text.
    pub fn markdown(&self, labelled: bool) -> String {
        let n = self.names.len();
        let mut rows = vec![vec![String::new()]];
        rows[0].extend(self.names.iter().skip(1).cloned());
        for a in 0..n.saturating_sub(1) {
            let mut row = vec![self.names[a].clone()];
            row.extend((1..n).map(|b| match self.agreement(a, b) {
                Some((with, without)) if b > a => format!("{:.4}", if labelled { with } else { without }),
                _ => String::new(),
            }));
            rows.push(row);
        }
        grid(&rows)
    }

    /// All pairs: names, `labelled` and `unlabelled`.
    pub fn json(&self) -> Value {
        let mut pairs = Vec::new();
        for a in 0..self.names.len() {
            for b in a + 1..self.names.len() {
                let Some((labelled, unlabelled)) = self.agreement(a, b) else { continue };
                let mut pair = Map::new();
                pair.insert("a".into(), json!(self.names[a]));
                pair.insert("b".into(), json!(self.names[b]));
                pair.insert("labelled".into(), json!(round(labelled, 6)));
                pair.insert("unlabelled".into(), json!(round(unlabelled, 6)));
                pairs.push(Value::Object(pair));
            }
        }
        Value::Array(pairs)
    }
}

/// A number with so many digits after the point, for output that people read.
pub(crate) fn round(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}

/// A Markdown table with padded cells; the first row is the header, all columns but the first are numbers.
pub(crate) fn grid(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
    let width =
        |column: usize| rows.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0).max(3);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (i, row) in rows.iter().enumerate() {
        for (column, &width) in widths.iter().enumerate() {
            let value = cell(row, column);
            // Not by a format's width, which is at most 65,535.
            let gap = " ".repeat(width - value.chars().count());
            let _ = match column {
                0 => write!(text, "| {value}{gap} "),
                _ => write!(text, "| {gap}{value} "),
            };
        }
        text.push_str("|\n");
        if i == 0 {
            for (column, &width) in widths.iter().enumerate() {
                let _ = match column {
                    0 => write!(text, "|{}", "-".repeat(width + 2)),
                    _ => write!(text, "|{}:", "-".repeat(width + 1)),
                };
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::{Arc, NodeId, Text};

    fn graph(arcs: &[(u32, u32, &str)]) -> Graph {
        let arc = |&(h, d, l): &(u32, u32, &str)| Arc {
            head: NodeId(h),
            dependent: NodeId(d),
            label: Text::from(l),
        };
        Graph::from_arcs(3, arcs.iter().map(arc).collect())
    }

    #[test]
    fn every_pair_finds_its_counts() {
        let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let mut diversity = Diversity::new(names);
        let graphs = [
            graph(&[(0, 1, "x"), (1, 2, "x")]),
            graph(&[(0, 1, "x"), (1, 2, "y")]),
            graph(&[(0, 1, "x")]),
            graph(&[(3, 1, "x")]),
        ];
        diversity.add(&graphs.iter().collect::<Vec<_>>());
        let third = 2.0 / 3.0;
        let expected = [
            (0, 1, (0.5, 1.0)),
            (0, 2, (third, third)),
            (0, 3, (0.0, 0.0)),
            (1, 2, (third, third)),
            (2, 3, (0.0, 0.0)),
        ];
        for (a, b, agreement) in expected {
            assert_eq!(diversity.agreement(a, b), Some(agreement), "{a} {b}");
            assert_eq!(diversity.agreement(b, a), Some(agreement));
        }
        assert_eq!(diversity.agreement(1, 1), None);
        grid(&[vec![String::new()], vec!["x".repeat(70_000)]]);
        let table = diversity.markdown(true);
        assert_eq!(table.lines().count(), 5);
        assert_eq!(table.lines().nth(2), Some("| a   | 0.5000 | 0.6667 | 0.0000 |"));
        assert_eq!(diversity.json().as_array().unwrap().len(), 6);
    }
}
