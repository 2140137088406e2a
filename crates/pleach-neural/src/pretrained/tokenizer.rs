//! The tokenizer of an encoder. Programs that are built without the feature `pretrained` have none, and say so when a folder
//! or a model brings one.

use super::PretrainedError;

/// The pieces of some words: their numbers, special ones among them, and the word of each, `None` for special ones.
pub(super) type Cut = (Vec<u32>, Vec<Option<u32>>);

#[cfg(feature = "pretrained")]
pub(super) use built::Tokenizer;

#[cfg(not(feature = "pretrained"))]
pub(super) use missing::Tokenizer;

#[cfg(feature = "pretrained")]
mod built {
    use super::{Cut, PretrainedError};
    use tokenizers::{EncodeInput, InputSequence};

    /// A tokenizer as Hugging Face has it.
    #[derive(Debug)]
    pub struct Tokenizer(tokenizers::Tokenizer);

    #[allow(clippy::needless_pass_by_value, reason = "as the errors of a result come")]
    fn fail(error: tokenizers::Error) -> PretrainedError {
        PretrainedError::Tokenizer(error.to_string())
    }

    impl Tokenizer {
        /// Whether this program can have one.
        pub fn there() -> Result<(), PretrainedError> {
            Ok(())
        }

        pub fn read(bytes: &[u8]) -> Result<Self, PretrainedError> {
            let mut tokenizer = tokenizers::Tokenizer::from_bytes(bytes).map_err(fail)?;
            // Folders of sentence encoders cut and fill up sequences, which would lose words here.
            tokenizer.with_padding(None);
            tokenizer.with_truncation(None).map_err(fail)?;
            Ok(Tokenizer(tokenizer))
        }

        /// Every piece with its number, in no order; special ones if they are asked for.
        pub fn vocabulary(&self, special: bool) -> impl Iterator<Item = (String, u32)> + use<> {
            self.0.get_vocab(special).into_iter()
        }

        pub fn cut(&self, words: &[&str]) -> Result<Cut, PretrainedError> {
            let input = EncodeInput::Single(InputSequence::PreTokenized(words.into()));
            let encoding = self.0.encode(input, true).map_err(fail)?;
            Ok((encoding.get_ids().to_vec(), encoding.get_word_ids().to_vec()))
        }
    }
}

#[cfg(not(feature = "pretrained"))]
mod missing {
    use super::{Cut, PretrainedError};

    /// There is none.
    #[derive(Debug)]
    pub enum Tokenizer {}

    impl Tokenizer {
        pub fn there() -> Result<(), PretrainedError> {
            Err(PretrainedError::NotBuilt)
        }

        pub fn read(_: &[u8]) -> Result<Self, PretrainedError> {
            Err(PretrainedError::NotBuilt)
        }

        pub fn vocabulary(&self, _: bool) -> std::iter::Empty<(String, u32)> {
            match *self {}
        }

        pub fn cut(&self, _: &[&str]) -> Result<Cut, PretrainedError> {
            match *self {}
        }
    }
}
