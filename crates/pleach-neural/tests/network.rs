//! Whole networks: gradients of all tensors, and scores that don't depend on batches.
#![allow(clippy::unwrap_used)]

use pleach_graph::Sentence;
use pleach_neural::memory::Memory;
use pleach_neural::network::{
    ArcScores, Arcs, Batch, Characters, Dropout, Encoder, Features, Given, Input, Labels, NONE, Network,
    Pair, Pass, Positions, Settings, Source, Table, Tags, Vocabulary,
};
use pleach_neural::random::Random;

fn sentences() -> Vec<Sentence> {
    let texts = [
        "the old cat sleeps on the mat",
        "Dogs bark",
        "",
        "she sees the dog that the cat saw in the old garden yesterday",
        "no",
        "cats sleep and dogs bark",
    ];
    let sentences = texts.map(|text| {
        let mut sentence = Sentence::from_forms(text.split_whitespace());
        for token in &mut sentence.tokens {
            token.upos = if token.form.len() > 3 { "NOUN".into() } else { "DET".into() };
            token.feats = if token.form.ends_with('s') { "Number=Plur|X=Y".into() } else { "X=Y".into() };
        }
        sentence
    });
    sentences.into()
}

fn settings() -> Settings {
    Settings {
        inputs: vec![
            Input { source: Source::Lower, width: 6, table: Table::Known { at_least: 2 } },
            Input { source: Source::Form, width: 4, table: Table::Hashed { buckets: 11, probes: 2 } },
            Input { source: Source::Upos, width: 3, table: Table::Known { at_least: 1 } },
            Input { source: Source::Features, width: 3, table: Table::Known { at_least: 1 } },
        ],
        characters: Some(Characters { buckets: 200, width: 4, radius: 1, output: 5 }),
        given: vec![Given::new(2, 3), Given { rows: 4, ..Given::new(1, 1) }, Given::new(2, 2)],
        encoder: Encoder { layers: 2, hidden: 7 },
        arcs: Some(Arcs { channels: 2, width: 5 }),
        labels: Some(Labels { width: 4, count: 3 }),
        positions: vec![Positions { slots: 2, hidden: 6, classes: 4 }],
        tags: vec![Tags { hidden: 5, classes: 3 }],
        language: None,
    }
}

fn network() -> Network<'static> {
    let sentences = sentences();
    let vocabulary = Vocabulary::collect(&settings(), &sentences);
    let mut network = Network::new(settings(), vocabulary, 3).unwrap();
    // Zeros at the beginning would hide gradients.
    let mut random = Random::new(9);
    network.weights_mut().iter_mut().for_each(|w| *w = 0.5 * random.normal());
    network
}

fn features(network: &Network) -> Vec<Features> {
    let lengths = sentences().into_iter().map(|sentence| sentence.len());
    let vectors = lengths.map(|length| numbers((length + 1) * 11, length as u64));
    features_with(network, vectors.collect())
}

fn features_with(network: &Network, vectors: Vec<Vec<f32>>) -> Vec<Features> {
    let features = sentences().into_iter().zip(vectors).map(|(sentence, vectors)| {
        let mut features = network.features(&sentence);
        features.set_vectors(vectors);
        features.set_rows((0..features.nodes()).map(|node| (node % 5).checked_sub(1)));
        features
    });
    features.collect()
}

/// All scores of all heads for one batch, and the nodes and pairs that were asked for.
struct Everything {
    arcs: [ArcScores; 2],
    labels: Vec<f32>,
    positions: Vec<f32>,
    tags: Vec<f32>,
}

fn pairs(batch: &Batch) -> Vec<Pair> {
    let lengths = batch.lengths().iter().enumerate();
    let pairs = lengths.flat_map(|(sentence, &n)| {
        (1..n as u32).map(move |dependent| Pair { sentence: sentence as u32, head: dependent / 2, dependent })
    });
    pairs.collect()
}

fn rows(batch: &Batch) -> Vec<u32> {
    let lengths = batch.lengths().iter().enumerate();
    let rows = lengths.flat_map(|(sentence, &n)| {
        (0..n).flat_map(move |node| {
            let before = if node == 0 { NONE } else { batch.row(sentence, node - 1) as u32 };
            [before, batch.row(sentence, node) as u32]
        })
    });
    rows.collect()
}

fn ask(pass: &mut Pass) -> Everything {
    let batch = pass.batch();
    Everything {
        arcs: [pass.arcs(0).unwrap(), pass.arcs(1).unwrap()],
        labels: pass.labels(&pairs(batch)).unwrap(),
        positions: pass.positions(0, &rows(batch)).unwrap(),
        tags: pass.tags(0).unwrap(),
    }
}

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.normal()).collect()
}

/// A loss that is linear in all scores, so that its gradient is a fixed row of numbers.
fn loss(everything: &Everything) -> f64 {
    let weigh = |scores: &[f32], seed| {
        let weights = numbers(scores.len(), seed);
        scores.iter().zip(weights).map(|(&s, w)| f64::from(s) * f64::from(w)).sum::<f64>()
    };
    weigh(&everything.arcs[0].data, 1)
        + weigh(&everything.arcs[1].data, 2)
        + weigh(&everything.labels, 3)
        + weigh(&everything.positions, 4)
        + weigh(&everything.tags, 5)
}

#[test]
fn gradients_of_all_tensors() {
    let mut network = network();
    let features = features(&network);
    let dropout = Dropout { inputs: 0.3, words: 0.3, layers: 0.3, heads: 0.3 };
    let batch = network.batch(&features.iter().collect::<Vec<_>>()).unwrap();
    let mut memory = Memory::default();
    let mut gradient = vec![0.0; network.weights().len()];
    let mut pass = Pass::training(&network, &batch, &mut memory, dropout, 5, &mut gradient);
    let everything = ask(&mut pass);
    for channel in 0..2 {
        let mut d = ArcScores::zeros(batch.lengths());
        d.data = numbers(d.data.len(), channel as u64 + 1);
        pass.arcs_gradient(channel, &d).unwrap();
    }
    let (pairs, rows) = (pairs(&batch), rows(&batch));
    pass.labels_gradient(&pairs, &numbers(everything.labels.len(), 3)).unwrap();
    // In two calls, as a search would: gradients add up.
    let d = numbers(everything.positions.len(), 4);
    pass.positions_gradient(0, &rows[..6], &d[..12]).unwrap();
    pass.positions_gradient(0, &rows[6..], &d[12..]).unwrap();
    pass.tags_gradient(0, &numbers(everything.tags.len(), 5)).unwrap();
    let d_vectors = pass.backward_to_vectors();

    assert_eq!(d_vectors.len(), batch.rows() * 11);
    let mut scratch = vec![0.0; gradient.len()];
    let mut measure = |network: &Network| {
        let mut pass = Pass::training(network, &batch, &mut memory, dropout, 5, &mut scratch);
        loss(&ask(&mut pass))
    };
    let mut random = Random::new(1);
    let tensors = network.layout().tensors().to_vec();
    for tensor in &tensors {
        let own = tensor.slot.of(&gradient).to_vec();
        // Five weights of each tensor, the one with the largest gradient among them.
        let largest = (0..own.len()).max_by(|&a, &b| own[a].abs().total_cmp(&own[b].abs())).unwrap();
        let tolerance = 0.03 * f64::from(own[largest].abs());
        assert!(tolerance > 0.0, "{}", tensor.name);
        for i in (0..4).map(|_| random.below(own.len())).chain([largest]) {
            let old = tensor.slot.of(network.weights())[i];
            // Rectifiers have kinks, which a long step may cross; a short one drowns in rounding. One must do.
            let mut differences = [2e-3, 6e-4, 2e-4].into_iter().map(|step| {
                tensor.slot.of_mut(network.weights_mut())[i] = old + step;
                let above = measure(&network);
                tensor.slot.of_mut(network.weights_mut())[i] = old - step;
                let below = measure(&network);
                tensor.slot.of_mut(network.weights_mut())[i] = old;
                (above - below) / (2.0 * f64::from(step))
            });
            let mut seen = Vec::new();
            let found = differences.any(|numeric| {
                seen.push(numeric);
                (numeric - f64::from(own[i])).abs() < tolerance
            });
            assert!(found, "{}[{i}]: by hand {}, by differences {seen:?}", tensor.name, own[i]);
        }
    }
}

#[test]
fn gradients_of_given_vectors() {
    let network = network();
    let lengths: Vec<usize> = sentences().iter().map(|sentence| (sentence.len() + 1) * 11).collect();
    let given = numbers(lengths.iter().sum(), 8);
    let cut = |flat: &[f32]| {
        let mut rest = flat;
        let parts = lengths.iter().map(|&length| {
            let (own, others) = rest.split_at(length);
            rest = others;
            own.to_vec()
        });
        parts.collect::<Vec<_>>()
    };
    let mut scratch = vec![0.0; network.weights().len()];
    let mut run = |flat: &[f32]| {
        let features = features_with(&network, cut(flat));
        let batch = network.batch(&features.iter().collect::<Vec<_>>()).unwrap();
        let mut memory = Memory::default();
        let mut pass = Pass::training(&network, &batch, &mut memory, Dropout::NONE, 5, &mut scratch);
        let scores = pass.arcs(0).unwrap();
        let mut d = ArcScores::zeros(batch.lengths());
        d.data = numbers(d.data.len(), 1);
        pass.arcs_gradient(0, &d).unwrap();
        let loss: f64 = scores.data.iter().zip(&d.data).map(|(&s, &d)| f64::from(s) * f64::from(d)).sum();
        (loss, pass.backward_to_vectors())
    };
    let (_, gradient) = run(&given);
    assert_eq!(gradient.len(), given.len());
    let most = gradient.iter().fold(0.0_f32, |most, d| most.max(d.abs()));
    for i in (0..given.len()).step_by(7) {
        let mut changed = given.clone();
        let found = [4e-3, 1e-3].into_iter().any(|step| {
            changed[i] = given[i] + step;
            let above = run(&changed).0;
            changed[i] = given[i] - step;
            let numeric = (above - run(&changed).0) / (2.0 * f64::from(step));
            (numeric - f64::from(gradient[i])).abs() < 0.03 * f64::from(most)
        });
        assert!(found, "vector number {i}: by hand {}", gradient[i]);
    }
}

#[test]
fn scores_do_not_depend_on_the_batch() {
    for network in [network(), network().in_whole_numbers()] {
        scores_are_the_same_in_every_batch(&network);
    }
}

fn scores_are_the_same_in_every_batch(network: &Network) {
    let features = features(network);
    let mut memory = Memory::default();
    let all = network.batch(&features.iter().collect::<Vec<_>>()).unwrap();
    let together = ask(&mut Pass::new(network, &all, &mut memory));
    // Alone, and in the company of one other sentence on either side.
    for i in 0..features.len() {
        for j in 0..features.len() {
            let some: Vec<&Features> =
                if i == j { vec![&features[i]] } else { vec![&features[j], &features[i]] };
            let place = some.len() - 1;
            let batch = network.batch(&some).unwrap();
            let own = ask(&mut Pass::new(network, &batch, &mut memory));
            for channel in 0..2 {
                assert_eq!(own.arcs[channel].sentence(place), together.arcs[channel].sentence(i));
            }
            let n = features[i].nodes();
            let range = |batch: &Batch, sentence: usize, width: usize| {
                batch.row(sentence, 0) * width..(batch.row(sentence, 0) + n) * width
            };
            assert_eq!(own.tags[range(&batch, place, 3)], together.tags[range(&all, i, 3)]);
            assert_eq!(own.positions[range(&batch, place, 4)], together.positions[range(&all, i, 4)]);
        }
    }
}

#[test]
fn a_large_network_does_not_depend_on_the_batch_either() {
    // Wide enough for every blocking that matrix products have.
    let mut settings = settings();
    settings.inputs[0].width = 300;
    settings.encoder = Encoder { layers: 2, hidden: 210 };
    settings.arcs = Some(Arcs { channels: 1, width: 420 });
    let sentences = sentences();
    let vocabulary = Vocabulary::collect(&settings, &sentences);
    let network = Network::new(settings, vocabulary, 3).unwrap();
    for network in [network.clone(), network.in_whole_numbers()] {
        copies_are_the_same(&network);
    }
}

fn copies_are_the_same(network: &Network) {
    let features = features(network);
    let many: Vec<&Features> = features.iter().cycle().take(200).collect();
    let mut memory = Memory::default();
    let batch = network.batch(&many).unwrap();
    let scores = Pass::new(network, &batch, &mut memory).arcs(0).unwrap();
    for (i, features) in features.iter().enumerate() {
        let alone = network.batch(&[features]).unwrap();
        let own = Pass::new(network, &alone, &mut memory).arcs(0).unwrap();
        for copy in (i..200).step_by(6) {
            assert_eq!(own.sentence(0), scores.sentence(copy));
        }
    }
}

#[test]
fn what_a_network_lacks_is_an_error() {
    let mut settings = settings();
    settings.arcs = None;
    settings.given = vec![Given::new(3, 1)];
    let vocabulary = Vocabulary::collect(&settings, &sentences());
    let network = Network::new(settings, vocabulary, 3).unwrap();
    let features = features(&network);
    let error = network.batch(&[&features[0]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "88 numbers for the vectors of a sentence, expected 24 (8 nodes with the root)"
    );
    let mut own = network.features(&sentences()[0]);
    own.set_vectors(vec![0.0; 24]);
    let batch = network.batch(&[&own]).unwrap();
    let mut memory = Memory::default();
    let mut pass = Pass::new(&network, &batch, &mut memory);
    assert_eq!(pass.arcs(0).unwrap_err().to_string(), "the network has no channel 0 of arcs");
    assert!(pass.positions(1, &[]).is_err() && pass.tags(1).is_err());
    assert!(pass.labels_gradient(&[], &[]).is_err());
}
