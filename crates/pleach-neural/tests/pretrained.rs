//! Pretrained encoders against a second implementation, in double precision and with plain loops.
//!
//! Small models of random weights are made on the spot. `PLEACH_ENCODER=FOLDER` runs the same comparison on a real one.
#![allow(clippy::unwrap_used)]
#![cfg(feature = "pretrained")]

mod small_encoder;

use pleach_graph::Sentence;
use pleach_neural::kernel::loss;
use pleach_neural::learn::{Adam, AdamSettings, Decay, Learner, LearnerSettings, Schedule};
use pleach_neural::memory::Memory;
use pleach_neural::network::{Dropout, Encoder, Features, Given, Network, Settings, Tags, Vocabulary};
use pleach_neural::pretrained::{Pooling, Pretrained, PretrainedError, Vectors};
use pleach_neural::random::Random;
use pleach_neural::tensors::View;
use serde_json::Value;
use small_encoder::make;
use std::path::Path;

/// The reference: all layers of one sequence of pieces.
fn reference(folder: &Path, pieces: &[usize]) -> Vec<Vec<Vec<f64>>> {
    let config: Value = serde_json::from_slice(&std::fs::read(folder.join("config.json")).unwrap()).unwrap();
    let number = |key: &str| config[key].as_u64().unwrap_or(0) as usize;
    let bytes = std::fs::read(folder.join("model.safetensors")).unwrap();
    let view = View::new(&bytes).unwrap();
    let prefix = if config["model_type"] == "xlm-roberta" {
        "roberta"
    } else {
        config["model_type"].as_str().unwrap()
    };
    let get = |name: &str| -> Vec<f64> {
        let plain = if view.shape(name).is_some() { name.to_owned() } else { format!("{prefix}.{name}") };
        view.numbers(&plain).unwrap().iter().map(|&x| f64::from(x)).collect()
    };
    let dense = |name: &str, x: &[f64]| -> Vec<f64> {
        let (w, b) = (get(&format!("{name}.weight")), get(&format!("{name}.bias")));
        let row =
            |(i, b): (usize, &f64)| b + x.iter().zip(&w[i * x.len()..]).map(|(x, w)| x * w).sum::<f64>();
        b.iter().enumerate().map(row).collect()
    };
    let norm = |name: &str, x: &[f64]| -> Vec<f64> {
        let (g, b) = (get(&format!("{name}.weight")), get(&format!("{name}.bias")));
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
        let scale = (variance + config["layer_norm_eps"].as_f64().unwrap()).sqrt();
        x.iter().zip(g.iter().zip(&b)).map(|(x, (g, b))| (x - mean) / scale * g + b).collect()
    };
    let first = if prefix == "roberta" { number("pad_token_id") + 1 } else { 0 };
    let (words, positions) =
        (get("embeddings.word_embeddings.weight"), get("embeddings.position_embeddings.weight"));
    let segments = get("embeddings.token_type_embeddings.weight");
    let width = words.len() / number("vocab_size");
    let mut x: Vec<Vec<f64>> = pieces
        .iter()
        .enumerate()
        .map(|(i, &piece)| {
            let sum = |j: usize| words[piece * width + j] + positions[(first + i) * width + j] + segments[j];
            norm("embeddings.LayerNorm", &(0..width).map(sum).collect::<Vec<_>>())
        })
        .collect();
    if width != number("hidden_size") {
        x = x.iter().map(|x| dense("embeddings_project", x)).collect();
    }
    let (width, heads) = (number("hidden_size"), number("num_attention_heads"));
    let own = width / heads;
    let mut layers = vec![x.clone()];
    for layer in 0..number("num_hidden_layers") {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let [q, k, v] = ["query", "key", "value"].map(|part| -> Vec<Vec<f64>> {
            x.iter().map(|x| dense(&name(&format!("attention.self.{part}")), x)).collect()
        });
        let next = (0..x.len()).map(|i| {
            let mut mixed = vec![0.0; width];
            for head in 0..heads {
                let range = head * own..(head + 1) * own;
                let score = |j: usize| {
                    let product: f64 = range.clone().map(|c| q[i][c] * k[j][c]).sum();
                    (product / (own as f64).sqrt()).exp()
                };
                let scores: Vec<f64> = (0..x.len()).map(score).collect();
                let total: f64 = scores.iter().sum();
                for c in range {
                    mixed[c] = (0..x.len()).map(|j| scores[j] / total * v[j][c]).sum();
                }
            }
            let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
            let a = add(&x[i], &dense(&name("attention.output.dense"), &mixed));
            let a = norm(&name("attention.output.LayerNorm"), &a);
            let inner = dense(&name("intermediate.dense"), &a);
            let inner: Vec<f64> = inner.iter().map(|&x| 0.5 * x * (1.0 + erf(x / 2f64.sqrt()))).collect();
            norm(&name("output.LayerNorm"), &add(&a, &dense(&name("output.dense"), &inner)))
        });
        x = next.collect();
        layers.push(x.clone());
    }
    layers
}

/// By the series near zero and by the continued fraction's limit beyond.
fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..150 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

fn worst(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(&a, b)| (f64::from(a) - b).abs()).fold(0.0, f64::max)
}

fn mean(rows: &[Vec<f64>]) -> Vec<f64> {
    (0..rows[0].len()).map(|i| rows.iter().map(|row| row[i]).sum::<f64>() / rows.len() as f64).collect()
}

#[test]
fn random_models_equal_the_reference() {
    for (kind, embedding) in [("bert", 8), ("roberta", 8), ("electra", 6)] {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), kind, embedding, 20);
        let encoder = Pretrained::open(folder.path()).unwrap();
        let words = ["The", "cats", "unknowable", "sleeping"];
        // [CLS] the cat ##s [UNK] sleep ##ing [SEP]
        let states = reference(folder.path(), &[2, 4, 5, 6, 1, 7, 8, 3]);
        for (pooling, last) in [(Pooling::Mean, &states[2][5..7]), (Pooling::First, &states[2][5..6])] {
            let wanted = Vectors { layers: vec![0, 2], pooling };
            let vectors = encoder.vectors(&[&words[..]], &wanted, &mut Memory::default()).unwrap();
            assert_eq!(vectors[0].len(), 5 * 16);
            assert!(worst(&vectors[0][..8], &states[0][0]) < 1e-5, "{kind}");
            assert!(worst(&vectors[0][8..16], &states[2][0]) < 1e-5, "{kind}");
            assert!(worst(&vectors[0][16 + 8..32], &states[2][1]) < 1e-5, "{kind}");
            assert!(worst(&vectors[0][64 + 8..], &mean(last)) < 1e-5, "{kind}");
        }
    }
}

/// The embeddings of whole words, turned but not bent: all distances stay.
#[test]
fn words_of_an_encoder_have_vectors() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "bert", 6, 9);
    let vectors = Pretrained::open(folder.path()).unwrap().word_vectors(5).unwrap();
    // Six points lie in a space of five dimensions.
    let words = [(4, "the"), (5, "Cat"), (7, "sleep"), (9, "is"), (10, "."), (11, "dog")];
    assert_eq!((vectors.len(), vectors.width()), (words.len(), 5));
    assert!(["##s", "[CLS]", "cats"].iter().all(|word| vectors.get(word).is_none()));
    let bytes = std::fs::read(folder.path().join("model.safetensors")).unwrap();
    let view = View::new(&bytes).unwrap();
    let embeddings = view.numbers("bert.embeddings.word_embeddings.weight").unwrap().into_owned();
    let distance = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt();
    for (i, a) in words {
        for (j, b) in words {
            let expected = distance(&embeddings[i * 6..][..6], &embeddings[j * 6..][..6]);
            assert!((distance(vectors.get(a).unwrap(), vectors.get(b).unwrap()) - expected).abs() < 1e-4);
        }
    }
}

#[test]
fn long_sentences_are_cut_and_neighbours_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "bert", 8, 9);
    let encoder = Pretrained::open(folder.path()).unwrap();
    let wanted = Vectors { layers: vec![2], pooling: Pooling::Mean };
    let long: Vec<&str> = ["the", "cats", "is", "sleeping", "."].repeat(5);
    let short = ["dog", "."];
    let mut memory = Memory::default();
    let together = encoder.vectors(&[&long[..], &short[..], &[]], &wanted, &mut memory).unwrap();
    assert_eq!(together.iter().map(Vec::len).collect::<Vec<_>>(), [26 * 8, 3 * 8, 8]);
    assert_eq!(encoder.vectors(&[&short[..]], &wanted, &mut memory).unwrap()[0], together[1]);
    // The first window is a quarter of the sentence: 25, 12, 6, 3 words.
    let states = reference(folder.path(), &[2, 4, 5, 6, 9, 3]);
    assert!(worst(&together[0][8..16], &states[2][1]) < 1e-5);
}

#[test]
fn gradients_of_all_tensors() {
    for (kind, embedding, pooling) in [("bert", 8, Pooling::Mean), ("electra", 6, Pooling::First)] {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), kind, embedding, 9);
        let mut encoder = Pretrained::open(folder.path()).unwrap();
        let wanted = Vectors { layers: vec![0, 1, 2], pooling };
        let sentences: [&[&str]; 3] =
            [&["the", "cats", "sleeping"], &["dog", "."], &["is", "the", "cats", "the", "cats", "."]];
        let nodes: usize = sentences.iter().map(|words| words.len() + 1).sum();
        let mut random = Random::new(3);
        let d: Vec<f32> = (0..nodes * 24).map(|_| random.normal()).collect();
        let mut memory = Memory::default();
        let mut gradient = vec![0.0; encoder.weights().len()];
        let (vectors, tuning) = encoder.tune(&sentences, &wanted, &mut memory).unwrap();
        assert_eq!(vectors, encoder.vectors(&sentences, &wanted, &mut Memory::default()).unwrap());
        tuning.backward(&d, &mut gradient, &mut memory);
        let mut loss = |encoder: &Pretrained| -> f64 {
            let vectors = encoder.vectors(&sentences, &wanted, &mut memory).unwrap().concat();
            vectors.iter().zip(&d).map(|(&v, &d)| f64::from(v) * f64::from(d)).sum()
        };
        for tensor in encoder.layout().tensors().to_vec() {
            let own = tensor.slot.of(&gradient).to_vec();
            let largest = (0..own.len()).max_by(|&a, &b| own[a].abs().total_cmp(&own[b].abs())).unwrap();
            // Keys' biases do not matter to attention: their gradients are zero but for rounding.
            let tolerance = f64::from(0.03 * own[largest].abs()).max(0.02);
            for i in (0..3).map(|_| random.below(own.len())).chain([largest]) {
                let old = tensor.slot.of(encoder.weights())[i];
                let mut at = |x: f32| {
                    tensor.slot.of_mut(encoder.weights_mut())[i] = x;
                    loss(&encoder)
                };
                let step = 2e-3;
                let numeric = (at(old + step) - at(old - step)) / (2.0 * f64::from(step));
                at(old);
                let error = (numeric - f64::from(own[i])).abs();
                assert!(
                    error < tolerance,
                    "{} {}[{i}]: by hand {}, by differences {numeric}",
                    kind,
                    tensor.name,
                    own[i]
                );
            }
        }
    }
}

/// A network that sees nothing but the encoder's vectors learns which words are nouns, and the encoder learns with it.
#[test]
fn an_encoder_learns_together_with_a_network() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "bert", 8, 20);
    let mut encoder = Pretrained::open(folder.path()).unwrap();
    let settings = Settings {
        given: vec![Given::new(8, 2)],
        encoder: Encoder { layers: 1, hidden: 4 },
        tags: vec![Tags { hidden: 4, classes: 2 }],
        ..Settings::default()
    };
    let vocabulary = Vocabulary::collect(&settings, []);
    let mut network = Network::new(settings, vocabulary, 1).unwrap();
    let schedule = Schedule { peak: 0.02, warm_up: 2, steps: 60, decay: Decay::Constant, last: 1.0 };
    let (adam, dropout) = (AdamSettings::default(), Dropout::NONE);
    let own = LearnerSettings { seed: 1, schedule, adam, clip: 5.0, dropout, average: 0.0 };
    let mut learner = Learner::new(own, &network, 1);
    let mut optimiser = Adam::new(encoder.weights().len());
    let sentences: [&[&str]; 2] = [&["the", "cats", "sleeping", "."], &["dog", "is", "sleeping"]];
    let classes: [&[usize]; 2] = [&[0, 0, 1, 0, 0], &[0, 1, 0, 0]];
    let wanted = Vectors { layers: vec![1, 2], pooling: Pooling::Mean };
    let mut memory = Memory::default();
    let before = encoder.weights().to_vec();
    let mut losses = Vec::new();
    for _ in 0..60 {
        let (vectors, tuning) = encoder.tune(&sentences, &wanted, &mut memory).unwrap();
        let features: Vec<Features> = sentences
            .iter()
            .zip(vectors)
            .map(|(words, vectors)| {
                let mut features = network.features(&Sentence::from_forms(words.iter().copied()));
                features.set_vectors(vectors);
                features
            })
            .collect();
        let batch = network.batch(&features.iter().collect::<Vec<_>>()).unwrap();
        let result = learner.step_to_vectors(&mut network, &[batch], |_, pass| {
            let scores = pass.tags(0)?;
            let mut gradient = vec![0.0; scores.len()];
            let rows = scores.chunks(2).zip(gradient.chunks_mut(2)).zip(classes.concat());
            let losses = rows.map(|((scores, d), class)| loss::softmax(scores, class, 0.1, d));
            let total = losses.sum();
            pass.tags_gradient(0, &gradient)?;
            Ok(total)
        });
        let (loss, d_vectors) = result.unwrap();
        losses.push(loss);
        let mut gradient = vec![0.0; encoder.weights().len()];
        tuning.backward(&d_vectors[0], &mut gradient, &mut memory);
        optimiser.step(AdamSettings::default(), 0.005, 1.0, encoder.weights_mut(), &gradient);
    }
    assert!(losses[59] < 0.2 * losses[0], "{losses:?}");
    assert_ne!(encoder.weights(), before);
}

#[test]
fn what_is_wrong_with_a_folder_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Pretrained::open(folder.path()).unwrap_err();
    assert!(matches!(open(), PretrainedError::File { .. }));
    make(folder.path(), "bert", 8, 20);
    let path = folder.path().join("model.safetensors");
    std::fs::remove_file(&path).unwrap();
    assert!(open().to_string().contains("model.safetensors: "), "{}", open());
    make(folder.path(), "bert", 8, 20);
    let config = std::fs::read_to_string(folder.path().join("config.json")).unwrap();
    let set = |from: &str, to: &str| {
        assert!(config.contains(from));
        std::fs::write(folder.path().join("config.json"), config.replace(from, to)).unwrap();
    };
    set("\"vocab_size\":12", "\"vocab_size\":11");
    assert!(matches!(open(), PretrainedError::Weights(_)), "{}", open());
    set("\"bert\"", "\"gpt2\"");
    assert!(open().to_string().starts_with("config.json: unknown variant `gpt2`"), "{}", open());
    set("\"gelu\"", "\"silu\"");
    assert!(open().to_string().contains("silu"), "{}", open());
    set("\"bert\"", "\"roberta\"");
    assert_eq!(
        open().to_string(),
        "model.safetensors: the model has no tensor \"roberta.embeddings.word_embeddings.weight\""
    );
}

#[test]
fn a_real_encoder_equals_the_reference() {
    let Some(folder) = std::env::var_os("PLEACH_ENCODER") else { return };
    let folder = Path::new(&folder);
    let encoder = Pretrained::open(folder).unwrap();
    let last = encoder.config().num_hidden_layers;
    let wanted = Vectors { layers: vec![last], pooling: Pooling::First };
    let words = ["The", "cats", "were", "sleeping", "in", "antidisestablishmentarian", "gardens", "."];
    let vectors = encoder.vectors(&[&words[..]], &wanted, &mut Memory::default()).unwrap();
    // BERT's lower-case English pieces of these words.
    let pieces =
        [101, 1996, 8870, 2020, 5777, 1999, 3424, 10521, 4355, 7875, 13602, 3672, 12199, 5822, 1012, 102];
    let states = reference(folder, &pieces);
    let width = encoder.config().hidden_size;
    for (node, piece) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 13), (8, 14)] {
        let error = worst(&vectors[0][node * width..][..width], &states[last][piece]);
        assert!(error < 1e-4, "node {node}: {error}");
    }
    if width == 384 {
        // What NumPy makes of all-MiniLM-L6-v2.
        let numpy = [0.62753565, 0.15438704, 0.08533664, 0.17883145];
        assert!(worst(&vectors[0][..4], &numpy) < 1e-4);
    }
}
