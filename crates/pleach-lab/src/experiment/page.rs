//! The page of all findings, made from the files of experiments and the reports that there are. Nothing of it is written
//! by hand but the words of its file:
//!
//! ```toml
//! title = "What the papers found"
//! notes = ["…"]
//! closing = "…"
//!
//! [[papers]]
//! key = "zhang-2016"                    # the `of` of findings
//! title = "Zhang and others 2016"
//! notes = ["…"]
//!
//! [[papers.claims]]                     # a line of the table that the page begins with
//! says = "Combined transitions are better than standard ones"
//! place = "Figure 10"
//! paper = "+0.74 LF"
//! rests_on = [["zhang-2016-all", "combined transitions are better"]]   # experiments and their findings
//! why = "…"                             # where the verdict is not a plain yes
//!
//! [[papers.elsewhere]]                  # what other commands measure, without a verdict
//! says = "Three trees hold nearly all graphs"
//! paper = "99.55 %"
//! here = "[factorization](factorization.md)"
//! ```
//!
//! A finding of an experiment that has no report is *open*. Where a row's recipe is another one now than in the report, it is to *redo*.

use super::claim::{HEAD, Saying};
use super::error::{ExperimentError, syntax};
use super::finding::{Claim, Finding, Shown, Verdict};
use super::plan::Experiment;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// The words around the tables of findings.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Page {
    title: String,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    papers: Vec<Paper>,
    /// What stands between the claims and the tables of all findings.
    #[serde(default)]
    evidence: String,
    #[serde(default)]
    closing: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Paper {
    key: String,
    title: String,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    claims: Vec<Saying>,
    #[serde(default)]
    elsewhere: Vec<Elsewhere>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Elsewhere {
    says: String,
    #[serde(default)]
    paper: String,
    here: String,
}

/// What is known of a finding.
pub(super) struct Known {
    pub shown: Vec<Shown>,
    /// Its rows have other recipes now.
    pub old: bool,
    commit: Option<String>,
}

impl Page {
    /// A page from TOML text; `file` is for error messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, ExperimentError> {
        toml::from_str(text).map_err(|error| syntax(file, error.message().to_owned()))
    }

    /// The page; each experiment comes with its report's JSON, if there is one.
    pub fn markdown(&self, experiments: &[(Experiment, Option<Value>)]) -> Result<String, ExperimentError> {
        let mut text = format!("# {}\n", self.title);
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        if self.papers.iter().any(|paper| !paper.claims.is_empty()) {
            text.push_str("\n## In short\n");
        }
        for paper in self.papers.iter().filter(|paper| !paper.claims.is_empty()) {
            let _ = write!(text, "\n### {}\n\n{HEAD}", paper.title);
            for claim in &paper.claims {
                text.push_str(&claim.line(experiments)?);
            }
        }
        if !self.evidence.is_empty() {
            let _ = write!(text, "\n{}\n", self.evidence.trim_end());
        }
        for paper in &self.papers {
            let _ = write!(text, "\n## {}\n", paper.title);
            for note in &paper.notes {
                let _ = write!(text, "\n{note}\n");
            }
            text.push_str("\n| finding | measure | paper | here | verdict | seeds | report |\n");
            text.push_str("| --- | --- | --- | --- | --- | ---: | --- |\n");
            for (experiment, report) in experiments {
                for finding in experiment.findings.iter().filter(|finding| finding.of == paper.key) {
                    let known = report.as_ref().and_then(|report| known(experiment, finding, report));
                    line(&mut text, experiment, finding, known.as_ref());
                }
            }
            for Elsewhere { says, paper, here } in &paper.elsewhere {
                let _ = writeln!(text, "| {says} | | {paper} | {here} | | | |");
            }
        }
        if !self.closing.is_empty() {
            let _ = write!(text, "\n{}\n", self.closing.trim_end());
        }
        Ok(text)
    }
}

fn line(text: &mut String, experiment: &Experiment, finding: &Finding, known: Option<&Known>) {
    let Finding { says, measure, paper, .. } = finding;
    let claim = match finding.claim {
        Claim::Better => String::new(),
        Claim::Alike => format!(" (within {})", finding.within),
        Claim::NoWorse => format!(" (at least -{})", finding.within),
    };
    let _ = write!(text, "| {says} | {measure}{claim} | {paper} | ");
    let Some(known) = known else {
        let _ = writeln!(text, "| open | | |");
        return;
    };
    let verdict = Verdict::together(known.shown.iter().map(|shown| shown.verdict));
    let verdict = match known.old {
        true => "redo",
        false => verdict.map_or("open", Verdict::word),
    };
    let here: Vec<String> = known.shown.iter().map(one).collect();
    let seeds = known.shown.iter().map(|shown| shown.seeds.len()).max().unwrap_or(0);
    let commit = known.commit.as_deref().map_or(String::new(), |commit| format!(" {commit}"));
    let name = &experiment.name;
    let _ = writeln!(text, "{} | {verdict} | {seeds} | [{name}]({name}.md){commit} |", here.join("; "));
}

/// A difference with what is known about it.
pub(super) fn one(shown: &Shown) -> String {
    let spread = shown.spread.map_or(String::new(), |spread| format!(" ± {spread:.2}"));
    let p = shown.p.map_or(String::new(), |p| format!(", p {p:.3}"));
    format!("{} {:+.2}{spread}{p}", shown.data, shown.mean)
}

/// What a report says of a finding: computed with it, or, in a report from before the finding was declared, from its scores.
pub(super) fn known(experiment: &Experiment, finding: &Finding, report: &Value) -> Option<Known> {
    let commit = report["commit"].as_str().map(str::to_owned);
    let old = is_old(experiment, finding, report);
    let computed = report["findings"].as_array().into_iter().flatten();
    let same = |value: &&Value| {
        value["says"] == json!(finding.says)
            && value["better"] == json!(finding.better)
            && value["than"] == json!(finding.than)
            && value["measure"] == json!(finding.measure)
    };
    if let Some(shown) = computed.into_iter().find(same) {
        let shown: Vec<Shown> = serde_json::from_value(shown["data"].clone()).ok()?;
        return Some(Known { shown, old, commit });
    }
    let score = |name: &str, data: &str| {
        let rows = ["runs", "votes"].into_iter().filter_map(|list| report[list].as_array()).flatten();
        rows.into_iter()
            .find(|row| row["name"] == name && row["data"] == data)
            .and_then(|row| row["result"][&finding.measure].as_f64())
    };
    let mut shown = Vec::new();
    for set in &experiment.data {
        if !finding.data.is_empty() && !finding.data.contains(&set.name) {
            continue;
        }
        let pairs = finding.better.iter().zip(&finding.than);
        let pairs: Option<Vec<(f64, f64)>> =
            pairs.map(|(a, b)| Some((score(a, &set.name)?, score(b, &set.name)?))).collect();
        if let Some(pairs) = pairs {
            let pairs = finding.counted(pairs, |pair| pair.1);
            let mean = pairs.iter().map(|(a, b)| a - b).sum::<f64>() / pairs.len().max(1) as f64;
            shown.push(finding.shown(&set.name, vec![mean], None));
        }
    }
    (!shown.is_empty()).then_some(Known { shown, old, commit })
}

/// Whether a recipe of a row has another value now than in the report, but for the seed.
fn is_old(experiment: &Experiment, finding: &Finding, report: &Value) -> bool {
    let mut names: Vec<&str> = Vec::new();
    for name in finding.better.iter().chain(&finding.than) {
        match experiment.votes.iter().find(|vote| &vote.name == name) {
            Some(vote) => names.extend(vote.runs.iter().map(|&run| experiment.runs[run].name.as_str())),
            None => names.push(name),
        }
    }
    let rows = report["runs"].as_array().into_iter().flatten();
    rows.filter(|row| row["name"].as_str().is_some_and(|name| names.contains(&name))).any(|row| {
        let now =
            experiment.runs.iter().find(|run| row["name"] == run.name).map(|run| json!(run.recipe.table()));
        let (Some(now), Some(then)) = (now, row["recipe"].as_object()) else { return true };
        then.iter().any(|(key, value)| key != "seed" && now.get(key) != Some(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "title = 'Found'\nnotes = ['Note.']\nclosing = 'The end.'\n\
        [[papers]]\nkey = 'p'\ntitle = 'A paper'\n\
        [[papers.elsewhere]]\nsays = 'More'\npaper = '1'\nhere = '[x](x.md)'\n";

    fn experiment() -> Experiment {
        let text = "[[finding]]\nsays='a helps'\nof='p'\nbetter='a'\nthan='b'\npaper='+1'\n\
            [data.d]\ntrain = 't'\ndev = 'd'\n[recipes.a]\nbeam = 2\n[recipes.b]\n";
        Experiment::parse("x.toml", text).unwrap()
    }

    fn report(experiment: &Experiment, lf: f64) -> Value {
        let row = |run: usize, lf: f64| {
            let run = &experiment.runs[run];
            json!({ "name": run.name, "data": "d", "recipe": run.recipe.table(), "result": { "LF": lf } })
        };
        json!({ "commit": "abc", "runs": [row(0, lf), row(1, 70.0)] })
    }

    #[test]
    fn the_page_says_what_reports_say() {
        let page = Page::parse("findings.toml", PAGE).unwrap();
        let experiment = experiment();
        let text = |report: Option<Value>| page.markdown(&[(experiment.clone(), report)]).unwrap();
        let none = text(None);
        assert!(none.starts_with("# Found\n\nNote.\n\n## A paper\n"), "{none}");
        assert!(
            none.contains(
                "| a helps | LF | +1 | | open | | |\n| More | | 1 | [x](x.md) | | | |\n\nThe end.\n"
            ),
            "{none}"
        );
        // Scores without sentences: the sign alone is not enough.
        let some = report(&experiment, 72.0);
        assert!(text(Some(some.clone())).contains("| d +2.00 | in part | 1 | [x](x.md) abc |"));
        assert!(text(Some(report(&experiment, 69.0))).contains("| d -1.00 | no | 1 |"));
        let mut computed = some.clone();
        let shown = experiment.findings[0].shown("d", vec![1.0, 2.0], Some(0.01));
        computed["findings"] = json!([{
            "says": "a helps", "better": ["a"], "than": ["b"], "measure": "LF", "data": [shown],
        }]);
        assert!(text(Some(computed)).contains("| d +1.50 ± 0.71, p 0.010 | yes | 2 |"));
        // Another recipe now, but for the seed.
        let mut other = some.clone();
        other["runs"][0]["recipe"]["seed"] = json!(9);
        assert!(text(Some(other.clone())).contains("| in part |"));
        other["runs"][0]["recipe"]["beam"] = json!(9);
        assert!(text(Some(other)).contains("| redo |"));
        assert!(Page::parse("f.toml", "titel = 'x'").unwrap_err().to_string().starts_with("f.toml: "));
    }

    #[test]
    fn a_claim_is_what_its_findings_say() {
        let experiment = experiment();
        let claim = |rests_on: &str, why: &str, report: Option<Value>| {
            let claim = format!(
                "[[papers.claims]]\nsays = 'A'\nplace = 'Table 1'\npaper = '+1'\nrests_on = {rests_on}\nwhy = '{why}'\n"
            );
            let text = PAGE.replace("[[papers.elsewhere]]", &format!("{claim}[[papers.elsewhere]]"));
            let page = Page::parse("findings.toml", &text).unwrap();
            page.markdown(&[(experiment.clone(), report)]).map_err(|error| error.to_string())
        };
        let one = "[['x', 'a helps']]";
        let said = claim(one, "", None).unwrap();
        assert!(said.contains("\n### A paper\n\n| the paper says |"), "{said}");
        assert!(said.contains("| A (Table 1) | +1 |  | open | [x](x.md) |  |\n"), "{said}");
        // A sign without sentences is no plain yes, and that has to be explained.
        let some = report(&experiment, 72.0);
        assert!(claim(one, "", Some(some.clone())).unwrap_err().contains("'in part', and there is no 'why'"));
        let said = claim(one, "few sentences", Some(some.clone())).unwrap();
        assert!(said.contains("| d +2.00 LF | in part | [x](x.md) | few sentences |"), "{said}");
        let mut sure = some.clone();
        let shown = experiment.findings[0].shown("d", vec![1.0, 2.0], Some(0.01));
        sure["findings"] = json!([{
            "says": "a helps", "better": ["a"], "than": ["b"], "measure": "LF", "data": [shown],
        }]);
        assert!(claim(one, "", Some(sure)).unwrap().contains("| d +1.50 ± 0.71 LF | yes | [x](x.md) |  |"));
        let mut other = some;
        other["runs"][0]["recipe"]["beam"] = json!(9);
        assert!(claim(one, "", Some(other)).unwrap().contains("| redo |"));
        assert!(claim("[['y', 'a helps']]", "", None).unwrap_err().contains("no experiment 'y'"));
        assert!(
            claim("[['x', 'a help']]", "", None).unwrap_err().contains("no finding 'a help' (did you mean")
        );
    }
}
