//! Factorization and merging parsers from training to graphs: every set of models, explanations, threads.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{model_bytes, parsed, treebank};
use pleach::ensure::{Guarantees, lacks};
use pleach::graph::{Arc, Sentence};
use pleach::model::Scores;
use pleach::recipe::{Recipe, preset_names};
use pleach::{Parser, Workspace};
use pleach_lab::relaxed::Relaxed;
use std::path::Path;

fn recipe(text: &str) -> Recipe {
    pleach::recipe::parse("test", text).unwrap()
}

fn train(folder: &Path, preset: &str, more: &str) -> Parser {
    let path = folder.join(format!("{preset}.pleach"));
    model_bytes(&recipe(&format!("preset = '{preset}'\n{more}")), &path);
    Parser::open(&path).unwrap()
}

fn lf(parser: &Parser, test: &[Sentence]) -> f64 {
    let graphs = parsed(parser, test);
    Scores::compare(test.iter().map(|sentence| &sentence.graph).zip(&graphs)).main()
}

#[test]
fn every_set_of_models_learns_a_treebank() {
    let folder = tempfile::tempdir().unwrap();
    let test = treebank(40, 5);
    let presets = preset_names();
    let presets: Vec<&String> =
        presets.iter().filter(|name| name.starts_with("fact-") || name.starts_with("merge-")).collect();
    // Those of networks are tested where they are.
    let presets: Vec<&String> = presets.into_iter().filter(|name| !name.contains("bilstm")).collect();
    assert_eq!(presets.len(), 9);
    for preset in presets {
        let more = if preset.starts_with("fact-") { "epochs = 3\nta_epochs = 3" } else { "epochs = 3" };
        let found = lf(&train(folder.path(), preset, more), &test);
        // A tree holds only part of these graphs.
        let least = if preset == "fact-ta" { 55.0 } else { 70.0 };
        assert!(found > least, "{preset}: {found}");
    }
}

#[test]
fn third_order_and_trees_work_too() {
    let folder = tempfile::tempdir().unwrap();
    let test = treebank(40, 5);
    for (preset, tree_parser) in [("fact-pc-ac", "arc-eager"), ("fact-pc-ac-ta", "eisner2")] {
        let more = format!(
            "epochs = 3\norder = 3\nta_epochs = 1\ntrees = 'pseudo'\ntree_parser = '{tree_parser}'\ntree_epochs = 1\nfolds = 2"
        );
        assert!(lf(&train(folder.path(), preset, &more), &test) > 70.0, "{preset}");
    }
}

#[test]
fn threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for preset in ["fact-pc-ac-ta", "merge-linear"] {
        let recipe = recipe(&format!("preset = '{preset}'\nepochs = 1"));
        let run = |threads: usize| {
            let path = folder.path().join(format!("{threads}.pleach"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let bytes = model_bytes(&recipe, &path);
                (bytes, parsed(&Parser::open(&path).unwrap(), &treebank(30, 3)))
            })
        };
        assert_eq!(run(1), run(2), "{preset}");
    }
}

#[test]
fn explanations_say_how_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    for preset in ["fact-pc-ac", "merge-linear"] {
        let parser = train(folder.path(), preset, "epochs = 1");
        for sentence in &treebank(10, 9) {
            let text = parser.explain(sentence, &mut Workspace::default()).unwrap();
            assert!(text.contains("dual") && text.contains(" iterations"), "{text}");
        }
    }
}

/// Repairs take the arcs that the model likes best, with its labels.
#[test]
fn guarantees_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    for preset in ["fact-pc-ac", "merge-linear"] {
        let mut parser = train(folder.path(), preset, "epochs = 1");
        let wanted: Guarantees = "rooted,connected,acyclic".parse().unwrap();
        parser.options.guarantees = Some(wanted);
        let graphs = parsed(&parser, &treebank(40, 8));
        assert!(graphs.iter().all(|graph| !lacks(graph, wanted)));
        parser.options.guarantees = Some(Guarantees::default());
        assert_ne!(graphs, parsed(&parser, &treebank(40, 8)));
        let labels = graphs.iter().flat_map(|graph| graph.arcs()).filter(|arc| arc.label.is_empty());
        assert_eq!(labels.count(), 0);
    }
}

/// Sentences without words and very long ones are parsed, in pieces if need be.
#[test]
fn odd_lengths() {
    let folder = tempfile::tempdir().unwrap();
    for preset in ["fact-pc-ac-ta", "merge-linear"] {
        let parser = train(folder.path(), preset, "epochs = 1");
        let long = Sentence::from_forms((0..650).map(|i| if i % 3 == 0 { "sees" } else { "dog" }));
        let mut sentences = [Sentence::default(), long.clone()];
        parser.parse_all(&mut sentences);
        assert!(sentences[0].graph.is_empty());
        let found = &sentences[1].graph;
        assert_eq!(found.len(), 650);
        // Pieces are parsed as they would be alone, every one of them, and no arc goes from one to another.
        let most = parser.longest(&parser.options);
        assert!(most < 650, "{preset}");
        let piece = |place: pleach::graph::NodeId| (place.index() - 1) / most;
        let words = found.arcs().iter().filter(|arc| !arc.head.is_root());
        assert!(words.clone().all(|arc| piece(arc.head) == piece(arc.dependent)));
        assert_eq!(
            words.map(|arc| piece(arc.dependent)).max(),
            Some(649 / most),
            "{preset}: all pieces have arcs"
        );
        let mut first = long;
        first.tokens.truncate(most);
        first.graph = pleach::graph::Graph::new(most);
        parser.parse_all(std::slice::from_mut(&mut first));
        let of_first = found.arcs().iter().filter(|arc| piece(arc.dependent) == 0);
        assert!(of_first.eq(first.graph.arcs()), "{preset}");
    }
}

/// Some models of a joint parser find what they would find if they alone had been trained.
#[test]
fn any_of_the_models_can_agree() {
    let folder = tempfile::tempdir().unwrap();
    let test = treebank(30, 5);
    let more = "epochs = 1\nta_epochs = 1";
    train(folder.path(), "fact-pc-ac-ta", more);
    let with = |agree: &str| {
        let parser = Parser::open(&folder.path().join("fact-pc-ac-ta.pleach")).unwrap();
        parser.with([(&"agree".to_owned(), &agree.into())])
    };
    for agree in ["pc", "ta", "ac+ta"] {
        let trained_so = train(folder.path(), &format!("fact-{}", agree.replace('+', "-")), more);
        assert_eq!(parsed(&with(agree).unwrap(), &test), parsed(&trained_so, &test), "{agree}");
    }
    assert_ne!(parsed(&with("pc").unwrap(), &test), parsed(&with("all").unwrap(), &test));
    assert!(with("pc+xy").unwrap_err().to_string().contains("'xy' is none"));
}

/// What the search looked at is told: candidates hold most gold arcs, and rates rise with iterations.
#[test]
fn searches_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let test = treebank(40, 5);
    for (preset, more) in [("fact-pc-ac-ta", "epochs = 1\nta_epochs = 1"), ("merge-linear", "epochs = 1")] {
        let parser = train(folder.path(), preset, more);
        let report = Relaxed::measure(&parser, &test).unwrap();
        assert_eq!((report.sentences, report.outcomes.len()), (40, 40), "{preset}");
        let mut before = report.sum.gold;
        for &(name, left) in &report.sum.left {
            assert!(left <= before && 10 * left > 9 * report.sum.gold, "{preset}: {name}");
            before = left;
        }
        assert!(report.proved_within(200) >= report.proved_within(1), "{preset}");
        assert!(report.proved_within(200) > 50.0, "{preset}");
    }
}

/// A finished model can be told what only parsing depends on, and nothing else.
#[test]
fn parsing_can_be_changed_after_training() {
    let folder = tempfile::tempdir().unwrap();
    let test = treebank(30, 5);
    train(folder.path(), "merge-linear", "epochs = 1");
    let open = || Parser::open(&folder.path().join("merge-linear.pleach")).unwrap();
    let with = |key: &str, value: i64| open().with([(&key.to_owned(), &value.into())]);
    let simple = with("iterations", 1).unwrap();
    train(folder.path(), "merge-linear-simple", "epochs = 1");
    let trained_so = Parser::open(&folder.path().join("merge-linear-simple.pleach")).unwrap();
    assert_eq!(parsed(&simple, &test), parsed(&trained_so, &test));
    assert_ne!(parsed(&simple, &test), parsed(&open(), &test));
    // All edges of the merged graph are in some subgraph.
    let subgraphs = [1, 2, 3].map(|tree| parsed(&with("subgraph", tree).unwrap(), &test));
    for (i, graph) in parsed(&open(), &test).iter().enumerate() {
        let held = |arc: &Arc| subgraphs.iter().any(|of| of[i].has_edge(arc.head, arc.dependent));
        assert!(graph.arcs().iter().all(held));
    }
    assert!(with("subgraph", 4).is_err());
    let error = with("epochs", 3).unwrap_err().to_string();
    assert!(error.contains("'epochs' decides what is learnt"), "{error}");
    assert!(with("iterashuns", 3).unwrap_err().to_string().contains("did you mean 'iterations'"));
}

/// The same where the scorer is a network, whose recipes have no templates.
#[test]
fn parsing_by_networks_can_be_changed_after_training() {
    let folder = tempfile::tempdir().unwrap();
    let test = treebank(30, 5);
    let small = "epochs = 8\nrate = 0.01\nlayers = 1\nhidden = 16\nword_width = 16\narc_width = 16\nlabel_width = 16\norphans = 'none'";
    train(folder.path(), "biaffine", small);
    let open = || Parser::open(&folder.path().join("biaffine.pleach")).unwrap();
    let arcs = |threshold: f64| {
        let parser = open().with([(&"threshold".to_owned(), &threshold.into())]).unwrap();
        parsed(&parser, &test).iter().map(|graph| graph.arcs().len()).sum::<usize>()
    };
    let before: usize = parsed(&open(), &test).iter().map(|graph| graph.arcs().len()).sum();
    assert_eq!(arcs(0.4), before);
    assert!(arcs(-1.0) > before && arcs(100.0) == 0, "{} {before} {}", arcs(-1.0), arcs(100.0));
    let error = open().with([(&"hidden".to_owned(), &8.into())]).unwrap_err().to_string();
    assert!(error.contains("'hidden' decides what is learnt"), "{error}");
    assert!(
        open().with([(&"threshhold".to_owned(), &1.into())]).unwrap_err().to_string().contains("'threshold'")
    );
}

/// Experiments measure one model as several recipes. A key of its scorer, which no section of the model has, changes nothing about that.
#[test]
fn a_model_parses_as_a_recipe_that_learns_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let test = treebank(30, 5);
    let keys = "epochs = 1\nleast_updates = 2\nbatch = 2";
    train(folder.path(), "merge-linear", keys);
    let open = || Parser::open(&folder.path().join("merge-linear.pleach")).unwrap();
    let before = parsed(&open(), &test);
    let as_recipe = |more: &str| {
        let recipe = recipe(&format!("preset = 'merge-linear'\n{keys}\n{more}"));
        parsed(&open().parsing_as(&recipe).unwrap(), &test)
    };
    let simple = parsed(&open().with([(&"iterations".to_owned(), &1.into())]).unwrap(), &test);
    assert_ne!(simple, before);
    assert_eq!(as_recipe("iterations = 1"), simple);
    assert_eq!(as_recipe(""), before);
    // What learns something else is another model.
    assert_eq!(as_recipe("iterations = 1\nedge_weight = 50.0"), before);
}
