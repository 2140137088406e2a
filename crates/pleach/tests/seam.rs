//! The seam between search and scorer is right: a toy scorer that no family has heard of drives them all.
//!
//! It is a plain matrix for every kind of question, over a few crude facts about two words, trained by gradient steps. It
//! has its own keys, its own weights in model files and its own state in checkpoints.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{parsed, treebank};
use pleach::decode::part::{Kind, Part, PartLearner, PartScorer};
use pleach::families::{FAMILIES, SHELF, vote_section};
use pleach::graph::words::{Attribute, Words};
use pleach::graph::{NONE, Node, Sentence};
use pleach::model::recipe::{Recipe, ScorerKeys, Shelf};
use pleach::model::{Dtype, Model, Scores, Tensor, View};
use pleach::scorer::{
    BILSTM, Bound, BoxError, Frozen, LINEAR, ModelScorer, Saved, ScorerKind, Structure, Teach, Trainable,
};
use pleach::train::{Catalogue, Corpus, Ended, Event, Training};
use pleach::transition::configuration::{Configuration, List, SiteView};
use pleach::transition::scorer::{Learn, Place, Question, Questions, Scorer};
use pleach::{Parser, Workspace};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::Path;

/// Rows of a matrix: what is seen of two words, hashed.
const ROWS: usize = 512;

/// One matrix for actions (first) and one for every kind of parts that is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
struct Matrices {
    /// Kind (none for actions), choices.
    shapes: Vec<(Option<u8>, usize)>,
    weights: Vec<Vec<f32>>,
}

impl Matrices {
    fn new(structure: &Structure) -> Self {
        let actions = structure.actions.iter().map(|actions| (None, actions.count));
        // First order only: arcs and labels.
        let parts = structure
            .parts
            .iter()
            .filter(|part| part.kind.0 < 2)
            .map(|part| (Some(part.kind.0), part.choices));
        let shapes: Vec<_> = actions.chain(parts).collect();
        let weights = shapes.iter().map(|&(_, choices)| vec![0.0; ROWS * choices]).collect();
        Matrices { shapes, weights }
    }

    fn of(&self, kind: Option<u8>) -> Option<usize> {
        self.shapes.iter().position(|&(other, _)| other == kind)
    }

    /// The sum of the rows of all facts.
    fn score(&self, matrix: usize, facts: &[usize], scores: &mut [f32]) {
        scores.fill(0.0);
        let choices = self.shapes[matrix].1;
        for &fact in facts {
            let row = &self.weights[matrix][fact * choices..][..choices];
            scores.iter_mut().zip(row).for_each(|(score, weight)| *score += weight);
        }
    }
}

/// Crude facts about two nodes: their tags, alone and together, and how they stand.
fn facts(words: &Words, a: Node, b: Node) -> [usize; 4] {
    let tag = |node: Node| if usize::from(node) <= words.len() { words.get(node, Attribute::Tag) } else { 7 };
    let apart = (i32::from(b) - i32::from(a)).clamp(-4, 4) as u32;
    let row = |number: u32, x: u32, y: u32, z: u32| {
        let mixed = [x, y, z].iter().fold(number.wrapping_mul(0x9E37_79B9), |h, &v| {
            (h ^ v).wrapping_mul(0x0100_0193).rotate_left(13)
        });
        (mixed.wrapping_mul(0x85EB_CA6B) >> 16) as usize % ROWS
    };
    [row(1, tag(a), 0, 0), row(2, tag(b), 0, 0), row(3, tag(a), tag(b), 0), row(4, tag(a), tag(b), apart)]
}

fn place_nodes(place: Place<'_>) -> (Node, Node) {
    match place {
        Place::Graph(state) | Place::Arc(state, _) => {
            (state.start(List::Stack, 0), state.start(List::Buffer, 0))
        }
        Place::Tree(state, site) => {
            let view = SiteView { state, site, fleeting: false };
            (view.start(List::Stack, 0), view.start(List::Buffer, 0))
        }
    }
}

#[derive(Debug)]
struct Toy;

static TOY: Toy = Toy;

impl ScorerKeys for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn keys(&self) -> toml::Table {
        toml::Table::from_iter([("speed".to_owned(), 0.1.into())])
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        match recipe.table().get("speed").and_then(toml::Value::as_float) {
            Some(speed) if speed > 0.0 => Ok(()),
            _ => Err("'speed' is above 0".into()),
        }
    }
}

impl ScorerKind for Toy {
    fn create(&self, recipe: &Recipe, structure: &Structure) -> Result<Box<dyn Trainable>, BoxError> {
        let speed = recipe.table().get("speed").and_then(toml::Value::as_float).ok_or("no speed")? as f32;
        Ok(Box::new(Learning { matrices: Matrices::new(structure), speed }))
    }

    fn open(&self, view: View, structure: &Structure) -> Result<Box<dyn ModelScorer>, BoxError> {
        let mut matrices = Matrices::new(structure);
        for (number, weights) in matrices.weights.iter_mut().enumerate() {
            let tensor = view.tensor(&format!("matrix-{number}")).ok_or("a matrix is missing")?;
            let numbers = tensor.numbers::<f32>(Dtype::F32).ok_or("a matrix of other numbers")?;
            if numbers.len() != weights.len() {
                return Err("a matrix of another size".into());
            }
            weights.copy_from_slice(numbers);
        }
        Ok(Box::new(matrices))
    }
}

impl ModelScorer for Matrices {
    fn bind<'a>(&'a self, sentences: Vec<&'a Words>, _: &'a mut Workspace) -> Box<dyn Bound + 'a> {
        Box::new(Looking { matrices: self, sentences, sentence: 0, changes: Vec::new() })
    }

    /// More than one, so that sentences are parsed in lockstep.
    fn batch(&self) -> usize {
        5
    }
}

impl Frozen for Matrices {
    fn scorer(&self) -> &dyn ModelScorer {
        self
    }

    fn card(&self) -> Value {
        json!({ "name": "toy" })
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let named = self.weights.iter().enumerate();
        named
            .map(|(i, weights)| Tensor::of(&format!("matrix-{i}"), Dtype::F32, vec![weights.len()], weights))
            .collect()
    }

    fn counts(&self) -> (usize, usize) {
        (0, self.weights.iter().map(Vec::len).sum())
    }
}

/// Matrices bound to sentences, and the changes that were asked for.
struct Looking<'a> {
    matrices: &'a Matrices,
    sentences: Vec<&'a Words>,
    sentence: usize,
    /// Matrix, fact, choice, amount.
    changes: Vec<(usize, usize, usize, f32)>,
}

impl Looking<'_> {
    fn part_facts(&self, part: Part) -> [usize; 4] {
        facts(self.sentences[self.sentence], part.nodes[0], part.nodes[1])
    }
}

impl Bound for Looking<'_> {
    fn turn_to(&mut self, sentence: usize) {
        self.sentence = sentence;
    }
}

impl Scorer for Looking<'_> {
    /// Answers the last question first: the order must not matter.
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        let Some(matrix) = self.matrices.of(None) else { return rows.fill(0.0) };
        let width = rows.len() / questions.len().max(1);
        for number in (0..questions.len()).rev() {
            let Question { sentence, place } = questions.get(number);
            let (a, b) = place_nodes(place);
            let row = &mut rows[number * width..][..width];
            self.matrices.score(
                matrix,
                &facts(self.sentences[sentence], a.min(NONE - 3), b.min(NONE - 3)),
                row,
            );
        }
    }

    fn reach(&self) -> usize {
        0
    }
}

impl Learn for Looking<'_> {
    fn change_action(&mut self, question: Question<'_>, action: u32, amount: f32) {
        let Some(matrix) = self.matrices.of(None) else { return };
        let (a, b) = place_nodes(question.place);
        for fact in facts(self.sentences[question.sentence], a.min(NONE - 3), b.min(NONE - 3)) {
            self.changes.push((matrix, fact, action as usize, amount));
        }
    }
}

impl PartScorer for Looking<'_> {
    fn scores(&self, kind: Kind) -> bool {
        self.matrices.of(Some(kind.0)).is_some()
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        match self.matrices.of(Some(part.kind.0)) {
            Some(matrix) => self.matrices.score(matrix, &self.part_facts(part), scores),
            None => scores.fill(0.0),
        }
    }
}

impl PartLearner for Looking<'_> {
    fn change_part(&mut self, part: Part, choice: u16, amount: f32) {
        let Some(matrix) = self.matrices.of(Some(part.kind.0)) else { return };
        for fact in self.part_facts(part) {
            self.changes.push((matrix, fact, usize::from(choice), amount));
        }
    }
}

struct Learning {
    matrices: Matrices,
    speed: f32,
}

impl Trainable for Learning {
    fn batch(&self, _: usize, _: usize) -> usize {
        4
    }

    fn step(&mut self, batch: &[&Words], teach: &Teach<'_>) -> Result<usize, BoxError> {
        let mut changes = Vec::new();
        let mut wrong = 0;
        let mut workspace = Workspace::default();
        for (number, words) in batch.iter().enumerate() {
            let mut looking = Looking {
                matrices: &self.matrices,
                sentences: vec![*words],
                sentence: 0,
                changes: Vec::new(),
            };
            wrong += usize::from(teach(number, &mut looking, &mut workspace));
            changes.append(&mut looking.changes);
        }
        for (matrix, fact, choice, amount) in changes {
            let choices = self.matrices.shapes[matrix].1;
            self.matrices.weights[matrix][fact * choices + choice] += self.speed * amount;
        }
        Ok(wrong)
    }

    fn freeze(&self) -> Box<dyn Frozen> {
        Box::new(self.matrices.clone())
    }

    fn size(&self) -> usize {
        self.matrices.counts().1
    }

    fn inputs(&self) -> usize {
        4
    }

    fn save(&self) -> (Value, Vec<Saved<'_>>) {
        (json!({}), self.matrices.tensors().into_iter().map(Saved::from).collect())
    }

    fn restore(&mut self, _: &Value, tensors: &[(String, Vec<u8>)]) -> bool {
        self.matrices.weights.iter_mut().enumerate().all(|(number, weights)| {
            let saved = tensors.iter().find(|(name, _)| *name == format!("matrix-{number}"));
            saved.is_some_and(|(_, bytes)| {
                let numbers = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                weights.iter_mut().zip(numbers).for_each(|(weight, number)| *weight = number);
                bytes.len() == 4 * weights.len()
            })
        })
    }
}

fn scorers() -> Vec<&'static dyn ScorerKeys> {
    vec![&LINEAR, &BILSTM, &TOY]
}

/// The families as they are, with one more scorer.
const CATALOGUE: Catalogue =
    Catalogue { families: FAMILIES, scorers: &[&LINEAR, &BILSTM, &TOY], shelf: Shelf { scorers, ..SHELF } };

fn recipe(text: &str) -> Recipe {
    CATALOGUE.shelf.parse("test", &format!("{text}\nscorer = 'toy'")).unwrap()
}

/// Trains until so many steps and epochs have been heard of, or to the end; gives what was heard.
fn train(recipe: &Recipe, path: &Path, events: usize) -> (Ended, usize) {
    let corpus = Corpus { train: treebank(80, 1), dev: treebank(30, 2) };
    let training = Training { recipe: recipe.clone(), corpus, names: ("t".into(), "d".into()), fresh: false };
    let mut heard = 0;
    let mut watch = |event: Event| {
        heard += usize::from(matches!(event, Event::Step { .. } | Event::Epoch { .. }));
        if heard >= events { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let ended = training.run(CATALOGUE, path, &mut watch).unwrap();
    (ended, heard)
}

fn open(path: &Path) -> Parser {
    Parser::of("toy", Model::open(path).unwrap(), CATALOGUE).unwrap()
}

fn lf(parser: &Parser, test: &[Sentence]) -> f64 {
    let graphs = parsed(parser, test);
    Scores::compare(test.iter().map(|sentence| &sentence.graph).zip(&graphs)).main()
}

/// S_L with its dynamic oracle, a beam over S_2S, Eisner in merging, M1 of books; what each reaches at least.
const DRIVEN: [(&str, f64); 4] = [
    ("preset = 'sl-combined'\nbeam = 1\nexplore = 0.2\nepochs = 8", 40.0),
    ("preset = 's2s-combined'\nbeam = 4\nmargin = 1\nepochs = 8", 40.0),
    ("preset = 'merge-linear'\ntree_model = 'eisner'\nepochs = 5", 40.0),
    ("preset = 'book-m1'\nmargin = 1\nepochs = 5", 40.0),
];

#[test]
fn a_toy_scorer_drives_families_that_never_heard_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let test = treebank(40, 5);
    let mut paths = Vec::new();
    for (number, (text, least)) in DRIVEN.iter().enumerate() {
        let recipe = recipe(text);
        let path = folder.path().join(format!("{number}.pleach"));
        let (ended, heard) = train(&recipe, &path, usize::MAX);
        assert!(!ended.stopped && heard > 40, "{text}: {heard} events");
        let found = lf(&open(&path), &test);
        assert!(found > *least, "{text}: {found}");
        // The linear scorers' keys are gone, the toy's are there.
        assert!(recipe.table().contains_key("speed") && !recipe.table().contains_key("least_updates"));
        paths.push(path);
    }
    // A vote of all of them is one model file.
    let roots: Vec<View> = paths.iter().map(|path| Model::open(path).unwrap().root()).collect();
    let bytes = Model::to_bytes(&vote_section(&roots, 0.5)).unwrap();
    let vote = Parser::of("vote", Model::from_bytes("vote", &bytes).unwrap(), CATALOGUE).unwrap();
    assert!(lf(&vote, &test) > 40.0);
    // Without the scorer in its catalogue, a program says so.
    let error = Parser::open(&paths[0]).unwrap_err().to_string();
    assert!(error.contains("no scorer 'toy'"), "{error}");
}

#[test]
fn its_runs_stop_and_go_on_to_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (text, _)) in DRIVEN.iter().enumerate() {
        let recipe = recipe(&text.replace("epochs = 8", "epochs = 2").replace("epochs = 5", "epochs = 2"));
        let (whole, parts) =
            (folder.path().join(format!("{number}-whole")), folder.path().join(format!("{number}-parts")));
        train(&recipe, &whole, usize::MAX);
        for events in [3, 9] {
            assert!(train(&recipe, &parts, events).0.stopped, "{text}");
            assert!(!parts.exists(), "no model under its name before the run is over");
        }
        train(&recipe, &parts, usize::MAX);
        assert!(std::fs::read(&whole).unwrap() == std::fs::read(&parts).unwrap(), "{text}");
    }
}

#[test]
fn its_keys_are_checked_like_those_of_others() {
    let shelf = CATALOGUE.shelf;
    let error = |text: &str| shelf.parse("r.toml", text).unwrap_err().to_string();
    assert!(error("scorer = 'toy'\nspeed = 0").contains("'speed' is above 0"));
    assert!(error("scorer = 'toy'\nbatch = 4").contains("no key 'batch'"));
    assert!(error("scorer = 'tow'").contains("did you mean 'toy'?"));
}
