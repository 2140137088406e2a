//! A network as bytes, and back.

use super::{Network, Settings, Vocabulary};
use crate::NeuralError;
use crate::tensors::{Encoded, Precision, Stored, View, encode, write};
use std::borrow::Cow;

const SETTINGS: &str = "settings";

fn known(input: usize) -> String {
    format!("known.{input}")
}

impl Network<'_> {
    /// Vocabulary and weights as tensors, in the order in which they are written.
    fn stored(&self, precision: Precision) -> Vec<(String, Stored<'_>)> {
        let mut tensors: Vec<(String, Stored)> = Vec::new();
        for (input, fingerprints) in self.vocabulary.known().iter().enumerate() {
            tensors.push((known(input), Stored::Whole(fingerprints)));
        }
        for tensor in self.layout().tensors() {
            let numbers = tensor.slot.of(&self.weights);
            tensors.push((tensor.name.clone(), Stored::Numbers(numbers, tensor.shape.clone(), precision)));
        }
        tensors
    }

    /// Vocabulary and weights as named tensors; the settings are the caller's to keep.
    pub fn to_tensors(&self, precision: Precision) -> Vec<Encoded> {
        encode(&self.stored(precision))
    }

    /// Settings, vocabulary and weights as one row of bytes.
    pub fn to_bytes(&self, precision: Precision) -> Vec<u8> {
        // Settings are plain numbers and names, which JSON always has words for.
        let settings = serde_json::to_string(&self.settings).unwrap_or_default();
        write(&[(SETTINGS, settings)], &self.stored(precision))
    }

    /// The network that [`to_bytes`](Self::to_bytes) wrote. f32 weights stay where they are.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network<'_>, NeuralError> {
        let view = View::new(bytes)?;
        let settings: Settings = serde_json::from_str(view.metadata(SETTINGS)?)
            .map_err(|error| NeuralError::Settings(format!("the model's settings: {error}")))?;
        Network::from_tensors(settings, &view)
    }

    /// The network of such settings whose tensors [`to_tensors`](Self::to_tensors) gave. f32 weights stay where they are if
    /// they stand one after the other in a file.
    pub fn from_tensors<'b>(settings: Settings, view: &View<'b>) -> Result<Network<'b>, NeuralError> {
        settings.check()?;
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
            whole: self.whole,
        }
    }
}
