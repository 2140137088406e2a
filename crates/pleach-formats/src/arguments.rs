//! One column per predicate: how SDP and CoNLL-2009 lay out a graph.
//!
//! The predicates are marked in their rows; the n-th argument column belongs to the n-th marked row.

use crate::columns::push_form;
use crate::rows::{Row, Words};
use crate::source::{Block, MAX_ARCS, MAX_SENTENCE_BYTES};
use crate::{Loss, Losses, ReadError};
use pleach_graph::{Arc, Graph, NodeId, Text};

/// The argument columns of a sentence being read.
#[derive(Default)]
pub(crate) struct Arguments<'a> {
    predicates: Vec<NodeId>,
    /// Column, token and label of the cells that are not empty.
    cells: Vec<(u32, NodeId, &'a str)>,
    columns: usize,
    /// The first row, to which an error about all of them points.
    first: &'a str,
}

impl<'a> Arguments<'a> {
    /// Takes the cells of a row behind its fixed columns; `mark` says whether it is a predicate's.
    pub fn add(
        &mut self,
        row: &Row<'_, 'a>,
        fixed: usize,
        node: NodeId,
        mark: bool,
    ) -> Result<(), ReadError> {
        if mark {
            self.predicates.push(node);
        }
        let columns = row.columns();
        if self.first.is_empty() {
            self.first = row.line;
        }
        self.columns = columns.len() - fixed;
        for (i, label) in columns[fixed..].iter().enumerate().filter(|(_, label)| **label != "_") {
            if label.is_empty() {
                return Err(row.error(fixed + i, "expected a label or `_`, found nothing"));
            }
            if self.cells.len() == MAX_ARCS {
                return Err(row.error(fixed + i, format!("expected at most {MAX_ARCS} arcs in a sentence")));
            }
            self.cells.push((i as u32, node, label));
        }
        Ok(())
    }

    /// Turns the cells into arcs when all rows were seen; `mark` is how the format marks a predicate.
    pub fn resolve(self, block: &Block<'_>, mark: &str, arcs: &mut Vec<Arc>) -> Result<(), ReadError> {
        if self.predicates.len() != self.columns {
            let (found, expected) = (self.columns, self.predicates.len());
            let message = format!("expected {expected} argument columns, one for each {mark}, found {found}");
            return Err(block.error(self.first, message));
        }
        arcs.extend(self.cells.into_iter().map(|(column, dependent, label)| Arc {
            head: self.predicates[column as usize],
            dependent,
            label: Text::new(label),
        }));
        Ok(())
    }
}

/// The argument columns of a sentence being written.
pub(crate) struct ArgumentTable<'g> {
    graph: &'g Graph,
    /// The column of every predicate.
    column_of: Vec<Option<u32>>,
    row: Vec<&'g str>,
}

impl<'g> ArgumentTable<'g> {
    /// Gives a column to every token that is marked or has arguments.
    pub fn new(words: &'g Words<'_>) -> Result<Self, String> {
        let graph: &Graph = &words.graph;
        let mut column_of = vec![None; graph.len() + 1];
        for arc in graph.arcs().iter().filter(|arc| !arc.head.is_root()) {
            column_of[arc.head.index()] = Some(0);
        }
        let mut columns = 0;
        for (i, token) in words.tokens.iter().enumerate() {
            if token.predicate || column_of[i + 1].is_some() {
                column_of[i + 1] = Some(columns);
                columns += 1;
            }
        }
        // A cell takes two bytes, and no reader would take the sentence back.
        if columns as usize * graph.len() * 2 > MAX_SENTENCE_BYTES {
            return Err(format!("{} rows with {columns} argument columns are too many", graph.len()));
        }
        Ok(ArgumentTable { graph, column_of, row: vec!["_"; columns as usize] })
    }

    /// Whether a token has a column.
    pub fn is_predicate(&self, node: NodeId) -> bool {
        self.column_of[node.index()].is_some()
    }

    /// Writes the cells of a token's row, each with the tab before it.
    pub fn write(&mut self, node: NodeId, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
        for arc in self.graph.incoming(node) {
            let Some(column) = self.column_of[arc.head.index()] else { continue };
            let cell = &mut self.row[column as usize];
            if *cell != "_" {
                losses.add(Loss::SeveralLabels, 1);
                continue;
            }
            if arc.label.is_empty() || arc.label == "_" {
                return Err(format!("{:?} cannot be the label of an argument", arc.label));
            }
            *cell = arc.label.as_str();
        }
        for cell in &mut self.row {
            out.push(b'\t');
            push_form(out, cell)?;
            *cell = "_";
        }
        Ok(())
    }
}
