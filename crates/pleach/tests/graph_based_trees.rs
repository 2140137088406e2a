//! Graph-based tree parsers: every preset learns a small treebank and gives trees, whatever the threads.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{is_tree, trees};
use pleach::graph::Sentence;
use pleach::recipe::Recipe;
use pleach::train::{Corpus, Training};
use pleach::{Parser, Workspace};
use std::ops::ControlFlow;
use std::path::Path;

fn train(text: &str, path: &Path) -> f64 {
    let recipe = pleach::recipe::parse("test", &format!("epochs = 4\nbatch = 4\n{text}")).unwrap();
    let corpus = Corpus { train: trees(120, 1), dev: trees(40, 2) };
    let names = ("train".into(), "dev".into());
    let training = Training { recipe, corpus, names, fresh: true };
    let ended = pleach::train::run(training, path, &mut |_| ControlFlow::Continue(())).unwrap();
    ended.best.unwrap().0.main()
}

#[test]
fn every_preset_learns_and_gives_trees() {
    let folder = tempfile::tempdir().unwrap();
    for preset in ["eisner", "eisner2", "cle", "eisner2-rearranged"] {
        let run = |threads: usize| {
            let path = folder.path().join(format!("{preset}-{threads}.pleach"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let score = pool.install(|| train(&format!("preset = '{preset}'"), &path));
            assert!(score > 90.0, "{preset}: {score}");
            (std::fs::read(&path).unwrap(), Parser::open(&path).unwrap())
        };
        let ((one, mut parser), (two, _)) = (run(1), run(2));
        assert!(one == two, "{preset}: the models differ");
        for heads in [None, Some(1), Some(3)] {
            parser.options.search.beam = heads;
            let mut parsed = trees(40, 5);
            parser.parse_all(&mut parsed);
            assert!(parsed.iter().all(is_tree), "{preset} with {heads:?} heads");
        }
    }
}

#[test]
fn long_sentences_come_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.pleach");
    train("preset = 'eisner2'", &path);
    let parser = Parser::open(&path).unwrap();
    let mut workspace = Workspace::default();
    for len in [0, 1, 499, 500, 501, 1203] {
        let mut sentence = Sentence::from_forms((0..len).map(|i| ["dog", "sees", "old"][i % 3]));
        parser.parse(&mut sentence, &mut workspace);
        assert!(len == 0 || is_tree(&sentence), "{len} words");
    }
}

#[test]
fn recipes_that_make_no_sense_are_refused() {
    for (text, message) in [
        ("preset = 'cle'\norder = 2", "'rearranged'"),
        ("preset = 'eisner2-rearranged'\norder = 1", "'spanning'"),
        ("preset = 'eisner'\norder = 3", "1 or 2"),
        ("preset = 'eisner'\nheads = 0", "at least 1"),
        ("preset = 'eisner'\nbeam = 4", "no key 'beam'"),
    ] {
        let error = pleach::recipe::parse("r", text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
