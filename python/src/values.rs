//! JSON and TOML values as Python's, and back.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use serde_json::Value;

/// A Python object of a JSON value.
pub fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number)) => number.into_pyobject(py)?.into_any(),
            (None, None) => PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(items) => {
            let dict = PyDict::new(py);
            for (key, value) in items {
                dict.set_item(key, python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// A value for a key of a recipe.
pub fn setting(value: &Bound<'_, PyAny>) -> PyResult<toml::Value> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(toml::Value::Boolean(value.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(toml::Value::Integer(value.extract()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(toml::Value::Float(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(toml::Value::String(text.to_str()?.to_owned()));
    }
    if let Ok(list) = value.cast::<PyList>() {
        return Ok(toml::Value::Array(list.iter().map(|item| setting(&item)).collect::<PyResult<_>>()?));
    }
    Err(PyTypeError::new_err(format!(
        "a setting is a number, a truth value, a string or a list of them, not {}",
        value.get_type().name()?
    )))
}

/// All settings of a dictionary.
pub fn settings(dict: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, toml::Value)>> {
    let mut all = Vec::new();
    for (key, value) in dict.into_iter().flatten() {
        all.push((key.extract()?, setting(&value)?));
    }
    Ok(all)
}
