//! `pleach parse` and text: how it is laid out, who is still writing it, and what is no text at all.

#![cfg(feature = "english")]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use common::{failure, fine, lab, run};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

fn parsed(arguments: &[&str], input: &str) -> String {
    let output = run(Path::new("."), arguments, input.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn texts(conllu: &str) -> Vec<&str> {
    conllu.lines().filter_map(|line| line.strip_prefix("# text = ")).collect()
}

#[test]
fn lines_are_sentences_and_tokens_are_words() {
    let text = "It rains. It pours.\nWe  stay\n\nYes.\n";
    assert_eq!(texts(&parsed(&["parse"], text)).len(), 4);
    let lines = parsed(&["parse", "--text-format", "lines", "--ranges"], text);
    assert_eq!(texts(&lines), ["It rains. It pours.", "We  stay", "Yes."]);
    assert!(lines.contains("\n6\t.\t") && lines.contains("TokenRange=30:33"), "{lines}");
    assert!(lines.contains("SpacesAfter=\\n|TokenRange=24:28"), "line ends are kept: {lines}");
    assert_eq!(lines.matches("# newpar").count(), 2);
    let tokens = parsed(&["parse", "--text-format", "tokens"], "It rains. don't\n \nYes .\n");
    assert_eq!(texts(&tokens), ["It rains. don't", "Yes ."]);
    assert!(tokens.contains("\n2\trains.\t") && tokens.contains("\n3\tdon't\t"), "{tokens}");
}

/// `--fast` is another model by its name, and no second one can be named with it.
#[test]
fn fast_is_a_model_of_its_own() {
    let text = "Anna gave the dog some water.\n";
    let fast = parsed(&["parse", "--fast"], text);
    assert_eq!(fast, parsed(&["parse", "-m", "en-fast", "--threads", "1"], text));
    assert!(fast.contains("\n2\tgave\tgive\tVERB\t"), "{fast}");
    let json =
        |arguments: &[&str]| -> serde_json::Value { serde_json::from_str(&parsed(arguments, text)).unwrap() };
    assert_eq!(json(&["parse", "--fast", "--to", "json"])["model"], "en-fast");
    assert_eq!(json(&["parse", "--to", "json"])["model"], "en");
    let (code, said) = failure(Path::new("."), "parse --fast -m en", text.as_bytes());
    assert!(code == 2 && said.contains("cannot be used with"), "{said}");
}

/// A model that parses sentences reads words between spaces too, and says how to get one that reads text.
#[test]
fn tokens_need_no_tokenizer() {
    let lab = lab();
    let output =
        run(lab.path(), &["parse", "-m", "graph.pleach", "--text-format", "tokens"], b"dog sees dog\n");
    assert!(String::from_utf8(output.stdout).unwrap().contains("\n2\tsees\t"));
    let (code, said) = failure(lab.path(), "parse -m graph.pleach", b"dog sees dog\n");
    assert!(code == 2 && said.contains("pleach train pipeline") && said.contains("--text-format"), "{said}");
}

/// A program that writes a paragraph and waits for its graphs would wait for ever.
#[test]
fn sentences_come_as_soon_as_their_paragraph_line_or_record_ends() {
    for (options, first, second, expected) in [
        (&[][..], "It rains.\n\n", "We stay.\n\n", "# text = We stay."),
        (&["--text-format", "lines"][..], "It rains.\n", "We stay.\n", "# text = We stay."),
        (&["--from", "records"][..], "{\"text\": \"It rains.\"}\n", "{\"n\": 2}\n", "\"pleach_error\""),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
            .arg("parse")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut stdin, mut lines) =
            (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
        stdin.write_all(first.as_bytes()).unwrap();
        // This blocks for ever if nothing comes before the input ends.
        let mut next = |wanted: &str| while !lines.next().unwrap().unwrap().contains(wanted) {};
        next("It rains.");
        stdin.write_all(second.as_bytes()).unwrap();
        next(expected);
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

/// The same text gives the same bytes from a file, a pipe, and a slow writer.
#[test]
fn pipes_give_what_files_give() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\n\nIt rains.\n \n\n\nWe stay.\nYes.\n\n\nNo.\n\n";
    std::fs::write(folder.path().join("a.txt"), text).unwrap();
    let (file, _) = fine(folder.path(), "parse a.txt");
    let rest = |conllu: &str| conllu.replace("# newdoc id = a.txt\n", "").replace("# newdoc id = -\n", "");
    assert_eq!(rest(&file), rest(&parsed(&["parse"], text)));
}

#[test]
fn utf16_is_decoded_or_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let little: Vec<u8> = "\u{feff}It rains 𝄞.\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(folder.path().join("a.txt"), &little).unwrap();
    std::fs::write(folder.path().join("b.txt"), &little[2..]).unwrap();
    let (out, _) = fine(folder.path(), "parse a.txt");
    assert_eq!(texts(&out), ["It rains 𝄞."]);
    let (code, said) = failure(folder.path(), "parse b.txt", b"");
    assert!(code == 2 && said.contains("iconv -f UTF-16LE"), "{said}");
    let piped = run(folder.path(), &["parse"], &little);
    assert!(String::from_utf8(piped.stdout).unwrap().contains("# text = It rains 𝄞."));
}

#[test]
fn what_is_no_text_is_refused_with_a_hint() {
    let lab = lab();
    let (code, said) = failure(lab.path(), "parse graph.pleach", b"");
    assert!(code == 2 && said.contains("this is a model") && said.contains("-m"), "{said}");
    let (_, said) = failure(lab.path(), "parse -", b"a\0b and more");
    assert!(said.contains("NUL") && said.contains("--from text"), "{said}");
    assert!(run(lab.path(), &["parse", "--from", "text"], b"a\0b and more").status.success());
}

/// `pleach view text.txt` said only that the format is not known.
#[test]
fn other_verbs_say_who_reads_text() {
    let lab = lab();
    std::fs::write(lab.path().join("a.txt"), "It rains.\n").unwrap();
    for verb in ["view", "stats"] {
        let (code, said) = failure(lab.path(), &format!("{verb} a.txt"), b"");
        assert!(code == 1 && said.contains("pleach parse"), "{said}");
    }
    let (_, said) = failure(lab.path(), "view graph.pleach", b"");
    assert!(said.contains("pleach info"), "{said}");
}

#[test]
fn text_of_another_language_gets_one_warning() {
    let warned = |text: &str| {
        let output = run(Path::new("."), &["parse"], text.as_bytes());
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap().matches("warning: ").count()
    };
    let german = "Der alte Mann ging gestern Abend langsam durch den dunklen Wald nach Hause, weil sein Wagen kaputt war.\n\n";
    assert_eq!(warned(&german.repeat(3)), 1);
    assert_eq!(
        warned(
            "Старый человек медленно шёл домой через тёмный лес, потому что его машина вчера вечером сломалась.\n"
        ),
        1
    );
    assert_eq!(
        warned(
            "The old man went home slowly through the dark forest yesterday evening because his car had broken down.\n"
        ),
        0
    );
    assert_eq!(warned("Qwerty asdf zxcv.\n"), 0, "too little to say anything");
}
