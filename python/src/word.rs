//! A word of a sentence, or an empty node.

use crate::border::Reduced;
use crate::graph::Graph;
use crate::sentence::Sentence;
use crate::shared::Cell;
use pleach::graph::{NodeId, Text, Token};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A word or an empty node of a sentence: a view, which sees and makes changes.
///
/// Two words are equal when they are the same place of the same sentence object.
///
/// >>> import pleach
/// >>> sentence = pleach.Sentence(["Ann", "sleeps"])
/// >>> sentence[0].upos = "PROPN"
/// >>> sentence[0]
/// Word(id='1', form='Ann', upos='PROPN')
#[pyclass(frozen, module = "pleach")]
#[derive(Clone)]
pub struct Word {
    pub cell: Cell,
    pub node: NodeId,
}

/// The head or dependent of an arc, and its label.
pub type Neighbour = (Option<Word>, String);

impl Word {
    pub fn new(cell: &Cell, node: NodeId) -> Self {
        Word { cell: Arc::clone(cell), node }
    }

    /// A node as Python knows it: none for the root.
    pub fn or_none(cell: &Cell, node: NodeId) -> Option<Self> {
        (!node.is_root()).then(|| Word::new(cell, node))
    }

    pub fn with<T>(&self, see: impl FnOnce(&Token) -> T) -> PyResult<T> {
        self.cell.read().token(self.node).map(see).ok_or_else(gone)
    }

    fn text(&self, field: impl FnOnce(&Token) -> &Text) -> PyResult<Option<String>> {
        self.with(|token| Some(field(token)).filter(|text| !text.is_empty()).map(Text::to_string))
    }

    fn change(&self, change: impl FnOnce(&mut Token)) -> PyResult<()> {
        let mut sentence = self.cell.write();
        let token = sentence.tokens.get_mut(self.node.index() - 1).ok_or_else(gone)?;
        change(token);
        Ok(())
    }
}

#[cold]
fn gone() -> PyErr {
    PyIndexError::new_err("the sentence has become shorter: this word is no longer there")
}

fn given(text: Option<String>) -> Text {
    text.unwrap_or_default().into()
}

#[pymethods]
impl Word {
    /// The number in the file: '8', or '8.1' for an empty node.
    #[getter]
    fn id(&self) -> PyResult<String> {
        self.with(|token| token.id.to_string())
    }

    /// The node's number in the graph, from 1; 0 is the root. Empty nodes are counted too.
    #[getter]
    pub fn index(&self) -> u32 {
        self.node.0
    }

    /// Whether it is an empty node, which the text has no word for.
    #[getter]
    fn is_empty(&self) -> PyResult<bool> {
        self.with(|token| token.id.is_empty_node())
    }

    #[getter]
    fn form(&self) -> PyResult<String> {
        self.with(|token| token.form.to_string())
    }

    #[setter]
    fn set_form(&self, form: String) -> PyResult<()> {
        if form.is_empty() {
            return Err(PyValueError::new_err("a word has a form"));
        }
        self.change(|token| token.form = form.into())
    }

    #[getter]
    fn lemma(&self) -> PyResult<Option<String>> {
        self.text(|token| &token.lemma)
    }

    #[setter]
    fn set_lemma(&self, text: Option<String>) -> PyResult<()> {
        self.change(|token| token.lemma = given(text))
    }

    #[getter]
    fn upos(&self) -> PyResult<Option<String>> {
        self.text(|token| &token.upos)
    }

    #[setter]
    fn set_upos(&self, text: Option<String>) -> PyResult<()> {
        self.change(|token| token.upos = given(text))
    }

    #[getter]
    fn xpos(&self) -> PyResult<Option<String>> {
        self.text(|token| &token.xpos)
    }

    #[setter]
    fn set_xpos(&self, text: Option<String>) -> PyResult<()> {
        self.change(|token| token.xpos = given(text))
    }

    /// Morphological features as in CoNLL-U: 'Number=Sing|Tense=Pres'.
    #[getter]
    fn feats(&self) -> PyResult<Option<String>> {
        self.text(|token| &token.feats)
    }

    #[setter]
    fn set_feats(&self, text: Option<String>) -> PyResult<()> {
        self.change(|token| token.feats = given(text))
    }

    /// What else is noted, as in CoNLL-U: 'SpaceAfter=No'.
    #[getter]
    fn misc(&self) -> PyResult<Option<String>> {
        self.text(|token| &token.misc)
    }

    #[setter]
    fn set_misc(&self, text: Option<String>) -> PyResult<()> {
        self.change(|token| token.misc = given(text))
    }

    /// The frame, sense or supertag.
    #[getter]
    fn frame(&self) -> PyResult<Option<String>> {
        self.text(|token| &token.frame)
    }

    #[setter]
    fn set_frame(&self, text: Option<String>) -> PyResult<()> {
        self.change(|token| token.frame = given(text))
    }

    /// The head in the basic tree: a Word, or None for the root and where no tree is given.
    #[getter]
    fn head(&self) -> PyResult<Option<Word>> {
        let head = self.with(|token| token.head)?;
        Ok(head.and_then(|head| Word::or_none(&self.cell, head)))
    }

    /// The relation to the head in the basic tree.
    #[getter]
    fn deprel(&self) -> PyResult<Option<String>> {
        self.text(|token| &token.deprel)
    }

    /// Where the word begins in the document's text (or the sentence's, when there is no document), in characters.
    #[getter]
    fn start(&self) -> PyResult<Option<usize>> {
        self.with(|token| self.cell.place(token).map(|place| place.0))
    }

    /// Where the word ends.
    #[getter]
    fn end(&self) -> PyResult<Option<usize>> {
        self.with(|token| self.cell.place(token).map(|place| place.1))
    }

    /// The heads in the deep graph, with the labels: a list of (Word, label), with None for the root.
    #[getter]
    fn heads(&self) -> Vec<Neighbour> {
        Graph::incoming(&self.cell, self.node)
    }

    /// The dependents in the deep graph, with the labels.
    #[getter]
    fn dependents(&self) -> Vec<Neighbour> {
        Graph::outgoing(&self.cell, self.node)
    }

    /// The sentence that the word is in.
    #[getter]
    fn sentence(&self) -> Sentence {
        Sentence { cell: Arc::clone(&self.cell) }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (id, form, upos) =
            self.with(|token| (token.id.to_string(), token.form.clone(), token.upos.clone()))?;
        let quoted =
            |text: &str| -> PyResult<String> { Ok(pyo3::types::PyString::new(py, text).repr()?.to_string()) };
        let upos = if upos.is_empty() { String::new() } else { format!(", upos={}", quoted(&upos)?) };
        Ok(format!("Word(id={}, form={}{upos})", quoted(&id)?, quoted(&form)?))
    }

    fn __str__(&self) -> PyResult<String> {
        self.form()
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Word>() else { return Ok(py.NotImplemented()) };
        let other = other.get();
        let same = Arc::ptr_eq(&self.cell, &other.cell) && self.node == other.node;
        match op {
            CompareOp::Eq => Ok(same.into_pyobject(py)?.to_owned().into_any().unbind()),
            CompareOp::Ne => Ok((!same).into_pyobject(py)?.to_owned().into_any().unbind()),
            _ => Ok(py.NotImplemented()),
        }
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (Arc::as_ptr(&self.cell) as usize, self.node.0).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Sentence, u32)> {
        Ok((py.import("pleach.graph")?.getattr("_word")?, (self.sentence(), self.node.0)))
    }
}
