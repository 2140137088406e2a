//! Training: from a recipe and sentences to a model, in a file or in memory.

pub use pleach_parsers::families::text::Annotation;
pub use pleach_parsers::train::{
    Catalogue, Corpus, Course, Ended, Event, Family, Fitted, OpenError, Opened, Session, Size, Task,
    TrainError, Training, Watch,
};

use pleach_model::Model;
use pleach_parsers::CATALOGUE;
use std::path::Path;

/// Runs a training, or goes on with one that was stopped, and writes the model to `output`. `watch` hears what happens
/// and may stop the run at any step.
pub fn run(training: Training, output: &Path, watch: &mut Watch<'_>) -> Result<Ended, TrainError> {
    training.run(CATALOGUE, output, watch)
}

/// As [`run`], on tags, features and lemmas as they will be at run time: predicted, for the training sentences by
/// jackknifing.
pub fn run_on_predicted_tags(
    training: Training,
    annotation: &Annotation,
    output: &Path,
    watch: &mut Watch<'_>,
) -> Result<Ended, TrainError> {
    let prepare = |corpus: &Corpus, session: &mut Session<'_>| {
        Ok(annotation.supply(corpus, session)?.map(|annotated| annotated.corpus))
    };
    // A run on predicted tags is another run than one on the treebank's.
    training.run_prepared(CATALOGUE, Some((annotation.folds as u64, &prepare)), output, watch)
}

/// Runs a training and gives the model; `None` when it was stopped. What the run keeps on the way lies in a temporary
/// folder.
pub fn in_memory(training: Training, watch: &mut Watch<'_>) -> Result<Option<Model>, TrainError> {
    let failed = |source| TrainError::Io { file: "temporary folder".into(), source };
    let folder = tempfile::tempdir().map_err(failed)?;
    let path = folder.path().join("model.pleach");
    if run(training, &path, watch)?.stopped {
        return Ok(None);
    }
    let bytes = std::fs::read(&path).map_err(failed)?;
    Ok(Some(Model::from_bytes("new model", &bytes)?))
}
