//! Scores.

use crate::border::{eval_error, guarded, read_error};
use crate::given::each;
use crate::reader::open;
use pleach::eval::sdp::{Arguments, SdpOptions};
use pleach::eval::significance::Bootstrap;
use pleach::eval::{Details, Metric, Options};
use pleach::formats::Format;
use pleach::graph::Sentence;
use pleach::scored::{Scored, fitting_metric};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The sentences of a file or of Python.
type Sentences = Scored<Box<dyn Iterator<Item = PyResult<Sentence>> + Send>>;

fn sentences(value: &Bound<'_, PyAny>, from: Option<Format>) -> PyResult<Sentences> {
    if let Some(reader) = open(value, from, None)? {
        let format = reader.format();
        return Ok(Scored::new(Box::new(reader.map(|sentence| sentence.map_err(read_error))), Some(format)));
    }
    let mut sentences = Vec::new();
    each(value, &mut |cell| {
        sentences.push(Ok(cell.read().clone()));
        Ok(())
    })?;
    Ok(Scored::new(Box::new(sentences.into_iter()), None))
}

/// Scores one or two systems; gives the metric's name, the scores and the table.
#[pyfunction]
#[pyo3(name = "_evaluate", signature = (gold, system, second=None, *, metric=None, format=None, representation="any",
    punctuation=None, samples=None, seed=None))]
#[allow(clippy::too_many_arguments)]
pub fn evaluate<'py>(
    py: Python<'py>,
    gold: &Bound<'py, PyAny>,
    system: &Bound<'py, PyAny>,
    second: Option<&Bound<'py, PyAny>>,
    metric: Option<&str>,
    format: Option<&str>,
    representation: &str,
    punctuation: Option<bool>,
    samples: Option<u64>,
    seed: Option<u64>,
) -> PyResult<(&'static str, Bound<'py, PyAny>, String)> {
    let metric =
        metric.map(|name| name.parse::<Metric>().map_err(|error| PyValueError::new_err(error.to_string())));
    let metric = metric.transpose()?;
    let from = format.map(crate::sentence::format).transpose()?;
    let arguments = match representation {
        "any" | "dm" => Arguments::All,
        "pas" => Arguments::Pas,
        "psd" => Arguments::Psd,
        other => {
            return Err(PyValueError::new_err(format!(
                "representation is any, dm, pas or psd, not {other:?}"
            )));
        }
    };
    guarded(|| {
        let mut inputs = vec![sentences(gold, from)?, sentences(system, from)?];
        if let Some(second) = second {
            inputs.push(sentences(second, from)?);
        }
        let metric = metric.unwrap_or_else(|| fitting_metric(&mut inputs));
        let bootstrap = Bootstrap::default();
        let options = Options {
            sdp: SdpOptions { exclude_punctuation: punctuation == Some(false), arguments },
            semeval16_punctuation: punctuation == Some(true),
            bootstrap: Bootstrap {
                samples: samples.unwrap_or(bootstrap.samples),
                seed: seed.unwrap_or(bootstrap.seed),
            },
            ..Options::new(metric)
        };
        let evaluation = py.detach(|| match inputs.as_mut_slice() {
            [gold, system, second] => pleach::eval::evaluate(&options, gold, system, Some(second)),
            [gold, system] => pleach::eval::evaluate(&options, gold, system, None),
            _ => unreachable!("there are two or three inputs"),
        });
        let evaluation = evaluation.map_err(eval_error)?;
        let report = evaluation.report(Details { labels: true, lengths: true });
        let scores = crate::values::python(py, &report.json())?;
        let table = evaluation.report(Details { labels: false, lengths: false }).to_string();
        Ok((metric.name(), scores, table))
    })
}
