//! Word vectors and language models beside a network.

#![allow(clippy::unwrap_used, clippy::panic)]

use pleach_graph::{Graph, NodeId, Sentence};
use pleach_model::Model;
use pleach_parsers::language::{self, LanguageKeys, LanguageRun, Told};
use pleach_parsers::train::{Corpus, Training};
use pleach_parsers::{CATALOGUE, Parser, SHELF};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Every word hangs on the word before it, with the label that its own word says.
fn treebank(sentences: usize, seed: usize) -> Vec<Sentence> {
    let words = ["red", "green", "blue", "old"];
    let sentence = |number: usize| {
        let forms: Vec<&str> =
            (0..3 + (number + seed) % 4).map(|i| words[(number * 7 + i * i + seed) % 4]).collect();
        let mut sentence = Sentence::from_forms(forms.iter().copied());
        for (place, form) in forms.iter().enumerate() {
            let label = if place == 0 { "root" } else { form };
            sentence.graph.insert(NodeId(place as u32), NodeId(place as u32 + 1), label.into());
        }
        sentence
    };
    (0..sentences).map(sentence).collect()
}

const SMALL: &str = "preset = 'biaffine'\nepochs = 30\nrate = 0.01\ndrop_inputs = 0\ndrop_layers = 0\ndrop_heads = 0\naverage = 0\nlayers = 1\nhidden = 16\narc_width = 8\nlabel_width = 8\n\
    characters = 0\ninputs = ''\nbatch = 8\n";

fn train(text: &str, path: &Path) -> Result<Vec<u8>, String> {
    let (small, more): (toml::Table, toml::Table) = (SMALL.parse().unwrap(), text.parse().unwrap());
    let recipe = SHELF.complete("test", small.into_iter().chain(more).collect());
    let recipe = recipe.map_err(|error| error.to_string())?;
    let corpus = Corpus { train: treebank(40, 1), dev: treebank(10, 2) };
    let training = Training { recipe, corpus, names: Default::default(), fresh: true };
    let ended = training.run(CATALOGUE, path, &mut |_| ControlFlow::Continue(()));
    ended.map_err(|error| error.to_string())?;
    Ok(std::fs::read(path).unwrap())
}

fn parsed(parser: &Parser, sentences: &[Sentence]) -> Vec<Graph> {
    let mut sentences = sentences.to_vec();
    sentences.iter_mut().for_each(|sentence| sentence.graph = Graph::new(sentence.len()));
    parser.parse_all(&mut sentences);
    sentences.into_iter().map(|sentence| sentence.graph).collect()
}

fn gold(sentences: &[Sentence]) -> Vec<Graph> {
    sentences.iter().map(|sentence| sentence.graph.clone()).collect()
}

const VECTORS: &str = "5 3\nred 1 0 0\ngreen 0 1 0\nblue 0 0 1\nold 1 1 -1\nscarlet 1 0 0\n";

#[test]
fn word_vectors_are_read_once_and_stay_in_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = (folder.path().join("m.pleach"), folder.path().join("vectors.txt"));
    std::fs::write(&file, VECTORS).unwrap();
    let sentences = treebank(20, 3);
    for (using, most, words) in [("frozen", 5, 5), ("tuned", 5, 5), ("frozen", 0, 4)] {
        let text = format!("vectors = '{}'\nvectors_use = '{using}'\nvectors_most = {most}", file.display());
        train(&text, &path).unwrap();
        std::fs::remove_file(&file).unwrap();
        let parser = Parser::open(&path).unwrap();
        std::fs::write(&file, VECTORS).unwrap();
        let root = parser.model().root();
        assert_eq!(root.scorer()["given"]["vectors"]["words"], words);
        let own = parsed(&parser, &sentences);
        let right = own.iter().zip(gold(&sentences)).filter(|(own, gold)| *own == gold).count();
        assert!(right >= 16, "{using}: {right} of 20");
        // A word that training has not seen is what its vector says, if it was kept: red.
        let mut unseen = sentences.clone();
        for token in unseen.iter_mut().flat_map(|sentence| &mut sentence.tokens) {
            if token.form == "red" {
                token.form = "Scarlet".into();
            }
        }
        if using == "frozen" {
            assert_eq!(parsed(&parser, &unseen) == own, most == 5, "{most}");
        }
    }
}

#[test]
fn what_is_wrong_with_vectors_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = (folder.path().join("m.pleach"), folder.path().join("vectors.txt"));
    let fails = |content: &str| {
        std::fs::write(&file, content).unwrap();
        train(&format!("vectors = '{}'", file.display()), &path).unwrap_err()
    };
    assert!(fails("red 1 2\nblue 1\n").ends_with("vectors.txt: line 2: 1 numbers, expected 2"));
    assert!(fails("red 1 2\nred 1 2\n").contains("line 2: \"red\" has a vector already, on line 1"));
    assert!(fails("2 2\nred 1 x\n").contains("line 2: \"x\" is not a number"));
    let error = train("vectors = '/no/such/file'", &path).unwrap_err();
    assert!(error.contains("/no/such/file: No such file"), "{error}");
    assert!(!path.exists());
}

/// A small run over a text that repeats itself.
fn language_run(folder: &Path, name: &str) -> LanguageRun {
    let text = folder.join("text.txt");
    if !text.exists() {
        let lines: String =
            (0..60).map(|i| format!("The red bird sees a green bird . Old {i} ? blue red .\n")).collect();
        std::fs::write(&text, lines).unwrap();
    }
    let keys = toml::toml! {
        epochs = 2
        batch = 8
        samples = 6
        checkpoint = 4
        [model]
        characters = 8
        words = 8
        buckets = 100
        layers = 2
        hidden = 8
        lexicon = 20
    };
    let keys: LanguageKeys = keys.try_into().unwrap();
    LanguageRun { keys, files: vec![text], output: folder.join(name), fresh: false }
}

fn beside(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.checkpoint", path.display()))
}

#[test]
fn a_killed_run_of_a_language_model_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let whole = language_run(folder.path(), "whole.pleach");
    let killed = folder.path().join("killed.pleach");
    let mut perplexities = Vec::new();
    let mut watch = |told: Told| {
        match told {
            // What a process that was killed here would leave behind.
            Told::Step { progress, .. } if progress.steps == 10 => {
                std::fs::copy(beside(&whole.output), beside(&killed)).unwrap();
            }
            Told::Epoch { perplexity, .. } => perplexities.push(perplexity),
            _ => {}
        }
        ControlFlow::Continue(())
    };
    assert!(whole.run(&mut watch).unwrap());
    assert!(perplexities.iter().all(|p| p.is_finite()));
    let bytes = std::fs::read(&whole.output).unwrap();
    let mut resumed = false;
    let mut watch = |told: Told| {
        resumed |= matches!(told, Told::Resumed(progress) if progress.steps == 8);
        ControlFlow::Continue(())
    };
    let run = LanguageRun { output: killed.clone(), ..whole.clone() };
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    assert!(two.install(|| run.run(&mut watch)).unwrap());
    assert!(resumed && std::fs::read(&killed).unwrap() == bytes);
    assert!(!beside(&killed).exists());
    // Stopped in the ordinary way, with one thread.
    let run = LanguageRun { output: folder.path().join("stopped.pleach"), ..whole.clone() };
    let mut left = 5;
    let mut stop = |_: Told| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(!one.install(|| run.run(&mut stop)).unwrap());
    assert!(one.install(|| run.run(&mut |_| ControlFlow::Continue(()))).unwrap());
    assert!(std::fs::read(&run.output).unwrap() == bytes);
    // Another run does not go on from its checkpoint.
    std::fs::write(beside(&killed), "").unwrap();
    let mut other = LanguageRun { output: killed, ..whole };
    other.keys.seed = 2;
    assert!(other.run(&mut |_| ControlFlow::Continue(())).is_err());
}

#[test]
fn a_language_model_is_an_input() {
    let folder = tempfile::tempdir().unwrap();
    let (path, run) = (folder.path().join("m.pleach"), language_run(folder.path(), "lm.pleach"));
    assert!(run.run(&mut |_| ControlFlow::Continue(())).unwrap());
    let text = format!("lm = '{}'", run.output.display());
    train(&text, &path).unwrap();
    let sentences = treebank(20, 3);
    // The model holds it, without the words that it predicts.
    std::fs::remove_file(&run.output).unwrap();
    let model = Model::open(&path).unwrap();
    assert!(model.root().tensor("lm").is_some());
    let parser = Parser::open(&path).unwrap();
    let own = parsed(&parser, &sentences);
    let right = own.iter().zip(gold(&sentences)).filter(|(own, gold)| *own == gold).count();
    assert!(right >= 5, "{right} of 20");
    let alone: Vec<Graph> =
        sentences.iter().flat_map(|one| parsed(&parser, std::slice::from_ref(one))).collect();
    assert_eq!(own, alone);
    assert!(train(&text, &path).unwrap_err().contains("lm.pleach: No such file"));
    let error = train(&format!("lm = '{}'", path.display()), &path).unwrap_err();
    assert!(error.contains("no language model but a model of the family 'factorization'"), "{error}");
    assert!(language::open(&path).is_err());
}
