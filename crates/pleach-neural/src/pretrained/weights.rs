//! `model.safetensors` of an encoder.
//!
//! Matrices of layers stand in the file as output × input, and are turned round when they are read: products with a
//! row-major matrix don't depend on the number of rows. Queries, keys and values of a layer stand side by side, so that
//! one product makes all three.

use super::config::Config;
use crate::NeuralError;
use crate::tensors::View;

/// A weight matrix (input × output) and a bias.
#[derive(Debug)]
pub(super) struct Dense {
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

#[derive(Debug)]
pub(super) struct Norm {
    pub gain: Vec<f32>,
    pub bias: Vec<f32>,
}

#[derive(Debug)]
pub(super) struct Layer {
    pub attention: Dense,
    pub attention_output: Dense,
    pub attention_norm: Norm,
    pub inner: Dense,
    pub output: Dense,
    pub norm: Norm,
}

#[derive(Debug)]
pub(super) struct Weights {
    pub words: Vec<f32>,
    /// Positions with the vector of the first segment added.
    pub positions: Vec<f32>,
    pub norm: Norm,
    pub projection: Option<Dense>,
    pub layers: Vec<Layer>,
}

struct Reader<'a> {
    view: View<'a>,
    prefix: &'static str,
}

impl Reader<'_> {
    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, NeuralError> {
        let plain = self.view.shape(name).map(|_| name.to_owned());
        let name = plain.unwrap_or_else(|| format!("{}{name}", self.prefix));
        let numbers = self.view.numbers(&name)?.into_owned();
        match self.view.shape(&name) {
            Some(found) if found == shape => Ok(numbers),
            found => Err(NeuralError::TensorShape {
                found: found.unwrap_or_default().to_vec(),
                expected: shape.to_vec(),
                name,
            }),
        }
    }

    /// One or several matrices with their biases, side by side.
    fn dense(&self, names: &[String], input: usize, output: usize) -> Result<Dense, NeuralError> {
        let (mut weight, mut bias) = (vec![0.0; input * output * names.len()], Vec::new());
        for (part, name) in names.iter().enumerate() {
            let own = self.tensor(&format!("{name}.weight"), &[output, input])?;
            bias.extend(self.tensor(&format!("{name}.bias"), &[output])?);
            for (i, row) in own.chunks_exact(input).enumerate() {
                let column = part * output + i;
                weight
                    .iter_mut()
                    .skip(column)
                    .step_by(output * names.len())
                    .zip(row)
                    .for_each(|(w, x)| *w = *x);
            }
        }
        Ok(Dense { weight, bias })
    }

    fn norm(&self, name: &str, width: usize) -> Result<Norm, NeuralError> {
        Ok(Norm {
            gain: self.tensor(&format!("{name}.weight"), &[width])?,
            bias: self.tensor(&format!("{name}.bias"), &[width])?,
        })
    }
}

impl Weights {
    pub fn read(config: &Config, bytes: &[u8]) -> Result<Self, NeuralError> {
        let reader = Reader { view: View::new(bytes)?, prefix: config.model_type.prefix() };
        let (width, embedding) = (config.hidden_size, config.embedding());
        let words = reader.tensor("embeddings.word_embeddings.weight", &[config.vocab_size, embedding])?;
        let shape = [config.max_position_embeddings, embedding];
        let mut positions = reader.tensor("embeddings.position_embeddings.weight", &shape)?;
        let shape = [config.type_vocab_size, embedding];
        let segments = reader.tensor("embeddings.token_type_embeddings.weight", &shape)?;
        for position in positions.chunks_exact_mut(embedding) {
            position.iter_mut().zip(&segments).for_each(|(x, segment)| *x += segment);
        }
        let projection = match embedding == width {
            true => None,
            false => Some(reader.dense(&["embeddings_project".into()], embedding, width)?),
        };
        let layers = (0..config.num_hidden_layers).map(|layer| {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let attention = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
            Ok(Layer {
                attention: reader.dense(&attention, width, width)?,
                attention_output: reader.dense(&[name("attention.output.dense")], width, width)?,
                attention_norm: reader.norm(&name("attention.output.LayerNorm"), width)?,
                inner: reader.dense(&[name("intermediate.dense")], width, config.intermediate_size)?,
                output: reader.dense(&[name("output.dense")], config.intermediate_size, width)?,
                norm: reader.norm(&name("output.LayerNorm"), width)?,
            })
        });
        Ok(Weights {
            words,
            positions,
            norm: reader.norm("embeddings.LayerNorm", embedding)?,
            projection,
            layers: layers.collect::<Result<_, NeuralError>>()?,
        })
    }
}
