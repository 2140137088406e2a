//! The head that scores the labels of chosen pairs.

use super::hidden::Hidden;
use super::pass::Pass;
use crate::NeuralError;
use crate::kernel::pairs::{self, PairRows, Sides};
use crate::tensors::Slot;

/// An arc, or what may be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The sentence in its batch.
    pub sentence: u32,
    /// The head's node; 0 is the root.
    pub head: u32,
    /// The dependent's node.
    pub dependent: u32,
}

impl Pass<'_> {
    fn label_sides(&self) -> Result<(Sides, usize), NeuralError> {
        let labels = self.network.settings.labels.ok_or_else(|| NeuralError::NoHead("labels".into()))?;
        let width = labels.width;
        Ok((Sides { width, stride: 2 * width, dependent: 0, head: width }, labels.count))
    }

    fn pair_rows(&self, pairs: &[Pair]) -> Vec<PairRows> {
        let row = |sentence: u32, node: u32| self.batch.row(sentence as usize, node as usize);
        let rows = pairs.iter().map(|pair| PairRows {
            dependent: row(pair.sentence, pair.dependent),
            head: row(pair.sentence, pair.head),
        });
        rows.collect()
    }

    /// The scores of all labels of the pairs, a row a pair.
    pub fn labels(&mut self, pairs: &[Pair]) -> Result<Vec<f32>, NeuralError> {
        let (sides, count) = self.label_sides()?;
        let parts = self.network.parts.labels.ok_or_else(|| NeuralError::NoHead("labels".into()))?;
        let flat = &self.network.weights;
        if self.labels.is_none() {
            let training = Pass::head_dropout(&mut self.training);
            let hidden =
                Hidden::new(self.network, parts.hidden, self.batch, &self.encodings, training, self.memory);
            self.labels = Some(hidden);
        }
        let rows = self.pair_rows(pairs);
        let mut scores = self.memory.take(pairs.len() * count);
        if let Some(hidden) = &self.labels {
            let (w, b) = (self.network.weight(parts.output.weight), parts.output.bias.of(flat));
            let f = pairs::forward(sides, w, b, &hidden.y, &rows, &mut scores, self.memory);
            self.memory.give(f);
        }
        Ok(scores)
    }

    /// Takes the gradient of the loss by the scores that [`labels`](Self::labels) gave for these pairs.
    pub fn labels_gradient(&mut self, pairs: &[Pair], gradient: &[f32]) -> Result<(), NeuralError> {
        let (sides, count) = self.label_sides()?;
        let asked = || NeuralError::NoHead("scores of labels to learn from".into());
        let rows = self.pair_rows(pairs);
        let parts = self.network.parts.labels.ok_or_else(asked)?;
        let (hidden, training) =
            (self.labels.as_mut().ok_or_else(asked)?, self.training.as_mut().ok_or_else(asked)?);
        let flat = &self.network.weights;
        let (w, b) = (parts.output.weight.of(flat), parts.output.bias.of(flat));
        let mut scores = self.memory.take(pairs.len() * count);
        let f = pairs::forward(sides, w.into(), b, &hidden.y, &rows, &mut scores, self.memory);
        self.memory.give(scores);
        let [dw, db] = Slot::split([parts.output.weight, parts.output.bias], training.gradient);
        let (y, dy) = (&hidden.y, &mut hidden.dy);
        pairs::backward(sides, w, dw, db, y, &rows, &f, gradient, dy, self.memory);
        self.memory.give(f);
        Ok(())
    }
}
