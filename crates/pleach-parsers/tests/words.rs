//! What words look like to neural scorers: any inputs, no tags, encoders beside the network.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../pleach-neural/tests/small_encoder/mod.rs"]
mod small_encoder;

use pleach_graph::{Graph, NodeId, Sentence};
use pleach_model::Model;
use pleach_parsers::scorer::encoders;
use pleach_parsers::train::{Corpus, Ended, Event, Training};
use pleach_parsers::{CATALOGUE, Parser, SHELF};
use std::ops::ControlFlow;
use std::path::Path;

/// Articles hang on the noun behind them, nouns on the verb behind them, verbs on the root.
fn treebank(sentences: usize, seed: u64) -> Vec<Sentence> {
    let mut state = seed;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % limit) as usize
    };
    let words = [("the", "D"), ("cats", "N"), ("dog", "N"), ("sleeping", "V"), ("is", "V"), ("sphinx", "N")];
    let mut sentence = |_| {
        let chosen: Vec<(&str, &str)> = (0..3 + below(5)).map(|_| words[below(6)]).collect();
        let mut sentence = Sentence::from_forms(chosen.iter().map(|(form, _)| *form));
        for (place, (token, &(form, tag))) in sentence.tokens.iter_mut().zip(&chosen).enumerate() {
            (token.lemma, token.upos, token.xpos) = (form.into(), tag.into(), tag.into());
            token.feats = format!("Kind={tag}").into();
            let behind = |tag: &str| (place + 1..chosen.len()).find(|&other| chosen[other].1 == tag);
            let (head, label) = match tag {
                "D" => (behind("N"), "det"),
                "N" => (behind("V"), "subj"),
                _ => (None, "root"),
            };
            let head = head.map_or(0, |head| head as u32 + 1);
            if head > 0 || tag == "V" {
                sentence.graph.insert(NodeId(head), NodeId(place as u32 + 1), label.into());
            }
        }
        sentence
    };
    (0..sentences).map(&mut sentence).collect()
}

const SMALL: &str = "preset = 'biaffine'\nepochs = 2\nlayers = 1\nhidden = 8\narc_width = 8\nlabel_width = 8\n\
    characters = 0\ninputs = 'lower:8'\nbatch = 8\n";

/// Trains until so many events have been heard, or to the end.
fn train_until(text: &str, path: &Path, events: usize) -> Result<Ended, String> {
    let (small, more): (toml::Table, toml::Table) = (SMALL.parse().unwrap(), text.parse().unwrap());
    let recipe = SHELF.complete("test", small.into_iter().chain(more).collect());
    let recipe = recipe.map_err(|error| error.to_string())?;
    let corpus = Corpus { train: treebank(40, 1), dev: treebank(10, 2) };
    let training = Training { recipe, corpus, names: ("train".into(), "dev".into()), fresh: false };
    let mut heard = 0;
    let mut watch = |event: Event| {
        heard += usize::from(matches!(event, Event::Step { .. } | Event::Epoch { .. }));
        if heard >= events { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    training.run(CATALOGUE, path, &mut watch).map_err(|error| error.to_string())
}

fn train(text: &str, path: &Path) -> Vec<u8> {
    assert!(!train_until(text, path, usize::MAX).unwrap().stopped);
    std::fs::read(path).unwrap()
}

fn parsed(parser: &Parser, sentences: &[Sentence]) -> Vec<Graph> {
    let mut sentences = sentences.to_vec();
    sentences.iter_mut().for_each(|sentence| sentence.graph = Graph::new(sentence.len()));
    parser.parse_all(&mut sentences);
    sentences.into_iter().map(|sentence| sentence.graph).collect()
}

#[test]
fn without_tags_nothing_but_the_text_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.pleach");
    let sentences = treebank(20, 3);
    let mut bare = sentences.clone();
    for token in bare.iter_mut().flat_map(|sentence| &mut sentence.tokens) {
        (token.lemma, token.upos, token.xpos, token.feats) = Default::default();
    }
    let all =
        "epochs = 6\ninputs = 'lower:8 upos:4 xpos:4 tags:4 lemma:4 features:4 morphology:4 #lemma:4'\n";
    for (tags, same) in [("none", true), ("all", false)] {
        train(&format!("{all}tags = '{tags}'"), &path);
        let parser = Parser::open(&path).unwrap();
        assert_eq!(parsed(&parser, &sentences) == parsed(&parser, &bare), same, "{tags}");
    }
}

#[test]
fn any_inputs_make_a_parser_but_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.pleach");
    for inputs in [
        "inputs = ''\ncharacters = 16",
        "inputs = '#form:8'",
        "inputs = '#lower:8 suffix:4 shape:4'",
        "inputs = 'lemma:8'",
    ] {
        let still = "epochs = 30\nrate = 0.01\nhidden = 16\ndrop_inputs = 0\ndrop_layers = 0\ndrop_heads = 0\naverage = 0";
        let ended = train_until(&format!("{still}\n{inputs}"), &path, usize::MAX).unwrap();
        let (scores, _) = ended.best.unwrap();
        assert!(scores.main() > 30.0, "{inputs}: {scores}");
        Parser::open(&path).unwrap();
    }
    let error = train_until("inputs = 'upos:4'\ntags = 'none'", &path, usize::MAX).unwrap_err();
    assert!(error.starts_with("a network needs something to look at"), "{error}");
}

/// The keys of a recipe with an encoder.
fn with(encoder: &Path, more: &str) -> String {
    format!("tags = 'none'\nencoder = '{}'\n{more}", encoder.display())
}

#[test]
fn a_frozen_encoder_is_found_by_its_hash() {
    let folder = tempfile::tempdir().unwrap();
    let (path, encoder) = (folder.path().join("m.pleach"), folder.path().join("encoder"));
    std::fs::create_dir(&encoder).unwrap();
    small_encoder::make(&encoder, "bert", 8, 20);
    train(&with(&encoder, ""), &path);
    let sentences = treebank(20, 3);
    let (there, hash) = {
        let parser = Parser::open(&path).unwrap();
        let root = parser.model().root();
        let card = &root.scorer()["given"]["encoder"];
        assert_eq!(card["use"], "frozen");
        assert!(root.tensor("encoder").is_none(), "the model holds no weights of it");
        (parsed(&parser, &sentences), card["hash"].as_str().unwrap().to_owned())
    };
    // Somewhere else, where nobody looks.
    let moved = folder.path().join("models/moved");
    std::fs::create_dir(folder.path().join("models")).unwrap();
    std::fs::rename(&encoder, &moved).unwrap();
    let error = Parser::open(&path).unwrap_err().to_string();
    assert!(
        error.contains(&format!("needs the encoder 'encoder' with hash {hash}; name its folder")),
        "{error}"
    );
    // Another one in its place.
    std::fs::create_dir(&encoder).unwrap();
    small_encoder::make(&encoder, "bert", 8, 24);
    let error = Parser::open(&path).unwrap_err().to_string();
    assert!(error.contains(&hash) && error.contains("is another one, with hash"), "{error}");
    std::fs::remove_file(encoder.join("tokenizer.json")).unwrap();
    let error = Parser::open(&path).unwrap_err().to_string();
    assert!(error.contains("tokenizer.json: No such file"), "{error}");
    assert!(encoders::look_in(&folder.path().join("none")).unwrap_err().to_string().contains("no encoder"));
    encoders::look_in(&folder.path().join("models")).unwrap();
    assert_eq!(parsed(&Parser::open(&path).unwrap(), &sentences), there);
}

#[test]
fn graphs_do_not_depend_on_what_is_parsed_together() {
    let folder = tempfile::tempdir().unwrap();
    let (path, encoder) = (folder.path().join("m.pleach"), folder.path().join("encoder"));
    std::fs::create_dir(&encoder).unwrap();
    small_encoder::make(&encoder, "roberta", 8, 20);
    train(&with(&encoder, "encoder_layers = '0 2'\nencoder_pooling = 'first'"), &path);
    let parser = Parser::open(&path).unwrap();
    let sentences = treebank(50, 4);
    let alone: Vec<Graph> =
        sentences.iter().flat_map(|sentence| parsed(&parser, std::slice::from_ref(sentence))).collect();
    assert_eq!(parsed(&parser, &sentences), alone);
}

#[test]
fn neither_threads_nor_stops_nor_memory_change_a_model_with_an_encoder() {
    let folder = tempfile::tempdir().unwrap();
    let encoder = folder.path().join("encoder");
    std::fs::create_dir(&encoder).unwrap();
    small_encoder::make(&encoder, "electra", 6, 20);
    for (using, from) in [("frozen", 0.0), ("tuned", 0.0), ("tuned", 0.5)] {
        let keys = format!("encoder_use = '{using}'\nencoder_rate = 0.01\nencoder_from = {from:.1}");
        let text = with(&encoder, &keys);
        let run = |threads: usize, text: &str| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| train(text, &folder.path().join(format!("{using}-{from}-{threads}.pleach"))))
        };
        let whole = run(1, &text);
        assert!(whole == run(2, &text), "{using}: threads");
        let parts = folder.path().join(format!("{using}-{from}-parts.pleach"));
        for events in [2, 5, 1] {
            assert!(train_until(&text, &parts, events).unwrap().stopped);
        }
        assert!(whole == train(&text, &parts), "{using}: stops");
        let on_disk = Model::from_bytes("m", &run(1, &format!("{text}\nencoder_memory = 0"))).unwrap();
        let whole = Model::from_bytes("m", &whole).unwrap();
        let weights = |model: &Model| {
            let root = model.root();
            let tensors: Vec<_> =
                root.tensors().map(|(name, tensor)| (name.to_owned(), tensor.data.to_vec())).collect();
            assert!(tensors.len() > 3);
            tensors
        };
        assert!(weights(&whole) == weights(&on_disk), "{using}: memory");
    }
}

#[test]
fn a_tuned_encoder_is_part_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let (path, encoder) = (folder.path().join("m.pleach"), folder.path().join("encoder"));
    std::fs::create_dir(&encoder).unwrap();
    small_encoder::make(&encoder, "bert", 8, 20);
    let sentences = treebank(20, 3);
    let mut sizes = Vec::new();
    for precision in ["f32", "f16"] {
        let text = with(
            &encoder,
            &format!("encoder_use = 'tuned'\nencoder_rate = 0.01\nencoder_precision = '{precision}'"),
        );
        train(&text, &path);
        let model = Model::open(&path).unwrap();
        sizes.push(model.root().tensor("encoder").unwrap().data.len());
    }
    // Matrices of this size are stored as they are: the texts beside them are the same.
    assert!(sizes[1] <= sizes[0]);
    let there = parsed(&Parser::open(&path).unwrap(), &sentences);
    std::fs::remove_dir_all(&encoder).unwrap();
    let parser = Parser::open(&path).unwrap();
    assert_eq!(parsed(&parser, &sentences), there);
    let bytes = parser.model().root().tensor("encoder").unwrap().data.to_vec();
    let learnt = pleach_neural::pretrained::Pretrained::from_bytes(&bytes).unwrap();
    std::fs::create_dir(&encoder).unwrap();
    small_encoder::make(&encoder, "bert", 8, 20);
    let before = pleach_neural::pretrained::Pretrained::open(&encoder).unwrap();
    let from = before.layers_from();
    assert!(learnt.weights()[..from] == before.weights()[..from], "embeddings stay");
    assert!(learnt.weights()[from..] != before.weights()[from..], "layers learn");
}

#[test]
fn mistakes_are_told_and_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, encoder) = (folder.path().join("m.pleach"), folder.path().join("encoder"));
    std::fs::create_dir(&encoder).unwrap();
    small_encoder::make(&encoder, "bert", 8, 20);
    let model = train(&with(&encoder, ""), &path);
    let fails = |text: &str| train_until(text, &path, usize::MAX).unwrap_err();
    assert!(fails("encoder = '/no/such/folder'").contains("/no/such/folder: No such file"));
    assert!(fails(&with(&encoder, "encoder_layers = '0 3'")).contains("the encoder has 2 layers"));
    assert!(fails(&with(&encoder, "encoder_layers = 'last'")).contains("a list of numbers"));
    assert!(fails(&with(&encoder, "encoder_rate = 0")).contains("'encoder_rate' is above 0"));
    assert!(fails(&with(&encoder, "encoder_from = 1")).contains("'encoder_from' is from 0 to below 1"));
    let error = fails(&with(&encoder, "encoder_use = 'tuned'\nrate = 1e30\nclip = 0"));
    assert!(error.contains("lower the learning rate"), "{error}");
    // Another vocabulary.
    let tokenizer = std::fs::read_to_string(encoder.join("tokenizer.json")).unwrap();
    std::fs::write(encoder.join("tokenizer.json"), tokenizer.replace("\"dog\":11", "\"dog\":12")).unwrap();
    let error = fails(&with(&encoder, ""));
    assert!(error.contains("they do not belong together"), "{error}");
    std::fs::remove_file(encoder.join("model.safetensors")).unwrap();
    assert!(fails(&with(&encoder, "")).contains("model.safetensors: No such file"));
    assert!(std::fs::read(&path).unwrap() == model, "the old model is as it was");
}
