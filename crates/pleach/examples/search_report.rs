//! Looks into the search of graph parsers:
//! `cargo run --release --example search_report -- PLOT.svg [KEY=VALUE …] NAME MODEL FILE …`.
//!
//! The keys are recipe keys that only parsing depends on. Prints, for every name with its model and gold file, the recall
//! of the candidates and after how many iterations the models agreed and were proved to have found the best graph; the
//! curves of agreement, which is what the papers call exact, go into the picture.

use pleach::Parser;
use pleach::decode::relax::Certificate;
use pleach::formats::Reader;
use pleach::graph::Sentence;
use pleach_lab::experiment::{Curve, draw_curves};
use pleach_lab::relaxed::{ITERATIONS, Relaxed};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (settings, arguments): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.contains('='));
    let settings: toml::Table = settings.join("\n").parse()?;
    let Some((plot, rest)) =
        arguments.split_first().filter(|(_, rest)| !rest.is_empty() && rest.len() % 3 == 0)
    else {
        return Err("usage: search_report PLOT.svg [KEY=VALUE …] NAME MODEL FILE …".into());
    };
    let mut curves = Vec::new();
    for run in rest.chunks(3) {
        let [name, model, file] = run else { continue };
        let sentences: Vec<Sentence> = Reader::open(Path::new(file), None)?.collect::<Result<_, _>>()?;
        let parser = Parser::open(Path::new(model))?.with(&settings)?;
        let Some(report) = Relaxed::measure(&parser, &sentences) else {
            let known = parser.model().root().family().to_owned();
            return Err(format!("{model}: models of family {known} have nothing to tell").into());
        };
        println!("## {name}\n\n{report}");
        let points = ITERATIONS
            .iter()
            .map(|&iterations| Some(report.within(iterations, Certificate::is_feasible)))
            .collect();
        curves.push(Curve { name: name.clone(), points });
    }
    let values = ITERATIONS.map(|iterations| iterations.to_string());
    std::fs::write(
        plot,
        draw_curves("Sentences whose models agreed, in percent", "iterations", &values, &curves),
    )?;
    Ok(())
}
