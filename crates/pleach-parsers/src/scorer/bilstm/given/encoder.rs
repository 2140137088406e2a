//! A pretrained encoder beside the network: frozen, and known by its hash, or tuned, and part of the model.

use super::keys::GivenKeys;
use super::tuner::Tuner;
use crate::scorer::BoxError;
use pleach_model::{Dtype, Tensor, View};
use pleach_neural::kept::Kept;
use pleach_neural::memory::Memory;
use pleach_neural::network;
use pleach_neural::pretrained::{Pooling, Pretrained, Vectors, find};
use pleach_neural::tensors::Precision;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether an encoder learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// Its weights stay as they are.
    Frozen,
    /// It learns too.
    Tuned,
}

/// What a model file says of an encoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncoderCard {
    /// Where it was when the model was trained.
    path: PathBuf,
    /// The hash of its weights and its tokenizer, as they were before they learnt.
    hash: String,
    #[serde(rename = "use")]
    using: Use,
    layers: Vec<usize>,
    pooling: Pooling,
}

/// An encoder, open.
#[derive(Clone, Debug)]
pub struct Encoder {
    card: EncoderCard,
    encoder: Arc<Pretrained>,
    wanted: Vectors,
    kept: Arc<Kept>,
    precision: Precision,
    /// What a model holds of a tuned one.
    bytes: Arc<Vec<u8>>,
}

const TENSOR: &str = "encoder";

impl Encoder {
    /// Opens the folder that a recipe names.
    pub fn create(keys: &GivenKeys) -> Result<Self, BoxError> {
        let folder = Path::new(&keys.encoder);
        let folder =
            std::fs::canonicalize(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let encoder = Pretrained::open(&folder)?;
        let layers = keys.layers(encoder.config().num_hidden_layers)?;
        let card = EncoderCard {
            path: folder,
            hash: format!("{:016x}", encoder.fingerprint()),
            using: keys.encoder_use,
            layers,
            pooling: keys.encoder_pooling,
        };
        let kept = Kept::new(keys.encoder_memory);
        Ok(Self::new(card, Arc::new(encoder), kept, keys.encoder_precision))
    }

    fn new(card: EncoderCard, encoder: Arc<Pretrained>, kept: Kept, precision: Precision) -> Self {
        let wanted = Vectors { layers: card.layers.clone(), pooling: card.pooling };
        Encoder { card, encoder, wanted, kept: Arc::new(kept), precision, bytes: Arc::default() }
    }

    /// Finds the encoder of a model: in it, or somewhere else.
    pub fn open(card: &EncoderCard, view: &View) -> Result<Self, BoxError> {
        let encoder = match card.using {
            Use::Frozen => {
                let hash =
                    u64::from_str_radix(&card.hash, 16).map_err(|_| "the hash of an encoder is damaged")?;
                find::find(hash, &card.path)?
            }
            Use::Tuned => {
                let bytes = view.tensor(TENSOR).ok_or("the model lacks its encoder")?;
                Arc::new(Pretrained::from_bytes(bytes.data)?)
            }
        };
        let most = encoder.config().num_hidden_layers;
        if card.layers.is_empty() || card.layers.iter().any(|&layer| layer > most) {
            return Err(format!("the model takes layers {:?} of an encoder with {most}", card.layers).into());
        }
        Ok(Self::new(card.clone(), encoder, Kept::default(), Precision::F32))
    }

    pub fn card(&self) -> &EncoderCard {
        &self.card
    }

    /// The tensor of a model that holds the encoder.
    pub fn tensor(&self) -> Option<Tensor<'_>> {
        self.learns().then(|| Tensor::of(TENSOR, Dtype::U8, vec![self.bytes.len()], &self.bytes))
    }

    pub fn hash(&self) -> u64 {
        self.encoder.fingerprint()
    }

    pub fn learns(&self) -> bool {
        self.card.using == Use::Tuned
    }

    /// The encoder as it is when training begins, and what is taken of it.
    pub fn beginning(&self) -> (&Pretrained, &Vectors) {
        (&self.encoder, &self.wanted)
    }

    pub fn shape(&self) -> network::Given {
        network::Given::new(self.encoder.config().hidden_size, self.wanted.layers.len())
    }

    /// Takes over what was learnt, as it will be written: what is measured is what is in the model.
    pub fn learn(&mut self, tuner: &Tuner) -> Result<(), BoxError> {
        let bytes = tuner.best().to_bytes(self.precision);
        self.encoder = Arc::new(Pretrained::from_bytes(&bytes)?);
        self.bytes = Arc::new(bytes);
        self.forget();
        Ok(())
    }

    /// Keeps nothing of what it said, nor of what it will say.
    pub fn forget(&mut self) {
        self.kept = Arc::default();
    }

    /// The vectors of the words of sentences, the root's first.
    pub fn vectors(&self, sentences: &[&[&str]], memory: &mut Memory) -> Result<Vec<Vec<f32>>, BoxError> {
        let compute = |missing: &[&[&str]]| self.encoder.vectors(missing, &self.wanted, memory);
        Ok(self.kept.vectors(sentences, compute)?)
    }
}
