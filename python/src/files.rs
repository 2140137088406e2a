//! File objects of Python as Rust's readers and writers.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// A path, or a file object.
pub enum Place {
    Path(PathBuf),
    Object(Py<PyAny>),
}

impl Place {
    /// A str or os.PathLike is a path, what has the method is a file; anything else is none.
    pub fn of(value: &Bound<'_, PyAny>, method: &str) -> PyResult<Option<Place>> {
        if value.is_instance_of::<PyString>() || value.hasattr("__fspath__")? {
            return Ok(Some(Place::Path(value.extract()?)));
        }
        Ok(value.hasattr(method)?.then(|| Place::Object(value.clone().unbind())))
    }

    /// What it is called in messages.
    pub fn name(&self, py: Python<'_>) -> String {
        match self {
            Place::Path(path) => path.display().to_string(),
            Place::Object(object) => {
                let name = object.bind(py).getattr("name").and_then(|name| name.extract::<String>());
                name.unwrap_or_else(|_| "<file object>".to_owned())
            }
        }
    }
}

/// An object with `read`, which gives bytes or text.
pub struct PythonRead {
    pub object: Py<PyAny>,
    pending: Vec<u8>,
    at: usize,
}

impl PythonRead {
    pub fn new(object: Py<PyAny>) -> Self {
        PythonRead { object, pending: Vec::new(), at: 0 }
    }
}

impl Read for PythonRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const PIECE: usize = 1 << 16;
        if self.at == self.pending.len() {
            let more = Python::attach(|py| -> PyResult<Vec<u8>> {
                let piece = self.object.bind(py).call_method1("read", (PIECE,))?;
                if let Ok(bytes) = piece.cast::<PyBytes>() {
                    return Ok(bytes.as_bytes().to_vec());
                }
                if let Ok(text) = piece.cast::<PyString>() {
                    return Ok(text.to_str()?.as_bytes().to_vec());
                }
                let name = crate::given::kind(&piece);
                Err(PyTypeError::new_err(format!("read() gives bytes or str, not {name}")))
            });
            (self.pending, self.at) = (more.map_err(io::Error::other)?, 0);
        }
        let count = buffer.len().min(self.pending.len() - self.at);
        buffer[..count].copy_from_slice(&self.pending[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// An object with `write`, which takes bytes or text.
pub struct PythonWrite {
    object: Py<PyAny>,
    text: bool,
    /// The beginning of a character whose end did not come yet.
    pending: Vec<u8>,
}

impl PythonWrite {
    pub fn new(py: Python<'_>, object: Py<PyAny>) -> PyResult<Self> {
        let text = object.bind(py).is_instance(&py.import("io")?.getattr("TextIOBase")?)?;
        Ok(PythonWrite { object, text, pending: Vec::new() })
    }
}

impl Write for PythonWrite {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = Python::attach(|py| -> PyResult<()> {
            let object = self.object.bind(py);
            if !self.text {
                object.call_method1("write", (PyBytes::new(py, bytes),))?;
                return Ok(());
            }
            self.pending.extend_from_slice(bytes);
            let whole = match std::str::from_utf8(&self.pending) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to(),
            };
            object.call_method1("write", (String::from_utf8_lossy(&self.pending[..whole]),))?;
            self.pending.drain(..whole);
            Ok(())
        });
        done.map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
