//! Heads that classify words: tags, morphology, whatever is learnt together with the rest.

use super::hidden::Hidden;
use super::pass::Pass;
use crate::NeuralError;
use crate::kernel::dense::{Activation, Layer};
use crate::tensors::Slot;

impl Pass<'_> {
    fn tag_layer(&self, head: usize) -> Result<Layer, NeuralError> {
        let tags = self.network.settings.tags.get(head);
        let tags = tags.ok_or_else(|| NeuralError::NoHead(format!("tags {head}")))?;
        Ok(Layer { input: tags.hidden, output: tags.classes, activation: Activation::Identity })
    }

    /// The scores of the classes of all nodes, a row a node (see [`Batch::row`](super::Batch::row)); roots too.
    pub fn tags(&mut self, head: usize) -> Result<Vec<f32>, NeuralError> {
        let layer = self.tag_layer(head)?;
        let (parts, flat) = (self.network.parts.tags[head], &self.network.weights);
        let training = Pass::head_dropout(&mut self.training);
        let hidden =
            Hidden::new(self.network, parts.hidden, self.batch, &self.encodings, training, self.memory);
        let mut scores = self.memory.take(self.batch.rows() * layer.output);
        let (w, b) = (self.network.weight(parts.output.weight), parts.output.bias.of(flat));
        layer.forward(w, b, &hidden.y, &mut scores, self.memory);
        self.tags[head] = Some(hidden);
        Ok(scores)
    }

    /// Takes the gradient of the loss by the scores that [`tags`](Self::tags) gave.
    pub fn tags_gradient(&mut self, head: usize, gradient: &[f32]) -> Result<(), NeuralError> {
        let layer = self.tag_layer(head)?;
        let asked = || NeuralError::NoHead("scores of tags to learn from".into());
        let (parts, flat) = (self.network.parts.tags[head], &self.network.weights);
        let training = self.training.as_mut().ok_or_else(asked)?;
        let hidden = self.tags[head].as_mut().ok_or_else(asked)?;
        let [dw, db] = Slot::split([parts.output.weight, parts.output.bias], training.gradient);
        let w = parts.output.weight.of(flat);
        let mut d = gradient.to_vec();
        let (y, dy) = (&hidden.y, &mut hidden.dy);
        // The output layer is linear, so it does not need its own outputs on the way back.
        layer.backward(w, dw, db, y, &[], &mut d, Some(dy));
        Ok(())
    }
}
