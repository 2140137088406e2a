//! A language model of our own beside the network, part of the parser's model.

use super::keys::GivenKeys;
use crate::language;
use crate::scorer::BoxError;
use pleach_model::{Dtype, Tensor, View};
use pleach_neural::kept::Kept;
use pleach_neural::lm::LanguageModel;
use pleach_neural::memory::Memory;
use pleach_neural::network;
use pleach_neural::random::mix;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// What a model file says of a language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanguageCard {
    /// The file that it came from.
    file: String,
    /// Its hash.
    hash: String,
}

/// A language model, open.
#[derive(Clone, Debug)]
pub struct Language {
    card: LanguageCard,
    model: Arc<LanguageModel>,
    kept: Arc<Kept>,
    bytes: Arc<Vec<u8>>,
}

const TENSOR: &str = "lm";

impl Language {
    /// Opens the file that a recipe names.
    pub fn create(keys: &GivenKeys) -> Result<Self, BoxError> {
        let path = Path::new(&keys.lm);
        let bytes = language::open(path)?.without_words().to_bytes(keys.lm_precision);
        let hash = bytes.iter().fold(0, |hash, &byte| mix(hash).wrapping_add(u64::from(byte)));
        let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let card = LanguageCard { file, hash: format!("{hash:016x}") };
        // What is trained with is what is written.
        let model = Arc::new(LanguageModel::from_bytes(&bytes)?);
        let kept = Arc::new(Kept::new(keys.encoder_memory));
        Ok(Language { card, model, kept, bytes: Arc::new(bytes) })
    }

    pub fn open(card: &LanguageCard, view: &View) -> Result<Self, BoxError> {
        let bytes = view.tensor(TENSOR).ok_or("the model lacks its language model")?;
        let model = Arc::new(LanguageModel::from_bytes(bytes.data)?);
        Ok(Language { card: card.clone(), model, kept: Arc::default(), bytes: Arc::default() })
    }

    pub fn card(&self) -> &LanguageCard {
        &self.card
    }

    pub fn tensor(&self) -> Tensor<'_> {
        Tensor::of(TENSOR, Dtype::U8, vec![self.bytes.len()], &self.bytes)
    }

    pub fn hash(&self) -> u64 {
        u64::from_str_radix(&self.card.hash, 16).unwrap_or(0)
    }

    pub fn shape(&self) -> network::Given {
        self.model.shape()
    }

    pub fn vectors(&self, sentences: &[&[&str]], memory: &mut Memory) -> Result<Vec<Vec<f32>>, BoxError> {
        Ok(self.kept.vectors(sentences, |missing| self.model.vectors(missing, memory))?)
    }
}
