//! Steps of training, in parallel over the shards of a batch.
//!
//! A batch comes as shards, each with its own gradient, and gradients are added in the order of shards. So weights
//! depend on how batches are cut into shards, which is a setting, and not on how many threads there are.

use super::adam::{Adam, AdamSettings};
use super::average::Average;
use super::schedule::Schedule;
use crate::NeuralError;
use crate::kernel::elementwise::{add, squares};
use crate::memory::Memory;
use crate::network::{Batch, Dropout, Network, Pass};
use crate::random::mix;
use serde::{Deserialize, Serialize};

/// How to train. Two runs with the same settings on the same data give the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnerSettings {
    /// Decides all that is random.
    pub seed: u64,
    /// The learning rate.
    pub schedule: Schedule,
    /// The optimiser.
    pub adam: AdamSettings,
    /// The longest gradient; longer ones are shortened.
    pub clip: f32,
    /// What training hides.
    pub dropout: Dropout,
    /// The decay of the averaged weights, 0 for no average.
    pub average: f32,
}

/// A loss of this many times the usual one, or a mean loss that has grown so far, is a failure.
const EXPLOSION: f64 = 100.0;

/// Training on its way.
#[derive(Debug)]
pub struct Learner {
    settings: LearnerSettings,
    pub(super) adam: Adam,
    pub(super) average: Option<Average>,
    /// The running mean of the loss; 0 before the first step.
    pub(super) usual: f64,
    gradient: Vec<f32>,
    workers: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    gradient: Vec<f32>,
    memory: Memory,
    loss: Result<f64, NeuralError>,
    d_vectors: Vec<f32>,
}

impl Learner {
    /// Training that begins with a network as it is, on so many threads.
    pub fn new(settings: LearnerSettings, network: &Network, threads: usize) -> Self {
        let parameters = network.weights().len();
        let average = (settings.average > 0.0).then(|| Average::new(network.weights()));
        let worker = |_| Worker {
            gradient: vec![0.0; parameters],
            memory: Memory::default(),
            loss: Ok(0.0),
            d_vectors: Vec::new(),
        };
        Learner {
            settings,
            adam: Adam::new(parameters),
            average,
            usual: 0.0,
            gradient: vec![0.0; parameters],
            workers: (0..threads.max(1)).map(worker).collect(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &LearnerSettings {
        &self.settings
    }

    /// The steps that were made.
    pub fn steps(&self) -> u64 {
        self.adam.steps
    }

    /// The weights to parse with: the average if there is one, else those of the network.
    pub fn best<'a>(&'a self, network: &'a Network) -> &'a [f32] {
        self.average.as_ref().map_or(network.weights(), |average| &average.weights)
    }

    /// One step on a batch that is cut into shards. `learn` gets a shard's number and pass, asks for scores, gives
    /// their gradients and returns the loss; the way back and the sum are made here. Returns the sum of losses.
    ///
    /// After an error the weights are as they were before the step.
    pub fn step(
        &mut self,
        network: &mut Network,
        shards: &[Batch],
        learn: impl Fn(usize, &mut Pass) -> Result<f64, NeuralError> + Sync,
    ) -> Result<f64, NeuralError> {
        self.run(network, shards, learn, |_| {})
    }

    /// The same; also gives the gradients of each shard's vectors
    /// (see [`Pass::backward_to_vectors`]), for the encoder that they came from to learn too.
    pub fn step_to_vectors(
        &mut self,
        network: &mut Network,
        shards: &[Batch],
        learn: impl Fn(usize, &mut Pass) -> Result<f64, NeuralError> + Sync,
    ) -> Result<(f64, Vec<Vec<f32>>), NeuralError> {
        let mut vectors = Vec::with_capacity(shards.len());
        let loss = self.run(network, shards, learn, |d_vectors| vectors.push(d_vectors))?;
        Ok((loss, vectors))
    }

    fn run(
        &mut self,
        network: &mut Network,
        shards: &[Batch],
        learn: impl Fn(usize, &mut Pass) -> Result<f64, NeuralError> + Sync,
        mut vectors: impl FnMut(Vec<f32>),
    ) -> Result<f64, NeuralError> {
        let step = self.adam.steps;
        let seed = mix(self.settings.seed.wrapping_add(mix(step)));
        let dropout = self.settings.dropout;
        let mut total = 0.0;
        self.gradient.fill(0.0);
        let width = self.workers.len();
        for (wave, shards) in shards.chunks(width).enumerate() {
            let fixed: &Network = network;
            let run = |worker: &mut Worker, number: usize, shard: &Batch| {
                worker.gradient.fill(0.0);
                let seed = mix(seed.wrapping_add(number as u64));
                let Worker { gradient, memory, .. } = worker;
                let mut pass = Pass::training(fixed, shard, memory, dropout, seed, gradient);
                let loss = learn(number, &mut pass);
                worker.d_vectors = pass.backward_to_vectors();
                worker.loss = loss;
            };
            let numbered = (wave * width..).zip(shards);
            if let [shard] = shards {
                run(&mut self.workers[0], wave * width, shard);
            } else {
                std::thread::scope(|scope| {
                    for (worker, (number, shard)) in self.workers.iter_mut().zip(numbered) {
                        let run = &run;
                        scope.spawn(move || run(worker, number, shard));
                    }
                });
            }
            for worker in &mut self.workers[..shards.len()] {
                total += std::mem::replace(&mut worker.loss, Ok(0.0))?;
                add(&mut self.gradient, &worker.gradient);
                vectors(std::mem::take(&mut worker.d_vectors));
            }
        }
        self.check(step, total)?;
        let length = squares(&self.gradient).sqrt();
        if !length.is_finite() {
            return Err(NeuralError::Gradient { step });
        }
        let clip = f64::from(self.settings.clip);
        let factor = if clip > 0.0 && length > clip { (clip / length) as f32 } else { 1.0 };
        let rate = self.settings.schedule.rate(step);
        self.adam.step(self.settings.adam, rate, factor, network.weights_mut(), &self.gradient);
        if let Some(average) = &mut self.average {
            average.add(self.settings.average, network.weights());
        }
        Ok(total)
    }

    fn check(&mut self, step: u64, loss: f64) -> Result<(), NeuralError> {
        if !loss.is_finite() {
            return Err(NeuralError::Loss { step, loss });
        }
        if step == 0 {
            self.usual = loss;
        }
        if loss > EXPLOSION * self.usual.max(1e-3) {
            return Err(NeuralError::Exploding { step, loss, usual: self.usual });
        }
        self.usual += 0.02 * (loss - self.usual);
        Ok(())
    }
}
