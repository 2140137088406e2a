//! Input that is meant to do harm, or only very large: a clear message, in good time, and no control of the terminal.

#![allow(clippy::unwrap_used)]

mod common;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn pleach(args: &[&str], input: &[u8]) -> Ran {
    let output = common::run(Path::new("."), args, input);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// A sentence with these words, and the DEPS of each.
fn sentence(words: usize, deps: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 1..=words {
        writeln!(text, "{i}\tdogs\tdog\tNOUN\tNNS\t_\t_\t_\t{}\t_", deps(i)).unwrap();
    }
    text + "\n"
}

/// `--beam 1000000000` aborted after 8.9 GB, `--threads 100000` hung.
#[test]
fn numbers_that_exhaust_the_machine_are_refused() {
    for option in ["--beam", "--threads", "--max-words"] {
        for number in ["0", "1000000000", "4294967296", "-1"] {
            let ran = pleach(&["parse", &format!("{option}={number}"), "-"], b"");
            assert_eq!(ran.code, 2, "{option} {number}");
            assert!(ran.err.contains("expected a number from 1 to"), "{}", ran.err);
        }
    }
}

#[test]
fn text_from_files_cannot_steer_the_terminal() {
    let hostile = "1\tA\u{1b}[2J\tb\tX\t_\t_\t0\troot\t0:\u{1b}]0;title\u{7}\t_\n\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("\u{1b}[31mred.conllu");
    std::fs::write(&file, hostile).unwrap();
    let file = file.to_str().unwrap();
    let runs: [&[&str]; 6] = [
        &["oracle", "--system", "s2s-standard", file],
        &["eval", "--metric", "sdp", "--per-label", file, file],
        &["stats", file],
        &["view", file],
        &["vote", "--diversity", file, file],
        &["convert", file, "-", "--to", "parg"],
    ];
    for args in runs {
        let ran = pleach(args, b"");
        for (name, text) in [("out", &ran.out), ("err", &ran.err)] {
            let control = |c: char| c.is_control() && c != '\n';
            assert!(!text.contains(control), "{args:?} {name}: {text:?}");
        }
    }
    let ran = pleach(&["stats", "-", "--from", "conllu"], "1\t\u{1b}[2J\n".as_bytes());
    assert_eq!(ran.code, 1);
    assert!(!ran.err.contains('\u{1b}'), "{}", ran.err);
}

#[test]
fn names_of_models_cannot_steer_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("\u{1b}[2J.pleach"), "no model").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .arg("models")
        .env("PLEACH_MODELS", folder.path())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("␛[2J") && !out.contains('\u{1b}'), "{out:?}");
}

#[test]
fn what_a_model_says_cannot_steer_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, model) = (path("\u{1b}[2J.conllu"), path("m.pleach"));
    std::fs::write(&data, sentence(3, |i| format!("{}:x", i - 1)).repeat(4)).unwrap();
    let ran = pleach(&["train", "--epochs", "1", "--train", &data, "-o", &model], b"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = pleach(&["info", &model], b"");
    assert!(ran.out.contains("␛[2J.conllu") && !ran.out.contains('\u{1b}'), "{:?}", ran.out);
}

/// `oracle` with a million arcs did not end in a minute, or took 6 GB.
#[test]
fn graphs_that_are_too_large_for_derivations_are_told() {
    let dense = sentence(200, |i| {
        let heads = (1..=200).filter(|&head| head != i).take(150);
        heads.map(|head| format!("{head}:x")).collect::<Vec<_>>().join("|")
    });
    let long = sentence(1001, |_| "0:root".to_owned());
    let good = sentence(2, |i| format!("{}:x", i - 1));
    for text in [dense, long] {
        let ran = pleach(&["oracle", "--system", "sl-standard", "-"], text.as_bytes());
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains("is too large"), "{}", ran.err);
        let both = format!("{text}{good}");
        let ran = pleach(&["oracle", "--coverage", "--on-error", "skip", "-"], both.as_bytes());
        assert_eq!(ran.code, 0);
        assert!(ran.out.starts_with("# 1 sentences, 2 tokens"), "{}", ran.out);
        assert!(ran.err.contains("left out"), "{}", ran.err);
    }
    let wide = sentence(900, |i| format!("{}:x", 901 - i));
    let ran = pleach(&["oracle", "--system", "sl-standard", "-"], wide.as_bytes());
    assert!(ran.code == 1 && ran.err.contains("too long to be shown"), "{}", ran.err);
}

/// `parse` of a cut .gz did not name the file.
#[test]
#[cfg(feature = "english")]
fn a_cut_archive_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.conllu.gz");
    // Comments are long and quickly read, and here they can be packed well.
    let good = format!("# {}\n{}", "\u{3000}".repeat(1 << 18), sentence(1, |_| "0:root".to_owned()));
    assert_eq!(
        pleach(&["convert", "--from", "conllu", "-", whole.to_str().unwrap()], good.as_bytes()).code,
        0
    );
    let bytes = std::fs::read(&whole).unwrap();
    for (name, length) in [("a.txt.gz", bytes.len() / 2), ("b.conllu.gz", bytes.len() / 2), ("c.txt.gz", 20)]
    {
        let cut = folder.path().join(name);
        std::fs::write(&cut, &bytes[..length]).unwrap();
        let ran = pleach(&["parse", cut.to_str().unwrap()], b"");
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains(name), "{}", ran.err);
    }
}

/// A sentence of 38,559 words took 178 s and 1.7 GB; one of 65,001 words got no arcs, and nothing said so.
#[test]
#[cfg(feature = "english")]
fn long_sentences_are_parsed_in_pieces_and_that_is_said() {
    let word = |text: &mut String, place: usize, id: usize, head: usize| {
        let form = ["dogs", "that", "bark", "rarely", "bite", "."][place % 6];
        writeln!(text, "{id}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t_").unwrap();
    };
    let mut whole = String::new();
    // Each word's head is the one a hundred words before, so that heads go across pieces.
    (1..=250).for_each(|i: usize| word(&mut whole, i, i, i.saturating_sub(100)));
    let args = ["parse", "-", "--from", "conllu", "--to", "conllu", "--max-words", "100", "--ensure", "none"];
    let long = pleach(&args, format!("{whole}\n").as_bytes());
    assert_eq!(long.code, 0);
    assert!(
        long.err.contains("parsed in pieces (--max-words): 1 sentence of more than 100 words"),
        "{}",
        long.err
    );
    let found: Vec<Vec<&str>> = long.out.trim_end().lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(found.len(), 250);
    // Without tags, which see the whole sentence, pieces get the arcs that they would get alone, with numbers that go on.
    let mut pieces = String::new();
    for i in 1..=250 {
        word(&mut pieces, i, (i - 1) % 100 + 1, 0);
        if i % 100 == 0 {
            pieces.push('\n');
        }
    }
    let untagged = [&args[..], &["--tags", "given"]].concat();
    let whole = pleach(&untagged, format!("{whole}\n").as_bytes());
    let alone = pleach(&untagged, format!("{pieces}\n").as_bytes());
    assert_eq!(alone.err, "");
    let mut before = 0;
    let mut expected = Vec::new();
    for piece in alone.out.split("\n\n") {
        let rows: Vec<Vec<&str>> = piece.lines().map(|line| line.split('\t').collect()).collect();
        for row in &rows {
            let moved = row[8].split('|').map(|dep| match dep.split_once(':') {
                Some((head, label)) if head != "0" => {
                    // An empty node is numbered after the word before it.
                    let (word, empty) = head
                        .split_once('.')
                        .map_or((head, String::new()), |(word, number)| (word, format!(".{number}")));
                    format!("{}{empty}:{label}", word.parse::<usize>().unwrap() + before)
                }
                _ => dep.to_owned(),
            });
            expected.push((row[1].to_owned(), moved.collect::<Vec<_>>().join("|")));
        }
        before += rows.iter().filter(|row| !row[0].contains('.')).count();
    }
    let rows = whole.out.trim_end().lines().map(|line| line.split('\t').collect::<Vec<_>>());
    assert!(rows.map(|row| (row[1].to_owned(), row[8].to_owned())).eq(expected), "{}", whole.out);
    // Arcs stay within pieces, and no piece is left without any. What pieces are is tested in the library.
    let mut arcs = [0; 3];
    for (i, row) in found.iter().enumerate() {
        for dep in row[8].split('|') {
            let (head, _) = dep.split_once(':').unwrap();
            let head: usize = head.parse().unwrap();
            assert!(head == 0 || (head - 1) / 100 == i / 100, "{dep} of word {}", i + 1);
            arcs[i / 100] += 1;
        }
    }
    assert!(arcs.iter().all(|&count| count > 40), "{arcs:?}");
    let heads = found.iter().enumerate().filter(|(i, row)| row[6] == i.saturating_sub(99).to_string());
    assert!(heads.count() < 250, "the tree that was there is not passed on");
}

/// 400,000 leading newlines took 57 s, and of more than 1 MiB of white space nothing was said.
#[test]
#[cfg(feature = "english")]
fn leading_white_space_is_quick_and_its_loss_is_told() {
    let ran =
        pleach(&["parse", "-", "--from", "text"], format!("{}Dogs bark.\n", "\n".repeat(400_000)).as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("SpacesBefore=\\n\\n\\n"));
    let text = format!("Dogs bark.\n\n{}Cats sleep.", " \n".repeat(3 << 20));
    let ran = pleach(&["parse", "-", "--from", "text"], text.as_bytes());
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("characters of white space left out"), "{}", ran.err);
    assert!(ran.out.contains("\tDogs\t") && ran.out.contains("\tCats\t"));
}
