//! Finished runs on disk: `MODEL.pleach` is the model, `MODEL.time` how long it took, `KEY.json` what a run reached with
//! it, `KEY.arcs` the graphs it gave.
//!
//! A key is a hash of all that decides the outcome: the recipe, the text of its templates, the data and the version of
//! the model format. That of the model leaves out what only parsing depends on, so that runs which differ in nothing
//! else share it. A run counts as finished when its record is there, a model when its time says so.

use super::alone::Alone;
use super::error::ExperimentError;
use pleach_formats::atomic;
use pleach_graph::words::hash;
use pleach_graph::{Arc, Graph, NodeId, Text};
use pleach_model::Scores;
use pleach_model::VERSION;
use pleach_model::recipe::Recipe;
use pleach_parsers::Parser;
use pleach_parsers::train::TrainError;
use pleach_parsers::{CATALOGUE, SHELF};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What a run or a vote reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Scores on the development data.
    #[serde(flatten)]
    pub scores: Scores,
    /// Recall of local and non-local arcs: URL, LRL, URNL and LRNL, see [`pleach_eval::graph::Locality`]; precision and recall of
    /// crossing ones: UPX, URX, LPX and LRX, see [`pleach_eval::graph::Crossing`]; none for trees.
    #[serde(default)]
    pub recalls: Scores,
    /// Words parsed per second of processor time.
    pub tokens_per_second: f64,
    /// Seconds of training.
    pub train_seconds: f64,
    /// Processor seconds of training, over all cores.
    pub train_cpu_seconds: f64,
    /// The model's size.
    pub model_bytes: u64,
    /// The epoch whose weights were kept; none for a vote.
    pub epoch: Option<usize>,
    /// Arcs of the training data that the system can't build; none for a vote.
    pub arcs_out_of_reach: Option<usize>,
    /// The share of training sentences that were learnt from, in percent; none for a vote.
    #[serde(default)]
    pub trained_on: Option<f64>,
    /// What it needs in a process of its own, if that was measured.
    #[serde(default)]
    pub alone: Option<Alone>,
}

/// A finished run or vote.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its key in the cache.
    pub key: String,
    /// The key of its model; none for a vote.
    pub model: Option<String>,
    /// The recipe; none for a vote.
    pub recipe: Option<toml::Table>,
    /// The version of Pleach that ran it.
    pub pleach: String,
    /// The commit it was built from, if known.
    pub commit: Option<String>,
    /// What it reached.
    pub result: Measurement,
}

/// Time that was spent on training.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Spent {
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// The model is finished.
    pub done: bool,
}

/// A graph as the cache has it.
type StoredGraph = Vec<(u32, u32, String)>;

/// The folder of finished runs.
#[derive(Clone, Debug)]
pub(super) struct Cache(PathBuf);

impl Cache {
    /// Makes the folder.
    pub fn open(folder: &Path) -> Result<Self, ExperimentError> {
        std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
        Ok(Cache(folder.to_owned()))
    }

    fn file(&self, key: &str, extension: &str) -> PathBuf {
        self.0.join(format!("{key}.{extension}"))
    }

    /// Where a model lies.
    pub fn model(&self, key: &str) -> PathBuf {
        self.file(key, "pleach")
    }

    /// The record of a finished run whose model is there.
    pub fn run(&self, key: &str, recipe: &Recipe) -> Option<RunRecord> {
        let record: RunRecord = read(&self.file(key, "json"))?;
        let there = record.model.as_ref().is_some_and(|model| self.model(model).is_file());
        (record.recipe.as_ref() == Some(recipe.table()) && there).then_some(record)
    }

    /// The model of a finished run, told to parse as the run does.
    pub fn parser(&self, record: &RunRecord) -> Result<Parser, ExperimentError> {
        let parser = Parser::open(&self.model(record.model.as_deref().unwrap_or(&record.key)))?;
        Ok(match &record.recipe {
            Some(recipe) => parser.parsing_as(&SHELF.complete("cache", recipe.clone())?)?,
            None => parser,
        })
    }

    /// The record of a finished vote.
    pub fn vote(&self, key: &str) -> Option<RunRecord> {
        read(&self.file(key, "json"))
    }

    /// Writes the record of a finished run or vote.
    pub fn finish(&self, record: &RunRecord, graphs: Option<&[Graph]>) -> Result<(), ExperimentError> {
        if let Some(graphs) = graphs {
            let store = |graph: &Graph| -> StoredGraph {
                graph.arcs().iter().map(|arc| (arc.head.0, arc.dependent.0, arc.label.to_string())).collect()
            };
            let stored: Vec<StoredGraph> = graphs.iter().map(store).collect();
            write(&self.file(&record.key, "arcs"), &stored)?;
        }
        write(&self.file(&record.key, "json"), record)
    }

    /// The graphs that a run gave to sentences of these lengths.
    pub fn graphs(&self, key: &str, lengths: &[usize]) -> Option<Vec<Graph>> {
        let stored: Vec<StoredGraph> = read(&self.file(key, "arcs"))?;
        let fits = |(arcs, &len): (&StoredGraph, &usize)| {
            arcs.iter().all(|&(head, dependent, _)| {
                head as usize <= len && dependent >= 1 && dependent as usize <= len
            })
        };
        if stored.len() != lengths.len() || !stored.iter().zip(lengths).all(fits) {
            return None;
        }
        let graph = |(arcs, &len): (StoredGraph, &usize)| {
            let arc = |(head, dependent, label): (u32, u32, String)| Arc {
                head: NodeId(head),
                dependent: NodeId(dependent),
                label: Text::from(label),
            };
            Graph::from_arcs(len, arcs.into_iter().map(arc).collect())
        };
        Some(stored.into_iter().zip(lengths).map(graph).collect())
    }

    /// The time that was spent so far on a model.
    pub fn spent(&self, model: &str) -> Spent {
        let spent: Spent = read(&self.file(model, "time")).unwrap_or_default();
        Spent { done: spent.done && self.model(model).is_file(), ..spent }
    }

    /// Notes the time that was spent on a model.
    pub fn note(&self, model: &str, spent: Spent) -> Result<(), ExperimentError> {
        write(&self.file(model, "time"), &spent)
    }
}

fn io(path: &Path, source: std::io::Error) -> ExperimentError {
    ExperimentError::Io { file: path.display().to_string(), source }
}

/// What is missing or unreadable is made anew.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), ExperimentError> {
    let json = serde_json::to_vec(value).map_err(|error| ExperimentError::Cache {
        file: path.display().to_string(),
        message: error.to_string(),
    })?;
    atomic::write(path, &json).map_err(|source| io(path, source))
}

/// The keys of a run and of its model; `fingerprint` is the data's, `guarantees` says how graphs are measured.
pub(super) fn run_keys(
    recipe: &Recipe,
    fingerprint: u64,
    guarantees: bool,
) -> Result<(String, String), TrainError> {
    let family = CATALOGUE.family(recipe.family());
    let sources = family.map_or(Ok(String::new()), |family| family.sources(recipe, CATALOGUE))?;
    let data = format!("{fingerprint:016x}");
    // Recipes of plain values always have JSON.
    let run = serde_json::to_string(recipe).unwrap_or_default();
    let model = serde_json::to_string(&recipe.learnt()).unwrap_or_default();
    let mut parts = vec![run.as_str(), &sources, &data];
    parts.extend(guarantees.then_some("guarantees"));
    Ok((key(&parts), key(&[&model, &sources, &data])))
}

/// The key of a vote.
pub(super) fn vote_key(runs: &[&str], threshold: f64, weighted: bool) -> String {
    let threshold = if weighted { "weighted".to_owned() } else { threshold.to_string() };
    let parts: Vec<&str> = std::iter::once(threshold.as_str()).chain(runs.iter().copied()).collect();
    key(&parts)
}

fn key(parts: &[&str]) -> String {
    let mut h = hash::mix(hash::seed(0), VERSION);
    for part in parts {
        h = hash::mix(h, part.len() as u32);
        for chunk in part.as_bytes().chunks(4) {
            h = hash::mix(h, chunk.iter().fold(0, |word, &byte| word << 8 | u32::from(byte)));
        }
    }
    format!("{:016x}", hash::finish(h))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_depends_on_all_that_matters() {
        let recipe = SHELF.preset(SHELF.default).unwrap();
        let (base, model) = run_keys(&recipe, 1, false).unwrap();
        let with = |key: &str, value: toml::Value| {
            let mut other = recipe.clone();
            other.set(key, value).unwrap();
            run_keys(&other, 1, false).unwrap()
        };
        assert_eq!((base.clone(), model.clone()), run_keys(&recipe, 1, false).unwrap());
        let others = [
            run_keys(&recipe, 2, false).unwrap(),
            with("seed", 2.into()),
            with("templates", "list".into()),
            (vote_key(&[&base], 0.5, false), String::new()),
            (vote_key(&[&base], 0.4, false), String::new()),
            (vote_key(&[&base], 0.5, true), String::new()),
            (vote_key(&[&base, &base], 0.5, false), String::new()),
        ];
        let mended = run_keys(&recipe, 1, true).unwrap();
        assert!(mended.0 != base && mended.1 == model, "how a model is measured trains no other one");
        for (i, other) in others.iter().enumerate() {
            assert!(other.0 != base && other.1 != model);
            assert!(others[..i].iter().all(|earlier| earlier.0 != other.0));
        }
    }

    #[test]
    fn runs_that_only_parse_differently_share_a_model() {
        let keys = |name: &str| run_keys(&SHELF.preset(name).unwrap(), 1, false).unwrap();
        let (naive, bound, one) = (keys("book-m4-nc"), keys("book-m4-lr"), keys("book-m4"));
        assert_ne!(naive.0, bound.0);
        assert_eq!(naive.1, bound.1);
        assert_ne!(one.1, bound.1);
    }

    #[test]
    fn damaged_graphs_are_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        std::fs::write(cache.file("k", "arcs"), r#"[[[0,1,"a"],[1,2,"b"]],[]]"#).unwrap();
        let graphs = cache.graphs("k", &[2, 3]).unwrap();
        assert_eq!((graphs[0].arcs().len(), graphs[1].len()), (2, 3));
        assert!(cache.graphs("k", &[1, 3]).is_none());
        assert!(cache.graphs("k", &[2]).is_none());
        std::fs::write(cache.file("k", "arcs"), r#"[[[0,0,"a"]]]"#).unwrap();
        assert!(cache.graphs("k", &[2]).is_none());
    }
}
