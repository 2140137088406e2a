//! Draws a graph for the terminal, and as SVG into a file.
//!
//! `cargo run -p pleach --example draw -- graph.svg`

use pleach::graph::{Graph, Sentence};
use pleach::render::{Basis, Pages, Picture, Scene, Svg, Terminal};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut sentence = Sentence::from_forms(["Mark", "wants", "to", "sleep"]);
    let arcs = [(0, 2, "root"), (2, 1, "nsubj"), (4, 1, "nsubj:xsubj"), (4, 3, "mark"), (2, 4, "xcomp")];
    sentence.graph = Graph::from_tuples(sentence.len(), arcs)?;

    let picture = Picture::new(&sentence, Basis::Auto);
    println!("{}", Terminal::default().draw(&picture));
    if let Some(path) = std::env::args().nth(1) {
        let mut svg = Svg::new(false);
        svg.push(&Scene::new(&picture, Pages::Book), None);
        std::fs::write(path, svg.finish())?;
    }
    Ok(())
}
