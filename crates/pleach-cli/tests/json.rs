//! What programs read from verbs that mainly write files: training, drawing, models, the service.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const GOLD: &str = "\
# sent_id = a
1\tMark\tMark\tPROPN\t_\t_\t_\t_\t2:nsubj|3:nsubj:xsubj\t_
2\twants\twant\tVERB\t_\t_\t_\t_\t0:root\t_
3\tsleep\tsleep\tVERB\t_\t_\t_\t_\t2:xcomp\t_

# sent_id = b
1\tMark\tMark\tPROPN\t_\t_\t_\t_\t2:nsubj\t_
2\tsleeps\tsleep\tVERB\t_\t_\t_\t_\t0:root\t_

";

/// The JSON objects that a command prints, one a line.
fn objects(folder: &Path, args: &str) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(args.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("gold.conllu"), GOLD).unwrap();
    folder
}

#[test]
fn a_run_tells_its_epochs_and_its_model() {
    let folder = folder();
    let train =
        "train st-combined --epochs 2 --beam 1 --train gold.conllu --dev gold.conllu -o m.pleach --json";
    let told = objects(folder.path(), train);
    let names: Vec<&str> = told.iter().map(|object| object["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["prepared", "epoch", "epoch", "written"]);
    assert_eq!(told[0]["sentences"], 2);
    assert!(told[1]["dev"]["LF"].is_number() && told[2]["epoch"] == 2);
    assert_eq!(told[3]["model"], "m.pleach");
    let best = told[1..3].iter().rfind(|epoch| epoch["best"] == true).unwrap();
    assert_eq!((&told[3]["dev"], &told[3]["epoch"]), (&best["dev"], &best["epoch"]));

    let converted = objects(folder.path(), "convert-model m.pleach -o n.pleach --weights int8 --json");
    let size = std::fs::metadata(folder.path().join("n.pleach")).unwrap().len();
    assert_eq!((&converted[0]["bytes"], &converted[0]["networks"]), (&json!(size), &json!(0)));
}

#[test]
fn pictures_can_be_read_by_programs() {
    let folder = folder();
    let wrong = GOLD.replace("|3:nsubj:xsubj", "").replace("2:xcomp", "2:ccomp");
    std::fs::write(folder.path().join("system.conllu"), wrong).unwrap();
    let alone = objects(folder.path(), "view gold.conllu --json");
    assert_eq!((&alone[0]["id"], alone.len()), (&json!("a"), 2));
    assert_eq!(alone[0]["words"][1]["form"], "wants");
    assert_eq!(alone[0]["links"].as_array().unwrap().len(), 4);
    assert!(alone[0]["links"][0]["mark"].is_null());
    let differences =
        objects(folder.path(), "view gold.conllu --compare system.conllu --differences only --json");
    assert_eq!(differences.len(), 1);
    let marked = |mark: &str| {
        let links = differences[0]["links"].as_array().unwrap();
        let links = links.iter().filter(|link| link["mark"] == mark);
        links.map(|link| format!("{} {}", link["head"], link["dependent"])).collect::<Vec<_>>()
    };
    assert_eq!(marked("missing"), [r#""3" "1""#]);
    assert_eq!(marked("relabelled"), [r#""2" "3""#]);
    // The name of a file says the same.
    objects(folder.path(), "view gold.conllu -o pictures.jsonl");
    let written = std::fs::read_to_string(folder.path().join("pictures.jsonl")).unwrap();
    assert_eq!(written.lines().count(), 2);
}

#[cfg(feature = "serve")]
#[test]
fn a_service_says_where_it_listens() {
    use std::io::{BufRead, BufReader};
    let mut service = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["serve", "--addr", "127.0.0.1:0", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(service.stdout.take().unwrap()).read_line(&mut line).unwrap();
    service.kill().unwrap();
    service.wait().unwrap();
    let listening: Value = serde_json::from_str(&line).unwrap();
    assert!(listening["address"].as_str().unwrap().starts_with("http://127.0.0.1:"));
    assert_eq!((&listening["models"], &listening["needs_token"]), (&json!(["en"]), &json!(false)));
}
