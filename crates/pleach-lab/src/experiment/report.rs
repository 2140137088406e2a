//! The report of an experiment, as Markdown and as JSON. No dates: the same runs give the same text.

use super::cache::RunRecord;
use super::finding::Verdict;
use super::mean::spread;
use super::page::one;
use super::plan::{Contrast, Experiment, TablePlan};
use super::run::Results;
use crate::diversity::{grid, round};
use pleach_model::Scores;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The columns of tables and what they mean.
pub const COLUMNS: [(&str, &str); 27] = [
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
    (
        "URL",
        "unlabelled recall of local arcs: those that gold doesn't mark as long-distance, or, where nothing is marked, into words with one head in gold",
    ),
    ("LRL", "labelled recall of local arcs"),
    ("URNL", "unlabelled recall of non-local arcs"),
    ("LRNL", "labelled recall of non-local arcs"),
    (
        "UPX",
        "unlabelled precision of crossing arcs: of those that cross another one of the parser's, how many gold has",
    ),
    (
        "URX",
        "unlabelled recall of crossing arcs: of those that cross another one in gold, how many the parser has",
    ),
    ("LPX", "labelled precision of crossing arcs"),
    ("LRX", "labelled recall of crossing arcs"),
    ("tokens/s", "words parsed per second of processor time"),
    ("train s", "seconds of training"),
    ("train CPU s", "processor seconds of training, over all cores"),
    ("MB", "size of the model, in millions of bytes"),
    ("memory", "the most memory of a process that parses the development data, in millions of bytes"),
    ("exponent", "time per sentence grows with its length to this power"),
    ("epoch", "the epoch that was best on dev"),
];

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
        name => {
            result.scores.get(name).or_else(|| result.recalls.get(name)).map(|value| (value, 2, Some(true)))
        }
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
    /// The report as Markdown; `command` is what makes it.
    pub fn markdown(&self, results: &Results, command: &str) -> String {
        let mut text = format!("# {}\n", self.title);
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        let _ = write!(text, "\n    {command}\n\n");
        let commit = commits(results.records()).map_or(String::new(), |commit| format!(", commit {commit}"));
        let _ = writeln!(text, "Pleach {}{commit}. {}\n", env!("CARGO_PKG_VERSION"), self.common_keys());
        text.push_str(&self.data_table(results));
        if self.times() > 1 {
            let seeds: Vec<String> = self.seeds.iter().map(u32::to_string).collect();
            let _ = write!(
                text,
                "\nEvery run with the seeds {}: means, ± standard deviations.\n",
                seeds.join(", ")
            );
        }
        self.findings_table(results, &mut text);
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
            let share = |share: Option<f64>, what: &str| {
                share.map_or_else(String::new, |share| format!(", {:.1} % {what}", 100.0 * share))
            };
            let crossing =
                share(set.crossing, "not projective") + &share(set.crossing_graphs, "crossing graphs");
            rows.push(vec![
                set.name.clone(),
                set.train.display().to_string(),
                format!("{first}{}{crossing}", size.train.0),
                size.train.1.to_string(),
                set.held_out
                    .map_or_else(|| set.dev.display().to_string(), |step| format!("every {step}th of train"))
                    + if set.guarantees { ", guarantees" } else { "" },
                size.dev.0.to_string(),
                size.dev.1.to_string(),
            ]);
        }
        grid(&rows)
    }

    /// The rows of a table: their names and their places among runs and votes.
    fn rows(&self, table: &TablePlan) -> Vec<(&str, usize)> {
        let all: Vec<(&str, usize)> =
            self.row_names().into_iter().enumerate().map(|(place, name)| (name, place)).collect();
        if table.rows.is_empty() {
            return all;
        }
        let find = |name: &String| all.iter().find(|(row, _)| row == name).copied();
        table.rows.iter().filter_map(find).collect()
    }

    /// The mean record of a row, a run's or a vote's.
    fn record<'a>(&self, results: &'a Results, set: usize, row: usize) -> &'a RunRecord {
        match row.checked_sub(self.runs.len()) {
            None => &results.runs[set][row],
            Some(vote) => &results.votes[set][vote],
        }
    }

    fn findings_table(&self, results: &Results, text: &mut String) {
        if self.findings.is_empty() {
            return;
        }
        text.push_str("\n## What the paper says, and what shows here\n\n");
        text.push_str("| finding | measure | paper | here | verdict |\n| --- | --- | --- | --- | --- |\n");
        for (finding, shown) in self.findings.iter().zip(&results.findings) {
            let here: Vec<String> = shown.iter().map(one).collect();
            let verdict =
                Verdict::together(shown.iter().map(|shown| shown.verdict)).map_or("open", Verdict::word);
            let (says, measure, paper) = (&finding.says, &finding.measure, &finding.paper);
            let _ = writeln!(text, "| {says} | {measure} | {paper} | {} | {verdict} |", here.join("; "));
        }
        text.push_str("\nMean differences over seeds, ± their standard deviation; p is that of the paired bootstrap over sentences.\n");
    }

    fn table(&self, table: &TablePlan, results: &Results, text: &mut String) {
        let _ = write!(text, "\n## {}\n", table.title);
        let rows = self.rows(table);
        let every = || (0..self.data.len()).flat_map(|set| rows.iter().map(move |&(_, row)| (set, row)));
        // A column that none of the rows has a value for says nothing.
        let has = |column: &&String| {
            every().any(|(set, row)| cell(self.record(results, set, row), column).is_some())
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
            for &(name, row) in &rows {
                let mut line = vec![name.to_owned()];
                for &set in &group {
                    for column in &columns {
                        let others = rows.iter().map(|&(_, row)| self.record(results, set, row));
                        let mut text = formatted(self.record(results, set, row), column, others);
                        let score =
                            cell(self.record(results, set, row), column).is_some_and(|cell| cell.2.is_some());
                        if let (true, Some(spread)) = (score, spread(&results.seeds[set][row], column)) {
                            let _ = write!(text, " ± {spread:.2}");
                        }
                        line.push(text);
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
            let how = match vote.weighted {
                true => "votes and scores, weighted for each half of dev by the other,".to_owned(),
                false => format!("more than {} of the votes", vote.threshold),
            };
            let _ = write!(text, "\n{}: {how} of {}.\n", vote.name, runs.join(", "));
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

    /// The report as JSON; `command` is what makes it.
    pub fn json(&self, results: &Results, command: &str) -> Value {
        let mut data = Map::new();
        for (set, size) in self.data.iter().zip(&results.sizes) {
            data.insert(
                set.name.clone(),
                json!({
                    "train": set.train, "dev": set.dev, "held_out": set.held_out, "limit": set.limit,
                    "crossing": set.crossing, "crossing_graphs": set.crossing_graphs, "guarantees": set.guarantees,
                    "train_sentences": size.train.0, "train_words": size.train.1,
                    "dev_sentences": size.dev.0, "dev_words": size.dev.1,
                }),
            );
        }
        let row = |name: &str, set: usize, place: usize| {
            let (record, seeds) = (self.record(results, set, place), &results.seeds[set][place]);
            let mut value = json!({
                "name": name, "data": self.data[set].name, "result": rounded(record),
                "recipe": record.recipe, "pleach": record.pleach, "commit": record.commit, "key": record.key,
            });
            if seeds.len() > 1 {
                let one = |(record, seed): (&RunRecord, &u32)| {
                    json!({
                        "seed": seed, "result": rounded(record), "commit": record.commit, "key": record.key,
                    })
                };
                value["seeds"] = seeds.iter().zip(&self.seeds).map(one).collect();
            }
            value
        };
        let (mut runs, mut votes, mut diversity) = (Vec::new(), Vec::new(), Map::new());
        for set in 0..self.data.len() {
            runs.extend(self.runs.iter().enumerate().map(|(place, run)| row(&run.name, set, place)));
            for (place, vote) in self.votes.iter().enumerate() {
                let mut value = row(&vote.name, set, self.runs.len() + place);
                let members: Vec<&str> = vote.runs.iter().map(|&run| self.runs[run].name.as_str()).collect();
                value["runs"] = json!(members);
                value["threshold"] = json!((!vote.weighted).then_some(vote.threshold));
                value["weighted"] = json!(vote.weighted);
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
        let findings: Vec<Value> = self
            .findings
            .iter()
            .zip(&results.findings)
            .map(|(finding, shown)| {
                json!({
                    "says": finding.says, "of": finding.of, "better": finding.better, "than": finding.than,
                    "measure": finding.measure, "paper": finding.paper, "claim": finding.claim,
                    "within": finding.within, "data": shown,
                    "verdict": Verdict::together(shown.iter().map(|shown| shown.verdict)),
                })
            })
            .collect();
        json!({
            "experiment": self.name,
            "title": self.title,
            "notes": self.notes,
            "command": command,
            "pleach": env!("CARGO_PKG_VERSION"),
            "commit": commits(results.records()),
            "data": data,
            "runs": runs,
            "votes": votes,
            "contrasts": contrasts,
            "findings": findings,
            "seeds": self.seeds,
            "diversity": diversity,
        })
    }
}

/// The commits that the runs were made with, in the order of the runs; those of some may be older than those of others.
fn commits<'a>(records: impl IntoIterator<Item = &'a RunRecord>) -> Option<String> {
    let mut commits: Vec<&str> = Vec::new();
    for record in records {
        commits.extend(record.commit.as_deref().filter(|commit| !commits.contains(commit)));
    }
    (!commits.is_empty()).then(|| commits.join(", "))
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
        if let Some(recalls) = map.get_mut("recalls") {
            *recalls = numbers(recalls.take());
        }
        for (_, number) in map.iter_mut() {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64()) {
                *number = json!(round(float, 3));
            }
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_the_commits_of_its_runs() {
        let record =
            |commit: Option<&str>| RunRecord { commit: commit.map(str::to_owned), ..RunRecord::default() };
        let records = [record(Some("b")), record(None), record(Some("a+")), record(Some("b"))];
        assert_eq!(commits(&records).as_deref(), Some("b, a+"));
        assert_eq!(commits(&records[1..2]), None);
    }
}
