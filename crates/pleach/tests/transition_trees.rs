//! Tree parsers by control parameters: every preset learns a small treebank, and gives trees.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{is_tree, recipe, treebank, trees};
use pleach::Parser;
use pleach::graph::{NodeId, Sentence};
use pleach::train::{Corpus, Training};
use std::ops::ControlFlow;
use std::path::Path;

fn train(text: &str, path: &Path) -> f64 {
    let corpus = Corpus { train: trees(120, 1), dev: trees(40, 2) };
    let names = ("train".into(), "dev".into());
    let training = Training { recipe: recipe(text), corpus, names, fresh: true };
    let ended = pleach::train::run(training, path, &mut |_| ControlFlow::Continue(())).unwrap();
    ended.best.unwrap().0.main()
}

#[test]
fn every_preset_learns_and_gives_trees() {
    let folder = tempfile::tempdir().unwrap();
    for preset in [
        "arc-standard",
        "arc-eager",
        "arc-eager-greedy",
        "easy-first",
        "hybrid",
        "attardi",
        "bounded-easy-first",
        "non-projective-easy-first",
        "bounded-non-projective-easy-first",
    ] {
        for beam in [1, 4] {
            let path = folder.path().join(format!("{preset}-{beam}.pleach"));
            let las = train(&format!("preset = '{preset}'\nbeam = {beam}\nepochs = 5\nmargin = 1"), &path);
            assert!(las > 85.0, "{preset} {beam}: {las}");
            let mut parsed = trees(30, 3);
            Parser::open(&path).unwrap().parse_all(&mut parsed);
            assert!(parsed.iter().all(is_tree), "{preset}");
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let mut again = trees(30, 3);
            pool.install(|| Parser::open(&path).unwrap().parse_all(&mut again));
            assert_eq!(parsed, again);
        }
    }
}

#[test]
fn the_dag_system_learns_graphs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dag.pleach");
    let recipe = recipe("preset = 'dag'\nmargin = 1");
    let corpus = Corpus { train: treebank(120, 1), dev: treebank(40, 2) };
    let names = ("train".into(), "dev".into());
    let training = Training { recipe, corpus, names, fresh: true };
    let ended = pleach::train::run(training, &path, &mut |_| ControlFlow::Continue(())).unwrap();
    let scores = ended.best.unwrap().0;
    assert!(scores.get("LF").unwrap() > 60.0, "{scores}");
    let mut parsed = treebank(30, 3);
    let parser = Parser::open(&path).unwrap();
    assert!(parser.gives_graphs());
    parser.parse_all(&mut parsed);
    // Words with two heads are what trees don't have.
    let heads = |sentence: &Sentence, word: u32| {
        sentence.graph.arcs().iter().filter(|arc| arc.dependent == NodeId(word)).count()
    };
    assert!(parsed.iter().any(|sentence| (1..=sentence.len() as u32).any(|word| heads(sentence, word) > 1)));
}

#[test]
fn settings_are_recipe_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.pleach");
    let own = "preset = 'arc-standard'\ncapacity = 3\ndistance = 2\nroot = 'right'\nmargin = 1";
    assert!(train(own, &path) > 80.0);
    let error = pleach::recipe::parse("r.toml", "preset = 'easy-first'\ndistance = 0").unwrap_err();
    assert!(error.to_string().contains("a number from 1"), "{error}");
    let error = pleach::recipe::parse("r.toml", "preset = 'arc-standard'\ndistance = 5").unwrap_err();
    assert!(error.to_string().contains("at most 1 apart"), "{error}");
    let error = pleach::recipe::parse("r.toml", "preset = 'arc-eager'\nroot = 'left'").unwrap_err();
    assert!(error.to_string().contains("need the root on the right"), "{error}");
}
