//! Text in blocks that can be parsed one by one: paragraphs, and pieces of very long ones.

use std::io::{self, BufRead, BufReader, Read};

/// A paragraph that is longer than this is cut at white space.
const LONGEST: usize = 1 << 20;

/// A stretch of text that begins and ends with a sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// The text, with the white space behind it.
    pub text: String,
    /// How many characters stand before it.
    pub start: usize,
}

/// Reads text in constant memory. Bytes that are not UTF-8 are replaced and counted.
#[derive(Debug)]
pub struct Blocks<R> {
    input: BufReader<R>,
    /// What was read and not given away yet.
    pending: Vec<u8>,
    start: usize,
    first: bool,
    /// How many blocks had bytes that are not UTF-8.
    pub damaged: usize,
}

impl<R: Read> Blocks<R> {
    /// The blocks of a stream.
    pub fn new(input: R) -> Self {
        Blocks { input: BufReader::new(input), pending: Vec::new(), start: 0, first: true, damaged: 0 }
    }

    /// The next block.
    #[allow(clippy::should_implement_trait, reason = "reading can fail, so this is no iterator")]
    pub fn next(&mut self) -> io::Result<Option<Block>> {
        let mut blank = false;
        loop {
            let from = self.pending.len();
            let got = self.input.by_ref().take(LONGEST as u64).read_until(b'\n', &mut self.pending)?;
            let line = &self.pending[from..];
            let white = line.trim_ascii().is_empty();
            if got == 0 || (blank && !white) {
                // The paragraph is over; the line that was read too much begins the next one.
                let next = self.pending.split_off(from);
                let bytes = std::mem::replace(&mut self.pending, next);
                return Ok(self.give(&bytes));
            }
            blank = white && from > 0 && self.pending[..from].iter().any(|byte| !byte.is_ascii_whitespace());
            if self.pending.len() > LONGEST {
                let cut = self
                    .pending
                    .iter()
                    .rposition(u8::is_ascii_whitespace)
                    .map_or(self.pending.len(), |at| at + 1);
                // A character of several bytes stays in one piece.
                let cut = (cut..=self.pending.len())
                    .find(|&at| self.pending.get(at).is_none_or(|byte| byte & 0xC0 != 0x80))
                    .unwrap_or(self.pending.len());
                let next = self.pending.split_off(cut);
                let bytes = std::mem::replace(&mut self.pending, next);
                return Ok(self.give(&bytes));
            }
        }
    }

    fn give(&mut self, mut bytes: &[u8]) -> Option<Block> {
        if std::mem::take(&mut self.first) {
            bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        }
        if bytes.is_empty() {
            return None;
        }
        self.damaged += usize::from(std::str::from_utf8(bytes).is_err());
        let text = String::from_utf8_lossy(bytes).into_owned();
        let start = self.start;
        self.start += text.chars().count();
        Some(Block { text, start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(bytes: &[u8]) -> (Vec<Block>, usize) {
        let mut blocks = Blocks::new(bytes);
        let mut all = Vec::new();
        while let Some(block) = blocks.next().unwrap() {
            all.push(block);
        }
        (all, blocks.damaged)
    }

    #[test]
    fn paragraphs_are_blocks() {
        let text = "\n\none\ntwo\r\n\r\n \nthree\n\nfour";
        let (found, damaged) = blocks(text.as_bytes());
        let texts: Vec<&str> = found.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["\n\none\ntwo\r\n\r\n \n", "three\n\n", "four"]);
        assert_eq!((found[1].start, damaged), (texts[0].len(), 0));
        assert!(blocks(b"").0.is_empty());
    }

    #[test]
    fn nothing_is_lost_but_the_mark_at_the_start() {
        let long = "word ".repeat(1 << 19);
        let whole = "é".repeat(1 << 20);
        for text in [long.as_str(), whole.as_str(), "\u{feff}x\n\n\ny"] {
            let joined: String = blocks(text.as_bytes()).0.into_iter().map(|block| block.text).collect();
            assert_eq!(joined, text.trim_start_matches('\u{feff}'));
        }
        let (blocks, damaged) = blocks(b"caf\xE9 ok");
        assert_eq!((blocks[0].text.as_str(), damaged), ("caf\u{fffd} ok", 1));
    }
}
