//! The report of an experiment, as Markdown and as JSON. No dates: the same runs give the same text.

use super::cache::RunRecord;
use super::plan::{Contrast, Experiment, TablePlan};
use super::run::Results;
use crate::diversity::{grid, round};
use pleach_model::Scores;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The columns of tables and what they mean.
pub const COLUMNS: [(&str, &str); 19] = [
    ("LP", "labelled precision, in percent, arcs from the root counted"),
    ("LR", "labelled recall"),
    ("LF", "labelled F"),
    ("UP", "unlabelled precision"),
    ("UR", "unlabelled recall"),
    ("UF", "unlabelled F"),
    ("LAS", "words with the right head and label in the basic tree"),
    ("UAS", "words with the right head in the basic tree"),
    ("CUR", "crossing arcs of the basic trees whose words have the right head, in percent"),
    ("NPS", "training sentences whose trees the system can build and learns from, in percent"),
    ("exact", "sentences with all arcs and labels right, in percent"),
    ("UEM", "sentences with all arcs right, labels put aside, in percent"),
    ("tokens/s", "words parsed per second of processor time"),
    ("train s", "seconds of training"),
    ("train CPU s", "processor seconds of training, over all cores"),
    ("MB", "size of the model, in millions of bytes"),
    ("memory", "the most memory of a process that parses the development data, in millions of bytes"),
    ("exponent", "time per sentence grows with its length to this power"),
    ("epoch", "the epoch that was best on dev"),
];

/// How a report came about.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The command line.
    pub command: String,
    /// The commit of the working folder, if known.
    pub commit: Option<String>,
}

/// A cell: the number, its digits, and whether more is better.
pub(super) fn cell(record: &RunRecord, column: &str) -> Option<(f64, usize, Option<bool>)> {
    let result = &record.result;
    match column {
        "tokens/s" => {
            let alone = result.alone.map(|alone| alone.tokens_per_second);
            Some((alone.unwrap_or(result.tokens_per_second), 0, None))
        }
        "memory" => {
            let bytes = result.alone.and_then(|alone| alone.peak_memory_bytes);
            bytes.map(|bytes| (bytes as f64 / 1e6, 0, None))
        }
        "exponent" => result.alone.and_then(|alone| alone.exponent).map(|value| (value, 2, None)),
        "train s" => Some((result.train_seconds, 0, None)),
        "train CPU s" => Some((result.train_cpu_seconds, 0, None)),
        "MB" => Some((result.model_bytes as f64 / 1e6, 1, None)),
        "NPS" => result.trained_on.map(|share| (share, 2, None)),
        "epoch" => result.epoch.map(|epoch| (epoch as f64, 0, None)),
        name => result.scores.get(name).map(|value| (value, 2, Some(true))),
    }
}

/// The mean difference of scores over pairs of runs, and in how many of them the first is the better one.
fn difference(pairs: &[(&Scores, &Scores)]) -> (Scores, usize) {
    let n = pairs.len().max(1) as f64;
    let mut differences = pairs.iter().map(|(a, b)| a.zip(b, |a, b| a - b));
    let first = differences.next().unwrap_or_default();
    let sum = differences.fold(first, |sum, next| sum.zip(&next, |a, b| a + b));
    let better = pairs.iter().filter(|(a, b)| a.main() > b.main()).count();
    (sum.zip(&sum, |value, _| value / n), better)
}

impl Experiment {
    /// The report as Markdown.
    pub fn markdown(&self, results: &Results, origin: &Origin) -> String {
        let mut text = format!("# {}\n", self.title);
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        let _ = write!(text, "\n    {}\n\n", origin.command);
        let commit = origin.commit.as_deref().map_or(String::new(), |commit| format!(", commit {commit}"));
        let _ = writeln!(text, "Pleach {}{commit}. {}\n", env!("CARGO_PKG_VERSION"), self.common_keys());
        text.push_str(&self.data_table(results));
        for table in &self.tables {
            self.table(table, results, &mut text);
        }
        for (place, plot) in self.plots.iter().enumerate() {
            let _ = write!(text, "\n![{}]({})\n", plot.title, self.plot_file(place));
        }
        self.votes_table(results, &mut text);
        for contrast in &self.contrasts {
            self.contrast_table(contrast, results, &mut text);
        }
        for (set, diversity) in self.data.iter().zip(&results.diversity) {
            let Some(diversity) = diversity else { continue };
            let _ = write!(text, "\n## Diversity on {}\n\n", set.name);
            text.push_str("2|A∩B| / (|A|+|B|) over the arcs of two models, with their labels:\n\n");
            text.push_str(&diversity.markdown(true));
            text.push_str("\nand without:\n\n");
            text.push_str(&diversity.markdown(false));
        }
        text
    }

    /// The keys that all recipes share, as one sentence.
    fn common_keys(&self) -> String {
        let recipes: Vec<Value> =
            self.runs.iter().filter_map(|run| serde_json::to_value(&run.recipe).ok()).collect();
        let Some(Value::Object(first)) = recipes.first() else { return String::new() };
        let same = |key: &str, value: &Value| recipes.iter().all(|recipe| recipe.get(key) == Some(value));
        let shared: Vec<String> = first
            .iter()
            .filter(|(key, value)| *value != "" && same(key, value))
            .map(|(key, value)| match value {
                Value::String(text) => format!("{key} {text}"),
                other => format!("{key} {other}"),
            })
            .collect();
        format!("All runs: {}.", shared.join(", "))
    }

    fn data_table(&self, results: &Results) -> String {
        let header = ["data", "train", "sentences", "words", "dev", "sentences", "words"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for (set, size) in self.data.iter().zip(&results.sizes) {
            let first = set.limit.filter(|&limit| limit <= size.train.0).map_or("", |_| "first ");
            rows.push(vec![
                set.name.clone(),
                set.train.display().to_string(),
                format!("{first}{}", size.train.0),
                size.train.1.to_string(),
                set.dev.display().to_string(),
                size.dev.0.to_string(),
                size.dev.1.to_string(),
            ]);
        }
        grid(&rows)
    }

    /// The rows of a table: names with the record of each of the data sets.
    fn rows<'a>(&'a self, table: &TablePlan, results: &'a Results) -> Vec<(&'a str, Vec<&'a RunRecord>)> {
        let sets = 0..self.data.len();
        let runs = self.runs.iter().enumerate().map(|(i, run)| {
            (run.name.as_str(), sets.clone().map(|set| &results.runs[set][i]).collect::<Vec<_>>())
        });
        let votes = self.votes.iter().enumerate().map(|(i, vote)| {
            (vote.name.as_str(), sets.clone().map(|set| &results.votes[set][i]).collect::<Vec<_>>())
        });
        let all: Vec<_> = runs.chain(votes).collect();
        if table.rows.is_empty() {
            return all;
        }
        let find = |name: &String| all.iter().find(|(row, _)| row == name).cloned();
        table.rows.iter().filter_map(find).collect()
    }

    fn table(&self, table: &TablePlan, results: &Results, text: &mut String) {
        let _ = write!(text, "\n## {}\n", table.title);
        let rows = self.rows(table, results);
        // A column that none of the rows has a value for says nothing.
        let has = |column: &&String| {
            rows.iter().flat_map(|(_, records)| records).any(|record| cell(record, column).is_some())
        };
        let columns: Vec<&String> = table.columns.iter().filter(has).collect();
        let sets: Vec<usize> = (0..self.data.len())
            .filter(|&set| table.data.is_empty() || table.data.contains(&self.data[set].name))
            .collect();
        let groups: Vec<Vec<usize>> =
            if table.wide { vec![sets] } else { sets.iter().map(|&set| vec![set]).collect() };
        for group in groups {
            let mut header = vec![String::new()];
            for &set in &group {
                let name = |column: &&String| match table.wide {
                    true => format!("{} {column}", self.data[set].name),
                    false => (*column).clone(),
                };
                header.extend(columns.iter().map(name));
            }
            if let (false, [set]) = (table.wide, group.as_slice()) {
                let _ = write!(text, "\n### {}\n", self.data[*set].name);
            }
            let mut lines = vec![header];
            for (name, records) in &rows {
                let mut line = vec![(*name).to_owned()];
                for &set in &group {
                    for column in &columns {
                        let others = rows.iter().map(|(_, records)| records[set]);
                        line.push(formatted(records[set], column, others));
                    }
                }
                lines.push(line);
            }
            let _ = write!(text, "\n{}", grid(&lines));
        }
        let meaning: Vec<String> = COLUMNS
            .iter()
            .filter(|(name, _)| columns.iter().any(|column| column == name))
            .map(|(name, meaning)| format!("{name}: {meaning}"))
            .collect();
        let _ = write!(text, "\n{}.\n", meaning.join("; "));
    }

    fn votes_table(&self, results: &Results, text: &mut String) {
        if self.votes.is_empty() {
            return;
        }
        let header = ["vote", "data", "LF", "best single", "its LF", "gain"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for (i, vote) in self.votes.iter().enumerate() {
            for (set, records) in self.data.iter().zip(results.votes.iter().zip(&results.runs)) {
                let lf = records.0[i].result.scores.main();
                let Some((name, best)) = self.best(records.1) else { continue };
                rows.push(vec![
                    vote.name.clone(),
                    set.name.clone(),
                    format!("{lf:.2}"),
                    name.to_owned(),
                    format!("{best:.2}"),
                    format!("{:+.2}", lf - best),
                ]);
            }
        }
        let _ = write!(text, "\n## Votes against the best single model\n\n{}", grid(&rows));
        for vote in &self.votes {
            let runs: Vec<&str> = vote.runs.iter().map(|&run| self.runs[run].name.as_str()).collect();
            let share = vote.threshold;
            let _ = write!(text, "\n{}: more than {share} of the votes of {}.\n", vote.name, runs.join(", "));
        }
    }

    fn best(&self, records: &[RunRecord]) -> Option<(&str, f64)> {
        let scores = records.iter().map(|record| record.result.scores.main());
        let best = self.runs.iter().zip(scores).max_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(run, lf)| (run.name.as_str(), lf))
    }

    /// The differences by data set, and over all.
    fn contrast(&self, contrast: &Contrast, results: &Results) -> Vec<(String, usize, Scores, usize)> {
        let mut all = Vec::new();
        let mut rows = Vec::new();
        for (set, records) in self.data.iter().zip(&results.runs) {
            let scores = |&(a, b): &(usize, usize)| (&records[a].result.scores, &records[b].result.scores);
            let pairs: Vec<(&Scores, &Scores)> = contrast.pairs.iter().map(scores).collect();
            let (mean, better) = difference(&pairs);
            rows.push((set.name.clone(), pairs.len(), mean, better));
            all.extend(pairs);
        }
        if rows.len() > 1 {
            let (mean, better) = difference(&all);
            rows.push(("all".to_owned(), all.len(), mean, better));
        }
        rows
    }

    fn contrast_table(&self, contrast: &Contrast, results: &Results, text: &mut String) {
        let differences = self.contrast(contrast, results);
        let names: Vec<String> = match differences.first() {
            Some((_, _, mean, _)) => mean.iter().map(|(name, _)| name.to_owned()).collect(),
            None => Vec::new(),
        };
        let main = names.first().cloned().unwrap_or_default();
        let mut header = vec!["data".to_owned(), "pairs".to_owned()];
        header.extend(names);
        header.push(format!("{main} better in"));
        let mut rows = vec![header];
        for (name, pairs, mean, better) in differences {
            let mut row = vec![name, pairs.to_string()];
            row.extend(mean.iter().map(|(_, value)| format!("{value:+.2}")));
            row.push(format!("{better} of {pairs}"));
            rows.push(row);
        }
        let Contrast { title, key, of, minus, .. } = contrast;
        let _ =
            write!(text, "\n## {title}\n\nMean differences, `{key}` {of} minus {minus}:\n\n{}", grid(&rows));
    }

    /// The report as JSON.
    pub fn json(&self, results: &Results, origin: &Origin) -> Value {
        let mut data = Map::new();
        for (set, size) in self.data.iter().zip(&results.sizes) {
            data.insert(
                set.name.clone(),
                json!({
                    "train": set.train, "dev": set.dev, "limit": set.limit,
                    "train_sentences": size.train.0, "train_words": size.train.1,
                    "dev_sentences": size.dev.0, "dev_words": size.dev.1,
                }),
            );
        }
        let row = |name: &str, set: usize, record: &RunRecord| {
            json!({
                "name": name, "data": self.data[set].name, "result": rounded(record),
                "recipe": record.recipe, "pleach": record.pleach, "commit": record.commit, "key": record.key,
            })
        };
        let (mut runs, mut votes, mut diversity) = (Vec::new(), Vec::new(), Map::new());
        for set in 0..self.data.len() {
            let records = self.runs.iter().zip(&results.runs[set]);
            runs.extend(records.map(|(run, record)| row(&run.name, set, record)));
            for (vote, record) in self.votes.iter().zip(&results.votes[set]) {
                let mut value = row(&vote.name, set, record);
                let members: Vec<&str> = vote.runs.iter().map(|&run| self.runs[run].name.as_str()).collect();
                value["runs"] = json!(members);
                value["threshold"] = json!(vote.threshold);
                votes.push(value);
            }
            if let Some(found) = &results.diversity[set] {
                diversity.insert(self.data[set].name.clone(), found.json());
            }
        }
        let contrasts: Vec<Value> = self
            .contrasts
            .iter()
            .map(|contrast| {
                let rows: Vec<Value> = self
                    .contrast(contrast, results)
                    .into_iter()
                    .map(|(data, pairs, mean, better)| {
                        json!({ "data": data, "pairs": pairs, "mean": numbers(json!(mean)), "LF_better": better })
                    })
                    .collect();
                let Contrast { title, key, of, minus, .. } = contrast;
                json!({ "title": title, "key": key, "of": of, "minus": minus, "rows": rows })
            })
            .collect();
        json!({
            "experiment": self.name,
            "title": self.title,
            "notes": self.notes,
            "command": origin.command,
            "pleach": env!("CARGO_PKG_VERSION"),
            "commit": origin.commit,
            "data": data,
            "runs": runs,
            "votes": votes,
            "contrasts": contrasts,
            "diversity": diversity,
        })
    }
}

/// One cell's text; the best score of a column is bold.
fn formatted<'a>(record: &RunRecord, column: &str, all: impl Iterator<Item = &'a RunRecord>) -> String {
    let Some((value, digits, better)) = cell(record, column) else { return String::new() };
    let text = format!("{value:.digits$}");
    let shown: Vec<String> = all
        .filter_map(|other| cell(other, column))
        .filter(|other| other.0 > value)
        .map(|other| format!("{:.digits$}", other.0))
        .collect();
    // What looks the same is equally good.
    if better == Some(true) && shown.iter().all(|other| *other == text) {
        format!("**{text}**")
    } else {
        text
    }
}

/// A record's result with as many digits as mean something.
fn rounded(record: &RunRecord) -> Value {
    numbers(json!(record.result))
}

fn numbers(mut value: Value) -> Value {
    if let Value::Object(map) = &mut value {
        for (_, number) in map.iter_mut() {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64()) {
                *number = json!(round(float, 3));
            }
        }
    }
    value
}
