//! What can go wrong.

use thiserror::Error;

/// Why a network could not be made, read or trained.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NeuralError {
    /// Settings that make no network.
    #[error("{0}")]
    Settings(String),
    /// A tensor that the network has is not among the given ones.
    #[error("the model has no tensor {0:?}")]
    MissingTensor(String),
    /// A tensor has another shape than the network's settings say.
    #[error("tensor {name:?} has shape {found:?}, the network needs {expected:?}")]
    TensorShape {
        /// The tensor.
        name: String,
        /// The shape that it has.
        found: Vec<usize>,
        /// The shape that it should have.
        expected: Vec<usize>,
    },
    /// A tensor has another type of numbers than expected.
    #[error("tensor {name:?} holds {found} numbers, expected {expected}")]
    TensorType {
        /// The tensor.
        name: String,
        /// The type that it has.
        found: String,
        /// The type that it should have.
        expected: &'static str,
    },
    /// Bytes that end too early or make no sense.
    #[error("damaged tensors: {0}")]
    Damaged(String),
    /// The loss is not a number, or infinite.
    #[error("the loss of step {step} is {loss}: lower the learning rate")]
    Loss {
        /// The optimiser's step.
        step: u64,
        /// The loss.
        loss: f64,
    },
    /// The gradient has a part that is not finite.
    #[error("the gradient of step {step} is not finite: lower the learning rate")]
    Gradient {
        /// The optimiser's step.
        step: u64,
    },
    /// The loss has grown far beyond what it was.
    #[error(
        "the loss of step {step} is {loss:.3}, it was {usual:.3}: training diverges, lower the learning rate"
    )]
    Exploding {
        /// The optimiser's step.
        step: u64,
        /// The loss.
        loss: f64,
        /// Its running mean before.
        usual: f64,
    },
    /// A sentence's own vectors have another width than the network's.
    #[error(
        "{found} numbers for the vectors of a sentence, expected {expected} ({nodes} nodes with the root)"
    )]
    Vectors {
        /// The numbers given.
        found: usize,
        /// The numbers expected.
        expected: usize,
        /// The nodes of the sentence, the root among them.
        nodes: usize,
    },
    /// The network has no such head.
    #[error("the network has no {0}")]
    NoHead(String),
}
