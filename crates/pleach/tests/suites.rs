//! Several experiments at once: seeds with mean and spread, findings with verdicts, order of cost, budgets.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{treebank, write};
use pleach_lab::experiment::{Costs, Ended, Event, Experiment, Member, Options, Verdict, run_all};
use pleach_model::recipe::Recipe;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::time::Duration;

const DATA: &str = "
[data.small]
train = 'train.conllu'
dev = 'dev.conllu'
limit = 24
";

const TWO: &str = "
title = 'Two'
seeds = 2
[defaults]
beam = 2
[recipes.long]
preset = 'ss-standard'
epochs = 6
[recipes.short]
preset = 'st-combined'
epochs = 1
[votes.plain]
runs = ['long', 'short']
[votes.weighed]
runs = ['long', 'short']
weighted = true
[[finding]]
says = 'more epochs help'
of = 'nobody'
better = 'long'
than = 'short'
paper = '+9'
[[finding]]
says = 'a vote by weight is better than the intersection'
of = 'nobody'
better = 'weighed'
than = 'plain'
[[tables]]
columns = ['LF', 'URL', 'LRNL', 'epoch']
";

struct Lab {
    folder: tempfile::TempDir,
    heard: Vec<String>,
    reports: Vec<(String, String, Value)>,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("train.conllu"), &treebank(40, 1));
        write(&folder.path().join("dev.conllu"), &treebank(30, 2));
        Lab { folder, heard: Vec::new(), reports: Vec::new() }
    }

    fn run(&mut self, files: &[(&str, &str)], budget: Option<Duration>, costs: &[Costs]) -> Ended {
        let mut experiments = Vec::new();
        for (name, text) in files {
            let mut experiment = Experiment::parse("x.toml", &format!("{text}{DATA}")).unwrap();
            experiment.name = (*name).to_owned();
            experiments.push(experiment);
        }
        let member =
            |(place, experiment)| Member { experiment, costs: costs.get(place).cloned().unwrap_or_default() };
        let members: Vec<Member<'_>> = experiments.iter().enumerate().map(member).collect();
        let options = Options {
            folder: Some(self.folder.path().to_owned()),
            cache: self.folder.path().join("cache"),
            fresh: false,
            measure: None,
            commit: Some("abc".into()),
        };
        let (heard, reports) = (&mut self.heard, &mut self.reports);
        heard.clear();
        reports.clear();
        let mut watch = |event: Event<'_>| {
            if let Event::Started { run, .. } = event {
                heard.push(run.to_owned());
            }
            ControlFlow::Continue(())
        };
        let mut report = |_: usize, experiment: &Experiment, results: &_| {
            let markdown = experiment.markdown(results, "x");
            reports.push((experiment.name.clone(), markdown, experiment.json(results, "x")));
            Ok(())
        };
        run_all(&members, &options, budget, &mut watch, &mut report).unwrap()
    }
}

/// The seed of a pipeline is that of all of its stages; those that are left out stay so.
#[test]
fn pipelines_have_seeds_too() {
    let text = format!(
        "seeds = [3, 8]\n{DATA}[recipes]\nall = {{ preset = 'pipeline-linear', tokenizer = {{}}, tree = {{}} }}\n"
    );
    let plan = Experiment::parse("pipelines.toml", &text).unwrap();
    let seed = |recipe: &Recipe, stage: &str| recipe.stage(stage).map(|stage| stage.table()["seed"].clone());
    for (number, expected) in [3, 8].into_iter().enumerate() {
        let recipe = plan.recipe(0, number).unwrap();
        for stage in ["tagger", "morphology", "lemmatizer", "graph"] {
            assert_eq!(seed(&recipe, stage), Some(expected.into()), "{stage}");
        }
        assert_eq!((seed(&recipe, "tokenizer"), seed(&recipe, "tree")), (None, None));
    }
}

#[test]
fn seeds_give_means_spreads_and_verdicts() {
    let mut lab = Lab::new();
    let ended = lab.run(&[("two", TWO)], None, &[]);
    assert_eq!(ended, Ended { left_out: Vec::new(), failed: Vec::new(), stopped: false });
    // Cheapest first, seed by seed.
    assert_eq!(lab.heard, ["short, seed 1", "long, seed 1", "short, seed 2", "long, seed 2"]);
    let (_, text, json) = &lab.reports[0];
    for part in [
        "with the seeds 1, 2",
        " ± ",
        "## What the paper says, and what shows here",
        "| more epochs help | LF | +9 | small +",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let row = |name: &str| {
        let rows = json["runs"].as_array().unwrap().iter().chain(json["votes"].as_array().unwrap());
        rows.into_iter().find(|row| row["name"] == name).unwrap().clone()
    };
    let lf = |value: &Value| value["result"]["LF"].as_f64().unwrap();
    let long = row("long");
    let seeds = long["seeds"].as_array().unwrap();
    assert_eq!((seeds.len(), &seeds[1]["seed"], &seeds[1]["commit"]), (2, &json!(2), &json!("abc")));
    assert!((lf(&long) - (lf(&seeds[0]) + lf(&seeds[1])) / 2.0).abs() < 0.002);
    assert!(long["result"]["recalls"]["LRNL"].is_f64(), "{long}");
    // Six epochs are better than one, on every sentence or nearly.
    let finding = &json["findings"][0];
    assert_eq!((&finding["verdict"], &finding["paper"]), (&json!(Verdict::Yes), &json!("+9")));
    let shown = &finding["data"][0];
    let mean = lf(&long) - lf(&row("short"));
    assert!((shown["mean"].as_f64().unwrap() - mean).abs() < 0.003 && shown["p"].as_f64().unwrap() < 0.05);
    assert!(lf(&row("weighed")) > lf(&row("plain")), "{} {}", row("weighed"), row("plain"));
}

#[test]
fn the_cheapest_experiment_comes_first_and_a_budget_holds() {
    let one = |preset: &str, epochs: usize| {
        format!("[defaults]\nbeam = 2\nepochs = {epochs}\n[recipes.{preset}]\npreset = '{preset}'\n")
    };
    let (slow, fast) = (one("ss-combined", 3), one("st-combined", 2));
    let mut lab = Lab::new();
    // A report says that the first one would take an hour.
    let report = json!({
        "data": { "small": { "train_sentences": 24 } },
        "runs": [{ "name": "ss-combined", "data": "small", "recipe": { "epochs": 3 },
                   "result": { "train_cpu_seconds": 3600.0 } }],
    });
    let costs = [Costs::of(&report)];
    let files = [("slow", slow.as_str()), ("fast", fast.as_str())];
    let ended = lab.run(&files, Some(Duration::from_secs(600)), &costs);
    assert_eq!(lab.heard, ["st-combined"]);
    assert_eq!(lab.reports.iter().map(|report| report.0.as_str()).collect::<Vec<_>>(), ["fast"]);
    assert_eq!(ended.left_out.len(), 1);
    let left = &ended.left_out[0];
    assert_eq!((left.experiment.as_str(), left.run.as_str(), left.seconds), ("slow", "ss-combined", 3600.0));
    // Without a budget what was left out is done, and nothing is done twice.
    let ended = lab.run(&files, None, &costs);
    assert!(ended.left_out.is_empty());
    assert_eq!(lab.heard, ["ss-combined"]);
    assert_eq!(lab.reports.len(), 2);
    // No time at all: what is in the cache is reported, and the rest said.
    let more = slow.replace("epochs = 3", "epochs = 4");
    let ended = lab.run(&[("more", &more), ("fast", &fast)], Some(Duration::ZERO), &[]);
    assert_eq!((lab.heard.len(), lab.reports.len(), ended.left_out.len()), (0, 1, 1));
}

/// With time for one seed only, the report is of one seed.
#[test]
fn what_is_finished_is_reported() {
    let text = "seeds = 2\n[defaults]\nbeam = 2\nepochs = 1\n[recipes.st]\npreset = 'st-combined'\n";
    let mut lab = Lab::new();
    lab.run(&[("half", &text.replace("seeds = 2", "seeds = 1"))], None, &[]);
    let ended = lab.run(&[("half", text)], Some(Duration::ZERO), &[]);
    assert_eq!((lab.reports.len(), ended.left_out.len()), (1, 1));
    assert_eq!(ended.left_out[0].run, "st, seed 2");
    assert_eq!(lab.reports[0].2["seeds"], json!([1]));
}

/// One whose data are missing, and one whose second recipe needs a file that is not there: both are named, the third one is run.
#[test]
fn an_experiment_that_cannot_be_run_does_not_stop_the_others() {
    let mut lab = Lab::new();
    let no_data = "[data.gone]\ntrain = 'gone.conllu'\ndev = 'dev.conllu'\n[recipes.a]\npreset = 'st-combined'\nepochs = 1\n";
    let no_file =
        "[recipes.a]\npreset = 'tagger'\nteacher = 'gone.pleach'\nmore = 'gone.conllu'\nepochs = 1\n";
    let fine = "[recipes.a]\npreset = 'st-combined'\nbeam = 2\nepochs = 1\n";
    let ended = lab.run(&[("no-data", no_data), ("no-file", no_file), ("fine", fine)], None, &[]);
    let names: Vec<&str> = ended.failed.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["no-data", "no-file"], "{ended:?}");
    assert!(ended.failed[0].1.contains("gone.conllu") && ended.failed[1].1.contains("gone."), "{ended:?}");
    assert!(!ended.stopped && ended.left_out.is_empty());
    let reported: Vec<&str> = lab.reports.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(reported, ["fine"]);
}
