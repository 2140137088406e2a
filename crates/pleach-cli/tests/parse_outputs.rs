//! Where `pleach parse` writes: folders, pages, pictures, documents, and runs that are killed and go on.

#![cfg(feature = "english")]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use common::{failure, fine, lab};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn folders_are_mirrored() {
    let lab = tempfile::tempdir().unwrap();
    let folder = lab.path();
    write(folder, "in/a.txt", "It rains.\n");
    write(folder, "in/deep/b.txt", "We stay.\n");
    write(folder, "in/deep/c.jsonl", "{\"text\": \"Yes.\"}\n");
    write(folder, "in/notes", "not known by its name");
    let (_, said) = fine(folder, "parse in --output-dir in/out");
    assert!(said.contains("3 sentences"), "{said}");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(read("in/out/a.conllu").starts_with("# newdoc id = in/a.txt\n# newpar\n# sent_id = 1\n"));
    assert!(read("in/out/deep/b.conllu").contains("# sent_id = 1\n"), "every output counts from 1");
    assert!(read("in/out/deep/c.jsonl").contains("\"sentences\""));
    assert_eq!(read("in/out/a.conllu"), fine(folder, "parse in/a.txt").0);
    // What is in the output folder is no input of the next run.
    let (_, said) = fine(folder, "parse in --output-dir in/out");
    assert!(said.contains("3 sentences"), "{said}");
}

#[test]
fn names_that_clash_and_folders_without_input_are_refused() {
    let lab = tempfile::tempdir().unwrap();
    let folder = lab.path();
    write(folder, "a.txt", "It rains.\n");
    write(folder, "a.md", "It rains.\n");
    write(folder, "empty/x.bin", "?");
    let (code, said) = failure(folder, "parse a.txt a.md --output-dir out", b"");
    assert!(code == 2 && said.contains("the same output") && !folder.join("out").exists(), "{said}");
    let (code, said) = failure(folder, "parse empty", b"");
    assert!(code == 2 && said.contains("no file in this folder"), "{said}");
    assert_eq!(failure(folder, "parse a.txt --resume", b"").0, 2);
    assert_eq!(failure(folder, "parse - --resume -o x.conllu", b"It rains.").0, 2);
    assert_eq!(failure(folder, "parse a.txt --resume -o x.html", b"").0, 2);
}

#[test]
fn outputs_are_what_their_names_say() {
    let lab = tempfile::tempdir().unwrap();
    let folder = lab.path();
    write(folder, "a.txt", "It rains. We stay.\n");
    for name in ["x.svg", "x.html", "x.json", "x.json.gz"] {
        fine(folder, &format!("parse a.txt -o {name}"));
    }
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(
        read("x.svg").starts_with("<svg")
            && read("x.svg").contains("rains")
            && read("x.svg").contains("stay")
    );
    assert!(
        read("x.html").contains("<!") && read("x.html").contains("rains") && read("x.html").contains("stay")
    );
    let json: Value = serde_json::from_str(&read("x.json")).unwrap();
    assert_eq!((json["model"].as_str(), json["sentences"].as_array().map(Vec::len)), (Some("en"), Some(2)));
    let lines = fine(folder, "parse a.txt --to jsonl").0;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(json["sentences"], Value::from(lines), "the same sentences as in jsonl");
    let mut packed = String::new();
    let mut unpacked = pleach_formats::open_unpacked(&folder.join("x.json.gz")).unwrap();
    std::io::Read::read_to_string(&mut unpacked, &mut packed).unwrap();
    assert_eq!(packed, read("x.json"));
    assert!(fine(folder, "parse a.txt --to svg").0.starts_with("<svg"));
    assert!(fine(folder, "parse a.txt --to json").0.starts_with("{\"model\": \"en\""));
    write(folder, "long.txt", &"Yes.\n\n".repeat(60));
    let (code, said) = failure(folder, "parse long.txt -o long.svg", b"");
    assert!(code == 2 && said.contains(".html") && !folder.join("long.svg").exists(), "{said}");
}

/// Starts a run and kills it some milliseconds after it got further than before; false when it came to its end.
fn killed(folder: &Path, arguments: &str, journal: &str, seen: &mut String, later: u64) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        let now = std::fs::read_to_string(folder.join(journal)).unwrap_or_default();
        if now != *seen {
            *seen = now;
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(later));
    // On Unix this is kill -9.
    let _ = child.kill();
    !child.wait().unwrap().success()
}

/// Text of words that the small models know, in several chunks; records and sentences of it.
fn corpus() -> tempfile::TempDir {
    let lab = lab();
    // Long words make large files of few words.
    let line = |n: usize| format!("{}sees {n}{} sees", "dog ".repeat(n % 3), "x".repeat(90));
    let text: String = (0..5_000).map(|n| line(n) + if n % 7 == 0 { "\n\n" } else { "\n" }).collect();
    let records: String = (0..2_000)
        .map(|n| format!("{{\"n\": {n}, \"text\": \"{}\\n{}\"}}\n", line(n), line(n / 2)))
        .collect();
    write(lab.path(), "a.txt", &text);
    write(lab.path(), "b.txt", "dog sees dog\n");
    write(lab.path(), "r.jsonl", &records);
    fine(lab.path(), "parse -m graph.pleach a.txt --text-format tokens -o s.conllu");
    lab
}

/// `kill -9` at many moments, and the same command again until it comes to its end.
#[test]
fn killed_runs_go_on_and_give_the_same_bytes() {
    let lab = corpus();
    let folder = lab.path();
    for (inputs, name) in [
        ("a.txt b.txt --text-format tokens", "t.conllu"),
        ("b.txt a.txt --text-format tokens", "t.conllu.gz"),
        ("r.jsonl --text-format tokens", if cfg!(feature = "zstd") { "r.jsonl.zst" } else { "r.jsonl.gz" }),
        ("s.conllu", "s.sdp"),
    ] {
        let command = format!("parse -m graph.pleach {inputs} --threads 1");
        fine(folder, &format!("{command} -o whole-{name}"));
        let (command, journal) = (format!("{command} --resume -o {name}"), format!("{name}.part.json"));
        let (mut seen, mut kills) = (String::new(), 0);
        while killed(folder, &command, &journal, &mut seen, kills * 11 % 60) {
            kills += 1;
            if folder.join(name).exists() {
                // Killed behind the last step.
                break;
            }
        }
        assert!(kills > 1, "{name}");
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        assert!(read(name) == read(&format!("whole-{name}")), "{name} after {kills} kills");
        let (_, said) = fine(folder, &command);
        assert!(said.contains("complete already"), "{said}");
        assert!(!folder.join(&journal).exists() && !folder.join(format!("{name}.part")).exists());
    }
}

#[test]
fn another_command_does_not_go_on_with_a_killed_run() {
    let lab = corpus();
    let folder = lab.path();
    let command = "parse -m graph.pleach a.txt --text-format tokens --resume -o x.conllu";
    assert!(killed(folder, command, "x.conllu.part.json", &mut String::new(), 0));
    let (code, said) = failure(folder, &format!("{command} --beam 1"), b"");
    assert!(code == 1 && said.contains("options differs"), "{said}");
    let (code, said) = failure(folder, &command.replace("graph", "tree"), b"");
    assert!(code == 1 && said.contains("model differs"), "{said}");
    write(folder, "a.txt", "dog sees\n");
    let (code, said) = failure(folder, command, b"");
    assert!(code == 1 && said.contains("inputs differs"), "{said}");
}

#[test]
fn a_killed_folder_goes_on_with_what_is_missing() {
    let lab = corpus();
    let folder = lab.path();
    let text = std::fs::read_to_string(folder.join("a.txt")).unwrap();
    for number in 0..8 {
        write(folder, &format!("in/{number}.txt"), &text[..50_000 * number]);
    }
    let command = "parse -m graph.pleach in --text-format tokens --output-dir";
    fine(folder, &format!("{command} whole"));
    let resumed = format!("{command} out --resume");
    let mut seen = String::new();
    assert!(killed(folder, &resumed, "out/5.conllu.part.json", &mut seen, 5));
    assert!(folder.join("out/4.conllu").exists() && !folder.join("out/6.conllu").exists());
    let (_, said) = fine(folder, &resumed);
    assert!(said.contains("5 outputs were complete already"), "{said}");
    for number in 0..8 {
        let read = |at: &str| std::fs::read(folder.join(format!("{at}/{number}.conllu"))).unwrap();
        assert!(read("out") == read("whole"), "{number}");
    }
    assert_eq!(std::fs::read_dir(folder.join("out")).unwrap().count(), 8, "no parts are left");
}

/// Small files are parsed together; that shows in none of their outputs, nor in one output of all of them.
#[test]
fn small_files_are_parsed_together_and_written_as_if_alone() {
    let lab = lab();
    let folder = lab.path();
    let lines = ["dog sees", "dog dog sees dog sees", "sees", ""];
    for number in 0..300 {
        let text: Vec<&str> = (0..number % 4).map(|line| lines[(number / 4 + line) % 4]).collect();
        write(folder, &format!("in/{number:03}.txt"), &(text.join("\n") + "\n"));
    }
    // In the middle one that is not small, and one in a format.
    write(folder, "in/100-long.txt", &"dog sees\n".repeat(9000));
    write(folder, "in/200-tagged.conllu", &common::treebank(3, 5));
    let command = "parse -m graph.pleach --text-format tokens";
    fine(folder, &format!("{command} in --output-dir one --threads 1"));
    fine(folder, &format!("{command} in --output-dir two --threads 2"));
    let (_, said) = fine(folder, &format!("{command} in --output-dir resumed --resume"));
    let mut files: Vec<String> = std::fs::read_dir(folder.join("in"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let read =
        |at: &str, file: &str| std::fs::read(folder.join(at).join(file).with_extension("conllu")).unwrap();
    for (place, file) in files.iter().enumerate() {
        let one = read("one", file);
        assert!(one == read("two", file) && one == read("resumed", file), "{file}");
        if place % 20 == 0 || file.contains('-') {
            let alone = fine(folder, &format!("{command} in/{file}")).0;
            assert!(one == alone.into_bytes(), "{file}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.join("resumed")).unwrap().count(), files.len(), "no parts are left");
    let sentences =
        files.iter().map(|file| String::from_utf8(read("one", file)).unwrap().matches("\n\n").count());
    assert!(said.contains(&format!("{},", grouped(sentences.sum::<usize>(), "sentences"))), "{said}");
    let (_, said) = fine(folder, &format!("{command} in --output-dir resumed --resume"));
    assert!(said.contains(&format!("{} outputs were complete already", files.len())), "{said}");

    // One output: sentences are numbered through, whatever was read together.
    let (together, _) = fine(folder, &format!("{command} in"));
    let ids: Vec<usize> =
        together.lines().filter_map(|line| line.strip_prefix("# sent_id = ")?.parse().ok()).collect();
    assert!(ids.iter().copied().eq(1..=ids.len()), "{ids:?}");
    assert!(
        together.contains("# newdoc id = in/299.txt") && together.contains("# newdoc id = in/100-long.txt")
    );
    fine(folder, &format!("{command} in -o whole.conllu --resume"));
    assert!(std::fs::read(folder.join("whole.conllu")).unwrap() == together.into_bytes());
}

fn grouped(count: usize, of: &str) -> String {
    format!("{},{:03} {of}", count / 1000, count % 1000)
}

#[test]
fn what_was_read_before_a_damaged_file_is_written() {
    let lab = lab();
    let folder = lab.path();
    for name in ["in/a.conllu", "in/b.conllu", "in/d.conllu"] {
        write(folder, name, &common::treebank(2, 5));
    }
    write(folder, "in/c.conllu", "1\tdog\n\n");
    let (code, said) = failure(folder, "parse -m graph.pleach in --output-dir out", b"");
    assert!(code == 1 && said.contains("in/c.conllu:1"), "{said}");
    let mut names: Vec<_> =
        std::fs::read_dir(folder.join("out")).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.conllu", "b.conllu"]);
    let (_, said) = fine(folder, "parse -m graph.pleach in --output-dir out --on-error skip");
    assert!(said.contains("in/c.conllu: 1 malformed sentence left out"), "{said}");
    assert_eq!(std::fs::read_dir(folder.join("out")).unwrap().count(), 4);
}
