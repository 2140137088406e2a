//! Sentences to learn from and to measure on.

use pleach_graph::words::hash;
use pleach_graph::{Sentence, Token};

/// Sentences, as read.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The training sentences.
    pub train: Vec<Sentence>,
    /// The development sentences; without them the last epoch's model is kept.
    pub dev: Vec<Sentence>,
}

impl Corpus {
    /// A hash of everything that training looks at.
    pub fn fingerprint(&self) -> u64 {
        let mut h = hash::seed(0);
        for (part, sentences) in [&self.train, &self.dev].into_iter().enumerate() {
            h = hash::mix(h, part as u32);
            for sentence in sentences {
                for token in &sentence.tokens {
                    let Token { form, lemma, upos, xpos, feats, frame, deprel, .. } = token;
                    for text in [form, lemma, upos, xpos, feats, frame, deprel] {
                        h = hash::mix(h, hash::text(text));
                    }
                    h = hash::mix(h, token.head.map_or(u32::MAX, |head| head.0));
                }
                for arc in sentence.graph.arcs() {
                    h = hash::mix(
                        hash::mix(hash::mix(h, arc.head.0), arc.dependent.0),
                        hash::text(&arc.label),
                    );
                }
            }
        }
        hash::finish(h)
    }
}

/// A part of the training data that is left out for once, and the rest: the folds of a jackknife. The parts are
/// neighbouring and of equal size; `folds` is cut to what the data allows.
pub fn folds<T: Clone>(data: &[T], folds: usize) -> impl Iterator<Item = (&[T], Vec<T>)> {
    let folds = folds.min(data.len()).max(1);
    (0..folds).map(move |fold| {
        let (from, to) = (data.len() * fold / folds, data.len() * (fold + 1) / folds);
        (&data[from..to], [&data[..from], &data[to..]].concat())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_cut_everything_once() {
        for (len, count) in [(10, 3), (4, 5), (1, 2), (7, 7)] {
            let data: Vec<usize> = (0..len).collect();
            let mut held: Vec<usize> = Vec::new();
            for (part, rest) in folds(&data, count) {
                assert_eq!(part.len() + rest.len(), len);
                assert!(rest.iter().all(|item| !part.contains(item)));
                held.extend(part);
            }
            assert_eq!(held, data);
        }
    }
}
