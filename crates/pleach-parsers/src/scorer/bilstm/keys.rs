//! The recipe keys of BiLSTM scorers, and the network that they and a structure describe.

use super::given::GivenKeys;
use crate::scorer::{ActionShape, BoxError, Structure};
use pleach_decode::part::Kind;
use pleach_neural::learn::{AdamSettings, Decay, LearnerSettings, Schedule};
use pleach_neural::network::{
    Arcs, Characters, Dropout, Encoder, Input, Labels, Positions, Settings, Source, Table, Tags,
};
use pleach_neural::tensors::Precision;
use serde::{Deserialize, Serialize};

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BilstmKeys {
    /// What is embedded of a word and how widely: `lower:100 tags:50`; with `#` in front it is hashed and needs no lexicon.
    /// There are form, lower, lemma, upos, xpos, tags, morphology, features, prefix, suffix and shape.
    pub inputs: String,
    /// `none`: of the inputs, those that are not in the text (tags, features, lemmas) are left out, and the model never looks
    /// at them; `all`: they are what `inputs` says.
    pub tags: Annotations,
    /// Words and lemmas that are rarer have no vector of their own.
    pub at_least: u32,
    /// The width of what characters say of a word; 0 for no characters.
    pub characters: usize,
    /// Layers of the encoder.
    pub layers: usize,
    /// The width of one direction of a layer.
    pub hidden: usize,
    /// The width of heads and dependents where arcs are scored.
    pub arc_width: usize,
    /// The same where labels are scored.
    pub label_width: usize,
    /// The width of the hidden layer where words are classified.
    pub word_width: usize,
    /// For transition systems: the positions that are looked at.
    pub positions: String,
    /// For transition systems: arcs between the two words of an action, and their labels, are scored as in graph-based
    /// parsers, and what positions say is added.
    pub pairs: bool,
    /// The width of the hidden layer over them, and over the words of parts of higher order (siblings, neighbours …).
    pub position_width: usize,
    /// Sentences that a step learns from; fewer when there are less than sixty times as many.
    pub batch: usize,
    /// The parts that a batch is cut into, which threads can learn from; the weights depend on it, not on the threads.
    pub shards: usize,
    /// The highest learning rate.
    pub rate: f32,
    /// The steps until it is reached.
    pub warm_up: u64,
    /// How it falls then: `constant`, `linear` or `cosine`.
    pub decay: Decay,
    /// The share of the rate that is left at the end.
    pub last_rate: f32,
    /// Longer gradients are shortened to this length; 0 for no limit.
    pub clip: f32,
    /// Weight decay.
    pub weight_decay: f32,
    /// The share of the inputs of words that training hides.
    pub drop_inputs: f32,
    /// The share of words that training makes unknown.
    pub drop_words: f32,
    /// The share of units that training hides between layers.
    pub drop_layers: f32,
    /// The same where arcs and labels are scored.
    pub drop_heads: f32,
    /// The decay of the averaged weights that models are made of; 0 for no average.
    pub average: f32,
    /// How exactly weights are stored: `f32`, `f16` or `int8`.
    pub precision: Precision,
    /// What words are given beside embeddings.
    #[serde(flatten)]
    pub given: GivenKeys,
}

/// What a network has to answer for a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Channels of arcs.
    pub channels: Option<usize>,
    /// Labels of arcs.
    pub labels: Option<usize>,
    /// Choices of words.
    pub words: Option<usize>,
    /// Classes of positions.
    pub classes: Option<usize>,
    /// Whether actions are put together from classes, arcs and labels.
    pub pairs: bool,
}

impl Asked {
    /// For a structure; `pairs` is the key.
    pub fn new(structure: &Structure, pairs: bool) -> Self {
        let choices = |kind: Kind| structure.parts.iter().find(|part| part.kind == kind);
        let made = |actions: &&ActionShape| pairs && structure.parts.is_empty() && !actions.made.is_empty();
        if let Some(actions) = structure.actions.as_ref().filter(made) {
            let (classes, labels) = actions.made_of();
            return Asked {
                channels: Some(1),
                labels: Some(labels),
                words: None,
                classes: Some(classes),
                pairs: true,
            };
        }
        Asked {
            channels: choices(Kind::ARC).map(|arcs| arcs.choices - arcs.unused),
            labels: choices(Kind::LABEL).map(|labels| labels.choices),
            words: choices(Kind::WORD).map(|words| words.choices),
            classes: structure.actions.as_ref().map(|actions| actions.count),
            pairs: false,
        }
    }
}

/// The kinds of parts of higher order that a structure asks for, and the choices of each; a perceptron over their words
/// scores them.
pub fn groups(structure: &Structure) -> Vec<(Kind, usize)> {
    let higher = structure.parts.iter().filter(|part| part.kind > Kind::LABEL && part.kind < Kind::WORD);
    higher.map(|part| (part.kind, part.choices)).collect()
}

/// The most words that a part has.
pub const MOST_NODES: usize = 4;

/// Whether annotations of words are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Annotations {
    /// As `inputs` says.
    All,
    /// Not at all.
    None,
}

/// The number of vectors that hashed values share.
const BUCKETS: usize = 8192;

impl Default for BilstmKeys {
    fn default() -> Self {
        BilstmKeys {
            inputs: "lower:100 tags:50 features:32".into(),
            tags: Annotations::All,
            at_least: 2,
            characters: 100,
            layers: 2,
            hidden: 200,
            arc_width: 256,
            label_width: 100,
            word_width: 128,
            positions: "s0 s1 s2 m0 m1 b0 b1 b2 s0.lc s0.rc b0.lc b0.rc".into(),
            pairs: true,
            position_width: 200,
            batch: 32,
            shards: 2,
            rate: 2e-3,
            warm_up: 100,
            decay: Decay::Linear,
            last_rate: 0.05,
            clip: 5.0,
            weight_decay: 0.0,
            drop_inputs: 0.2,
            drop_words: 0.0,
            drop_layers: 0.25,
            drop_heads: 0.25,
            average: 0.995,
            precision: Precision::F32,
            given: GivenKeys::default(),
        }
    }
}

impl BilstmKeys {
    /// Says what makes no sense.
    pub fn check(&self) -> Result<(), String> {
        let shares = [
            ("drop_inputs", self.drop_inputs),
            ("drop_words", self.drop_words),
            ("drop_layers", self.drop_layers),
            ("drop_heads", self.drop_heads),
            ("average", self.average),
        ];
        for (key, share) in shares {
            if !(0.0..1.0).contains(&share) {
                return Err(format!("'{key}' is from 0 to below 1"));
            }
        }
        for (key, number) in [("batch", self.batch), ("shards", self.shards)] {
            if number == 0 {
                return Err(format!("'{key}' is at least 1"));
            }
        }
        if !self.rate.is_finite() || self.rate <= 0.0 {
            return Err("'rate' is above 0".into());
        }
        super::positions::parse(&self.positions)?;
        self.given.check()?;
        self.embedded().map(|_| ())
    }

    fn embedded(&self) -> Result<Vec<Input>, String> {
        let mut inputs = Vec::new();
        for item in self.inputs.split([' ', ',']).filter(|item| !item.is_empty()) {
            let wrong = || format!("'inputs' has '{item}', which is no source:width");
            let (name, width) = item.split_once(':').ok_or_else(wrong)?;
            let width = width.parse().map_err(|_| wrong())?;
            let hashed = name.strip_prefix('#');
            let name = hashed.unwrap_or(name);
            let source: Source = serde_json::from_value(name.into()).map_err(|_| {
                format!("'inputs' names '{name}'; there are form, lower, lemma, upos, xpos, tags, morphology, features, prefix, suffix, shape")
            })?;
            let closed = matches!(source, Source::Upos | Source::Xpos | Source::Tags | Source::Features);
            let annotated = closed || matches!(source, Source::Lemma | Source::Morphology);
            if annotated && self.tags == Annotations::None {
                continue;
            }
            let table = match hashed {
                Some(_) => Table::Hashed { buckets: BUCKETS, probes: 2 },
                None => Table::Known { at_least: if closed { 1 } else { self.at_least } },
            };
            inputs.push(Input { source, width, table });
        }
        Ok(inputs)
    }

    /// The network that answers what a structure asks.
    pub fn network(&self, structure: &Structure) -> Result<Settings, BoxError> {
        let asked = Asked::new(structure, self.pairs);
        let characters = Characters { buckets: 512, width: 32, radius: 1, output: self.characters };
        let slots = super::positions::parse(&self.positions)?.len();
        let settings = Settings {
            inputs: self.embedded()?,
            characters: (self.characters > 0).then_some(characters),
            encoder: Encoder { layers: self.layers, hidden: self.hidden },
            arcs: asked.channels.map(|channels| Arcs { channels, width: self.arc_width }),
            labels: asked.labels.map(|count| Labels { width: self.label_width, count }),
            positions: (asked.classes.into_iter().map(|classes| (slots, classes)))
                .chain(groups(structure).into_iter().map(|(_, choices)| (MOST_NODES, choices)))
                .map(|(slots, classes)| Positions { slots, hidden: self.position_width, classes })
                .collect(),
            tags: (asked.words.into_iter())
                .map(|classes| Tags { hidden: self.word_width, classes })
                .collect(),
            ..Settings::default()
        };
        Ok(settings)
    }

    /// How a run of so many steps learns.
    pub fn learning(&self, seed: u64, steps: usize) -> LearnerSettings {
        LearnerSettings {
            seed,
            schedule: Schedule {
                peak: self.rate,
                warm_up: self.warm_up.min(steps as u64 / 4),
                steps: steps as u64,
                decay: self.decay,
                last: self.last_rate,
            },
            adam: AdamSettings { decay: self.weight_decay, ..AdamSettings::default() },
            clip: self.clip,
            dropout: Dropout {
                inputs: self.drop_inputs,
                words: self.drop_words,
                layers: self.drop_layers,
                heads: self.drop_heads,
            },
            average: self.average,
        }
    }
}
