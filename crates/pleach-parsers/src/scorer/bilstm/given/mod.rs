//! What the words of a sentence are given beside embeddings: the vectors of other models.
//!
//! All origins give vectors for the words in the order of the text, the root's first; here they are put side by side, and
//! turned round for parsers that read from right to left.

mod encoder;
mod keys;
mod language;
mod table;
mod tuner;

pub use keys::GivenKeys;
pub use tuner::Tuner;

use crate::scorer::BoxError;
use encoder::{Encoder, EncoderCard};
use language::{Language, LanguageCard};
use pleach_graph::Node;
use pleach_graph::words::Words;
use pleach_model::{Tensor, View};
use pleach_neural::memory::Memory;
use pleach_neural::network;
use serde::{Deserialize, Serialize};
use table::{Table, TableCard};

/// All origins of a network. The encoder's vectors come first, then a language model's, then those of a table.
#[derive(Clone, Debug, Default)]
pub struct Given {
    encoder: Option<Encoder>,
    language: Option<Language>,
    table: Option<Table>,
}

/// What a model file says of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cards {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoder: Option<EncoderCard>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lm: Option<LanguageCard>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vectors: Option<TableCard>,
}

/// The vectors of a sentence, and the rows of the table that its words have.
pub type Vectors = (Vec<f32>, Vec<Option<usize>>);

impl Given {
    /// Opens the models that a recipe names, for training.
    pub fn create(keys: &GivenKeys) -> Result<Self, BoxError> {
        let encoder = (!keys.encoder.is_empty()).then(|| Encoder::create(keys)).transpose()?;
        let language = (!keys.lm.is_empty()).then(|| Language::create(keys)).transpose()?;
        Ok(Given { encoder, language, table: None })
    }

    /// Reads the vectors that a recipe names, as far as these words need them.
    pub fn read_table(&mut self, keys: &GivenKeys, words: &[&Words]) -> Result<(), BoxError> {
        let named = !keys.vectors.is_empty();
        self.table = named.then(|| Table::create(keys, words)).transpose()?;
        Ok(())
    }

    /// Opens what a model needs.
    pub fn open(cards: &Cards, view: &View) -> Result<Self, BoxError> {
        Ok(Given {
            encoder: cards.encoder.as_ref().map(|card| Encoder::open(card, view)).transpose()?,
            language: cards.lm.as_ref().map(|card| Language::open(card, view)).transpose()?,
            table: cards.vectors.as_ref().map(|card| Table::open(card, view)).transpose()?,
        })
    }

    /// For the model file.
    pub fn cards(&self) -> Cards {
        Cards {
            encoder: self.encoder.as_ref().map(|encoder| encoder.card().clone()),
            lm: self.language.as_ref().map(|language| language.card().clone()),
            vectors: self.table.as_ref().map(|table| table.card().clone()),
        }
    }

    /// What the model file holds of them.
    pub fn tensors(&self) -> Vec<Tensor<'_>> {
        let encoder = self.encoder.iter().filter_map(Encoder::tensor);
        encoder
            .chain(self.language.iter().map(Language::tensor))
            .chain(self.table.iter().map(Table::tensor))
            .collect()
    }

    /// A number for all of it: models and checkpoints of others don't fit.
    pub fn hash(&self) -> u64 {
        let numbers = [
            self.encoder.as_ref().map_or(0, Encoder::hash),
            self.language.as_ref().map_or(0, Language::hash),
            self.table.as_ref().map_or(0, Table::hash),
        ];
        numbers.into_iter().fold(0, |hash, number| pleach_neural::random::mix(hash).wrapping_add(number))
    }

    /// What the network must know of it.
    pub fn shapes(&self) -> Vec<network::Given> {
        let encoder = self.encoder.iter().map(Encoder::shape);
        let language = self.language.iter().map(Language::shape);
        encoder.chain(language).chain(self.table.iter().map(Table::shape)).collect()
    }

    /// The encoder that learns with the network, if there is one.
    pub fn tuner(&self, keys: &GivenKeys) -> Option<Tuner> {
        self.encoder.as_ref().filter(|encoder| encoder.learns()).map(|encoder| Tuner::new(encoder, keys))
    }

    /// What an encoder said before it began to learn is of no use.
    pub fn forget(&mut self) {
        if let Some(encoder) = &mut self.encoder {
            encoder.forget();
        }
    }

    /// The same with what an encoder has learnt.
    pub fn with_tuned(&self, tuner: Option<&Tuner>) -> Result<Self, BoxError> {
        let mut given = self.clone();
        if let (Some(encoder), Some(tuner)) = (&mut given.encoder, tuner) {
            encoder.learn(tuner)?;
        }
        Ok(given)
    }

    /// Whether a word has a vector in the table.
    pub fn knows(&self, word: &str) -> bool {
        self.table.as_ref().is_some_and(|table| table.knows(word))
    }

    /// The vectors of sentences for a network; `tuned` are those of an encoder that learns.
    pub fn vectors(
        &self,
        sentences: &[&Words],
        tuned: Option<Vec<Vec<f32>>>,
        memory: &mut Memory,
    ) -> Result<Vec<Vectors>, BoxError> {
        let shapes = self.shapes();
        if shapes.is_empty() {
            return Ok(vec![Default::default(); sentences.len()]);
        }
        let forms: Vec<Vec<&str>> = sentences.iter().map(forms).collect();
        let forms: Vec<&[&str]> = forms.iter().map(|forms| &forms[..]).collect();
        let mut origins: Vec<Vec<Vec<f32>>> = Vec::new();
        if let Some(encoder) = &self.encoder {
            origins.push(tuned.map_or_else(|| encoder.vectors(&forms, memory), Ok)?);
        }
        if let Some(language) = &self.language {
            origins.push(language.vectors(&forms, memory)?);
        }
        if let Some(table) = &self.table {
            origins.push(forms.iter().map(|forms| table.vectors(forms)).collect());
        }
        let widths: Vec<usize> = shapes.iter().map(|shape| shape.numbers()).collect();
        let all = sentences.iter().zip(&forms).enumerate().map(|(number, (words, forms))| {
            let mut vectors = match &mut origins[..] {
                [only] => std::mem::take(&mut only[number]),
                several => {
                    let several: Vec<&[f32]> = several.iter().map(|origin| &origin[number][..]).collect();
                    side_by_side(&several, &widths)
                }
            };
            let mut rows = self.table.as_ref().map_or(Vec::new(), |table| table.rows(forms));
            if words.reversed() {
                turn(&mut vectors, widths.iter().sum());
                rows.get_mut(1..).unwrap_or_default().reverse();
            }
            (vectors, rows)
        });
        Ok(all.collect())
    }
}

/// The rows of several matrices, each beside the others.
fn side_by_side(matrices: &[&[f32]], widths: &[usize]) -> Vec<f32> {
    let rows = matrices[0].len() / widths[0];
    let mut out = Vec::with_capacity(rows * widths.iter().sum::<usize>());
    for row in 0..rows {
        for (matrix, width) in matrices.iter().zip(widths) {
            out.extend_from_slice(&matrix[row * width..][..*width]);
        }
    }
    out
}

/// The forms of a sentence in the order of the text.
fn forms<'w>(words: &&'w Words) -> Vec<&'w str> {
    let mut forms: Vec<&str> = (1..=words.len() as Node).map(|word| words.form(word)).collect();
    if words.reversed() {
        forms.reverse();
    }
    forms
}

/// Turns the rows of words round; the root's stays the first.
fn turn(rows: &mut [f32], width: usize) {
    let words = (rows.len() / width.max(1)).saturating_sub(1);
    let start = rows.len() - words * width;
    let rows = &mut rows[start..];
    for word in 0..words / 2 {
        let (left, right) = rows.split_at_mut((words - 1 - word) * width);
        left[word * width..][..width].swap_with_slice(&mut right[..width]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_turned_but_for_the_root() {
        let mut rows = [0, 1, 10, 11, 20, 21, 30, 31].map(|x| x as f32);
        turn(&mut rows, 2);
        assert_eq!(rows, [0, 1, 30, 31, 20, 21, 10, 11].map(|x| x as f32));
        turn(&mut rows[..2], 2);
        assert_eq!(rows[..2], [0.0, 1.0]);
    }

    #[test]
    fn matrices_stand_side_by_side() {
        let (left, right) = ([1.0, 2.0], [10.0, 11.0, 20.0, 21.0]);
        assert_eq!(side_by_side(&[&left, &right], &[1, 2]), [1.0, 10.0, 11.0, 2.0, 20.0, 21.0]);
    }
}
