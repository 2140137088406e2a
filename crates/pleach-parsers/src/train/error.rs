//! Why a training run failed.

use super::catalogue::OpenError;
use crate::scorer::BoxError;
use pleach_model::ModelError;
use pleach_model::recipe::RecipeError;

/// Why a training run failed. Families bring their own errors boxed.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The recipe makes no sense.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// What the family or its scorer says of the data or the settings.
    #[error(transparent)]
    Family(BoxError),
    /// The model can't be written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file or folder of the run can't be made.
    #[error("{file}: {source}")]
    Io {
        /// Its path.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The checkpoint can't be read or written.
    #[error("{file}: {message}; delete it to start anew")]
    Checkpoint {
        /// The checkpoint's file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// The checkpoint belongs to another run.
    #[error(
        "{file} is the checkpoint of a run with another {what}; delete it, or use --fresh, to start anew"
    )]
    OtherRun {
        /// The checkpoint's file.
        file: String,
        /// What differs.
        what: &'static str,
    },
    /// Another process trains into the same file.
    #[error("{file}: another training run writes to this file now (process {process})")]
    Locked {
        /// The model's file.
        file: String,
        /// The process, as far as it is known.
        process: String,
    },
    /// A model that was trained on the way can't be used.
    #[error("{what}: {source}")]
    Open {
        /// What it is.
        what: &'static str,
        /// What is wrong.
        source: OpenError,
    },
    /// A family whose models are put together from others.
    #[error("models of the family '{0}' are not trained but made of other models")]
    NotTrained(&'static str),
}

impl TrainError {
    /// An error of a family's own.
    pub fn family(error: impl Into<BoxError>) -> Self {
        TrainError::Family(error.into())
    }
}
