//! The head that scores all ordered pairs of nodes (Dozat and Manning 2018), in one or several channels.

use super::Network;
use super::hidden::Hidden;
use super::parts::ArcParts;
use super::pass::Pass;
use crate::NeuralError;
use crate::kernel::biaffine::{self, Sides};
use crate::memory::Memory;
use crate::tensors::Slot;

/// The scores of all pairs in a batch: for each sentence a square matrix, row by dependent, column by head.
///
/// Row 0 (the root as a dependent) and the diagonal mean nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArcScores {
    /// The matrices, one after the other.
    pub data: Vec<f32>,
    starts: Vec<usize>,
    lengths: Vec<usize>,
}

impl ArcScores {
    /// Zeros for sentences with these numbers of nodes, the root among them.
    pub fn zeros(lengths: &[usize]) -> Self {
        let mut scores = Self::shaped(lengths, Vec::new());
        let cells = lengths.iter().map(|n| n * n).sum();
        scores.data.resize(cells, 0.0);
        scores
    }

    /// The matrices of sentences with these numbers of nodes, over numbers that are there.
    fn shaped(lengths: &[usize], data: Vec<f32>) -> Self {
        let mut cells = 0;
        let starts = lengths.iter().map(|n| {
            cells += n * n;
            cells - n * n
        });
        let starts = starts.collect();
        ArcScores { data, starts, lengths: lengths.to_vec() }
    }

    /// The matrix of a sentence with n nodes: n² scores.
    pub fn sentence(&self, sentence: usize) -> &[f32] {
        let n = self.lengths[sentence];
        &self.data[self.starts[sentence]..][..n * n]
    }

    /// The matrix of a sentence, to be changed.
    pub fn sentence_mut(&mut self, sentence: usize) -> &mut [f32] {
        let n = self.lengths[sentence];
        &mut self.data[self.starts[sentence]..][..n * n]
    }

    /// The score of an arc.
    pub fn score(&self, sentence: usize, head: usize, dependent: usize) -> f32 {
        self.data[self.starts[sentence] + dependent * self.lengths[sentence] + head]
    }
}

/// The hidden layer of all channels, and Q of those that were asked for.
#[derive(Debug)]
pub(super) struct State {
    hidden: Hidden,
    q: Vec<Option<Vec<f32>>>,
}

impl State {
    pub fn free(self, memory: &mut Memory) {
        let hidden = self.into_hidden(memory);
        memory.give(hidden.y);
    }

    pub fn into_hidden(self, memory: &mut Memory) -> Hidden {
        self.q.into_iter().flatten().for_each(|q| memory.give(q));
        self.hidden
    }
}

fn weights<'n>(parts: &ArcParts, channel: usize, network: &'n Network) -> biaffine::Weights<'n> {
    let slots = parts.channels[channel];
    let [_, head, dependent, constant] = slots.map(|slot| slot.of(&network.weights));
    biaffine::Weights { bilinear: network.weight(slots[0]), head, dependent, constant }
}

impl Pass<'_> {
    fn arc_sides(&self, channel: usize) -> Result<Sides, NeuralError> {
        match self.network.settings.arcs {
            Some(arcs) if channel < arcs.channels => Ok(Sides {
                width: arcs.width,
                stride: 2 * arcs.width * arcs.channels,
                dependent: 2 * arcs.width * channel,
                head: 2 * arcs.width * channel + arcs.width,
            }),
            _ => Err(NeuralError::NoHead(format!("channel {channel} of arcs"))),
        }
    }

    /// The scores of all pairs in a channel.
    pub fn arcs(&mut self, channel: usize) -> Result<ArcScores, NeuralError> {
        let sides = self.arc_sides(channel)?;
        let no_head = || NeuralError::NoHead("arcs".into());
        let parts = self.network.parts.arcs.as_ref().ok_or_else(no_head)?;
        let state = match &mut self.arcs {
            Some(state) => state,
            empty => {
                let training = Pass::head_dropout(&mut self.training);
                let hidden = parts.hidden;
                let hidden =
                    Hidden::new(self.network, hidden, self.batch, &self.encodings, training, self.memory);
                empty.insert(State { hidden, q: vec![None; parts.channels.len()] })
            }
        };
        let (weights, lengths) = (weights(parts, channel, self.network), self.batch.lengths());
        let cells = self.memory.take(lengths.iter().map(|n| n * n).sum());
        let mut scores = ArcScores::shaped(lengths, cells);
        let q = biaffine::forward(sides, weights, lengths, &state.hidden.y, &mut scores.data, self.memory);
        if let Some(old) = state.q[channel].replace(q) {
            self.memory.give(old);
        }
        Ok(scores)
    }

    /// Takes the gradient of the loss by the scores that [`arcs`](Self::arcs) gave.
    pub fn arcs_gradient(&mut self, channel: usize, gradient: &ArcScores) -> Result<(), NeuralError> {
        let sides = self.arc_sides(channel)?;
        let asked = || NeuralError::NoHead("scores of arcs to learn from".into());
        let parts = self.network.parts.arcs.as_ref().ok_or_else(asked)?;
        let (state, training) =
            (self.arcs.as_mut().ok_or_else(asked)?, self.training.as_mut().ok_or_else(asked)?);
        let q = state.q[channel].as_ref().ok_or_else(asked)?;
        let slots = parts.channels[channel];
        let [bilinear, head, dependent, constant] = Slot::split(slots, training.gradient);
        biaffine::backward(
            sides,
            weights(parts, channel, self.network),
            biaffine::Gradients { bilinear, head, dependent, constant },
            self.batch.lengths(),
            &state.hidden.y,
            q,
            &gradient.data,
            &mut state.hidden.dy,
            self.memory,
        );
        Ok(())
    }
}
