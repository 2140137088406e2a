//! A network as bytes, and back.

use super::{Network, Settings, Vocabulary};
use crate::NeuralError;
use crate::tensors::{Precision, Stored, View, write};
use std::borrow::Cow;

const SETTINGS: &str = "settings";

fn known(input: usize) -> String {
    format!("known.{input}")
}

impl Network<'_> {
    /// Settings, vocabulary and weights as one row of bytes.
    pub fn to_bytes(&self, precision: Precision) -> Vec<u8> {
        // Settings are plain numbers and names, which JSON always has words for.
        let settings = serde_json::to_string(&self.settings).unwrap_or_default();
        let mut tensors: Vec<(String, Stored)> = Vec::new();
        for (input, fingerprints) in self.vocabulary.known().iter().enumerate() {
            tensors.push((known(input), Stored::Whole(fingerprints)));
        }
        for tensor in self.layout().tensors() {
            let numbers = tensor.slot.of(&self.weights);
            tensors.push((tensor.name.clone(), Stored::Numbers(numbers, tensor.shape.clone(), precision)));
        }
        write(&[(SETTINGS, settings)], &tensors)
    }

    /// The network that [`to_bytes`](Self::to_bytes) wrote. f32 weights stay where they are.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network<'_>, NeuralError> {
        let view = View::new(bytes)?;
        let settings: Settings = serde_json::from_str(view.metadata(SETTINGS)?)
            .map_err(|error| NeuralError::Settings(format!("the model's settings: {error}")))?;
        let fingerprints = (0..settings.inputs.len()).map(|input| view.whole(&known(input)));
        let vocabulary = Vocabulary::from_known(&settings, fingerprints.collect::<Result<_, _>>()?)?;
        let mut network = Network::with_weights(settings, vocabulary, Cow::Borrowed(&[]))?;
        network.weights = view.weights(network.layout())?;
        Ok(network)
    }

    /// The same network with weights of its own.
    pub fn into_owned(self) -> Network<'static> {
        Network {
            settings: self.settings,
            vocabulary: self.vocabulary,
            parts: self.parts,
            weights: Cow::Owned(self.weights.into_owned()),
        }
    }
}
