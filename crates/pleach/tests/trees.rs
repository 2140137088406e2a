//! Graph parsers that look at trees: the tree parsers are trained on the way and lie inside the model.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{model_bytes, recipe, run_until, treebank};
use pleach::graph::{NodeId, Sentence, Tree};
use pleach::model::Model;
use pleach::train::{Corpus, Event, TrainError, Training};
use pleach::{Parser, Workspace};
use std::ops::ControlFlow;

const PSEUDO: &str = "trees = 'pseudo'\ntree_parser = 'eisner'\ntree_epochs = 2\nfolds = 3";

fn with_trees(mut sentences: Vec<Sentence>) -> Vec<Sentence> {
    for sentence in &mut sentences {
        let len = sentence.len() as u32;
        for (i, token) in sentence.tokens.iter_mut().enumerate() {
            let next = i as u32 + 2;
            token.head = Some(if next > len { NodeId::ROOT } else { NodeId(next) });
            token.deprel = if next > len { "root".into() } else { token.upos.clone() };
        }
    }
    sentences
}

#[test]
fn the_tree_parser_is_inside_the_model_and_feeds_the_features() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.pleach");
    let bytes = model_bytes(&recipe(PSEUDO), &path);
    assert!(!folder.path().join("m.pleach.stages").exists(), "a finished run leaves no stages");
    let parser = Parser::open(&path).unwrap();
    let view = parser.model().root();
    let tree = view.role_child("tree").unwrap();
    assert_eq!(tree.provenance().unwrap().preset(), "eisner");
    assert_eq!(tree.provenance().unwrap().sentences, 40);
    let mut parsed = treebank(30, 3);
    parser.parse_all(&mut parsed);
    assert!(parsed.iter().any(|sentence| !sentence.graph.is_empty()));
    assert!(parsed.iter().all(|sentence| Tree::of(sentence).is_none()), "the pseudo tree is not shown");

    // Without the tree parser, the same weights give other graphs.
    let mut section = view.section();
    section.children.clear();
    let bare = Parser::new("bare", Model::from_bytes("bare", &Model::to_bytes(&section).unwrap()).unwrap());
    let mut others = treebank(30, 3);
    bare.unwrap().parse_all(&mut others);
    assert_ne!(parsed, others);
    assert_ne!(bytes, model_bytes(&recipe(""), &path));
}

#[test]
fn stages_survive_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe(PSEUDO);
    let whole = model_bytes(&recipe, &folder.path().join("whole.pleach"));
    let path = folder.path().join("parts.pleach");
    // In the first fold, in the last one, in the tree parser for all, and in the graph parser.
    for events in [3, 12, 6, 5, 9] {
        assert!(run_until(&recipe, &path, events).stopped);
    }
    assert!(model_bytes(&recipe, &path) == whole, "the models differ");
}

#[test]
fn folds_are_trained_on_the_others_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut sizes = Vec::new();
    let mut watch = |event: Event| {
        if let Event::Prepared { sentences, .. } = event {
            sizes.push(sentences);
        }
        ControlFlow::Continue(())
    };
    pleach::train::run(common::training(recipe(PSEUDO)), &folder.path().join("m.pleach"), &mut watch)
        .unwrap();
    // 40 sentences in folds of 13, 13 and 14.
    assert_eq!(sizes, [27, 27, 26, 40, 40]);
}

#[test]
fn syntactic_trees_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.pleach");
    let text = PSEUDO.replace("pseudo", "syntactic");
    let training = |train: Vec<Sentence>| Training {
        recipe: recipe(&text),
        corpus: Corpus { train, dev: with_trees(treebank(20, 2)) },
        names: Default::default(),
        fresh: false,
    };
    let go = &mut |_: Event| ControlFlow::Continue(());
    let error = pleach::train::run(training(treebank(40, 1)), &path, go).unwrap_err();
    assert!(matches!(error, TrainError::Family(_)), "{error}");
    assert!(error.to_string().contains("sentence 1 has no tree"), "{error}");
    pleach::train::run(training(with_trees(treebank(40, 1))), &path, go).unwrap();
    let parser = Parser::open(&path).unwrap();
    let mut sentence = treebank(1, 5).remove(0);
    parser.parse(&mut sentence, &mut Workspace::default());
    assert!(pleach::recipe::parse("r", "trees = 'pseudo'\nfolds = 1").is_err());
    assert!(pleach::recipe::parse("r", "trees = 'pseudo'\ntree_parser = 'nothing'").is_err());
}
