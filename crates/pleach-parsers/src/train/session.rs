//! The training loop: one for all families and all scorers.
//!
//! A run has one or more stages (the folds of a jackknife, the tree parser, the graph parser); the last one has no
//! name and writes the model. Every stage keeps a checkpoint and, beside it, the best model so far; a finished stage keeps
//! its model until the run ends. So a stopped run goes on where it was and ends with the same model, and a model is under
//! its final name only when the run is over.

use super::catalogue::Catalogue;
use super::checkpoint::{self, Progress};
use super::corpus::Corpus;
use super::course::{Course, Size};
use super::error::TrainError;
use super::lessons::{Lessons, Task};
use crate::random::Random;
use crate::scorer::Structure;
use pleach_model::recipe::{Recipe, Schedule};
use pleach_model::{Kept, Model, Provenance, Scores, Section};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What a run tells while it goes.
#[derive(Clone, Debug)]
pub enum Event {
    /// A stage before the last one begins: a fold of a jackknife, a tree parser …
    Stage {
        /// Its name.
        name: String,
        /// Which of how many it is, from 1, if that is known.
        place: Option<(usize, usize)>,
    },
    /// The data is ready.
    Prepared {
        /// The training sentences that an epoch goes through.
        sentences: usize,
        /// Their words, in the first epoch.
        tokens: usize,
        /// The number of actions or labels to choose from.
        choices: usize,
        /// The number of templates.
        templates: usize,
        /// How often the sentences are gone through.
        epochs: usize,
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

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The best development scores and their epoch.
    pub best: Option<(Scores, usize)>,
    /// Whether the run was stopped before its end; a checkpoint lies beside the model.
    pub stopped: bool,
}

impl From<Fitted> for Ended {
    /// How a run ended whose last stage this was.
    fn from(last: Fitted) -> Self {
        match last {
            Fitted::Done(_, best) => Ended { best, stopped: false },
            Fitted::Stopped => Ended::STOPPED,
        }
    }
}

impl Ended {
    /// The run was stopped.
    pub const STOPPED: Ended = Ended { best: None, stopped: true };
}

/// A run under way: where things are kept and who hears of it.
pub struct Session<'a> {
    pub(super) catalogue: Catalogue,
    pub(super) recipe: &'a Recipe,
    pub(super) output: PathBuf,
    pub(super) names: (String, String),
    pub(super) fingerprint: u64,
    pub(super) fresh: bool,
    /// What the run's training graphs keep to, for the models' cards.
    pub(super) kept: Option<Kept>,
    /// The stages that were begun, of all that are expected.
    pub(super) stages: Option<(usize, usize)>,
    pub(super) watch: &'a mut Watch<'a>,
}

/// The files of a stage.
struct Files {
    model: PathBuf,
    /// The best model so far.
    best: PathBuf,
    checkpoint: PathBuf,
    /// Says that the stage is done; none for the last stage.
    done: Option<PathBuf>,
}

/// The folder of the stages before the last.
pub(super) fn stages_folder(output: &Path) -> PathBuf {
    checkpoint::beside(output, ".stages")
}

impl Session<'_> {
    /// The families and scorers that there are.
    pub fn catalogue(&self) -> Catalogue {
        self.catalogue
    }

    /// Says how many models will be trained on the way by [`Session::stage`], for those who watch.
    pub fn expect(&mut self, stages: usize) {
        self.stages = Some((0, stages));
    }

    /// Trains another model on the way, as a run of its own with its own recipe.
    pub fn stage(&mut self, name: &str, recipe: &Recipe, corpus: Corpus) -> Result<Fitted, TrainError> {
        let files = self.files(name)?;
        self.stages = self.stages.map(|(begun, all)| (begun + 1, all));
        if (self.watch)(Event::Stage { name: name.to_owned(), place: self.stages }).is_break() {
            return Ok(Fitted::Stopped);
        }
        let mut session = Session {
            catalogue: self.catalogue,
            recipe,
            output: files.model.clone(),
            names: self.names.clone(),
            fingerprint: corpus.fingerprint(),
            fresh: self.fresh,
            kept: self.kept.clone(),
            stages: None,
            watch: &mut |event| (self.watch)(event),
        };
        let mut progress = session.progress();
        if let Some(fitted) = session.finished(&files)? {
            return Ok(fitted);
        }
        let family = self.catalogue.family(recipe.family());
        let family = family.ok_or(TrainError::NotTrained(recipe.family()))?;
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
            recipe: self.recipe.table().clone(),
            data: self.fingerprint,
            epoch: 0,
            batches: 0,
            wrong: 0,
            best: None,
            learner: serde_json::Value::Null,
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

    /// Trains one stage with the scorer that the run's recipe names; see [`Session::fit`].
    pub fn teach<T: Task>(
        &mut self,
        stage: &str,
        task: &T,
        structure: &Structure,
        schedule: &Schedule,
    ) -> Result<Fitted, TrainError> {
        let scorer = self.catalogue.create_scorer(self.recipe, structure)?;
        self.fit(stage, &mut Lessons::new(task, scorer), schedule)
    }

    /// Trains one stage, or goes on with it, or takes it from the run that was stopped. The last stage's name is
    /// empty; its model is the run's.
    pub fn fit(
        &mut self,
        stage: &str,
        course: &mut dyn Course,
        schedule: &Schedule,
    ) -> Result<Fitted, TrainError> {
        let files = self.files(stage)?;
        if !stage.is_empty() && (self.watch)(Event::Stage { name: stage.to_owned(), place: None }).is_break()
        {
            return Ok(Fitted::Stopped);
        }
        let mut progress = self.progress();
        if let Some(fitted) = self.finished(&files)? {
            return Ok(fitted);
        }
        let size = course.size();
        let first = course.examples(0);
        let sentences = first.len();
        let steps = |epoch| sentences.div_ceil(course.batch(epoch).max(1));
        let epochs = schedule.epochs(steps(0));
        let steps = (0..epochs).map(steps).sum();
        let _ = (self.watch)(Event::Prepared {
            sentences,
            tokens: first.iter().map(|&example| course.tokens(example as usize)).sum(),
            choices: size.choices,
            templates: course.inputs(),
            epochs,
            lost: (size.lost, size.arcs),
        });
        course.plan(steps)?;
        if !self.fresh
            && let Some((old, tensors)) = checkpoint::read(&files.checkpoint)?
        {
            self.same_run(&files.checkpoint, &old)?;
            let failed = |message: &str| TrainError::Checkpoint {
                file: files.checkpoint.display().to_string(),
                message: message.to_owned(),
            };
            if !course.restore(&old.learner, &tensors) {
                return Err(failed("its arrays don't fit together"));
            }
            if old.best.is_some() && !files.best.exists() {
                return Err(failed("the best model so far, which lay beside it, is gone"));
            }
            let _ = (self.watch)(Event::Resumed { epoch: old.epoch + 1 });
            progress = old;
        }
        while progress.epoch < epochs {
            let all = course.examples(progress.epoch);
            let order = Random::new(schedule.seed, progress.epoch as u64).order(all.len());
            let order: Vec<u32> = order.into_iter().map(|place| all[place as usize]).collect();
            let batch = course.batch(progress.epoch).max(1);
            for examples in order.chunks(batch).skip(progress.batches) {
                progress.wrong += course.step(examples, progress.epoch, schedule.seed)?;
                progress.batches += 1;
                let tokens = examples.iter().map(|&id| course.tokens(id as usize)).sum();
                let done = (progress.batches * batch).min(order.len());
                let event = Event::Step { epoch: progress.epoch + 1, done, tokens, wrong: progress.wrong };
                if (self.watch)(event).is_break() {
                    checkpoint::write(&files.checkpoint, &progress, course)?;
                    return Ok(Fitted::Stopped);
                }
            }
            let epoch = progress.epoch + 1;
            let dev = course.evaluate();
            let best = match (&dev, &progress.best) {
                (Some(now), Some((old, _))) => now.main() > old.main(),
                _ => true,
            };
            if best {
                if let Some(dev) = &dev {
                    progress.best = Some((dev.clone(), epoch));
                }
                let provenance = Some(self.provenance(&size, epoch, course.counts(), dev.clone()));
                let section = Section { provenance, ..course.section() };
                Model::write(&files.best, &Model::to_bytes(&section)?)?;
            }
            course.forget();
            let loss = progress.wrong as f64 / sentences.max(1) as f64;
            (progress.epoch, progress.batches, progress.wrong) = (epoch, 0, 0);
            let event = Event::Epoch { epoch, loss, dev, best, features: course.learnt() };
            let stop = (self.watch)(event).is_break();
            let patient = schedule.patience == 0
                || progress.best.as_ref().is_none_or(|(_, reached)| epoch - reached < schedule.patience);
            if !patient {
                break;
            }
            if epoch < epochs {
                checkpoint::write(&files.checkpoint, &progress, course)?;
                if stop {
                    return Ok(Fitted::Stopped);
                }
            }
        }
        let io = |source| TrainError::Io { file: files.model.display().to_string(), source };
        std::fs::rename(&files.best, &files.model).map_err(io)?;
        self.finish(&files, &progress)
    }

    fn files(&self, stage: &str) -> Result<Files, TrainError> {
        if stage.is_empty() {
            let beside = |ending: &str| checkpoint::beside(&self.output, ending);
            let (best, checkpoint) = (beside(".best"), beside(".checkpoint"));
            return Ok(Files { model: self.output.clone(), best, checkpoint, done: None });
        }
        let folder = stages_folder(&self.output);
        std::fs::create_dir_all(&folder)
            .map_err(|source| TrainError::Io { file: folder.display().to_string(), source })?;
        let file = |extension: &str| folder.join(format!("{stage}.{extension}"));
        let (best, checkpoint) = (file("best"), file("checkpoint"));
        Ok(Files { model: file("pleach"), best, checkpoint, done: Some(file("done")) })
    }

    fn same_run(&self, file: &Path, old: &Progress) -> Result<(), TrainError> {
        let what = match () {
            () if self.learnt(old) != Some(self.recipe.learnt()) => "recipe",
            () if old.data != self.fingerprint => "data set",
            () => return Ok(()),
        };
        Err(TrainError::OtherRun { file: file.display().to_string(), what })
    }

    /// What the recipe of an older run decides.
    fn learnt(&self, old: &Progress) -> Option<(&'static str, toml::Table)> {
        let recipe = self.recipe.shelf().complete("checkpoint", old.recipe.clone()).ok()?;
        Some(recipe.learnt())
    }

    /// Where a model of this run comes from.
    fn provenance(
        &self,
        size: &Size,
        epoch: usize,
        (features, weights): (usize, usize),
        dev_scores: Option<Scores>,
    ) -> Provenance {
        Provenance {
            recipe: self.recipe.table().clone(),
            pleach: env!("CARGO_PKG_VERSION").to_owned(),
            train: self.names.0.clone(),
            dev: self.names.1.clone(),
            sentences: size.examples,
            tokens: size.tokens,
            arcs_out_of_reach: size.lost,
            arcs: size.arcs,
            epoch,
            features,
            weights,
            dev_scores,
            kept: self.kept.clone(),
        }
    }
}
