//! A sentence.

use crate::border::{Reduced, guarded, read_error, write_error};
use crate::document::Document;
use crate::graph::Graph;
use crate::shared::{Cell, Shared};
use crate::word::Word;
use pleach::formats::{Format, Reader, Writer};
use pleach::graph::{NodeId, Sentence as Content, TokenId};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PySlice, PyString};
use std::sync::Arc;

/// A sentence: words, a basic tree and a deep graph. A view, which sees and makes changes.
///
/// >>> import pleach
/// >>> sentence = pleach.Sentence([("Ann", "PROPN"), ("sleeps", "VERB")])
/// >>> len(sentence), sentence[1].upos, sentence[-1].form
/// (2, 'VERB', 'sleeps')
#[pyclass(frozen, module = "pleach", sequence)]
pub struct Sentence {
    pub cell: Cell,
}

impl Sentence {
    pub fn of(content: Content) -> Self {
        Sentence { cell: Shared::new(content) }
    }

    /// The nodes that are words.
    fn word_nodes(&self) -> Vec<NodeId> {
        let sentence = self.cell.read();
        let words = sentence.tokens.iter().zip(1..).filter(|(token, _)| !token.id.is_empty_node());
        words.map(|(_, node)| NodeId(node)).collect()
    }
}

/// The bytes of sentences in a format.
pub fn written<'a>(cells: impl IntoIterator<Item = &'a Cell>, format: Format) -> PyResult<Vec<u8>> {
    let mut writer = Writer::to_vec(format);
    for cell in cells {
        writer.write(&cell.read()).map_err(write_error)?;
    }
    Ok(writer.into_vec().map_err(write_error)?.0)
}

pub fn written_text<'a>(cells: impl IntoIterator<Item = &'a Cell>, format: &str) -> PyResult<String> {
    let format = self::format(format)?;
    let bytes = written(cells, format)?;
    String::from_utf8(bytes).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The format of a name.
pub fn format(name: &str) -> PyResult<Format> {
    name.parse().map_err(|error: pleach::formats::UnknownFormat| PyValueError::new_err(error.to_string()))
}

/// What pickle keeps: JSON lines, what they have no place for, bracketed trees, places in the document.
pub type Packed<'py> = (Bound<'py, PyBytes>, Vec<Option<String>>, Vec<Option<Vec<u8>>>, Vec<Place>);

/// Where a sentence begins, and its words where that does not follow.
pub type Place = (Option<usize>, Option<Vec<(u32, u32)>>);

/// Everything of some sentences in bytes.
pub fn packed<'py>(py: Python<'py>, cells: &[Cell]) -> PyResult<Packed<'py>> {
    let (mut notes, mut trees) = (Vec::new(), Vec::new());
    for cell in cells {
        let sentence = cell.read();
        let noted = !sentence.extra.is_empty();
        notes.push(noted.then(|| serde_json::Value::Object(sentence.extra.clone()).to_string()));
        trees.push(match sentence.phrase {
            Some(_) => Some(written([cell], Format::Brackets)?),
            None => None,
        });
    }
    let places = cells.iter().map(|cell| cell.places()).collect();
    Ok((PyBytes::new(py, &written(cells, Format::Jsonl)?), notes, trees, places))
}

/// The inverse, for pickle.
#[pyfunction]
#[pyo3(name = "_sentences_from_bytes")]
pub fn sentences_from_bytes(
    lines: &[u8],
    notes: Vec<Option<String>>,
    trees: Vec<Option<Vec<u8>>>,
    places: Vec<Place>,
) -> PyResult<Vec<Sentence>> {
    guarded(|| {
        let read = |bytes: &[u8], format: Format| Reader::from_bytes("<pickle>", bytes, Some(format));
        let mut sentences = Vec::new();
        if lines.is_empty() {
            return Ok(sentences);
        }
        for (number, sentence) in read(lines, Format::Jsonl).map_err(read_error)?.enumerate() {
            let mut sentence = sentence.map_err(read_error)?;
            if let Some(Some(notes)) = notes.get(number) {
                sentence.extra = serde_json::from_str(notes)
                    .map_err(|error: serde_json::Error| PyValueError::new_err(error.to_string()))?;
            }
            if let Some(Some(tree)) = trees.get(number) {
                let tree = read(tree, Format::Brackets).map_err(read_error)?.next().transpose();
                sentence.phrase = tree.map_err(read_error)?.and_then(|tree| tree.phrase);
            }
            let place = places.get(number).cloned().unwrap_or_default();
            sentences.push(Sentence { cell: Shared::at(sentence, place) });
        }
        Ok(sentences)
    })
}

#[pymethods]
impl Sentence {
    #[new]
    fn new(words: &Bound<'_, PyAny>) -> PyResult<Self> {
        crate::given::sentence(words).map(Sentence::of)
    }

    /// Reads one sentence in CoNLL-U.
    #[staticmethod]
    fn from_conllu(text: &str) -> PyResult<Sentence> {
        let document = Document::read(text.as_bytes(), Format::Conllu)?;
        match document.cells() {
            [cell] => Ok(Sentence { cell: Arc::clone(cell) }),
            cells => Err(PyValueError::new_err(format!("expected one sentence, found {}", cells.len()))),
        }
    }

    /// The words, without empty nodes.
    #[getter]
    fn words(&self) -> Vec<Word> {
        self.word_nodes().into_iter().map(|node| Word::new(&self.cell, node)).collect()
    }

    /// The words and empty nodes; node i of the graph is nodes[i - 1].
    #[getter]
    fn nodes(&self) -> Vec<Word> {
        let count = self.cell.read().len() as u32;
        (1..=count).map(|node| Word::new(&self.cell, NodeId(node))).collect()
    }

    /// The word of a node's number, or of an id such as '8.1'.
    fn node(&self, id: &Bound<'_, PyAny>) -> PyResult<Word> {
        let sentence = self.cell.read();
        let found = match id.cast::<PyString>() {
            Ok(id) => {
                let id = id.to_str()?;
                let (word, empty) = id.split_once('.').unwrap_or((id, "0"));
                let id = word.parse().ok().zip(empty.parse().ok());
                id.and_then(|(word, empty)| sentence.node(TokenId { word, empty }))
            }
            Err(_) if id.is_instance_of::<PyInt>() => id.extract().map(NodeId).ok(),
            Err(_) => return Err(PyTypeError::new_err("a node is named by a number or an id such as '8.1'")),
        };
        match found {
            Some(node) if sentence.token(node).is_some() => Ok(Word::new(&self.cell, node)),
            _ => Err(PyIndexError::new_err(format!("no node {id}: the sentence has {}", sentence.len()))),
        }
    }

    /// The deep graph. What is assigned is copied.
    #[getter]
    fn graph(&self) -> Graph {
        Graph::of(&self.cell)
    }

    #[setter]
    fn set_graph(&self, graph: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(graph) = graph.cast::<Graph>() else {
            return Err(PyTypeError::new_err("expected a Graph"));
        };
        let new = graph.get().cell.read().graph.clone();
        let mut sentence = self.cell.write();
        if new.len() != sentence.len() {
            let failure = crate::border::Failure::new(
                "GraphError",
                format!("the graph has {} nodes, the sentence has {}", new.len(), sentence.len()),
            );
            return Err(failure.help("build it over the same words, empty nodes included").into());
        }
        sentence.graph = new;
        Ok(())
    }

    /// The sentence's text, if it is known.
    #[getter]
    fn text(&self) -> Option<String> {
        self.cell.read().text().map(str::to_owned)
    }

    #[setter]
    fn set_text(&self, text: &str) {
        self.cell.write().set_comment("text", &one_line(text));
    }

    /// The sentence's name in its file (sent_id).
    #[getter]
    fn id(&self) -> Option<String> {
        self.cell.read().sent_id().map(str::to_owned)
    }

    #[setter]
    fn set_id(&self, id: &str) {
        self.cell.write().set_comment("sent_id", &one_line(id));
    }

    /// The comment lines as CoNLL-U has them.
    #[getter]
    fn comments(&self) -> Vec<String> {
        self.cell.read().comments.clone()
    }

    /// Where the sentence begins in the document's text, in characters; None when there is no such text.
    #[getter]
    fn start(&self) -> Option<usize> {
        self.cell.start()
    }

    /// Where its last word ends in the document's text.
    #[getter]
    fn end(&self) -> Option<usize> {
        self.cell.start()?;
        let sentence = self.cell.read();
        let last = sentence.tokens.iter().rev().find(|token| !token.id.is_empty_node())?;
        self.cell.place(last).map(|place| place.1)
    }

    /// The sentence in CoNLL-U.
    fn to_conllu(&self) -> PyResult<String> {
        written_text([&self.cell], "conllu")
    }

    /// The sentence in any format that is text.
    fn to_string(&self, format: &str) -> PyResult<String> {
        written_text([&self.cell], format)
    }

    /// What the JSON line has, as a dictionary.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pleach.graph")?.call_method1("to_dict", (slf,))
    }

    /// The arcs as NumPy arrays: sentence, head, dependent, label id, and the labels.
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pleach.graph")?.call_method1("to_numpy", (slf,))
    }

    /// The graph for NetworkX, a MultiDiGraph.
    fn to_networkx<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pleach.graph")?.call_method1("to_networkx", (slf,))
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

    /// Draws the sentence into a file: .svg, .html or .txt.
    fn render(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        guarded(|| py.detach(|| crate::draw::render(std::slice::from_ref(&self.cell), &path)))
    }

    /// A copy that shares nothing.
    fn copy(&self) -> Sentence {
        Sentence { cell: self.cell.copy() }
    }

    /// The picture for a terminal.
    #[pyo3(signature = (width=100, colour=false))]
    fn draw(&self, width: u16, colour: bool) -> PyResult<String> {
        guarded(|| Ok(crate::draw::terminal(&self.cell.read(), width, colour)))
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        guarded(|| Ok(crate::draw::svg(std::slice::from_ref(&self.cell))))
    }

    fn __copy__(&self) -> Sentence {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Sentence {
        self.copy()
    }

    fn __len__(&self) -> usize {
        self.word_nodes().len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, place: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let nodes = self.word_nodes();
        let word = |&node: &NodeId| Word::new(&self.cell, node);
        if let Ok(slice) = place.cast::<PySlice>() {
            let words = chosen(slice, nodes.len())?.map(|place| word(&nodes[place]));
            return Ok(PyList::new(py, words.collect::<Vec<_>>())?.into_any());
        }
        let place = index(place, nodes.len(), "word")?;
        Ok(word(&nodes[place]).into_pyobject(py)?.into_any())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        PyList::new(py, self.words())?.into_any().call_method0("__iter__")
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Sentence>() else { return false };
        let other = &other.get().cell;
        Arc::ptr_eq(&self.cell, other) || *self.cell.read() == *other.read()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let sentence = self.cell.read();
        let text = match sentence.text() {
            Some(text) => text.to_owned(),
            None => sentence.tokens.iter().map(|token| token.form.as_str()).collect::<Vec<_>>().join(" "),
        };
        let short: String = text.chars().take(60).collect();
        let short = if short.len() < text.len() { format!("{short}…") } else { short };
        let text = PyString::new(py, &short).repr()?;
        Ok(format!("<Sentence {text}: {} nodes, {} arcs>", sentence.len(), sentence.graph.arcs().len()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Packed<'py>,)> {
        let load = py.import("pleach.graph")?.getattr("_sentence")?;
        Ok((load, (packed(py, std::slice::from_ref(&self.cell))?,)))
    }
}

/// Comments are lines.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The places that a slice means.
pub fn chosen(slice: &Bound<'_, PySlice>, len: usize) -> PyResult<impl Iterator<Item = usize> + use<>> {
    let indices = slice.indices(len as isize)?;
    let places = (0..indices.slicelength as isize).map(move |i| (indices.start + i * indices.step) as usize);
    Ok(places)
}

/// The place that an index means; negative ones count from the end.
pub fn index(place: &Bound<'_, PyAny>, len: usize, what: &str) -> PyResult<usize> {
    if !place.is_instance_of::<PyInt>() {
        let name = crate::given::kind(place);
        return Err(PyTypeError::new_err(format!("indices are integers or slices, not {name}")));
    }
    let asked: isize = place.extract().map_err(|_| PyIndexError::new_err(format!("no {what} {place}")))?;
    let found = if asked < 0 { asked + len as isize } else { asked };
    let there = (0..len as isize).contains(&found);
    there
        .then_some(found as usize)
        .ok_or_else(|| PyIndexError::new_err(format!("no {what} {asked}: there are {len}")))
}
