//! What a network is made of. All of it is part of a model; what only training needs is in [`crate::learn`].

use crate::NeuralError;
use serde::{Deserialize, Serialize};

/// The shape of a network: how words look, the encoder, the heads.
// Unknown keys are let pass: models that were written when vectors had other keys, and had none, can still be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// What is embedded of a word; the embeddings stand one after the other.
    pub inputs: Vec<Input>,
    /// Words from their characters.
    #[serde(default)]
    pub characters: Option<Characters>,
    /// Vectors that the caller gives for each word: word vectors, the layers of an encoder or of a language model.
    #[serde(default)]
    pub given: Vec<Given>,
    /// The layers over words.
    pub encoder: Encoder,
    /// Scores of arcs.
    #[serde(default)]
    pub arcs: Option<Arcs>,
    /// Scores of the labels of arcs.
    #[serde(default)]
    pub labels: Option<Labels>,
    /// Classifiers of rows of positions, for transition systems.
    #[serde(default)]
    pub positions: Vec<Positions>,
    /// Classifiers of words.
    #[serde(default)]
    pub tags: Vec<Tags>,
    /// The words before and behind, for language models: the two directions of the encoder don't see each other then.
    #[serde(default)]
    pub language: Option<Language>,
}

/// Vectors of one origin that the caller gives for each word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The width of a vector.
    pub width: usize,
    /// How many a word has; their mix is learnt if there are several.
    pub layers: usize,
    /// The number of vectors that there are in all, for a learnt difference to be added to each; 0 for no difference.
    #[serde(default)]
    pub rows: usize,
}

impl Given {
    /// Vectors without a learnt difference.
    pub fn new(width: usize, layers: usize) -> Self {
        Given { width, layers, rows: 0 }
    }

    /// The numbers that a word has.
    pub fn numbers(self) -> usize {
        self.width * self.layers
    }
}

/// One embedding of a word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What of a word.
    pub source: Source,
    /// The width of the embedding.
    pub width: usize,
    /// Which values have a vector.
    pub table: Table,
}

/// What is looked at of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The form as it is written.
    Form,
    /// The form in lower case.
    Lower,
    /// The lemma.
    Lemma,
    /// The coarse tag.
    Upos,
    /// The fine tag.
    Xpos,
    /// The coarse and the fine tag together.
    Tags,
    /// All morphological features together.
    Morphology,
    /// Each morphological feature by itself; their vectors are added.
    Features,
    /// The first three characters.
    Prefix,
    /// The last three characters.
    Suffix,
    /// The kinds of the characters: case, digit, other.
    Shape,
}

/// Which values of an input have a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Table {
    /// Those seen in training at least so often, found by a fingerprint of 32 bits; others share one vector.
    Known {
        /// The least frequency.
        at_least: u32,
    },
    /// All: a value is the sum of `probes` of `buckets` vectors, chosen by its hash.
    Hashed {
        /// The number of vectors.
        buckets: usize,
        /// How many make up a value.
        probes: usize,
    },
}

/// A convolution over characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Characters {
    /// The number of vectors. ASCII has its own, other characters share the rest by their hash.
    pub buckets: usize,
    /// The width of a character's vector.
    pub width: usize,
    /// The number of characters on each side that a place looks at.
    pub radius: usize,
    /// The width of what stands for the word.
    pub output: usize,
}

/// Layers of bidirectional LSTMs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoder {
    /// The number of layers.
    pub layers: usize,
    /// The width of one direction.
    pub hidden: usize,
}

/// Biaffine scores of all ordered pairs of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arcs {
    /// How many scores a pair gets: one for a graph, three for merging, …
    pub channels: usize,
    /// The width of a head's and a dependent's representation.
    pub width: usize,
}

/// Scores of the labels of chosen pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labels {
    /// The width of a head's and a dependent's representation.
    pub width: usize,
    /// The number of labels.
    pub count: usize,
}

/// A perceptron with one hidden layer over the encodings of some nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    /// How many nodes are looked at.
    pub slots: usize,
    /// The width of the hidden layer.
    pub hidden: usize,
    /// The number of classes.
    pub classes: usize,
}

/// Predicts the next word from one direction of the encoder and the word before from the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// The number of classes: words, the end of a sentence, all other words.
    pub classes: usize,
}

/// A classifier of words: a perceptron with one hidden layer over the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tags {
    /// The width of the hidden layer.
    pub hidden: usize,
    /// The number of classes.
    pub classes: usize,
}

impl Settings {
    /// The width of what goes into the encoder.
    pub fn input_width(&self) -> usize {
        let embedded: usize = self.inputs.iter().map(|input| input.width).sum();
        embedded + self.characters.map_or(0, |characters| characters.output) + self.given_width()
    }

    /// The width of what the caller's vectors are mixed to.
    pub(super) fn given_width(&self) -> usize {
        self.given.iter().map(|given| given.width).sum()
    }

    /// The numbers that the caller gives for a word: all origins, one after the other.
    pub fn given_numbers(&self) -> usize {
        self.given.iter().map(|given| given.numbers()).sum()
    }

    /// The width of what goes into one direction of a layer.
    pub(super) fn layer_input(&self, layer: usize) -> usize {
        match (layer, self.language) {
            (0, _) => self.input_width(),
            (_, Some(_)) => self.encoder.hidden,
            (_, None) => self.encoding_width(),
        }
    }

    /// The width of an encoding.
    pub fn encoding_width(&self) -> usize {
        2 * self.encoder.hidden
    }

    /// Whether these settings make a network.
    pub fn check(&self) -> Result<(), NeuralError> {
        let fail = |what: &str| Err(NeuralError::Settings(what.into()));
        if self.input_width() == 0 {
            return fail("a network needs something to look at: inputs, characters or vectors");
        }
        if self.encoder.layers == 0 || self.encoder.hidden == 0 {
            return fail("an encoder needs at least one layer and one hidden unit");
        }
        if self.given.iter().any(|given| given.numbers() == 0) {
            return fail("given vectors need a width and at least one layer");
        }
        if self.given.iter().filter(|given| given.rows > 0).count() > 1 {
            return fail("only one table of given vectors can learn");
        }
        if self.inputs.iter().any(|input| input.width == 0) {
            return fail("an embedding needs a width");
        }
        let bad = |table: &Table| match *table {
            Table::Known { .. } => false,
            Table::Hashed { buckets, probes } => buckets == 0 || probes == 0,
        };
        if self.inputs.iter().any(|input| bad(&input.table)) {
            return fail("a hashed table needs buckets and probes");
        }
        if self.characters.is_some_and(|c| c.buckets <= 128 || c.width == 0 || c.output == 0) {
            return fail("characters need more than 128 buckets, a width and an output");
        }
        let empty = self.arcs.is_some_and(|arcs| arcs.channels == 0 || arcs.width == 0)
            || self.labels.is_some_and(|labels| labels.count == 0 || labels.width == 0)
            || self.positions.iter().any(|p| p.slots == 0 || p.hidden == 0 || p.classes == 0)
            || self.tags.iter().any(|t| t.hidden == 0 || t.classes == 0)
            || self.language.is_some_and(|language| language.classes < 2);
        if empty { fail("a head needs a width and something to score") } else { Ok(()) }
    }
}
