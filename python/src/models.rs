//! Which models and presets there are.

use crate::border::{find_error, guarded, recipe_error};
use pleach::models as found;
use pleach::recipe as recipes;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

fn entry<'py>(
    py: Python<'py>,
    name: &str,
    path: Option<String>,
    size: usize,
    about: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", name)?;
    dict.set_item("path", path)?;
    dict.set_item("size", size)?;
    dict.set_item("about", about)?;
    Ok(dict)
}

/// The built-in models, and those in the user's folder.
#[pyfunction]
#[pyo3(name = "_models")]
pub fn models(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    guarded(|| {
        let mut all = Vec::new();
        for builtin in found::builtin() {
            let size = builtin.open().map_err(crate::border::model_error)?.size();
            all.push(entry(py, builtin.name, None, size, builtin.about)?);
        }
        // A folder that is not there has no models.
        let folder = found::folder();
        let installed =
            folder.map(|folder| found::installed(&folder).unwrap_or_default()).unwrap_or_default();
        for (name, path) in installed {
            let (size, about) = match pleach::model::Model::open(&path) {
                Ok(model) => (model.size(), model.root().family().to_owned()),
                Err(error) => (0, error.to_string()),
            };
            all.push(entry(py, &name, Some(path.display().to_string()), size, &about)?);
        }
        Ok(all)
    })
}

/// What a model is: family, size, stages, provenance.
#[pyfunction]
#[pyo3(name = "_model_info", signature = (model=None))]
pub fn model_info(py: Python<'_>, model: Option<PathBuf>) -> PyResult<Bound<'_, PyDict>> {
    guarded(|| {
        let model = found::find(model.as_deref()).map_err(find_error)?;
        let root = model.root();
        let stages: Vec<String> = root.children().map(|stage| stage.family().to_owned()).collect();
        let dict = PyDict::new(py);
        dict.set_item("family", root.family())?;
        dict.set_item("size", model.size())?;
        dict.set_item("stages", stages)?;
        Ok(dict)
    })
}

/// The names of all presets.
#[pyfunction]
#[pyo3(name = "_presets")]
pub fn presets() -> Vec<String> {
    recipes::preset_names()
}

/// All keys of a preset, or of a recipe file, as TOML.
#[pyfunction]
#[pyo3(name = "_recipe")]
pub fn recipe(name: PathBuf) -> PyResult<String> {
    let recipe = read(&name)?;
    toml::to_string(&recipe).map_err(|error| crate::border::Failure::new("RecipeError", error).into())
}

/// A recipe by its file, or a preset by its name.
pub fn read(name: &std::path::Path) -> PyResult<recipes::Recipe> {
    let found = match name.extension().is_none() && !name.exists() {
        true => recipes::preset(&name.to_string_lossy()),
        false => recipes::read(name),
    };
    found.map_err(recipe_error)
}
