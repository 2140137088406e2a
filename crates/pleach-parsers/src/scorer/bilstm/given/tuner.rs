//! An encoder that learns with the network: its layers, by Adam with a rate of their own. The embeddings of its pieces and
//! positions stay as they are: half of all weights, of which a treebank says little.

use super::encoder::Encoder;
use super::keys::GivenKeys;
use super::{forms, turn};
use crate::scorer::BoxError;
use pleach_graph::words::Words;
use pleach_model::{Dtype, Tensor};
use pleach_neural::NeuralError;
use pleach_neural::kernel::elementwise::{add, squares};
use pleach_neural::learn::{Adam, Average, LearnerSettings, Schedule};
use pleach_neural::memory::Memory;
use pleach_neural::network;
use pleach_neural::pretrained::{Pretrained, PretrainedError, Tuning, Vectors};
use rayon::prelude::*;

/// The encoder and the state of its optimiser.
#[derive(Debug)]
pub struct Tuner {
    encoder: Pretrained,
    wanted: Vectors,
    /// Where what learns begins among its weights.
    from: usize,
    rate: f32,
    /// The share of the network's steps after which it begins, and the first of its steps.
    share: f32,
    first: u64,
    adam: Adam,
    average: Option<Average>,
    settings: Option<LearnerSettings>,
}

/// The encoder's part of a step.
pub struct Forward<'t> {
    /// For each shard the vectors of its sentences.
    pub vectors: Vec<Vec<Vec<f32>>>,
    tunings: Vec<Tuning<'t>>,
    weights: usize,
}

impl Tuner {
    pub fn new(encoder: &Encoder, keys: &GivenKeys) -> Self {
        let (encoder, wanted) = encoder.beginning();
        let from = encoder.layers_from();
        let adam = Adam::new(encoder.weights().len() - from);
        let (encoder, wanted) = (encoder.clone(), wanted.clone());
        let (rate, share) = (keys.encoder_rate, keys.encoder_from);
        Tuner { encoder, wanted, from, rate, share, first: 0, adam, average: None, settings: None }
    }

    /// Learns as the network does, but for the rate and the beginning.
    pub fn plan(&mut self, settings: &LearnerSettings) {
        let all = settings.schedule.steps;
        self.first = (all as f64 * f64::from(self.share)) as u64;
        let steps = all - self.first;
        let warm_up = settings.schedule.warm_up.min(steps / 4);
        let schedule = Schedule { peak: self.rate, steps, warm_up, ..settings.schedule };
        self.average = (settings.average > 0.0).then(|| Average::new(&self.encoder.weights()[self.from..]));
        self.settings = Some(LearnerSettings { schedule, ..settings.clone() });
    }

    /// Whether the encoder learns in a step of the network.
    pub fn learns_in(&self, step: u64) -> bool {
        step >= self.first
    }

    /// The encoder as models have it: with averaged weights.
    pub fn best(&self) -> Pretrained {
        let mut encoder = self.encoder.clone();
        if let Some(average) = &self.average {
            encoder.weights_mut()[self.from..].copy_from_slice(&average.weights);
        }
        encoder
    }

    /// Reads the sentences of all shards.
    pub fn forward(&self, shards: &[Vec<&Words>]) -> Result<Forward<'_>, BoxError> {
        let read = |shard: &Vec<&Words>| {
            let forms: Vec<Vec<&str>> = shard.iter().map(forms).collect();
            let forms: Vec<&[&str]> = forms.iter().map(|forms| &forms[..]).collect();
            self.encoder.tune(&forms, &self.wanted, &mut Memory::default())
        };
        let read: Result<Vec<_>, PretrainedError> = shards.par_iter().map(read).collect();
        let (vectors, tunings) = read?.into_iter().unzip();
        Ok(Forward { vectors, tunings, weights: self.encoder.weights().len() })
    }

    /// One step of learning.
    pub fn step(&mut self, gradient: &[f32]) -> Result<(), BoxError> {
        let settings = self.settings.as_ref().ok_or("training was not planned")?;
        let gradient = &gradient[self.from..];
        let length = squares(gradient).sqrt();
        let step = self.adam.steps;
        if !length.is_finite() {
            return Err(NeuralError::Gradient { step }.into());
        }
        let clip = f64::from(settings.clip);
        let factor = if clip > 0.0 && length > clip { (clip / length) as f32 } else { 1.0 };
        let weights = &mut self.encoder.weights_mut()[self.from..];
        self.adam.step(settings.adam, settings.schedule.rate(step), factor, weights, gradient);
        if let Some(average) = &mut self.average {
            average.add(settings.average, weights);
        }
        Ok(())
    }

    /// Everything that training needs to go on.
    pub fn save(&self) -> Vec<Tensor<'_>> {
        let rows = [
            ("encoder.weights", Some(&self.encoder.weights()[self.from..])),
            ("encoder.first", Some(&self.adam.first[..])),
            ("encoder.second", Some(&self.adam.second[..])),
            ("encoder.average", self.average.as_ref().map(|average| &average.weights[..])),
        ];
        let rows = rows.into_iter().filter_map(|(name, row)| Some((name, row?)));
        rows.map(|(name, row)| Tensor::of(name, Dtype::F32, vec![row.len()], row)).collect()
    }

    /// Takes up what [`save`](Self::save) gave, after so many steps of the network; false when it does not fit.
    pub fn restore(&mut self, tensors: &[(String, Vec<u8>)], steps: u64) -> bool {
        let from = self.from;
        let mut rows = vec![
            ("encoder.weights", &mut self.encoder.weights_mut()[from..]),
            ("encoder.first", &mut self.adam.first[..]),
            ("encoder.second", &mut self.adam.second[..]),
        ];
        if let Some(average) = &mut self.average {
            rows.push(("encoder.average", &mut average.weights[..]));
            average.steps = steps.saturating_sub(self.first);
        }
        for (name, row) in rows {
            let Some((_, bytes)) = tensors.iter().find(|(other, _)| other == name) else { return false };
            let (numbers, rest) = bytes.as_chunks::<4>();
            if numbers.len() != row.len() || !rest.is_empty() {
                return false;
            }
            row.iter_mut().zip(numbers).for_each(|(x, &bytes)| *x = f32::from_le_bytes(bytes));
        }
        self.adam.steps = steps.saturating_sub(self.first);
        true
    }
}

impl Forward<'_> {
    /// The gradient of the encoder's weights, from those of the vectors of all nodes by shard. Shards are added in
    /// order, so that it does not depend on threads.
    pub fn backward(
        self,
        shards: &[Vec<&Words>],
        d_vectors: Vec<Vec<f32>>,
        given: &[network::Given],
    ) -> Vec<f32> {
        let all: usize = given.iter().map(|given| given.numbers()).sum();
        let numbers = given.first().map_or(0, |given| given.numbers());
        let weights = self.weights;
        let tunings = self.tunings.into_par_iter().zip(d_vectors).zip(shards);
        let gradients: Vec<Vec<f32>> = tunings
            .map(|((tuning, d_vectors), sentences)| {
                // The encoder's vectors come before those of other origins.
                let mut d_vectors: Vec<f32> =
                    d_vectors.chunks_exact(all).flat_map(|row| &row[..numbers]).copied().collect();
                let mut rest = &mut d_vectors[..];
                for words in sentences {
                    let own;
                    (own, rest) = rest.split_at_mut((words.len() + 1) * numbers);
                    if words.reversed() {
                        turn(own, numbers);
                    }
                }
                let mut gradient = vec![0.0; weights];
                tuning.backward(&d_vectors, &mut gradient, &mut Memory::default());
                gradient
            })
            .collect();
        let mut sum: Option<Vec<f32>> = None;
        for gradient in gradients {
            match &mut sum {
                Some(sum) => add(sum, &gradient),
                None => sum = Some(gradient),
            }
        }
        sum.unwrap_or_else(|| vec![0.0; weights])
    }
}
