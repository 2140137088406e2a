//! Looks into the search of a book parser: `cargo run --release --example book_report -- MODEL FILE [KEY=VALUE]…`, where the
//! keys are recipe keys that only parsing depends on.
//!
//! Prints how much of the file's graphs one and two pages hold, the recall of the filter, the share of search errors,
//! after how many iterations the pages were bound, and the time by length.

use pleach::Parser;
use pleach::families::books::{Kept, Report};
use pleach::formats::Reader;
use pleach::graph::Sentence;
use pleach::graph::properties::Root;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(model), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: book_report MODEL FILE [KEY=VALUE]...".into());
    };
    let mut settings = toml::Table::new();
    for argument in arguments {
        let (key, value) = argument.split_once('=').ok_or("settings are KEY=VALUE")?;
        // What is no TOML is text without its quotes.
        let setting = format!("{key} = {value}").parse().or_else(|_| format!("{key} = '{value}'").parse());
        settings.extend::<toml::Table>(setting?);
    }
    let sentences: Vec<Sentence> = Reader::open(Path::new(&file), None)?.collect::<Result<_, _>>()?;
    for (name, root) in [("with the root", Root::Included), ("without the root", Root::Excluded)] {
        let kept = Kept::count(&sentences, root);
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        println!(
            "{name}: one page holds {:.2} % of the edges, two {:.2} %, and {:.2} % of the graphs whole",
            share(kept.one, kept.edges),
            share(kept.two, kept.edges),
            share(kept.whole, kept.graphs)
        );
    }
    let parser = Parser::open(Path::new(&model))?.with(&settings)?;
    print!("{}", Report::measure(&parser.model().root(), pleach::CATALOGUE, &sentences)?);
    Ok(())
}
