//! Word vectors out of an encoder: the embeddings of the pieces that are whole words, narrowed to their principal components.
//!
//! What an encoder knows of single words costs nothing at run time that way; what it knows of their contexts is lost.

use super::{Pretrained, PretrainedError};
use crate::principal::principal;
use crate::vectors::WordVectors;

impl Pretrained {
    /// The words that are one piece each, with vectors of so many numbers. A tokenizer that makes letters small knows small
    /// ones only.
    pub fn word_vectors(&self, width: usize) -> Result<WordVectors, PretrainedError> {
        let pieces = &self.texts.0;
        let (mut words, mut rows) = (Vec::new(), Vec::new());
        let embedding = self.config.embedding();
        let embeddings = self.weights.words.of(&self.weights.flat);
        for (piece, word) in pieces.whole_words()? {
            rows.extend_from_slice(&embeddings[piece as usize * embedding..][..embedding]);
            words.push(word);
        }
        let rows = principal(&rows, embedding, width);
        let width = rows.len().checked_div(words.len()).unwrap_or(0);
        Ok(WordVectors::new(words.iter().map(String::as_str).zip(rows.chunks_exact(width.max(1)))))
    }
}
