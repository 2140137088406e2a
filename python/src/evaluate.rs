//! Scores.

use crate::border::{eval_error, guarded, read_error};
use crate::given::each;
use crate::reader::open;
use pleach::eval::sdp::{Arguments, SdpOptions};
use pleach::eval::significance::Bootstrap;
use pleach::eval::{Details, Metric, Options};
use pleach::formats::Format;
use pleach::graph::Sentence;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::VecDeque;

/// How many sentences are looked at to see whether there are graphs.
const LOOK_AHEAD: usize = 64;

/// The sentences of a file or of Python.
struct Sentences {
    rest: Box<dyn Iterator<Item = PyResult<Sentence>> + Send>,
    ahead: VecDeque<PyResult<Sentence>>,
    format: Option<Format>,
}

impl Sentences {
    fn open(value: &Bound<'_, PyAny>, from: Option<Format>) -> PyResult<Self> {
        let (rest, format): (Box<dyn Iterator<Item = _> + Send>, _) = match open(value, from, None)? {
            Some(reader) => {
                let format = reader.format();
                (Box::new(reader.map(|sentence| sentence.map_err(read_error))), Some(format))
            }
            None => {
                let mut sentences = Vec::new();
                each(value, &mut |cell| {
                    sentences.push(Ok(cell.read().clone()));
                    Ok(())
                })?;
                (Box::new(sentences.into_iter()), None)
            }
        };
        Ok(Sentences { rest, ahead: VecDeque::new(), format })
    }

    fn have_graphs(&mut self) -> bool {
        while self.ahead.len() < LOOK_AHEAD {
            let Some(sentence) = self.rest.next() else { break };
            let found = sentence.as_ref().is_ok_and(|sentence| !sentence.graph.is_empty());
            let failed = sentence.is_err();
            self.ahead.push_back(sentence);
            if found || failed {
                return found;
            }
        }
        false
    }
}

impl Iterator for Sentences {
    type Item = PyResult<Sentence>;

    fn next(&mut self) -> Option<Self::Item> {
        self.ahead.pop_front().or_else(|| self.rest.next())
    }
}

/// The metric that fits, as the command line chooses it.
fn guess(inputs: &mut [Sentences]) -> Metric {
    let any = |inputs: &[Sentences], formats: &[Format]| {
        inputs.iter().any(|input| input.format.is_some_and(|format| formats.contains(&format)))
    };
    if any(inputs, &[Format::Sdp2014, Format::Sdp2015, Format::Mrp, Format::Parg]) {
        Metric::Sdp
    } else if any(inputs, &[Format::Semeval16]) {
        Metric::Semeval16
    } else if inputs.iter_mut().all(Sentences::have_graphs) {
        if any(inputs, &[Format::Conll09]) { Metric::Sdp } else { Metric::Eud }
    } else {
        Metric::Tree
    }
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
        let mut inputs = vec![Sentences::open(gold, from)?, Sentences::open(system, from)?];
        if let Some(second) = second {
            inputs.push(Sentences::open(second, from)?);
        }
        let metric = metric.unwrap_or_else(|| guess(&mut inputs));
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
