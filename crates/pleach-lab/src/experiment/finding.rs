//! What a paper found, and whether it shows here. An experiment declares rows that should differ; the size, the spread over seeds, the
//! paired bootstrap and the verdict are computed.
//!
//! Verdict on a data set, for `claim = "better"`: *yes* when the mean difference is above 0, every seed's is, and the
//! bootstrap's p is below 0.05; *no* when the mean is not above 0; else *in part*. `"alike"`: *yes* when the mean is at most
//! `within` points away from 0, else *no*. `"no-worse"`: *yes* when it is at least `-within`, *no* when it is less and
//! p is below 0.05, else *in part*. Over all data sets: what all of them say, else *in part*.
//!
//! Sentences are what the bootstrap draws; the counts of all seeds and pairs of rows are added up within a sentence.

use super::counting::counter;
use super::error::{ExperimentError, syntax, typed};
use super::plan::Names;
use pleach_eval::significance::{Bootstrap, Unit};
use pleach_graph::Graph;
use serde::{Deserialize, Serialize};
use toml::Value;

/// How two rows are said to differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// The first is better.
    #[default]
    Better,
    /// They differ by little.
    Alike,
    /// The first is at most a little worse.
    NoWorse,
}

/// What a paper found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The finding, in words.
    pub says: String,
    /// The paper's key in the bibliography.
    pub of: String,
    /// The rows that should be better.
    pub better: Vec<String>,
    /// The rows that they are compared with, one for each.
    pub than: Vec<String>,
    /// A column, see [`COLUMNS`](super::COLUMNS).
    pub measure: String,
    /// What the paper has.
    pub paper: String,
    /// How they should differ.
    pub claim: Claim,
    /// For claims that allow a difference: how large, in points.
    pub within: f64,
    /// Only the best of the other rows counts, on each data set the one with the highest mean.
    pub best: bool,
    /// Names of data sets; empty for all.
    pub data: Vec<String>,
}

/// One name or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn list(self) -> Vec<String> {
        match self {
            OneOrMore::One(name) => vec![name],
            OneOrMore::More(names) => names,
        }
    }
}

#[derive(Deserialize)]
struct Keys {
    says: String,
    of: String,
    better: OneOrMore,
    than: OneOrMore,
    #[serde(default = "labelled")]
    measure: String,
    #[serde(default)]
    paper: String,
    #[serde(default)]
    claim: Claim,
    #[serde(default = "half_a_point")]
    within: f64,
    #[serde(default)]
    best: bool,
    #[serde(default)]
    data: Vec<String>,
}

fn labelled() -> String {
    "LF".into()
}

fn half_a_point() -> f64 {
    0.5
}

const KEYS: [&str; 10] =
    ["says", "of", "better", "than", "measure", "paper", "claim", "within", "best", "data"];

/// Reads the findings of a file.
pub(super) fn findings(names: &Names<'_>, list: Vec<Value>) -> Result<Vec<Finding>, ExperimentError> {
    let mut findings = Vec::new();
    for value in list {
        let keys: Keys = typed(&names.place, value, &KEYS)?;
        let (better, mut than) = (keys.better.list(), keys.than.list());
        names.check("run or vote", &better, names.rows)?;
        names.check("run or vote", &than, names.rows)?;
        names.check("column", std::slice::from_ref(&keys.measure), &names.columns)?;
        names.check("data set", &keys.data, &names.sets)?;
        // One row can be compared with several: it is the same in all pairs.
        if let ([one], more) = (better.as_slice(), than.len()) {
            let better = vec![one.clone(); more];
            findings.push(Finding { better, than, ..plain(&keys.says) });
        } else {
            if let [one] = than.as_slice() {
                than = vec![one.clone(); better.len()];
            }
            if better.len() != than.len() || better.is_empty() {
                let message = "'better' and 'than' are as many rows, or one of them is a single row";
                return Err(syntax(&names.place, message.into()));
            }
            findings.push(Finding { better, than, ..plain(&keys.says) });
        }
        if let Some(finding) = findings.last_mut() {
            finding.of = keys.of;
            finding.measure = keys.measure;
            finding.paper = keys.paper;
            finding.claim = keys.claim;
            finding.within = keys.within;
            finding.best = keys.best;
            finding.data = keys.data;
        }
    }
    Ok(findings)
}

pub(super) fn plain(says: &str) -> Finding {
    Finding {
        says: says.to_owned(),
        of: String::new(),
        better: Vec::new(),
        than: Vec::new(),
        measure: String::new(),
        paper: String::new(),
        claim: Claim::Better,
        within: 0.0,
        best: false,
        data: Vec::new(),
    }
}

/// Whether a finding shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It does.
    #[serde(rename = "yes")]
    Yes,
    /// On some data, or too little to say.
    #[serde(rename = "in part")]
    InPart,
    /// The opposite shows, or nothing.
    #[serde(rename = "no")]
    No,
}

impl Verdict {
    /// Its word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Yes => "yes",
            Verdict::InPart => "in part",
            Verdict::No => "no",
        }
    }

    /// What several data sets say together; none when there are none.
    pub fn together(verdicts: impl IntoIterator<Item = Verdict>) -> Option<Verdict> {
        let both = |a: Verdict, b: Verdict| if a == b { a } else { Verdict::InPart };
        verdicts.into_iter().reduce(both)
    }
}

/// What a finding is on one data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The data set.
    pub data: String,
    /// The mean difference over seeds and pairs of rows.
    pub mean: f64,
    /// The standard deviation of the seeds' differences; none for one seed.
    pub spread: Option<f64>,
    /// By seed, over all pairs of rows.
    pub seeds: Vec<f64>,
    /// Of the paired bootstrap; none when sentences can't be compared by this measure.
    pub p: Option<f64>,
    /// What follows.
    pub verdict: Verdict,
}

/// The spread below which a difference is nothing.
const NOTHING: f64 = 1e-9;
/// A p that is small enough.
const SURE: f64 = 0.05;

impl Finding {
    /// What the differences by seed and the bootstrap say.
    pub fn shown(&self, data: &str, seeds: Vec<f64>, p: Option<f64>) -> Shown {
        let (mean, spread) = mean_and_spread(&seeds);
        // The share of training sentences that a system can build is no sample of anything.
        let sure = p.map_or(self.measure == "NPS", |p| p < SURE);
        let verdict = match self.claim {
            Claim::Better if mean <= NOTHING => Verdict::No,
            Claim::Better if sure && seeds.iter().all(|&seed| seed > 0.0) => Verdict::Yes,
            Claim::Alike if mean.abs() <= self.within => Verdict::Yes,
            Claim::Alike => Verdict::No,
            Claim::NoWorse if mean >= -self.within => Verdict::Yes,
            Claim::NoWorse if sure => Verdict::No,
            Claim::Better | Claim::NoWorse => Verdict::InPart,
        };
        Shown { data: data.to_owned(), mean, spread, seeds, p, verdict }
    }

    /// Of pairs with a number each, those that count: all, or the one whose second row has the highest number.
    pub(super) fn counted<T>(&self, mut pairs: Vec<T>, number: impl Fn(&T) -> f64) -> Vec<T> {
        if self.best
            && let Some(best) =
                (0..pairs.len()).max_by(|&a, &b| number(&pairs[a]).total_cmp(&number(&pairs[b])))
        {
            return vec![pairs.swap_remove(best)];
        }
        pairs
    }

    /// The bootstrap's p over sentences; `pairs` are the graphs of the better row and of the other one.
    pub(super) fn p_value(&self, gold: &[Graph], pairs: &[(&[Graph], &[Graph])]) -> Option<f64> {
        let count = counter(&self.measure, gold)?;
        let mut units = vec![Unit::default(); gold.len()];
        for (better, than) in pairs {
            for ((unit, gold), (better, than)) in
                units.iter_mut().zip(gold).zip(better.iter().zip(than.iter()))
            {
                unit.first += count(gold, than);
                unit.second += count(gold, better);
            }
        }
        Some(Bootstrap::default().compare(&units).p_value)
    }
}

/// The mean, and the standard deviation if there are several.
pub(super) fn mean_and_spread(values: &[f64]) -> (f64, Option<f64>) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let spread = (values.len() > 1)
        .then(|| (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt());
    (mean, spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    fn parse(text: &str) -> Result<Experiment, ExperimentError> {
        let rest = "[data.d]\ntrain = 't'\ndev = 'd'\n[recipes.a]\n[recipes.b]\n[recipes.c]\n";
        Experiment::parse("x.toml", &format!("{text}\n{rest}"))
    }

    #[test]
    fn findings_name_rows_that_exist() {
        let text = "[[finding]]\nsays='x'\nof='p'\nbetter='a'\nthan=['b','c']\npaper='+0.74'";
        let finding = parse(text).unwrap().findings.remove(0);
        assert_eq!((finding.better, finding.than), (vec!["a".to_owned(); 2], vec!["b".into(), "c".into()]));
        assert_eq!((finding.measure.as_str(), finding.claim), ("LF", Claim::Better));
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert!(error(&text.replace("'c'", "'d'")).contains("no run or vote 'd'"));
        assert!(error(&text.replace("'a'", "['a','a','a']")).contains("as many rows"));
        assert!(error(&text.replace("paper", "papers")).contains("no key 'papers'"));
        assert!(error(&text.replace("paper=", "measure='LX'\npaper=")).contains("no column 'LX'"));
    }

    #[test]
    fn verdicts_follow_from_figures() {
        let finding = |claim| Finding { claim, within: 0.5, ..plain("x") };
        let verdict = |claim, seeds: &[f64], p| finding(claim).shown("d", seeds.to_vec(), p).verdict;
        assert_eq!(verdict(Claim::Better, &[1.0, 0.5], Some(0.01)), Verdict::Yes);
        assert_eq!(verdict(Claim::Better, &[1.0, -0.1], Some(0.01)), Verdict::InPart);
        assert_eq!(verdict(Claim::Better, &[1.0], Some(0.2)), Verdict::InPart);
        assert_eq!(verdict(Claim::Better, &[1.0], None), Verdict::InPart);
        assert_eq!(verdict(Claim::Better, &[-1.0, 0.5], Some(0.01)), Verdict::No);
        assert_eq!(verdict(Claim::Alike, &[-0.4], Some(0.01)), Verdict::Yes);
        assert_eq!(verdict(Claim::Alike, &[0.6], Some(0.9)), Verdict::No);
        assert_eq!(verdict(Claim::NoWorse, &[-0.4], None), Verdict::Yes);
        assert_eq!(verdict(Claim::NoWorse, &[-0.6], Some(0.2)), Verdict::InPart);
        assert_eq!(verdict(Claim::NoWorse, &[-0.6], Some(0.0)), Verdict::No);
        let together = |verdicts: &[Verdict]| Verdict::together(verdicts.iter().copied());
        assert_eq!(together(&[Verdict::Yes, Verdict::Yes]), Some(Verdict::Yes));
        assert_eq!(together(&[Verdict::Yes, Verdict::No]), Some(Verdict::InPart));
        assert_eq!(together(&[]), None);
        let shown = finding(Claim::Better).shown("d", vec![1.0, 3.0], None);
        assert_eq!((shown.mean, shown.spread), (2.0, Some(2f64.sqrt())));
        let best = |best| Finding { best, ..plain("x") }.counted(vec![1.0, 3.0, 2.0], |&value| value);
        assert_eq!((best(true), best(false)), (vec![3.0], vec![1.0, 3.0, 2.0]));
    }
}
