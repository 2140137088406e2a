//! Networks in the searches of the families: what a small treebank teaches them, and that they decode exactly.

use super::vote_section;
use crate::engine::Options;
use crate::train::{Corpus, Opened, Training};
use crate::workspace::Workspace;
use crate::{CATALOGUE, SHELF};
use pleach_graph::{Graph, NodeId, Sentence, Text, Tree};
use pleach_model::Model;
use std::ops::ControlFlow;

/// A verb between nouns, adverbs wherever there is room for one; the nouns are linked as well, in graphs.
fn treebank() -> Vec<Sentence> {
    let patterns = ["n v n", "a n v n", "n a v n", "n v a n", "n v n a", "a n v n a", "a n a v a n a"];
    patterns.iter().map(|pattern| sentence(&pattern.split(' ').collect::<Vec<_>>())).collect()
}

fn sentence(words: &[&str]) -> Sentence {
    let mut sentence = Sentence::from_forms(words.iter().copied());
    let places = |wanted: &str| -> Vec<u16> {
        words.iter().zip(1..).filter(|(word, _)| **word == wanted).map(|(_, place)| place).collect()
    };
    let (nouns, verb) = (places("n"), places("v")[0]);
    let mut heads = vec![(0, "root"); words.len()];
    for &noun in &nouns {
        heads[usize::from(noun) - 1] = (verb, "arg");
    }
    for adverb in places("a") {
        let head = if usize::from(adverb) == words.len() { adverb - 1 } else { adverb + 1 };
        heads[usize::from(adverb) - 1] = (head, "mod");
    }
    let tree = Tree {
        heads: heads.iter().map(|(head, _)| *head).collect(),
        labels: heads.iter().map(|(_, label)| Text::from(*label)).collect(),
    };
    tree.write(&mut sentence);
    sentence.graph = Graph::new(words.len());
    for ((head, label), dependent) in heads.iter().zip(1..) {
        sentence.graph.insert(NodeId((*head).into()), NodeId(dependent), (*label).into());
    }
    sentence.graph.insert(NodeId(nouns[0].into()), NodeId(nouns[1].into()), "like".into());
    sentence
}

/// A small network.
const SMALL: &str = "epochs = 40\nbatch = 2\nshards = 1\ninputs = 'form:12'\nat_least = 1\ncharacters = 0\nlayers = 1\n\
                     hidden = 16\narc_width = 16\nlabel_width = 12\nposition_width = 24\nrate = 0.01\nwarm_up = 5\n\
                     drop_inputs = 0.0\ndrop_layers = 0.0\ndrop_heads = 0.0\naverage = 0.9\n";

/// A model that was trained on the treebank.
fn train(keys: &str) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("model.pleach");
    let recipe = SHELF.complete("test", keys.parse().unwrap()).unwrap();
    let corpus = Corpus { train: treebank(), dev: treebank() };
    let training = Training { recipe, corpus, names: ("train".into(), "dev".into()), fresh: true };
    training.run(CATALOGUE, &output, &mut |_| ControlFlow::Continue(())).unwrap();
    Model::open(&output).unwrap()
}

/// How many sentences of the treebank a model gets right.
fn right(model: &Model) -> usize {
    let (mut workspace, options) = (Workspace::default(), Options::default());
    let gold = treebank();
    match CATALOGUE.open(&model.root()).unwrap() {
        Opened::Graph(engine) => {
            let mut sentences = gold.clone();
            sentences.iter_mut().for_each(|sentence| sentence.graph = Graph::new(sentence.len()));
            let graphs = engine.graphs(&mut sentences, &options, &mut workspace);
            graphs.iter().zip(&gold).filter(|(graph, gold)| **graph == gold.graph).count()
        }
        Opened::Tree(engine) => {
            let trees = engine.trees(&gold.iter().collect::<Vec<_>>(), &options, &mut workspace);
            trees.iter().zip(&gold).filter(|(tree, gold)| Some(*tree) == Tree::of(gold).as_ref()).count()
        }
        _ => panic!("neither graphs nor trees"),
    }
}

/// How many sentences of the treebank a small network gets right that was trained on it.
fn learnt(keys: &str) -> usize {
    right(&train(&format!("{SMALL}{keys}")))
}

#[test]
fn networks_learn_trees() {
    for preset in ["eisner-bilstm", "cle-bilstm", "arc-eager-bilstm"] {
        let right = learnt(&format!("preset = '{preset}'"));
        assert!(right >= 6, "{preset}: {right}");
    }
}

#[test]
fn networks_learn_graphs_with_a_transition_system() {
    for keys in ["preset = 'sl-bilstm'", "preset = 'sl-bilstm'\npairs = false", "preset = 's2s-bilstm'"] {
        let right = learnt(keys);
        assert!(right >= 6, "{keys}: {right}");
    }
}

/// Labels that are scored by themselves are learnt with the choices, greedily and with a beam, by all systems.
#[test]
fn labels_are_learnt_apart_from_actions() {
    for preset in ["st-combined", "ss-combined", "s2s-combined", "sl-combined", "sl-standard"] {
        for search in ["beam = 1\nexplore = 0.3", "beam = 1", "beam = 4"] {
            let keys =
                format!("preset = '{preset}'\n{search}\nlabelling = 'factored'\nepochs = 12\nbatch = 1");
            let model = train(&keys);
            let sets = model.root().scorer().to_string();
            assert!(sets.contains("\"labels\""), "{sets}");
            let right = right(&model);
            assert!(right >= 6, "{keys}: {right}");
        }
    }
    for short in [false, true] {
        let model = train(&format!("preset = 'sl-fast'\nepochs = 12\nbatch = 1\nshort_rows = {short}"));
        assert_eq!(model.root().tensor("short").is_some(), short);
        assert!(right(&model) >= 6);
    }
}

/// Cards of models that were made before there was a choice don't say how labels are scored: with the actions.
#[test]
fn models_that_say_nothing_of_labels_have_them_in_their_actions() {
    let keys = "system = 'sl'\nbeam = 1".parse::<toml::Table>().unwrap();
    let recipe: super::transition::TransitionRecipe = keys.try_into().unwrap();
    assert_eq!(recipe.labelling, super::transition::Labelling::Joint);
}

#[test]
fn labels_apart_are_learnt_with_margins() {
    let table = "preset = 'sl-combined'\nlabelling = 'factored'\nloss = 'local'".parse().unwrap();
    let error = SHELF.complete("test", table).unwrap_err().to_string();
    assert!(error.contains("margin"), "{error}");
}

/// With a network of their own each, or with one for all three.
#[test]
fn networks_learn_trees_to_be_merged() {
    for keys in ["preset = 'merge-bilstm'", "preset = 'merge-bilstm'\nshare = false"] {
        let right = learnt(keys);
        assert!(right >= 6, "{keys}: {right}");
    }
}

#[test]
fn shared_networks_want_local_losses() {
    let table = "preset = 'merge-linear'\nshare = true".parse().unwrap();
    let error = SHELF.complete("test", table).unwrap_err().to_string();
    assert!(error.contains("learn locally"), "{error}");
}

/// Linear models and networks vote with each other, and converted weights parse as well.
#[test]
fn networks_vote_and_are_converted() {
    let linear = train("preset = 'sl-combined'\nepochs = 6\nbatch = 1");
    let neural = train(&format!("{SMALL}preset = 'sl-bilstm'"));
    let roots = [linear.root(), neural.root(), neural.root()];
    let bytes = Model::to_bytes(&vote_section(&roots, 0.5)).unwrap();
    let vote = Model::from_bytes("vote", &bytes).unwrap();
    assert_eq!(right(&vote), right(&neural));
    let root = vote.root();
    let (section, changed) = CATALOGUE.rewrite(&root, "int8").unwrap();
    assert_eq!(changed, 2);
    let converted = Model::from_bytes("converted", &Model::to_bytes(&section).unwrap()).unwrap();
    assert!(right(&converted) + 1 >= right(&vote));
    let error = CATALOGUE.rewrite(&root, "f8").unwrap_err().to_string();
    assert!(error.contains("'int8', not 'f8'"), "{error}");
}
