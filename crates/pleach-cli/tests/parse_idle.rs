//! Options that would do nothing are refused or told, and names of outputs don't promise what they can't be.

#![allow(clippy::unwrap_used)]

mod common;

use common::{failure, fine, lab};

#[test]
fn options_that_a_model_cannot_heed_are_refused() {
    let lab = lab();
    let path = lab.path();
    let (code, said) = failure(path, "parse dev.conllu -m graph.pleach --threshold 0.5", b"");
    assert!(code == 2 && said.contains("--threshold is for ensembles"), "{said}");
    for model in ["graph", "tree"] {
        let (code, said) =
            failure(path, &format!("parse dev.conllu -m {model}.pleach --tags predicted"), b"");
        assert!(code == 2 && said.contains("no tags, features or lemmas of its own"), "{said}");
        fine(path, &format!("parse dev.conllu -m {model}.pleach --beam 2"));
    }
}

#[cfg(feature = "english")]
#[test]
fn a_model_without_a_beam_says_so() {
    let lab = lab();
    let (code, said) = failure(lab.path(), "parse dev.conllu --beam 2", b"");
    assert!(code == 2 && said.contains("has no beam"), "{said}");
}

#[test]
fn options_for_text_are_told_with_sentences() {
    let lab = lab();
    let command = "parse dev.conllu -m graph.pleach -o out.conllu --text-format lines --ranges";
    let (_, said) = fine(lab.path(), command);
    let told = "--text-format and --ranges are for text, and these are sentences of words already";
    assert!(said.contains(told), "{said}");
    let (_, said) = fine(lab.path(), "parse dev.conllu -m graph.pleach -o out.conllu");
    assert!(!said.contains("for text"), "{said}");
}

#[cfg(feature = "english")]
#[test]
fn tags_of_the_input_that_stay_are_told() {
    let lab = lab();
    let stay = "its tags, features and lemmas stay";
    let (_, said) = fine(lab.path(), "parse dev.conllu -o out.conllu");
    assert!(said.contains(stay), "{said}");
    let (_, said) = fine(lab.path(), "parse dev.conllu -o out.conllu --tags predicted");
    assert!(!said.contains(stay), "{said}");
    let (_, said) = fine(lab.path(), "parse dev.conllu -m graph.pleach -o out.conllu");
    assert!(!said.contains(stay), "a model without tags has none of its own: {said}");
}

#[test]
fn pictures_that_nothing_writes_are_refused() {
    let lab = lab();
    let (code, said) = failure(lab.path(), "parse dev.conllu -m graph.pleach -o x.PNG", b"");
    assert!(code == 2 && said.contains("-o x.svg"), "{said}");
    assert!(!lab.path().join("x.PNG").exists());
    fine(lab.path(), "parse dev.conllu -m graph.pleach -o x.png --to conllu");
}

#[test]
fn json_is_the_document_that_to_json_gives() {
    let lab = lab();
    let (short, _) = fine(lab.path(), "parse dev.conllu -m graph.pleach --json");
    assert_eq!(short, fine(lab.path(), "parse dev.conllu -m graph.pleach --to json").0);
    let document: serde_json::Value = serde_json::from_str(&short).unwrap();
    assert_eq!(document["sentences"].as_array().unwrap().len(), 12);
}

#[test]
fn one_of_a_thing_has_no_plural() {
    let lab = lab();
    let one = std::fs::read_to_string(lab.path().join("dev.conllu")).unwrap();
    let one = one.split_inclusive("\n\n").next().unwrap();
    std::fs::write(lab.path().join("one.conllu"), one).unwrap();
    let (_, said) = fine(lab.path(), "parse one.conllu -m graph.pleach -o out.conllu");
    assert!(said.starts_with("1 sentence, "), "{said}");
}
