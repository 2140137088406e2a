//! Language models: files of them, and how they are trained.

mod run;

pub use run::{LanguageKeys, LanguageRun, Progress, Told};

use crate::scorer::BoxError;
use pleach_model::Model;
use pleach_neural::lm::LanguageModel;
use std::path::Path;

/// The family of such models; they don't parse.
pub const FAMILY: &str = "lm";

/// The tensor that a model is.
const TENSOR: &str = "lm";

/// Opens a model that `pleach train lm` made.
pub fn open(path: &Path) -> Result<LanguageModel, BoxError> {
    let model = Model::open(path)?;
    let root = model.root();
    let name = path.display();
    if root.family() != FAMILY {
        return Err(format!("{name}: no language model but a model of the family '{}'", root.family()).into());
    }
    let tensor = root.tensor(TENSOR).ok_or_else(|| format!("{name}: the model is empty"))?;
    Ok(LanguageModel::from_bytes(tensor.data).map_err(|error| format!("{name}: {error}"))?)
}
