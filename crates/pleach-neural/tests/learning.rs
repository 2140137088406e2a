//! Training: it learns, and it is the same on every machine, with any number of threads, and after a stop.
#![allow(clippy::unwrap_used)]

use pleach_graph::Sentence;
use pleach_neural::NeuralError;
use pleach_neural::kernel::loss;
use pleach_neural::learn::{AdamSettings, Decay, Learner, LearnerSettings, Schedule};
use pleach_neural::memory::Memory;
use pleach_neural::network::{
    ArcScores, Arcs, Batch, Dropout, Encoder, Features, Input, NONE, Network, Pass, Positions, Settings,
    Source, Table, Tags, Vocabulary,
};
use pleach_neural::random::Random;
use pleach_neural::tensors::Precision;

/// Words `a`, `b` and `c`. Every `b` depends on the nearest `a` before it (or the root), every other word on the root; the
/// class of a word is whether an `a` went before.
struct Example {
    sentence: Sentence,
    heads: Vec<usize>,
    classes: Vec<usize>,
}

fn examples(count: usize, seed: u64) -> Vec<Example> {
    let mut random = Random::new(seed);
    let example = |_| {
        let length = 2 + random.below(7);
        let forms: Vec<&str> = (0..length).map(|_| ["a", "b", "c"][random.below(3)]).collect();
        let (mut last, mut heads, mut classes) = (0, vec![0], vec![0]);
        for (i, &form) in forms.iter().enumerate() {
            heads.push(if form == "b" { last } else { 0 });
            classes.push(usize::from(last > 0));
            last = if form == "a" { i + 1 } else { last };
        }
        Example { sentence: Sentence::from_forms(forms), heads, classes }
    };
    (0..count).map(example).collect()
}

fn settings() -> Settings {
    Settings {
        inputs: vec![Input { source: Source::Lower, width: 8, table: Table::Known { at_least: 1 } }],
        encoder: Encoder { layers: 1, hidden: 12 },
        arcs: Some(Arcs { channels: 1, width: 10 }),
        positions: vec![Positions { slots: 2, hidden: 16, classes: 2 }],
        tags: vec![Tags { hidden: 8, classes: 2 }],
        ..Settings::default()
    }
}

fn learner_settings() -> LearnerSettings {
    LearnerSettings {
        seed: 4,
        schedule: Schedule { peak: 0.01, warm_up: 5, steps: 300, decay: Decay::Cosine, last: 0.05 },
        adam: AdamSettings::default(),
        clip: 5.0,
        dropout: Dropout { inputs: 0.0, words: 0.05, layers: 0.1, heads: 0.1 },
        average: 0.9,
    }
}

fn start(examples: &[Example]) -> Network<'static> {
    let vocabulary = Vocabulary::collect(&settings(), examples.iter().map(|example| &example.sentence));
    Network::new(settings(), vocabulary, 1).unwrap()
}

/// All pairs of a node and a later one, as a list-based system would meet them: is there an arc?
fn rows(batch: &Batch, sentence: usize, heads: &[usize]) -> (Vec<u32>, Vec<bool>) {
    let (mut rows, mut gold) = (Vec::new(), Vec::new());
    for front in 1..heads.len() {
        for top in (0..front).rev() {
            let place = |node| batch.row(sentence, node) as u32;
            rows.extend([if top == 0 { NONE } else { place(top) }, place(front)]);
            gold.push(heads[front] == top);
        }
    }
    (rows, gold)
}

fn learn(pass: &mut Pass, examples: &[&Example]) -> Result<f64, NeuralError> {
    let batch = pass.batch();
    let weight = 1.0 / batch.rows() as f32;
    let mut total = 0.0;
    let scores = pass.arcs(0)?;
    let mut gradient = ArcScores::zeros(batch.lengths());
    for (sentence, example) in examples.iter().enumerate() {
        let n = example.heads.len();
        for dependent in 1..n {
            let row = &scores.sentence(sentence)[dependent * n..][..n];
            let d = &mut gradient.sentence_mut(sentence)[dependent * n..][..n];
            total += loss::softmax(row, example.heads[dependent], weight, d);
        }
    }
    pass.arcs_gradient(0, &gradient)?;
    for (sentence, example) in examples.iter().enumerate() {
        let (rows, gold) = rows(batch, sentence, &example.heads);
        let scores = pass.positions(0, &rows)?;
        let mut gradient = vec![0.0; scores.len()];
        for ((scores, gradient), gold) in scores.chunks(2).zip(gradient.chunks_mut(2)).zip(gold) {
            total += loss::softmax_any(scores, &[!gold, gold], weight, gradient);
        }
        pass.positions_gradient(0, &rows, &gradient)?;
    }
    let scores = pass.tags(0)?;
    let mut gradient = vec![0.0; scores.len()];
    for (sentence, example) in examples.iter().enumerate() {
        for (node, &class) in example.classes.iter().enumerate().skip(1) {
            let place = batch.row(sentence, node) * 2;
            total += loss::softmax(&scores[place..place + 2], class, weight, &mut gradient[place..place + 2]);
        }
    }
    pass.tags_gradient(0, &gradient)?;
    Ok(total)
}

/// Steps `from..to` on batches of 12 sentences in 3 shards.
fn train(network: &mut Network, learner: &mut Learner, examples: &[Example], from: usize, to: usize) -> f64 {
    let features: Vec<Features> =
        examples.iter().map(|example| network.features(&example.sentence)).collect();
    let mut last = 0.0;
    for step in from..to {
        let chosen: Vec<usize> = (0..12).map(|i| (step * 12 + i) % examples.len()).collect();
        let shards: Vec<&[usize]> = chosen.chunks(4).collect();
        let batches: Vec<Batch> = shards
            .iter()
            .map(|shard| network.batch(&shard.iter().map(|&i| &features[i]).collect::<Vec<_>>()).unwrap())
            .collect();
        let parts: Vec<Vec<&Example>> =
            shards.iter().map(|shard| shard.iter().map(|&i| &examples[i]).collect()).collect();
        last = learner.step(network, &batches, |shard, pass| learn(pass, &parts[shard])).unwrap();
    }
    last
}

#[test]
fn arcs_positions_and_tags_are_learnt_together() {
    let all = examples(120, 1);
    let mut network = start(&all);
    let mut learner = Learner::new(learner_settings(), &network, 1);
    train(&mut network, &mut learner, &all, 0, 300);
    let weights = learner.best(&network).to_vec();
    network.weights_mut().copy_from_slice(&weights);

    let new = examples(60, 2);
    let (mut right, mut decided, mut words) = ([0, 0, 0], 0, 0);
    let mut memory = Memory::default();
    for example in &new {
        let features = network.features(&example.sentence);
        let batch = network.batch(&[&features]).unwrap();
        let mut pass = Pass::new(&network, &batch, &mut memory);
        let (arcs, tags) = (pass.arcs(0).unwrap(), pass.tags(0).unwrap());
        let n = example.heads.len();
        let best = |row: &[f32]| (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
        for node in 1..n {
            words += 1;
            right[0] += usize::from(best(&arcs.sentence(0)[node * n..][..n]) == example.heads[node]);
            right[1] += usize::from(best(&tags[node * 2..][..2]) == example.classes[node]);
        }
        let (rows, gold) = rows(&batch, 0, &example.heads);
        let scores = pass.positions(0, &rows).unwrap();
        for (row, gold) in scores.chunks(2).zip(gold) {
            decided += 1;
            right[2] += usize::from((best(row) == 1) == gold);
        }
        pass.finish();
    }
    assert!(right[0] * 100 >= words * 95 && right[1] * 100 >= words * 95, "{right:?} of {words}");
    assert!(right[2] * 100 >= decided * 95, "{right:?} of {decided}");
}

#[test]
fn weights_do_not_depend_on_threads() {
    let all = examples(40, 1);
    let bytes = [1, 2, 3, 5].map(|threads| {
        let mut network = start(&all);
        let mut learner = Learner::new(learner_settings(), &network, threads);
        train(&mut network, &mut learner, &all, 0, 8);
        (network.to_bytes(Precision::F32), learner.to_bytes())
    });
    assert!(bytes.iter().all(|other| *other == bytes[0]));
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bytes() {
    let all = examples(40, 1);
    let mut network = start(&all);
    let mut learner = Learner::new(learner_settings(), &network, 1);
    train(&mut network, &mut learner, &all, 0, 5);
    let (saved_network, saved_learner) = (network.to_bytes(Precision::F32), learner.to_bytes());
    let loss = train(&mut network, &mut learner, &all, 5, 10);

    let mut network_again = Network::from_bytes(&saved_network).unwrap();
    let mut learner_again = Learner::from_bytes(&saved_learner, &network_again, 2).unwrap();
    let loss_again = train(&mut network_again, &mut learner_again, &all, 5, 10);
    assert_eq!(loss, loss_again);
    assert!(network.to_bytes(Precision::F32) == network_again.to_bytes(Precision::F32));
    assert!(learner.to_bytes() == learner_again.to_bytes());
    assert_ne!(network.to_bytes(Precision::F32), saved_network);
}

#[test]
fn a_model_of_few_bits_scores_nearly_the_same() {
    let all = examples(40, 1);
    let mut network = start(&all);
    let mut learner = Learner::new(learner_settings(), &network, 1);
    train(&mut network, &mut learner, &all, 0, 40);
    let features: Vec<Features> = all.iter().map(|example| network.features(&example.sentence)).collect();
    let score = |network: &Network| {
        let batch = network.batch(&features.iter().collect::<Vec<_>>()).unwrap();
        Pass::new(network, &batch, &mut Memory::default()).arcs(0).unwrap().data
    };
    let exact = score(&network);
    for (precision, error) in [(Precision::F32, 0.0), (Precision::F16, 0.05), (Precision::Int8, 0.5)] {
        let bytes = network.to_bytes(precision);
        let close = score(&Network::from_bytes(&bytes).unwrap());
        let worst = exact.iter().zip(&close).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst <= error, "{precision:?}: {worst}");
    }
    let mut whole = network.clone().in_whole_numbers();
    let close = score(&whole);
    let worst = exact.iter().zip(&close).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst > 0.0 && worst <= 0.5, "whole numbers: {worst}");
    // Weights that may change are what counts again.
    whole.weights_mut();
    assert!(score(&whole) == exact);
}

#[test]
fn what_is_not_a_number_stops_training_and_changes_nothing() {
    let all = examples(4, 1);
    let mut network = start(&all);
    let features: Vec<Features> = all.iter().map(|example| network.features(&example.sentence)).collect();
    let batches = vec![network.batch(&features.iter().collect::<Vec<_>>()).unwrap()];
    let mut learner = Learner::new(learner_settings(), &network, 1);
    let before = network.to_bytes(Precision::F32);
    let error = learner.step(&mut network, &batches, |_, _| Ok(f64::NAN)).unwrap_err();
    assert!(matches!(error, NeuralError::Loss { step: 0, .. }), "{error}");
    let gradient = |pass: &mut Pass| {
        let mut gradient = pass.arcs(0)?;
        gradient.data.fill(f32::INFINITY);
        pass.arcs_gradient(0, &gradient)?;
        Ok(1.0)
    };
    let error = learner.step(&mut network, &batches, |_, pass| gradient(pass)).unwrap_err();
    assert!(matches!(error, NeuralError::Gradient { step: 0 }), "{error}");
    let error =
        learner.step(&mut network, &batches, |_, _| Err(NeuralError::NoHead("x".into()))).unwrap_err();
    assert!(matches!(error, NeuralError::NoHead(_)));
    assert!(before == network.to_bytes(Precision::F32));
    learner.step(&mut network, &batches, |_, _| Ok(1.0)).unwrap();
    let error = learner.step(&mut network, &batches, |_, _| Ok(1e6)).unwrap_err();
    assert!(matches!(error, NeuralError::Exploding { step: 1, .. }), "{error}");
}
