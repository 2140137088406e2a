//! `pleach eval` as a user sees it.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Writes a file for one test.
fn file(name: &str, content: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("eval");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn eval(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pleach")).arg("eval").args(args).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = eval(&[args, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn ratio(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

const SDP_GOLD: &str = "\
#SDP 2015
#20000001
1\tKim\tKim\tNNP\t-\t-\t_\tARG1\tARG1
2\ttried\ttry\tVBD\t+\t+\ttry:1\t_\t_
3\tto\tto\tTO\t-\t-\t_\t_\t_
4\tsing\tsing\tVB\t-\t+\tsing:1\tARG2\t_

";

/// Another top, the wrong sense, an arc less.
const SDP_SYSTEM: &str = "\
#SDP 2015
#20000001
1\tKim\tKim\tNNP\t-\t-\t_\tARG1
2\ttried\ttry\tVBD\t-\t+\ttry:2\t_
3\tto\tto\tTO\t-\t-\t_\t_
4\tsing\tsing\tVB\t+\t-\t_\tARG2

";

#[test]
fn files_with_other_tokens_are_told_how_to_be_scored() {
    let (gold, system) =
        (file("cut.sdp", SDP_GOLD), file("uncut.sdp", &SDP_SYSTEM.replace("tried", "tries")));
    let said = String::from_utf8(eval(&[&gold, &system]).stderr).unwrap();
    assert!(said.contains("the tokens differ") && said.contains("--metric eud"), "{said}");
}

#[test]
fn sdp_is_guessed_and_counted() {
    let (gold, system) = (file("gold.sdp", SDP_GOLD), file("system.sdp", SDP_SYSTEM));
    let scores = json(&[&gold, &system]);
    assert_eq!(scores["metric"], "sdp");
    // Gold: top 2, 2>1, 2>4, 4>1. The system: top 4, 2>1, 2>4.
    assert_eq!(ratio(&scores["LP"]), 2.0 / 3.0);
    assert_eq!(ratio(&scores["LR"]), 2.0 / 4.0);
    assert_eq!(ratio(&scores["without_tops"]["LP"]), 1.0);
    assert_eq!(ratio(&scores["without_tops"]["LM"]), 0.0);
    // One of gold's two verbs has all its arguments; its sense is wrong.
    assert_eq!(ratio(&scores["predications"]["PR"]), 0.5);
    assert_eq!(ratio(&scores["frames"]["FP"]), 0.0);
    assert_eq!(scores["frames"]["FF"], Value::Null, "0/0 is not a number, as in the official scorer");
    assert_eq!(ratio(&scores["by_label"]["ARG1"]["LR"]), 0.5);
    assert_eq!(scores["by_length"]["3"]["counts"]["labelled"]["gold"], 1);
    assert_eq!(ratio(&scores["non_local"]["LR"]), 0.5);

    let output = eval(&[&gold, &system, "--per-label", "--by-length"]);
    let table = String::from_utf8(output.stdout).unwrap();
    let labelled = table.lines().find(|line| line.starts_with("labelled ")).unwrap();
    let cells: Vec<&str> = labelled.split_whitespace().collect();
    assert_eq!(cells, ["labelled", "66.67", "50.00", "57.14", "0.00", "4", "3", "2"]);
    assert!(table.contains("By label") && table.contains("10+") && table.contains("NaN"), "{table}");
}

const UD_GOLD: &str = "\
# sent_id = u1
1\tKim\tKim\tPROPN\t_\t_\t2\tnsubj\t2:nsubj|2.1:nsubj\t_
2\tsang\tsing\tVERB\t_\t_\t0\troot\t0:root\t_
2.1\tsang\tsing\tVERB\t_\t_\t_\t_\t2:conj:and\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t2:punct\t_

";

#[test]
fn enhanced_dependencies_are_collapsed() {
    let gold = file("gold.conllu", UD_GOLD);
    let system = file(
        "system.conllu",
        &UD_GOLD
            .replace("2.1\tsang\tsing\tVERB\t_\t_\t_\t_\t2:conj:and\t_\n", "")
            .replace("2.1:nsubj", "2:conj>nsubj"),
    );
    let scores = json(&[&gold, &system]);
    assert_eq!(scores["metric"], "eud");
    assert_eq!((ratio(&scores["ELAS"]["f1"]), ratio(&scores["EULAS"]["f1"])), (0.75, 1.0));
    assert_eq!(ratio(&scores["LAS"]["f1"]), 1.0);
    let scores = json(&[&gold, &system, "--metric", "tree"]);
    assert_eq!((ratio(&scores["UAS"]), scores["CUR"].clone()), (1.0, Value::Null));
    assert_eq!(scores["without_punctuation"]["counts"]["tokens"], 2);
    // As plain graphs they are compared over words too.
    let scores = json(&[&gold, &system, "--metric", "sdp"]);
    assert_eq!((ratio(&scores["LF"]), ratio(&scores["UF"])), (0.75, 1.0));
}

const ZH_GOLD: &str = "\
1\t请\t请\tVV\tVV\t_\t0\tRoot\t_\t_
2\t我\t我\tPN\tPN\t_\t1\tDatv\t_\t_
2\t我\t我\tPN\tPN\t_\t3\tAgt\t_\t_
3\t看\t看\tVV\tVV\t_\t1\tdCont\t_\t_
4\t。\t。\tPU\tPU\t_\t3\tmPunc\t_\t_

";

/// One row per token: by itself this would be CoNLL-X.
const ZH_SYSTEM: &str = "\
1\t请\t请\tVV\tVV\t_\t0\tRoot\t_\t_
2\t我\t我\tPN\tPN\t_\t1\tDatv\t_\t_
3\t看\t看\tVV\tVV\t_\t1\teSucc\t_\t_
4\t。\t。\tPU\tPU\t_\t1\tmPunc\t_\t_

";

#[test]
fn semeval16_leaves_punctuation_out_and_one_file_decides() {
    let (gold, system) = (file("gold.txt", ZH_GOLD), file("system.txt", ZH_SYSTEM));
    let scores = json(&[&gold, &system]);
    assert_eq!(scores["metric"], "semeval16");
    assert_eq!((ratio(&scores["LF"]), ratio(&scores["UF"])), (4.0 / 7.0, 6.0 / 7.0));
    assert_eq!((ratio(&scores["NLF"]), ratio(&scores["NUF"])), (2.0 / 3.0, 2.0 / 3.0));
    assert_eq!(ratio(&json(&[&gold, &system, "--punct"])["UF"]), 6.0 / 9.0);
    assert_eq!(json(&[&system, &system])["metric"], "tree");
}

#[test]
fn two_systems_are_compared() {
    let (gold, system) = (file("gold2.sdp", SDP_GOLD), file("system2.sdp", SDP_SYSTEM));
    let scores = json(&[&gold, &system, &gold, "--samples", "100", "--seed", "1"]);
    assert_eq!(ratio(&scores["systems"][1]["LF"]), 1.0);
    let difference = &scores["comparison"]["LF"];
    assert_eq!(ratio(&difference["delta"]), 1.0 - 4.0 / 7.0);
    assert_eq!(ratio(&difference["p_value"]), 0.0);
    assert_eq!(ratio(&scores["comparison"]["diversity"]["labelled"]), 4.0 / 7.0);
    assert_eq!(scores["comparison"]["samples"], 100);
}

#[test]
fn errors_have_their_exit_codes() {
    let gold = file("gold3.sdp", SDP_GOLD);
    let longer = file("longer.sdp", &[SDP_GOLD, &SDP_GOLD.replace("#SDP 2015\n", "")].concat());
    let output = eval(&[&gold, &longer]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("gold3.sdp") && message.contains("longer.sdp"), "{message}");
    assert!(message.contains("gold ends after 1 sentences"), "{message}");
    let broken = file("broken.sdp", &SDP_GOLD.replace("4\tsing", "5\tsing"));
    assert_eq!(eval(&[&gold, &broken]).status.code(), Some(1));
    assert_eq!(eval(&[&gold, "/nowhere/at/all.sdp"]).status.code(), Some(1));
    assert_eq!(eval(&[&gold]).status.code(), Some(2));
    assert_eq!(eval(&[&gold, &gold, "--metric", "nonsense"]).status.code(), Some(2));
    assert_eq!(eval(&["-", "-"]).status.code(), Some(2));
}

#[test]
fn options_that_do_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g.conllu");
    std::fs::write(&file, "1\tMark\tMark\tPROPN\t_\t_\t2\tnsubj\t2:nsubj\t_\n2\tsleeps\tsleep\tVERB\t_\t_\t0\troot\t0:root\t_\n\n").unwrap();
    let file = file.to_str().unwrap();
    for option in ["--per-label", "--by-length", "--punct", "--no-punct"] {
        let output = eval(&[file, file, option]);
        assert_eq!(output.status.code(), Some(2), "{option}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(&format!("{option} does nothing with the metric eud")), "{said}");
    }
    assert!(eval(&[file, file, "--per-label", "--metric", "sdp"]).status.success());
    assert_eq!(eval(&[file, file, "--seed", "3"]).status.code(), Some(2));
}
