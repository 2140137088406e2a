//! The characters of a paragraph as a sequence to be labelled: what follows each of them?
//!
//! A run of white space is one position where nothing is to be decided. Neither is anything between classes of
//! characters that are never parted in the training data (small letters in English, but not in Chinese), before a
//! combining mark, or at the end of the paragraph.

use super::Tokenizer;
use super::address::address;
use crate::characters::{Class, fold, lower, shape};
use crate::labelling::{Keys, Labelling};

/// The token goes on.
pub(crate) const CONTINUE: u16 = 0;
/// The token ends.
pub(crate) const END: u16 = 1;
/// The token ends, and the sentence with it.
pub(crate) const SENTENCE: u16 = 2;

/// A sentence of so many tokens ends at the next white space, one of twice as many at once. The limit is far above
/// what people write and keeps a text without punctuation in pieces that a parser can handle.
pub const MOST_TOKENS: u16 = 1000;

/// A character, or a run of white space.
#[derive(Clone, Copy, Debug)]
struct Character {
    /// The small character, a space or a line feed.
    value: u32,
    class: Class,
    code: u32,
    /// Where it starts and ends in the text.
    start: u32,
    end: u32,
    /// The number of its chunk; for white space, that of the chunk before.
    chunk: u32,
    /// The chunk up to and with this character, and what is left of it.
    prefix: u32,
    rest: u32,
    /// How far it is from the start of the line, in steps of eight.
    column: u8,
    /// Whether it and the next character belong to one address.
    addressed: bool,
}

/// What stands between two runs of white space.
#[derive(Clone, Copy, Debug, Default)]
struct Chunk {
    hash: u32,
    shape: u32,
    /// The code of the first character.
    first: u32,
    /// Whether it looks like an address (`@`, `://`, `www.`) or has digits.
    kind: u32,
}

/// A paragraph ready to be labelled.
#[derive(Debug)]
pub struct Reading<'a> {
    tokenizer: &'a Tokenizer,
    characters: Vec<Character>,
    chunks: Vec<Chunk>,
}

/// What the labels so far say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Past {
    /// The current token so far, and its first character.
    token: u32,
    first: u32,
    length: u8,
    /// Open brackets and quotation marks.
    open: u8,
    /// Tokens of the sentence so far.
    words: u16,
    /// The token before.
    previous: u32,
}

impl<'a> Reading<'a> {
    /// Looks at a paragraph.
    pub(crate) fn new(tokenizer: &'a Tokenizer, text: &str) -> Self {
        let mut reading =
            Reading { tokenizer, characters: Vec::with_capacity(text.len()), chunks: Vec::new() };
        let (mut line, mut prefix, mut chunk_start) = (0, 0, None);
        for (start, c) in text.char_indices() {
            let class = Class::of(c);
            let (start, end) = (start as u32, (start + c.len_utf8()) as u32);
            let column = ((reading.characters.len() - line) / 8).min(15) as u8;
            if class == Class::Space {
                if let Some(from) = chunk_start.take() {
                    reading.finish_chunk(from, &text[..start as usize]);
                }
                let breaks = matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
                let value = if breaks { '\n' } else { ' ' };
                match reading.characters.last_mut() {
                    Some(last) if last.class == Class::Space => {
                        last.end = end;
                        last.value = if breaks { '\n' as u32 } else { last.value };
                        last.code = last.value;
                    }
                    _ => {
                        let chunk = reading.chunks.len().saturating_sub(1) as u32;
                        let (value, code) = (value as u32, value as u32);
                        let white = Character {
                            value,
                            class,
                            code,
                            start,
                            end,
                            chunk,
                            prefix: 0,
                            rest: 0,
                            column,
                            addressed: false,
                        };
                        reading.characters.push(white);
                    }
                }
                if breaks {
                    line = reading.characters.len();
                }
                continue;
            }
            if chunk_start.is_none() {
                chunk_start = Some(reading.characters.len());
                prefix = 0;
            }
            let value = lower(c) as u32;
            prefix = fold(prefix, value);
            let (code, chunk) = (class.code(c), reading.chunks.len() as u32);
            reading.characters.push(Character {
                value,
                class,
                code,
                start,
                end,
                chunk,
                prefix,
                rest: 0,
                column,
                addressed: false,
            });
        }
        if let Some(from) = chunk_start {
            reading.finish_chunk(from, text);
        }
        reading
    }

    /// Ends the chunk that starts at character `from` and stands at the end of `text`.
    fn finish_chunk(&mut self, from: usize, text: &str) {
        let characters = &mut self.characters[from..];
        let mut rest = 0;
        for character in characters.iter_mut().rev() {
            character.rest = rest;
            rest = fold(rest, character.value);
        }
        let start = characters[0].start as usize;
        let text = &text[start..];
        if let Some(bytes) = address(text) {
            for character in characters.iter_mut() {
                let (from, to) = (character.start as usize - start, character.end as usize - start);
                character.addressed = bytes.contains(&from) && bytes.contains(&to);
            }
        }
        let address = u32::from(text.contains("://") || text.contains("www."));
        let digits = u32::from(characters.iter().any(|c| c.class == Class::Digit));
        let letters = u32::from(characters.iter().any(|c| matches!(c.class, Class::Lower | Class::Upper)));
        let kind = address << 3 | u32::from(text.contains('@')) << 2 | digits << 1 | letters;
        self.chunks.push(Chunk { hash: rest, shape: shape(text), first: characters[0].code, kind });
    }

    /// Whether a position is white space.
    pub(crate) fn is_space(&self, position: usize) -> bool {
        self.characters[position].class == Class::Space
    }

    /// Where a position starts and ends in the text.
    pub(crate) fn bytes(&self, position: usize) -> (usize, usize) {
        (self.characters[position].start as usize, self.characters[position].end as usize)
    }

    fn value(&self, position: usize, offset: isize) -> u32 {
        self.at(position, offset).map_or(3, |character| character.value)
    }

    fn code(&self, position: usize, offset: isize) -> u32 {
        self.at(position, offset).map_or(0xFFFF, |character| character.code)
    }

    fn at(&self, position: usize, offset: isize) -> Option<&Character> {
        self.characters.get(position.wrapping_add_signed(offset))
    }

    fn chunk(&self, number: usize) -> Chunk {
        self.chunks.get(number).copied().unwrap_or_default()
    }

    /// The classes that the training data never parts: asked for every pair of neighbours.
    pub(crate) fn pair(&self, position: usize) -> Option<(Class, Class)> {
        let (this, next) = (self.characters[position], self.at(position, 1)?);
        (this.class != Class::Space && next.class != Class::Space).then_some((this.class, next.class))
    }

    /// Whether a position and the next one belong to one address.
    pub(crate) fn in_address(&self, position: usize) -> bool {
        self.characters[position].addressed
    }

    /// Whether two neighbours are one character to the eye.
    fn joined(&self, position: usize) -> bool {
        let joiner = '\u{200d}' as u32;
        self.pair(position).is_some_and(|(_, next)| {
            next == Class::Mark && self.characters[position].class != Class::Punctuation
                || self.characters[position].value == joiner
        })
    }
}

impl Labelling for Reading<'_> {
    type History = Past;

    fn len(&self) -> usize {
        self.characters.len()
    }

    fn labels(&self) -> usize {
        3
    }

    fn only(&self, position: usize, past: &Past) -> Option<u16> {
        if self.is_space(position) {
            return Some(CONTINUE);
        }
        let Some(next) = self.at(position, 1) else { return Some(SENTENCE) };
        let rest_is_white = next.class == Class::Space && position + 2 == self.characters.len();
        let full = past.words >= MOST_TOKENS && next.class == Class::Space || past.words >= 2 * MOST_TOKENS;
        if rest_is_white || full {
            return Some(SENTENCE);
        }
        let (this, next) = self.pair(position)?;
        let whole = self.joined(position)
            || self.tokenizer.never_parted(this, next)
            || self.tokenizer.whole_addresses && self.in_address(position);
        whole.then_some(CONTINUE)
    }

    fn allowed(&self, position: usize, label: u16) -> bool {
        label != CONTINUE || self.tokenizer.inner_spaces || self.pair(position).is_some()
    }

    fn local(&self, position: usize, keys: &mut Keys) {
        let v = |offset| self.value(position, offset);
        let k = |offset| self.code(position, offset);
        let this = self.characters[position];
        let number = this.chunk as usize;
        let chunk = self.chunk(number);
        keys.add([v(0)]);
        keys.add([v(0), v(1)]);
        keys.add([v(-1), v(0)]);
        keys.add([v(-1), v(0), v(1)]);
        keys.add([v(0), v(1), v(2)]);
        keys.add([v(-2), v(-1), v(0)]);
        keys.add([v(1), v(2)]);
        keys.add([v(-1), v(1)]);
        keys.add([v(-2), v(-1), v(0), v(1)]);
        keys.add([v(-1), v(0), v(1), v(2)]);
        keys.add([v(0), v(1), v(2), v(3)]);
        keys.add([k(-1), k(0), k(1)]);
        keys.add([k(-2), k(-1), k(0), k(1)]);
        keys.add([k(-1), k(0), k(1), k(2)]);
        keys.add([k(-2), k(-1), k(0), k(1), k(2)]);
        keys.add([k(-3), k(-2), k(-1), k(0), k(1), k(2), k(3)]);
        keys.add([v(1)]);
        keys.add([v(-1)]);
        // Without spaces a chunk is a whole sentence, which says nothing about its parts.
        if this.class == Class::Unspaced {
            keys.skip(5);
        } else {
            keys.add([this.prefix, v(1)]);
            keys.add([this.rest, v(0)]);
            keys.add([this.prefix, this.rest]);
            keys.add([chunk.kind, v(0), k(1)]);
            keys.add([chunk.kind, k(-1), k(0), k(1)]);
        }
        if self.pair(position).is_some() {
            keys.skip(8);
            keys.add([
                u32::from(this.class == Class::Unspaced),
                u32::from(v(0) == v(1)),
                u32::from(v(-1) == v(1)),
            ]);
            return;
        }
        // A token ends here in any case: what decides about the sentence?
        let next = self.chunk(number + 1);
        keys.add([chunk.hash, next.hash]);
        keys.add([chunk.hash, next.first, v(1)]);
        keys.add([next.hash, v(0)]);
        keys.add([chunk.shape, next.shape, v(1)]);
        keys.add([k(0), next.shape]);
        keys.add([v(1), u32::from(this.column), k(0)]);
        keys.add([v(1), u32::from(this.column), next.first]);
        keys.add([v(0), next.first, self.chunk(number + 2).first]);
        keys.skip(1);
    }

    fn historic(&self, position: usize, past: &Past, keys: &mut Keys) {
        let this = self.characters[position];
        let token = fold(past.token, this.value);
        let first = if past.length == 0 { this.code } else { past.first };
        let length = u32::from(past.length.min(12));
        let (next, code) = (self.value(position, 1), self.code(position, 1));
        keys.add([token, next]);
        keys.add([token, code, self.code(position, 2)]);
        keys.add([past.previous, token, code]);
        keys.add([length, this.code, code]);
        keys.add([first, this.code, code]);
        keys.add([u32::from(past.open), this.code, code, self.code(position, 2)]);
        if self.pair(position).is_some() {
            keys.add([token, self.value(position, 2), next]);
            keys.skip(3);
            return;
        }
        let words = u32::from(match past.words {
            few @ 0..4 => few,
            words => 4 + words.ilog2() as u16,
        });
        let following = self.chunk(this.chunk as usize + 1);
        keys.skip(1);
        keys.add([words, this.code, code, following.first]);
        keys.add([token, following.hash]);
        keys.add([past.previous, following.first, this.code]);
    }

    fn next(&self, position: usize, past: Past, label: u16) -> Past {
        let this = self.characters[position];
        if this.class == Class::Space && past.length == 0 {
            return past;
        }
        let token = fold(past.token, this.value);
        let open = match char::from_u32(this.value) {
            Some('"') => past.open ^ 1,
            Some('“' | '„' | '«') => past.open | 1,
            Some('”' | '»') => past.open & !1,
            Some('(' | '[') => past.open | 2,
            Some(')' | ']') => past.open & !2,
            _ => past.open,
        };
        match label {
            CONTINUE => {
                let first = if past.length == 0 { this.code } else { past.first };
                Past { token, first, length: past.length.saturating_add(1), open, ..past }
            }
            END => Past { previous: token, open, words: past.words.saturating_add(1), ..Past::default() },
            _ => Past { previous: 1, ..Past::default() },
        }
    }
}
