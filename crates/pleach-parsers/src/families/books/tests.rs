//! Books from training to graphs, where their keys decide what can be learnt.

use super::{BookRecipe, Books, recipe};
use crate::engine::Options;
use crate::train::{Corpus, Opened, Training};
use crate::workspace::Workspace;
use crate::{CATALOGUE, SHELF};
use pleach_graph::{Graph, NodeId, Sentence};
use pleach_model::Model;
use pleach_model::recipe::Keys;
use std::ops::ControlFlow;

/// A verb between two nouns that are linked over it, so that this arc crosses the root's, and adverbs wherever there is
/// room for one.
fn treebank() -> Vec<Sentence> {
    let patterns = ["n v n", "a n v n", "n a v n", "n v a n", "n v n a", "a n v n a", "a n a v a n a"];
    patterns.iter().map(|pattern| sentence(&pattern.split(' ').collect::<Vec<_>>())).collect()
}

fn sentence(words: &[&str]) -> Sentence {
    let mut sentence = Sentence::from_forms(words.iter().copied());
    sentence.graph = Graph::new(words.len());
    let places = |wanted: &str| -> Vec<u32> {
        let of = words.iter().zip(1..).filter(|(word, _)| **word == wanted);
        of.map(|(_, place)| place).collect()
    };
    let (nouns, verb) = (places("n"), places("v")[0]);
    let mut arcs = vec![(0, verb, "root"), (nouns[0], nouns[1], "like")];
    arcs.extend(nouns.iter().map(|&noun| (verb, noun, "arg")));
    for adverb in places("a") {
        let head = if adverb as usize == words.len() { adverb - 1 } else { adverb + 1 };
        arcs.push((head, adverb, "mod"));
    }
    for (head, dependent, label) in arcs {
        sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
    }
    sentence
}

/// How many sentences a model gets right that was trained on them.
fn learnt(keys: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("book.pleach");
    let epochs = if keys.contains("epochs") { "" } else { "epochs = 8" };
    let table = format!("{epochs}\nbatch = 1\n{keys}").parse().unwrap();
    let recipe = SHELF.complete("test", table).unwrap();
    // A sieve needs sentences to hold out.
    let times = if keys.contains("sieve") { 20 } else { 1 };
    let train = std::iter::repeat_n(treebank(), times).flatten().collect();
    let corpus = Corpus { train, dev: treebank() };
    let training = Training { recipe, corpus, names: ("train".into(), "dev".into()), fresh: true };
    training.run(CATALOGUE, &output, &mut |_| ControlFlow::Continue(())).unwrap();
    let model = Model::open(&output).unwrap();
    let Opened::Graph(engine) = CATALOGUE.open(&model.root()).unwrap() else { panic!("no graphs") };
    let mut workspace = Workspace::default();
    let mut right = 0;
    for gold in treebank() {
        let mut parsed = gold.clone();
        parsed.graph = Graph::new(gold.len());
        let options = Options::default();
        right += usize::from(engine.graph(&mut parsed, &options, &mut workspace) == gold.graph);
        let text = engine.explain(&gold, &options, &mut workspace).unwrap();
        assert_eq!(text.contains("on no page: root -> v/"), keys.contains("apart"), "{text}");
        let searched = engine.searched(&gold, &options, &mut workspace).unwrap();
        assert_eq!(searched.left[0].1, searched.gold, "all gold edges pass the filter");
    }
    right
}

/// One page can't hold a root arc that is crossed, unless the root is apart.
#[test]
fn arcs_of_a_root_apart_can_be_crossed() {
    let all = treebank().len();
    assert_eq!(learnt("preset = 'book-m1'"), 0);
    for preset in ["book-m1", "book-m4", "book-m2-nc", "book-m4-lr"] {
        assert_eq!(learnt(&format!("preset = '{preset}'\nroot = 'apart'")), all, "{preset}");
    }
    assert_eq!(learnt("preset = 'book-m1-lr'"), all);
}

/// What passes the sieve is all that is needed, in training and from a model file.
#[test]
fn a_sieve_keeps_what_is_linked() {
    let all = treebank().len();
    for preset in ["book-m1", "book-m4-lr"] {
        let keys = format!("preset = '{preset}'\nroot = 'apart'\nsieve = 1.0\nepochs = 2");
        assert_eq!(learnt(&keys), all, "{preset}");
    }
}

/// Learning without search is enough where pairs of words decide, and labels are those of the direction.
#[test]
fn local_learning_needs_no_search() {
    let all = treebank().len();
    for keys in ["preset = 'book-m1'\nroot = 'apart'", "preset = 'book-m1-lr'"] {
        assert_eq!(learnt(&format!("{keys}\nloss = 'local'\nepochs = 30")), all, "{keys}");
    }
}

/// Edges are given up where that was measured; a recipe of before, which doesn't say, gives none up.
#[test]
fn one_page_of_m4_gives_up() {
    for name in recipe::presets() {
        let preset = Books.preset(&name).unwrap();
        for scorer in ["linear", "bilstm"] {
            let given = Books.scorer_keys(scorer, &preset).get("give_up").and_then(toml::Value::as_float);
            assert_eq!(given, (name == "book-m4" && scorer == "linear").then_some(1.2), "{name}");
        }
    }
    assert_eq!(BookRecipe::default().give_up, 0.0);
}
