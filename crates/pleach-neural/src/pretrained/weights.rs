//! `model.safetensors` of an encoder, as one flat row of numbers.
//!
//! Matrices of layers stand in the file as output × input, and are turned round when they are read: products with a
//! row-major matrix don't depend on the number of rows. Queries, keys and values of a layer stand side by side, so that
//! one product makes all three. The vector of the first segment, the only one here, is added to all positions.

use super::config::Config;
use crate::NeuralError;
use crate::tensors::{Initial, Layout, Slot, View};

/// A weight matrix (input × output) and a bias.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dense {
    pub weight: Slot,
    pub bias: Slot,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Norm {
    pub gain: Slot,
    pub bias: Slot,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    pub attention: Dense,
    pub attention_output: Dense,
    pub attention_norm: Norm,
    pub inner: Dense,
    pub output: Dense,
    pub norm: Norm,
}

#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub layout: Layout,
    pub flat: Vec<f32>,
    pub words: Slot,
    /// Positions with the vector of the first segment added.
    pub positions: Slot,
    pub norm: Norm,
    pub projection: Option<Dense>,
    pub layers: Vec<Layer>,
}

struct Reader<'a> {
    /// None for the shapes alone.
    view: Option<View<'a>>,
    prefix: &'static str,
    layout: Layout,
    flat: Vec<f32>,
}

impl Reader<'_> {
    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, NeuralError> {
        let Some(view) = &self.view else { return Ok(vec![0.0; shape.iter().product()]) };
        let plain = view.shape(name).map(|_| name.to_owned());
        let name = plain.unwrap_or_else(|| format!("{}{name}", self.prefix));
        let numbers = view.numbers(&name)?.into_owned();
        match view.shape(&name) {
            Some(found) if found == shape => Ok(numbers),
            found => Err(NeuralError::TensorShape {
                found: found.unwrap_or_default().to_vec(),
                expected: shape.to_vec(),
                name,
            }),
        }
    }

    fn keep(&mut self, name: String, shape: &[usize], numbers: &[f32]) -> Slot {
        self.flat.extend_from_slice(numbers);
        self.layout.add(name, shape, Initial::Constant(0.0))
    }

    /// One or several matrices with their biases, side by side.
    fn dense(&mut self, names: &[String], input: usize, output: usize) -> Result<Dense, NeuralError> {
        let all = output * names.len();
        let (mut weight, mut bias) = (vec![0.0; input * all], Vec::with_capacity(all));
        for (part, name) in names.iter().enumerate() {
            let own = self.tensor(&format!("{name}.weight"), &[output, input])?;
            bias.extend(self.tensor(&format!("{name}.bias"), &[output])?);
            for (i, row) in own.chunks_exact(input).enumerate() {
                let column = part * output + i;
                weight.iter_mut().skip(column).step_by(all).zip(row).for_each(|(w, x)| *w = *x);
            }
        }
        let name = names.join("+");
        Ok(Dense {
            weight: self.keep(format!("{name}.weight"), &[input, all], &weight),
            bias: self.keep(format!("{name}.bias"), &[all], &bias),
        })
    }

    fn norm(&mut self, name: &str, width: usize) -> Result<Norm, NeuralError> {
        let gain = self.tensor(&format!("{name}.weight"), &[width])?;
        let bias = self.tensor(&format!("{name}.bias"), &[width])?;
        Ok(Norm {
            gain: self.keep(format!("{name}.weight"), &[width], &gain),
            bias: self.keep(format!("{name}.bias"), &[width], &bias),
        })
    }
}

impl Weights {
    /// Reads a file of weights; without one, all weights are 0.
    pub fn read(config: &Config, bytes: Option<&[u8]>) -> Result<Self, NeuralError> {
        let prefix = config.model_type.prefix();
        let view = bytes.map(View::new).transpose()?;
        let mut reader = Reader { view, prefix, layout: Layout::default(), flat: Vec::new() };
        let (width, embedding) = (config.hidden_size, config.embedding());
        let shape = [config.vocab_size, embedding];
        let words = reader.tensor("embeddings.word_embeddings.weight", &shape)?;
        let words = reader.keep("words".into(), &shape, &words);
        let segments =
            reader.tensor("embeddings.token_type_embeddings.weight", &[config.type_vocab_size, embedding])?;
        let shape = [config.max_position_embeddings, embedding];
        let mut positions = reader.tensor("embeddings.position_embeddings.weight", &shape)?;
        for position in positions.chunks_exact_mut(embedding) {
            position.iter_mut().zip(&segments).for_each(|(x, segment)| *x += segment);
        }
        let positions = reader.keep("positions".into(), &shape, &positions);
        let norm = reader.norm("embeddings.LayerNorm", embedding)?;
        let projection = match embedding == width {
            true => None,
            false => Some(reader.dense(&["embeddings_project".into()], embedding, width)?),
        };
        let mut layers = Vec::with_capacity(config.num_hidden_layers);
        for layer in 0..config.num_hidden_layers {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let attention = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
            layers.push(Layer {
                attention: reader.dense(&attention, width, width)?,
                attention_output: reader.dense(&[name("attention.output.dense")], width, width)?,
                attention_norm: reader.norm(&name("attention.output.LayerNorm"), width)?,
                inner: reader.dense(&[name("intermediate.dense")], width, config.intermediate_size)?,
                output: reader.dense(&[name("output.dense")], config.intermediate_size, width)?,
                norm: reader.norm(&name("output.LayerNorm"), width)?,
            });
        }
        let Reader { layout, flat, .. } = reader;
        Ok(Weights { layout, flat, words, positions, norm, projection, layers })
    }
}
