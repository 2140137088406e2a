//! The state of training as bytes, so that a run that was stopped goes on to the same weights.

use super::adam::Adam;
use super::average::Average;
use super::learner::{Learner, LearnerSettings};
use crate::NeuralError;
use crate::network::Network;
use crate::tensors::{Precision, Stored, View, write};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counters {
    settings: LearnerSettings,
    steps: u64,
    averaged: u64,
    /// As bits, because a decimal number would not be exact for certain.
    usual: u64,
}

const COUNTERS: &str = "learner";

impl Learner {
    /// The optimiser's moments, the averaged weights and the counters; the network is saved apart.
    pub fn to_bytes(&self) -> Vec<u8> {
        let counters = Counters {
            settings: self.settings().clone(),
            steps: self.adam.steps,
            averaged: self.average.as_ref().map_or(0, |average| average.steps),
            usual: self.usual.to_bits(),
        };
        let counters = serde_json::to_string(&counters).unwrap_or_default();
        let numbers = |name: &str, numbers| {
            let numbers: &[f32] = numbers;
            (name.to_owned(), Stored::Numbers(numbers, vec![numbers.len()], Precision::F32))
        };
        let mut tensors = vec![numbers("first", &self.adam.first), numbers("second", &self.adam.second)];
        if let Some(average) = &self.average {
            tensors.push(numbers("average", &average.weights));
        }
        write(&[(COUNTERS, counters)], &tensors)
    }

    /// Goes on with training: the network as it was saved at the same time, and the state of the learner.
    pub fn from_bytes(bytes: &[u8], network: &Network, threads: usize) -> Result<Learner, NeuralError> {
        let view = View::new(bytes)?;
        let counters: Counters = serde_json::from_str(view.metadata(COUNTERS)?)
            .map_err(|error| NeuralError::Damaged(format!("the state of training: {error}")))?;
        let numbers = |name: &str| {
            let numbers = view.numbers(name)?.into_owned();
            let (found, expected) = (numbers.len(), network.weights().len());
            let name = name.to_owned();
            match found == expected {
                true => Ok(numbers),
                false => Err(NeuralError::TensorShape { name, found: vec![found], expected: vec![expected] }),
            }
        };
        let mut learner = Learner::new(counters.settings, network, threads);
        learner.adam = Adam { first: numbers("first")?, second: numbers("second")?, steps: counters.steps };
        if learner.average.is_some() {
            learner.average = Some(Average { weights: numbers("average")?, steps: counters.averaged });
        }
        learner.usual = f64::from_bits(counters.usual);
        Ok(learner)
    }
}
