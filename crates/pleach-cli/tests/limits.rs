//! docs/limits.md says what the code does.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::process::Command;

/// A number with a comma between thousands.
fn commas(number: usize) -> String {
    let digits = number.to_string();
    let places = digits.len();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (places - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The second cell of the row that begins with this.
fn limit<'a>(table: &'a str, row: &str) -> &'a str {
    let line = table.lines().find(|line| line.starts_with(&format!("| {row}")));
    line.unwrap_or_else(|| panic!("no row {row}")).split('|').nth(2).unwrap().trim()
}

#[test]
fn the_table_has_the_numbers_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/limits.md");
    let table = std::fs::read_to_string(path).unwrap();
    assert_eq!(
        limit(&table, "bytes of a sentence"),
        format!("{} MiB", pleach_formats::MAX_SENTENCE_BYTES >> 20)
    );
    assert_eq!(limit(&table, "tokens of a sentence"), commas(pleach_formats::MAX_TOKENS));
    assert_eq!(limit(&table, "arcs of a sentence, tops"), commas(pleach_formats::MAX_ARCS));
    assert_eq!(limit(&table, "comment lines"), commas(pleach_formats::MAX_COMMENTS));
    assert_eq!(limit(&table, "words that a file only counts"), commas(pleach_formats::MAX_UNKNOWN_WORDS));
    // What is private to the program is told by its messages and its help.
    let said = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pleach")).args(args).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let words = limit(&table, "words of a sentence (`parse");
    let (usual, most) = words.split_once("; up to ").unwrap();
    let plain = |text: &str| text.replace(',', "");
    assert!(said(&["parse", "--help"]).contains(&format!("[default: {}]", plain(usual))));
    let most = plain(most.strip_suffix(" on request").unwrap());
    assert!(said(&["parse", "--max-words=0"]).contains(&format!("from 1 to {most}")));
    assert_eq!(limit(&table, "`--beam`"), commas(pleach::model::recipe::WIDEST_BEAM));
    assert_eq!(limit(&table, "line of a record"), format!("{} MiB", pleach::records::LONGEST_LINE >> 20));
    for option in ["--beam", "--threads"] {
        let most = plain(limit(&table, &format!("`{option}`")));
        assert!(said(&["parse", &format!("{option}=0")]).contains(&format!("from 1 to {most}")), "{option}");
    }
}
