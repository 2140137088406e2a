//! Voting and measuring.

use crate::border::{Failure, guarded, model_error, parser_error};
use crate::given::each;
use crate::reader::open;
use crate::sentence::Sentence;
use pleach::families::vote_section;
use pleach::formats::atomic;
use pleach::graph::Sentence as Content;
use pleach::model::{Model, View};
use pleach_lab::bench::{Bench, BenchError};
use pleach_lab::vote_files::FileVote;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// All sentences of a file or of Python.
pub fn sentences(value: &Bound<'_, PyAny>) -> PyResult<Vec<Content>> {
    match open(value, None, None)? {
        Some(reader) => {
            let read = reader.map(|sentence| sentence.map_err(crate::border::read_error));
            read.collect()
        }
        None => {
            let mut sentences = Vec::new();
            each(value, &mut |cell| {
                sentences.push(cell.read().clone());
                Ok(())
            })?;
            Ok(sentences)
        }
    }
}

fn share(threshold: f64) -> PyResult<()> {
    match (0.0..1.0).contains(&threshold) {
        true => Ok(()),
        false => Err(PyValueError::new_err("threshold is a share: from 0 to below 1")),
    }
}

/// Puts several models into one, which votes; gives how many parsers there are.
#[pyfunction]
#[pyo3(name = "_vote_models")]
pub fn vote_models(py: Python<'_>, models: Vec<PathBuf>, output: PathBuf, threshold: f64) -> PyResult<usize> {
    share(threshold)?;
    if models.is_empty() {
        return Err(PyValueError::new_err("expected at least one model"));
    }
    guarded(|| {
        py.detach(|| {
            let models: Result<Vec<Model>, _> = models.iter().map(|path| Model::open(path)).collect();
            let models = models.map_err(model_error)?;
            let roots: Vec<View> = models.iter().map(Model::root).collect();
            let bytes = Model::to_bytes(&vote_section(&roots, threshold)).map_err(model_error)?;
            // What can't be parsed with must not be written.
            let name = output.display().to_string();
            let model = Model::from_bytes(&name, &bytes).map_err(model_error)?;
            let parser = pleach::Parser::new(&name, model).map_err(parser_error)?;
            let unwritten = |error| Failure::new("WriteError", format!("{name}: {error}")).path(&name);
            atomic::write(&output, &bytes).map_err(unwritten)?;
            Ok(parser.model().root().children().count())
        })
    })
}

/// Lets parsed sentences vote; gives the sentences, and how alike every two are.
#[pyfunction]
#[pyo3(name = "_vote_sentences")]
pub fn vote_sentences<'py>(
    py: Python<'py>,
    parsed: Vec<Bound<'py, PyAny>>,
    names: Vec<String>,
    threshold: f64,
) -> PyResult<(Vec<Sentence>, Bound<'py, PyAny>)> {
    share(threshold)?;
    if parsed.is_empty() {
        return Err(PyValueError::new_err("expected at least one parser's sentences"));
    }
    let mut inputs = Vec::new();
    for value in &parsed {
        inputs.push(sentences(value)?.into_iter());
    }
    guarded(|| {
        let mut vote = FileVote::new(names, threshold, true);
        let mut voted = Vec::new();
        loop {
            let next = inputs.iter_mut().map(Iterator::next).collect();
            match vote.next(next) {
                Ok(Some(sentence)) => voted.push(Sentence::of(sentence)),
                Ok(None) => break,
                Err(error) => {
                    let help = "the parsers must have had the same sentences and words";
                    return Err(Failure::new("EvalError", error).help(help).into());
                }
            }
        }
        let pairs = vote.diversity().map(|diversity| diversity.json()).unwrap_or_default();
        Ok((voted, crate::values::python(py, &pairs)?))
    })
}

/// Measures the speed of a model file on sentences.
#[pyfunction]
#[pyo3(name = "_bench", signature = (model, sentences, *, beams=vec![], rounds=3, threads=1, settings=None))]
pub fn bench<'py>(
    py: Python<'py>,
    model: PathBuf,
    sentences: &Bound<'py, PyAny>,
    beams: Vec<usize>,
    rounds: usize,
    threads: usize,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if rounds == 0 || threads == 0 || beams.contains(&0) {
        return Err(PyValueError::new_err("rounds, threads and beams are at least 1"));
    }
    let changes = crate::values::settings(settings)?;
    let sentences = self::sentences(sentences)?;
    guarded(|| {
        let bench = Bench { beams, rounds, threads, changes };
        let measured =
            py.detach(|| bench.run(|| pleach::models::open(Some(&model)), &sentences, &mut |_, _| ()));
        let measured = measured.map_err(|error| match error {
            BenchError::Parser(error) => parser_error(error),
            other => Failure::new("Error", other).into(),
        })?;
        let json = serde_json::to_value(&measured).map_err(|error| Failure::new("Error", error))?;
        crate::values::python(py, &json)
    })
}
