//! The head of transition systems: rows of nodes (the top of a stack, the front of the buffer …) to scores of classes.

use super::Network;
use super::batch::Batch;
use super::parts::PositionParts;
use super::pass::Pass;
use crate::NeuralError;
use crate::kernel::positions::{self, Gradients, Size, Weights};
use crate::kernel::product::{Matrix, Target, add_product};
use crate::memory::Memory;
use crate::tensors::Slot;

pub use crate::kernel::positions::NONE;

/// P, and in training its gradient.
#[derive(Debug)]
pub(super) struct State {
    parts: PositionParts,
    width: usize,
    products: Vec<f32>,
    d_products: Vec<f32>,
}

fn weights<'n>(parts: PositionParts, network: &'n Network) -> Weights<'n> {
    let flat = &network.weights;
    Weights {
        none: parts.none.of(flat),
        bias: parts.bias.of(flat),
        output: network.weight(parts.output.weight),
        output_bias: parts.output.bias.of(flat),
    }
}

impl State {
    pub fn free(self, memory: &mut Memory) {
        memory.give(self.products);
        memory.give(self.d_products);
    }

    pub fn backward(
        self,
        flat: &[f32],
        batch: &Batch,
        encodings: &[f32],
        d_encodings: &mut [f32],
        gradient: &mut [f32],
        memory: &mut Memory,
    ) {
        let (rows, width) = (batch.rows(), self.width);
        let encoding = encodings.len() / rows.max(1);
        let dp = Matrix::new(&self.d_products, rows, width);
        let dw = self.parts.weight.of_mut(gradient);
        add_product(Matrix::new(encodings, rows, encoding).transposed(), dp, Target::new(dw, width));
        let w = Matrix::new(self.parts.weight.of(flat), encoding, width);
        add_product(dp, w.transposed(), Target::new(d_encodings, encoding));
        self.free(memory);
    }
}

impl Pass<'_> {
    fn position_size(&self, head: usize) -> Result<Size, NeuralError> {
        let settings = self.network.settings.positions.get(head);
        let p = settings.ok_or_else(|| NeuralError::NoHead(format!("positions {head}")))?;
        Ok(Size { slots: p.slots, hidden: p.hidden, classes: p.classes })
    }

    /// The scores of rows of nodes, `classes` numbers a row. A node is its row in the batch
    /// ([`Batch::row`](super::Batch::row)) or [`NONE`]; a row has as many as the head has slots.
    ///
    /// May be called many times, say once a step for all sentences that are parsed in lockstep: what depends on
    /// nodes alone is computed at the first call.
    pub fn positions(&mut self, head: usize, rows: &[u32]) -> Result<Vec<f32>, NeuralError> {
        let size = self.position_size(head)?;
        let parts = self.network.parts.positions[head];
        let state = match &mut self.positions[head] {
            Some(state) => state,
            empty => {
                let (nodes, width) = (self.batch.rows(), size.slots * size.hidden);
                let encoding = self.network.settings.encoding_width();
                let mut products = self.memory.take(nodes * width);
                let r = Matrix::new(&self.encodings, nodes, encoding);
                products.fill(0.0);
                let w = self.network.weight(parts.weight);
                w.add_product(r, width, Target::new(&mut products, width), self.memory);
                let wanted = if self.training.is_some() { products.len() } else { 0 };
                let d_products = self.memory.zeros(wanted);
                empty.insert(State { parts, width, products, d_products })
            }
        };
        let mut scores = vec![0.0; rows.len() / size.slots * size.classes];
        let weights = weights(parts, self.network);
        let h = positions::forward(size, weights, &state.products, rows, &mut scores, self.memory);
        self.memory.give(h);
        Ok(scores)
    }

    /// Takes the gradient of the loss by the scores that [`positions`](Self::positions) gave for these rows.
    ///
    /// What scores of several calls a loss is made of doesn't matter: gradients of all calls are added.
    pub fn positions_gradient(
        &mut self,
        head: usize,
        rows: &[u32],
        gradient: &[f32],
    ) -> Result<(), NeuralError> {
        let size = self.position_size(head)?;
        let asked = || NeuralError::NoHead("scores of positions to learn from".into());
        let parts = self.network.parts.positions[head];
        let state = self.positions[head].as_mut().ok_or_else(asked)?;
        let training = self.training.as_mut().ok_or_else(asked)?;
        let mut scores = self.memory.take(gradient.len());
        let own = weights(parts, self.network);
        let h = positions::forward(size, own, &state.products, rows, &mut scores, self.memory);
        scores.copy_from_slice(gradient);
        let slots = [parts.none, parts.bias, parts.output.weight, parts.output.bias];
        let [none, bias, output, output_bias] = Slot::split(slots, training.gradient);
        positions::backward(
            size,
            own,
            Gradients { none, bias, output, output_bias },
            rows,
            &h,
            &mut scores,
            &mut state.d_products,
            self.memory,
        );
        self.memory.give(h);
        self.memory.give(scores);
        Ok(())
    }
}
