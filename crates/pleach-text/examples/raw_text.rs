//! Prints the raw text that a treebank was made from: `cargo run --example raw_text dev.conllu > dev.txt`.

use std::io::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: raw_text TREEBANK")?;
    let sentences = pleach_formats::read_file(Path::new(&path))?;
    std::io::stdout().write_all(pleach_text::surface::raw_text(&sentences).as_bytes())?;
    Ok(())
}
