//! Text in blocks that can be parsed one by one: paragraphs or lines, and pieces of very long ones.
//!
//! A paragraph ends with its first blank line, which is its last word's. Further blank lines are white space before the
//! next word, or behind the last one where no word follows.

use std::io::{self, BufRead, BufReader, Read};

/// A paragraph that is longer than this is cut at white space, and no more white space than this is kept before one.
const LONGEST: usize = 1 << 20;

/// The byte order mark that some editors put at the start of a file.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// A stretch of text that begins and ends with a sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// The text, with the white space behind it.
    pub text: String,
    /// How many characters stand before it.
    pub start: usize,
    /// Whether it begins a paragraph.
    pub opens: bool,
}

/// Reads text in constant memory and linear time. Bytes that are not UTF-8 are replaced and counted.
#[derive(Debug)]
pub struct Blocks<R> {
    input: BufReader<R>,
    /// What was read and not given away yet.
    pending: Vec<u8>,
    /// Where `pending` has its first character that is no white space.
    text: Option<usize>,
    start: usize,
    first: bool,
    live: bool,
    /// Whether a blank line stood before what comes next, for lines.
    opens: bool,
    /// How many blocks had bytes that are not UTF-8.
    pub damaged: usize,
    /// How many characters of white space were left out, because there were too many of them before a word.
    pub left_out: usize,
}

impl<R: Read> Blocks<R> {
    /// Reads from the beginning.
    pub fn new(input: R) -> Self {
        Blocks {
            input: BufReader::new(input),
            pending: Vec::new(),
            text: None,
            start: 0,
            first: true,
            live: false,
            opens: true,
            damaged: 0,
            left_out: 0,
        }
    }

    /// How many characters were given away so far.
    pub fn given(&self) -> usize {
        self.start
    }

    /// For input that somebody is still writing: a paragraph is given when its blank line is there, without waiting for
    /// what follows. Blank lines at the end of the text, which have no word then, are left out.
    #[must_use]
    pub fn live(mut self) -> Self {
        self.live = true;
        self
    }

    /// Reads a line, or a piece of a long one; how many bytes it has.
    fn read_line(&mut self) -> io::Result<usize> {
        let got = self.input.by_ref().take(LONGEST as u64).read_until(b'\n', &mut self.pending)?;
        if std::mem::take(&mut self.first) && self.pending.starts_with(MARK) {
            self.pending.drain(..MARK.len());
        }
        Ok(got)
    }

    /// The next paragraph.
    pub fn next_block(&mut self) -> io::Result<Option<Block>> {
        // Where the first blank line behind the paragraph ends.
        let mut ended = None;
        loop {
            let from = self.pending.len();
            let got = self.read_line()?;
            let white = self.pending[from..].trim_ascii().is_empty();
            if got == 0 && self.text.is_none() {
                // White space that follows a block belongs to its last word, but there is too much of it.
                self.left_out += if self.start > 0 && !self.live { self.pending.len() } else { 0 };
                self.pending.clear();
                return Ok(None);
            }
            if got == 0 {
                return Ok(Some(self.give(self.pending.len())));
            }
            if let Some(end) = ended
                && !white
            {
                // The line that was read too much begins the next paragraph.
                return Ok(Some(self.give(end)));
            }
            if !white && self.text.is_none() {
                self.text = first_of_text(&self.pending, from);
            }
            if white && self.text.is_some() && ended.is_none() {
                let end = self.pending.len();
                if self.live {
                    return Ok(Some(self.give(end)));
                }
                ended = Some(end);
            }
            match self.text {
                None => self.forget_white(),
                Some(text) if self.pending.len() - text > LONGEST => {
                    return Ok(Some(self.give(ended.unwrap_or_else(|| self.cut(text)))));
                }
                Some(_) => {}
            }
        }
    }

    /// The next line that has words.
    pub fn next_line(&mut self) -> io::Result<Option<Block>> {
        loop {
            let got = self.read_line()?;
            if self.pending.is_empty() {
                return Ok(None);
            }
            let end = match self.pending.iter().position(|&byte| byte == b'\n') {
                Some(end) => end + 1,
                None if got == 0 => self.pending.len(),
                None if self.pending.len() > LONGEST => match first_of_text(&self.pending, 0) {
                    Some(text) => self.cut(text),
                    None => self.pending.len(),
                },
                None => continue,
            };
            let mut block = self.give(end);
            if block.text.trim_ascii().is_empty() {
                self.opens = true;
                continue;
            }
            block.opens = std::mem::take(&mut self.opens);
            return Ok(Some(block));
        }
    }

    /// Leaves out the beginning of white space that goes on and on.
    fn forget_white(&mut self) {
        if self.pending.len() > 2 * LONGEST {
            self.pending.drain(..LONGEST);
            self.start += LONGEST;
            self.left_out += LONGEST;
        }
    }

    /// Where to cut a long paragraph, whose first word is at `text`: behind its last white space, else before a character that may not be complete.
    fn cut(&self, text: usize) -> usize {
        if let Some(space) = self.pending[text..].iter().rposition(u8::is_ascii_whitespace) {
            return text + space + 1;
        }
        let end = self.pending.len();
        let starts = |&at: &usize| self.pending[at] & 0xC0 != 0x80;
        // More bytes than a character has are no character, wherever they are cut.
        match (end.saturating_sub(4)..end).rev().find(starts) {
            Some(at) if self.pending[at] >= 0xC0 => at,
            _ => end,
        }
    }

    /// Gives away the bytes up to `end`.
    fn give(&mut self, end: usize) -> Block {
        let next = self.pending.split_off(end);
        let bytes = std::mem::replace(&mut self.pending, next);
        self.text = first_of_text(&self.pending, 0);
        self.damaged += usize::from(std::str::from_utf8(&bytes).is_err());
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let start = self.start;
        self.start += text.chars().count();
        Block { text, start, opens: true }
    }
}

/// The place of the first byte from `from` on that is no white space.
fn first_of_text(bytes: &[u8], from: usize) -> Option<usize> {
    bytes[from..].iter().position(|byte| !byte.is_ascii_whitespace()).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(bytes: &[u8]) -> (Vec<Block>, usize) {
        let mut blocks = Blocks::new(bytes);
        let mut all = Vec::new();
        while let Some(block) = blocks.next_block().unwrap() {
            all.push(block);
        }
        (all, blocks.damaged)
    }

    #[test]
    fn paragraphs_are_blocks() {
        let text = "\n\none\ntwo\r\n\r\n \nthree\n\nfour";
        let (found, damaged) = blocks(text.as_bytes());
        let texts: Vec<&str> = found.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["\n\none\ntwo\r\n\r\n", " \nthree\n\n", "four"]);
        assert_eq!((found[1].start, damaged), (texts[0].len(), 0));
        assert!(blocks(b"").0.is_empty());
    }

    /// Gives its bytes one by one and counts them.
    struct Slow<'a>(&'a [u8], std::rc::Rc<std::cell::Cell<usize>>);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            (buffer[0], self.0) = (*first, rest);
            self.1.set(self.1.get() + 1);
            Ok(1)
        }
    }

    /// A prompt or a program that writes and then waits for the answer got none before it wrote more.
    #[test]
    fn live_paragraphs_are_given_when_they_end() {
        let read = std::rc::Rc::new(std::cell::Cell::new(0));
        let mut blocks = Blocks::new(Slow(b"one\n\n\ntwo\n\n\n\n", read.clone())).live();
        assert_eq!(blocks.next_block().unwrap().unwrap().text, "one\n\n");
        assert_eq!(read.get(), 5, "nothing more is awaited");
        assert_eq!(blocks.next_block().unwrap().unwrap().text, "\ntwo\n\n");
        assert_eq!((blocks.next_block().unwrap(), blocks.left_out), (None, 0));
    }

    #[test]
    fn lines_are_given_when_they_end() {
        let read = std::rc::Rc::new(std::cell::Cell::new(0));
        let mut blocks = Blocks::new(Slow("\u{feff}é 1\r\n\n \ntwo\nthree".as_bytes(), read.clone()));
        let first = blocks.next_line().unwrap().unwrap();
        assert_eq!((first.text.as_str(), first.start, first.opens, read.get()), ("é 1\r\n", 0, true, 9));
        let rest: Vec<Block> = std::iter::from_fn(|| blocks.next_line().unwrap()).collect();
        let rest: Vec<(&str, usize, bool)> =
            rest.iter().map(|block| (block.text.as_str(), block.start, block.opens)).collect();
        assert_eq!(rest, [("two\n", 8, true), ("three", 12, false)]);
    }

    #[test]
    fn long_lines_are_cut_and_nothing_is_lost() {
        let text = format!("{}\n{}\n", "word ".repeat(1 << 19), "漢".repeat(1 << 20));
        let mut blocks = Blocks::new(text.as_bytes());
        let mut kept = 0;
        while let Some(block) = blocks.next_line().unwrap() {
            assert!(block.text.len() <= 2 << 20, "memory is bounded");
            kept += block.text.chars().filter(|character| !character.is_whitespace()).count();
        }
        assert_eq!((kept, blocks.damaged), ((4 << 19) + (1 << 20), 0));
    }

    #[test]
    fn nothing_is_lost_but_the_mark_at_the_start() {
        let long = "word ".repeat(1 << 19);
        let whole = "é".repeat(1 << 20);
        for text in [long.as_str(), whole.as_str(), "\u{feff}x\n\n\ny", "\u{feff}\n\nx", "\u{feff}"] {
            let joined: String = blocks(text.as_bytes()).0.into_iter().map(|block| block.text).collect();
            assert_eq!(joined, text.trim_start_matches('\u{feff}'));
        }
        let (blocks, damaged) = blocks(b"caf\xE9 ok");
        assert_eq!((blocks[0].text.as_str(), damaged), ("caf\u{fffd} ok", 1));
    }

    /// A text of 3 MB without white space was cut inside of a character.
    #[test]
    fn characters_stay_whole_where_a_text_without_spaces_is_cut() {
        for character in ["漢", "𝄞", "é", "x"] {
            let text = character.repeat((3 << 20) / character.len());
            let (found, damaged) = blocks(text.as_bytes());
            assert_eq!((found.len() > 1, damaged), (true, 0));
            assert_eq!(found.iter().map(|block| block.text.as_str()).collect::<String>(), text);
        }
        let (found, _) = blocks(&[0x80; 3 << 20]);
        assert_eq!(found.iter().map(|block| block.text.chars().count()).sum::<usize>(), 3 << 20);
    }

    /// `parse` took 57 s for 400,000 leading newlines: with every line it looked at all lines before it.
    #[test]
    fn leading_blank_lines_take_linear_time() {
        let text = format!("{}word", "\n".repeat(1 << 20));
        let (found, _) = blocks(text.as_bytes());
        assert_eq!((found.len(), found[0].text.len()), (1, text.len()));
    }

    #[test]
    fn white_space_without_end_is_left_out_and_counted() {
        let white = 10 << 20;
        let text = format!("one\n\n{}two", "\n".repeat(white));
        let mut blocks = Blocks::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some(block) = blocks.next_block().unwrap() {
            assert!(block.text.len() <= 3 << 20, "memory is bounded");
            found.push(block);
        }
        let kept: usize = found.iter().map(|block| block.text.len()).sum();
        assert_eq!(kept + blocks.left_out, text.len());
        assert!(blocks.left_out > 0);
        let last = found.last().unwrap();
        assert!(last.text.ends_with("two"));
        assert_eq!(last.start + last.text.len(), text.len(), "places count what was left out");
        assert!(
            found.iter().all(|block| block.text.contains(char::is_alphabetic)),
            "no block is white space alone"
        );
    }
}
