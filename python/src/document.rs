//! A document: some sentences, and the text that they are from.

use crate::border::{Failure, Reduced, guarded, read_error};
use crate::sentence::{Packed, Sentence, chosen, index, packed, written_text};
use crate::shared::{Cell, Shared};
use pleach::formats::{Format, Reader};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString};
use std::path::PathBuf;
use std::sync::Arc;

/// Sentences, and the text that they are from if there is one.
///
/// >>> import pleach
/// >>> doc = pleach.load()("It rains. We stay.")
/// >>> len(doc), doc[1][0].form, doc.text[doc[1].start:doc[1].end]
/// (2, 'We', 'We stay.')
#[pyclass(frozen, module = "pleach", sequence)]
#[derive(Clone, Default)]
pub struct Document {
    cells: Vec<Cell>,
    text: Option<Arc<str>>,
}

impl Document {
    pub fn of(cells: Vec<Cell>, text: Option<Arc<str>>) -> Self {
        Document { cells, text }
    }

    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The sentences in some bytes.
    pub fn read(bytes: &[u8], format: Format) -> PyResult<Document> {
        guarded(|| {
            let reader = Reader::from_bytes("<string>", bytes, Some(format)).map_err(read_error)?;
            let cells = reader.map(|sentence| sentence.map(Shared::new).map_err(read_error));
            Ok(Document { cells: cells.collect::<PyResult<_>>()?, text: None })
        })
    }
}

#[pymethods]
impl Document {
    #[new]
    #[pyo3(signature = (sentences=None, text=None))]
    fn new(sentences: Option<&Bound<'_, PyAny>>, text: Option<String>) -> PyResult<Self> {
        let cells = sentences.map_or(Ok(Vec::new()), crate::given::all)?;
        Ok(Document { cells, text: text.map(Arc::from) })
    }

    /// Reads sentences in CoNLL-U.
    #[staticmethod]
    fn from_conllu(text: &str) -> PyResult<Document> {
        Document::read(text.as_bytes(), Format::Conllu)
    }

    /// Reads sentences in any format that is text.
    #[staticmethod]
    fn from_string(text: &str, format: &str) -> PyResult<Document> {
        Document::read(text.as_bytes(), crate::sentence::format(format)?)
    }

    /// The text that was parsed, if it was one.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The sentences.
    #[getter]
    fn sentences(&self) -> Vec<Sentence> {
        self.cells.iter().map(|cell| Sentence { cell: Arc::clone(cell) }).collect()
    }

    /// How many words there are, empty nodes not counted.
    #[getter]
    fn num_words(&self) -> usize {
        let words = |cell: &Cell| cell.read().tokens.iter().filter(|token| !token.id.is_empty_node()).count();
        self.cells.iter().map(words).sum()
    }

    /// The sentences in CoNLL-U.
    fn to_conllu(&self) -> PyResult<String> {
        written_text(&self.cells, "conllu")
    }

    /// The sentences in any format that is text.
    fn to_string(&self, format: &str) -> PyResult<String> {
        written_text(&self.cells, format)
    }

    /// What the JSON line has, as a dictionary.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pleach.graph")?.call_method1("to_dict", (slf,))
    }

    /// The arcs as NumPy arrays: sentence, head, dependent, label id, and the labels.
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pleach.graph")?.call_method1("to_numpy", (slf,))
    }

    /// A table of the words, or of the arcs with what="arcs".
    #[pyo3(signature = (what="words"))]
    fn to_pandas<'py>(slf: &Bound<'py, Self>, what: &str) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pleach.graph")?.getattr("to_pandas")?.call1((slf, what))
    }

    /// A table of Arrow with a row for each sentence.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pleach.columns")?.call_method1("to_arrow", (slf,))
    }

    /// Draws all sentences into a file: .html, .svg or .txt.
    fn render(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        guarded(|| py.detach(|| crate::draw::render(&self.cells, &path)))
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        const MOST: usize = 20;
        if self.cells.len() > MOST {
            let failure = Failure::new(
                "Error",
                format!("a document of {} sentences is too large for a picture", self.cells.len()),
            );
            return Err(failure.help("draw a slice, as in doc[:10], or doc.render(\"x.html\")").into());
        }
        guarded(|| Ok(crate::draw::svg(&self.cells)))
    }

    /// A copy that shares nothing.
    fn copy(&self) -> Document {
        Document { cells: self.cells.iter().map(|cell| cell.copy()).collect(), text: self.text.clone() }
    }

    fn __copy__(&self) -> Document {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Document {
        self.copy()
    }

    fn __len__(&self) -> usize {
        self.cells.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, place: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = place.cast::<PySlice>() {
            let cells = chosen(slice, self.cells.len())?.map(|place| Arc::clone(&self.cells[place]));
            let part = Document { cells: cells.collect(), text: self.text.clone() };
            return Ok(part.into_pyobject(py)?.into_any());
        }
        let place = index(place, self.cells.len(), "sentence")?;
        Ok(Sentence { cell: Arc::clone(&self.cells[place]) }.into_pyobject(py)?.into_any())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        PyList::new(py, self.sentences())?.into_any().call_method0("__iter__")
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Document>() else { return false };
        let other = other.get();
        let same = |(one, other): (&Cell, &Cell)| Arc::ptr_eq(one, other) || *one.read() == *other.read();
        self.cells.len() == other.cells.len() && self.cells.iter().zip(&other.cells).all(same)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.text.as_deref().unwrap_or_default();
        let short: String = text.chars().take(60).collect();
        let short = if short.len() < text.len() { format!("{short}…") } else { short };
        let text =
            if short.is_empty() { String::new() } else { format!(" {}", PyString::new(py, &short).repr()?) };
        Ok(format!("<Document{text}: {} sentences>", self.cells.len()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Packed<'py>, Option<&str>)> {
        let load = py.import("pleach.graph")?.getattr("_document")?;
        Ok((load, (packed(py, &self.cells)?, self.text.as_deref())))
    }
}
