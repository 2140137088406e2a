//! What a paper says, in one line, and the findings that it rests on here: the table that the page of findings begins with.
//!
//! A claim is settled by the findings of one or several experiments, those with the most data and one for each treebank. Its verdict is
//! what all of them say, else *in part*; *open* or *redo* when one of them is. A claim that is not a plain *yes* says
//! why.

use super::error::{ExperimentError, syntax, unknown};
use super::finding::Verdict;
use super::page::known;
use super::plan::Experiment;
use serde::Deserialize;
use serde_json::Value;

/// What a paper says.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Saying {
    /// In words.
    says: String,
    /// Where it stands in the paper.
    #[serde(default)]
    place: String,
    /// Its size there.
    #[serde(default)]
    paper: String,
    /// The findings that settle it: the name of an experiment and what the finding says.
    rests_on: Vec<(String, String)>,
    /// Why it is not a plain yes here, with links to what shows it.
    #[serde(default)]
    why: String,
}

/// The head of the table.
pub(super) const HEAD: &str =
    "| the paper says | there | here | verdict | rests on | why |\n| --- | --- | --- | --- | --- | --- |\n";

impl Saying {
    /// The line of the table; each experiment comes with its report, if there is one.
    pub fn line(&self, experiments: &[(Experiment, Option<Value>)]) -> Result<String, ExperimentError> {
        let place = format!("claim '{}'", self.says);
        let (mut verdicts, mut unsettled) = (Vec::new(), None);
        let (mut here, mut links): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for (name, says) in &self.rests_on {
            let (experiment, report) = named(&place, "experiment", name, experiments, |known| &known.0.name)?;
            let finding =
                named(&format!("{place}, {name}"), "finding", says, &experiment.findings, |known| {
                    &known.says
                })?;
            let link = format!("[{name}]({name}.md)");
            if !links.contains(&link) {
                links.push(link);
            }
            let Some(known) = report.as_ref().and_then(|report| known(experiment, finding, report)) else {
                unsettled = Some("open");
                continue;
            };
            if known.old {
                unsettled = unsettled.or(Some("redo"));
            }
            for shown in &known.shown {
                let spread = shown.spread.map_or(String::new(), |spread| format!(" ± {spread:.2}"));
                here.push(format!("{} {:+.2}{spread} {}", shown.data, shown.mean, finding.measure));
                verdicts.push(shown.verdict);
            }
        }
        let together = Verdict::together(verdicts).map_or("open", Verdict::word);
        let verdict = unsettled.unwrap_or(together);
        if self.why.is_empty() && matches!(verdict, "in part" | "no") {
            return Err(syntax(&place, format!("the verdict is '{verdict}', and there is no 'why'")));
        }
        let Saying { says, paper, why, .. } = self;
        let there = if self.place.is_empty() { String::new() } else { format!(" ({})", self.place) };
        let (here, links) = (here.join("; "), links.join(", "));
        Ok(format!("| {says}{there} | {paper} | {here} | {verdict} | {links} | {why} |\n"))
    }
}

/// The one of this name.
fn named<'a, T>(
    place: &str,
    what: &'static str,
    name: &str,
    all: &'a [T],
    of: impl Fn(&T) -> &String,
) -> Result<&'a T, ExperimentError> {
    let known = || all.iter().map(|one| of(one).clone()).collect::<Vec<String>>();
    all.iter().find(|one| of(one) == name).ok_or_else(|| unknown(place, what, name, &known()))
}
