//! A small encoder of random weights, made on the spot: a folder as Hugging Face has it.
#![allow(clippy::unwrap_used)]

use pleach_neural::random::Random;
use pleach_neural::tensors::{Precision, Stored, write};
use serde_json::{Value, json};
use std::path::Path;

/// The pieces that it knows.
pub const WORDS: [&str; 12] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "##s", "sleep", "##ing", "is", ".", "dog"];

/// Makes a folder with a model of the given type.
pub fn make(folder: &Path, kind: &str, embedding: usize, positions: usize) {
    let (width, inner, layers) = (8, 12, 2);
    let pad = usize::from(kind == "roberta");
    let config = json!({
        "model_type": kind, "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": 2,
        "intermediate_size": inner, "vocab_size": WORDS.len(), "max_position_embeddings": positions,
        "type_vocab_size": 2, "layer_norm_eps": 1e-5, "pad_token_id": pad, "hidden_act": "gelu",
        "embedding_size": embedding, "unknown_key": true
    });
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    let vocabulary: Value = WORDS.iter().enumerate().map(|(i, word)| (*word, json!(i))).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": null, "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary}
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let mut shapes: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".into(), vec![WORDS.len(), embedding]),
        ("embeddings.position_embeddings.weight".into(), vec![positions, embedding]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, embedding]),
    ];
    let mut dense = |name: String, input: usize, output: usize| {
        shapes.push((format!("{name}.weight"), vec![output, input]));
        shapes.push((format!("{name}.bias"), vec![output]));
    };
    for layer in 0..layers {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            dense(name(&format!("attention.{part}")), width, width);
        }
        dense(name("intermediate.dense"), width, inner);
        dense(name("output.dense"), inner, width);
    }
    if embedding != width {
        dense("embeddings_project".into(), embedding, width);
    }
    let norms = (0..layers).flat_map(|layer| {
        ["attention.output", "output"].map(|part| (format!("encoder.layer.{layer}.{part}.LayerNorm"), width))
    });
    for (name, width) in norms.chain([("embeddings.LayerNorm".to_owned(), embedding)]) {
        shapes.push((format!("{name}.weight"), vec![width]));
        shapes.push((format!("{name}.bias"), vec![width]));
    }
    let mut random = Random::new(7);
    let data: Vec<(String, Vec<usize>, Vec<f32>)> = shapes
        .into_iter()
        .map(|(name, shape)| {
            let numbers = (0..shape.iter().product()).map(|_| random.normal() * 0.6).collect();
            (format!("{kind}.{name}"), shape, numbers)
        })
        .collect();
    let tensors: Vec<(String, Stored)> = data
        .iter()
        .map(|(name, shape, numbers)| (name.clone(), Stored::Numbers(numbers, shape.clone(), Precision::F32)))
        .collect();
    std::fs::write(folder.join("model.safetensors"), write(&[], &tensors)).unwrap();
}
