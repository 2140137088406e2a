//! The deep graph of a sentence.

use crate::border::{Failure, Reduced, guarded};
use crate::sentence::Sentence;
use crate::shared::{Cell, Shared};
use crate::word::{Neighbour, Word};
use pleach::graph::properties::Root;
use pleach::graph::statistics::Source;
use pleach::graph::statistics::Statistics;
use pleach::graph::{Arc as Edge, Graph as Arcs, ImpossibleArc, NodeId, Sentence as Content};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};
use std::sync::Arc;

/// The deep graph of a sentence: a view, which sees and makes changes.
///
/// Nodes are numbers: 0 is the root, 1 the first word; empty nodes have their place among the words. Where a node is
/// expected, a Word will do, and None for the root.
///
/// >>> import pleach
/// >>> graph = pleach.Graph(["Ann", "wants", "to", "sleep"])
/// >>> graph.add(None, 2, "root")
/// True
/// >>> graph.add(2, 1, "nsubj"), graph.add(4, 1, "nsubj:xsubj")
/// (True, True)
/// >>> graph.arcs
/// [(2, 1, 'nsubj'), (4, 1, 'nsubj:xsubj'), (0, 2, 'root')]
/// >>> graph.heads(1)
/// [(Word(id='2', form='wants'), 'nsubj'), (Word(id='4', form='sleep'), 'nsubj:xsubj')]
#[pyclass(frozen, module = "pleach")]
pub struct Graph {
    pub cell: Cell,
}

fn impossible(error: ImpossibleArc) -> PyErr {
    Failure::new("GraphError", error)
        .help("nodes are numbered from 1, and an arc can start in the root (0) but not end there")
        .into()
}

/// The node that an argument means.
pub fn node(value: &Bound<'_, PyAny>, cell: &Cell) -> PyResult<NodeId> {
    if value.is_none() {
        return Ok(NodeId::ROOT);
    }
    if let Ok(word) = value.cast::<Word>() {
        let word = word.get();
        if !Arc::ptr_eq(&word.cell, cell) {
            let failure = Failure::new("GraphError", "the word belongs to another sentence");
            return Err(failure.help("take it from the graph's own sentence").into());
        }
        return Ok(word.node);
    }
    if !value.is_instance_of::<PyInt>() {
        let name = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a node is a number, a Word or None for the root, not {name}"
        )));
    }
    value.extract().map(NodeId).map_err(|_| PyIndexError::new_err(format!("no node {value}")))
}

impl Graph {
    pub fn of(cell: &Cell) -> Self {
        Graph { cell: Arc::clone(cell) }
    }

    pub fn incoming(cell: &Cell, node: NodeId) -> Vec<Neighbour> {
        let sentence = cell.read();
        let arcs = sentence.graph.incoming(node).iter();
        arcs.map(|arc| (Word::or_none(cell, arc.head), arc.label.to_string())).collect()
    }

    pub fn outgoing(cell: &Cell, node: NodeId) -> Vec<Neighbour> {
        let sentence = cell.read();
        let arcs = sentence.graph.arcs().iter().filter(|arc| arc.head == node);
        arcs.map(|arc| (Word::or_none(cell, arc.dependent), arc.label.to_string())).collect()
    }

    fn existing(&self, value: &Bound<'_, PyAny>) -> PyResult<NodeId> {
        let node = node(value, &self.cell)?;
        let len = self.cell.read().len();
        if node.index() > len {
            return Err(PyIndexError::new_err(format!("no node {node}: the sentence has {len}")));
        }
        Ok(node)
    }
}

/// Arcs from an iterable of (head, dependent, label).
pub fn arcs(value: &Bound<'_, PyAny>, cell: &Cell) -> PyResult<Vec<Edge>> {
    let mut arcs = Vec::new();
    for arc in value.try_iter()? {
        let arc = arc?;
        let (head, dependent, label): (Bound<'_, PyAny>, Bound<'_, PyAny>, String) = arc
            .extract()
            .map_err(|_| PyTypeError::new_err(format!("an arc is (head, dependent, label), not {arc}")))?;
        arcs.push(Edge { head: node(&head, cell)?, dependent: node(&dependent, cell)?, label: label.into() });
    }
    Ok(arcs)
}

#[pymethods]
impl Graph {
    #[new]
    #[pyo3(signature = (words, arcs=None))]
    fn new(words: &Bound<'_, PyAny>, arcs: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let sentence = match words.is_instance_of::<PyInt>() {
            true => Content::from_forms(std::iter::repeat_n("_", words.extract()?)),
            false => crate::given::sentence(words)?,
        };
        let cell = Shared::new(sentence);
        if let Some(given) = arcs {
            let len = cell.read().len();
            let made = Arcs::try_from_arcs(len, self::arcs(given, &cell)?).map_err(impossible)?;
            cell.write().graph = made;
        }
        Ok(Graph { cell })
    }

    /// All arcs as (head, dependent, label), sorted by dependent, head and label.
    #[getter]
    fn arcs(&self) -> Vec<(u32, u32, String)> {
        let sentence = self.cell.read();
        let arcs = sentence.graph.arcs().iter();
        arcs.map(|arc| (arc.head.0, arc.dependent.0, arc.label.to_string())).collect()
    }

    #[setter]
    fn set_arcs(&self, arcs: &Bound<'_, PyAny>) -> PyResult<()> {
        let arcs = self::arcs(arcs, &self.cell)?;
        let len = self.cell.read().len();
        let graph = Arcs::try_from_arcs(len, arcs).map_err(impossible)?;
        self.cell.write().graph = graph;
        Ok(())
    }

    /// The heads of a node, with the labels: a list of (Word, label), with None for the root.
    fn heads(&self, node: &Bound<'_, PyAny>) -> PyResult<Vec<Neighbour>> {
        Ok(Graph::incoming(&self.cell, self.existing(node)?))
    }

    /// The dependents of a node, with the labels.
    fn dependents(&self, node: &Bound<'_, PyAny>) -> PyResult<Vec<Neighbour>> {
        Ok(Graph::outgoing(&self.cell, self.existing(node)?))
    }

    /// The words that the root governs.
    #[getter]
    fn tops(&self) -> Vec<Word> {
        let sentence = self.cell.read();
        let mut tops: Vec<NodeId> = sentence.graph.tops().collect();
        tops.dedup();
        tops.into_iter().map(|top| Word::new(&self.cell, top)).collect()
    }

    /// The empty nodes: those that the text has no word for.
    #[getter]
    fn empty_nodes(&self) -> Vec<Word> {
        let sentence = self.cell.read();
        let empty = sentence.tokens.iter().zip(1..).filter(|(token, _)| token.id.is_empty_node());
        empty.map(|(_, node)| Word::new(&self.cell, NodeId(node))).collect()
    }

    /// The sentence of the graph.
    #[getter]
    fn sentence(&self) -> Sentence {
        Sentence { cell: Arc::clone(&self.cell) }
    }

    /// Adds an arc; False when it was there already.
    fn add(&self, head: &Bound<'_, PyAny>, dependent: &Bound<'_, PyAny>, label: String) -> PyResult<bool> {
        let (head, dependent) = (node(head, &self.cell)?, node(dependent, &self.cell)?);
        self.cell.write().graph.try_insert(head, dependent, label.into()).map_err(impossible)
    }

    /// Removes the arcs from a head to a dependent, or only the one with a label; gives how many there were.
    #[pyo3(signature = (head, dependent, label=None))]
    fn remove(
        &self,
        head: &Bound<'_, PyAny>,
        dependent: &Bound<'_, PyAny>,
        label: Option<&str>,
    ) -> PyResult<usize> {
        let (head, dependent) = (node(head, &self.cell)?, node(dependent, &self.cell)?);
        let mut sentence = self.cell.write();
        let before = sentence.graph.arcs().len();
        sentence.graph.retain(|arc| {
            (arc.head, arc.dependent) != (head, dependent) || label.is_some_and(|label| arc.label != label)
        });
        Ok(before - sentence.graph.arcs().len())
    }

    /// Removes all arcs.
    fn clear(&self) {
        let mut sentence = self.cell.write();
        sentence.graph = Arcs::new(sentence.len());
    }

    /// What the graph is like: acyclic, connected, pagenumber and so on; empty nodes are counted as words.
    fn properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let statistics = Statistics::of(&self.cell.read(), Source::All, Root::Excluded);
        crate::statistics::properties(py, &statistics)
    }

    /// The arcs as NumPy arrays: sentence, head, dependent, label id, and the labels.
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pleach.graph")?.call_method1("to_numpy", (slf,))
    }

    /// The graph for NetworkX, a MultiDiGraph.
    fn to_networkx<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pleach.graph")?.call_method1("to_networkx", (slf,))
    }

    /// The picture for a terminal.
    #[pyo3(signature = (width=100, colour=false))]
    fn draw(&self, width: u16, colour: bool) -> PyResult<String> {
        guarded(|| Ok(crate::draw::terminal(&self.cell.read(), width, colour)))
    }

    /// Draws the graph into a file: .svg, .html or .txt.
    fn render(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        guarded(|| py.detach(|| crate::draw::render(std::slice::from_ref(&self.cell), &path)))
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        guarded(|| Ok(crate::draw::svg(std::slice::from_ref(&self.cell))))
    }

    /// A copy with a sentence of its own.
    fn copy(&self) -> Graph {
        Graph { cell: self.cell.copy() }
    }

    fn __copy__(&self) -> Graph {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Graph {
        self.copy()
    }

    fn __len__(&self) -> usize {
        self.cell.read().graph.arcs().len()
    }

    fn __contains__(&self, arc: &Bound<'_, PyAny>) -> PyResult<bool> {
        let arcs = arcs(pyo3::types::PyTuple::new(arc.py(), [arc])?.as_any(), &self.cell)?;
        let sentence = self.cell.read();
        Ok(arcs.iter().all(|arc| sentence.graph.contains(arc)))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Graph>() else { return false };
        let other = &other.get().cell;
        Arc::ptr_eq(&self.cell, other) || self.cell.read().graph == other.read().graph
    }

    fn __repr__(&self) -> String {
        let sentence = self.cell.read();
        format!("<Graph of {} nodes, {} arcs>", sentence.len(), sentence.graph.arcs().len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Sentence,)> {
        Ok((py.import("pleach.graph")?.getattr("_graph")?, (self.sentence(),)))
    }
}
