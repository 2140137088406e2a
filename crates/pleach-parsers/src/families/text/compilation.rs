//! Structure compilation (Liang, Daumé and Klein 2008; "SC" in `sun-2019` section 6.4 and Table 9): what a slower and better
//! model says of more text teaches a fast one.
//!
//! The sentences of a file are annotated by the teacher, whatever the file says of them, and are learnt from behind the
//! treebank's own. O(text) for the teacher, and as many more sentences to learn from.

use super::recipe::StageRecipe;
use crate::engine::Tags;
use crate::parser::{ParseOptions, Parser};
use crate::train::{Catalogue, Corpus, TrainError};
use pleach_formats::Reader;
use pleach_graph::words::hash;
use pleach_graph::{Graph, Sentence, Text};
use pleach_model::Model;
use std::path::Path;

/// Why there is nothing to learn from a teacher.
#[derive(Debug, thiserror::Error)]
pub(super) enum TeachError {
    /// It has nothing to teach.
    #[error("{0}: a teacher writes tags, features or lemmas; this model gives none")]
    NoWords(String),
}

impl StageRecipe {
    /// Says what makes no sense.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.teacher.is_empty() == self.more.is_empty() {
            true => Ok(()),
            false => Err("'teacher' (a model) and 'more' (sentences for it) go together".into()),
        }
    }

    /// What of the two files decides what is learnt.
    pub(super) fn sources(&self) -> Result<String, TrainError> {
        if self.teacher.is_empty() {
            return Ok(String::new());
        }
        [&self.teacher, &self.more].into_iter().map(|file| file_sum(file)).collect()
    }

    /// What there is to learn from: the treebank, and what the teacher says of more text if there is one.
    pub(super) fn taught(&self, mut corpus: Corpus, catalogue: Catalogue) -> Result<Corpus, TrainError> {
        if self.teacher.is_empty() {
            return Ok(corpus);
        }
        let model = Model::open(Path::new(&self.teacher))?;
        let mut teacher = Parser::of(&self.teacher, model, catalogue).map_err(TrainError::family)?;
        if !teacher.gives_words() {
            return Err(TrainError::family(TeachError::NoWords(self.teacher.clone())));
        }
        teacher.options = ParseOptions { tags: Tags::Predicted, ..ParseOptions::default() };
        let reader = Reader::open(Path::new(&self.more), None).map_err(TrainError::family)?;
        let mut more: Vec<Sentence> = reader.collect::<Result<_, _>>().map_err(TrainError::family)?;
        more.iter_mut().for_each(bare);
        teacher.parse_all(&mut more);
        // Only words are learnt from.
        for sentence in &mut more {
            pleach_graph::enhanced::drop_empty_nodes(sentence);
            sentence.graph = Graph::new(sentence.len());
        }
        corpus.train.extend(more);
        Ok(corpus)
    }
}

/// What tells the content of a file from that of others.
pub(in crate::families) fn file_sum(file: &str) -> Result<String, TrainError> {
    let bytes = std::fs::read(file).map_err(|source| TrainError::Io { file: file.to_owned(), source })?;
    let words = bytes.chunks(4).map(|chunk| chunk.iter().fold(0, |word, &byte| word << 8 | u32::from(byte)));
    let sum = hash::finish(words.fold(hash::seed(bytes.len() as u32), hash::mix));
    Ok(format!("{sum:016x} "))
}

/// Takes away all that the teacher is asked for.
fn bare(sentence: &mut Sentence) {
    pleach_graph::enhanced::drop_empty_nodes(sentence);
    sentence.graph = Graph::new(sentence.len());
    for token in &mut sentence.tokens {
        (token.upos, token.xpos, token.lemma) = (Text::default(), Text::default(), Text::default());
        token.feats = Text::default();
        (token.head, token.deprel) = (None, Text::default());
    }
}
