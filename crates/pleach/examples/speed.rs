//! Speed of a model.
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut parser = pleach::Parser::open(std::path::Path::new(&args[1])).unwrap();
    let sentences = pleach::formats::read_file(std::path::Path::new(&args[2])).unwrap();
    let tokens: usize = sentences.iter().map(|s| s.len()).sum();
    for beam in args[3..].iter().map(|b| b.parse::<usize>().unwrap()) {
        parser.beam = Some(beam);
        let mut all = sentences.clone();
        let start = Instant::now();
        let mut ws = pleach::engine::Workspace::default();
        for s in &mut all {
            parser.parse(s, &mut ws);
        }
        println!("beam {beam}: {:.0} tok/s", tokens as f64 / start.elapsed().as_secs_f64());
    }
}
