//! The file of an experiment.

use super::error::{ExperimentError, at, known_keys, syntax, take_list, take_table, typed, unknown};
use super::finding::{Finding, findings};
use super::grid::cross;
use super::plot::{PlotPlan, plots};
use super::report::COLUMNS;
use pleach_formats::Format;
use pleach_model::recipe::Recipe;
use pleach_parsers::SHELF;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Sentences to learn from and to measure on.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    /// Its name.
    pub name: String,
    /// The training file, relative to the folder.
    pub train: PathBuf,
    /// The development file; that of training when sentences are held out.
    pub dev: PathBuf,
    /// Every so many-th sentence of the training file is development data and not learnt from.
    pub held_out: Option<usize>,
    /// Only so many of the first training sentences.
    pub limit: Option<usize>,
    /// The share of sentences whose basic trees are not projective, in both files: others beyond it are left out.
    pub crossing: Option<f64>,
    /// The same of graphs whose arcs cross, those from the root left out.
    pub crossing_graphs: Option<f64>,
    /// What is measured is what `pleach parse` gives by default, mended to keep what the training graphs keep; else what
    /// parsers find by themselves.
    pub guarantees: bool,
    /// The format; told from the content when not given.
    pub format: Option<Format>,
}

/// A recipe with the name of its row.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// Made of the recipe's name and the axes' values.
    pub name: String,
    /// What to train.
    pub recipe: Recipe,
}

/// Runs that vote.
#[derive(Clone, Debug, PartialEq)]
pub struct VotePlan {
    /// The row's name.
    pub name: String,
    /// The places of the runs that vote.
    pub runs: Vec<usize>,
    /// An arc needs more than this share of the votes.
    pub threshold: f64,
    /// The weights of members are learnt, for each half of the development sentences from the other half.
    pub weighted: bool,
}

/// A key of recipes whose two values are compared over all pairs of runs that are otherwise the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// What the difference says.
    pub title: String,
    /// The key.
    pub key: String,
    /// The value that should help.
    pub of: Value,
    /// The value that it is compared with.
    pub minus: Value,
    /// Places of the runs: with the first value, with the second.
    pub pairs: Vec<(usize, usize)>,
}

/// A table of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct TablePlan {
    /// Its heading.
    pub title: String,
    /// Names of measures, see [`COLUMNS`].
    pub columns: Vec<String>,
    /// Names of runs and votes; empty for all.
    pub rows: Vec<String>,
    /// Names of data sets; empty for all.
    pub data: Vec<String>,
    /// One table with the data sets side by side, instead of one table for each.
    pub wide: bool,
}

/// A whole experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The file's name without its extension.
    pub name: String,
    /// The heading.
    pub title: String,
    /// Paragraphs under it.
    pub notes: Vec<String>,
    /// Measure each model's speed and memory in a process of its own.
    pub bench: bool,
    /// Where the data is looked for.
    pub folder: PathBuf,
    /// The data sets.
    pub data: Vec<DataSet>,
    /// The rows of the grid.
    pub runs: Vec<RunPlan>,
    /// The ensembles.
    pub votes: Vec<VotePlan>,
    /// Places of the runs whose diversity is shown.
    pub diversity: Vec<usize>,
    /// The comparisons.
    pub contrasts: Vec<Contrast>,
    /// The tables.
    pub tables: Vec<TablePlan>,
    /// The pictures.
    pub plots: Vec<PlotPlan>,
    /// Every run is made with each of these seeds; none for the recipes' own.
    pub seeds: Vec<u32>,
    /// What a paper found, and the rows that would show it.
    pub findings: Vec<Finding>,
}

const TOP: [&str; 15] = [
    "title",
    "bench",
    "notes",
    "folder",
    "diversity",
    "defaults",
    "data",
    "recipes",
    "axes",
    "votes",
    "contrasts",
    "tables",
    "plots",
    "seeds",
    "finding",
];

const DATA_KEYS: [&str; 8] =
    ["train", "dev", "held_out", "limit", "crossing", "crossing_graphs", "guarantees", "format"];

#[derive(Deserialize)]
struct DataKeys {
    train: PathBuf,
    dev: Option<PathBuf>,
    held_out: Option<usize>,
    limit: Option<usize>,
    crossing: Option<f64>,
    crossing_graphs: Option<f64>,
    #[serde(default)]
    guarantees: bool,
    format: Option<String>,
}

#[derive(Deserialize)]
struct VoteKeys {
    runs: Vec<String>,
    #[serde(default = "half")]
    threshold: f64,
    #[serde(default)]
    weighted: bool,
}

fn half() -> f64 {
    0.5
}

#[derive(Deserialize)]
struct ContrastKeys {
    title: Option<String>,
    key: String,
    of: Value,
    minus: Value,
}

#[derive(Deserialize)]
struct TableKeys {
    title: Option<String>,
    columns: Option<Vec<String>>,
    #[serde(default)]
    rows: Vec<String>,
    #[serde(default)]
    data: Vec<String>,
    #[serde(default)]
    wide: bool,
}

impl Experiment {
    /// Reads an experiment's file.
    pub fn read(path: &Path) -> Result<Self, ExperimentError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|source| ExperimentError::Io { file: file.clone(), source })?;
        let mut experiment = Self::parse(&file, &text)?;
        if let Some(name) = path.file_stem() {
            experiment.name = name.to_string_lossy().into_owned();
        }
        experiment.folder = path.parent().unwrap_or(Path::new("")).join(&experiment.folder);
        Ok(experiment)
    }

    /// An experiment from TOML text; `file` is for error messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, ExperimentError> {
        let mut top: Table = text
            .parse()
            .map_err(|error: toml::de::Error| syntax(file, error.message().to_owned() + &at(text, &error)))?;
        known_keys(file, &top, &TOP)?;
        let data = data_sets(file, take_table(file, &mut top, "data")?)?;
        let defaults = take_table(file, &mut top, "defaults")?;
        // A mistake here is to be named here, not where the first run is made of it.
        SHELF.complete(&format!("{file} [defaults]"), defaults.clone())?;
        let recipes = take_table(file, &mut top, "recipes")?;
        let axes = take_table(file, &mut top, "axes")?;
        let runs = cross(file, &defaults, &recipes, &axes)?;
        let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
        let place_of = |place: &str, name: &str| {
            names.iter().position(|known| known == name).ok_or_else(|| unknown(place, "run", name, &names))
        };

        let mut votes = Vec::new();
        for (name, value) in take_table(file, &mut top, "votes")? {
            let place = format!("{file} [votes.{name}]");
            let keys: VoteKeys = typed(&place, value, &["runs", "threshold", "weighted"])?;
            if names.contains(&name) {
                return Err(syntax(&place, "a run has the same name".into()));
            }
            if keys.runs.is_empty() || !(0.0..1.0).contains(&keys.threshold) {
                return Err(syntax(&place, "a vote has runs, and a threshold from 0 to below 1".into()));
            }
            let runs: Result<Vec<usize>, _> = keys.runs.iter().map(|run| place_of(&place, run)).collect();
            votes.push(VotePlan { name, runs: runs?, threshold: keys.threshold, weighted: keys.weighted });
        }
        let diversity = match top.remove("diversity") {
            None | Some(Value::Boolean(false)) => Vec::new(),
            Some(Value::Boolean(true)) => (0..runs.len()).collect(),
            Some(Value::Array(list)) => {
                let place = format!("{file}: diversity");
                let one = |value: &Value| match value {
                    Value::String(name) => place_of(&place, name),
                    other => Err(syntax(&place, format!("expected the name of a run, found {other}"))),
                };
                list.iter().map(one).collect::<Result<_, _>>()?
            }
            Some(other) => {
                let message = format!("'diversity' is true or a list of runs, found {other}");
                return Err(syntax(file, message));
            }
        };
        let contrasts = contrasts(file, take_list(file, &mut top, "contrasts")?, &runs)?;
        let mut rows = names.clone();
        rows.extend(votes.iter().map(|vote| vote.name.clone()));
        let tables = tables(
            &Names::new(file, "tables", &rows, runs.len(), &data),
            take_list(file, &mut top, "tables")?,
        )?;
        let plots =
            plots(&Names::new(file, "plots", &rows, runs.len(), &data), take_list(file, &mut top, "plots")?)?;
        let findings = findings(
            &Names::new(file, "finding", &rows, runs.len(), &data),
            take_list(file, &mut top, "finding")?,
        )?;
        let seeds = seeds(file, top.remove("seeds"), &runs)?;
        let text_of = |place: &str, value: Option<Value>| match value {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(syntax(file, format!("'{place}' is a text, found {other}"))),
        };
        let notes = match top.remove("notes") {
            Some(Value::Array(list)) => {
                let texts: Result<Vec<Option<String>>, _> =
                    list.into_iter().map(|value| text_of("notes", Some(value))).collect();
                texts?.into_iter().flatten().collect()
            }
            other => text_of("notes", other)?.into_iter().collect(),
        };
        let bench = match top.remove("bench") {
            None => false,
            Some(Value::Boolean(bench)) => bench,
            Some(other) => return Err(syntax(file, format!("'bench' is true or false, found {other}"))),
        };
        let name =
            Path::new(file).file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        Ok(Experiment {
            title: text_of("title", top.remove("title"))?.unwrap_or_else(|| name.clone()),
            name,
            notes,
            bench,
            folder: text_of("folder", top.remove("folder"))?.unwrap_or_default().into(),
            data,
            runs,
            votes,
            diversity,
            contrasts,
            tables,
            plots,
            seeds,
            findings,
        })
    }

    /// The names of runs, then of votes.
    pub(super) fn row_names(&self) -> Vec<&str> {
        let votes = self.votes.iter().map(|vote| vote.name.as_str());
        self.runs.iter().map(|run| run.name.as_str()).chain(votes).collect()
    }

    /// How many times every run is made.
    pub fn times(&self) -> usize {
        self.seeds.len().max(1)
    }

    /// The recipe of a run with one of the seeds.
    pub fn recipe(&self, run: usize, seed: usize) -> Result<Recipe, ExperimentError> {
        let mut recipe = self.runs[run].recipe.clone();
        if let Some(&seed) = self.seeds.get(seed) {
            recipe.set_seed(seed)?;
        }
        Ok(recipe)
    }

    /// The same experiment on some of its data sets, with the first seeds only: what a report of unfinished work is of.
    pub fn part(&self, sets: &[usize], seeds: usize) -> Self {
        let mut part = self.clone();
        part.data = sets.iter().map(|&set| self.data[set].clone()).collect();
        part.seeds.truncate(seeds);
        part
    }
}

/// The most times that every run is made.
const MOST_SEEDS: usize = 100;

/// `seeds = 3` are the seeds 1, 2 and 3; a list says which.
fn seeds(file: &str, value: Option<Value>, runs: &[RunPlan]) -> Result<Vec<u32>, ExperimentError> {
    let wrong =
        || syntax(file, format!("'seeds' is a number up to {MOST_SEEDS} or a list of different seeds"));
    let seeds: Vec<u32> = match value {
        None => return Ok(Vec::new()),
        Some(Value::Integer(count)) => {
            (1..=u32::try_from(count).map_err(|_| wrong())?).take(MOST_SEEDS + 1).collect()
        }
        Some(Value::Array(list)) => {
            let one = |value: &Value| value.as_integer().and_then(|seed| u32::try_from(seed).ok());
            list.iter().map(one).collect::<Option<_>>().ok_or_else(wrong)?
        }
        Some(_) => return Err(wrong()),
    };
    let repeated = seeds.iter().enumerate().any(|(i, seed)| seeds[..i].contains(seed));
    if seeds.is_empty() || seeds.len() > MOST_SEEDS || repeated {
        return Err(wrong());
    }
    for run in runs {
        if !run.recipe.clone().set_seed(seeds[0])? {
            return Err(syntax(file, format!("the recipe of '{}' has no seed", run.name)));
        }
    }
    Ok(seeds)
}

fn data_sets(file: &str, table: Table) -> Result<Vec<DataSet>, ExperimentError> {
    let mut sets = Vec::new();
    for (name, value) in table {
        let place = format!("{file} [data.{name}]");
        let keys: DataKeys = typed(&place, value, &DATA_KEYS)?;
        let format = keys.format.map(|name| name.parse::<Format>()).transpose();
        let format = format.map_err(|error| syntax(&place, error.to_string()))?;
        let DataKeys { train, held_out, limit, crossing, crossing_graphs, guarantees, .. } = keys;
        for (key, share) in [("crossing", crossing), ("crossing_graphs", crossing_graphs)] {
            if share.is_some_and(|share| !(share > 0.0 && share <= 1.0)) {
                return Err(syntax(&place, format!("'{key}' is a share, above 0 and up to 1")));
            }
        }
        let dev = match (keys.dev, held_out) {
            (Some(dev), None) => dev,
            (None, Some(2..)) => train.clone(),
            _ => {
                let message = "either 'dev' is a file, or every so many-th training sentence ('held_out', 2 or more) is development data";
                return Err(syntax(&place, message.into()));
            }
        };
        let set =
            DataSet { name, train, dev, held_out, limit, crossing, crossing_graphs, guarantees, format };
        sets.push(set);
    }
    if sets.is_empty() {
        return Err(syntax(file, "there is no data set ([data.NAME])".into()));
    }
    Ok(sets)
}

fn contrasts(file: &str, list: Vec<Value>, runs: &[RunPlan]) -> Result<Vec<Contrast>, ExperimentError> {
    let place = format!("{file} [[contrasts]]");
    let recipes: Vec<&Table> = runs.iter().map(|run| run.recipe.table()).collect();
    let mut contrasts = Vec::new();
    for value in list {
        let keys: ContrastKeys = typed(&place, value, &["title", "key", "of", "minus"])?;
        if let Some(recipe) = recipes.first()
            && !recipe.contains_key(&keys.key)
        {
            let known: Vec<String> = recipe.keys().cloned().collect();
            return Err(unknown(&place, "key", &keys.key, &known));
        }
        // The preset's name repeats what the other keys say.
        let rest = |recipe: &Table| -> Table {
            let other = |(key, _): &(&String, &Value)| key.as_str() != "preset" && **key != keys.key;
            recipe.iter().filter(other).map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        let mut pairs = Vec::new();
        for (a, first) in
            recipes.iter().enumerate().filter(|(_, recipe)| recipe.get(&keys.key) == Some(&keys.of))
        {
            let others =
                recipes.iter().enumerate().filter(|(_, recipe)| recipe.get(&keys.key) == Some(&keys.minus));
            pairs.extend(others.filter(|(_, second)| rest(first) == rest(second)).map(|(b, _)| (a, b)));
        }
        if pairs.is_empty() {
            let (key, of, minus) = (&keys.key, &keys.of, &keys.minus);
            let message = format!("no two runs differ in '{key}' only, {of} in one and {minus} in the other");
            return Err(syntax(&place, message));
        }
        let title = keys.title.unwrap_or_else(|| format!("{}: {} minus {}", keys.key, keys.of, keys.minus));
        contrasts.push(Contrast { title, key: keys.key, of: keys.of, minus: keys.minus, pairs });
    }
    Ok(contrasts)
}

/// The names that tables and pictures may use.
pub(super) struct Names<'a> {
    /// The file and the list in it.
    pub place: String,
    pub columns: Vec<String>,
    /// Runs, then votes.
    pub rows: &'a [String],
    /// How many of the rows are runs.
    pub runs: usize,
    pub sets: Vec<String>,
}

impl<'a> Names<'a> {
    fn new(file: &str, list: &str, rows: &'a [String], runs: usize, data: &[DataSet]) -> Self {
        Names {
            place: format!("{file} [[{list}]]"),
            columns: COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect(),
            rows,
            runs,
            sets: data.iter().map(|set| set.name.clone()).collect(),
        }
    }

    /// Names the first one that is not known.
    pub fn check(
        &self,
        what: &'static str,
        names: &[String],
        known: &[String],
    ) -> Result<(), ExperimentError> {
        match names.iter().find(|name| !known.contains(name)) {
            Some(name) => Err(unknown(&self.place, what, name, known)),
            None => Ok(()),
        }
    }
}

fn tables(names: &Names<'_>, list: Vec<Value>) -> Result<Vec<TablePlan>, ExperimentError> {
    let mut tables = Vec::new();
    for value in list {
        let keys: TableKeys = typed(&names.place, value, &["title", "columns", "rows", "data", "wide"])?;
        let table = TablePlan {
            title: keys.title.unwrap_or_else(|| "Scores".into()),
            columns: keys.columns.unwrap_or_else(|| names.columns.clone()),
            rows: keys.rows,
            data: keys.data,
            wide: keys.wide,
        };
        names.check("column", &table.columns, &names.columns)?;
        names.check("run or vote", &table.rows, names.rows)?;
        names.check("data set", &table.data, &names.sets)?;
        tables.push(table);
    }
    if tables.is_empty() {
        tables.push(TablePlan {
            title: "Scores".into(),
            columns: names.columns.clone(),
            rows: Vec::new(),
            data: Vec::new(),
            wide: false,
        });
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = "[data.d]\ntrain = 't'\ndev = 'd'\n";

    fn parse(text: &str) -> Result<Experiment, ExperimentError> {
        Experiment::parse("x.toml", &format!("{text}\n{DATA}"))
    }

    /// 200 bytes could ask for a billion runs, which were all made before anything was said.
    #[test]
    fn axes_that_multiply_without_end_are_refused() {
        let axis =
            |key: &str| format!("{key} = [{}]\n", (1..=99).map(|i| format!("{i},")).collect::<String>());
        let axes: String = ["beam", "epochs", "seed", "batch"].map(axis).concat();
        let error = parse(&format!("[axes]\n{axes}")).unwrap_err().to_string();
        assert!(error.contains("more than 10000 runs"), "{error}");
    }

    #[test]
    fn recipes_and_axes_are_crossed_in_the_order_of_the_file() {
        let plan =
            parse("[recipes.b]\nsystem='ss'\n[recipes.a]\n[axes]\nreversed=[false,true]\nbeam=[1,8]\n")
                .unwrap();
        let names: Vec<&str> = plan.runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "b beam=1",
                "b beam=8",
                "b reversed beam=1",
                "b reversed beam=8",
                "a beam=1",
                "a beam=8",
                "a reversed beam=1",
                "a reversed beam=8"
            ]
        );
        assert_eq!(
            (plan.runs[3].recipe.flag("reversed"), plan.runs[3].recipe.number("beam")),
            (true, Some(8))
        );
        assert_eq!((plan.runs[0].recipe.table()["system"].as_str(), plan.tables.len()), (Some("ss"), 1));
    }

    #[test]
    fn contrasts_pair_runs_that_differ_in_one_key() {
        let text = "[axes]\npreset=['st-standard','st-combined','ss-combined','ss-standard','st-combined-rev']\n\
                    [[contrasts]]\nkey='combined'\nof=true\nminus=false";
        let plan = parse(text).unwrap();
        assert_eq!(plan.contrasts[0].pairs, [(1, 0), (2, 3)]);
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert!(error("titel = 'x'").starts_with("x.toml: no key 'titel' (did you mean 'title'?)"));
        assert!(error("[recipes.a]\nbeem = 1").starts_with("x.toml [recipes.a]: no key 'beem'"));
        assert!(error("[axes]\nbeem = [1]").starts_with("x.toml [axes]: no key 'beem'"));
        assert!(error("[recipes.st]\n[votes.v]\nruns=['s']").contains("no run 's' (did you mean 'st'?)"));
        assert!(error("[[tables]]\ncolumns=['LX']").contains("no column 'LX'"));
        assert!(error("[[contrasts]]\nkey='beam'\nof=1\nminus=2").contains("no two runs differ"));
        assert!(error("[defaults]\nbeem = 1\n[recipes.a]").starts_with("x.toml [defaults]: no key 'beem'"));
        assert!(error("[defaults]\nbeam = 0").contains("at least 1"));
        assert!(error("title = 'x'\na = ]").contains("(line 2)"));
        assert!(Experiment::parse("x.toml", "title = 'x'").unwrap_err().to_string().contains("no data set"));
    }
}
