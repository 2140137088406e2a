//! Sentences as columns of numbers and text, in the layout of Arrow: what NumPy, pyarrow and Spark read without a loop
//! in Python.

use crate::border::{Failure, guarded};
use crate::given::all;
use crate::shared::Cell;
use pleach::graph::{Sentence, Text};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::collections::BTreeMap;

/// A column of text that may be missing: where each value ends, the bytes, and which are there.
#[derive(Default)]
struct Texts {
    ends: Vec<i32>,
    bytes: Vec<u8>,
    there: Bits,
}

impl Texts {
    fn push(&mut self, text: Option<&str>) {
        self.bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
        // Columns of more than two gigabytes are refused before they are made, see `columns`.
        self.ends.push(self.bytes.len() as i32);
        self.there.push(text.is_some());
    }

    fn given(&mut self, text: &Text) {
        self.push(Some(text.as_str()).filter(|text| !text.is_empty()));
    }

    fn put(self, dict: &Bound<'_, PyDict>, name: &str) -> PyResult<()> {
        let py = dict.py();
        let offsets: Vec<i32> = std::iter::once(0).chain(self.ends).collect();
        dict.set_item(name, (numbers(py, &offsets), PyBytes::new(py, &self.bytes), self.there.bytes(py)))
    }
}

/// A column of numbers that may be missing.
#[derive(Default)]
struct Numbers {
    values: Vec<i32>,
    there: Bits,
}

impl Numbers {
    fn push(&mut self, value: Option<usize>) {
        let value = value.and_then(|value| i32::try_from(value).ok());
        self.values.push(value.unwrap_or(0));
        self.there.push(value.is_some());
    }

    fn put(self, dict: &Bound<'_, PyDict>, name: &str) -> PyResult<()> {
        let py = dict.py();
        dict.set_item(name, (numbers(py, &self.values), self.there.bytes(py)))
    }
}

/// Which values are there, a bit each.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.len % 8);
        }
        self.len += 1;
    }

    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }
}

/// Numbers as bytes in the machine's order.
fn numbers<'py>(py: Python<'py>, values: &[i32]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// All columns of some documents. `counts` says how many sentences each document has.
#[derive(Default)]
struct Columns {
    documents: Vec<i32>,
    sentence_id: Texts,
    sentence_text: Texts,
    sentence_start: Numbers,
    words: Vec<i32>,
    arcs: Vec<i32>,
    id: Texts,
    form: Texts,
    lemma: Texts,
    upos: Texts,
    xpos: Texts,
    feats: Texts,
    misc: Texts,
    deprel: Texts,
    head: Numbers,
    start: Numbers,
    end: Numbers,
    arc_head: Vec<i32>,
    arc_dependent: Vec<i32>,
    label: Texts,
}

impl Columns {
    fn add(&mut self, cell: &Cell) {
        let sentence = cell.read();
        self.sentence_id.push(sentence.sent_id());
        self.sentence_text.push(sentence.text());
        self.sentence_start.push(cell.start());
        for token in &sentence.tokens {
            self.id.push(Some(&token.id.to_string()));
            self.form.push(Some(&token.form));
            self.lemma.given(&token.lemma);
            self.upos.given(&token.upos);
            self.xpos.given(&token.xpos);
            self.feats.given(&token.feats);
            self.misc.given(&token.misc);
            self.deprel.given(&token.deprel);
            self.head.push(token.head.map(|head| head.index()));
            let place = cell.place(token);
            self.start.push(place.map(|place| place.0));
            self.end.push(place.map(|place| place.1));
        }
        for arc in sentence.graph.arcs() {
            self.arc_head.push(arc.head.0 as i32);
            self.arc_dependent.push(arc.dependent.0 as i32);
            self.label.push(Some(&arc.label));
        }
        self.words.push(self.head.values.len() as i32);
        self.arcs.push(self.arc_head.len() as i32);
    }

    fn put<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let offsets = |ends: Vec<i32>| numbers(py, &std::iter::once(0).chain(ends).collect::<Vec<_>>());
        dict.set_item("documents", offsets(self.documents))?;
        dict.set_item("words", offsets(self.words))?;
        dict.set_item("arcs", offsets(self.arcs))?;
        self.sentence_id.put(&dict, "sentence.id")?;
        self.sentence_text.put(&dict, "sentence.text")?;
        self.sentence_start.put(&dict, "sentence.start")?;
        self.id.put(&dict, "id")?;
        self.form.put(&dict, "form")?;
        self.lemma.put(&dict, "lemma")?;
        self.upos.put(&dict, "upos")?;
        self.xpos.put(&dict, "xpos")?;
        self.feats.put(&dict, "feats")?;
        self.misc.put(&dict, "misc")?;
        self.deprel.put(&dict, "deprel")?;
        self.head.put(&dict, "head")?;
        self.start.put(&dict, "start")?;
        self.end.put(&dict, "end")?;
        dict.set_item("arc.head", numbers(py, &self.arc_head))?;
        dict.set_item("arc.dependent", numbers(py, &self.arc_dependent))?;
        self.label.put(&dict, "arc.label")?;
        Ok(dict)
    }
}

/// The bytes of text that a sentence has, about.
fn weight(sentence: &Sentence) -> usize {
    let tokens =
        sentence.tokens.iter().map(|token| 16 + 2 * token.form.len() + token.misc.len() + token.feats.len());
    tokens.sum::<usize>() + sentence.text().map_or(0, str::len)
}

/// The columns of documents, as buffers for Arrow.
#[pyfunction]
#[pyo3(name = "_columns")]
pub fn columns<'py>(py: Python<'py>, documents: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyDict>> {
    const MOST: usize = i32::MAX as usize / 2;
    let mut cells: Vec<Vec<Cell>> = Vec::new();
    for document in documents.iter() {
        // What could not be parsed has no sentences.
        cells.push(if document.is_none() { Vec::new() } else { all(&document)? });
    }
    guarded(|| {
        let made = py.detach(|| {
            let mut columns = Columns::default();
            let mut size = 0;
            for cells in &cells {
                for cell in cells {
                    size += weight(&cell.read());
                    if size > MOST {
                        return Err(Failure::new("Error", "columns of more than a gigabyte of text")
                            .help("convert fewer documents at a time"));
                    }
                    columns.add(cell);
                }
                columns.documents.push(columns.words.len() as i32);
            }
            Ok(columns)
        });
        made?.put(py)
    })
}

/// The arcs of sentences as arrays: bytes of the sentences' numbers, heads, dependents and label ids, and the labels.
#[pyfunction]
#[pyo3(name = "_arc_arrays")]
#[allow(clippy::type_complexity)]
pub fn arc_arrays<'py>(
    py: Python<'py>,
    sentences: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<String>)>
{
    let cells = all(sentences)?;
    let mut rows: [Vec<i32>; 4] = Default::default();
    let mut ids: BTreeMap<Text, i32> = BTreeMap::new();
    for cell in &cells {
        cell.read().graph.arcs().iter().for_each(|arc| {
            if !ids.contains_key(&arc.label) {
                ids.insert(arc.label.clone(), 0);
            }
        });
    }
    // Ids in the order of the labels, so that they don't depend on the order of the arcs.
    for (id, place) in ids.values_mut().enumerate() {
        *place = id as i32;
    }
    for (number, cell) in cells.iter().enumerate() {
        for arc in cell.read().graph.arcs() {
            let label = ids.get(&arc.label).copied().unwrap_or(-1);
            let row = [number as i32, arc.head.0 as i32, arc.dependent.0 as i32, label];
            rows.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
    let labels = ids.into_keys().map(|label| label.to_string()).collect();
    let [sentence, head, dependent, label] = rows.map(|row| numbers(py, &row));
    Ok((sentence, head, dependent, label, labels))
}
