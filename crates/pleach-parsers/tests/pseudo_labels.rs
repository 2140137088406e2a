//! Labels that look like the marks of pseudo trees go through training, model files and parsing as they are.

#![allow(clippy::unwrap_used)]

use pleach_graph::{NodeId, Sentence, Text};
use pleach_model::Model;
use pleach_parsers::engine::{GraphEngine, Options};
use pleach_parsers::train::{Corpus, Opened, Training};
use pleach_parsers::{CATALOGUE, SHELF, Workspace};
use std::ops::ControlFlow;

const LABELS: [&str; 8] = ["a&b", "None", "x~R", "x~y~R", "_", "\\", "l#3", "plain"];

/// Small graphs whose words say what their arcs are called: a tree, an arc against it, and two labels of one arc.
fn treebank() -> Vec<Sentence> {
    let sentence = |number: usize| {
        let label = |place: usize| LABELS[(number + place) % LABELS.len()];
        let mut sentence = Sentence::from_forms((0..4).map(|place| format!("w{place}-{}", label(place))));
        let arcs = [(0, 2, 0), (2, 1, 1), (2, 4, 2), (4, 3, 3), (2, 3, 0), (2, 1, 3)];
        for (head, dependent, place) in arcs {
            sentence.graph.insert(NodeId(head), NodeId(dependent), Text::from(label(place)));
        }
        sentence
    };
    (0..LABELS.len()).map(sentence).collect()
}

fn open(preset: &str, settings: &[(&str, &str)]) -> Box<dyn GraphEngine> {
    let mut recipe = SHELF.preset(preset).unwrap();
    recipe.set("epochs", 12).unwrap();
    recipe.set("batch", 1).unwrap();
    for (key, value) in settings {
        recipe.set(key, *value).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.pleach");
    let corpus = Corpus { train: treebank(), dev: treebank() };
    let training = Training { recipe, corpus, names: Default::default(), fresh: true };
    let ended = training.run(CATALOGUE, &path, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(ended.best.unwrap().0.main(), 100.0, "{preset} {settings:?}");
    match CATALOGUE.open(&Model::open(&path).unwrap().root()).unwrap() {
        Opened::Graph(engine) => engine,
        other => unreachable!("{other:?} is no graph parser"),
    }
}

/// Also that merging works with arcs alone, where there are no factors of second order.
#[test]
fn merged_trees_know_such_labels() {
    for tree_model in ["eisner2", "eisner"] {
        let engine = open("merge-linear", &[("tree_model", tree_model)]);
        let mut workspace = Workspace::default();
        let gold = treebank();
        let mut bare = gold.clone();
        // An empty sentence among them, and all at once.
        bare.insert(1, Sentence::default());
        let graphs = engine.graphs(&mut bare, &Options::default(), &mut workspace);
        assert!(graphs[1].is_empty());
        let found = graphs[..1].iter().chain(&graphs[2..]);
        assert!(found.zip(&gold).all(|(graph, gold)| *graph == gold.graph), "{tree_model}");
        for sentence in &gold {
            let told = engine.explain(sentence, &Options::default(), &mut workspace).unwrap();
            assert!(told.contains("tree 3"), "{told}");
            let searched = engine.searched(sentence, &Options::default(), &mut workspace).unwrap();
            assert_eq!(searched.left, [("the filters", searched.gold)]);
            let mut scores = engine.arc_scores(sentence, &mut workspace);
            let labels = scores.labels(NodeId(2), NodeId(1));
            assert_eq!(labels, sentence.graph.labels(NodeId(2), NodeId(1)).cloned().collect::<Vec<_>>());
        }
    }
}
