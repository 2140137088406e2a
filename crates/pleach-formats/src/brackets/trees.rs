//! One pass over the characters of bracketed trees, line by line, with the open brackets on a stack.
//!
//! Invariant: at most [`MAX_DEPTH`] brackets are open and a tree has at most [`MAX_NODES`] nodes, so neither
//! the reader nor whoever walks or drops a tree that it delivers can run out of stack or memory.

use crate::MAX_TOKENS;
use crate::columns::quote;
use pleach_graph::Text;
use pleach_graph::phrase::Phrase;

/// The most brackets that may be open at once; the deepest tree of the treebanks has less than a hundred.
pub(super) const MAX_DEPTH: usize = 1000;

/// The most nodes of one tree.
const MAX_NODES: usize = 8 * MAX_TOKENS;

/// A place in the file: line and column, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub line: u64,
    pub column: u64,
}

/// Something wrong, and where.
#[derive(Debug)]
pub(super) struct Fault {
    pub place: Place,
    pub message: String,
}

/// A bracket that waits for its end.
struct Open {
    label: Text,
    word: Option<Text>,
    children: Vec<Phrase>,
    place: Place,
}

/// The characters of one line with their columns.
pub(super) struct Line<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Line<'a> {
    pub fn new(text: &'a str, line: u64) -> Self {
        Line::at(text, Place { line, column: 1 })
    }

    /// The rest of a line, from a place on.
    pub fn at(rest: &'a str, place: Place) -> Self {
        Line { rest, place }
    }

    /// What has not been taken yet.
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    pub fn place(&self) -> Place {
        self.place
    }

    /// Takes the next bytes, which must end at a character's end.
    pub fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.place.column += taken.chars().count() as u64;
        taken
    }

    /// Takes white space.
    pub fn skip_space(&mut self) {
        let spaces = self.rest.len() - self.rest.trim_start_matches(is_space).len();
        self.take(spaces);
    }

    /// Takes everything up to white space or a bracket.
    fn name(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| is_space(c) || c == '(' || c == ')').unwrap_or(self.rest.len());
        self.take(end)
    }

    /// Takes everything to the end of the line.
    pub fn skip_all(&mut self) {
        self.take(self.rest.len());
    }
}

/// White space between brackets: that of the files, not the ideographic space, which is a word in some.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '\x0B' | '\x0C')
}

/// A tree being read.
#[derive(Default)]
pub(super) struct Trees {
    stack: Vec<Open>,
    nodes: usize,
}

impl Trees {
    /// Whether a tree has been begun and not been finished.
    pub fn is_open(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Whether `rest`, at the start of a line, begins another tree of the kind that is still open, which
    /// then lacks closing brackets. Continuation lines are indented.
    pub fn begins_anew(&self, rest: &str) -> bool {
        let Some(outermost) = self.stack.first() else { return false };
        let Some(rest) = rest.strip_prefix('(') else { return false };
        if outermost.place.column != 1 {
            return false;
        }
        match rest.trim_start_matches(is_space).strip_prefix(outermost.label.as_str()) {
            Some(after) if outermost.label.is_empty() => after.starts_with('('),
            Some(after) => after.starts_with(is_space),
            None => false,
        }
    }

    /// Gives up the open tree and says what was open.
    pub fn abandon(&mut self) -> String {
        let open = describe(&self.stack);
        self.stack.clear();
        self.nodes = 0;
        open
    }

    /// Reads on to the end of the line or of the tree; the line must stand on an opening bracket when no tree
    /// is open.
    pub fn read(&mut self, line: &mut Line<'_>) -> Result<Option<Phrase>, Fault> {
        loop {
            line.skip_space();
            let place = line.place();
            match line.rest().chars().next() {
                None => return Ok(None),
                Some('(') => {
                    line.take(1);
                    self.open(line, place)?;
                }
                Some(')') => {
                    line.take(1);
                    if let Some(tree) = self.close(place)? {
                        return Ok(Some(tree));
                    }
                }
                Some(_) => self.word(line, place)?,
            }
        }
    }

    fn open(&mut self, line: &mut Line<'_>, place: Place) -> Result<(), Fault> {
        if let Some(Open { word: Some(word), .. }) = self.stack.last() {
            let found = format!("expected `)` after the word {}, found `(`", quote(word));
            return Err(self.fault(place, found));
        }
        if self.stack.len() == MAX_DEPTH {
            return Err(
                self.fault(place, format!("expected at most {MAX_DEPTH} brackets inside of each other"))
            );
        }
        self.count(place)?;
        // A label follows its bracket at once or after spaces; where another bracket follows it is empty.
        line.skip_space();
        let label = Text::from(line.name());
        self.stack.push(Open { label, word: None, children: Vec::new(), place });
        Ok(())
    }

    fn word(&mut self, line: &mut Line<'_>, place: Place) -> Result<(), Fault> {
        let found = line.name();
        let problem = match self.stack.last_mut() {
            Some(Open { label, word: None, children, .. }) if children.is_empty() => {
                // Only a line break separates the bracket from what follows: it is the label.
                if label.is_empty() {
                    *label = Text::from(found);
                    return Ok(());
                }
                None
            }
            Some(Open { word: Some(word), .. }) => {
                Some(format!("expected `)` after the word {}, found {}", quote(word), quote(found)))
            }
            Some(Open { label, .. }) => {
                let label = quote(label);
                Some(format!("expected `(` or `)` among the children of {label}, found {}", quote(found)))
            }
            None => Some(format!("expected `(`, found {}", quote(found))),
        };
        match (problem, self.stack.last_mut()) {
            (None, Some(open)) => {
                open.word = Some(Text::from(found));
                Ok(())
            }
            (problem, _) => Err(self.fault(place, problem.unwrap_or_default())),
        }
    }

    fn close(&mut self, place: Place) -> Result<Option<Phrase>, Fault> {
        let Some(open) = self.stack.pop() else {
            return Err(self.fault(place, "expected `(`, found `)`: no bracket is open".to_owned()));
        };
        let Open { label, word, children, place: opened } = open;
        let phrase = match word {
            Some(word) => Phrase::Leaf { tag: label, word },
            None if children.is_empty() => {
                let message = format!(
                    "expected a word or children of {} (opened at {}:{}), found `)`",
                    name_of(&label),
                    opened.line,
                    opened.column
                );
                return Err(self.fault(place, message));
            }
            None => Phrase::Node { label, children },
        };
        match self.stack.last_mut() {
            Some(parent) => {
                parent.children.push(phrase);
                Ok(None)
            }
            None => {
                self.nodes = 0;
                Ok(Some(phrase))
            }
        }
    }

    fn count(&mut self, place: Place) -> Result<(), Fault> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(self.fault(place, format!("expected a tree of at most {MAX_NODES} nodes")));
        }
        Ok(())
    }

    /// An error at a place; what was open is told and given up.
    fn fault(&mut self, place: Place, message: String) -> Fault {
        let message = if self.stack.is_empty() { message } else { format!("{message}; {}", self.abandon()) };
        self.abandon();
        Fault { place, message }
    }
}

fn name_of(label: &str) -> String {
    if label.is_empty() { "the brackets without a label".to_owned() } else { quote(label) }
}

/// The open brackets from the inside out, with their places; the outermost and the innermost ones when there
/// are many.
fn describe(stack: &[Open]) -> String {
    const SHOWN: usize = 4;
    let one = |open: &Open| {
        let label = if open.label.is_empty() { "(" } else { open.label.as_str() };
        format!("{label} from {}:{}", open.place.line, open.place.column)
    };
    let mut parts: Vec<String> = stack.iter().rev().take(SHOWN).map(one).collect();
    if stack.len() > SHOWN + 1 {
        parts.push(format!("{} more", stack.len() - SHOWN - 1));
    }
    if let Some(first) = stack.first().filter(|_| stack.len() > SHOWN) {
        parts.push(one(first));
    }
    format!("open: {}", parts.join(", "))
}
