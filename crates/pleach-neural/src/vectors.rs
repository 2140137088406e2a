//! Word vectors of the user's own: the formats of word2vec (text and binary), fastText (`.vec`) and GloVe.
//!
//! In text, a line has a word and its numbers, separated by spaces. word2vec and fastText begin with a line that has the
//! number of words and the width; GloVe does not. A word may contain spaces (GloVe has some), so the numbers are counted
//! from the end. In word2vec's binary format, the first line is followed by words, each with a space and its numbers of
//! four bytes. Files are read once, and only what `wanted` asks for is kept, as f16 and without the words themselves: a
//! word is known by a fingerprint of 32 bits.

use crate::NeuralError;
use crate::kernel::elementwise::squares;
use crate::network::hash;
use crate::tensors::{Precision, Stored, View, write};
use half::f16;
use std::collections::HashMap;
use std::io::BufRead;
use thiserror::Error;

/// Why vectors could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VectorsError {
    /// The file can't be read.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// A line has another number of numbers than those before it.
    #[error("line {line}: {found} numbers, expected {expected}")]
    Width {
        /// The line, counted from 1.
        line: usize,
        /// The numbers found.
        found: usize,
        /// The numbers expected.
        expected: usize,
    },
    /// Something on a line is not a number.
    #[error("line {line}: {text:?} is not a number")]
    Number {
        /// The line, counted from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// A word has two vectors.
    #[error("line {line}: {word:?} has a vector already, on line {before}")]
    Twice {
        /// The line, counted from 1.
        line: usize,
        /// The word.
        word: String,
        /// The line of its first vector.
        before: usize,
    },
    /// The file has fewer or more words than its first line says.
    #[error("line {line}: the file ends after {found} words, its first line says {expected}")]
    Count {
        /// The last line.
        line: usize,
        /// The words found.
        found: usize,
        /// The words expected.
        expected: usize,
    },
    /// fastText's own binary format.
    #[error("a model of fastText; its vectors are in the .vec file beside it")]
    FastText,
    /// There is no vector in the file.
    #[error("there are no vectors in the file")]
    Empty,
}

/// Vectors by word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordVectors {
    width: usize,
    /// The sorted fingerprints; vectors stand in their order.
    known: Vec<u32>,
    data: Vec<f32>,
}

/// What is known of a file before its vectors.
struct Reading {
    width: usize,
    promised: Option<usize>,
    lines: HashMap<u64, u32>,
    rows: HashMap<u32, Vec<f32>>,
}

impl Reading {
    /// Notes a word; whether its vector is kept.
    fn word(
        &mut self,
        line: usize,
        word: &str,
        wanted: &impl Fn(usize, &str) -> bool,
    ) -> Result<bool, VectorsError> {
        let number = self.lines.len();
        if let Some(before) = self.lines.insert(hash(word), line as u32) {
            return Err(VectorsError::Twice { line, word: word.to_owned(), before: before as usize });
        }
        Ok(wanted(number, word))
    }

    fn keep(&mut self, line: usize, word: &str, row: Vec<f32>) -> Result<(), VectorsError> {
        if let Some(x) = row.iter().find(|x| !x.is_finite()) {
            return Err(VectorsError::Number { line, text: x.to_string() });
        }
        let rounded = row.into_iter().map(|x| f16::from_f32(x).to_f32()).collect();
        self.rows.insert(hash(word) as u32, rounded);
        Ok(())
    }

    fn finish(self, line: usize) -> Result<WordVectors, VectorsError> {
        let found = self.lines.len();
        match self.promised {
            Some(expected) if expected != found => return Err(VectorsError::Count { line, found, expected }),
            _ if found == 0 => return Err(VectorsError::Empty),
            _ => {}
        }
        let mut rows: Vec<(u32, Vec<f32>)> = self.rows.into_iter().collect();
        rows.sort_unstable_by_key(|row| row.0);
        let (known, data): (Vec<u32>, Vec<Vec<f32>>) = rows.into_iter().unzip();
        Ok(WordVectors { width: self.width, known, data: data.concat() })
    }
}

/// The number that fastText's models begin with.
const FAST_TEXT: [u8; 4] = 793_712_314_i32.to_le_bytes();

impl WordVectors {
    /// Vectors that are known, all of one width. Of two words with one fingerprint the first has it.
    pub fn new<'a>(rows: impl Iterator<Item = (&'a str, &'a [f32])>) -> Self {
        let mut sorted: Vec<(u32, &[f32])> = rows.map(|(word, row)| (hash(word) as u32, row)).collect();
        sorted.sort_by_key(|row| row.0);
        sorted.dedup_by_key(|row| row.0);
        let width = sorted.first().map_or(0, |row| row.1.len());
        let (known, rows): (Vec<u32>, Vec<&[f32]>) = sorted.into_iter().unzip();
        WordVectors { width, known, data: rows.concat() }
    }

    /// Reads a file and keeps the words that are wanted; they are numbered from 0, the most frequent first in most files.
    pub fn read(
        mut reader: impl BufRead,
        wanted: impl Fn(usize, &str) -> bool,
    ) -> Result<Self, VectorsError> {
        let mut first = Vec::new();
        reader.read_until(b'\n', &mut first)?;
        if first.starts_with(&FAST_TEXT) {
            return Err(VectorsError::FastText);
        }
        let line = String::from_utf8_lossy(&first).into_owned();
        let mut reading = Reading { width: 0, promised: None, lines: HashMap::new(), rows: HashMap::new() };
        let numbers: Vec<Option<usize>> = line.split_whitespace().map(|part| part.parse().ok()).collect();
        if let [Some(words), Some(width)] = numbers[..] {
            (reading.promised, reading.width) = (Some(words), width);
            if width == 0 {
                return Err(VectorsError::Empty);
            }
            if is_binary(reader.fill_buf()?) {
                return Self::read_binary(reader, reading, wanted);
            }
        } else {
            reading.line(1, &line, &wanted)?;
        }
        let mut number = 1;
        for line in reader.lines() {
            number += 1;
            reading.line(number, &line?, &wanted)?;
        }
        reading.finish(number)
    }

    fn read_binary(
        mut reader: impl BufRead,
        mut reading: Reading,
        wanted: impl Fn(usize, &str) -> bool,
    ) -> Result<Self, VectorsError> {
        let (mut word, mut bytes) = (Vec::new(), vec![0; 4 * reading.width]);
        let expected = reading.promised.unwrap_or(0);
        for number in 0..expected {
            word.clear();
            reader.read_until(b' ', &mut word)?;
            let line = number + 2;
            let cut = |error: std::io::Error| match error.kind() {
                std::io::ErrorKind::UnexpectedEof => VectorsError::Count { line, found: number, expected },
                _ => VectorsError::File(error),
            };
            reader.read_exact(&mut bytes).map_err(cut)?;
            let text = String::from_utf8_lossy(&word);
            let text = text.trim_start_matches('\n').trim_end_matches(' ');
            if reading.word(line, text, &wanted)? {
                let row = bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
                reading.keep(line, text, row.collect())?;
            }
        }
        reading.finish(expected + 1)
    }

    /// The width of a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The row of a form's vector: as it is written, else in lower case.
    pub fn row(&self, form: &str) -> Option<usize> {
        let find = |word: &str| self.known.binary_search(&(hash(word) as u32)).ok();
        let small = form.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        find(form).or_else(|| (!small).then(|| form.to_lowercase()).and_then(|lower| find(&lower)))
    }

    /// The vector of a form.
    pub fn get(&self, form: &str) -> Option<&[f32]> {
        self.row(form).map(|row| &self.data[row * self.width..][..self.width])
    }

    /// Multiplies all vectors so that their elements have the given standard deviation around zero.
    pub fn scale_to(&mut self, deviation: f32) {
        let squares = squares(&self.data);
        if squares > 0.0 {
            let factor = deviation / (squares / self.data.len() as f64).sqrt() as f32;
            self.data.iter_mut().for_each(|x| *x = f16::from_f32(*x * factor).to_f32());
        }
    }

    /// The vectors of a sentence's words for a network: the root and unknown words have zeros.
    pub fn of_words(&self, forms: &[&str]) -> Vec<f32> {
        let mut out = vec![0.0; self.width];
        for form in forms {
            match self.get(form) {
                Some(vector) => out.extend_from_slice(vector),
                None => out.resize(out.len() + self.width, 0.0),
            }
        }
        out
    }

    /// All of it as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let vectors = Stored::Numbers(&self.data, vec![self.known.len(), self.width], Precision::F16);
        write(&[], &[("known".into(), Stored::Whole(&self.known)), ("vectors".into(), vectors)])
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NeuralError> {
        let view = View::new(bytes)?;
        let (known, data) = (view.whole("known")?, view.numbers("vectors")?.into_owned());
        let width = view.shape("vectors").and_then(|shape| shape.last().copied()).unwrap_or(0);
        if !known.is_sorted_by(|a, b| a < b) || known.len() * width != data.len() {
            return Err(NeuralError::Damaged("word vectors whose words don't fit".into()));
        }
        Ok(WordVectors { width, known, data })
    }
}

impl Reading {
    fn line(
        &mut self,
        number: usize,
        line: &str,
        wanted: &impl Fn(usize, &str) -> bool,
    ) -> Result<(), VectorsError> {
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(());
        }
        let parts = line.split(' ').count();
        if self.width == 0 {
            self.width = parts - 1;
        }
        let width = self.width;
        if parts <= width || width == 0 {
            return Err(VectorsError::Width { line: number, found: parts - 1, expected: width });
        }
        let end = line.rmatch_indices(' ').nth(width - 1).map_or(0, |(end, _)| end);
        let (word, numbers) = line.split_at(end);
        // All but GloVe's few words with spaces are one word: what looks like one with numbers in it is a line that is too long.
        if let Some((_, last)) = word.rsplit_once(' ')
            && last.contains('.')
            && last.parse::<f32>().is_ok()
            && last.len() > 1
        {
            return Err(VectorsError::Width { line: number, found: parts - 1, expected: width });
        }
        if self.word(number, word, wanted)? {
            let parse = |text: &str| {
                text.parse::<f32>().map_err(|_| VectorsError::Number { line: number, text: text.to_owned() })
            };
            let row = numbers[1..].split(' ').map(parse).collect::<Result<Vec<f32>, _>>()?;
            self.keep(number, word, row)?;
        }
        Ok(())
    }
}

/// Whether what follows the first line is words with numbers of four bytes.
fn is_binary(start: &[u8]) -> bool {
    let numbers = start.iter().position(|&byte| byte == b' ').map_or(&[][..], |place| &start[place + 1..]);
    // A line of text may be longer than what is looked at; its last number may be cut then.
    let line = numbers.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = &line[..line.len().min(64)];
    let Ok(line) = std::str::from_utf8(line) else { return true };
    let mut items = line.split_ascii_whitespace().peekable();
    let mut first = true;
    while let Some(item) = items.next() {
        if (first || items.peek().is_some()) && item.parse::<f32>().is_err() {
            return true;
        }
        first = false;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<WordVectors, VectorsError> {
        WordVectors::read(text.as_bytes(), |_, word| word != "skip")
    }

    #[test]
    fn with_and_without_a_first_line() {
        let glove = "the 1 2 3\n. . . 4 5 6\nskip 7 x 8\n";
        for text in [glove.to_owned(), format!("3 3\n{glove}")] {
            let vectors = read(&text).unwrap();
            assert_eq!((vectors.width(), vectors.len()), (3, 2));
            assert_eq!(vectors.get("The"), Some(&[1.0, 2.0, 3.0][..]));
            assert_eq!(vectors.get(". . ."), Some(&[4.0, 5.0, 6.0][..]));
            assert_eq!(vectors.get("cat"), None);
            let rows = vectors.of_words(&["cat", "the"]);
            assert_eq!(rows, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
            assert_eq!(WordVectors::from_bytes(&vectors.to_bytes()).unwrap(), vectors);
        }
        let most = WordVectors::read("a 1 2\nb 3 4\nc 5 6\n".as_bytes(), |number, _| number < 2).unwrap();
        assert_eq!((most.len(), most.get("c")), (2, None));
    }

    fn binary(gap: &str) -> Vec<u8> {
        let mut bytes = b"2 3\n".to_vec();
        for (word, row) in [("the", [1.0_f32, -2.5, 3.0]), ("caf\u{e9}", [0.5, 0.25, 1e-3])] {
            bytes.extend_from_slice(word.as_bytes());
            bytes.push(b' ');
            row.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
            bytes.extend_from_slice(gap.as_bytes());
        }
        bytes
    }

    #[test]
    fn binary_files_say_the_same() {
        for gap in ["", "\n"] {
            let vectors = WordVectors::read(&binary(gap)[..], |_, _| true).unwrap();
            assert_eq!(vectors, read("2 3\nthe 1 -2.5 3\ncaf\u{e9} 0.5 0.25 1e-3\n").unwrap());
            let cut = &binary(gap)[..binary(gap).len() - 5];
            let error = WordVectors::read(cut, |_, _| true).unwrap_err().to_string();
            assert_eq!(error, "line 3: the file ends after 1 words, its first line says 2");
        }
        let fast_text = [&FAST_TEXT[..], &[12, 0, 0, 0]].concat();
        assert!(matches!(WordVectors::read(&fast_text[..], |_, _| true), Err(VectorsError::FastText)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(error("a 1 2\nb 1\n"), "line 2: 1 numbers, expected 2");
        assert_eq!(error("a 1.0 2.0\nb 1.5 2.5 3.5\n"), "line 2: 3 numbers, expected 2");
        assert_eq!(error("2 3\na 1 2\n"), "line 2: 2 numbers, expected 3");
        assert_eq!(error("a 1 x\n"), "line 1: \"x\" is not a number");
        assert_eq!(error("a 1 nan\n"), "line 1: \"NaN\" is not a number");
        assert_eq!(error("a 1\nb 2\na 3\n"), "line 3: \"a\" has a vector already, on line 1");
        assert_eq!(error("3 1\na 1\nb 2\n"), "line 3: the file ends after 2 words, its first line says 3");
        assert!(matches!(read(""), Err(VectorsError::Empty)));
        assert!(matches!(read("0 5\n"), Err(VectorsError::Empty)));
    }

    #[test]
    fn scaling() {
        let mut vectors = read("a 3 -3\nb 3 3\n").unwrap();
        vectors.scale_to(0.5);
        assert_eq!(vectors.get("a"), Some(&[0.5, -0.5][..]));
    }
}
