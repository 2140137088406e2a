//! Guarantees that are learnt: what nearly all training graphs keep, parsed graphs keep without being asked.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, recipe};
use pleach::ensure::{Guarantees, lacks};
use pleach::graph::enhanced::collapse;
use pleach::graph::{NodeId, Sentence, Token, TokenId};
use pleach::train::{Corpus, Training};
use pleach::{Parser, models};
use std::ops::ControlFlow;
use std::path::Path;

/// Chains of words in which every word hangs on one that the tags hardly tell; some have an empty node with two
/// dependents.
fn treebank(sentences: usize, seed: u64) -> Vec<Sentence> {
    let mut random = Random(seed);
    let sentence = |_| {
        let len = 3 + random.below(7);
        let words: Vec<&str> = (0..len).map(|_| ["a", "b", "c", "d"][random.below(4) as usize]).collect();
        let mut sentence = Sentence::from_forms(words.iter().copied());
        let gapped = words[0] == "a" && len > 4;
        if gapped {
            sentence.tokens.push(Token { id: TokenId { word: len, empty: 1 }, ..Token::default() });
            sentence.graph = pleach::graph::Graph::new(sentence.len());
        }
        let mut arc = |head: u32, dependent: u32, label: &str| {
            sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
        };
        let root = 1 + random.below(len);
        arc(0, root, "root");
        for word in (1..=len).filter(|&word| word != root) {
            match gapped && word + 2 > len {
                true => arc(len + 1, word, "obj"),
                false => arc(if word < root { word + 1 } else { word - 1 }, word, "dep"),
            }
        }
        if gapped {
            arc(1, len + 1, "conj");
        }
        for (token, form) in sentence.tokens.iter_mut().zip(&words) {
            (token.lemma, token.upos) = ((*form).into(), (*form).into());
        }
        sentence
    };
    (0..sentences).map(sentence).collect()
}

/// A parser that was trained too little to get anything right.
fn bad_parser(folder: &Path, sentences: usize) -> Parser {
    let path = folder.join("m.pleach");
    let training = Training {
        recipe: recipe("preset = 'st-combined'\nepochs = 1\nbeam = 1"),
        corpus: Corpus { train: treebank(sentences, 1), dev: Vec::new() },
        names: Default::default(),
        fresh: true,
    };
    pleach::train::run(training, &path, &mut |_| ControlFlow::Continue(())).unwrap();
    Parser::open(&path).unwrap()
}

fn parse(parser: &Parser, guarantees: Option<Guarantees>) -> Vec<Sentence> {
    let mut parser = Parser::new("copy", parser.model().clone()).unwrap();
    parser.options.guarantees = guarantees;
    let mut sentences = treebank(200, 9);
    parser.parse_all(&mut sentences);
    sentences
}

/// The graph over words lacks something.
fn ill_formed(sentence: &Sentence) -> bool {
    let mut sentence = sentence.clone();
    collapse(&mut sentence);
    lacks(&sentence.graph, "rooted,one-root,connected".parse().unwrap())
}

/// How many empty nodes have a single dependent or none.
fn thin_nodes(sentence: &Sentence) -> usize {
    let nodes = (1..=sentence.len() as u32).map(NodeId).filter(|&node| sentence.id_of(node).is_empty_node());
    nodes.filter(|&node| sentence.graph.arcs().iter().filter(|arc| arc.head == node).count() < 2).count()
}

#[test]
fn what_the_treebank_keeps_is_kept_without_being_asked() {
    let folder = tempfile::tempdir().unwrap();
    let parser = bad_parser(folder.path(), 150);
    assert_eq!(parser.guarantees().to_string(), "rooted,one-root,connected,acyclic,nodes,labels");
    let plain = parse(&parser, Some(Guarantees::default()));
    assert!(plain.iter().any(ill_formed), "nothing to mend: the test says nothing");
    assert!(plain.iter().map(thin_nodes).sum::<usize>() > 0, "no node was invented: the test says nothing");
    let mended = parse(&parser, None);
    assert!(!mended.iter().any(ill_formed));
    assert_eq!(mended.iter().map(thin_nodes).sum::<usize>(), 0);
    // What is asked for takes the place of what is learnt.
    let rooted = parse(&parser, Some("rooted".parse().unwrap()));
    assert!(rooted.iter().any(ill_formed) && rooted.iter().all(|sentence| sentence.graph.tops().count() > 0));
}

#[test]
fn few_training_graphs_ask_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let parser = bad_parser(folder.path(), 60);
    assert_eq!(parser.guarantees(), Guarantees::default());
    assert_eq!(parse(&parser, None), parse(&parser, Some(Guarantees::default())));
}

/// The sentence, which had two roots and an empty node that nobody left out.
#[cfg(feature = "english")]
#[test]
fn the_built_in_model_gives_one_root_that_reaches_every_word() {
    let parser = models::open(None).unwrap();
    let text = "The letter was written by Anna and sent to Bob. Who do you want to win? OK … fine, he sang and she not.";
    let sentences = parser.parse_str(text).unwrap();
    assert!(sentences.len() >= 3);
    for sentence in &sentences {
        assert!(!ill_formed(sentence), "{sentence:?}");
        assert_eq!(thin_nodes(sentence), 0);
        assert!(sentence.graph.arcs().iter().filter(|arc| arc.head.is_root()).all(|arc| arc.label == "root"));
    }
}
