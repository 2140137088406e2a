//! Sentences that are too long for a chart.

use pleach_graph::Sentence;

/// Gives a sentence as it is, or when it has more than `most` words in pieces of so many, between which there are no
/// arcs; each comes with the number of words before it. A sentence without words has no pieces.
pub(super) fn pieces(sentence: &Sentence, most: usize, mut each: impl FnMut(&Sentence, usize)) {
    match sentence.len() {
        0 => {}
        words if words <= most => each(sentence, 0),
        _ => {
            let mut piece = Sentence::default();
            for (number, tokens) in sentence.tokens.chunks(most).enumerate() {
                piece.tokens.clear();
                piece.tokens.extend_from_slice(tokens);
                each(&piece, number * most);
            }
        }
    }
}
