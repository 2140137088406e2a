//! Rows of a sentence in the formats whose number of columns varies or which have words only: comments first,
//! then one line per token.

use crate::columns::{number, quote};
use crate::source::{Block, MAX_COMMENTS, MAX_TOKENS};
use crate::{Loss, Losses, ReadError};
use memchr::memchr_iter;
use pleach_graph::{Arc, Graph, NodeId, Sentence, Token};
use std::borrow::Cow;

/// The most columns that a row can have: one for every token, and the fixed ones.
const MAX_COLUMNS: usize = MAX_TOKENS + 32;

/// The rows of one block.
pub(crate) struct Rows<'a> {
    block: Block<'a>,
    rest: &'a str,
    columns: Vec<&'a str>,
    started: bool,
}

impl<'a> Rows<'a> {
    pub fn new(block: &Block<'a>) -> Rows<'a> {
        Rows { block: *block, rest: block.text, columns: Vec::new(), started: false }
    }

    /// The next row; comments before it are added as `comment` translates them.
    pub fn next(
        &mut self,
        comments: &mut Vec<String>,
        comment: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Row<'_, 'a>>, ReadError> {
        loop {
            if self.rest.is_empty() {
                return Ok(None);
            }
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            let line = line.strip_suffix('\r').unwrap_or(line);
            self.rest = rest;
            if line.starts_with('#') {
                if self.started {
                    let message = "expected a token line, found a comment inside of the sentence";
                    return Err(self.block.error(line, message));
                }
                if comments.len() == MAX_COMMENTS {
                    return Err(self
                        .block
                        .error(line, format!("expected at most {MAX_COMMENTS} comment lines")));
                }
                comments.extend(comment(line));
                continue;
            }
            self.started = true;
            self.columns.clear();
            let mut start = 0;
            for tab in memchr_iter(b'\t', line.as_bytes()) {
                self.columns.push(&line[start..tab]);
                start = tab + 1;
                if self.columns.len() == MAX_COLUMNS {
                    return Err(self
                        .block
                        .error(&line[start..], format!("expected at most {MAX_COLUMNS} columns")));
                }
            }
            self.columns.push(&line[start..]);
            return Ok(Some(Row { rows: self, line }));
        }
    }

    /// Checks that the sentence has tokens, and that all heads are among them.
    pub fn end(&self, tokens: &[Token], heads: &[(&str, NodeId)]) -> Result<(), ReadError> {
        let len = tokens.len();
        if len == 0 {
            return Err(self.block.error(self.block.text, "expected a token line, found only comments"));
        }
        match heads.iter().find(|(_, head)| head.index() > len) {
            Some((text, head)) => {
                Err(self.block.error(text, format!("expected a HEAD within the {len} words, found {head}")))
            }
            None => Ok(()),
        }
    }
}

/// One line of columns.
pub(crate) struct Row<'r, 'a> {
    rows: &'r Rows<'a>,
    /// The line without its end.
    pub line: &'a str,
}

impl<'a> Row<'_, 'a> {
    /// The columns.
    pub fn columns(&self) -> &[&'a str] {
        &self.rows.columns
    }

    /// An error at a column.
    #[cold]
    pub fn error(&self, column: usize, message: impl Into<String>) -> ReadError {
        self.rows.block.error(self.columns()[column], message)
    }

    /// The error for the wrong number of columns.
    #[cold]
    pub fn wrong_count(&self, expected: &str) -> ReadError {
        let found = self.columns().len();
        crate::columns::wrong_count(&self.rows.block, self.line, expected, found)
    }

    /// Checks that the row has as many columns as the rows before it, and at least `fixed`.
    pub fn same_width(&self, width: &mut usize, fixed: usize) -> Result<(), ReadError> {
        let found = self.columns().len();
        if found < fixed {
            return Err(self.wrong_count(&format!("at least {fixed}")));
        }
        if *width == 0 {
            *width = found;
        }
        if found != *width { Err(self.wrong_count(&width.to_string())) } else { Ok(()) }
    }

    /// The id in a column, which must be the next after `seen` tokens.
    pub fn id(&self, column: usize, seen: usize) -> Result<u32, ReadError> {
        if seen == MAX_TOKENS {
            return Err(self.error(column, format!("expected at most {MAX_TOKENS} tokens in a sentence")));
        }
        let next = seen as u32 + 1;
        let text = self.columns()[column];
        match number(text) {
            Some(id) if id == next => Ok(id),
            _ => Err(self.error(column, format!("expected the id {next}, found {}", quote(text)))),
        }
    }

    /// The word in a column.
    pub fn form(&self, column: usize) -> Result<&'a str, ReadError> {
        match self.columns()[column] {
            "" => Err(self.error(column, "expected FORM, found nothing")),
            form => Ok(form),
        }
    }

    /// The first of the columns that is empty, as an error; `names` are theirs.
    pub fn all_given(&self, names: &[&str]) -> Result<(), ReadError> {
        match self.columns().iter().position(|column| column.is_empty()) {
            Some(empty) => {
                let name = names.get(empty).unwrap_or(&"a label");
                Err(self.error(empty, format!("expected {name} or `_`, found nothing")))
            }
            None => Ok(()),
        }
    }

    /// The head in a column, `_` for none; that it lies within the sentence is for the caller to check.
    pub fn head(&self, column: usize) -> Result<Option<NodeId>, ReadError> {
        match self.columns()[column] {
            "_" => Ok(None),
            text => number(text).map(|head| Some(NodeId(head))).ok_or_else(|| {
                let found = quote(text);
                self.error(column, format!("expected the number of a word or `_` as HEAD, found {found}"))
            }),
        }
    }
}

/// The words of a sentence, for formats without empty nodes.
pub(crate) struct Words<'a> {
    /// The words, numbered from 1.
    pub tokens: Cow<'a, [Token]>,
    /// The arcs between them.
    pub graph: Cow<'a, Graph>,
}

impl<'a> Words<'a> {
    /// Leaves empty nodes and their arcs out and counts them.
    pub fn of(sentence: &'a Sentence, losses: &mut Losses) -> Words<'a> {
        if !sentence.has_empty_nodes() {
            let (tokens, graph) = (Cow::from(&sentence.tokens), Cow::Borrowed(&sentence.graph));
            return Words { tokens, graph };
        }
        let mut place = vec![Some(NodeId::ROOT)];
        let mut words = 0;
        for token in &sentence.tokens {
            words += u32::from(!token.id.is_empty_node());
            place.push((!token.id.is_empty_node()).then_some(NodeId(words)));
        }
        losses.add(Loss::EmptyNodes, sentence.tokens.len() as u64 - u64::from(words));
        let tokens = sentence.tokens.iter().filter(|token| !token.id.is_empty_node()).map(|token| {
            let head = token.head.and_then(|head| place.get(head.index()).copied().flatten());
            Token { head, ..token.clone() }
        });
        let arcs = sentence.graph.arcs().iter().filter_map(|arc| {
            let (head, dependent) = (place[arc.head.index()]?, place[arc.dependent.index()]?);
            Some(Arc { head, dependent, label: arc.label.clone() })
        });
        let arcs: Vec<Arc> = arcs.collect();
        losses.add(Loss::Arcs, (sentence.graph.arcs().len() - arcs.len()) as u64);
        let tokens: Vec<Token> = tokens.collect();
        let graph = Graph::from_arcs(tokens.len(), arcs);
        Words { tokens: tokens.into(), graph: Cow::Owned(graph) }
    }
}
