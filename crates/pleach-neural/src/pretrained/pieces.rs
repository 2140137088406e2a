//! Words to pieces, and vectors of pieces to vectors of words.
//!
//! A sentence with more pieces than the encoder has positions is cut between words into windows, each of which is
//! encoded by itself.

use super::PretrainedError;
use super::config::Config;
use super::tokenizer::Tokenizer;
use crate::kernel::elementwise::add_scaled;
use serde::{Deserialize, Serialize};

/// How the vectors of a word's pieces become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// That of the first piece.
    First,
    /// Their mean.
    #[default]
    Mean,
}

/// Some words of a sentence as pieces.
#[derive(Debug)]
pub(super) struct Window {
    /// The pieces, special ones among them.
    pub pieces: Vec<u32>,
    /// The word of each piece, counted from the window's first; `None` for special pieces.
    words: Vec<Option<u32>>,
    /// The number of words.
    count: usize,
}

impl Window {
    /// Adds a row for each word. A word without any piece (a control character) has zeros.
    pub fn pool(&self, rows: &[f32], width: usize, pooling: Pooling, out: &mut Vec<f32>) {
        let start = out.len();
        out.resize(start + self.count * width, 0.0);
        let out = &mut out[start..];
        let mut seen = vec![0_u32; self.count];
        for (word, row) in self.words.iter().zip(rows.chunks_exact(width)) {
            let Some(word) = word.map(|word| word as usize) else { continue };
            seen[word] += 1;
            if pooling == Pooling::Mean || seen[word] == 1 {
                let own = &mut out[word * width..][..width];
                own.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
        }
        if pooling == Pooling::Mean {
            for (row, &seen) in out.chunks_exact_mut(width).zip(&seen) {
                row.iter_mut().for_each(|x| *x /= seen.max(1) as f32);
            }
        }
    }
}

impl Window {
    /// From the gradient of the words' rows to that of the pieces' rows, which is added to.
    pub fn pool_back(&self, d_words: &[f32], width: usize, pooling: Pooling, d_rows: &mut [f32]) {
        let mut count = vec![0_u32; self.count];
        self.words.iter().flatten().for_each(|&word| count[word as usize] += 1);
        let mut seen = vec![0_u32; self.count];
        for (word, row) in self.words.iter().zip(d_rows.chunks_exact_mut(width)) {
            let Some(word) = word.map(|word| word as usize) else { continue };
            seen[word] += 1;
            let factor = match pooling {
                Pooling::Mean => 1.0 / count[word] as f32,
                Pooling::First => f32::from(u8::from(seen[word] == 1)),
            };
            add_scaled(row, factor, &d_words[word * width..][..width]);
        }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.count
    }
}

/// A tokenizer and the limits of its encoder.
#[derive(Debug)]
pub(super) struct Pieces {
    tokenizer: Tokenizer,
    longest: usize,
    vocabulary: usize,
}

impl Pieces {
    pub fn read(bytes: &[u8], config: &Config) -> Result<Self, PretrainedError> {
        let tokenizer = Tokenizer::read(bytes)?;
        let highest = tokenizer.vocabulary(true).map(|(_, piece)| piece).max().unwrap_or(0);
        if highest as usize >= config.vocab_size {
            return Err(PretrainedError::Vocabulary { piece: highest, vocabulary: config.vocab_size });
        }
        let pieces = Pieces { tokenizer, longest: config.longest(), vocabulary: config.vocab_size };
        // Words that no vocabulary has, and no characters at all: if these can be cut, all words can.
        pieces.encode(&["\u{13000}\u{10FFFD}", "", "\u{1}"])?;
        Ok(pieces)
    }

    /// A sentence as one window or, if it is too long, several.
    pub fn windows<W: AsRef<str>>(&self, words: &[W]) -> Result<Vec<Window>, PretrainedError> {
        let whole = self.encode(words)?;
        if whole.pieces.len() <= self.longest {
            return Ok(vec![whole]);
        }
        if words.len() == 1 {
            // One word that is longer than a sequence: what is too much of it is not looked at.
            let mut window = whole;
            window.pieces.truncate(self.longest);
            window.words.truncate(self.longest);
            return Ok(vec![window]);
        }
        let (left, right) = words.split_at(words.len() / 2);
        let mut windows = self.windows(left)?;
        windows.extend(self.windows(right)?);
        Ok(windows)
    }

    /// The pieces that are whole words, by their numbers: a word whose only piece is this one.
    pub fn whole_words(&self) -> Result<Vec<(u32, String)>, PretrainedError> {
        let mut vocabulary: Vec<(u32, String)> =
            self.tokenizer.vocabulary(false).map(|(text, piece)| (piece, text)).collect();
        vocabulary.sort_unstable();
        let mut words = Vec::new();
        for (piece, text) in vocabulary {
            // What stands for a space before a word in the vocabularies of RoBERTa and XLM-R.
            let word = text.trim_start_matches(['\u{120}', '\u{2581}']);
            let window = self.encode(&[word])?;
            let mut own = window.pieces.iter().zip(&window.words).filter(|(_, word)| word.is_some());
            if own.next().is_some_and(|(&first, _)| first == piece) && own.next().is_none() {
                words.push((piece, word.to_owned()));
            }
        }
        Ok(words)
    }

    fn encode<W: AsRef<str>>(&self, words: &[W]) -> Result<Window, PretrainedError> {
        let texts: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let (pieces, words) = self.tokenizer.cut(&texts)?;
        if let Some(&piece) = pieces.iter().find(|&&piece| piece as usize >= self.vocabulary) {
            return Err(PretrainedError::Vocabulary { piece, vocabulary: self.vocabulary });
        }
        Ok(Window { pieces, words, count: texts.len() })
    }
}
