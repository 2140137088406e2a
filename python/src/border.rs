//! What crosses to Python: errors as `pleach.Error` and its subclasses, and no panic.

use pleach::ParserError;
use pleach::eval::EvalError;
use pleach::formats::{ReadError, WriteError};
use pleach::model::ModelError;
use pleach::models::FindError;
use pleach::recipe::RecipeError;
use pleach::train::TrainError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What an error is, in the words of `pleach/errors.py`.
#[derive(Debug, Default)]
pub struct Failure {
    pub class: &'static str,
    pub message: String,
    pub path: Option<String>,
    pub line: Option<u64>,
    pub column: Option<u64>,
    pub help: Option<String>,
}

impl Failure {
    /// An error of a class.
    pub fn new(class: &'static str, message: impl ToString) -> Self {
        Failure { class, message: message.to_string(), ..Failure::default() }
    }

    /// The same with what to do about it.
    pub fn help(self, help: impl Into<String>) -> Self {
        Failure { help: Some(help.into()), ..self }
    }

    /// The same about a file.
    pub fn path(self, path: impl Into<String>) -> Self {
        Failure { path: Some(path.into()), ..self }
    }

    /// The exception.
    pub fn raise(self, py: Python<'_>) -> PyErr {
        let made = || -> PyResult<PyErr> {
            let keywords = PyDict::new(py);
            keywords.set_item("path", self.path)?;
            keywords.set_item("line", self.line)?;
            keywords.set_item("column", self.column)?;
            keywords.set_item("help", self.help)?;
            let class = py.import("pleach.errors")?.getattr(self.class)?;
            Ok(PyErr::from_value(class.call((self.message,), Some(&keywords))?))
        };
        made().unwrap_or_else(|error| error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        Python::attach(|py| failure.raise(py))
    }
}

/// How pickle gets an object back: a function and its arguments.
pub type Reduced<'py, T> = PyResult<(Bound<'py, PyAny>, T)>;

/// Runs what may panic; a panic is a bug of ours, and no reason to end the user's program.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(work).unwrap_or_else(|failure| Err(failure.into()))
}

/// The same without a lock of Python.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| internal(&*panic))
}

fn internal(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
    Failure::new("InternalError", format!("internal error: {text}"))
        .help("this is a bug in Pleach: please report it with what led to it")
}

/// Panics, so that tests see what becomes of it.
#[pyfunction]
#[pyo3(name = "_check_border")]
#[allow(clippy::panic)]
pub fn check_border(message: String) -> PyResult<()> {
    guarded(|| std::panic::panic_any(message))
}

/// An exception for what the system said of a file.
fn io_error(class: &'static str, file: String, source: &io::Error) -> PyErr {
    // What a file object of Python raised goes on as it was.
    if let Some(error) = source.get_ref().and_then(|inner| inner.downcast_ref::<PyErr>()) {
        return Python::attach(|py| error.clone_ref(py));
    }
    let class = match source.kind() {
        io::ErrorKind::NotFound => "MissingFile",
        _ => class,
    };
    Failure::new(class, format!("{file}: {source}")).path(file).into()
}

pub fn read_error(error: ReadError) -> PyErr {
    let message = error.to_string();
    match error {
        ReadError::Syntax { file, line, column, .. } => {
            let help = "correct the file, or leave such sentences out with on_error=\"skip\"";
            let failure = Failure::new("ReadError", message).path(file).help(help);
            Failure { line: Some(line), column: Some(column), ..failure }.into()
        }
        ReadError::Io { file, source } => io_error("ReadError", file, &source),
        ReadError::Unknown { file, .. } => Failure::new("ReadError", message)
            .path(file)
            .help("name the format, as in format=\"conllu\"; pleach.formats.names() lists them")
            .into(),
    }
}

pub fn write_error(error: WriteError) -> PyErr {
    let message = error.to_string();
    match error {
        WriteError::Unwritable { .. } => Failure::new("WriteError", message)
            .help("write another format, such as \"jsonl\", which has a place for everything")
            .into(),
        WriteError::Io { file, source } => io_error("WriteError", file, &source),
        WriteError::Unknown { file } => Failure::new("WriteError", message)
            .path(file)
            .help("name the format, as in format=\"conllu\"")
            .into(),
    }
}

pub fn model_error(error: ModelError) -> PyErr {
    let message = error.to_string();
    match error {
        ModelError::Io { file, source } if source.kind() == io::ErrorKind::NotFound => {
            Failure::new("MissingModel", message).path(file).help(MODELS).into()
        }
        ModelError::Io { file, .. } => Failure::new("ModelError", message).path(file).into(),
        ModelError::Corrupt { file, .. } => Failure::new("ModelError", message)
            .path(file)
            .help("is it a model file, and was it copied whole? Copy or train it anew")
            .into(),
        ModelError::Version { file, .. } => Failure::new("ModelError", message)
            .path(file)
            .help("train the model anew with this version, or install the version that made it")
            .into(),
    }
}

const MODELS: &str = "pleach.models() lists what there is; pleach.load() is the built-in English model";

pub fn parser_error(error: ParserError) -> PyErr {
    match error {
        ParserError::Model(error) => model_error(error),
        ParserError::Recipe(error) => recipe_error(error),
        ParserError::NoTokenizer => Failure::new(
            "ModelError",
            "the model has no tokenizer: it parses sentences of words, not text",
        )
        .help("give it words, as in nlp([[\"Ann\", \"sleeps\"]]), or train a \"pipeline\", which reads text")
        .into(),
        ParserError::Open { ref file, .. } => Failure::new("ModelError", &error).path(file).into(),
    }
}

pub fn find_error(error: FindError) -> PyErr {
    match error {
        FindError::Parser(error) => parser_error(error),
        FindError::Unknown { .. } => Failure::new("MissingModel", error).help(MODELS).into(),
        FindError::None => Failure::new("MissingModel", "this package was built without a model")
            .help("name a model file, as in pleach.load(\"my.pleach\")")
            .into(),
    }
}

pub fn recipe_error(error: RecipeError) -> PyErr {
    Failure::new("RecipeError", error)
        .help("pleach.presets() lists the presets, pleach.recipe(name) shows all keys of one")
        .into()
}

pub fn train_error(error: TrainError) -> PyErr {
    match error {
        TrainError::Recipe(error) => recipe_error(error),
        TrainError::Model(error) => model_error(error),
        TrainError::OtherRun { ref file, what } => {
            let message = format!("{file} is the checkpoint of a run with another {what}");
            Failure::new("TrainError", message)
                .path(file)
                .help("delete it, or train with fresh=True, to start anew")
                .into()
        }
        other => Failure::new("TrainError", other).into(),
    }
}

pub fn eval_error(error: EvalError<PyErr>) -> PyErr {
    let fit = "gold and system must have the same sentences and words in the same order";
    let nth = |system: usize, error: String| {
        let which = if system == 0 { "system" } else { "the second system" };
        Failure::new("EvalError", format!("gold and {which}: {error}")).help(fit).into()
    };
    match error {
        EvalError::Read(error) => error,
        EvalError::Mismatch { system, error } => nth(system, error.to_string()),
        EvalError::Ud { system, error } => nth(system, error.to_string()),
        EvalError::NoTree(error) => {
            Failure::new("EvalError", error).help("score graphs with metric=\"sdp\" or metric=\"eud\"").into()
        }
    }
}
