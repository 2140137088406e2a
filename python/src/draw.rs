//! Pictures.

use crate::border::Failure;
use crate::shared::Cell;
use pleach::formats::atomic;
use pleach::graph::Sentence;
use pleach::render::{Basis, Page, Pages, Picture, Scene, Svg, Terminal};
use pyo3::prelude::*;
use std::path::Path;

/// A sentence for a terminal.
pub fn terminal(sentence: &Sentence, width: u16, colour: bool) -> String {
    let terminal = Terminal { width: i32::from(width), colour, pages: Pages::Book };
    terminal.draw(&Picture::new(sentence, Basis::Auto))
}

/// Sentences as one picture.
pub fn svg(cells: &[Cell]) -> String {
    let mut svg = Svg::new(false);
    for cell in cells {
        svg.push(&Scene::new(&Picture::new(&cell.read(), Basis::Auto), Pages::Book), None);
    }
    svg.finish()
}

fn html(cells: &[Cell], title: &str) -> std::io::Result<Vec<u8>> {
    let mut page = Page::new(Vec::new(), title, false)?;
    for (number, cell) in cells.iter().enumerate() {
        let picture = Picture::new(&cell.read(), Basis::Auto);
        let scene = Scene::new(&picture, Pages::Book);
        page.push(number + 1, &picture, &[scene])?;
    }
    page.finish()
}

/// Draws into a file, by its extension.
pub fn render(cells: &[Cell], path: &Path) -> PyResult<()> {
    let name = path.display().to_string();
    let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default().to_ascii_lowercase();
    let unwritten = |error: std::io::Error| {
        PyErr::from(Failure::new("WriteError", format!("{name}: {error}")).path(&name))
    };
    let bytes = match kind.as_str() {
        "html" | "htm" => html(cells, "Pleach").map_err(unwritten)?,
        "svg" => svg(cells).into_bytes(),
        "txt" => {
            let drawn: Vec<String> = cells.iter().map(|cell| terminal(&cell.read(), 100, false)).collect();
            drawn.join("\n").into_bytes()
        }
        _ => {
            let failure = Failure::new("WriteError", format!("{name}: no picture is known for this name"));
            return Err(failure.path(name).help("the name ends in .html, .svg or .txt").into());
        }
    };
    atomic::write(path, &bytes).map_err(unwritten)
}

/// Sentences as one SVG.
#[pyfunction]
pub fn render_svg(sentences: &Bound<'_, PyAny>) -> PyResult<String> {
    let cells = crate::given::all(sentences)?;
    crate::border::guarded(|| Ok(svg(&cells)))
}

/// Sentences as one page.
#[pyfunction]
#[pyo3(signature = (sentences, title="Pleach"))]
pub fn render_html(sentences: &Bound<'_, PyAny>, title: &str) -> PyResult<String> {
    let cells = crate::given::all(sentences)?;
    crate::border::guarded(|| {
        let bytes = html(&cells, title).map_err(|error| Failure::new("WriteError", error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    })
}
