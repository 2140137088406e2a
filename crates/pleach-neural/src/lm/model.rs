//! A language model: a network whose directions don't see each other, and the words that it predicts.

use super::lexicon::Lexicon;
use crate::NeuralError;
use crate::memory::Memory;
use crate::network::{
    Characters, Encoder, Given, Input, Language, Network, Pass, Samples, Settings, Source, Table, Vocabulary,
};
use crate::tensors::{Precision, Stored, View, write};
use pleach_graph::Sentence;
use serde::{Deserialize, Serialize};

/// What a language model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageSettings {
    /// The width of what characters say of a word; 0 for no characters.
    pub characters: usize,
    /// The width of a word's own vector, found by its hash; 0 for none.
    pub words: usize,
    /// The number of vectors that words share.
    pub buckets: usize,
    /// Layers.
    pub layers: usize,
    /// The width of one direction of a layer.
    pub hidden: usize,
    /// The most words that are predicted.
    pub lexicon: usize,
}

impl Default for LanguageSettings {
    fn default() -> Self {
        LanguageSettings {
            characters: 128,
            words: 64,
            buckets: 16_384,
            layers: 2,
            hidden: 192,
            lexicon: 20_000,
        }
    }
}

impl LanguageSettings {
    /// The network that predicts the words of a lexicon.
    pub fn network(&self, lexicon: &Lexicon) -> Settings {
        let characters = Characters { buckets: 512, width: 32, radius: 2, output: self.characters };
        let table = Table::Hashed { buckets: self.buckets, probes: 2 };
        let words = Input { source: Source::Lower, width: self.words, table };
        Settings {
            inputs: (self.words > 0).then_some(words).into_iter().collect(),
            characters: (self.characters > 0).then_some(characters),
            encoder: Encoder { layers: self.layers, hidden: self.hidden },
            language: Some(Language { classes: lexicon.classes() }),
            ..Settings::default()
        }
    }
}

/// A language model, trained or to be trained.
#[derive(Clone, Debug)]
pub struct LanguageModel {
    /// The network.
    pub network: Network<'static>,
    /// The words that it predicts.
    pub lexicon: Lexicon,
}

impl LanguageModel {
    /// A model that has learnt nothing.
    pub fn new(settings: &LanguageSettings, lexicon: Lexicon, seed: u64) -> Result<Self, NeuralError> {
        let settings = settings.network(&lexicon);
        let vocabulary = Vocabulary::collect(&settings, []);
        Ok(LanguageModel { network: Network::new(settings, vocabulary, seed)?, lexicon })
    }

    /// All of it as bytes.
    pub fn to_bytes(&self, precision: Precision) -> Vec<u8> {
        let settings = serde_json::to_string(self.network.settings()).unwrap_or_default();
        let mut tensors: Vec<(String, Stored)> =
            vec![("lexicon".into(), Stored::Whole(self.lexicon.words()))];
        for tensor in self.network.layout().tensors() {
            let numbers = tensor.slot.of(self.network.weights());
            tensors.push((tensor.name.clone(), Stored::Numbers(numbers, tensor.shape.clone(), precision)));
        }
        write(&[("settings", settings)], &tensors)
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NeuralError> {
        let view = View::new(bytes)?;
        let settings: Settings = serde_json::from_str(view.metadata("settings")?)
            .map_err(|error| NeuralError::Settings(format!("the language model's settings: {error}")))?;
        let lexicon = Lexicon::from_words(view.whole("lexicon")?)?;
        if settings.language.is_none_or(|language| language.classes != lexicon.classes()) {
            return Err(NeuralError::Damaged("a language model for another lexicon".into()));
        }
        let vocabulary = Vocabulary::collect(&settings, []);
        let empty = Network::with_weights(settings.clone(), vocabulary.clone(), Vec::new().into())?;
        let weights = view.weights(empty.layout())?.into_owned();
        Ok(LanguageModel { network: Network::with_weights(settings, vocabulary, weights.into())?, lexicon })
    }

    /// The same without the words that it predicts: all that reading with it takes.
    pub fn without_words(&self) -> Self {
        let lexicon = Lexicon::default();
        let language = Some(Language { classes: lexicon.classes() });
        let settings = Settings { language, ..self.network.settings().clone() };
        let layers = self.network.layout().tensors().iter();
        let layers = layers.filter(|tensor| !tensor.name.starts_with("language."));
        let mut weights: Vec<f32> =
            layers.flat_map(|tensor| tensor.slot.of(self.network.weights())).copied().collect();
        // The two classes that are left are never asked for.
        weights.resize(weights.len() + 2 * (settings.encoder.hidden + 1), 0.0);
        let network = Network::with_weights(settings, self.network.vocabulary().clone(), weights.into());
        // Settings that made a network make one with fewer classes.
        network.map_or_else(|_| self.clone(), |network| LanguageModel { network, lexicon })
    }

    /// What a network that reads with it must know.
    pub fn shape(&self) -> Given {
        let settings = self.network.settings();
        Given::new(settings.encoding_width(), settings.encoder.layers)
    }

    /// What its layers say of the words of sentences: for each a row a node, the root first.
    pub fn vectors(&self, sentences: &[&[&str]], memory: &mut Memory) -> Result<Vec<Vec<f32>>, NeuralError> {
        let features = |words: &&[&str]| self.network.features(&Sentence::from_forms(words.iter().copied()));
        let features: Vec<_> = sentences.iter().map(features).collect();
        let batch = self.network.batch(&features.iter().collect::<Vec<_>>())?;
        let all = self.network.layers(&batch, memory);
        let numbers = self.shape().numbers();
        let rows = batch.lengths().iter().enumerate();
        let of = |(sentence, nodes): (usize, &usize)| {
            all[batch.row(sentence, 0) * numbers..][..nodes * numbers].to_vec()
        };
        Ok(rows.map(of).collect())
    }

    /// The classes of a sentence's words.
    pub fn classes(&self, sentence: &[String]) -> Vec<u32> {
        sentence.iter().map(|word| self.lexicon.class(word)).collect()
    }

    /// The loss of sentences over all classes, and how many predictions it is the sum of.
    pub fn loss(&self, sentences: &[Vec<String>], memory: &mut Memory) -> Result<(f64, usize), NeuralError> {
        let features: Vec<_> =
            sentences.iter().map(|words| self.network.features(&Sentence::from_forms(words))).collect();
        let batch = self.network.batch(&features.iter().collect::<Vec<_>>())?;
        let classes: Vec<Vec<u32>> = sentences.iter().map(|words| self.classes(words)).collect();
        let mut pass = Pass::new(&self.network, &batch, memory);
        let loss = pass.language(&classes, &Samples::all(self.lexicon.classes()), 1.0);
        pass.finish();
        loss
    }
}
