//! Files of sentences: reading, writing, converting.

use crate::border::{Failure, guarded, read_error, write_error};
use crate::files::{Place, PythonRead, PythonWrite};
use crate::given::{each, kind};
use crate::sentence::{Sentence, format};
use pleach::formats::{self, Format, Losses, ReadError, ReadOptions, Writer};
use pleach::graph::Sentence as Content;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A file of sentences: an iterator that needs no more memory than one sentence.
///
/// >>> import io, pleach
/// >>> file = io.StringIO("1\tSleep\tsleep\tVERB\t_\t_\t0\troot\t0:root\t_\n\n")
/// >>> reader = pleach.read(file)
/// >>> reader.format, [sentence[0].form for sentence in reader]
/// ('conllu', ['Sleep'])
#[pyclass(frozen, module = "pleach")]
pub struct Reader {
    inner: Mutex<Inner>,
    format: Format,
}

struct Inner {
    reader: formats::Reader,
    skip: bool,
    skipped: u64,
}

impl Inner {
    /// The next sentence; malformed ones are left out if that is wanted.
    fn next(&mut self) -> PyResult<Option<Content>> {
        loop {
            match self.reader.next() {
                None => return Ok(None),
                Some(Ok(sentence)) => return Ok(Some(sentence)),
                Some(Err(ReadError::Syntax { .. })) if self.skip => self.skipped += 1,
                Some(Err(error)) => return Err(read_error(error)),
            }
        }
    }
}

/// Whether malformed sentences are left out.
fn skips(on_error: &str) -> PyResult<bool> {
    match on_error {
        "raise" => Ok(false),
        "skip" => Ok(true),
        other => Err(PyValueError::new_err(format!("on_error is \"raise\" or \"skip\", not {other:?}"))),
    }
}

/// Opens a path or a file object.
pub fn open(
    value: &Bound<'_, PyAny>,
    from: Option<Format>,
    words: Option<PathBuf>,
) -> PyResult<Option<formats::Reader>> {
    let Some(place) = Place::of(value, "read")? else { return Ok(None) };
    let opened = match &place {
        Place::Path(path) => formats::Reader::open_with(path, &ReadOptions { format: from, words }),
        Place::Object(object) => {
            let input = PythonRead::new(object.clone_ref(value.py()));
            formats::Reader::from_read(&place.name(value.py()), Box::new(input), from)
        }
    };
    opened.map(Some).map_err(read_error)
}

fn expected(value: &Bound<'_, PyAny>, what: &str) -> PyErr {
    PyTypeError::new_err(format!("expected {what}, not {}", kind(value)))
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (source, format=None, *, on_error="raise", words=None))]
    fn new(
        source: &Bound<'_, PyAny>,
        format: Option<&str>,
        on_error: &str,
        words: Option<PathBuf>,
    ) -> PyResult<Self> {
        let skip = skips(on_error)?;
        let from = format.map(self::format).transpose()?;
        guarded(|| {
            let reader =
                open(source, from, words)?.ok_or_else(|| expected(source, "a path or a file object"))?;
            let format = reader.format();
            Ok(Reader { inner: Mutex::new(Inner { reader, skip, skipped: 0 }), format })
        })
    }

    /// The format's name.
    #[getter]
    fn format(&self) -> &'static str {
        self.format.name()
    }

    /// How many malformed sentences were left out so far.
    #[getter]
    fn skipped(&self) -> u64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).skipped
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Sentence>> {
        guarded(|| {
            // Another thread may hold the lock and want Python's: never wait with both.
            let next = py.detach(|| self.inner.lock().unwrap_or_else(PoisonError::into_inner).next());
            Ok(next?.map(Sentence::of))
        })
    }

    fn __repr__(&self) -> String {
        format!("<Reader of {}>", self.format.name())
    }
}

/// Opens what is written to.
fn create(py: Python<'_>, target: &Bound<'_, PyAny>, to: Option<Format>) -> PyResult<Writer> {
    match Place::of(target, "write")? {
        Some(Place::Path(path)) => Writer::create(&path, to).map_err(write_error),
        Some(Place::Object(object)) => {
            let to = to.ok_or_else(|| {
                Failure::new("WriteError", "a file object does not say which format to write")
                    .help("name it, as in format=\"conllu\"")
            })?;
            Ok(Writer::to_write(Box::new(PythonWrite::new(py, object)?), to))
        }
        None => Err(expected(target, "a path or a file object")),
    }
}

fn lost<'py>(py: Python<'py>, losses: &Losses) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (loss, count) in losses.iter() {
        dict.set_item(loss.name(), count)?;
    }
    Ok(dict)
}

/// Writes sentences; gives what the format had no place for, with counts.
#[pyfunction]
#[pyo3(signature = (sentences, target, format=None))]
pub fn write<'py>(
    py: Python<'py>,
    sentences: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    format: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let to = format.map(self::format).transpose()?;
    guarded(|| {
        let mut writer = create(py, target, to)?;
        each(sentences, &mut |cell| writer.write(&cell.read()).map_err(write_error))?;
        lost(py, &writer.finish().map_err(write_error)?)
    })
}

/// Reads a file and writes another; gives counts and losses.
#[pyfunction]
#[pyo3(signature = (source, target, *, from_format=None, to_format=None, on_error="raise", words=None))]
pub fn convert<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    from_format: Option<&str>,
    to_format: Option<&str>,
    on_error: &str,
    words: Option<PathBuf>,
) -> PyResult<Bound<'py, PyDict>> {
    let (from, to) = (from_format.map(format).transpose()?, to_format.map(format).transpose()?);
    let skip = skips(on_error)?;
    guarded(|| {
        let reader = open(source, from, words)?.ok_or_else(|| expected(source, "a path or a file object"))?;
        let mut writer = create(py, target, to)?;
        let (from, to) = (reader.format(), writer.format());
        let mut inner = Inner { reader, skip, skipped: 0 };
        let (mut sentences, mut tokens) = (0_u64, 0_u64);
        loop {
            // In portions, so that Ctrl-C is heard.
            let ended = py.detach(|| -> PyResult<bool> {
                for _ in 0..4096 {
                    let Some(sentence) = inner.next()? else { return Ok(true) };
                    match writer.write(&sentence) {
                        Ok(()) => {}
                        Err(formats::WriteError::Unwritable { .. }) if skip => {
                            inner.skipped += 1;
                            continue;
                        }
                        Err(error) => return Err(write_error(error)),
                    }
                    sentences += 1;
                    tokens += sentence.len() as u64;
                }
                Ok(false)
            })?;
            py.check_signals()?;
            if ended {
                break;
            }
        }
        let losses = writer.finish().map_err(write_error)?;
        let dict = PyDict::new(py);
        dict.set_item("from", from.name())?;
        dict.set_item("to", to.name())?;
        dict.set_item("sentences", sentences)?;
        dict.set_item("tokens", tokens)?;
        dict.set_item("skipped", inner.skipped)?;
        dict.set_item("losses", lost(py, &losses)?)?;
        Ok(dict)
    })
}

/// The names of all formats.
#[pyfunction]
#[pyo3(name = "_formats")]
pub fn format_names() -> Vec<&'static str> {
    Format::ALL.into_iter().map(Format::name).collect()
}
