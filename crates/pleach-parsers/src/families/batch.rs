//! The words of sentences that are parsed together, in memory that is used again.

use pleach_graph::Sentence;
use pleach_graph::words::Words;

/// The words of some sentences, to bind a scorer to.
pub fn fill<'w, 's>(
    words: &'w mut Vec<Words>,
    sentences: impl ExactSizeIterator<Item = &'s Sentence>,
) -> Vec<&'w Words> {
    let count = sentences.len();
    if words.len() < count {
        words.resize_with(count, Words::default);
    }
    for (words, sentence) in words.iter_mut().zip(sentences) {
        words.refill(sentence, None, false);
    }
    words[..count].iter().collect()
}
