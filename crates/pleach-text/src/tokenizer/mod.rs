//! Tokenizer and sentence splitter: one tagger over the characters.
//!
//! Text is read by paragraphs (a blank line ends a sentence in any case), a long paragraph in windows, so that
//! memory is bounded whatever the text is. Nothing is lost: white space that is not a single space is kept in MISC as
//! UDPipe's `SpacesAfter` and `SpacesBefore`, so [`original`] gives the text back.

mod address;
mod assemble;
mod reading;
#[cfg(test)]
mod tests;

pub use assemble::{Assembler, original};
pub use reading::{MOST_TOKENS, Past, Reading};

use crate::characters::Class;
use crate::labelling::Labelling;
use crate::labelling::search::Memory;
use crate::stage::{Example, Stage};
use crate::surface::{Layout, Paragraph, paragraphs};
use pleach_graph::Sentence;
use pleach_graph::words::hash;
use pleach_linear::table::Table;
use reading::{CONTINUE, END, SENTENCE};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The longest text that is read at once, in bytes; more only up to the next white space.
const WINDOW: usize = 1 << 15;

/// How many classes of characters there are.
const CLASSES: usize = Class::Other as usize + 1;

/// A pair of classes counts as never parted when it was seen so often …
const PAIRS_SEEN: usize = 1000;
/// … and parted at most once in so many times: typing errors are not to be learnt.
const PAIRS_PARTED: usize = 1000;

/// Addresses count as whole when so many characters of them were seen …
const ADDRESSES_SEEN: usize = 300;
/// … and a token ends behind at most one in so many.
const ADDRESSES_CUT: usize = 200;

/// What a tokenizer knows apart from its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokenizer {
    /// For every class of characters, the classes that are never parted from it when they follow, as bits.
    never_parted: Vec<u16>,
    /// Whether tokens may have spaces in them.
    inner_spaces: bool,
    /// Whether addresses (of mail and of pages) are one token each.
    #[serde(default)]
    whole_addresses: bool,
}

/// A token of a text: its bytes, and whether it ends its sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it stands.
    pub bytes: Range<usize>,
    /// Whether its sentence ends behind it.
    pub last: bool,
}

impl Tokenizer {
    /// Counts which classes are never parted, and whether tokens have spaces.
    fn count(paragraphs: &[Paragraph]) -> Self {
        let blank = Tokenizer { never_parted: vec![0; CLASSES], inner_spaces: true, whole_addresses: false };
        let (mut seen, mut parted) = ([[0usize; CLASSES]; CLASSES], [[0usize; CLASSES]; CLASSES]);
        let mut inner_spaces = false;
        let (mut inside, mut cut) = (0usize, 0usize);
        for paragraph in paragraphs {
            let (reading, labels) = blank.example(paragraph);
            for (position, &label) in labels.iter().enumerate() {
                if reading.in_address(position) {
                    inside += 1;
                    cut += usize::from(label != CONTINUE);
                }
                match reading.pair(position) {
                    Some((this, next)) => {
                        seen[this as usize][next as usize] += 1;
                        parted[this as usize][next as usize] += usize::from(label != CONTINUE);
                    }
                    None => inner_spaces |= label == CONTINUE && !reading.is_space(position),
                }
            }
        }
        let never = |this: usize, next: usize| {
            seen[this][next] >= PAIRS_SEEN && parted[this][next] * PAIRS_PARTED <= seen[this][next]
        };
        let bits = |this| (0..CLASSES).fold(0, |bits, next| bits | u16::from(never(this, next)) << next);
        let whole_addresses = inside >= ADDRESSES_SEEN && cut * ADDRESSES_CUT <= inside;
        Tokenizer { never_parted: (0..CLASSES).map(bits).collect(), inner_spaces, whole_addresses }
    }

    fn never_parted(&self, this: Class, next: Class) -> bool {
        self.never_parted.get(this as usize).is_some_and(|bits| bits >> next as u16 & 1 == 1)
    }

    /// A paragraph and its labels.
    fn example(&self, paragraph: &Paragraph) -> (Reading<'_>, Vec<u16>) {
        let reading = Reading::new(self, &paragraph.text);
        let mut ends = paragraph.ends.iter().peekable();
        let labels = (0..reading.len()).map(|position| {
            let (_, end) = reading.bytes(position);
            match ends.next_if(|(place, _)| *place == end) {
                Some((_, true)) => SENTENCE,
                Some((_, false)) => END,
                None => CONTINUE,
            }
        });
        let mut labels: Vec<u16> = labels.collect();
        // Gold labels that the search could never give would only confuse it.
        let mut past = Past::default();
        for (position, label) in labels.iter_mut().enumerate() {
            *label = reading.only(position, &past).unwrap_or(*label);
            past = reading.next(position, past, *label);
        }
        (reading, labels)
    }

    /// The tokens of a text, in order.
    pub fn pieces(&self, table: Table<'_>, text: &str, beam: usize, memory: &mut Memory<Past>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for paragraph in blocks(text) {
            let mut at = paragraph.start;
            while at < paragraph.end {
                let window = at..window_end(text, at, paragraph.end);
                let reading = Reading::new(self, &text[window.clone()]);
                let labels = memory.label(&reading, table, beam);
                let from = pieces.len();
                let mut start = None;
                for (position, &label) in labels.iter().enumerate() {
                    let (first, end) = reading.bytes(position);
                    if reading.is_space(position) {
                        continue;
                    }
                    let begin = *start.get_or_insert(first);
                    if label != CONTINUE {
                        let last = label == SENTENCE;
                        pieces.push(Piece { bytes: at + begin..at + end, last });
                        start = None;
                    }
                }
                if window.end == paragraph.end {
                    break;
                }
                // The last sentence may go on behind the window: it is read again, unless it fills the window.
                let complete = pieces[from..]
                    .iter()
                    .rev()
                    .skip(1)
                    .position(|piece| piece.last)
                    .map(|back| pieces.len() - 1 - back);
                at = window.end;
                if let Some(complete) = complete {
                    pieces.truncate(complete);
                    at = pieces.last().map_or(at, |piece| piece.bytes.end);
                }
            }
        }
        pieces
    }
}

impl Stage for Tokenizer {
    const NAME: &'static str = "tokenizer";

    type History = Past;

    type Sequence<'a> = Reading<'a>;

    fn new(sentences: &[Sentence]) -> Self {
        Tokenizer::count(&paragraphs(sentences))
    }

    fn labels(&self) -> usize {
        usize::from(SENTENCE) + 1
    }

    fn examples(&self, sentences: &[Sentence]) -> Vec<Example<Reading<'_>>> {
        let example = |(number, mut paragraph): (usize, Paragraph)| {
            paragraph.lay_out(layout(number));
            let (sequence, gold) = self.example(&paragraph);
            Example { sequence, gold, words: paragraph.ends.len() }
        };
        paragraphs(sentences).into_iter().enumerate().map(example).collect()
    }
}

/// How a paragraph is laid out for training: most on one line, some wrapped as in e-mails, some with a line for each
/// sentence, so that the end of a line is neither a sure sign nor none.
fn layout(number: usize) -> Layout {
    let random = hash::finish(number as u64 + 1);
    match random % 10 {
        0..6 => Layout::Line,
        6..8 => Layout::Wrapped(50 + (random >> 32) as usize % 35),
        _ => Layout::Sentences,
    }
}

/// The stretches between blank lines.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let (mut start, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            if let Some(start) = start.take() {
                blocks.push(start..at);
            }
        } else {
            start.get_or_insert(at);
        }
        at += line.len();
    }
    if let Some(start) = start {
        blocks.push(start..at);
    }
    blocks
}

/// The end of the window that starts at `at`: behind a character, if possible at white space.
fn window_end(text: &str, at: usize, end: usize) -> usize {
    if end - at <= WINDOW {
        return end;
    }
    let mut cut = at + WINDOW;
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    let ahead = text[cut..end].char_indices().take(WINDOW);
    match ahead.into_iter().find(|(_, c)| c.is_whitespace()) {
        Some((offset, _)) => cut + offset,
        None => cut,
    }
}
