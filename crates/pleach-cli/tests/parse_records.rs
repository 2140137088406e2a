//! `pleach parse` on JSON lines of documents.

#![cfg(feature = "english")]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use common::{failure, fine, run};
use serde_json::Value;

const DOCUMENTS: &str = "{\"id\": 7, \"n\": 1.50, \"body\": \"It rains. We stay.\\n\\nYes.\"}\n\
                         \n{\"id\": 8}\n{\"body\": null, \"id\": 9}\n[\"no object\"]\n{\"body\": \"\", \"z\": {\"a\": []}}\n";

#[test]
fn every_line_comes_out_with_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.jsonl"), DOCUMENTS).unwrap();
    let packed = if cfg!(feature = "zstd") { "out.jsonl.zst" } else { "out.jsonl.gz" };
    let (_, said) = fine(folder.path(), &format!("parse in.jsonl --text-field body -o {packed}"));
    assert!(
        said.contains("5 records, 3 sentences") && said.contains("3 of 5 records with an error"),
        "{said}"
    );
    let mut text = String::new();
    let mut unpacked = pleach_formats::open_unpacked(&folder.path().join(packed)).unwrap();
    std::io::Read::read_to_string(&mut unpacked, &mut text).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5);
    assert!(lines[0].starts_with(
        "{\"id\": 7, \"n\": 1.50, \"body\": \"It rains. We stay.\\n\\nYes.\", \"sentences\": ["
    ));
    let values: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sentences = values[0]["sentences"].as_array().unwrap();
    assert_eq!(
        (sentences.len(), &sentences[2]["text"], &sentences[2]["id"]),
        (3, &"Yes.".into(), &"3".into())
    );
    assert_eq!(values[1]["pleach_error"], "there is no field `body`");
    assert_eq!(values[2]["pleach_error"], "the field `body` is null, not text");
    assert_eq!(values[3]["pleach_line"], "[\"no object\"]");
    assert_eq!(lines[4], "{\"body\": \"\", \"z\": {\"a\": []}, \"sentences\": []}");
    // The sentences have the schema of the format `jsonl`, and its reader takes them.
    let mut jsonl: Vec<u8> = sentences.iter().flat_map(|one| format!("{one}\n").into_bytes()).collect();
    jsonl.pop();
    let read = pleach_formats::Reader::from_bytes("x", &jsonl, Some(pleach_formats::Format::Jsonl)).unwrap();
    assert_eq!(read.map(|sentence| sentence.unwrap().graph.is_empty()).collect::<Vec<_>>(), [false; 3]);
}

#[test]
fn the_same_whatever_the_threads_and_parsed_again() {
    let folder = tempfile::tempdir().unwrap();
    let lines: String =
        (0..100).map(|n| format!("{{\"text\": \"It rains {n} times. We stay.\"}}\n")).collect();
    std::fs::write(folder.path().join("in.jsonl"), lines).unwrap();
    let (one, _) = fine(folder.path(), "parse in.jsonl --threads 1");
    let (two, _) = fine(folder.path(), "parse in.jsonl --threads 2");
    assert!(one == two && one.lines().count() == 100);
    std::fs::write(folder.path().join("again.jsonl"), &one).unwrap();
    let (again, _) = fine(folder.path(), "parse again.jsonl");
    let values =
        |text: &str| -> Vec<Value> { text.lines().map(|line| serde_json::from_str(line).unwrap()).collect() };
    assert_eq!(values(&again), values(&one));
}

#[test]
fn what_json_lines_are_is_told_or_asked() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("body.jsonl", "{\"body\": \"It rains.\", \"title\": \"Weather\", \"n\": 1}\n");
    let (code, said) = failure(folder.path(), "parse body.jsonl", b"");
    assert!(code == 2 && said.contains("--text-field: body, title"), "{said}");
    let (code, said) = failure(folder.path(), "parse body.jsonl --text-field text", b"");
    assert!(
        code == 2 && said.contains("1 of 1 record") && said.contains("the right --text-field?"),
        "{said}"
    );
    let (code, said) = failure(folder.path(), "parse body.jsonl --text-field body -o x.conllu", b"");
    assert!(code == 2 && said.contains(".jsonl") && !folder.path().join("x.conllu").exists(), "{said}");
    write("sentences.jsonl", "{\"words\": [{\"form\": \"It\"}, {\"form\": \"rains\"}]}\n");
    let (out, _) = fine(folder.path(), "parse sentences.jsonl");
    assert!(out.starts_with("{\"words\": [{\"id\": 1, \"form\": \"It\""), "{out}");
    let piped = run(folder.path(), &["parse"], b"{\"text\": \"It rains.\"}\n");
    assert!(String::from_utf8(piped.stdout).unwrap().contains("\"sentences\": [{\"id\": \"1\""));
    let (_, said) = failure(folder.path(), "parse -m none x.jsonl --text-field a --from conllu", b"");
    assert!(said.contains("no such file"), "{said}");
}
