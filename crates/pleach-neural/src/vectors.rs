//! Word vectors of the user's own: the text formats of word2vec, fastText and GloVe.
//!
//! A line has a word and its numbers, separated by spaces. word2vec and fastText begin with a line that has the number of
//! words and the width; GloVe does not. A word may contain spaces (GloVe has some), so the numbers are counted from the
//! end. Files are read once, line by line, and only what `wanted` asks for is kept.

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
    /// There is no vector in the file.
    #[error("there are no vectors in the file")]
    Empty,
}

/// Vectors by word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordVectors {
    width: usize,
    places: HashMap<String, u32>,
    data: Vec<f32>,
}

impl WordVectors {
    /// Reads a file of text and keeps the words that are wanted.
    pub fn read(reader: impl BufRead, wanted: impl Fn(&str) -> bool) -> Result<Self, VectorsError> {
        let mut vectors = WordVectors::default();
        for (number, line) in reader.lines().enumerate() {
            let (line, number) = (line?, number + 1);
            let line = line.trim_end();
            if line.is_empty() {
                continue;
            }
            let parts = line.split(' ').count();
            if number == 1 && parts == 2 && line.split(' ').all(|part| part.parse::<usize>().is_ok()) {
                vectors.width = line.rsplit(' ').next().and_then(|width| width.parse().ok()).unwrap_or(0);
                continue;
            }
            if vectors.width == 0 {
                vectors.width = parts - 1;
            }
            let width = vectors.width;
            if parts <= width || width == 0 {
                return Err(VectorsError::Width { line: number, found: parts - 1, expected: width });
            }
            let end = line.rmatch_indices(' ').nth(width - 1).map_or(0, |(end, _)| end);
            let (word, numbers) = line.split_at(end);
            if !wanted(word) || vectors.places.contains_key(word) {
                continue;
            }
            for text in numbers[1..].split(' ') {
                match text.parse::<f32>() {
                    Ok(x) if x.is_finite() => vectors.data.push(x),
                    // A word in the middle of the numbers: the line is too long, not the number wrong.
                    _ => return Err(VectorsError::Number { line: number, text: text.to_owned() }),
                }
            }
            vectors.places.insert(word.to_owned(), vectors.places.len() as u32);
        }
        if vectors.width == 0 { Err(VectorsError::Empty) } else { Ok(vectors) }
    }

    /// The width of a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The vector of a form: as it is written, else in lower case.
    pub fn get(&self, form: &str) -> Option<&[f32]> {
        let place = self.places.get(form).or_else(|| self.places.get(&form.to_lowercase()))?;
        Some(&self.data[*place as usize * self.width..][..self.width])
    }

    /// Multiplies all vectors so that their elements have the given standard deviation around zero.
    pub fn scale_to(&mut self, deviation: f32) {
        let squares = crate::kernel::elementwise::squares(&self.data);
        if squares > 0.0 {
            let now = (squares / self.data.len() as f64).sqrt() as f32;
            crate::kernel::elementwise::scale(&mut self.data, deviation / now);
        }
    }

    /// The vectors of a sentence's words for a network: the root and unknown words have zeros.
    pub fn of_words<'a>(&self, forms: impl IntoIterator<Item = &'a str>) -> Vec<f32> {
        let mut out = vec![0.0; self.width];
        for form in forms {
            match self.get(form) {
                Some(vector) => out.extend_from_slice(vector),
                None => out.resize(out.len() + self.width, 0.0),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<WordVectors, VectorsError> {
        WordVectors::read(text.as_bytes(), |word| word != "skip")
    }

    #[test]
    fn with_and_without_a_first_line() {
        let glove = "the 1 2 3\n. . . 4 5 6\nskip 7 x 8\nthe 9 9 9\n";
        for text in [glove.to_owned(), format!("4 3\n{glove}")] {
            let vectors = read(&text).unwrap();
            assert_eq!((vectors.width(), vectors.len()), (3, 2));
            assert_eq!(vectors.get("The"), Some(&[1.0, 2.0, 3.0][..]));
            assert_eq!(vectors.get(". . ."), Some(&[4.0, 5.0, 6.0][..]));
            assert_eq!(vectors.get("cat"), None);
            let rows = vectors.of_words(["cat", "the"]);
            assert_eq!(rows, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(read("a 1 2\nb 1\n").unwrap_err().to_string(), "line 2: 1 numbers, expected 2");
        assert_eq!(read("2 3\na 1 2\n").unwrap_err().to_string(), "line 2: 2 numbers, expected 3");
        assert_eq!(read("a 1 x\n").unwrap_err().to_string(), "line 1: \"x\" is not a number");
        assert!(matches!(read(""), Err(VectorsError::Empty)));
    }

    #[test]
    fn scaling() {
        let mut vectors = read("a 3 -3\nb 3 3\n").unwrap();
        vectors.scale_to(0.5);
        assert_eq!(vectors.get("a"), Some(&[0.5, -0.5][..]));
    }
}
