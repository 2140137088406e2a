//! `pleach oracle` as a user sees it.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

const SENTENCES: &str = "\
# sent_id = a
1\tKim\tKim\tPROPN\t_\t_\t2\tnsubj\t2:nsubj|3:nsubj\t_
2\ttried\ttry\tVERB\t_\t_\t0\troot\t0:root\t_
3\tsinging\tsing\tVERB\t_\t_\t2\txcomp\t2:xcomp\t_

# sent_id = b
1\tGo\tgo\tVERB\t_\t_\t0\troot\t0:root\t_

";

fn oracle(args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .arg("oracle")
        .args(args)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A wrong command line ends the program before it reads anything.
    let _ = child.stdin.take().unwrap().write_all(SENTENCES.as_bytes());
    child.wait_with_output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = oracle(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_derivation_is_a_table() {
    let expected = "\
# sentence 1, sent_id = a
# system = s2s-combined, root last
# text = Kim tried singing
   transition             σ                σ'         β                            arcs added
0                         []               []         [1:Kim 2:tried 3:singing 0]
1  SHIFT                  [1:Kim]          []         [2:tried 3:singing 0]
2  LEFT-ARC(nsubj)-SHIFT  [1:Kim 2:tried]  []         [3:singing 0]                2:tried → 1:Kim nsubj
3  RIGHT-ARC(xcomp)-MEM   [1:Kim]          [2:tried]  [3:singing 0]                2:tried → 3:singing xcomp
4  LEFT-ARC(nsubj)-POP    []               [2:tried]  [3:singing 0]                3:singing → 1:Kim nsubj
5  SHIFT                  [3:singing]      [2:tried]  [0]
6  POP                    []               [2:tried]  [0]
7  RECALL                 [2:tried]        []         [0]
8  LEFT-ARC(root)-SHIFT   [2:tried 0]      []         []                           0 → 2:tried root
# 8 steps for 3 tokens
";
    assert_eq!(stdout(&["--system", "s2s-combined", "--sent", "1"]), expected);
}

#[test]
fn every_step_is_in_the_json() {
    let found = stdout(&["--system", "sl-standard", "--root", "first", "--json"]);
    let lines: Vec<serde_json::Value> =
        found.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    let names = |value: &serde_json::Value| -> Vec<String> {
        let steps = value["configurations"].as_array().unwrap().iter();
        steps.filter_map(|step| Some(step["transition"].as_str()?.to_owned())).collect()
    };
    assert_eq!(names(&lines[1]), ["RIGHT-ARC(root)", "SHIFT"]);
    assert_eq!(lines[0]["configurations"][0]["buffer"], serde_json::json!([1, 2, 3]));
    assert_eq!(lines[0]["lost"], serde_json::json!([]));
}

#[test]
fn reversed_systems_keep_the_numbers_of_the_file() {
    let found = stdout(&["--system", "s2s-standard-rev", "--json", "--sent", "a"]);
    let value: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(value["configurations"][0]["buffer"], serde_json::json!([3, 2, 1, 0]));
}

#[test]
fn coverage_compares_all_systems() {
    let found = stdout(&["--coverage", "--root", "first,none"]);
    assert!(found.starts_with("# 2 sentences, 4 tokens, 5 arcs\n"), "{found}");
    assert_eq!(found.lines().count(), 2 + 16 * 2);
    assert!(found.lines().skip(2).all(|line| line.contains("100.00")), "{found}");
}

#[test]
fn mistakes_are_told() {
    for args in [&["--system", "arc-eager"][..], &[], &["--system", "st-standard", "--sent", "c"]] {
        let output = oracle(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty());
    }
}
