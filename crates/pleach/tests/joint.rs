//! Joint parsers: tags, features, lemmas, tree and graph from one reading of the words.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{is_tree, trees, write};
use pleach::graph::{Graph, NodeId, Sentence};
use pleach::recipe::Recipe;
use pleach::train::{Corpus, Event, Training};
use pleach::{Parser, Tags, Workspace};
use std::ops::ControlFlow;
use std::path::Path;

fn recipe(more: &str) -> Recipe {
    let text = format!(
        "preset = 'joint'\nepochs = 12\nbatch = 8\nhidden = 24\ncharacters = 16\narc_width = 24\nlabel_width = 24\nword_width = 24\n\
         inputs = 'lower:24 tags:8'\nrate = 0.01\naverage = 0.9\n{more}"
    );
    pleach::recipe::parse("test", &text).unwrap()
}

/// Trains until so many steps were made; gives whether it was stopped.
fn train(recipe: &Recipe, path: &Path, steps: usize) -> bool {
    train_on(trees(120, 1), recipe, path, steps)
}

fn train_on(train: Vec<Sentence>, recipe: &Recipe, path: &Path, steps: usize) -> bool {
    let corpus = Corpus { train, dev: trees(20, 2) };
    let run =
        Training { recipe: recipe.clone(), corpus, names: ("train".into(), "dev".into()), fresh: false };
    let mut made = 0;
    let mut watch = |event: Event| {
        made += usize::from(matches!(event, Event::Step { .. }));
        if made >= steps { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    pleach::train::run(run, path, &mut watch).unwrap().stopped
}

/// The words of sentences, and nothing else.
fn bare(sentences: &[Sentence]) -> Vec<Sentence> {
    let forms =
        |sentence: &Sentence| sentence.tokens.iter().map(|token| token.form.to_string()).collect::<Vec<_>>();
    sentences.iter().map(|sentence| Sentence::from_forms(forms(sentence))).collect()
}

#[test]
fn everything_is_learnt_from_words_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("joint.pleach");
    assert!(!train(&recipe(""), &path, usize::MAX));
    let parser = Parser::open(&path).unwrap();
    assert!(parser.gives_graphs() && parser.gives_trees());
    let gold = trees(20, 2);
    let mut parsed = bare(&gold);
    parser.parse_all(&mut parsed);
    let (mut words, mut heads) = (0, 0);
    for (gold, parsed) in gold.iter().zip(&parsed) {
        assert!(is_tree(parsed));
        for (gold, parsed) in gold.tokens.iter().zip(&parsed.tokens) {
            // Tags and lemmas follow from the form.
            assert_eq!((&gold.upos, &gold.xpos, &gold.lemma), (&parsed.upos, &parsed.xpos, &parsed.lemma));
            words += 1;
            heads += usize::from((gold.head, &gold.deprel) == (parsed.head, &parsed.deprel));
        }
    }
    assert!(heads * 10 > words * 8, "{heads} of {words} heads");
    let scores = parser.scores(&gold, &parsed);
    assert!(scores.main() > 70.0, "{scores}");

    // What is given stays unless it is to be replaced; without tags there are none.
    let mut given = gold[0].clone();
    given.tokens[0].upos = "ODD".into();
    let with = |tags: Tags, sentence: &Sentence| {
        let mut sentence = sentence.clone();
        let options = pleach::ParseOptions { tags, ..parser.options };
        parser.parse_with(&mut sentence, &options, &mut Workspace::default());
        sentence.tokens[0].upos.to_string()
    };
    assert_eq!(with(Tags::Auto, &given), "ODD");
    assert_eq!(with(Tags::Predicted, &given), gold[0].tokens[0].upos);
    assert_eq!(with(Tags::Given, &bare(&gold)[0]), "");

    // A sentence that is cut into pieces still has one tree.
    let mut long = Sentence::from_forms(
        gold.iter().cycle().take(200).flat_map(|s| s.tokens.iter().map(|t| t.form.to_string())),
    );
    assert!(long.len() > 600);
    parser.parse(&mut long, &mut Workspace::default());
    assert!(is_tree(&long));
    assert!(long.tokens.iter().all(|token| !token.upos.is_empty()));
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole.pleach"), folder.path().join("parts.pleach"));
    let recipe = recipe("drop_words = 0.1");
    assert!(!train(&recipe, &whole, usize::MAX));
    assert!(train(&recipe, &parts, 20));
    assert!(!train(&recipe, &parts, usize::MAX));
    assert!(std::fs::read(whole).unwrap() == std::fs::read(parts).unwrap());
}

/// A file of sentences that somebody else has parsed teaches what few sentences can't, but no new labels.
#[test]
fn parsed_text_is_learnt_from_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let mut more = trees(120, 3);
    let place = more.iter().position(|sentence| sentence.len() > 2).unwrap();
    more[place].graph.insert(NodeId(1), NodeId(2), "weird".into());
    more[place + 1].tokens[0].deprel = "weirder".into();
    more[place + 2].graph = Graph::new(more[place + 2].len());
    write(&file("more.conllu"), &more);
    let keys = format!("more = '{}'\nmore_share = 10", file("more.conllu").display());
    let gold = trees(20, 2);
    let reached = |keys: &str, name: &str| {
        assert!(!train_on(trees(8, 1), &recipe(keys), &file(name), usize::MAX));
        let mut parsed = bare(&gold);
        let parser = Parser::open(&file(name)).unwrap();
        parser.parse_all(&mut parsed);
        let card = parser.model().root().card().to_string();
        assert!(!card.contains("\"weird\"") && !card.contains("\"weirder\""));
        parser.scores(&gold, &parsed).main()
    };
    let (alone, taught) = (reached("", "alone.pleach"), reached(&keys, "taught.pleach"));
    assert!(taught > alone + 10.0, "{alone} {taught}");

    // A run with it can be stopped, too, and a file that isn't there is an error.
    assert!(train_on(trees(8, 1), &recipe(&keys), &file("parts.pleach"), 20));
    assert!(!train_on(trees(8, 1), &recipe(&keys), &file("parts.pleach"), usize::MAX));
    assert!(std::fs::read(file("taught.pleach")).unwrap() == std::fs::read(file("parts.pleach")).unwrap());
    let corpus = Corpus { train: trees(8, 1), dev: Vec::new() };
    let run = Training {
        recipe: recipe("more = '/nowhere.conllu'"),
        corpus,
        names: ("train".into(), "dev".into()),
        fresh: false,
    };
    let missing = pleach::train::run(run, &file("x.pleach"), &mut |_| ControlFlow::Continue(()));
    assert!(missing.unwrap_err().to_string().contains("/nowhere.conllu"));
}

#[test]
fn tasks_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.pleach");
    train(&recipe("also = ''"), &path, usize::MAX);
    let parser = Parser::open(&path).unwrap();
    assert!(parser.gives_graphs() && !parser.gives_trees());
    let mut parsed = bare(&trees(1, 2));
    parsed[0].graph = Graph::new(parsed[0].len());
    parser.parse_all(&mut parsed);
    assert!(parsed[0].tokens.iter().all(|token| token.upos.is_empty() && token.head.is_none()));
    let wrong = |text: &str| pleach::recipe::parse("test", text).unwrap_err().to_string();
    assert!(wrong("preset = 'joint'\nalso = 'moods'").contains("moods"));
    assert!(wrong("preset = 'joint'\nscorer = 'linear'").contains("pipeline"));
}
