//! The same seed gives the same model, whatever the threads and however often the run was stopped.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{model_bytes, recipe, run_until, training, treebank};
use pleach::Parser;
use pleach::model::Model;
use pleach::train::{Event, TrainError};
use std::ops::ControlFlow;

const RECIPES: [&str; 6] = [
    "preset = 's2s-combined'",
    "preset = 'ss-standard-rev'\nupdate = 'early'",
    "preset = 'st-combined'\nbeam = 1",
    "preset = 'sl-combined'\nroot = 'none'\nprune = 0.1",
    "preset = 's2s-combined'\nlabelling = 'factored'\nbeam = 4",
    "preset = 'sl-fast'\nshort_rows = true",
];

#[test]
fn the_number_of_threads_does_not_change_the_model_or_the_parses() {
    let folder = tempfile::tempdir().unwrap();
    for (i, text) in RECIPES.iter().enumerate() {
        let recipe = recipe(text);
        let run = |threads: usize| {
            let path = folder.path().join(format!("{i}-{threads}.pleach"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let bytes = model_bytes(&recipe, &path);
                let mut parsed = treebank(30, 3);
                Parser::open(&path).unwrap().parse_all(&mut parsed);
                (bytes, parsed)
            })
        };
        let (one, two) = (run(1), run(2));
        assert!(one.0 == two.0, "{text}: the models differ");
        assert_eq!(one.1, two.1, "{text}");
    }
}

#[test]
fn a_stopped_run_ends_with_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    for (i, text) in RECIPES.iter().enumerate() {
        let recipe = recipe(text);
        let whole = model_bytes(&recipe, &folder.path().join(format!("{i}-whole.pleach")));
        let path = folder.path().join(format!("{i}-parts.pleach"));
        let checkpoint = folder.path().join(format!("{i}-parts.pleach.checkpoint"));
        // Ten batches and the end of an epoch make eleven events: inside the first epoch, at its last batch,
        // at its end, and twice inside a later one.
        for events in [3, 7, 1, 4, 12] {
            assert!(run_until(&recipe, &path, events).stopped, "{text}");
            assert!(checkpoint.exists());
        }
        assert!(model_bytes(&recipe, &path) == whole, "{text}: the models differ");
        assert!(!checkpoint.exists(), "a finished run leaves no checkpoint");
    }
}

#[test]
fn a_killed_run_goes_on_from_its_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe("");
    let whole = model_bytes(&recipe, &folder.path().join("whole.pleach"));
    let (path, kept) = (folder.path().join("killed.pleach"), folder.path().join("kept"));
    let checkpoint = folder.path().join("killed.pleach.checkpoint");
    // A kill is a stop whose own checkpoint is lost: the one of the epoch's end is what remains.
    let mut watch = |event: Event| match event {
        Event::Step { epoch: 2, done: 16, .. } => {
            std::fs::copy(&checkpoint, &kept).unwrap();
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    };
    assert!(pleach::train::run(training(recipe.clone()), &path, &mut watch).unwrap().stopped);
    std::fs::rename(&kept, &checkpoint).unwrap();
    std::fs::write(folder.path().join("killed.pleach.part"), "half a mod").unwrap();
    assert!(model_bytes(&recipe, &path) == whole, "the models differ");
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.pleach");
    assert!(run_until(&recipe(""), &path, 3).stopped);
    let go = &mut |_: Event| ControlFlow::Continue(());
    let error = pleach::train::run(training(recipe("seed = 2")), &path, go).unwrap_err();
    assert!(matches!(error, TrainError::OtherRun { what: "recipe", .. }), "{error}");
    let mut other = training(recipe(""));
    other.corpus.train = treebank(40, 9);
    let error = pleach::train::run(other, &path, go).unwrap_err();
    assert!(matches!(error, TrainError::OtherRun { what: "data set", .. }), "{error}");
    let mut fresh = training(recipe("seed = 2"));
    fresh.fresh = true;
    assert!(!pleach::train::run(fresh, &path, go).unwrap().stopped);
}

#[test]
fn seeds_and_epochs_matter() {
    let folder = tempfile::tempdir().unwrap();
    // The recipe in the description differs anyway: the weights have to.
    let weights = |text: &str| {
        let bytes = model_bytes(&recipe(text), &folder.path().join("m.pleach"));
        Model::from_bytes("m", &bytes).unwrap().root().tensor("entries").unwrap().data.to_vec()
    };
    let plain = weights("patience = 0");
    assert!(plain == weights(""));
    assert!(plain != weights("seed = 2"), "another order of sentences");
    assert!(weights("epochs = 1") != weights("epochs = 1\nseed = 3"));
    // The best epoch on dev is kept; without dev it is the last one.
    let last = |epochs: usize| {
        let mut training = training(recipe(&format!("epochs = {epochs}")));
        training.corpus.dev.clear();
        let model = pleach::train::in_memory(training, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
        model.root().tensor("entries").unwrap().data.to_vec()
    };
    assert!(last(1) != last(2));
}

#[test]
fn the_kept_model_is_the_best_one_on_dev() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.pleach");
    let mut scores = Vec::new();
    let mut watch = |event| {
        if let Event::Epoch { dev: Some(dev), .. } = event {
            scores.push(dev.main());
        }
        ControlFlow::Continue(())
    };
    let outcome = pleach::train::run(training(recipe("epochs = 6")), &path, &mut watch).unwrap();
    let best = scores.iter().copied().fold(0.0, f64::max);
    assert!(best > 60.0, "the treebank is learnable: {scores:?}");
    let model = Model::open(&path).unwrap();
    let root = model.root();
    let provenance = root.provenance().unwrap();
    assert_eq!(provenance.dev_scores.as_ref().map(|dev| dev.main()), Some(best));
    assert_eq!(scores[provenance.epoch - 1], best);
    assert_eq!(outcome.best.map(|(dev, _)| dev.main()), Some(best));
}
