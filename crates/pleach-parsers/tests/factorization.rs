//! Factorization parsers of first order: what is learnt locally, without a filter, and heads for all words.

#![allow(clippy::unwrap_used, clippy::panic)]

use pleach_eval::graph::GraphScores;
use pleach_graph::{Graph, NodeId, Sentence};
use pleach_model::{Model, Scores};
use pleach_parsers::engine::{GraphEngine, Options};
use pleach_parsers::train::{Corpus, Opened, Training};
use pleach_parsers::{CATALOGUE, SHELF, Workspace};
use std::ops::ControlFlow;

/// Verbs hang on the root, nouns on all verbs beside them, articles on the noun behind them; other words on nothing.
fn treebank(sentences: usize, seed: u64) -> Vec<Sentence> {
    let mut state = seed;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % limit
    };
    let words = [("dog", "N"), ("cat", "N"), ("sees", "V"), ("wants", "V"), ("the", "D"), ("oh", "I")];
    let mut sentence = |_| {
        let chosen: Vec<(&str, &str)> = (0..3 + below(7)).map(|_| words[below(6) as usize]).collect();
        let mut sentence = Sentence::from_forms(chosen.iter().map(|(form, _)| *form));
        for (place, (token, &(form, tag))) in sentence.tokens.iter_mut().zip(&chosen).enumerate() {
            (token.lemma, token.upos, token.xpos) = (form.into(), tag.into(), tag.into());
            let word = NodeId(place as u32 + 1);
            let other = |place: Option<usize>, tag: &str| {
                let place = place.filter(|&place| chosen.get(place).is_some_and(|word| word.1 == tag))?;
                Some(NodeId(place as u32 + 1))
            };
            let heads = match tag {
                "V" => vec![(Some(NodeId(0)), "root")],
                "N" => vec![(other(place.checked_sub(1), "V"), "obj"), (other(Some(place + 1), "V"), "subj")],
                "D" => vec![(other(Some(place + 1), "N"), "det")],
                _ => Vec::new(),
            };
            for (head, label) in heads {
                if let Some(head) = head {
                    sentence.graph.insert(head, word, label.into());
                }
            }
        }
        sentence
    };
    (0..sentences).map(&mut sentence).collect()
}

fn train(recipe: &str) -> Box<dyn GraphEngine> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.pleach");
    let recipe = SHELF.parse("test", recipe).unwrap();
    let corpus = Corpus { train: treebank(120, 1), dev: treebank(20, 2) };
    let training = Training { recipe, corpus, names: Default::default(), fresh: true };
    training.run(CATALOGUE, &path, &mut |_| ControlFlow::Continue(())).unwrap();
    match CATALOGUE.open(&Model::open(&path).unwrap().root()).unwrap() {
        Opened::Graph(engine) => engine,
        other => panic!("{other:?}"),
    }
}

/// The graphs of sentences, parsed together, and their LF.
fn parse(engine: &dyn GraphEngine, test: &[Sentence]) -> (Vec<Graph>, f64) {
    let mut sentences = test.to_vec();
    sentences.iter_mut().for_each(|sentence| sentence.graph = Graph::new(sentence.len()));
    let graphs = engine.graphs(&mut sentences, &Options::default(), &mut Workspace::default());
    let mut scores = GraphScores::new();
    test.iter().zip(&graphs).for_each(|(sentence, graph)| scores.add(&sentence.graph, graph));
    let found = Scores::of_graphs(&scores).main();
    (graphs, found)
}

const LOCAL: &str = "order = 1\nheads = 0\nloss = 'local'\nepochs = 4\n";

#[test]
fn local_losses_learn_a_treebank() {
    let test = treebank(30, 5);
    for more in ["preset = 'fact-pc'\npruning = false", "preset = 'fact-pc-ac'"] {
        let engine = train(&format!("{LOCAL}{more}"));
        let (graphs, found) = parse(&*engine, &test);
        assert!(found > 95.0, "{more}: {found}");
        // Sentences that are parsed together are parsed as if alone.
        for (sentence, graph) in test.iter().zip(&graphs) {
            let alone = engine.graph(&mut sentence.clone(), &Options::default(), &mut Workspace::default());
            assert_eq!(alone, *graph);
        }
    }
}

#[test]
fn all_pairs_can_be_candidates() {
    let test = treebank(30, 5);
    for order in 1..=2 {
        let engine =
            train(&format!("preset = 'fact-ac'\nheads = 0\npruning = false\norder = {order}\nepochs = 3"));
        assert!(parse(&*engine, &test).1 > 90.0);
        let sentence = &test[0];
        let searched = engine.searched(sentence, &Options::default(), &mut Workspace::default()).unwrap();
        assert_eq!(searched.candidates, sentence.len() * sentence.len());
    }
}

#[test]
fn orphans_can_have_heads() {
    let test = treebank(30, 5);
    let orphans = |graphs: &[Graph]| {
        let heads =
            |graph: &Graph, word| graph.arcs().iter().filter(|arc| arc.dependent == NodeId(word)).count();
        let of = |graph: &Graph| (1..=graph.len() as u32).filter(|&word| heads(graph, word) == 0).count();
        graphs.iter().map(of).sum::<usize>()
    };
    // With pruning, tags allow no head at all for interjections.
    for more in [format!("{LOCAL}preset = 'fact-pc'"), "preset = 'fact-pc-ac'\nepochs = 2\n".to_owned()] {
        let (without, _) = parse(&*train(&more), &test);
        assert!(orphans(&without) > 0);
        let (with, _) = parse(&*train(&format!("{more}\norphans = 'best-head'")), &test);
        assert_eq!(orphans(&with), 0, "{more}");
        assert!(with.iter().flat_map(Graph::arcs).all(|arc| !arc.label.is_empty()));
    }
}
