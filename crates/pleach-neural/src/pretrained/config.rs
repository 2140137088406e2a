//! `config.json` of an encoder.

use super::PretrainedError;
use serde::Deserialize;

/// The families of encoders that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// BERT (Devlin et al. 2019) and what is made like it, MiniLM for one.
    Bert,
    /// ELECTRA's discriminator (Clark et al. 2020).
    Electra,
    /// RoBERTa (Liu et al. 2019).
    Roberta,
    /// XLM-R (Conneau et al. 2020).
    XlmRoberta,
}

impl Family {
    /// What the names of tensors begin with when the file holds more than the encoder.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Family::Bert => "bert.",
            Family::Electra => "electra.",
            Family::Roberta | Family::XlmRoberta => "roberta.",
        }
    }
}

/// The shape of an encoder, under Hugging Face's names. What is of no use here is not looked at.
#[derive(Clone, Debug, Deserialize)]
pub struct Config {
    /// The family.
    pub model_type: Family,
    /// The width of a layer.
    pub hidden_size: usize,
    /// The number of layers.
    pub num_hidden_layers: usize,
    /// The number of heads of attention.
    pub num_attention_heads: usize,
    /// The width inside of a layer.
    pub intermediate_size: usize,
    /// The number of pieces that there are.
    pub vocab_size: usize,
    /// The number of positions in the table.
    pub max_position_embeddings: usize,
    /// ε of layer normalisation.
    #[serde(default = "epsilon")]
    pub layer_norm_eps: f32,
    /// The number of segments.
    #[serde(default = "segments")]
    pub type_vocab_size: usize,
    /// The piece that fills up; RoBERTa counts positions from behind it.
    #[serde(default)]
    pub pad_token_id: usize,
    /// The width of embeddings, where it is another one (ELECTRA).
    #[serde(default)]
    pub embedding_size: Option<usize>,
    #[serde(default)]
    hidden_act: Option<String>,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

fn epsilon() -> f32 {
    1e-12
}

fn segments() -> usize {
    2
}

impl Config {
    pub(super) fn read(text: &str) -> Result<Self, PretrainedError> {
        let config: Config =
            serde_json::from_str(text).map_err(|error| PretrainedError::Config(error.to_string()))?;
        let fail = |what: String| Err(PretrainedError::Config(what));
        if config.hidden_act.as_deref().is_some_and(|name| name != "gelu") {
            return fail(format!(
                "hidden_act {:?}, only gelu is known",
                config.hidden_act.unwrap_or_default()
            ));
        }
        if config.position_embedding_type.as_deref().is_some_and(|name| name != "absolute") {
            return fail("positions that are not absolute".into());
        }
        if config.num_attention_heads == 0 || !config.hidden_size.is_multiple_of(config.num_attention_heads) {
            return fail("heads of attention must divide the width".into());
        }
        if config.max_position_embeddings < config.first_position() + 3 {
            return fail("too few positions".into());
        }
        Ok(config)
    }

    /// The position of the first piece.
    pub(super) fn first_position(&self) -> usize {
        match self.model_type {
            Family::Bert | Family::Electra => 0,
            Family::Roberta | Family::XlmRoberta => self.pad_token_id + 1,
        }
    }

    /// The most pieces that a sequence may have.
    pub(super) fn longest(&self) -> usize {
        self.max_position_embeddings - self.first_position()
    }

    /// The width of embeddings.
    pub(super) fn embedding(&self) -> usize {
        self.embedding_size.unwrap_or(self.hidden_size)
    }
}
