//! The training loop: one for all families.
//!
//! A run has one or more stages (the folds of a jackknife, the tree parser, the graph parser); the last one has no
//! name and writes the model. Every stage keeps a checkpoint, and a finished stage its model, until the run ends; so a
//! stopped run goes on where it was and ends with the same model. The models don't depend on the number of threads:
//! the sentences of a batch see the same weights, and their lessons are learnt in order.

use super::checkpoint::{self, Progress};
use super::shuffle::Random;
use super::task::{Lesson, Size, Task};
use super::training::{Corpus, TrainError};
use crate::model::{Model, Provenance, Section};
use crate::recipe::{Recipe, RecipeError, Schedule};
use crate::score::Scores;
use pleach_linear::learner::Learner;
use pleach_linear::table::Frozen;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What a run tells while it goes.
#[derive(Clone, Debug)]
pub enum Event {
    /// A stage before the last one begins: a fold of a jackknife, a tree parser …
    Stage {
        /// Its name.
        name: String,
    },
    /// The data is ready.
    Prepared {
        /// Training sentences.
        sentences: usize,
        /// Their words.
        tokens: usize,
        /// The number of actions or labels to choose from.
        choices: usize,
        /// The number of templates.
        templates: usize,
        /// Arcs that the model can't build, of all arcs.
        lost: (usize, usize),
    },
    /// An earlier run is taken up again.
    Resumed {
        /// The epoch, from 1.
        epoch: usize,
    },
    /// Some more sentences of an epoch are done.
    Step {
        /// The epoch, from 1.
        epoch: usize,
        /// Sentences done in this epoch.
        done: usize,
        /// Words in the sentences of this step.
        tokens: usize,
        /// Sentences of this epoch so far whose best analysis was not the gold one.
        wrong: usize,
    },
    /// An epoch is over.
    Epoch {
        /// The epoch, from 1.
        epoch: usize,
        /// The share of sentences that were wrong.
        loss: f64,
        /// What the averaged model reaches.
        dev: Option<Scores>,
        /// Whether that is the best so far.
        best: bool,
        /// The features so far.
        features: usize,
    },
}

/// What hears of a run's events and may stop it.
pub type Watch<'w> = dyn FnMut(Event) -> ControlFlow<()> + 'w;

/// Whether a stage came to its end.
#[derive(Debug)]
pub enum Fitted {
    /// The best model and what it reached on the development data in which epoch.
    Done(Box<Model>, Option<(Scores, usize)>),
    /// The run was stopped; it can be taken up again.
    Stopped,
}

/// A run under way: where things are kept and who hears of it.
pub struct Session<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) output: PathBuf,
    pub(super) names: (String, String),
    pub(super) fingerprint: u64,
    pub(super) fresh: bool,
    pub(super) watch: &'a mut Watch<'a>,
}

/// The files of a stage.
struct Files {
    model: PathBuf,
    checkpoint: PathBuf,
    /// Says that the stage is done; none for the last stage.
    done: Option<PathBuf>,
}

/// The folder of the stages before the last.
pub(super) fn stages_folder(output: &Path) -> PathBuf {
    checkpoint::beside(output, ".stages")
}

impl Session<'_> {
    /// Trains another model on the way, as a run of its own with its own recipe.
    pub fn stage(&mut self, name: &str, recipe: &Recipe, corpus: Corpus) -> Result<Fitted, TrainError> {
        let files = self.files(name)?;
        if (self.watch)(Event::Stage { name: name.to_owned() }).is_break() {
            return Ok(Fitted::Stopped);
        }
        let mut session = Session {
            recipe,
            output: files.model.clone(),
            names: self.names.clone(),
            fingerprint: corpus.fingerprint(),
            fresh: self.fresh,
            watch: &mut |event| (self.watch)(event),
        };
        let mut progress = session.progress();
        if let Some(fitted) = session.finished(&files)? {
            return Ok(fitted);
        }
        let unknown = || RecipeError::UnknownPreset { name: recipe.name().to_owned() };
        let family = recipe.family().ok_or_else(unknown)?;
        let ended = family.train(recipe, corpus, &mut session)?;
        if ended.stopped {
            return Ok(Fitted::Stopped);
        }
        progress.best = ended.best;
        session.finish(&files, &progress)
    }

    /// Writes the run's model, for families that put it together from the models of stages.
    pub fn write(&self, section: &Section<'_>) -> Result<(), TrainError> {
        Ok(Model::write(&self.output, &Model::to_bytes(section)?)?)
    }

    fn progress(&self) -> Progress {
        Progress {
            recipe: self.recipe.clone(),
            data: self.fingerprint,
            epoch: 0,
            batches: 0,
            wrong: 0,
            best: None,
            steps: 0,
        }
    }

    /// The model of a stage that is done.
    fn finished(&self, files: &Files) -> Result<Option<Fitted>, TrainError> {
        let Some(done) = &files.done else { return Ok(None) };
        if self.fresh {
            return Ok(None);
        }
        let Some(old) = checkpoint::read_progress(done)? else { return Ok(None) };
        self.same_run(done, &old)?;
        Ok(Some(Fitted::Done(Box::new(Model::open(&files.model)?), old.best)))
    }

    /// Notes that a stage is done and opens its model.
    fn finish(&self, files: &Files, progress: &Progress) -> Result<Fitted, TrainError> {
        if let Some(done) = &files.done {
            checkpoint::write_progress(done, progress)?;
        }
        // The stage is over; what it needed to go on is not needed any more.
        if files.checkpoint.exists() {
            let _ = std::fs::remove_file(&files.checkpoint);
        }
        Ok(Fitted::Done(Box::new(Model::open(&files.model)?), progress.best.clone()))
    }

    /// Trains one stage, or goes on with it, or takes it from the run that was stopped. The last stage's name is
    /// empty; its model is the run's.
    pub fn fit<T: Task>(&mut self, stage: &str, task: &T, schedule: &Schedule) -> Result<Fitted, TrainError> {
        let files = self.files(stage)?;
        if !stage.is_empty() && (self.watch)(Event::Stage { name: stage.to_owned() }).is_break() {
            return Ok(Fitted::Stopped);
        }
        let mut progress = self.progress();
        if let Some(fitted) = self.finished(&files)? {
            return Ok(fitted);
        }
        let size = task.size();
        let _ = (self.watch)(Event::Prepared {
            sentences: size.examples,
            tokens: size.tokens,
            choices: size.choices,
            templates: size.templates,
            lost: (size.lost, size.arcs),
        });
        let mut learner = Learner::new(schedule.least_updates);
        if !self.fresh
            && let Some((old, restored)) = checkpoint::read(&files.checkpoint, schedule.least_updates)?
        {
            self.same_run(&files.checkpoint, &old)?;
            let _ = (self.watch)(Event::Resumed { epoch: old.epoch + 1 });
            (progress, learner) = (old, restored);
        }

        let batch = schedule.batch.max(1);
        while progress.epoch < schedule.epochs {
            let order = Random::new(schedule.seed, progress.epoch as u64).order(size.examples);
            for examples in order.chunks(batch).skip(progress.batches) {
                let lessons: Vec<Lesson> = examples
                    .par_iter()
                    .map_init(T::Workspace::default, |workspace, &id| {
                        let purpose = (progress.epoch as u64) << 32 | u64::from(id) | 1 << 63;
                        task.learn(&learner, id as usize, Random::new(schedule.seed, purpose), workspace)
                    })
                    .collect();
                for lesson in lessons {
                    progress.wrong += usize::from(lesson.wrong);
                    for (key, action, amount) in lesson.changes {
                        learner.update(key, action, amount);
                    }
                    learner.tick();
                }
                progress.batches += 1;
                let tokens = examples.iter().map(|&id| task.tokens(id as usize)).sum();
                let done = (progress.batches * batch).min(order.len());
                let event = Event::Step { epoch: progress.epoch + 1, done, tokens, wrong: progress.wrong };
                if (self.watch)(event).is_break() {
                    progress.steps = learner.steps();
                    checkpoint::write(&files.checkpoint, &progress, &learner)?;
                    return Ok(Fitted::Stopped);
                }
            }
            let epoch = progress.epoch + 1;
            let frozen = learner.freeze(schedule.prune);
            let dev = task.evaluate(frozen.table());
            let best = match (&dev, &progress.best) {
                (Some(now), Some((old, _))) => now.main() > old.main(),
                _ => true,
            };
            if best {
                if let Some(dev) = &dev {
                    progress.best = Some((dev.clone(), epoch));
                }
                let provenance = self.provenance(&size, epoch, &frozen, dev.clone());
                let section = task.section(frozen.table(), provenance);
                Model::write(&files.model, &Model::to_bytes(&section)?)?;
            }
            let loss = progress.wrong as f64 / size.examples.max(1) as f64;
            (progress.epoch, progress.batches, progress.wrong) = (epoch, 0, 0);
            progress.steps = learner.steps();
            let event = Event::Epoch { epoch, loss, dev, best, features: learner.len() };
            let stop = (self.watch)(event).is_break();
            let patient = schedule.patience == 0
                || progress.best.as_ref().is_none_or(|(_, reached)| epoch - reached < schedule.patience);
            if !patient {
                break;
            }
            if epoch < schedule.epochs {
                checkpoint::write(&files.checkpoint, &progress, &learner)?;
                if stop {
                    return Ok(Fitted::Stopped);
                }
            }
        }
        self.finish(&files, &progress)
    }

    fn files(&self, stage: &str) -> Result<Files, TrainError> {
        if stage.is_empty() {
            let checkpoint = checkpoint::beside(&self.output, ".checkpoint");
            return Ok(Files { model: self.output.clone(), checkpoint, done: None });
        }
        let folder = stages_folder(&self.output);
        std::fs::create_dir_all(&folder)
            .map_err(|source| TrainError::Io { file: folder.display().to_string(), source })?;
        let file = |extension: &str| folder.join(format!("{stage}.{extension}"));
        Ok(Files { model: file("pleach"), checkpoint: file("checkpoint"), done: Some(file("done")) })
    }

    fn same_run(&self, file: &Path, old: &Progress) -> Result<(), TrainError> {
        let what = match () {
            () if old.recipe.learnt() != self.recipe.learnt() => "recipe",
            () if old.data != self.fingerprint => "data set",
            () => return Ok(()),
        };
        Err(TrainError::OtherRun { file: file.display().to_string(), what })
    }

    /// Where a model of this run comes from.
    fn provenance(
        &self,
        size: &Size,
        epoch: usize,
        weights: &Frozen,
        dev_scores: Option<Scores>,
    ) -> Provenance {
        Provenance {
            recipe: self.recipe.clone(),
            pleach: env!("CARGO_PKG_VERSION").to_owned(),
            train: self.names.0.clone(),
            dev: self.names.1.clone(),
            sentences: size.examples,
            tokens: size.tokens,
            arcs_out_of_reach: size.lost,
            arcs: size.arcs,
            epoch,
            features: weights.slots.iter().filter(|&&slot| slot != 0).count(),
            weights: weights.entries.len(),
            dev_scores,
        }
    }
}
