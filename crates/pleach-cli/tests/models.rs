//! `pleach vote`, `pleach bench` and `pleach experiment` as a user sees them.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

/// Sentences of nouns and verbs: every noun hangs on the verbs beside it.
fn treebank(sentences: u32, mut seed: u32) -> String {
    let mut text = String::new();
    for number in 0..sentences {
        let _ = writeln!(text, "# sent_id = s{number}");
        let mut verbs = Vec::new();
        for _ in 0..(2 + seed % 5) {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            verbs.push(seed >> 30 == 0);
        }
        verbs.push(true);
        for (i, &verb) in verbs.iter().enumerate() {
            let id = i + 1;
            let before = (0..i).rev().find(|&place| verbs[place]);
            let after = (id..verbs.len()).find(|&place| verbs[place]);
            let arcs: Vec<String> = match (verb, before, after) {
                (true, None, _) => vec!["0:root".into()],
                (true, Some(head), _) => vec![format!("{}:conj", head + 1)],
                (false, before, after) => {
                    let object = before.map(|head| format!("{}:obj", head + 1));
                    let subject = after.map(|head| format!("{}:subj", head + 1));
                    object.into_iter().chain(subject).collect()
                }
            };
            let (form, tag) = if verb { ("sees", "VERB") } else { ("dog", "NOUN") };
            let _ = writeln!(text, "{id}\t{form}\t{form}\t{tag}\t_\t_\t_\t_\t{}\t_", arcs.join("|"));
        }
        text.push('\n');
    }
    text
}

fn pleach(folder: &Path, args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(args.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

fn stdout(folder: &Path, args: &str) -> String {
    let output = pleach(folder, args);
    assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The exit code and the message of a failure.
fn failure(folder: &Path, args: &str) -> (Option<i32>, String) {
    let output = pleach(folder, args);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn lab() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("train.conllu"), treebank(40, 1)).unwrap();
    std::fs::write(folder.path().join("dev.conllu"), treebank(12, 77)).unwrap();
    folder
}

#[test]
fn models_and_files_vote_alike() {
    let lab = lab();
    let folder = lab.path();
    for preset in ["st-combined", "ss-standard", "sl-combined-rev"] {
        let train = "train --train train.conllu --dev dev.conllu --epochs 1 --beam 2";
        stdout(folder, &format!("{train} --preset {preset} -o {preset}.pleach"));
        stdout(folder, &format!("parse -m {preset}.pleach dev.conllu -o {preset}.conllu"));
    }
    let models = "st-combined.pleach ss-standard.pleach sl-combined-rev.pleach";
    stdout(folder, &format!("vote {models} -o all.pleach"));
    let together = stdout(folder, "parse -m all.pleach dev.conllu");
    let files = models.replace(".pleach", ".conllu");
    assert_eq!(stdout(folder, &format!("vote {files}")), together);
    stdout(folder, &format!("vote {files} -o voted.conllu --threshold 0.9"));
    let unanimous = std::fs::read_to_string(folder.join("voted.conllu")).unwrap();
    assert!(unanimous.matches(':').count() <= together.matches(':').count());

    let table = stdout(folder, &format!("vote {files} --diversity"));
    assert!(table.contains("ss-standard.conllu"), "{table}");
    let parsed: serde_json::Value =
        serde_json::from_str(&stdout(folder, &format!("vote {files} --diversity --json"))).unwrap();
    let on_models: serde_json::Value =
        serde_json::from_str(&stdout(folder, &format!("vote {models} --diversity --on dev.conllu --json")))
            .unwrap();
    assert_eq!(parsed["pairs"].as_array().unwrap().len(), 3);
    assert_eq!(parsed["pairs"][1]["labelled"], on_models["pairs"][1]["labelled"]);

    // Told apart by content: a model under another name is a model still.
    std::fs::copy(folder.join("st-combined.pleach"), folder.join("model.conllu")).unwrap();
    let (code, message) = failure(folder, "vote model.conllu dev.conllu -o x");
    assert_eq!(code, Some(2));
    assert!(message.contains("model.conllu is a model, dev.conllu is not"), "{message}");
    let (code, message) = failure(folder, "vote dev.conllu train.conllu -o x.conllu");
    assert_eq!(code, Some(1));
    assert!(
        message.contains("dev.conllu and train.conllu don't align: the first has sentence 1"),
        "{message}"
    );
    assert!(!folder.join("x.conllu").exists());
    assert_eq!(failure(folder, "vote st-combined.pleach").0, Some(2));
    assert_eq!(failure(folder, "vote none.conllu").0, Some(1));
    assert_eq!(failure(folder, "vote dev.conllu --threshold 1").0, Some(2));
}

#[test]
fn a_benchmark_is_a_table_or_json() {
    let lab = lab();
    let folder = lab.path();
    stdout(folder, "train --train train.conllu --epochs 1 --beam 2 -o m.pleach");
    let table = stdout(folder, "bench -m m.pleach dev.conllu --beams 1,2 --rounds 1");
    assert!(
        table.contains("tokens/s") && table.contains("beam 2") && table.contains("first parse"),
        "{table}"
    );
    let json = stdout(folder, "bench -m m.pleach dev.conllu --json --beams 1,2 --rounds 2");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["sentences"], 12);
    assert_eq!(json["beams"][1]["beam"], 2);
    assert!(json["beams"][0]["tokens_per_second"].as_f64().unwrap() > 0.0);
    assert!(json["beams"][0]["scores"]["LF"].as_f64().unwrap() > 0.0);
    assert_eq!(failure(folder, "bench -m m.pleach dev.conllu --beams 0").0, Some(2));
    assert_eq!(failure(folder, "bench -m dev.conllu dev.conllu").0, Some(1));
}

/// Names that `pleach models` lists are understood wherever a model is named, and told as JSON.
#[test]
fn models_have_names() {
    let lab = lab();
    let folder = lab.path();
    let models = folder.join("models");
    std::fs::create_dir(&models).unwrap();
    stdout(folder, "train --train train.conllu --epochs 1 --beam 2 -o models/mine.pleach");
    let named = |args: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_pleach"))
            .args(args.split_whitespace())
            .current_dir(folder)
            .env("PLEACH_MODELS", &models)
            .output()
            .unwrap();
        assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(named("bench -m mine dev.conllu --rounds 1").contains("tokens/s"));
    assert!(named("info mine").contains("family"));
    named("vote mine mine -o both.pleach");
    assert_eq!(named("parse -m both.pleach dev.conllu"), named("parse -m mine dev.conllu"));
    assert!(named("vote mine both.pleach --diversity --on dev.conllu --json").contains("pairs"));
    let list: serde_json::Value = serde_json::from_str(&named("models --json")).unwrap();
    let mine = list.as_array().unwrap().iter().find(|model| model["name"] == "mine").unwrap();
    assert!(mine["bytes"].as_u64().unwrap() > 0 && mine["stages"][0].is_string() && mine["file"].is_string());
    let coverage: serde_json::Value =
        serde_json::from_str(&named("decompose dev.conllu --coverage --json")).unwrap();
    assert_eq!((&coverage[1]["how"], &coverage[1]["sentences"]), (&"relaxed".into(), &12.into()));
}

#[test]
fn an_experiment_writes_its_tables() {
    let lab = lab();
    let folder = lab.path();
    let text = "bench = true\n[defaults]\nepochs = 1\nbeam = 2\n[data.d]\ntrain = 'train.conllu'\ndev = 'dev.conllu'\nlimit = 10\n\
                [axes]\npreset = ['st-combined', 'ss-combined']\n[votes.both]\nruns = ['st-combined', 'ss-combined']\n";
    std::fs::write(folder.join("x.toml"), text).unwrap();
    assert_eq!(stdout(folder, "experiment x.toml --plan"), "d\tst-combined\nd\tss-combined\n");
    let plan: serde_json::Value =
        serde_json::from_str(&stdout(folder, "experiment x.toml --plan --json")).unwrap();
    assert_eq!((&plan[1]["data"], &plan[1]["run"]), (&"d".into(), &"ss-combined".into()));
    let first = pleach(folder, "experiment x.toml -o out --cache cache");
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let report = std::fs::read_to_string(folder.join("out/x.md")).unwrap();
    assert!(report.contains("    pleach experiment x.toml\n"), "{report}");
    assert!(report.contains("memory") || !cfg!(target_os = "linux"), "{report}");
    assert!(report.contains("| both "), "{report}");
    let again = pleach(folder, "experiment x.toml -o out --cache cache");
    let said = String::from_utf8(again.stderr).unwrap();
    assert_eq!(said.matches("in the cache").count(), 2, "{said}");
    assert_eq!(std::fs::read_to_string(folder.join("out/x.md")).unwrap(), report);
    std::fs::write(folder.join("bad.toml"), text.replace("epochs", "epoch")).unwrap();
    let (code, message) = failure(folder, "experiment bad.toml");
    assert_eq!(code, Some(1));
    assert!(message.contains("no key 'epoch' (did you mean 'epochs'?)"), "{message}");
}

#[test]
fn an_experiment_measures_graphs_as_parse_gives_them() {
    let lab = lab();
    let folder = lab.path();
    // Enough to say what its graphs keep.
    std::fs::write(folder.join("more.conllu"), treebank(120, 1)).unwrap();
    let data = "train = 'more.conllu'\ndev = 'dev.conllu'\n";
    // No arc is likely enough for such a threshold.
    let none =
        "preset = 'biaffine'\nthreshold = 1000.0\norphans = 'none'\nepochs = 2\nlayers = 1\nhidden = 8\n";
    let text = format!(
        "[defaults]\n{none}[data.found]\n{data}[data.mended]\n{data}guarantees = true\n[recipes]\nnone = {{}}\n"
    );
    std::fs::write(folder.join("x.toml"), text).unwrap();
    let run = pleach(folder, "experiment x.toml -o out --cache cache");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let file = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().path();
    let models = std::fs::read_dir(folder.join("cache")).unwrap().map(file);
    assert_eq!(models.filter(|file| file.extension().is_some_and(|end| end == "pleach")).count(), 1);
    let report = std::fs::read_to_string(folder.join("out/x.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let found = |run: usize| report["runs"][run]["result"]["UR"].as_f64().unwrap();
    assert!(found(0) == 0.0 && found(1) > 0.0, "{report:#}");
}

#[test]
fn language_models_have_keys_and_need_text() {
    let lab = lab();
    let folder = lab.path();
    let shown = stdout(folder, "train lm --show-recipe --set hidden=64 --epochs 7");
    for line in ["epochs = 7", "rate = 0.002", "dropout = 0.1", "[model]", "hidden = 64"] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
    let (code, message) = failure(folder, "train lm --show-recipe --set hiden=64");
    assert!(code == Some(2) && message.contains("no key 'hiden'"), "{message}");
    let (code, message) = failure(folder, "train lm --train train.conllu -o lm.pleach");
    assert!(code == Some(2) && message.contains("--text FILES"), "{message}");
}
