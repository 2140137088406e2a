//! A tiny treebank that a parser can learn, made from a seed.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use pleach::Parser;
use pleach::formats::{Format, Writer};
use pleach::graph::{Graph, NodeId, Sentence};
use pleach::recipe::Recipe;
use pleach::train::{Corpus, Ended, Event, Training};
use std::ops::ControlFlow;
use std::path::Path;

/// Random numbers, the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }
}

const WORDS: [(&str, &str); 8] = [
    ("dog", "N"),
    ("cat", "N"),
    ("fish", "N"),
    ("sees", "V"),
    ("wants", "V"),
    ("the", "D"),
    ("and", "C"),
    ("old", "A"),
];

/// Sentences of 2 to 9 words. Nouns depend on the verb before and after them, so that there are words with two
/// heads, crossing arcs and now and then a cycle; a few arcs follow no rule.
pub fn treebank(sentences: usize, seed: u64) -> Vec<Sentence> {
    let mut random = Random(seed);
    (0..sentences).map(|number| sentence(number, &mut random)).collect()
}

fn sentence(number: usize, random: &mut Random) -> Sentence {
    let len = 2 + random.below(8);
    let words: Vec<(&str, &str)> = (0..len).map(|_| WORDS[random.below(8) as usize]).collect();
    let mut sentence = Sentence::from_forms(words.iter().map(|(form, _)| *form));
    sentence.set_comment("sent_id", &format!("s{number}"));
    for (token, (form, tag)) in sentence.tokens.iter_mut().zip(&words) {
        token.lemma = (*form).into();
        token.upos = (*tag).into();
        token.xpos = (*tag).into();
    }
    let tag = |place: u32| words[place as usize - 1].1;
    let mut arcs = Vec::new();
    for place in 1..=len {
        let verb_before = (1..place).rev().find(|&other| tag(other) == "V");
        let noun_after = (place + 1..=len).find(|&other| tag(other) == "N");
        match tag(place) {
            "V" => match verb_before {
                Some(verb) => arcs.push((verb, place, "conj")),
                None => arcs.push((0, place, "root")),
            },
            "N" => {
                let verb_after = (place + 1..=len).find(|&other| tag(other) == "V");
                arcs.extend(verb_before.map(|verb| (verb, place, "obj")));
                arcs.extend(verb_after.map(|verb| (verb, place, "subj")));
            }
            "C" => arcs.extend(noun_after.map(|noun| (noun, place, "cc"))),
            _ => arcs.extend(noun_after.map(|noun| (noun, place, "mod"))),
        }
        if random.below(12) == 0 {
            let other = 1 + random.below(len);
            if other != place {
                arcs.push((other, place, "odd"));
            }
        }
    }
    for (head, dependent, label) in arcs {
        sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
    }
    sentence
}

/// Sentences with trees that follow from the tags: the last noun is the root, and some arcs cross.
pub fn trees(sentences: usize, seed: u64) -> Vec<Sentence> {
    let mut all = treebank(sentences, seed);
    for sentence in &mut all {
        let tags: Vec<String> = sentence.tokens.iter().map(|token| token.upos.to_string()).collect();
        let root = tags.iter().rposition(|tag| tag == "N").unwrap_or(0);
        for (place, token) in sentence.tokens.iter_mut().enumerate() {
            let next = (place + 1..tags.len()).find(|&other| tags[other] == "N" || tags[other] == "V");
            let (head, label) = match next {
                _ if place == root => (0, "root"),
                Some(next) => (next + 1, "mod"),
                None => (root + 1, "last"),
            };
            token.head = Some(NodeId(head as u32));
            token.deprel = label.into();
        }
    }
    all.retain(is_tree);
    all
}

/// Whether every word leads up to the root, which has one dependent.
pub fn is_tree(sentence: &Sentence) -> bool {
    let head = |node: NodeId| sentence.tokens[node.index() - 1].head;
    let roots = sentence.tokens.iter().filter(|token| token.head == Some(NodeId(0))).count();
    let reaches_root = |start: u32| {
        let mut at = NodeId(start);
        (0..=sentence.len()).any(|_| {
            at = head(at).unwrap();
            at.is_root()
        })
    };
    roots == 1 && (1..=sentence.len() as u32).all(reaches_root)
}

/// Writes sentences as CoNLL-U.
pub fn write(path: &Path, sentences: &[Sentence]) {
    let mut writer = Writer::create(path, Some(Format::Conllu)).unwrap();
    sentences.iter().for_each(|sentence| writer.write(sentence).unwrap());
    writer.finish().unwrap();
}

/// A recipe that is done in no time.
pub fn recipe(text: &str) -> Recipe {
    let base: toml::Table = "epochs = 3\nbeam = 4\nbatch = 4".parse().unwrap();
    let keys: toml::Table = text.parse().unwrap();
    pleach::recipe::complete("test", base.into_iter().chain(keys).collect()).unwrap()
}

/// A run over 40 sentences, with 20 to measure on.
pub fn training(recipe: Recipe) -> Training {
    Training {
        recipe,
        corpus: Corpus { train: treebank(40, 1), dev: treebank(20, 2) },
        names: ("train".into(), "dev".into()),
        fresh: false,
    }
}

/// Trains to the end and gives the model's bytes.
pub fn model_bytes(recipe: &Recipe, path: &Path) -> Vec<u8> {
    let outcome = run_until(recipe, path, usize::MAX);
    assert!(!outcome.stopped);
    std::fs::read(path).unwrap()
}

/// Trains until so many events have been heard, or to the end.
pub fn run_until(recipe: &Recipe, path: &Path, events: usize) -> Ended {
    let mut heard = 0;
    let mut watch = |event: Event| {
        heard += usize::from(matches!(event, Event::Step { .. } | Event::Epoch { .. }));
        if heard >= events { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    pleach::train::run(training(recipe.clone()), path, &mut watch).unwrap()
}

/// The graphs that a parser gives to sentences, whatever graphs they have.
pub fn parsed(parser: &Parser, sentences: &[Sentence]) -> Vec<Graph> {
    let mut parsed = sentences.to_vec();
    parsed.iter_mut().for_each(|sentence| sentence.graph = Graph::new(sentence.len()));
    parser.parse_all(&mut parsed);
    parsed.into_iter().map(|sentence| sentence.graph).collect()
}
