//! Language models: gradients against differences, directions that don't see each other, learning.
#![allow(clippy::unwrap_used)]

use pleach_graph::Sentence;
use pleach_neural::learn::{AdamSettings, Decay, Learner, LearnerSettings, Schedule};
use pleach_neural::lm::{Counts, LanguageModel, LanguageSettings};
use pleach_neural::memory::Memory;
use pleach_neural::network::{Batch, Dropout, Pass, Samples};
use pleach_neural::random::Random;
use pleach_neural::tensors::Precision;

fn sentences() -> Vec<Vec<String>> {
    let texts =
        ["the cat sees the dog", "the dog sleeps", "a cat", "", "the dog sees a cat and the cat sleeps"];
    texts.iter().map(|text| text.split_whitespace().map(str::to_owned).collect()).collect()
}

fn model(layers: usize) -> LanguageModel {
    let mut counts = Counts::default();
    sentences().iter().for_each(|sentence| counts.add(sentence));
    let settings = LanguageSettings { characters: 4, words: 3, buckets: 13, layers, hidden: 5, lexicon: 6 };
    let mut model = LanguageModel::new(&settings, counts.lexicon(6), 1).unwrap();
    let mut random = Random::new(2);
    model.network.weights_mut().iter_mut().for_each(|w| *w = 0.5 * random.normal());
    model
}

fn batch(model: &LanguageModel) -> (Batch, Vec<Vec<u32>>) {
    let features: Vec<_> =
        sentences().iter().map(|words| model.network.features(&Sentence::from_forms(words))).collect();
    let batch = model.network.batch(&features.iter().collect::<Vec<_>>()).unwrap();
    (batch, sentences().iter().map(|words| model.classes(words)).collect())
}

#[test]
fn gradients_of_all_tensors() {
    let mut model = model(2);
    let (batch, classes) = batch(&model);
    let all = model.lexicon.classes();
    let mut memory = Memory::default();
    for samples in [Samples::all(all), Samples::draw(5, all, &mut Random::new(3))] {
        let dropout = Dropout { inputs: 0.2, layers: 0.3, ..Dropout::NONE };
        let mut gradient = vec![0.0; model.network.weights().len()];
        let mut pass = Pass::training(&model.network, &batch, &mut memory, dropout, 5, &mut gradient);
        let (_, count) = pass.language(&classes, &samples, 1.0).unwrap();
        // Every word twice, and the end of each sentence once.
        assert_eq!(count, 2 * 19 + 5);
        pass.backward();
        let mut scratch = vec![0.0; gradient.len()];
        let tensors = model.network.layout().tensors().to_vec();
        for tensor in &tensors {
            let own = tensor.slot.of(&gradient).to_vec();
            let largest = (0..own.len()).max_by(|&a, &b| own[a].abs().total_cmp(&own[b].abs())).unwrap();
            assert!(own[largest] != 0.0, "{}", tensor.name);
            for i in [0, own.len() / 2, largest] {
                let old = tensor.slot.of(model.network.weights())[i];
                let mut at = |x: f32| {
                    tensor.slot.of_mut(model.network.weights_mut())[i] = x;
                    let mut pass =
                        Pass::training(&model.network, &batch, &mut memory, dropout, 5, &mut scratch);
                    pass.language(&classes, &samples, 1.0).unwrap().0
                };
                let found = [4e-3, 1e-3].into_iter().any(|step| {
                    let numeric = (at(old + step) - at(old - step)) / (2.0 * f64::from(step));
                    (numeric - f64::from(own[i])).abs() < 0.03 * f64::from(own[largest].abs())
                });
                at(old);
                assert!(found, "{}[{i}] is {}", tensor.name, own[i]);
            }
        }
    }
}

#[test]
fn a_direction_sees_nothing_of_what_it_predicts() {
    let model = model(2);
    let mut memory = Memory::default();
    let mut read = |words: &[&str]| model.vectors(&[words], &mut memory).unwrap().remove(0);
    let (one, other) = (read(&["the", "cat", "sleeps"]), read(&["the", "cat", "barks"]));
    let numbers = model.shape().numbers();
    assert_eq!((one.len(), numbers), (4 * numbers, 20));
    for node in 0..3 {
        for layer in 0..2 {
            let row = node * numbers + layer * 10;
            assert_eq!(one[row..row + 5], other[row..row + 5], "forward, node {node}");
            assert_ne!(one[row + 5..row + 10], other[row + 5..row + 10], "backward, node {node}");
        }
    }
    // Nothing depends on the batch either.
    let words: Vec<Vec<&str>> = vec![vec!["a"], vec!["the", "cat", "sleeps"], vec![]];
    let together =
        model.vectors(&words.iter().map(|words| &words[..]).collect::<Vec<_>>(), &mut memory).unwrap();
    assert_eq!(together[1], one);
}

#[test]
fn it_learns_and_is_written() {
    let mut model = model(1);
    let (batch, classes) = batch(&model);
    let schedule = Schedule { peak: 0.02, warm_up: 5, steps: 150, decay: Decay::Linear, last: 0.1 };
    let settings = LearnerSettings {
        seed: 1,
        schedule,
        adam: AdamSettings::default(),
        clip: 5.0,
        dropout: Dropout::NONE,
        average: 0.0,
    };
    let mut learner = Learner::new(settings, &model.network, 1);
    let mut memory = Memory::default();
    let (before, count) = model.loss(&sentences(), &mut memory).unwrap();
    let all = model.lexicon.classes();
    for step in 0..150 {
        let samples = Samples::draw(8, all, &mut Random::new(step));
        let learn = |_: usize, pass: &mut Pass| Ok(pass.language(&classes, &samples, 1.0 / count as f32)?.0);
        learner.step(&mut model.network, std::slice::from_ref(&batch), learn).unwrap();
    }
    let (after, _) = model.loss(&sentences(), &mut memory).unwrap();
    assert!(after < 0.5 * before, "{before} to {after}");
    let again = LanguageModel::from_bytes(&model.to_bytes(Precision::F32)).unwrap();
    assert_eq!(again.loss(&sentences(), &mut memory).unwrap().0, after);
    assert!(LanguageModel::from_bytes(&model.to_bytes(Precision::F32)[..500]).is_err());
}
