//! What Python gives: words, sentences and documents in the shapes that people have them in.

use crate::document::Document;
use crate::graph::Graph;
use crate::sentence::Sentence;
use crate::shared::{Cell, Shared};
use crate::word::Word;
use pleach::graph::{Graph as Arcs, Sentence as Content, Text, Token, TokenId};
use pleach::text::blocks::Block;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::sync::Arc;

/// What a type is called in messages.
pub fn kind(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".to_owned();
    }
    value.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// A word: 'Ann', ('Ann', 'PROPN'), ('Ann', 'PROPN', 'NNP'), {'form': 'Ann', …} or a Word.
fn word(value: &Bound<'_, PyAny>, number: u32) -> PyResult<Token> {
    let mut token = Token::new(number, "");
    if let Ok(form) = value.cast::<PyString>() {
        token.form = form.to_str()?.into();
    } else if let Ok(word) = value.cast::<Word>() {
        token = word.get().with(Token::clone)?;
        token.id = TokenId::word(number);
        (token.head, token.deprel) = (None, Text::default());
    } else if let Ok(parts) = value.cast::<PyTuple>() {
        let (fewest, most) = (1, 3);
        if !(fewest..=most).contains(&parts.len()) {
            return Err(PyValueError::new_err(format!(
                "a word is (form, upos) or (form, upos, xpos), not a tuple of {}",
                parts.len()
            )));
        }
        let part = |place: usize| -> PyResult<Text> {
            let part: Option<String> =
                if place < parts.len() { parts.get_item(place)?.extract()? } else { None };
            Ok(part.unwrap_or_default().into())
        };
        (token.form, token.upos, token.xpos) = (part(0)?, part(1)?, part(2)?);
    } else if let Ok(fields) = value.cast::<PyDict>() {
        for (key, value) in fields.iter() {
            let value: Option<String> = value.extract()?;
            let value = Text::from(value.unwrap_or_default());
            match key.extract::<String>()?.as_str() {
                "form" | "text" => token.form = value,
                "lemma" => token.lemma = value,
                "upos" => token.upos = value,
                "xpos" => token.xpos = value,
                "feats" => token.feats = value,
                "misc" => token.misc = value,
                other => {
                    return Err(PyValueError::new_err(format!(
                        "a word has no field '{other}'; known are form, lemma, upos, xpos, feats, misc"
                    )));
                }
            }
        }
    } else {
        return Err(PyTypeError::new_err(format!(
            "word {number}: expected a str, (form, upos), a dict or a Word, not {}",
            kind(value)
        )));
    }
    if token.form.is_empty() || token.form.contains(['\n', '\r', '\t']) {
        let message = "a word has a form, without tabs and line ends";
        return Err(PyValueError::new_err(format!("word {number}: {message}")));
    }
    Ok(token)
}

/// A sentence of words, not parsed.
pub fn sentence(words: &Bound<'_, PyAny>) -> PyResult<Content> {
    if words.is_instance_of::<PyString>() || words.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!(
            "expected a sentence as a list of words, not {}",
            kind(words)
        )));
    }
    if let Ok(sentence) = words.cast::<Sentence>() {
        return Ok(sentence.get().cell.read().clone());
    }
    let mut tokens = Vec::new();
    for (number, given) in words.try_iter()?.enumerate() {
        tokens.push(word(&given?, number as u32 + 1)?);
    }
    if tokens.is_empty() {
        return Err(PyValueError::new_err("a sentence has at least one word"));
    }
    Ok(Content { graph: Arcs::new(tokens.len()), tokens, ..Content::default() })
}

/// What is to be parsed.
#[derive(Clone)]
pub enum Given {
    /// Raw text.
    Text(Arc<str>),
    /// A part of a longer text.
    Block(Arc<Block>),
    /// Sentences of words.
    Sentences(Vec<Content>),
}

impl Given {
    /// How much it is, in bytes of text as far as that is known.
    pub fn size(&self) -> usize {
        match self {
            Given::Text(text) => text.len(),
            Given::Block(block) => block.text.len(),
            Given::Sentences(sentences) => sentences.iter().map(|sentence| 8 * sentence.len()).sum(),
        }
    }

    /// A text, a Document, a Sentence, or a list of sentences.
    pub fn new(value: &Bound<'_, PyAny>) -> PyResult<Given> {
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Given::Text(text.to_str()?.into()));
        }
        let content = |cell: &Cell| cell.read().clone();
        if let Ok(document) = value.cast::<Document>() {
            return Ok(Given::Sentences(document.get().cells().iter().map(content).collect()));
        }
        if let Ok(given) = value.cast::<Sentence>() {
            return Ok(Given::Sentences(vec![content(&given.get().cell)]));
        }
        if value.is_none() || value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyDict>() {
            return Err(wrong(value));
        }
        let Ok(items) = value.try_iter() else { return Err(wrong(value)) };
        let mut sentences = Vec::new();
        for item in items {
            let item = item?;
            if item.is_instance_of::<PyString>() {
                return Err(PyTypeError::new_err(
                    "a list of strings can be words or texts: nlp([words]) parses one sentence of words, nlp.pipe(texts) several texts",
                ));
            }
            sentences.push(sentence(&item)?);
        }
        Ok(Given::Sentences(sentences))
    }
}

fn wrong(value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!(
        "expected a text (str), a Document, a Sentence or a list of sentences, not {}",
        kind(value)
    ))
}

/// The sentences of a Document, a Sentence, a Graph, or an iterable of these, one by one.
pub fn each(value: &Bound<'_, PyAny>, see: &mut dyn FnMut(Cell) -> PyResult<()>) -> PyResult<()> {
    if let Ok(document) = value.cast::<Document>() {
        return document.get().cells().iter().cloned().try_for_each(see);
    }
    if let Ok(sentence) = value.cast::<Sentence>() {
        return see(Arc::clone(&sentence.get().cell));
    }
    if let Ok(graph) = value.cast::<Graph>() {
        return see(Arc::clone(&graph.get().cell));
    }
    if value.is_none() || value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!("expected a Document or sentences, not {}", kind(value))));
    }
    for item in value.try_iter()? {
        let item = item?;
        if let Ok(sentence) = item.cast::<Sentence>() {
            see(Arc::clone(&sentence.get().cell))?;
        } else if item.is_instance_of::<Document>() || item.is_instance_of::<Graph>() {
            each(&item, see)?;
        } else {
            see(Shared::new(sentence(&item)?))?;
        }
    }
    Ok(())
}

/// All sentences of a value.
pub fn all(value: &Bound<'_, PyAny>) -> PyResult<Vec<Cell>> {
    let mut cells = Vec::new();
    each(value, &mut |cell| {
        cells.push(cell);
        Ok(())
    })?;
    Ok(cells)
}
