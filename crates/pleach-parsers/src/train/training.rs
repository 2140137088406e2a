//! A training run from its recipe and data to the model file.

use super::catalogue::Catalogue;
use super::corpus::Corpus;
use super::error::TrainError;
use super::lock::Lock;
use super::session::{Ended, Session, Watch, stages_folder};
use crate::ensure;
use pleach_model::recipe::Recipe;
use std::path::Path;

/// What makes something else of a corpus before a run learns from it, within the run; `None` when it was stopped.
pub type Preparation<'p> = dyn Fn(&Corpus, &mut Session<'_>) -> Result<Option<Corpus>, TrainError> + 'p;

/// A training run to be.
#[derive(Debug)]
pub struct Training {
    /// What to do.
    pub recipe: Recipe,
    /// What to learn from.
    pub corpus: Corpus,
    /// The files' names, for the model's card.
    pub names: (String, String),
    /// Don't look for a checkpoint.
    pub fresh: bool,
}

impl Training {
    /// Runs the training, or goes on with it, and writes the model to `output`. `watch` hears what happens and
    /// may stop the run at any step.
    pub fn run(
        self,
        catalogue: Catalogue,
        output: &Path,
        watch: &mut Watch<'_>,
    ) -> Result<Ended, TrainError> {
        self.run_prepared(catalogue, None, output, watch)
    }

    /// As [`Training::run`], on what a preparation makes of the corpus; `Some` number tells this run from one without.
    pub fn run_prepared(
        self,
        catalogue: Catalogue,
        preparation: Option<(u64, &Preparation<'_>)>,
        output: &Path,
        watch: &mut Watch<'_>,
    ) -> Result<Ended, TrainError> {
        let family = catalogue.family(self.recipe.family());
        let family = family.ok_or(TrainError::NotTrained(self.recipe.family()))?;
        let _lock = Lock::take(output)?;
        let mut session = Session {
            catalogue,
            recipe: &self.recipe,
            output: output.to_owned(),
            names: self.names,
            fingerprint: self.corpus.fingerprint() ^ preparation.map_or(0, |(number, _)| number),
            fresh: self.fresh,
            kept: ensure::kept(&self.corpus.train),
            stages: None,
            watch: &mut |event| watch(event),
        };
        let corpus = match preparation {
            None => self.corpus,
            Some((_, prepare)) => match prepare(&self.corpus, &mut session)? {
                Some(corpus) => corpus,
                None => return Ok(Ended::STOPPED),
            },
        };
        let ended = family.train(&self.recipe, corpus, &mut session)?;
        if !ended.stopped {
            let folder = stages_folder(output);
            if folder.exists() {
                let _ = std::fs::remove_dir_all(folder);
            }
        }
        Ok(ended)
    }
}
