//! An ensemble in one file says what its members' files say when they vote.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{model_bytes, recipe, treebank};
use pleach::families::{CATALOGUE, tuned_vote_section, vote_section};
use pleach::graph::{Graph, Sentence};
use pleach::model::{Model, Scores, View, comparable};
use pleach::{ParseOptions, Parser, Workspace};
use pleach_lab::bench::Bench;
use pleach_lab::vote_files::FileVote;
use std::path::{Path, PathBuf};

const PRESETS: [&str; 3] = ["st-combined", "ss-combined-rev", "s2s-standard"];

fn members(folder: &Path) -> Vec<PathBuf> {
    let train = |preset: &&str| {
        let path = folder.join(format!("{preset}.pleach"));
        model_bytes(&recipe(&format!("preset = '{preset}'\nepochs = 1")), &path);
        path
    };
    PRESETS.iter().map(train).collect()
}

/// The bytes of a model in which these vote.
fn voters(models: &[Model], threshold: f64) -> Vec<u8> {
    let roots: Vec<View> = models.iter().map(Model::root).collect();
    Model::to_bytes(&vote_section(&roots, threshold)).unwrap()
}

fn parsed(parser: &Parser) -> Vec<Sentence> {
    let mut sentences = treebank(40, 5);
    parser.parse_all(&mut sentences);
    sentences
}

#[test]
fn a_vote_model_equals_the_vote_over_its_members_files() {
    let folder = tempfile::tempdir().unwrap();
    let paths = members(folder.path());
    let parsers: Vec<Parser> = paths.iter().map(|path| Parser::open(path).unwrap()).collect();
    let outputs: Vec<Vec<Sentence>> = parsers.iter().map(parsed).collect();
    assert_ne!(outputs[0], outputs[1], "members that always agree prove nothing");
    for threshold in [0.0, 0.5, 0.8] {
        let models: Vec<Model> = paths.iter().map(|path| Model::open(path).unwrap()).collect();
        let path = folder.path().join("ensemble.pleach");
        Model::write(&path, &voters(&models, threshold)).unwrap();
        assert!(Model::recognise(&path).unwrap());
        let ensemble = Parser::open(&path).unwrap();
        assert_eq!(ensemble.model().root().card()["threshold"], threshold);
        let together = parsed(&ensemble);
        let mut files = FileVote::new(PRESETS.map(str::to_owned).to_vec(), threshold, true);
        for (i, expected) in together.iter().enumerate() {
            let sentences = outputs.iter().map(|output| Some(output[i].clone())).collect();
            assert_eq!(files.next(sentences).unwrap().as_ref(), Some(expected), "sentence {i}");
        }
        let (labelled, unlabelled) = files.diversity().unwrap().agreement(0, 1).unwrap();
        assert!(labelled <= unlabelled && (0.0..1.0).contains(&labelled));
    }
}

#[test]
fn an_ensemble_of_one_is_its_member() {
    let folder = tempfile::tempdir().unwrap();
    let path = members(folder.path()).remove(0);
    let models = [Model::open(&path).unwrap()];
    let bytes = voters(&models, 0.5);
    let ensemble = Parser::new("one", Model::from_bytes("one", &bytes).unwrap()).unwrap();
    assert_eq!(parsed(&ensemble), parsed(&Parser::open(&path).unwrap()));
}

#[test]
fn models_are_told_from_other_files_by_their_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pleach");
    for content in ["", "short", "# sent_id = 1\n1\ta\t_\n", "12345678{\"a\": 1}"] {
        std::fs::write(&path, content).unwrap();
        assert!(!Model::recognise(&path).unwrap(), "{content}");
    }
    assert!(Model::recognise(&folder.path().join("none")).is_err());
}

#[test]
fn a_benchmark_parses_every_round_and_scores_every_beam() {
    let folder = tempfile::tempdir().unwrap();
    let path = members(folder.path()).remove(2);
    let sentences = treebank(40, 5);
    let mut rounds = Vec::new();
    let bench = Bench { beams: vec![1, 4], rounds: 2, threads: 2, changes: Vec::new() };
    let measured =
        bench.run(|| Parser::open(&path), &sentences, &mut |done, of| rounds.push((done, of))).unwrap();
    assert_eq!(rounds, [(1, 4), (2, 4), (3, 4), (4, 4)]);
    assert_eq!(measured.tokens, sentences.iter().map(Sentence::len).sum::<usize>());
    assert_eq!(measured.model_bytes, std::fs::read(&path).unwrap().len());
    for result in &measured.beams {
        let mut parser = Parser::open(&path).unwrap();
        parser.options.search.beam = result.beam;
        let found: Vec<Graph> =
            parsed(&parser).into_iter().map(|sentence| comparable(sentence, false)).collect();
        let gold: Vec<Graph> = sentences.iter().map(|sentence| sentence.graph.clone()).collect();
        assert_eq!(result.scores, Some(Scores::compare(gold.iter().zip(&found))));
        assert_eq!(result.by_length.iter().map(|bucket| bucket.sentences).sum::<usize>(), 40);
        assert!(result.tokens_per_second >= result.tokens_per_second_median);
    }
    assert!(bench.run(|| Parser::open(&path), &[], &mut |_, _| {}).is_err());
}

/// Labelled F of what a parser finds by itself.
fn reached(parser: &Parser, gold: &[Sentence]) -> f64 {
    let options = ParseOptions { guarantees: Some(Default::default()), ..parser.options };
    let mut workspace = Workspace::default();
    let mut parsed = gold.to_vec();
    parsed.iter_mut().for_each(|sentence| parser.parse_with(sentence, &options, &mut workspace));
    parser.scores(gold, &parsed).main()
}

/// Any two members, linear or neural, with scores of arcs of whatever size: a vote that was tuned is not worse than the
/// better one, and what tuning promised is what the model does.
#[test]
fn a_tuned_vote_is_not_worse_than_its_better_member() {
    let folder = tempfile::tempdir().unwrap();
    let recipes = [
        "preset = 'st-combined'\nepochs = 1",
        "preset = 's2s-standard'\nepochs = 2\nreversed = true",
        "preset = 'book-m1'\nepochs = 1",
        "preset = 'biaffine'\nepochs = 8\nrate = 0.01\nlayers = 1\nhidden = 16\nword_width = 16\narc_width = 16\nlabel_width = 16",
    ];
    let members: Vec<Model> = recipes
        .iter()
        .enumerate()
        .map(|(number, text)| {
            let path = folder.path().join(format!("{number}.pleach"));
            model_bytes(&pleach::recipe::complete("test", text.parse().unwrap()).unwrap(), &path);
            Model::open(&path).unwrap()
        })
        .collect();
    let dev = treebank(60, 9);
    let alone: Vec<f64> =
        members.iter().map(|model| reached(&Parser::new("one", model.clone()).unwrap(), &dev)).collect();
    let mut gained = 0;
    for (first, second) in [(0, 1), (0, 2), (1, 2), (0, 3), (2, 3)] {
        let roots = [members[first].root(), members[second].root()];
        let (section, tried) = tuned_vote_section(&roots, &dev, CATALOGUE).unwrap();
        let bytes = Model::to_bytes(&section).unwrap();
        let ensemble = Parser::new("two", Model::from_bytes("two", &bytes).unwrap()).unwrap();
        let together = reached(&ensemble, &dev);
        let better = alone[first].max(alone[second]);
        assert!(together >= better - 1e-9, "{first} {second}: {together} {better}");
        assert!((together - 100.0 * tried[0].f).abs() < 1e-9);
        // All families that were trained here have scores of arcs.
        assert!(tried.iter().any(|tried| tried.name == "scores"));
        gained += usize::from(together > better);
        // A share is still a plain vote.
        let plain = Parser::new(
            "plain",
            Model::from_bytes("two", &Model::to_bytes(&vote_section(&roots, 0.5)).unwrap()).unwrap(),
        )
        .unwrap();
        let mut shared = Parser::new("two", Model::from_bytes("two", &bytes).unwrap()).unwrap();
        shared.options.search.threshold = Some(0.5);
        assert_eq!(parsed(&shared), parsed(&plain));
    }
    assert!(gained > 0, "nothing was gained anywhere: {alone:?}");
    assert!(tuned_vote_section(&[members[0].root()], &[], CATALOGUE).is_err());
}
