//! Word vectors of the user's own, trimmed to what is needed and part of the model. Frozen, or with a difference that the
//! network learns for each (which is the same as letting them learn).

use super::encoder::Use;
use super::keys::GivenKeys;
use crate::scorer::BoxError;
use pleach_graph::Node;
use pleach_graph::words::Words;
use pleach_model::{Dtype, Tensor, View};
use pleach_neural::network;
use pleach_neural::pretrained::Pretrained;
use pleach_neural::random::mix;
use pleach_neural::vectors::WordVectors;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

/// What a model file says of its word vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableCard {
    /// The file that they came from.
    file: String,
    #[serde(rename = "use")]
    using: Use,
    /// How many there are, and how wide.
    words: usize,
    width: usize,
}

/// Word vectors, open.
#[derive(Clone, Debug)]
pub struct Table {
    card: TableCard,
    vectors: Arc<WordVectors>,
    bytes: Arc<Vec<u8>>,
}

const TENSOR: &str = "vectors";

/// The standard deviation of their elements, as embeddings that are learnt begin.
const DEVIATION: f32 = 0.3;

impl Table {
    /// Reads the file or folder that a recipe names.
    pub fn create(keys: &GivenKeys, sentences: &[&Words]) -> Result<Self, BoxError> {
        let path = Path::new(&keys.vectors);
        let mut vectors = match path.is_dir() {
            true => Pretrained::open(path)?.word_vectors(keys.vectors_width)?,
            false => read(path, keys.vectors_most, sentences)?,
        };
        vectors.scale_to(DEVIATION);
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let card =
            TableCard { file: name, using: keys.vectors_use, words: vectors.len(), width: vectors.width() };
        let bytes = Arc::new(vectors.to_bytes());
        // What is trained with is what is written.
        let vectors = Arc::new(WordVectors::from_bytes(&bytes)?);
        Ok(Table { card, vectors, bytes })
    }

    pub fn open(card: &TableCard, view: &View) -> Result<Self, BoxError> {
        let bytes = view.tensor(TENSOR).ok_or("the model lacks its word vectors")?;
        let vectors = Arc::new(WordVectors::from_bytes(bytes.data)?);
        if (vectors.len(), vectors.width()) != (card.words, card.width) {
            return Err("the model has other word vectors than it says".into());
        }
        Ok(Table { card: card.clone(), vectors, bytes: Arc::default() })
    }

    pub fn card(&self) -> &TableCard {
        &self.card
    }

    pub fn tensor(&self) -> Tensor<'_> {
        Tensor::of(TENSOR, Dtype::U8, vec![self.bytes.len()], &self.bytes)
    }

    pub fn hash(&self) -> u64 {
        self.bytes.iter().fold(0, |hash, &byte| mix(hash).wrapping_add(u64::from(byte)))
    }

    pub fn shape(&self) -> network::Given {
        let rows = if self.card.using == Use::Tuned { self.card.words } else { 0 };
        network::Given { rows, ..network::Given::new(self.card.width, 1) }
    }

    pub fn knows(&self, word: &str) -> bool {
        self.vectors.row(word).is_some()
    }

    pub fn vectors(&self, forms: &[&str]) -> Vec<f32> {
        self.vectors.of_words(forms)
    }

    /// The rows of the words of a sentence, the root's first.
    pub fn rows(&self, forms: &[&str]) -> Vec<Option<usize>> {
        std::iter::once(None).chain(forms.iter().map(|form| self.vectors.row(form))).collect()
    }
}

/// The vectors of a file: those of the words of the training sentences and the first ones.
fn read(path: &Path, most: usize, sentences: &[&Words]) -> Result<WordVectors, BoxError> {
    let mut needed: HashSet<String> = HashSet::new();
    for words in sentences {
        for word in 1..=words.len() as Node {
            let form = words.form(word);
            if !needed.contains(form) {
                needed.insert(form.to_owned());
                needed.insert(form.to_lowercase());
            }
        }
    }
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| failed(&error))?;
    let wanted = |number: usize, word: &str| number < most || needed.contains(word);
    let vectors =
        WordVectors::read(BufReader::with_capacity(1 << 20, file), wanted).map_err(|error| failed(&error))?;
    if vectors.is_empty() {
        return Err(failed(&"none of the words of the training sentences is in it").into());
    }
    Ok(vectors)
}
