//! The words of sentences that are parsed together, in memory that is used again.

use pleach_graph::words::Words;
use pleach_graph::{Sentence, Tree};

/// The words of some sentences, to bind a scorer to; the trees are none or one for each.
pub fn fill<'w, 's>(
    words: &'w mut Vec<Words>,
    sentences: impl ExactSizeIterator<Item = &'s Sentence>,
    trees: &[Tree],
) -> Vec<&'w Words> {
    let count = sentences.len();
    if words.len() < count {
        words.resize_with(count, Words::default);
    }
    for (number, (words, sentence)) in words.iter_mut().zip(sentences).enumerate() {
        words.refill(sentence, trees.get(number), false);
    }
    words[..count].iter().collect()
}
