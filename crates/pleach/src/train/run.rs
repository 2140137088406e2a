//! The training loop.

use super::checkpoint::{self, Progress};
use super::data::{Data, DataError};
use super::perceptron::{Lesson, Workspace};
use super::shuffle::Random;
use super::{greedy, perceptron};
use crate::engine::{self, Engine, EngineError};
use crate::model::{Card, DevScores, Model, ModelError, Provenance};
use crate::recipe::Recipe;
use pleach_eval::graph::GraphScores;
use pleach_graph::Sentence;
use pleach_linear::learner::Learner;
use pleach_linear::table::Frozen;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;

/// Why a training run failed.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The data can't be trained on.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The recipe makes no sense.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The model can't be written.
    #[error(transparent)]
    Model(#[from] ModelError),
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
}

/// What a run tells while it goes.
#[derive(Clone, Debug)]
pub enum Event {
    /// The data is ready.
    Prepared {
        /// Training sentences.
        sentences: usize,
        /// Their words.
        tokens: usize,
        /// The number of actions.
        actions: usize,
        /// The number of templates.
        templates: usize,
        /// Arcs that the system can't build, of all arcs.
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
        dev: Option<DevScores>,
        /// Whether that is the best so far.
        best: bool,
        /// The features so far.
        features: usize,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The best development scores and their epoch.
    pub best: Option<(DevScores, usize)>,
    /// Whether the run was stopped before its end; a checkpoint lies beside the model.
    pub stopped: bool,
}

/// A training run to be.
#[derive(Debug)]
pub struct Training {
    /// What to do.
    pub recipe: Recipe,
    /// The training sentences as read.
    pub train: Vec<Sentence>,
    /// The development sentences; without them the last epoch's model is kept.
    pub dev: Vec<Sentence>,
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
        output: &Path,
        watch: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Outcome, TrainError> {
        let recipe = self.recipe;
        let data = Data::prepare(&recipe, self.train, self.dev)?;
        let engine = &data.engine;
        let _ = watch(Event::Prepared {
            sentences: data.examples.len(),
            tokens: data.tokens,
            actions: engine.index.len(),
            templates: engine.templates.len(),
            lost: (data.lost, data.arcs),
        });
        let checkpoint_path = checkpoint::path(output);
        let mut learner = Learner::new(recipe.least_updates);
        let mut progress = Progress {
            recipe: recipe.clone(),
            data: data.fingerprint,
            epoch: 0,
            batches: 0,
            wrong: 0,
            best: None,
            steps: 0,
        };
        if !self.fresh
            && let Some((old, restored)) = checkpoint::read(&checkpoint_path)?
        {
            let file = checkpoint_path.display().to_string();
            if old.recipe != recipe {
                return Err(TrainError::OtherRun { file, what: "recipe" });
            }
            if old.data != data.fingerprint {
                return Err(TrainError::OtherRun { file, what: "data set" });
            }
            let _ = watch(Event::Resumed { epoch: old.epoch + 1 });
            (progress, learner) = (old, restored);
        }

        let batch = recipe.batch.max(1);
        while progress.epoch < recipe.epochs {
            let order = Random::new(recipe.seed, progress.epoch as u64).order(data.examples.len());
            for sentences in order.chunks(batch).skip(progress.batches) {
                let lessons: Vec<Lesson> = sentences
                    .par_iter()
                    .map_init(Workspace::default, |workspace, &id| {
                        let example = &data.examples[id as usize];
                        if recipe.beam <= 1 {
                            let purpose = (progress.epoch as u64) << 32 | u64::from(id) | 1 << 63;
                            let random = Random::new(recipe.seed, purpose);
                            greedy::learn(engine, &learner, example, recipe.explore, random, workspace)
                        } else {
                            perceptron::learn(engine, &learner, example, &recipe, workspace)
                        }
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
                let tokens = sentences.iter().map(|&id| data.examples[id as usize].words.len()).sum();
                let done = (progress.batches * batch).min(order.len());
                let event = Event::Step { epoch: progress.epoch + 1, done, tokens, wrong: progress.wrong };
                if watch(event).is_break() {
                    progress.steps = learner.steps();
                    checkpoint::write(&checkpoint_path, &progress, &learner)?;
                    return Ok(Outcome { best: progress.best, stopped: true });
                }
            }
            let epoch = progress.epoch + 1;
            let frozen = learner.freeze(recipe.prune);
            let dev =
                (!data.dev.is_empty()).then(|| DevScores::new(&score(engine, &frozen, &data, recipe.beam)));
            let best = match (dev, progress.best) {
                (Some(now), Some((old, _))) => now.lf > old.lf,
                _ => true,
            };
            if best {
                if let Some(dev) = dev {
                    progress.best = Some((dev, epoch));
                }
                let card = data.card(&recipe, &frozen, provenance(&data, &self.names, epoch, &frozen, dev));
                Model::write(output, &Model::to_bytes(&card, &frozen)?)?;
            }
            let loss = progress.wrong as f64 / data.examples.len().max(1) as f64;
            (progress.epoch, progress.batches, progress.wrong) = (epoch, 0, 0);
            progress.steps = learner.steps();
            let stop = watch(Event::Epoch { epoch, loss, dev, best, features: learner.len() }).is_break();
            let patient = recipe.patience == 0
                || progress.best.is_none_or(|(_, reached)| epoch - reached < recipe.patience);
            if !patient {
                break;
            }
            if epoch < recipe.epochs {
                checkpoint::write(&checkpoint_path, &progress, &learner)?;
                if stop {
                    return Ok(Outcome { best: progress.best, stopped: true });
                }
            }
        }
        // The run is over; what it needed to go on is not needed any more.
        if checkpoint_path.exists() {
            let _ = std::fs::remove_file(&checkpoint_path);
        }
        Ok(Outcome { best: progress.best, stopped: false })
    }
}

/// Parses the development data and scores it as a user would.
fn score(engine: &Engine, weights: &Frozen, data: &Data, beam: usize) -> GraphScores {
    let table = weights.table();
    data.dev
        .par_iter()
        .map_init(engine::Workspace::default, |workspace, (input, gold)| {
            let mut sentence = input.clone();
            engine.parse(table, &mut sentence, beam, workspace);
            pleach_graph::enhanced::collapse(&mut sentence);
            let mut scores = GraphScores::new();
            scores.add(gold, &sentence.graph);
            scores
        })
        .reduce(GraphScores::new, |mut all, some| {
            all.merge(&some);
            all
        })
}

fn provenance(
    data: &Data,
    names: &(String, String),
    epoch: usize,
    weights: &Frozen,
    dev: Option<DevScores>,
) -> Provenance {
    Provenance {
        pleach: env!("CARGO_PKG_VERSION").to_owned(),
        train: names.0.clone(),
        dev: names.1.clone(),
        sentences: data.examples.len(),
        tokens: data.tokens,
        arcs_out_of_reach: data.lost,
        arcs: data.arcs,
        epoch,
        features: weights.slots.iter().filter(|&&slot| slot != 0).count(),
        weights: weights.entries.len(),
        dev_scores: dev,
    }
}

impl Data {
    fn card(&self, recipe: &Recipe, weights: &Frozen, provenance: Provenance) -> Card {
        Card {
            recipe: recipe.clone(),
            templates: self.engine.templates.source().to_owned(),
            collapse: self.engine.transform.collapse,
            delexicalise: self.engine.transform.delexicalise,
            self_arcs: self.engine.system.settings().self_arcs,
            label_sets: self.engine.labels.sets(),
            tags: self.engine.labels.tags(),
            edges: self.engine.inventory.edges.iter().map(|edge| (edge.left, edge.right)).collect(),
            actions: engine::stored_actions(&self.engine.inventory),
            scale: weights.scale,
            provenance,
        }
    }
}
