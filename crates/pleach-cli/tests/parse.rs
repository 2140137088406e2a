//! `pleach parse` out of the box: the built-in model on all kinds of text.

#![cfg(feature = "english")]
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::path::Path;
use std::process::Output;

fn pleach(arguments: &[&str], input: &[u8]) -> Output {
    common::run(Path::new("."), arguments, input)
}

/// The forms of surface tokens and the text that they were cut from, put together again.
fn original(conllu: &str) -> String {
    let mut text = String::new();
    let mut covered = 0;
    for line in conllu.lines() {
        if line.is_empty() {
            covered = 0;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, form, .., misc] = columns[..] else { continue };
        let first: usize = match id.split_once('-') {
            Some((first, last)) => {
                covered = last.parse().unwrap();
                first.parse().unwrap()
            }
            None if id.contains('.') => continue,
            None => id.parse().unwrap(),
        };
        if !id.contains('-') && first <= covered {
            continue;
        }
        let value = |key: &str| misc.split('|').find_map(|item| item.strip_prefix(key)?.strip_prefix('='));
        let unescape = |spaces: &str| {
            spaces.replace("\\s", " ").replace("\\t", "\t").replace("\\r", "\r").replace("\\n", "\n")
        };
        text += &unescape(value("SpacesBefore").unwrap_or_default());
        text += form;
        match (value("SpacesAfter"), value("SpaceAfter")) {
            (Some(spaces), _) => text += &unescape(spaces),
            (None, Some(_)) => {}
            (None, None) => text += " ",
        }
    }
    text
}

#[test]
fn a_sentence_becomes_a_graph() {
    let output = pleach(&["parse", "The company that Mark doesn't want to buy is small."], b"");
    let conllu = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(
        conllu.starts_with("# sent_id = 1\n# text = The company that Mark doesn't want to buy is small.\n")
    );
    assert!(conllu.contains("\n5-6\tdoesn't\t"), "{conllu}");
    let rows: Vec<Vec<&str>> =
        conllu.lines().filter(|line| line.contains('\t')).map(|line| line.split('\t').collect()).collect();
    let words: Vec<&Vec<&str>> = rows.iter().filter(|row| !row[0].contains('-')).collect();
    assert_eq!(words.len(), 12);
    assert!(words.iter().all(|row| row[2] != "_" && row[3] != "_" && row[4] != "_"));
    assert!(words.iter().any(|row| row[8].contains('|')), "no word has two heads: {conllu}");
}

/// The picture in the README is what the built-in model says, not what it should say; `docs/images/make` makes both files anew.
#[test]
fn the_example_of_the_readme_is_parsed_and_drawn() {
    let images = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/images");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (conllu, svg) = (path("example.conllu"), path("example.svg"));
    assert!(
        pleach(&["parse", "The people who came wanted to stay and help.", "-o", &conllu], b"")
            .status
            .success()
    );
    assert!(pleach(&["view", &conllu, "-o", &svg], b"").status.success());
    for name in ["example.conllu", "example.svg"] {
        let committed = std::fs::read_to_string(format!("{images}/{name}")).unwrap();
        let made = std::fs::read_to_string(path(name)).unwrap();
        assert_eq!(made, committed, "{name}: run docs/images/make");
    }
}

#[test]
fn formats_and_pictures() {
    let text = "I like it.";
    let drawn = String::from_utf8(pleach(&["parse", "--draw", text], b"").stdout).unwrap();
    assert!(drawn.contains("like") && drawn.contains('─'), "{drawn}");
    let mrp = pleach(&["parse", "--to", "mrp", text], b"").stdout;
    assert!(mrp.starts_with(b"{"));
    let ranges =
        String::from_utf8(pleach(&["parse", "--ranges"], "\u{feff}é I\n\nlike".as_bytes()).stdout).unwrap();
    assert!(ranges.contains("TokenRange=5:9"), "{ranges}");
    assert!(ranges.contains("# newdoc id = -\n# newpar\n"));
}

#[test]
fn files_patterns_and_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.txt", "b.txt"] {
        std::fs::write(folder.path().join(name), "One. Two.\n").unwrap();
    }
    let pattern = folder.path().join("*.txt").display().to_string();
    let conllu = String::from_utf8(pleach(&["parse", &pattern], b"").stdout).unwrap();
    assert_eq!(conllu.matches("# newdoc id = ").count(), 2);
    // Sentences that are tokenised and tagged keep what they have.
    let given = "1\tCats\tODD\tNOUN\tNNS\t_\t_\t_\t_\t_\n\n";
    let kept = String::from_utf8(pleach(&["parse"], given.as_bytes()).stdout).unwrap();
    assert!(kept.contains("\tODD\t") && kept.contains("0:root"), "{kept}");
    let own = String::from_utf8(pleach(&["parse", "--tags", "predicted"], given.as_bytes()).stdout).unwrap();
    assert!(!own.contains("\tODD\t"));
    assert_eq!(pleach(&["parse", "missing.conllu"], b"").status.code(), Some(2));
    assert_eq!(pleach(&["parse", "-m", "no-such-model", "x"], b"").status.code(), Some(1));
    let models = String::from_utf8(pleach(&["models"], b"").stdout).unwrap();
    assert!(models.starts_with("built in:\n  en "));
}

#[test]
fn difficult_text_is_parsed_and_kept() {
    let long = "all work and no play ".repeat(1_000);
    let texts = [
        "mail joe.bloggs+x@example.co.uk or see http://a.b/c?d=e&f=g#h, ok",
        "👩‍👩‍👧 love it ❤️👍🏽!!! :-)",
        "THIS IS GREAT BUY NOW",
        "no final stop",
        "one\r\ntwo\r\n\r\nthree",
        "a\u{a0}b\u{3000}c\u{2028}d",
        "\u{0}\u{1}\u{200b}\u{202e}",
        long.as_str(),
    ];
    for text in texts {
        let output = pleach(&["parse", "--from", "text", "-"], text.as_bytes());
        assert!(output.status.success(), "{text:.40}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(
            original(&String::from_utf8(output.stdout).unwrap()).trim_end_matches(' '),
            text.trim_end_matches(' ')
        );
    }
    let broken = pleach(&["parse", "--from", "text"], b"caf\xE9 is nice");
    assert!(broken.status.success() && String::from_utf8_lossy(&broken.stderr).contains("not UTF-8"));
    assert!(String::from_utf8_lossy(&broken.stdout).contains("caf\u{fffd}"));
    assert!(pleach(&["parse"], b"").status.success());
}
