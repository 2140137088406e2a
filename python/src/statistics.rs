//! What graphs are like, counted.

use crate::border::guarded;
use crate::given::each;
use crate::reader::open;
use pleach::graph::properties::Root;
use pleach::graph::statistics::{LENGTHS, Source, Statistics};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What one graph is like.
pub fn properties<'py>(py: Python<'py>, s: &Statistics) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let truths = [
        ("tree", s.trees),
        ("projective", s.projective),
        ("acyclic", s.acyclic),
        ("reentrant", s.reentrant),
        ("connected", s.connected),
        ("reachable", s.reachable),
        ("noncrossing", s.noncrossing),
        ("one_endpoint_crossing", s.one_endpoint_crossing),
    ];
    for (name, count) in truths {
        dict.set_item(name, count > 0)?;
    }
    let counts = [
        ("nodes", s.node_tokens),
        ("arcs", s.arcs),
        ("tops", s.top_tokens),
        ("multi_headed", s.multi_headed_tokens),
        ("isolated", s.isolated_tokens),
        ("components", s.components),
        ("two_cycles", s.two_cycle_pairs),
        ("self_loops", s.self_loop_tokens),
        ("crossing_edges", s.crossing_edges),
        ("crossing_pairs", s.crossing_pairs),
    ];
    for (name, count) in counts {
        dict.set_item(name, count)?;
    }
    // An upper bound in the rare graph where the search for the exact number was given up.
    dict.set_item("pagenumber", s.by_pagenumber.keys().next().map_or(0, |pages| pages.1))?;
    Ok(dict)
}

fn summary<'py>(py: Python<'py>, s: &Statistics) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let counts = [
        ("sentences", s.sentences),
        ("words", s.word_tokens),
        ("empty_nodes", s.empty_node_tokens),
        ("with_empty_nodes", s.with_empty_nodes),
        ("multiword_tokens", s.multiword_tokens),
        ("nodes", s.node_tokens),
        ("arcs", s.arcs),
        ("root_arcs", s.root_arcs),
        ("pairs_with_several_labels", s.pairs_with_several_labels),
        ("without_arcs", s.without_arcs),
        ("no_top", s.by_tops[0]),
        ("one_top", s.by_tops[1]),
        ("several_tops", s.by_tops[2]),
        ("tops", s.top_tokens),
        ("reentrant", s.reentrant),
        ("multi_headed_tokens", s.multi_headed_tokens),
        ("isolated_tokens", s.isolated_tokens),
        ("trees", s.trees),
        ("projective", s.projective),
        ("acyclic", s.acyclic),
        ("with_two_cycles", s.with_two_cycles),
        ("two_cycles", s.two_cycle_pairs),
        ("self_loops", s.self_loop_tokens),
        ("reachable", s.reachable),
        ("unreachable_tokens", s.unreachable_tokens),
        ("connected", s.connected),
        ("components", s.components),
        ("edges", s.edge_pairs),
        ("noncrossing", s.noncrossing),
        ("one_endpoint_crossing", s.one_endpoint_crossing),
        ("crossing_edges", s.crossing_edges),
        ("crossing_pairs", s.crossing_pairs),
        ("basic_trees", s.with_basic_tree),
        ("projective_basic_trees", s.projective_basic_trees),
    ];
    for (name, count) in counts {
        dict.set_item(name, count)?;
    }
    let lengths = PyDict::new(py);
    for (&(from, to), count) in LENGTHS.iter().zip(s.arcs_by_length) {
        let name = match to {
            _ if from == to => from.to_string(),
            u32::MAX => format!("{from}+"),
            _ => format!("{from}-{to}"),
        };
        lengths.set_item(name, count)?;
    }
    dict.set_item("arcs_by_length", lengths)?;
    let labels = PyDict::new(py);
    for (label, count) in &s.arcs_by_label {
        labels.set_item(label.as_str(), count)?;
    }
    dict.set_item("arcs_by_label", labels)?;
    let pages = PyDict::new(py);
    for (number, count) in s.pagenumbers() {
        pages.set_item(number.to_string(), count)?;
    }
    for (range, count) in s.unknown_pagenumbers() {
        pages.set_item(range.to_string(), count)?;
    }
    dict.set_item("pagenumbers", pages)?;
    Ok(dict)
}

/// Counts sentences, arcs, labels, crossings and pagenumbers of a file or of sentences.
#[pyfunction]
#[pyo3(name = "_statistics", signature = (sentences, *, format=None, tree=false, empty_nodes="drop", with_root=false))]
pub fn statistics<'py>(
    py: Python<'py>,
    sentences: &Bound<'py, PyAny>,
    format: Option<&str>,
    tree: bool,
    empty_nodes: &str,
    with_root: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let source = match empty_nodes {
        _ if tree => Source::Tree,
        "drop" => Source::Words,
        "keep" => Source::All,
        "collapse" => Source::Collapsed,
        other => {
            return Err(PyValueError::new_err(format!(
                "empty_nodes is \"drop\", \"keep\" or \"collapse\", not {other:?}"
            )));
        }
    };
    let root = if with_root { Root::Included } else { Root::Excluded };
    let from = format.map(crate::sentence::format).transpose()?;
    guarded(|| {
        let mut sum = Statistics::default();
        match open(sentences, from, None)? {
            Some(mut reader) => py.detach(|| -> PyResult<()> {
                reader.try_for_each(|sentence| {
                    sum.merge(Statistics::of(&sentence.map_err(crate::border::read_error)?, source, root));
                    Ok(())
                })
            })?,
            None => each(sentences, &mut |cell| {
                sum.merge(Statistics::of(&cell.read(), source, root));
                Ok(())
            })?,
        }
        summary(py, &sum)
    })
}
