//! Experiments: nothing is trained twice, stops lose nothing, reports say what was done.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{treebank, write};
use pleach::train;
use pleach_lab::experiment::{Event, Experiment, Options, Results};
use std::ops::ControlFlow;
use std::path::Path;

const TEXT: &str = "
title = 'A test'
notes = ['First note.', 'Second note.']
diversity = ['st', 'ss']
[defaults]
epochs = 2
beam = 2
batch = 4
[data.small]
train = 'train.conllu'
dev = 'dev.conllu'
limit = 24
[recipes.st]
preset = 'st-combined'
[recipes.ss]
preset = 'ss-combined'
[recipes.plain]
preset = 'ss-standard'
[votes.three]
runs = ['st', 'ss', 'plain']
[[contrasts]]
title = 'Combination helps'
key = 'combined'
of = true
minus = false
[[tables]]
columns = ['LF', 'UF', 'exact', 'MB', 'epoch']
";

/// What was heard of a run.
#[derive(Debug, Default, PartialEq)]
struct Heard {
    started: Vec<String>,
    cached: Vec<String>,
    resumed: usize,
    steps: usize,
}

struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("train.conllu"), &treebank(40, 1));
        write(&folder.path().join("dev.conllu"), &treebank(20, 2));
        Lab { folder }
    }

    /// Runs an experiment, to the end or until so many steps of training were heard.
    fn run(&self, text: &str, cache: &str, steps: usize) -> (Option<Results>, Heard) {
        self.run_with(&Experiment::parse("test.toml", text).unwrap(), cache, steps)
    }

    fn run_with(&self, experiment: &Experiment, cache: &str, steps: usize) -> (Option<Results>, Heard) {
        let options = Options {
            folder: Some(self.folder.path().to_owned()),
            cache: self.cache(cache),
            fresh: false,
            measure: None,
            commit: Some("abc123".into()),
        };
        let mut heard = Heard::default();
        let results = experiment.run(&options, &mut |event| {
            match event {
                Event::Started { run, .. } => heard.started.push(run.to_owned()),
                Event::Cached { run, .. } => heard.cached.push(run.to_owned()),
                Event::Train(train::Event::Resumed { .. }) => heard.resumed += 1,
                Event::Train(train::Event::Step { .. }) => heard.steps += 1,
                _ => {}
            }
            if heard.steps >= steps { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (results.unwrap(), heard)
    }

    fn cache(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

/// All models of a cache, by name.
fn models(cache: &Path) -> Vec<(String, Vec<u8>)> {
    let mut models = Vec::new();
    for entry in std::fs::read_dir(cache).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pleach") {
            models.push((
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read(&path).unwrap(),
            ));
        }
    }
    models.sort();
    models
}

#[test]
fn finished_runs_are_never_repeated() {
    let lab = Lab::new();
    let experiment = Experiment::parse("test.toml", TEXT).unwrap();
    let (first, heard) = lab.run_with(&experiment, "cache", usize::MAX);
    assert_eq!(heard.started, ["st", "ss", "plain"]);
    assert_eq!((heard.cached.len(), heard.steps), (0, 3 * 2 * 6));
    let (second, heard) = lab.run_with(&experiment, "cache", usize::MAX);
    assert_eq!(heard.cached, ["st", "ss", "plain"]);
    assert_eq!((heard.started.len(), heard.steps), (0, 0));
    let (first, second) = (first.unwrap(), second.unwrap());
    let command = "pleach experiment test.toml";
    assert_eq!(experiment.json(&first, command), experiment.json(&second, command));
    assert_eq!(experiment.markdown(&first, command), experiment.markdown(&second, command));

    // A changed recipe is another run, the others stay; a smaller limit changes them all.
    let seed = |text: String, preset: &str| {
        let key = format!("preset = '{preset}'");
        text.replace(&key, &format!("{key}\nseed = 7"))
    };
    let changed = seed(seed(TEXT.to_owned(), "ss-combined"), "ss-standard");
    assert_eq!(lab.run(&changed, "cache", usize::MAX).1.started, ["ss", "plain"]);
    let (_, heard) = lab.run(&TEXT.replace("limit = 24", "limit = 20"), "cache", usize::MAX);
    assert_eq!(heard.started.len(), 3);
    // What lies in the cache under a name that nothing made is not believed.
    for entry in std::fs::read_dir(lab.cache("cache")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json" || extension == "time") {
            std::fs::write(path, "{}").unwrap();
        }
    }
    assert_eq!(lab.run(TEXT, "cache", usize::MAX).1.started.len(), 3);
}

#[test]
fn a_stopped_experiment_goes_on_and_ends_with_the_same_models() {
    let lab = Lab::new();
    let (whole, _) = lab.run(TEXT, "whole", usize::MAX);
    // Inside the first run, then inside the second one, in its second epoch.
    let (stopped, heard) = lab.run(TEXT, "parts", 4);
    assert!(stopped.is_none());
    assert_eq!(heard.started, ["st"]);
    let (stopped, heard) = lab.run(TEXT, "parts", 8 + 9);
    assert!(stopped.is_none());
    assert_eq!((heard.started.len(), heard.resumed), (2, 1));
    let (done, heard) = lab.run(TEXT, "parts", usize::MAX);
    assert_eq!((heard.cached.len(), heard.started.len(), heard.resumed, heard.steps), (1, 2, 1, 3 + 12));
    assert!(models(&lab.cache("whole")) == models(&lab.cache("parts")), "the models differ");
    let scores = |results: Option<Results>| {
        let results = results.unwrap();
        let records = results.runs[0].iter().chain(&results.votes[0]);
        // JSON may cost the last bit of a number.
        records.map(|record| format!("{:?}", record.result.scores)).collect::<Vec<_>>()
    };
    assert_eq!(scores(whole), scores(done));
}

#[test]
fn the_report_has_what_was_asked_for() {
    let lab = Lab::new();
    let experiment = Experiment::parse("test.toml", TEXT).unwrap();
    let results = lab.run_with(&experiment, "cache", usize::MAX).0.unwrap();
    let command = "pleach experiment test.toml";
    let text = experiment.markdown(&results, command);
    for part in [
        "# A test\n\nFirst note.\n\nSecond note.\n\n    pleach experiment test.toml\n",
        "commit abc123. All runs: ",
        "epochs 2",
        "seed 1",
        "first 24",
        "| st ",
        "| three ",
        "## Votes against the best single model",
        "three: more than 0.5 of the votes of st, ss, plain.",
        "## Combination helps",
        "of 1 |",
        "## Diversity on small",
        "**",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let json = experiment.json(&results, command);
    assert_eq!(json["data"]["small"]["train_sentences"], 24);
    assert_eq!(json["runs"].as_array().unwrap().len(), 3);
    assert_eq!(json["votes"][0]["runs"][2], "plain");
    assert_eq!(json["diversity"]["small"].as_array().unwrap().len(), 1);
    let (combined, plain) = (&results.runs[0][1].result.scores, &results.runs[0][2].result.scores);
    let mean = json["contrasts"][0]["rows"][0]["mean"]["LF"].as_f64().unwrap();
    assert!((mean - (combined.main() - plain.main())).abs() < 0.001);
}

#[test]
fn the_trainers_scores_are_the_reports() {
    let lab = Lab::new();
    let results = lab.run(TEXT, "cache", usize::MAX).0.unwrap();
    for record in &results.runs[0] {
        let file = format!("{}.pleach", record.model.as_ref().unwrap());
        let model = pleach::model::Model::open(&lab.cache("cache").join(file)).unwrap();
        let dev = model.root().provenance().unwrap().dev_scores.clone().unwrap();
        assert_eq!(dev, record.result.scores);
    }
}

/// Runs that only parse differently share a model, stop or not, and vote as what they are.
#[test]
fn a_model_is_trained_once_for_all_ways_to_parse_with_it() {
    let lab = Lab::new();
    let text = "
        [defaults]
        epochs = 1
        [data.small]
        train = 'train.conllu'
        dev = 'dev.conllu'
        [recipes.bound]
        preset = 'book-m1-lr'
        [recipes.naive]
        preset = 'book-m1-nc'
        [votes.bound-alone]
        runs = ['bound']
        [votes.naive-alone]
        runs = ['naive']";
    let (stopped, heard) = lab.run(text, "cache", 4);
    assert!(stopped.is_none());
    assert_eq!(heard.started, ["bound"]);
    // The other run may go on with what the first one began.
    let naive_first = text.replace("recipes.bound", "recipes.x").replace("recipes.naive", "recipes.bound");
    let naive_first = naive_first.replace("recipes.x", "recipes.naive").replace("m1-lr", "m1-x");
    let naive_first = naive_first.replace("m1-nc", "m1-lr").replace("m1-x", "m1-nc");
    let (results, heard) = lab.run(&naive_first, "cache", usize::MAX);
    assert_eq!((heard.started.len(), heard.resumed), (1, 1));
    assert_eq!(models(&lab.cache("cache")).len(), 1);
    let results = results.unwrap();
    let scores = |records: &[pleach_lab::experiment::RunRecord]| -> Vec<String> {
        records.iter().map(|record| format!("{:?}", record.result.scores)).collect()
    };
    let (runs, votes) = (scores(&results.runs[0]), scores(&results.votes[0]));
    assert_ne!(runs[0], runs[1]);
    let mut votes = votes;
    votes.sort();
    let mut runs = runs;
    runs.sort();
    assert_eq!(runs, votes);
}
