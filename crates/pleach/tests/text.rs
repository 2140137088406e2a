//! From raw text to graphs: pipelines, their stages alone, and parsers that were trained on predicted tags.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{model_bytes, run_until, training, treebank};
use pleach::model::Model;
use pleach::recipe::Recipe;
use pleach::text::tokenizer::original;
use pleach::train::Annotation;
use pleach::{Parser, Tags, Workspace};
use std::ops::ControlFlow;
use std::path::Path;

/// A pipeline that is trained in no time.
fn recipe() -> Recipe {
    let quick = "epochs = 3\nbatch = 4";
    let text = format!(
        "preset = 'pipeline-linear'\nfolds = 2\n[tokenizer]\npreset = 'tokenizer'\n{quick}\n[tagger]\npreset = 'tagger'\n{quick}\n\
         [morphology]\npreset = 'morphology'\n{quick}\n[lemmatizer]\npreset = 'lemmatizer'\n{quick}\n\
         [graph]\npreset = 's2s-combined'\nbeam = 4\n{quick}"
    );
    pleach::recipe::parse("test", &text).unwrap()
}

fn parser(folder: &Path) -> Parser {
    let path = folder.join("pipeline.pleach");
    model_bytes(&recipe(), &path);
    Parser::open(&path).unwrap()
}

#[test]
fn a_pipeline_goes_from_text_to_graphs() {
    let folder = tempfile::tempdir().unwrap();
    let parser = parser(folder.path());
    assert!(parser.reads_text() && parser.gives_graphs());
    let text = "\u{feff}the old dog\r\nsees the cat\n\n\nthe fish wants\u{a0}the cat";
    let sentences = parser.parse_text(text, Some(0), &mut Workspace::default()).unwrap();
    assert_eq!(original(&sentences), text);
    assert!(sentences.len() >= 2);
    for sentence in &sentences {
        assert!(sentence.tokens.iter().all(|token| !token.upos.is_empty() && !token.lemma.is_empty()));
        assert!(sentence.tokens.iter().all(|token| token.misc.contains("TokenRange=")));
    }
    assert!(sentences.iter().any(|sentence| !sentence.graph.arcs().is_empty()));
}

#[test]
fn stages_can_be_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let mut parser = parser(folder.path());
    let mut workspace = Workspace::default();
    let mut given = treebank(1, 5).remove(0);
    given.tokens[0].upos = "ODD".into();
    let parsed = |parser: &Parser, workspace: &mut Workspace| {
        let mut sentence = given.clone();
        parser.parse(&mut sentence, workspace);
        sentence
    };
    assert_eq!(parsed(&parser, &mut workspace).tokens[0].upos, "ODD");
    parser.options.tags = Tags::Predicted;
    assert_ne!(parsed(&parser, &mut workspace).tokens[0].upos, "ODD");
    parser.options.tags = Tags::Given;
    given.tokens[0].lemma = "".into();
    let mut bare = given.clone();
    parser.parse(&mut bare, &mut workspace);
    assert!(bare.tokens[0].lemma.is_empty());
}

#[test]
fn every_stage_is_a_model_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = parser(folder.path());
    for name in ["tokenizer", "tagger", "morphology", "lemmatizer"] {
        let path = folder.path().join(format!("{name}.pleach"));
        let mut recipe = pleach::recipe::preset(name).unwrap();
        recipe.set("epochs", 3).unwrap();
        let alone = model_bytes(&recipe, &path);
        // The same stage inside of the pipeline has the same weights.
        let model = Model::from_bytes(name, &alone).unwrap();
        let inside = pipeline.model().root().children().find(|stage| stage.family() == name).unwrap();
        assert_eq!(model.root().tensor("entries"), inside.tensor("entries"), "{name}");
        let stage = Parser::open(&path).unwrap();
        assert_eq!(stage.reads_text(), name == "tokenizer");
        assert!(!stage.gives_graphs());
    }
    // A pipeline can be put together from finished stages.
    let file = |name: &str| folder.path().join(format!("{name}.pleach")).display().to_string();
    let stages = ["tokenizer", "tagger", "morphology", "lemmatizer"]
        .map(|name| format!("{name}.model = '{}'\n", file(name)));
    let text = format!("preset = 'pipeline-linear'\n{}[tree]\n[graph]", stages.concat());
    let path = folder.path().join("joined.pleach");
    model_bytes(&pleach::recipe::parse("test", &text).unwrap(), &path);
    let joined = Parser::open(&path).unwrap();
    assert!(joined.reads_text() && !joined.gives_graphs());
    let taken = format!("preset = 'pipeline-linear'\ntagger.model = '{}'", file("tagger"));
    assert!(pleach::recipe::parse("test", &taken).unwrap_err().to_string().contains("jackknifed"));
}

#[test]
fn a_stopped_pipeline_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let whole = model_bytes(&recipe(), &folder.path().join("whole.pleach"));
    let path = folder.path().join("parts.pleach");
    for events in [3, 40, 120] {
        assert!(run_until(&recipe(), &path, events).stopped);
    }
    assert!(model_bytes(&recipe(), &path) == whole);
}

#[test]
fn parsers_can_be_trained_on_predicted_tags() {
    let folder = tempfile::tempdir().unwrap();
    let given = common::recipe("preset = 's2s-combined'");
    let plain = model_bytes(&given, &folder.path().join("given.pleach"));
    let path = folder.path().join("predicted.pleach");
    let mut annotation = Annotation { folds: 2, ..Annotation::new(pleach::CATALOGUE.shelf).unwrap() };
    for recipe in &mut annotation.recipes {
        recipe.set("epochs", 1).unwrap();
    }
    let mut watch = |_| ControlFlow::Continue(());
    let ended =
        pleach::train::run_on_predicted_tags(training(given), &annotation, &path, &mut watch).unwrap();
    assert!(!ended.stopped && ended.best.is_some());
    assert!(std::fs::read(&path).unwrap() != plain);
    assert!(!folder.path().join("predicted.pleach.stages").exists());
}
