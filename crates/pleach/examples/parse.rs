//! From text to arcs with the built-in model.
//!
//! `cargo run --release -p pleach --features english --example parse -- "The company that Mark wants to buy is small."`

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let text = match given.is_empty() {
        true => "The company that Mark wants to buy is small.".to_owned(),
        false => given.join(" "),
    };
    let parser = pleach::english()?;
    for sentence in parser.parse_str(&text)? {
        for arc in sentence.graph.arcs() {
            println!("{} -{}-> {}", sentence.form(arc.head), arc.label, sentence.form(arc.dependent));
        }
        println!();
    }
    Ok(())
}
