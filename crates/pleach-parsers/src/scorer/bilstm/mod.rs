//! BiLSTM scorers (`sun-2019` sections 4.5 and 5.3; Dozat & Manning 2018): words are read by a bidirectional LSTM; arcs
//! and labels are scored by biaffine heads, actions by a perceptron over the encodings of a few positions.
//!
//! A batch is read at once, then each sentence is searched or taught as with any other scorer; the changes that teaching
//! asks for are gradients of scores, and one way back through the network makes them gradients of weights.

mod answers;
mod given;
mod keys;
mod lesson;
mod positions;
mod stored;
#[cfg(test)]
mod tests;

pub use given::GivenKeys;
pub use keys::BilstmKeys;
pub use pleach_neural::pretrained::find as encoders;

use super::{Bound, BoxError, Frozen, ModelScorer, Saved, ScorerKind, Structure, Teach, Trainable};
use crate::workspace::Workspace;
use answers::{Answers, Shape, reach};
use given::{Cards, Given, Tuner};
use keys::Asked;
use lesson::Lesson;
use pleach_decode::part::{Kind, Part, PartScorer};
use pleach_graph::words::Words;
use pleach_model::recipe::{Recipe, Schedule, ScorerKeys};
use pleach_model::{Dtype, Tensor, View};
use pleach_neural::learn::Learner;
use pleach_neural::memory::Memory;
use pleach_neural::network::{Batch, Network, Pass, Settings, Vocabulary};
use pleach_neural::tensors::{Encoded, Precision};
use pleach_transition::scorer::{Questions, Scorer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The kind.
pub static BILSTM: Bilstm = Bilstm;

/// BiLSTM scorers.
#[derive(Debug)]
pub struct Bilstm;

/// Batches are made smaller until an epoch has about so many steps …
const STEPS_AN_EPOCH: usize = 60;

/// … but not smaller than this.
const SMALLEST_BATCH: usize = 4;

/// How many sentences are read together when parsing.
const TOGETHER: usize = 32;

/// What a model file says of such a scorer. The network itself, its vocabulary and its weights are tensors.
#[derive(Serialize, Deserialize)]
struct Card {
    name: String,
    positions: String,
    #[serde(default)]
    pairs: bool,
    network: Settings,
    /// What words are given beside embeddings.
    #[serde(default)]
    given: Cards,
}

fn shape(
    structure: &Structure,
    settings: &Settings,
    positions: &str,
    pairs: bool,
) -> Result<Shape, BoxError> {
    let arcs = structure.parts.iter().find(|part| part.kind == Kind::ARC);
    let asked = Asked::new(structure, pairs);
    let actions = structure.actions.as_ref().filter(|_| asked.pairs);
    let first_group = usize::from(asked.classes.is_some());
    // A network that was trained before there were such heads has no opinion on parts of higher order.
    let groups = if settings.positions.len() > first_group { keys::groups(structure) } else { Vec::new() };
    Ok(Shape {
        groups,
        first_group,
        made: actions.map_or_else(Vec::new, |actions| actions.made.clone()),
        unused: arcs.map_or(0, |arcs| arcs.unused),
        channels: settings.arcs.map_or(0, |arcs| arcs.channels),
        labels: settings.labels.map_or(0, |labels| labels.count),
        classes: settings.tags.first().map_or(0, |words| words.classes),
        positions: positions::parse(positions)?,
    })
}

impl ScorerKeys for Bilstm {
    fn name(&self) -> &'static str {
        "bilstm"
    }

    fn keys(&self) -> toml::Table {
        toml::Table::try_from(BilstmKeys::default()).unwrap_or_default()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let keys: BilstmKeys = recipe.typed().map_err(|error| error.to_string())?;
        keys.check()
    }
}

impl ScorerKind for Bilstm {
    fn create(&self, recipe: &Recipe, structure: &Structure) -> Result<Box<dyn Trainable>, BoxError> {
        let keys: BilstmKeys = recipe.typed()?;
        let schedule: Schedule = recipe.typed()?;
        let given = Given::create(&keys.given)?;
        let settings = Settings { given: given.shapes(), ..keys.network(structure)? };
        let shape = shape(structure, &settings, &keys.positions, keys.pairs)?;
        let workspaces = (0..keys.shards).map(|_| Mutex::default()).collect();
        let tuner = given.tuner(&keys.given);
        let seed = schedule.seed;
        Ok(Box::new(Training { keys, seed, settings, shape, given, tuner, state: None, workspaces }))
    }

    fn rewrite(&self, view: &View, weights: &str) -> Result<Option<Vec<Tensor<'static>>>, BoxError> {
        let known = || format!("weights are 'f32', 'f16' or 'int8', not '{weights}'");
        let precision: Precision = serde_json::from_value(weights.into()).map_err(|_| known())?;
        let card = Card::deserialize(view.scorer())?;
        let tensors = stored::read(view, card.network)?.to_tensors(precision);
        let owned = |tensor: Tensor<'_>| Tensor { data: tensor.data.into_owned().into(), ..tensor };
        // What words are given stays as it is.
        let given = Given::open(&card.given, view)?;
        Ok(Some(stored::tensors(&tensors).into_iter().chain(given.tensors()).map(owned).collect()))
    }

    fn open(&self, view: View, structure: &Structure) -> Result<Box<dyn ModelScorer>, BoxError> {
        let card = Card::deserialize(view.scorer())?;
        let network = stored::read(&view, card.network)?.in_whole_numbers();
        let asked = Asked::new(structure, card.pairs);
        let settings = network.settings();
        let fits = asked.channels == settings.arcs.map(|arcs| arcs.channels)
            && asked.labels == settings.labels.map(|labels| labels.count)
            && asked.words == settings.tags.first().map(|words| words.classes)
            && asked.classes
                == settings.positions.first().filter(|_| structure.actions.is_some()).map(|p| p.classes);
        let shape = shape(structure, settings, &card.positions, card.pairs)?;
        let groups = settings.positions.get(shape.first_group..).unwrap_or_default();
        let expected = shape.groups.iter().map(|&(_, choices)| (keys::MOST_NODES, choices));
        if !fits || !expected.eq(groups.iter().map(|head| (head.slots, head.classes))) {
            return Err("the network does not answer what the model asks".into());
        }
        if settings.positions.iter().take(shape.first_group).any(|head| head.slots != shape.positions.len()) {
            return Err("the network looks at another number of positions".into());
        }
        let given = Given::open(&card.given, &view)?;
        if given.shapes() != settings.given {
            return Err("the network was trained with vectors of another shape".into());
        }
        Ok(Box::new(Reading { network, shape, given }))
    }
}

/// A network with fixed weights.
#[derive(Debug)]
struct Reading {
    network: Network<'static>,
    shape: Shape,
    given: Given,
}

/// The memory of a thread.
#[derive(Debug, Default)]
struct Space {
    memory: Memory,
    batch: Option<Batch>,
}

impl ModelScorer for Reading {
    fn bind<'a>(&'a self, sentences: Vec<&'a Words>, workspace: &'a mut Workspace) -> Box<dyn Bound + 'a> {
        let Space { memory, batch } = workspace.part();
        match read(&self.network, &self.given, &sentences, memory) {
            Ok(new) => {
                let pass = Pass::new(&self.network, batch.insert(new), memory);
                Box::new(Reader { pass, shape: &self.shape, answers: Answers::default(), sentence: 0 })
            }
            // A network whose settings were checked reads any words, and so does an encoder that was opened.
            Err(_) => Box::new(Mute),
        }
    }

    fn knows(&self, word: &str) -> bool {
        self.given.knows(word)
    }

    fn batch(&self) -> usize {
        TOGETHER
    }
}

/// Puts the words of sentences together.
fn read(
    network: &Network<'_>,
    given: &Given,
    sentences: &[&Words],
    memory: &mut Memory,
) -> Result<Batch, BoxError> {
    together(network, sentences, given.vectors(sentences, None, memory)?)
}

/// The same with the vectors that words are given.
fn together(
    network: &Network<'_>,
    sentences: &[&Words],
    vectors: Vec<given::Vectors>,
) -> Result<Batch, BoxError> {
    let features = sentences.iter().zip(vectors).map(|(words, (vectors, rows))| {
        let mut features = network.vocabulary().features_of_words(network.settings(), words);
        features.set_vectors(vectors);
        features.set_rows(rows);
        features
    });
    let features: Vec<_> = features.collect();
    Ok(network.batch(&features.iter().collect::<Vec<_>>())?)
}

/// A batch that was read.
struct Reader<'a> {
    pass: Pass<'a>,
    shape: &'a Shape,
    answers: Answers,
    sentence: usize,
}

// The next batch needs as much memory as this one: asking the system for it each time takes an eighth of the time.
impl Drop for Reader<'_> {
    fn drop(&mut self) {
        self.answers.finish(&mut self.pass);
    }
}

impl Bound for Reader<'_> {
    fn turn_to(&mut self, sentence: usize) {
        if self.sentence != sentence {
            self.sentence = sentence;
            self.answers.turn_to();
        }
    }
}

impl Scorer for Reader<'_> {
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        self.answers.actions(self.shape, &mut self.pass, questions, rows);
    }

    fn reach(&self) -> usize {
        reach(self.shape)
    }
}

impl PartScorer for Reader<'_> {
    fn scores(&self, kind: Kind) -> bool {
        answers::scores(self.shape, kind)
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        self.answers.part(self.shape, &mut self.pass, self.sentence, part, scores);
    }

    fn expect(&mut self, parts: &[Part]) {
        self.answers.expect(self.shape, &mut self.pass, self.sentence, parts);
    }
}

/// Says nothing.
struct Mute;

impl Bound for Mute {
    fn turn_to(&mut self, _: usize) {}
}

impl Scorer for Mute {
    fn answer(&mut self, _: &dyn Questions, rows: &mut [f32]) {
        rows.fill(0.0);
    }
}

impl PartScorer for Mute {
    fn scores(&self, _: Kind) -> bool {
        false
    }

    fn score(&mut self, _: Part, scores: &mut [f32]) {
        scores.fill(0.0);
    }
}

/// A network under training.
struct Training {
    keys: BilstmKeys,
    seed: u64,
    settings: Settings,
    shape: Shape,
    given: Given,
    /// An encoder that learns too.
    tuner: Option<Tuner>,
    /// There once the training sentences are known.
    state: Option<(Network<'static>, Learner)>,
    /// The memory of searches, by shard.
    workspaces: Vec<Mutex<Workspace>>,
}

/// The threads that shards are learnt from on.
fn threads(shards: usize) -> usize {
    shards.min(rayon::current_num_threads())
}

impl Trainable for Training {
    /// Few sentences are learnt in small batches: an epoch should have some steps at least.
    fn batch(&self, examples: usize, _: usize) -> usize {
        self.keys.batch.min((examples / STEPS_AN_EPOCH).max(SMALLEST_BATCH))
    }

    fn plan(&mut self, steps: usize, words: &mut dyn Iterator<Item = &Words>) -> Result<(), BoxError> {
        let words: Vec<&Words> = words.collect();
        self.given.read_table(&self.keys.given, &words)?;
        self.settings.given = self.given.shapes();
        self.settings.check()?;
        let vocabulary = Vocabulary::of_words(&self.settings, &mut words.into_iter());
        let network = Network::new(self.settings.clone(), vocabulary, self.seed)?;
        let learning = self.keys.learning(self.seed, steps);
        if let Some(tuner) = &mut self.tuner {
            tuner.plan(&learning);
        }
        let learner = Learner::new(learning, &network, threads(self.keys.shards));
        self.state = Some((network, learner));
        Ok(())
    }

    fn step(&mut self, batch: &[&Words], teach: &Teach<'_>) -> Result<usize, BoxError> {
        let Training { keys, settings, shape, state, workspaces, given, tuner, .. } = self;
        let (network, learner) = state.as_mut().ok_or("training was not planned")?;
        let shards = keys.shards.min(batch.len());
        let members: Vec<Vec<usize>> =
            (0..shards).map(|shard| (shard..batch.len()).step_by(shards).collect()).collect();
        let own = |members: &Vec<usize>| members.iter().map(|&number| batch[number]).collect();
        let sentences: Vec<Vec<&Words>> = members.iter().map(own).collect();
        let tuner = tuner.as_mut().filter(|tuner| tuner.learns_in(learner.steps()));
        let mut forward = tuner.as_deref().map(|tuner| tuner.forward(&sentences)).transpose()?;
        if forward.is_some() {
            given.forget();
        }
        let batches = sentences.iter().enumerate().map(|(shard, words)| {
            let tuned = forward.as_mut().map(|forward| std::mem::take(&mut forward.vectors[shard]));
            together(network, words, given.vectors(words, tuned, &mut Memory::default())?)
        });
        let batches = batches.collect::<Result<Vec<Batch>, BoxError>>()?;
        let words: usize = batch.iter().map(|words| words.len()).sum();
        let weight = 1.0 / words.max(1) as f32;
        let classes = settings.positions.first().map_or(0, |head| head.classes);
        let wrong = AtomicUsize::new(0);
        let (_, d_vectors) = learner.step_to_vectors(network, &batches, |shard, pass| {
            let mut workspace = workspaces[shard].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let mut lesson = Lesson::new(shape, pass, weight, classes);
            for (place, &number) in members[shard].iter().enumerate() {
                lesson.turn_to(place);
                wrong.fetch_add(usize::from(teach(number, &mut lesson, &mut workspace)), Ordering::Relaxed);
            }
            lesson.finish()
        })?;
        let gradient = forward.map(|forward| forward.backward(&sentences, d_vectors, &settings.given));
        if let (Some(tuner), Some(gradient)) = (tuner, gradient) {
            tuner.step(&gradient)?;
        }
        Ok(wrong.into_inner())
    }

    fn freeze(&self) -> Box<dyn Frozen> {
        let keys = &self.keys;
        let averaged = self.state.as_ref().and_then(|(network, learner)| {
            let weights = Cow::Owned(learner.best(network).to_vec());
            let network =
                Network::with_weights(network.settings().clone(), network.vocabulary().clone(), weights)
                    .ok()?;
            // What is measured is what is written.
            let tensors = network.to_tensors(keys.precision);
            let network = stored::again(network.settings().clone(), &tensors).ok()?.in_whole_numbers();
            let given = self.given.with_tuned(self.tuner.as_ref()).ok()?;
            Some((Reading { network, shape: self.shape.clone(), given }, tensors))
        });
        let (reading, tensors) =
            averaged.map_or((None, Vec::new()), |(reading, tensors)| (Some(reading), tensors));
        Box::new(Averaged { reading, tensors, positions: keys.positions.clone(), pairs: keys.pairs })
    }

    fn size(&self) -> usize {
        self.state.as_ref().map_or(0, |(network, _)| network.weights().len())
    }

    fn inputs(&self) -> usize {
        self.settings.inputs.len()
            + usize::from(self.settings.characters.is_some())
            + self.settings.given.len()
    }

    fn save(&self) -> (Value, Vec<Saved<'_>>) {
        let Some((network, learner)) = &self.state else { return (Value::Null, Vec::new()) };
        let (weights, learner) = (network.to_bytes(Precision::F32), learner.to_bytes());
        let mut tensors = vec![
            Tensor::owned("network", Dtype::U8, vec![weights.len()], &weights),
            Tensor::owned("learner", Dtype::U8, vec![learner.len()], &learner),
        ];
        tensors.extend(self.tuner.iter().flat_map(Tuner::save));
        let tensors = tensors.into_iter().map(Saved::from).collect();
        (json!({ "scorer": BILSTM.name(), "given": self.given.hash() }), tensors)
    }

    fn restore(&mut self, description: &Value, tensors: &[(String, Vec<u8>)]) -> bool {
        let data = |name: &str| tensors.iter().find(|(other, _)| other == name).map(|(_, data)| data);
        let restored = data("network").zip(data("learner")).and_then(|(network, learner)| {
            let network = Network::from_bytes(network).ok()?.into_owned();
            let learner = Learner::from_bytes(learner, &network, threads(self.keys.shards)).ok()?;
            (*network.settings() == self.settings).then_some((network, learner))
        });
        let Some(state) = restored else { return false };
        let given = description.get("given").and_then(Value::as_u64).unwrap_or(0) == self.given.hash();
        let steps = state.1.steps();
        let fits = given && self.tuner.as_mut().is_none_or(|tuner| tuner.restore(tensors, steps));
        self.state = fits.then_some(state).or(self.state.take());
        fits
    }
}

/// Weights that training has come to.
#[derive(Debug)]
struct Averaged {
    reading: Option<Reading>,
    tensors: Vec<Encoded>,
    positions: String,
    pairs: bool,
}

impl ModelScorer for Averaged {
    fn bind<'a>(&'a self, sentences: Vec<&'a Words>, workspace: &'a mut Workspace) -> Box<dyn Bound + 'a> {
        match &self.reading {
            Some(reading) => reading.bind(sentences, workspace),
            None => Box::new(Mute),
        }
    }

    fn batch(&self) -> usize {
        TOGETHER
    }

    fn knows(&self, word: &str) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.knows(word))
    }
}

impl Frozen for Averaged {
    fn scorer(&self) -> &dyn ModelScorer {
        self
    }

    fn card(&self) -> Value {
        let settings = self.reading.as_ref().map(|reading| reading.network.settings().clone());
        json!(Card {
            name: BILSTM.name().to_owned(),
            positions: self.positions.clone(),
            pairs: self.pairs,
            network: settings.unwrap_or_default(),
            given: self.reading.as_ref().map(|reading| reading.given.cards()).unwrap_or_default(),
        })
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let given = self.reading.iter().flat_map(|reading| reading.given.tensors());
        stored::tensors(&self.tensors).into_iter().chain(given).collect()
    }

    fn counts(&self) -> (usize, usize) {
        (0, self.reading.as_ref().map_or(0, |reading| reading.network.weights().len()))
    }
}
