//! Book parsers from training to graphs: every decoder, one page and two.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{model_bytes, parsed, recipe, run_until, treebank};
use pleach::Parser;
use pleach::Workspace;
use pleach::graph::properties::{Edges, Root};
use pleach::graph::{Graph, Sentence};
use pleach::model::Model;
use pleach::model::Scores;
use pleach::recipe::preset_names;
use std::collections::BTreeSet;
use std::path::Path;

fn train(folder: &Path, preset: &str, more: &str) -> Parser {
    let path = folder.join(format!("{preset}.pleach"));
    model_bytes(&recipe(&format!("preset = '{preset}'\n{more}")), &path);
    Parser::open(&path).unwrap()
}

#[test]
fn every_model_learns_a_treebank() {
    let folder = tempfile::tempdir().unwrap();
    let test = treebank(40, 5);
    let presets: Vec<String> = preset_names().into_iter().filter(|name| name.starts_with("book-")).collect();
    assert_eq!(presets.len(), 15);
    for preset in presets {
        let parser = train(folder.path(), &preset, "epochs = 4");
        let graphs = parsed(&parser, &test);
        let scores = Scores::compare(test.iter().map(|sentence| &sentence.graph).zip(&graphs));
        assert!(scores.main() > 70.0, "{preset}: {scores}");
        let edges: Vec<Edges> = graphs.iter().map(|graph| Edges::new(graph, Root::Included)).collect();
        let crossing = edges.iter().filter(|edges| !edges.is_noncrossing()).count();
        let two_pages = preset.ends_with("-nc") || preset.ends_with("-lr");
        assert_eq!(crossing > 0, two_pages, "{preset}");
        assert!(edges.iter().all(|edges| edges.book().pagenumber().upper() <= 2), "{preset}");
    }
}

#[test]
fn threads_and_stops_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe("preset = 'book-m4-lr'\nepochs = 2");
    let run = |threads: usize| {
        let path = folder.path().join(format!("{threads}.pleach"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let bytes = model_bytes(&recipe, &path);
            (bytes, parsed(&Parser::open(&path).unwrap(), &treebank(30, 3)))
        })
    };
    let (one, two) = (run(1), run(2));
    assert!(one == two, "models or parses differ");
    let path = folder.path().join("parts.pleach");
    for events in [3, 14, 20] {
        assert!(run_until(&recipe, &path, events).stopped);
    }
    assert!(model_bytes(&recipe, &path) == one.0, "a stopped run ends with another model");
}

#[test]
fn a_book_explains_its_iterations() {
    let folder = tempfile::tempdir().unwrap();
    let parser = train(folder.path(), "book-m1-lr", "");
    let mut workspace = Workspace::default();
    let texts: Vec<String> =
        treebank(40, 5).iter().map(|sentence| parser.explain(sentence, &mut workspace).unwrap()).collect();
    assert!(texts.iter().all(|text| text.contains("iteration 1: dual") && text.contains("page 2:")));
    assert!(texts.iter().any(|text| text.contains("the best book after")), "{}", texts[0]);
    assert!(texts.iter().any(|text| text.contains("only on page")));
    // One page has no iterations.
    let single = train(folder.path(), "book-m1", "");
    let text = single.explain(&treebank(1, 5)[0], &mut workspace).unwrap();
    assert!(!text.contains("iteration") && text.contains("page 1:"), "{text}");
}

#[test]
fn both_pages_look_at_the_tree_of_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let trees = "epochs = 2\ntrees = 'pseudo'\ntree_epochs = 2\nfolds = 2";
    let parser = train(folder.path(), "book-m4-lr", trees);
    let view = parser.model().root();
    let pages = ["page-1", "page-2"].map(|role| view.role_child(role).unwrap());
    assert!(view.role_child("tree").is_some() && pages.iter().all(|page| page.role_child("tree").is_none()));
    let test = treebank(40, 5);
    let graphs = parsed(&parser, &test);
    let mut section = view.section();
    section.children.retain(|child| child.role != "tree");
    let bare = Model::from_bytes("bare", &Model::to_bytes(&section).unwrap()).unwrap();
    assert_ne!(graphs, parsed(&Parser::new("bare", bare).unwrap(), &test), "the weights saw a tree");
}

/// An arc that has to be there though no page has it gets a label of the model, and so do all others.
#[test]
fn arcs_that_are_ensured_have_labels() {
    let folder = tempfile::tempdir().unwrap();
    for preset in ["book-m1", "book-m4-lr"] {
        let mut parser = train(folder.path(), preset, "epochs = 1");
        let test = treebank(40, 5);
        let before = parsed(&parser, &test);
        parser.options.guarantees = Some("rooted,connected,acyclic".parse().unwrap());
        let after = parsed(&parser, &test);
        assert_ne!(before, after, "{preset}: nothing had to be mended");
        let train = treebank(60, 1);
        let labels = |graphs: &[Graph]| -> BTreeSet<String> {
            graphs.iter().flat_map(Graph::arcs).map(|arc| arc.label.to_string()).collect()
        };
        let known: Vec<Graph> = train.into_iter().map(|sentence| sentence.graph).collect();
        assert!(labels(&after).is_subset(&labels(&known)), "{preset}: {:?}", labels(&after));
    }
}

#[test]
fn sentences_of_any_length_get_graphs() {
    let folder = tempfile::tempdir().unwrap();
    let parser = train(folder.path(), "book-m2-nc", "");
    let mut long = Sentence::from_forms(["dog", "sees", "the", "cat"].iter().cycle().take(1300).copied());
    for token in &mut long.tokens {
        token.xpos = if token.form == "sees" { "V" } else { "N" }.into();
    }
    let sentences = [Sentence::from_forms(["dog"]), Sentence::default(), long];
    let graphs = parsed(&parser, &sentences);
    assert_eq!(graphs.iter().map(Graph::len).collect::<Vec<_>>(), [1, 0, 1300]);
    assert!(graphs[2].arcs().len() > 100);
}

#[test]
fn mistakes_in_recipes_are_named() {
    let wrong = |text: &str| {
        let table: toml::Table = text.parse().unwrap();
        pleach::recipe::complete("r.toml", table).unwrap_err().to_string()
    };
    assert!(wrong("preset = 'book-m1'\nmodel = 'm9'").contains("'model' is m1 to m5"));
    assert!(wrong("preset = 'book-m1'\ncandidates = 0").contains("'candidates' is at least 1"));
    assert!(wrong("preset = 'book-m1'\nstep = 0.0").contains("'step' is above 0"));
    assert!(wrong("preset = 'book-m1'\npages = 'three'").contains("unknown variant"));
}
