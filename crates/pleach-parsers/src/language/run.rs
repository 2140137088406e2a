//! A training run of a language model over text of any size.
//!
//! The text is read once to count its words, then once an epoch, in blocks of sentences that are shuffled within. A
//! checkpoint says where the present block begins and how many of its batches are done; so a killed run goes on from there
//! and ends with the same bytes.

use super::{FAMILY, TENSOR};
use crate::scorer::BoxError;
use crate::train::{Lock, TrainError, beside};
use pleach_graph::Sentence;
use pleach_model::{Dtype, Model, Section, Tensor};
use pleach_neural::learn::{AdamSettings, Decay, Learner, LearnerSettings, Schedule};
use pleach_neural::lm::text::{Place, Sentences, size};
use pleach_neural::lm::{Counts, LanguageModel, LanguageSettings};
use pleach_neural::memory::Memory;
use pleach_neural::network::{Batch, Dropout, Pass, Samples};
use pleach_neural::random::{Random, mix};
use pleach_neural::tensors::Precision;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The keys of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageKeys {
    /// What the model is made of.
    pub model: LanguageSettings,
    /// How often the text is read.
    pub epochs: usize,
    /// What the random numbers start from.
    pub seed: u64,
    /// Sentences that a step learns from.
    pub batch: usize,
    /// Words that are drawn to compare the true ones with; 0 compares with all.
    pub samples: usize,
    /// The highest learning rate.
    pub rate: f32,
    /// The share of units that training hides.
    pub dropout: f32,
    /// Steps between two checkpoints.
    pub checkpoint: u64,
}

impl Default for LanguageKeys {
    fn default() -> Self {
        LanguageKeys {
            model: LanguageSettings::default(),
            epochs: 3,
            seed: 1,
            batch: 32,
            samples: 1024,
            rate: 2e-3,
            dropout: 0.1,
            checkpoint: 500,
        }
    }
}

/// The sentences of a block, which are shuffled together.
const BLOCK: usize = 4096;

/// One sentence of so many is held out to measure on …
const HELD_OUT: u64 = 200;

/// … up to so many.
const MOST_HELD_OUT: usize = 400;

/// The parts of a batch that threads learn from.
const SHARDS: usize = 2;

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The epoch, from 0.
    pub epoch: usize,
    /// Where the present block begins.
    pub place: Place,
    /// The batches of it that are done.
    pub batches: usize,
    /// The steps in all.
    pub steps: u64,
}

/// What a run tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// The text was counted.
    Counted {
        /// Its words.
        words: u64,
        /// The classes that words have.
        classes: usize,
        /// The steps of all epochs.
        steps: u64,
    },
    /// An earlier run is taken up.
    Resumed(Progress),
    /// A step was made.
    Step {
        /// How far it is.
        progress: Progress,
        /// Of so many steps.
        steps: u64,
        /// The loss of a prediction.
        loss: f64,
        /// The words of the step.
        words: usize,
    },
    /// An epoch is over.
    Epoch {
        /// Which, from 1.
        epoch: usize,
        /// The perplexity of held-out sentences over all words.
        perplexity: f64,
    },
}

/// A run to be.
#[derive(Clone, Debug)]
pub struct LanguageRun {
    /// The keys.
    pub keys: LanguageKeys,
    /// The text.
    pub files: Vec<PathBuf>,
    /// Where the model goes.
    pub output: PathBuf,
    /// Don't look for a checkpoint.
    pub fresh: bool,
}

/// A model under training.
struct State {
    model: LanguageModel,
    learner: Learner,
    progress: Progress,
}

fn is_held_out(sentence: &[String]) -> bool {
    let hash =
        sentence.iter().fold(0, |hash, word| mix(hash).wrapping_add(pleach_neural::network::hash(word)));
    mix(hash).is_multiple_of(HELD_OUT)
}

impl LanguageRun {
    /// Trains to the end, or until `watch` breaks; false if it was stopped.
    pub fn run(&self, watch: &mut dyn FnMut(Told) -> ControlFlow<()>) -> Result<bool, BoxError> {
        let keys = &self.keys;
        if keys.batch == 0 || keys.epochs == 0 || keys.checkpoint == 0 {
            return Err("'batch', 'epochs' and 'checkpoint' are at least 1".into());
        }
        let _lock = Lock::take(&self.output)?;
        let bytes = size(&self.files)?;
        let (mut counts, mut held_out, mut an_epoch) = (Counts::default(), Vec::new(), 0);
        let mut sentences = Sentences::new(&self.files, Place::default());
        loop {
            let block = sentences.block(BLOCK)?;
            if block.is_empty() {
                break;
            }
            let (held, learnt): (Vec<_>, Vec<_>) = block.into_iter().partition(|words| is_held_out(words));
            learnt.iter().for_each(|words| counts.add(words));
            an_epoch += learnt.len().div_ceil(keys.batch) as u64;
            held_out.extend(held.into_iter().take(MOST_HELD_OUT - held_out.len()));
        }
        if an_epoch == 0 {
            return Err("there are no sentences in the text".into());
        }
        let words = counts.words;
        let (lexicon, steps) = (counts.lexicon(keys.model.lexicon), an_epoch * keys.epochs as u64);
        let classes = lexicon.classes();
        let _ = watch(Told::Counted { words, classes, steps });
        let model = LanguageModel::new(&keys.model, lexicon, keys.seed)?;
        let learner = Learner::new(self.learning(steps), &model.network, self.threads());
        let mut state = State { model, learner, progress: Progress::default() };
        let description = json!({ "keys": keys, "files": self.files, "bytes": bytes, "words": words });
        if !self.fresh && self.restore(&mut state, &description)? {
            let _ = watch(Told::Resumed(state.progress));
        }
        let checkpoint = beside(&self.output, ".checkpoint");
        while state.progress.epoch < keys.epochs {
            if !self.epoch(&mut state, steps, &description, watch)? {
                return Ok(false);
            }
            let epoch = state.progress.epoch + 1;
            state.progress = Progress { epoch, steps: state.progress.steps, ..Progress::default() };
            self.save(&state, &description, &checkpoint)?;
            let perplexity = perplexity(&state.model, &held_out)?;
            if watch(Told::Epoch { epoch, perplexity }).is_break() && epoch < keys.epochs {
                return Ok(false);
            }
        }
        let bytes = state.model.to_bytes(Precision::F32);
        let tensors = vec![Tensor::of(TENSOR, Dtype::U8, vec![bytes.len()], &bytes)];
        let section = Section { tensors, ..Section::group(FAMILY, description, Vec::new()) };
        Model::write(&self.output, &Model::to_bytes(&section)?)?;
        let _ = std::fs::remove_file(checkpoint);
        Ok(true)
    }

    fn threads(&self) -> usize {
        SHARDS.min(rayon::current_num_threads())
    }

    fn learning(&self, steps: u64) -> LearnerSettings {
        LearnerSettings {
            seed: self.keys.seed,
            schedule: Schedule {
                peak: self.keys.rate,
                warm_up: 200.min(steps / 4),
                steps,
                decay: Decay::Cosine,
                last: 0.05,
            },
            adam: AdamSettings { second: 0.99, ..AdamSettings::default() },
            clip: 5.0,
            dropout: Dropout { layers: self.keys.dropout, ..Dropout::NONE },
            average: 0.0,
        }
    }

    /// The rest of an epoch; false if it was stopped.
    fn epoch(
        &self,
        state: &mut State,
        steps: u64,
        description: &serde_json::Value,
        watch: &mut dyn FnMut(Told) -> ControlFlow<()>,
    ) -> Result<bool, BoxError> {
        let checkpoint = beside(&self.output, ".checkpoint");
        let mut sentences = Sentences::new(&self.files, state.progress.place);
        loop {
            let begin = sentences.place();
            let mut block = sentences.block(BLOCK)?;
            if block.is_empty() {
                return Ok(true);
            }
            block.retain(|words| !is_held_out(words));
            state.progress.place = begin;
            let seed = [state.progress.epoch as u64, begin.file as u64, begin.byte].into_iter();
            let seed = seed.fold(self.keys.seed, |seed, number| mix(seed).wrapping_add(number));
            Random::new(seed).shuffle(&mut block);
            for batch in block.chunks(self.keys.batch).skip(state.progress.batches) {
                let loss = self.step(state, batch)?;
                state.progress.batches += 1;
                state.progress.steps += 1;
                let words = batch.iter().map(Vec::len).sum();
                let stop = watch(Told::Step { progress: state.progress, steps, loss, words }).is_break();
                if stop || state.progress.steps.is_multiple_of(self.keys.checkpoint) {
                    self.save(state, description, &checkpoint)?;
                }
                if stop {
                    return Ok(false);
                }
            }
            state.progress.batches = 0;
        }
    }

    /// Learns from a batch; the loss of a prediction.
    fn step(&self, state: &mut State, batch: &[Vec<String>]) -> Result<f64, BoxError> {
        let State { model, learner, progress } = state;
        let shards = SHARDS.min(batch.len());
        let (mut batches, mut classes): (Vec<Batch>, Vec<Vec<Vec<u32>>>) = Default::default();
        for shard in 0..shards {
            let own: Vec<&Vec<String>> = batch.iter().skip(shard).step_by(shards).collect();
            let features: Vec<_> =
                own.iter().map(|words| model.network.features(&Sentence::from_forms(*words))).collect();
            batches.push(model.network.batch(&features.iter().collect::<Vec<_>>())?);
            classes.push(own.iter().map(|words| model.classes(words)).collect());
        }
        let all = model.lexicon.classes();
        let samples = match self.keys.samples {
            0 => Samples::all(all),
            count => Samples::draw(count, all, &mut Random::new(mix(self.keys.seed ^ mix(progress.steps)))),
        };
        // Every word is predicted twice, every end once.
        let predictions: usize = batch.iter().map(|words| 2 * words.len() + 1).sum();
        let weight = 1.0 / predictions as f32;
        let loss = learner.step(&mut model.network, &batches, |shard, pass: &mut Pass| {
            Ok(pass.language(&classes[shard], &samples, weight)?.0)
        })?;
        Ok(loss / predictions as f64)
    }

    fn save(&self, state: &State, description: &serde_json::Value, path: &Path) -> Result<(), BoxError> {
        let (model, learner) = (state.model.to_bytes(Precision::F32), state.learner.to_bytes());
        let card = json!({ "run": description, "progress": state.progress });
        let tensors = vec![
            Tensor::of("model", Dtype::U8, vec![model.len()], &model),
            Tensor::of("learner", Dtype::U8, vec![learner.len()], &learner),
        ];
        let section = Section { tensors, ..Section::group(FAMILY, card, Vec::new()) };
        Ok(Model::write(path, &Model::to_bytes(&section)?)?)
    }

    /// Takes up an earlier run, if there is one.
    fn restore(&self, state: &mut State, description: &serde_json::Value) -> Result<bool, BoxError> {
        let path = beside(&self.output, ".checkpoint");
        if !path.exists() {
            return Ok(false);
        }
        let file = path.display().to_string();
        let saved = Model::open(&path)?;
        let root = saved.root();
        if root.card().get("run") != Some(description) {
            return Err(TrainError::OtherRun { file, what: "text or other settings" }.into());
        }
        let damaged = |message: String| TrainError::Checkpoint { file: file.clone(), message };
        let data = |name: &str| {
            root.tensor(name).map(|tensor| tensor.data).ok_or_else(|| damaged(format!("it has no {name}")))
        };
        let progress = root.card().get("progress").cloned().unwrap_or_default();
        state.progress = serde_json::from_value(progress).map_err(|error| damaged(error.to_string()))?;
        state.model = LanguageModel::from_bytes(data("model")?)?;
        state.learner = Learner::from_bytes(data("learner")?, &state.model.network, self.threads())?;
        Ok(true)
    }
}

/// e to the loss of a prediction, over all words.
fn perplexity(model: &LanguageModel, sentences: &[Vec<String>]) -> Result<f64, BoxError> {
    let mut memory = Memory::default();
    let (mut loss, mut count) = (0.0, 0);
    for sentences in sentences.chunks(32) {
        let (own, predictions) = model.loss(sentences, &mut memory)?;
        (loss, count) = (loss + own, count + predictions);
    }
    Ok((loss / (count.max(1)) as f64).exp())
}
