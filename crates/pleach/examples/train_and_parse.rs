//! Trains a tiny parser and parses a sentence with it.
//!
//! `cargo run --release -p pleach --example train_and_parse`

use pleach::formats::{Format, Reader};
use pleach::graph::Sentence;
use pleach::train::{self, Corpus, Training};
use pleach::{Parser, Workspace};
use std::error::Error;
use std::ops::ControlFlow;

const TREEBANK: &str = "\
1\tMark\tMark\tPROPN\tNNP\t_\t2\tnsubj\t2:nsubj|4:nsubj:xsubj\t_
2\twants\twant\tVERB\tVBZ\t_\t0\troot\t0:root\t_
3\tto\tto\tPART\tTO\t_\t4\tmark\t4:mark\t_
4\tsleep\tsleep\tVERB\tVB\t_\t2\txcomp\t2:xcomp\t_

1\tAnn\tAnn\tPROPN\tNNP\t_\t2\tnsubj\t2:nsubj\t_
2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t0:root\t_

";

fn main() -> Result<(), Box<dyn Error>> {
    let reader = Reader::from_read("treebank", Box::new(TREEBANK.as_bytes()), Some(Format::Conllu))?;
    let train = reader.collect::<Result<Vec<Sentence>, _>>()?;
    let mut recipe = pleach::recipe::preset("s2s-combined")?;
    recipe.set("beam", 4)?;
    recipe.set("epochs", 5)?;
    let names = ("treebank".to_owned(), String::new());
    let corpus = Corpus { train: train.clone(), dev: Vec::new() };
    let training = Training { recipe, corpus, names, fresh: true };
    let model = train::in_memory(training, &mut |_| ControlFlow::Continue(()))?.ok_or("it was stopped")?;

    let parser = Parser::new("example", model)?;
    let mut sentence = train[0].clone();
    parser.parse(&mut sentence, &mut Workspace::default());
    for arc in sentence.graph.arcs() {
        println!("{} -{}-> {}", arc.head, arc.label, arc.dependent);
    }
    Ok(())
}
