//! Streams of documents: read on the caller's thread, parsed on others, given in order.

use crate::border::{Failure, guarded};
use crate::document::Document;
use crate::given::Given;
use crate::parser::{Engine, Parsed};
use crate::sentence::Sentence;
use pleach::text::blocks::Blocks;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};
use std::collections::VecDeque;
use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

/// A batch ends with so many bytes of text, however few texts that are.
const BATCH_BYTES: usize = 1 << 18;

/// Batches under way: one is waited for while another keeps the threads busy.
const AHEAD: usize = 2;

/// How often a signal such as Ctrl-C is looked for.
const HEED: Duration = Duration::from_millis(50);

/// Where texts come from.
pub enum Source {
    /// An iterator of Python.
    Texts { items: Py<PyIterator>, as_tuples: bool },
    /// A long text; sentences are given one by one.
    Blocks { blocks: Box<Blocks<Box<dyn Read + Send>>>, name: String },
}

/// What becomes of a text that can't be parsed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    Raise,
    Return,
}

/// What was asked for, at a place of the stream.
enum Slot {
    /// The next result of the batch.
    Parsed(Option<Py<PyAny>>),
    /// An input that is none.
    Bad(PyErr, Option<Py<PyAny>>),
}

struct Job {
    slots: Vec<Slot>,
    parsed: Receiver<Vec<Parsed>>,
}

/// An iterator of parsed documents or sentences; `nlp.pipe` and `nlp.stream` make it.
#[pyclass(frozen, module = "pleach")]
pub struct Pipe(Mutex<State>);

struct State {
    engine: Arc<Engine>,
    pool: Arc<rayon::ThreadPool>,
    source: Option<Source>,
    batch: usize,
    errors: Errors,
    jobs: VecDeque<Job>,
    ready: VecDeque<PyResult<Py<PyAny>>>,
    read: usize,
    given: usize,
    sentences: bool,
}

impl Pipe {
    pub fn new(
        engine: Arc<Engine>,
        pool: Arc<rayon::ThreadPool>,
        source: Source,
        batch: usize,
        errors: Errors,
    ) -> Self {
        let sentences = matches!(source, Source::Blocks { .. });
        let (jobs, ready) = (VecDeque::new(), VecDeque::new());
        let source = Some(source);
        let state = State { engine, pool, source, batch, errors, jobs, ready, read: 0, given: 0, sentences };
        Pipe(Mutex::new(state))
    }
}

impl State {
    /// The next input with its context; none at the end. An error of the source ends the stream.
    fn pull(&mut self, py: Python<'_>) -> Option<(PyResult<Given>, Option<Py<PyAny>>)> {
        match self.source.as_mut()? {
            Source::Texts { items, as_tuples } => {
                let as_tuples = *as_tuples;
                let item = match items.bind(py).clone().next()? {
                    Ok(item) => item,
                    Err(error) => {
                        self.source = None;
                        return Some((Err(error), None));
                    }
                };
                let number = self.read;
                self.read += 1;
                let (item, context) = match as_tuples {
                    false => (item, None),
                    true => match item.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2) {
                        Some(pair) => match (pair.get_item(0), pair.get_item(1)) {
                            (Ok(text), Ok(context)) => (text, Some(context.unbind())),
                            (Err(error), _) | (_, Err(error)) => return Some((Err(error), None)),
                        },
                        None => {
                            let message =
                                format!("text {number}: with as_tuples=True, expected (text, context)");
                            return Some((Err(PyTypeError::new_err(message)), None));
                        }
                    },
                };
                Some((self.take(py, &item, number), context))
            }
            Source::Blocks { blocks, name } => match blocks.next_block() {
                Ok(block) => Some((Ok(Given::Block(Arc::new(block?))), None)),
                Err(error) => {
                    let failure = Failure::new("ReadError", format!("{name}: {error}")).path(name.as_str());
                    self.source = None;
                    Some((Err(failure.into()), None))
                }
            },
        }
    }

    /// One input, or why it is none, with its number in the stream.
    fn take(&self, py: Python<'_>, item: &Bound<'_, PyAny>, number: usize) -> PyResult<Given> {
        let given = Given::new(item).map_err(|error| {
            let text = format!("text {number}: {}", error.value(py));
            let text = if item.is_none() {
                format!("{text}; leave missing values out, or put \"\" in their place")
            } else {
                text
            };
            match error.is_instance_of::<PyTypeError>(py) {
                true => PyTypeError::new_err(text),
                false => PyValueError::new_err(text),
            }
        })?;
        self.engine.check(&given).map_err(|failure| {
            let message = format!("text {number}: {}", failure.message);
            PyErr::from(Failure { message, ..failure })
        })?;
        Ok(given)
    }

    /// Reads a batch and sends it off.
    fn submit(&mut self, py: Python<'_>) {
        let (mut slots, mut given) = (Vec::new(), Vec::new());
        let mut bytes = 0;
        while slots.len() < self.batch && bytes < BATCH_BYTES {
            match self.pull(py) {
                None => {
                    self.source = None;
                    break;
                }
                Some((Ok(item), context)) => {
                    bytes += item.size();
                    given.push(item);
                    slots.push(Slot::Parsed(context));
                }
                Some((Err(error), context)) => {
                    slots.push(Slot::Bad(error, context));
                    if self.errors == Errors::Raise {
                        self.source = None;
                        break;
                    }
                }
            }
        }
        if slots.is_empty() {
            return;
        }
        let (sender, parsed) = sync_channel(1);
        let engine = Arc::clone(&self.engine);
        self.pool.spawn(move || {
            // Nobody waits any more when the iterator is gone.
            let _ = sender.send(engine.all(given));
        });
        self.jobs.push_back(Job { slots, parsed });
    }

    /// Waits for a batch and makes it ready.
    fn finish(&mut self, py: Python<'_>, job: Job) -> PyResult<()> {
        let mut waiting = job.parsed;
        let parsed = loop {
            let heard;
            (waiting, heard) = py.detach(move || {
                let heard = waiting.recv_timeout(HEED);
                (waiting, heard)
            });
            match heard {
                Ok(parsed) => break parsed,
                Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| {
                    self.source = None;
                    self.jobs.clear();
                })?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::new("InternalError", "internal error: a thread ended").into());
                }
            }
        };
        let mut parsed = parsed.into_iter();
        for slot in job.slots {
            let (result, context) = match slot {
                Slot::Bad(error, context) => (Err(error), context),
                Slot::Parsed(context) => {
                    let next = parsed.next().unwrap_or_else(|| Ok(Document::default()));
                    (next.map_err(PyErr::from), context)
                }
            };
            match result {
                Ok(document) if self.sentences => {
                    for cell in document.cells() {
                        self.given += 1;
                        cell.write().set_comment("sent_id", &self.given.to_string());
                        let sentence = Sentence { cell: Arc::clone(cell) };
                        self.ready.push_back(Ok(Py::new(py, sentence)?.into_any()));
                    }
                }
                Ok(document) => {
                    let item = Py::new(py, document)?.into_any();
                    self.ready.push_back(with(py, item, context));
                }
                Err(error) if self.errors == Errors::Return => {
                    let item = error.into_value(py).into_any();
                    self.ready.push_back(with(py, item, context));
                }
                Err(error) => {
                    self.ready.push_back(Err(error));
                    // A generator that has raised is over.
                    self.source = None;
                    self.jobs.clear();
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return item.map(Some);
            }
            while self.jobs.len() < AHEAD && self.source.is_some() {
                self.submit(py);
            }
            let Some(job) = self.jobs.pop_front() else { return Ok(None) };
            self.finish(py, job)?;
        }
    }
}

fn with(py: Python<'_>, item: Py<PyAny>, context: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
    match context {
        None => Ok(item),
        Some(context) => Ok((item, context).into_pyobject(py)?.into_any().unbind()),
    }
}

#[pymethods]
impl Pipe {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        // As with generators, a second thread does not wait: it could hold what this one needs.
        match self.0.try_lock() {
            Ok(mut state) => guarded(|| state.next(py)),
            Err(TryLockError::Poisoned(_)) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                Err(PyValueError::new_err("the pipe is already in use by another thread"))
            }
        }
    }
}
