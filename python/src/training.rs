//! Training. It runs on threads of its own; the caller's thread hears the events, so that callbacks and Ctrl-C work as
//! Python expects.

use crate::border::{Failure, caught, train_error};
use crate::models::read;
use crate::values::settings;
use pleach::graph::Sentence;
use pleach::train::{self, Annotation, Corpus, Ended, Event, TrainError, Training};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

fn told<'py>(py: Python<'py>, event: &Event) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    match event {
        Event::Stage { name, .. } => {
            dict.set_item("event", "stage")?;
            dict.set_item("name", name)?;
        }
        Event::Prepared { sentences, tokens, choices, lost, .. } => {
            dict.set_item("event", "prepared")?;
            dict.set_item("sentences", sentences)?;
            dict.set_item("words", tokens)?;
            dict.set_item("choices", choices)?;
            dict.set_item("unreachable_arcs", lost.0)?;
        }
        Event::Resumed { epoch } => {
            dict.set_item("event", "resumed")?;
            dict.set_item("epoch", epoch)?;
        }
        Event::Step { epoch, done, tokens, wrong } => {
            dict.set_item("event", "step")?;
            dict.set_item("epoch", epoch)?;
            dict.set_item("done", done)?;
            dict.set_item("words", tokens)?;
            dict.set_item("wrong", wrong)?;
        }
        Event::Epoch { epoch, loss, dev, best, .. } => {
            dict.set_item("event", "epoch")?;
            dict.set_item("epoch", epoch)?;
            dict.set_item("loss", loss)?;
            dict.set_item("best", best)?;
            let scores = dev.as_ref().map(|dev| {
                let scores = PyDict::new(py);
                dev.iter().try_for_each(|(name, value)| scores.set_item(name, value)).map(|()| scores)
            });
            dict.set_item("dev", scores.transpose()?)?;
        }
    }
    Ok(dict)
}

fn corpus(value: Option<&Bound<'_, PyAny>>, limit: Option<usize>) -> PyResult<(Vec<Sentence>, String)> {
    let Some(value) = value else { return Ok((Vec::new(), String::new())) };
    let mut sentences = crate::lab::sentences(value)?;
    sentences.truncate(limit.unwrap_or(usize::MAX));
    let name = value.extract::<PathBuf>().ok();
    let name = name.and_then(|name| Some(name.file_name()?.to_string_lossy().into_owned()));
    Ok((sentences, name.unwrap_or_else(|| "sentences".to_owned())))
}

/// Trains a model and writes it; gives whether it was stopped, and the best epoch with its scores.
#[pyfunction]
#[pyo3(name = "_train", signature = (recipe, train, dev, output, *, callback, settings, threads=None, limit=None, tags="given", fresh=false))]
#[allow(clippy::too_many_arguments)]
pub fn train_model<'py>(
    py: Python<'py>,
    recipe: PathBuf,
    train: &Bound<'py, PyAny>,
    dev: Option<&Bound<'py, PyAny>>,
    output: PathBuf,
    callback: Bound<'py, PyAny>,
    settings: &Bound<'py, PyDict>,
    threads: Option<usize>,
    limit: Option<usize>,
    tags: &str,
    fresh: bool,
) -> PyResult<(bool, Option<usize>, Option<Bound<'py, PyDict>>)> {
    let mut recipe = read(&recipe)?;
    for (key, value) in self::settings(Some(settings))? {
        recipe.set(&key, value).map_err(crate::border::recipe_error)?;
    }
    let predicted = match tags {
        "given" => false,
        "predicted" => true,
        other => {
            return Err(PyValueError::new_err(format!("tags is \"given\" or \"predicted\", not {other:?}")));
        }
    };
    let (sentences, name) = corpus(Some(train), limit)?;
    let (dev, dev_name) = corpus(dev, None)?;
    let corpus = Corpus { train: sentences, dev };
    let training = Training { recipe, corpus, names: (name, dev_name), fresh };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let pool = pool.map_err(|error| Failure::new("Error", error))?;

    let stop = Arc::new(AtomicBool::new(false));
    let stopping = Arc::clone(&stop);
    let (sender, events) = sync_channel::<Event>(64);
    let (done, result) = sync_channel::<Result<Result<Ended, TrainError>, Failure>>(1);
    pool.spawn(move || {
        let mut watch = |event: Event| {
            // Nobody listens any more when the caller has gone; then the run ends too.
            let heard = sender.send(event).is_ok();
            if heard && !stopping.load(Ordering::Relaxed) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let ended = caught(|| match predicted {
            true => {
                let annotation = Annotation::new(pleach::CATALOGUE.shelf)?;
                train::run_on_predicted_tags(training, &annotation, &output, &mut watch)
            }
            false => train::run(training, &output, &mut watch),
        });
        let _ = done.send(ended);
    });
    // What a callback or Ctrl-C raised; the run is ended at its next safe place before it is raised here.
    let mut raised: Option<PyErr> = None;
    let mut events = events;
    loop {
        let heard;
        (events, heard) = py.detach(move || {
            let heard = events.recv_timeout(Duration::from_millis(50));
            (events, heard)
        });
        match heard {
            Ok(event) if raised.is_none() => {
                let answer = told(py, &event).and_then(|event| callback.call1((event,)));
                match answer {
                    Ok(answer) if answer.is(pyo3::types::PyBool::new(py, false)) => {
                        stop.store(true, Ordering::Relaxed)
                    }
                    Ok(_) => {}
                    Err(error) => raised = Some(error),
                }
            }
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if raised.is_none() {
            raised = py.check_signals().err();
        }
        if raised.is_some() {
            stop.store(true, Ordering::Relaxed);
        }
    }
    let ended = py.detach(move || result.recv());
    if let Some(error) = raised {
        return Err(error);
    }
    let ended =
        ended.map_err(|_| Failure::new("InternalError", "internal error: the training's thread ended"))?;
    let Ended { best, stopped } = ended?.map_err(train_error)?;
    let scores = best.as_ref().map(|(scores, _)| -> PyResult<_> {
        let dict = PyDict::new(py);
        scores.iter().try_for_each(|(name, value)| dict.set_item(name, value))?;
        Ok(dict)
    });
    Ok((stopped, best.as_ref().map(|(_, epoch)| *epoch), scores.transpose()?))
}
