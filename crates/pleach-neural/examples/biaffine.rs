//! Trains the first-order biaffine graph parser (Dozat and Manning 2018) and says how well and how fast it parses.
//!
//! ```text
//! cargo run --release -p pleach-neural --example biaffine -- train=TRAIN.conllu dev=DEV.conllu hold=1000 epochs=20
//! ```
//!
//! `hold=N` takes the last N training sentences as held-out data, which settings are chosen on; without `dev` nothing
//! else is measured. All options are `key=value`; see `Options`.

use cpu_time::ProcessTime;
use pleach_eval::sdp::{SdpOptions, SdpScores};
use pleach_formats::read_file;
use pleach_graph::enhanced::{Transform, collapse};
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text};
use pleach_neural::kernel::loss;
use pleach_neural::learn::{AdamSettings, Decay, Learner, LearnerSettings, Schedule};
use pleach_neural::memory::Memory;
use pleach_neural::network::{
    self, ArcScores, Arcs, Batch, Characters, Dropout, Features, Given, Input, Labels, Network, Pair, Pass,
    Settings, Source, Table, Vocabulary, grouping,
};
use pleach_neural::pretrained::{Pooling, Pretrained, Vectors};
use pleach_neural::random::Random;
use pleach_neural::tensors::Precision;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::str::FromStr;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The options of the command line.
struct Options(HashMap<String, String>);

impl Options {
    fn read() -> Result<Self> {
        let pair = |argument: String| match argument.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(format!("{argument:?} is no key=value")),
        };
        Ok(Options(std::env::args().skip(1).map(pair).collect::<std::result::Result<_, _>>()?))
    }

    fn get<T: FromStr>(&self, key: &str, default: T) -> Result<T> {
        match self.0.get(key) {
            Some(value) => value.parse().map_err(|_| format!("{key}={value}?").into()),
            None => Ok(default),
        }
    }
}

/// A sentence to learn from.
struct Example {
    features: Features,
    words: usize,
    /// Dependent, head, label.
    arcs: Vec<(u32, u32, u32)>,
    /// The basic tree.
    heads: Vec<Option<usize>>,
}

fn main() -> Result<()> {
    let options = Options::read()?;
    let mut train = read_file(Path::new(&options.get("train", String::new())?))?;
    let held = train.split_off(train.len() - options.get("hold", 0)?);
    let dev = options.get("dev", String::new())?;
    let dev = if dev.is_empty() { Vec::new() } else { read_file(Path::new(&dev))? };
    train.truncate(options.get("limit", usize::MAX)?);
    let transform = if options.get("transform", true)? { Transform::ALL } else { Transform::default() };
    train.iter_mut().for_each(|sentence| transform.apply(sentence));

    let encoder = Encoder::open(&options)?;
    let load: String = options.get("load", String::new())?;
    if !load.is_empty() {
        return measure_saved(&options, Path::new(&load), &held, &dev, encoder.as_ref(), transform);
    }
    let labels = collect_labels(&train);
    let settings = network_settings(&options, labels.len(), encoder.as_ref())?;
    let vocabulary = Vocabulary::collect(&settings, &train);
    let mut network = Network::new(settings, vocabulary, options.get("seed", 1)?)?;
    let examples = train.iter().map(|sentence| example(&network, &labels, sentence, encoder.as_ref()));
    let examples = examples.collect::<Result<Vec<Example>>>()?;
    let words: usize = examples.iter().map(|example| example.words).sum();
    println!(
        "{} sentences, {words} words, {} labels, {} parameters",
        examples.len(),
        labels.len(),
        network.weights().len()
    );

    let epochs: u64 = options.get("epochs", 10)?;
    let batch_words: usize = options.get("words", 1000)?;
    let shards: usize = options.get("shards", 2)?;
    let mut learner = Learner::new(
        LearnerSettings {
            seed: options.get("seed", 1)?,
            schedule: Schedule {
                peak: options.get("rate", 2e-3)?,
                warm_up: options.get("warm", 100)?,
                steps: epochs * (words as u64).div_ceil(batch_words as u64),
                decay: match options.get("decay", "linear".to_owned())?.as_str() {
                    "constant" => Decay::Constant,
                    "cosine" => Decay::Cosine,
                    _ => Decay::Linear,
                },
                last: options.get("last", 0.05)?,
            },
            adam: AdamSettings {
                second: options.get("beta2", 0.95)?,
                decay: options.get("weight_decay", 0.0)?,
                ..AdamSettings::default()
            },
            clip: options.get("clip", 5.0)?,
            dropout: Dropout {
                inputs: options.get("drop_inputs", 0.2)?,
                words: options.get("drop_words", 0.0)?,
                layers: options.get("drop_layers", 0.33)?,
                heads: options.get("drop_heads", 0.33)?,
            },
            average: options.get("average", 0.99)?,
        },
        &network,
        options.get("threads", 1)?,
    );
    let label_names = names(&labels);
    let lengths: Vec<usize> = examples.iter().map(|example| example.words).collect();
    let mut random = Random::new(options.get("seed", 1)?);
    let start = ProcessTime::now();
    let weights = Weights {
        labels: options.get("label_weight", 1.0)?,
        ranking: options.get("ranking", 0.0)?,
        tree: options.get("tree", 0.0)?,
    };
    for epoch in 1..=epochs {
        let mut sum = 0.0;
        for batch in grouping::for_training(&lengths, batch_words, &mut random) {
            let batch: Vec<&Example> = batch.iter().map(|&i| &examples[i]).collect();
            let parts: Vec<Vec<&Example>> =
                (0..shards).map(|i| batch.iter().skip(i).step_by(shards).copied().collect()).collect();
            let shards = parts.iter().filter(|part| !part.is_empty());
            let shards = shards
                .map(|part| network.batch(&part.iter().map(|example| &example.features).collect::<Vec<_>>()));
            let shards = shards.collect::<std::result::Result<Vec<Batch>, _>>()?;
            let words: usize = batch.iter().map(|example| example.words).sum();
            let weight = 1.0 / words as f32;
            let loss = learner.step(&mut network, &shards, |shard, pass| {
                learn(pass, &parts[shard], labels.len(), weight, weights)
            })?;
            sum += loss / words as f64;
        }
        let cpu = start.elapsed().as_secs_f64();
        let parsing = Network::with_weights(
            network.settings().clone(),
            network.vocabulary().clone(),
            learner.best(&network).into(),
        )?;
        print!("epoch {epoch} loss {sum:.1} cpu {cpu:.0} s");
        let every = options.get("every", 1)?;
        if epoch % every == 0 || epoch == epochs {
            for (name, sentences) in [("held", &held), ("dev", &dev)] {
                if !sentences.is_empty() && (name != "dev" || epoch == epochs || held.is_empty()) {
                    let parser = Parser {
                        network: &parsing,
                        encoder: encoder.as_ref(),
                        labels: &label_names,
                        threshold: options.get("threshold", 0.0)?,
                        transform,
                    };
                    print!("  {name} {}", parser.measure(sentences)?);
                }
            }
        }
        println!();
        let save: String = options.get("save", String::new())?;
        if epoch == epochs && !save.is_empty() {
            std::fs::write(&save, parsing.to_bytes(Precision::F32))?;
            let names: Vec<&str> = label_names.iter().map(Text::as_str).collect();
            std::fs::write(format!("{save}.labels"), names.join("\n"))?;
        }
    }
    Ok(())
}

fn network_settings(options: &Options, labels: usize, encoder: Option<&Encoder>) -> Result<Settings> {
    let known = Table::Known { at_least: options.get("at_least", 2)? };
    let seen = Table::Known { at_least: 1 };
    let mut inputs = Vec::new();
    // "lower:100,tags:50": what is embedded, and how widely. A `#` in front hashes it.
    for item in options.get("inputs", "lower:100,tags:50".to_owned())?.split(',') {
        let (name, width) = item.split_once(':').ok_or("inputs=source:width,…")?;
        let hashed = name.strip_prefix('#');
        let source: Source = serde_json::from_value(hashed.unwrap_or(name).into())?;
        let lexical = !matches!(source, Source::Upos | Source::Xpos | Source::Tags | Source::Features);
        let table = match hashed {
            Some(_) => Table::Hashed { buckets: options.get("buckets", 8192)?, probes: 2 },
            None if lexical => known,
            None => seen,
        };
        inputs.push(Input { source, width: width.parse()?, table });
    }
    let characters = match options.get("chars", 100)? {
        0 => None,
        output => {
            Some(Characters { buckets: options.get("char_buckets", 512)?, width: 32, radius: 1, output })
        }
    };
    Ok(Settings {
        inputs,
        characters,
        given: (encoder.iter()).map(|encoder| Given::new(encoder.encoder.config().hidden_size, 1)).collect(),
        encoder: network::Encoder { layers: options.get("layers", 2)?, hidden: options.get("hidden", 200)? },
        arcs: Some(Arcs {
            channels: if options.get("tree", 0.0)? > 0.0 { 2 } else { 1 },
            width: options.get("arc", 400)?,
        }),
        labels: Some(Labels { width: options.get("label", 100)?, count: labels }),
        ..Settings::default()
    })
}

fn collect_labels(sentences: &[Sentence]) -> HashMap<Text, u32> {
    let mut labels: HashMap<Text, u32> = HashMap::new();
    for arc in sentences.iter().flat_map(|sentence| sentence.graph.arcs()) {
        let next = labels.len() as u32;
        labels.entry(arc.label.clone()).or_insert(next);
    }
    labels
}

fn names(labels: &HashMap<Text, u32>) -> Vec<Text> {
    let mut pairs: Vec<(&Text, &u32)> = labels.iter().collect();
    pairs.sort_by_key(|&(_, id)| id);
    pairs.into_iter().map(|(name, _)| name.clone()).collect()
}

fn example(
    network: &Network,
    labels: &HashMap<Text, u32>,
    sentence: &Sentence,
    encoder: Option<&Encoder>,
) -> Result<Example> {
    let arcs = sentence.graph.arcs().iter().filter(|arc| arc.head != arc.dependent);
    let arcs = arcs.map(|arc| (arc.dependent.0, arc.head.0, labels[&arc.label])).collect();
    let heads = sentence.tokens.iter().map(|token| token.head.map(NodeId::index)).collect();
    Ok(Example {
        features: features(network, &[sentence], encoder)?.remove(0),
        words: sentence.len(),
        arcs,
        heads,
    })
}

/// What losses count, beside the one of arcs.
#[derive(Clone, Copy)]
struct Weights {
    labels: f32,
    /// Of a softmax over the heads of a word, any of which is right.
    ranking: f32,
    /// Of the basic tree's heads, scored in a channel of their own.
    tree: f32,
}

/// The loss of a shard: sigmoids over all pairs, a softmax over the labels of gold arcs.
fn learn(
    pass: &mut Pass,
    examples: &[&Example],
    labels: usize,
    weight: f32,
    weights: Weights,
) -> std::result::Result<f64, pleach_neural::NeuralError> {
    let mut total = 0.0;
    let scores = pass.arcs(0)?;
    let mut gradient = ArcScores::zeros(pass.batch().lengths());
    let (mut pairs, mut gold_labels, mut gold) = (Vec::new(), Vec::new(), Vec::new());
    for (sentence, example) in examples.iter().enumerate() {
        let n = example.words + 1;
        gold.clear();
        gold.resize(n * n, false);
        for &(dependent, head, label) in &example.arcs {
            gold[dependent as usize * n + head as usize] = true;
            pairs.push(Pair { sentence: sentence as u32, head, dependent });
            gold_labels.push(label as usize);
        }
        let (scores, gradient) = (scores.sentence(sentence), gradient.sentence_mut(sentence));
        total += loss::sigmoid(&scores[n..], &gold[n..], weight, &mut gradient[n..]);
        if weights.ranking > 0.0 {
            let mut row = vec![0.0; n];
            for d in 1..n {
                let cells = d * n..(d + 1) * n;
                let part = weight * weights.ranking;
                let own = loss::softmax_any(&scores[cells.clone()], &gold[cells.clone()], part, &mut row);
                total += own * f64::from(weights.ranking);
                gradient[cells].iter_mut().zip(&row).for_each(|(sum, own)| *sum += own);
            }
        }
    }
    pass.arcs_gradient(0, &gradient)?;
    if weights.tree > 0.0 {
        total += learn_trees(pass, examples, weight * weights.tree)? * f64::from(weights.tree);
    }
    let scores = pass.labels(&pairs)?;
    let mut gradient = vec![0.0; scores.len()];
    let rows = scores.chunks_exact(labels).zip(gradient.chunks_exact_mut(labels));
    for ((scores, gradient), &gold) in rows.zip(&gold_labels) {
        total += loss::softmax(scores, gold, weight * weights.labels, gradient) * f64::from(weights.labels);
    }
    pass.labels_gradient(&pairs, &gradient)?;
    Ok(total)
}

/// The loss of the basic trees in channel 1: a softmax over the heads of each word.
fn learn_trees(
    pass: &mut Pass,
    examples: &[&Example],
    weight: f32,
) -> std::result::Result<f64, pleach_neural::NeuralError> {
    let scores = pass.arcs(1)?;
    let mut gradient = ArcScores::zeros(pass.batch().lengths());
    let mut total = 0.0;
    for (sentence, example) in examples.iter().enumerate() {
        let n = example.words + 1;
        for (dependent, head) in example.heads.iter().enumerate() {
            let Some(head) = *head else { continue };
            let cells = (dependent + 1) * n..(dependent + 2) * n;
            let row = &scores.sentence(sentence)[cells.clone()];
            total += loss::softmax(row, head, weight, &mut gradient.sentence_mut(sentence)[cells]);
        }
    }
    pass.arcs_gradient(1, &gradient)?;
    Ok(total)
}

/// The scores of a saved model, with several thresholds and precisions.
fn measure_saved(
    options: &Options,
    path: &Path,
    held: &[Sentence],
    dev: &[Sentence],
    encoder: Option<&Encoder>,
    transform: Transform,
) -> Result<()> {
    let bytes = std::fs::read(path)?;
    let start = std::time::Instant::now();
    let network = Network::from_bytes(&bytes)?;
    println!("{} bytes, opened in {:.2} ms", bytes.len(), 1e3 * start.elapsed().as_secs_f64());
    let labels = std::fs::read_to_string(format!("{}.labels", path.display()))?;
    let labels: Vec<Text> = labels.lines().map(Text::from).collect();
    for (name, sentences) in [("held", held), ("dev", dev)] {
        if sentences.is_empty() {
            continue;
        }
        for threshold in options.get("thresholds", "0,0.3,0.6,0.9".to_owned())?.split(',') {
            let threshold = threshold.parse()?;
            let parser = Parser { network: &network, labels: &labels, threshold, transform, encoder };
            println!("{name} threshold {threshold}: {}", parser.measure(sentences)?);
        }
        for precision in [Precision::F16, Precision::Int8] {
            let bytes = network.to_bytes(precision);
            let network = Network::from_bytes(&bytes)?;
            let threshold = options.get("threshold", 0.0)?;
            let parser = Parser { network: &network, labels: &labels, threshold, transform, encoder };
            println!("{name} {precision:?}, {} bytes: {}", bytes.len(), parser.measure(sentences)?);
        }
    }
    Ok(())
}

/// A pretrained encoder and the layers whose mean goes into the network.
struct Encoder {
    encoder: Pretrained,
    wanted: Vectors,
    scale: f32,
}

impl Encoder {
    fn open(options: &Options) -> Result<Option<Self>> {
        let folder: String = options.get("encoder", String::new())?;
        if folder.is_empty() {
            return Ok(None);
        }
        let encoder = Pretrained::open(Path::new(&folder))?;
        let last = encoder.config().num_hidden_layers.to_string();
        let layers: String = options.get("encoder_layers", last)?;
        let layers = layers.split(',').map(str::parse).collect::<std::result::Result<Vec<usize>, _>>()?;
        let wanted = Vectors { layers, pooling: Pooling::Mean };
        Ok(Some(Encoder { encoder, wanted, scale: options.get("encoder_scale", 1.0)? }))
    }

    fn vectors(&self, sentences: &[&Sentence]) -> Result<Vec<Vec<f32>>> {
        let words: Vec<Vec<&str>> = sentences
            .iter()
            .map(|sentence| sentence.tokens.iter().map(|token| token.form.as_str()).collect())
            .collect();
        let words: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
        let vectors = self.encoder.vectors(&words, &self.wanted, &mut Memory::default())?;
        let (width, layers) = (self.encoder.config().hidden_size, self.wanted.layers.len());
        let factor = self.scale / layers as f32;
        let mix = |vectors: Vec<f32>| {
            let rows = vectors.chunks_exact(width * layers);
            let rows = rows.flat_map(|row| {
                (0..width).map(move |i| row.iter().skip(i).step_by(width).sum::<f32>() * factor)
            });
            rows.collect()
        };
        Ok(vectors.into_iter().map(mix).collect())
    }
}

fn features(network: &Network, sentences: &[&Sentence], encoder: Option<&Encoder>) -> Result<Vec<Features>> {
    let mut features: Vec<Features> = sentences.iter().map(|sentence| network.features(sentence)).collect();
    if let Some(encoder) = encoder {
        for (features, vectors) in features.iter_mut().zip(encoder.vectors(sentences)?) {
            features.set_vectors(vectors);
        }
    }
    Ok(features)
}

struct Parser<'a> {
    network: &'a Network<'a>,
    encoder: Option<&'a Encoder>,
    labels: &'a [Text],
    threshold: f32,
    transform: Transform,
}

impl Parser<'_> {
    /// Every arc whose score is above the threshold; a word without one gets its best head.
    fn parse(&self, sentences: &[&Sentence], memory: &mut Memory) -> Result<Vec<Graph>> {
        let features = features(self.network, sentences, self.encoder)?;
        let batch = self.network.batch(&features.iter().collect::<Vec<_>>())?;
        let mut pass = Pass::new(self.network, &batch, memory);
        let scores = pass.arcs(0)?;
        let mut pairs = Vec::new();
        for (sentence, &n) in batch.lengths().iter().enumerate() {
            for (dependent, row) in scores.sentence(sentence).chunks_exact(n).enumerate().skip(1) {
                let pair = |head: usize| Pair {
                    sentence: sentence as u32,
                    head: head as u32,
                    dependent: dependent as u32,
                };
                let others = || (0..n).filter(|&head| head != dependent);
                let before = pairs.len();
                pairs.extend(others().filter(|&head| row[head] > self.threshold).map(pair));
                if pairs.len() == before {
                    pairs.extend(others().max_by(|&a, &b| row[a].total_cmp(&row[b])).map(pair));
                }
            }
        }
        let scores = pass.labels(&pairs)?;
        pass.finish();
        let mut arcs: Vec<Vec<Arc>> = vec![Vec::new(); sentences.len()];
        for (pair, row) in pairs.iter().zip(scores.chunks_exact(self.labels.len())) {
            let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]));
            let Some(label) = best.map(|best| self.labels[best].clone()) else { continue };
            let (head, dependent) = (NodeId(pair.head), NodeId(pair.dependent));
            arcs[pair.sentence as usize].push(Arc { head, dependent, label });
        }
        let graphs =
            sentences.iter().zip(arcs).map(|(sentence, arcs)| Graph::from_arcs(sentence.len(), arcs));
        Ok(graphs.collect())
    }

    /// Scores with full labels, and words per CPU second.
    fn measure(&self, gold: &[Sentence]) -> Result<String> {
        let bare = gold.iter().map(|sentence| {
            let mut sentence = sentence.clone();
            sentence.tokens.retain(|token| !token.id.is_empty_node());
            sentence.graph = Graph::new(sentence.tokens.len());
            sentence
        });
        let mut bare: Vec<Sentence> = bare.collect();
        let lengths: Vec<usize> = bare.iter().map(Sentence::len).collect();
        let mut memory = Memory::default();
        let start = ProcessTime::now();
        let mut graphs = vec![Graph::default(); bare.len()];
        for chunk in grouping::by_length(&lengths, 1000) {
            let sentences: Vec<&Sentence> = chunk.iter().map(|&i| &bare[i]).collect();
            for (&i, graph) in chunk.iter().zip(self.parse(&sentences, &mut memory)?) {
                graphs[i] = graph;
            }
        }
        let words: usize = bare.iter().map(Sentence::len).sum();
        let speed = words as f64 / start.elapsed().as_secs_f64();
        let mut scores = SdpScores::new(SdpOptions::default());
        for ((gold, system), graph) in gold.iter().zip(&mut bare).zip(graphs) {
            system.graph = graph;
            self.transform.undo(system);
            let mut gold = gold.clone();
            collapse(&mut gold);
            collapse(system);
            scores.add(&gold, system);
        }
        let a = &scores.arcs;
        let percent = [a.lf(), a.lp(), a.lr(), a.uf(), a.exact()].map(|x| 100.0 * x);
        let [lf, lp, lr, uf, exact] = percent;
        Ok(format!("LF {lf:.2} (P {lp:.2} R {lr:.2}) UF {uf:.2} exact {exact:.1} ({speed:.0} words/CPU s)"))
    }
}
