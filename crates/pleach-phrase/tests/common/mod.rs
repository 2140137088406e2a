//! Reading trees and comparing graphs.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use pleach_formats::{Format, Reader};
use pleach_graph::Sentence;
use pleach_phrase::{Language, Options, Style, convert_sentence};

pub fn read(text: &str) -> Vec<Sentence> {
    let input = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    Reader::from_read("test", input, Some(Format::Brackets)).unwrap().map(Result::unwrap).collect()
}

pub const REFERENCE: Options = Options { language: Language::Chinese, style: Style::Reference };
pub const REFINED: Options = Options { language: Language::Chinese, style: Style::Refined };
pub const ENGLISH: Options = Options { language: Language::English, style: Style::Reference };

/// The arcs of a tree as text, `head label dependent`, in the order of the dependents.
pub fn arcs(tree: &str, options: Options) -> Vec<String> {
    let mut sentence = read(tree).remove(0);
    convert_sentence(&mut sentence, &options, true).unwrap();
    arcs_of(&sentence)
}

pub fn arcs_of(sentence: &Sentence) -> Vec<String> {
    let name = |id| sentence.token(id).map_or("0".to_owned(), |token| token.form.to_string());
    let arcs = sentence.graph.arcs().iter();
    arcs.map(|arc| format!("{} {} {}", name(arc.head), arc.label, name(arc.dependent))).collect()
}

/// Asserts that a tree gives exactly these arcs, written `head label dependent` and separated by commas.
pub fn check(tree: &str, options: Options, expected: &str) {
    let mut found = arcs(tree, options);
    let mut expected: Vec<String> = expected.split(',').map(|arc| arc.trim().to_owned()).collect();
    expected.retain(|arc| !arc.is_empty());
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{tree}");
}
