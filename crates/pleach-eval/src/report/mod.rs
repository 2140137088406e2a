//! Scores as a table for people and as JSON for programs.
//!
//! The JSON has ratios between 0 and 1 in full precision, under the names that the official scorers print,
//! and the counts they come from. What an official scorer prints as NaN or infinite is `null`; the table
//! says `NaN` or `inf` as the scorer does.

mod table;

use crate::ArcCounts;
use crate::counts::ratio;
use crate::evaluate::{Comparison, Evaluation, Scores};
use crate::graph::{Group, LENGTHS, Recalled, Tally};
use crate::sdp::SdpScores;
use crate::semeval16::Semeval16Scores;
use crate::tree::{Attachments, Crossing, TreeScores};
use crate::ud::{Measure, UdScores};
use serde_json::{Map, Value, json};
use std::fmt;
use table::{Table, percent};

/// What a table shows beyond the main scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// A row per label.
    pub labels: bool,
    /// A row per length of arcs.
    pub lengths: bool,
}

/// A finished evaluation, ready to be shown: [`Display`](fmt::Display) gives the table.
pub struct Report<'a> {
    evaluation: &'a Evaluation,
    details: Details,
}

impl Evaluation {
    /// The evaluation as a table or as JSON.
    pub fn report(&self, details: Details) -> Report<'_> {
        Report { evaluation: self, details }
    }
}

impl Report<'_> {
    /// Everything, as an object; with two systems, an object for each under `systems`.
    pub fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("metric".into(), self.evaluation.metric.name().into());
        match (&self.evaluation.systems[..], &self.evaluation.comparison) {
            ([only], None) => object.extend(scores_json(only)),
            (systems, comparison) => {
                let systems = systems.iter().map(|scores| Value::Object(scores_json(scores)));
                object.insert("systems".into(), systems.collect());
                if let Some(comparison) = comparison {
                    object.insert("comparison".into(), comparison_json(comparison));
                }
            }
        }
        Value::Object(object)
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let systems = &self.evaluation.systems;
        for (i, scores) in systems.iter().enumerate() {
            if systems.len() > 1 {
                writeln!(f, "System {}\n", i + 1)?;
            }
            write!(f, "{}", scores_table(scores, self.details))?;
            if systems.len() > 1 {
                writeln!(f)?;
            }
        }
        match &self.evaluation.comparison {
            Some(comparison) => write!(f, "{}", comparison_table(comparison)),
            None => Ok(()),
        }
    }
}

fn scores_json(scores: &Scores) -> Map<String, Value> {
    match scores {
        Scores::Sdp(scores) => sdp_json(scores),
        Scores::Semeval16(scores) => semeval16_json(scores),
        Scores::Ud(scores) => ud_json(scores),
        Scores::Tree(scores) => tree_json(scores),
    }
}

fn scores_table(scores: &Scores, details: Details) -> Table {
    match scores {
        Scores::Sdp(scores) => sdp_table(scores, details),
        Scores::Semeval16(scores) => semeval16_table(scores),
        Scores::Ud(scores) => ud_table(scores),
        Scores::Tree(scores) => tree_table(scores),
    }
}

/// Precision, recall and F, as one of the official scorers divides.
#[derive(Clone, Copy)]
struct Prf {
    precision: f64,
    recall: f64,
    f: f64,
}

impl Prf {
    /// SDP's scorer: F from precision and recall, 0/0 is not a number.
    fn sdp(counts: &ArcCounts) -> Self {
        let precision = counts.correct as f64 / counts.system as f64;
        let recall = counts.correct as f64 / counts.gold as f64;
        Prf { precision, recall, f: 2.0 * precision * recall / (precision + recall) }
    }

    /// SemEval-2016's script: F from counts, anything over 0 is infinite.
    fn semeval16(counts: &ArcCounts) -> Self {
        let over = |part, whole| ratio(part, whole).unwrap_or(f64::INFINITY);
        Prf {
            precision: over(counts.correct, counts.system),
            recall: over(counts.correct, counts.gold),
            f: over(2 * counts.correct, counts.gold + counts.system),
        }
    }

    /// Of shares that may not be there.
    fn of(shares: [Option<f64>; 3]) -> Self {
        let [precision, recall, f] = shares.map(|share| share.unwrap_or(f64::NAN));
        Prf { precision, recall, f }
    }

    fn cells(self) -> [String; 3] {
        [self.precision, self.recall, self.f].map(percent)
    }

    fn json(self, object: &mut Map<String, Value>, names: [&str; 3]) {
        for (name, value) in names.into_iter().zip([self.precision, self.recall, self.f]) {
            object.insert(name.into(), value.into());
        }
    }
}

fn counts_json(counts: &ArcCounts) -> Value {
    json!({"gold": counts.gold, "system": counts.system, "correct": counts.correct})
}

fn recalled_json(recalled: &Recalled) -> Value {
    json!({"arcs": recalled.arcs, "labelled": recalled.labelled, "unlabelled": recalled.unlabelled})
}

fn counts_cells(counts: &ArcCounts) -> [String; 3] {
    [counts.gold, counts.system, counts.correct].map(|count| count.to_string())
}

const LABELLED: [&str; 3] = ["LP", "LR", "LF"];
const UNLABELLED: [&str; 3] = ["UP", "UR", "UF"];

fn tally_json(tally: &Tally, sentences: u64) -> Map<String, Value> {
    let exact = |count: u64| Value::from(count as f64 / sentences as f64);
    let mut object = Map::new();
    Prf::sdp(&tally.labelled).json(&mut object, LABELLED);
    object.insert("LM".into(), exact(tally.labelled_exact));
    Prf::sdp(&tally.unlabelled).json(&mut object, UNLABELLED);
    object.insert("UM".into(), exact(tally.unlabelled_exact));
    let counts = |counts: &ArcCounts, exact: u64| json!({"gold": counts.gold, "system": counts.system, "correct": counts.correct, "exact": exact});
    let labelled = counts(&tally.labelled, tally.labelled_exact);
    let unlabelled = counts(&tally.unlabelled, tally.unlabelled_exact);
    object.insert("counts".into(), json!({"labelled": labelled, "unlabelled": unlabelled}));
    object
}

fn group_json(group: &Group) -> Value {
    let mut object = Map::new();
    Prf::sdp(&group.labelled).json(&mut object, LABELLED);
    Prf::sdp(&group.unlabelled).json(&mut object, UNLABELLED);
    let counts =
        json!({"labelled": counts_json(&group.labelled), "unlabelled": counts_json(&group.unlabelled)});
    object.insert("counts".into(), counts);
    Value::Object(object)
}

/// The length groups; the one for self-loops only if there are any.
fn lengths(groups: &[Group; LENGTHS.len()]) -> impl Iterator<Item = (&'static str, &Group)> {
    let named = LENGTHS.into_iter().zip(groups);
    named.filter(|(name, group)| *name != "0" || **group != Group::default())
}

fn sdp_json(scores: &SdpScores) -> Map<String, Value> {
    let arcs = &scores.arcs;
    let by_length = |groups| -> Value {
        Value::Object(lengths(groups).map(|(name, group)| (name.to_owned(), group_json(group))).collect())
    };
    let frames = |counts: &ArcCounts, names| {
        let mut object = Map::new();
        Prf::sdp(counts).json(&mut object, names);
        object.insert("counts".into(), counts_json(counts));
        Value::Object(object)
    };
    let mut object = Map::new();
    object.insert("sentences".into(), arcs.sentences.into());
    object.insert("tokens".into(), scores.tokens.into());
    object.extend(tally_json(&arcs.with_tops, arcs.sentences));
    let mut without_tops = tally_json(&arcs.without_tops, arcs.sentences);
    without_tops.insert("by_length".into(), by_length(&scores.breakdown.by_length));
    object.insert("without_tops".into(), Value::Object(without_tops));
    object.insert("predications".into(), frames(&scores.predications, ["PP", "PR", "PF"]));
    object.insert("frames".into(), frames(&scores.frames, ["FP", "FR", "FF"]));
    object.insert("local".into(), group_json(&scores.breakdown.local));
    object.insert("non_local".into(), group_json(&scores.breakdown.non_local));
    if scores.breakdown.long_distance != ArcCounts::default() {
        object.insert("long_distance".into(), frames(&scores.breakdown.long_distance, LABELLED));
    }
    let crossing = &scores.breakdown.crossing;
    let mut of_crossing = Map::new();
    Prf::of(crossing.labelled()).json(&mut of_crossing, LABELLED);
    Prf::of(crossing.unlabelled()).json(&mut of_crossing, UNLABELLED);
    of_crossing.insert(
        "counts".into(),
        json!({"gold": recalled_json(&crossing.gold), "system": recalled_json(&crossing.system)}),
    );
    object.insert("crossing".into(), Value::Object(of_crossing));
    let locality = &scores.breakdown.locality;
    let by = if locality.by_marks() { "marks" } else { "re-entrancy" };
    let mut recalls = Map::new();
    recalls.insert("by".into(), by.into());
    recalls.extend(locality.recalls().map(|(name, value)| (name.to_owned(), Value::from(value))));
    object.insert("locality".into(), Value::Object(recalls));
    object.insert("by_length".into(), by_length(&scores.breakdown.by_length_with_tops));
    let by_label = scores.breakdown.by_label.iter();
    let by_label = by_label.map(|(label, counts)| (label.to_string(), frames(counts, LABELLED)));
    object.insert("by_label".into(), Value::Object(by_label.collect()));
    object
}

fn sdp_table(scores: &SdpScores, details: Details) -> Table {
    let arcs = &scores.arcs;
    let mut table = Table::default();
    let row = |table: &mut Table, title: &str, counts: &ArcCounts, exact: Option<u64>| {
        let exact = exact.map_or(String::new(), |exact| percent(exact as f64 / arcs.sentences as f64));
        let cells = Prf::sdp(counts).cells().into_iter().chain([exact]).chain(counts_cells(counts));
        table.row(title, cells);
    };
    let header = ["P", "R", "F", "exact", "gold", "system", "correct"];
    table.header(&format!("{} sentences, {} tokens", arcs.sentences, scores.tokens), &header);
    for (title, tally) in [("", &arcs.with_tops), (" without tops", &arcs.without_tops)] {
        row(&mut table, &format!("labelled{title}"), &tally.labelled, Some(tally.labelled_exact));
        row(&mut table, &format!("unlabelled{title}"), &tally.unlabelled, Some(tally.unlabelled_exact));
    }
    // Only SDP's formats and CoNLL-2009 say which tokens are predicates.
    if scores.predications != ArcCounts::default() {
        row(&mut table, "complete predications", &scores.predications, None);
        row(&mut table, "semantic frames", &scores.frames, None);
    }
    for (title, group) in [("local", &scores.breakdown.local), ("non-local", &scores.breakdown.non_local)] {
        row(&mut table, &format!("{title} labelled"), &group.labelled, None);
        row(&mut table, &format!("{title} unlabelled"), &group.unlabelled, None);
    }
    if scores.breakdown.long_distance != ArcCounts::default() {
        row(&mut table, "long-distance (*ldd)", &scores.breakdown.long_distance, None);
    }
    let locality = &scores.breakdown.locality;
    let by = if locality.by_marks() { "*ldd" } else { "several heads" };
    for (title, recalled) in [("local", locality.local()), ("non-local", locality.non_local())] {
        for (kind, recall, correct) in [
            ("labelled", recalled.lr(), recalled.labelled),
            ("unlabelled", recalled.ur(), recalled.unlabelled),
        ] {
            let empty = String::new;
            let recall = recall.map_or_else(empty, percent);
            let counts = [recalled.arcs.to_string(), empty(), correct.to_string()];
            let cells = [empty(), recall, empty(), empty()].into_iter().chain(counts);
            table.row(format!("recall, {title} {kind} (gold: {by})"), cells);
        }
    }
    let crossing = &scores.breakdown.crossing;
    if crossing.gold.arcs + crossing.system.arcs > 0 {
        let counts = [crossing.gold.arcs, crossing.system.arcs].map(|count| count.to_string());
        for (title, shares) in [("labelled", crossing.labelled()), ("unlabelled", crossing.unlabelled())] {
            // Gold's and the system's crossing arcs are not the same, nor are those of them that are right.
            let cells = Prf::of(shares).cells().into_iter().chain([String::new()]);
            table.row(format!("crossing {title}"), cells.chain(counts.clone()).chain([String::new()]));
        }
    }
    if details.lengths {
        table.header("Labelled, by length", &header);
        for (name, group) in lengths(&scores.breakdown.by_length) {
            row(&mut table, name, &group.labelled, None);
        }
    }
    if details.labels {
        table.header("By label", &header);
        for (label, counts) in &scores.breakdown.by_label {
            row(&mut table, label, counts, None);
        }
    }
    table
}

fn semeval16_json(scores: &Semeval16Scores) -> Map<String, Value> {
    let exact = |count: u64| Value::from(ratio(count, scores.sentences));
    let mut object = Map::new();
    object.insert("sentences".into(), scores.sentences.into());
    object.insert("tokens".into(), scores.tokens.into());
    Prf::semeval16(&scores.labelled).json(&mut object, LABELLED);
    Prf::semeval16(&scores.non_local_labelled).json(&mut object, ["NLP", "NLR", "NLF"]);
    Prf::semeval16(&scores.unlabelled).json(&mut object, UNLABELLED);
    Prf::semeval16(&scores.non_local_unlabelled).json(&mut object, ["NUP", "NUR", "NUF"]);
    object.insert("LM".into(), exact(scores.labelled_exact));
    object.insert("UM".into(), exact(scores.unlabelled_exact));
    let counts = json!({
        "labelled": counts_json(&scores.labelled),
        "unlabelled": counts_json(&scores.unlabelled),
        "non_local_labelled": counts_json(&scores.non_local_labelled),
        "non_local_unlabelled": counts_json(&scores.non_local_unlabelled),
        "exact_labelled": scores.labelled_exact,
        "exact_unlabelled": scores.unlabelled_exact,
    });
    object.insert("counts".into(), counts);
    object
}

fn semeval16_table(scores: &Semeval16Scores) -> Table {
    let mut table = Table::default();
    let exact = |count: u64| percent(ratio(count, scores.sentences).unwrap_or(f64::INFINITY));
    let title = format!("{} sentences, {} tokens", scores.sentences, scores.tokens);
    table.header(&title, &["P", "R", "F", "exact", "gold", "system", "correct"]);
    let rows = [
        ("labelled (LF)", &scores.labelled, exact(scores.labelled_exact)),
        ("unlabelled (UF)", &scores.unlabelled, exact(scores.unlabelled_exact)),
        ("non-local labelled (NLF)", &scores.non_local_labelled, String::new()),
        ("non-local unlabelled (NUF)", &scores.non_local_unlabelled, String::new()),
    ];
    for (title, counts, exact) in rows {
        let prf = Prf::semeval16(counts).cells().into_iter();
        table.row(title, prf.chain([exact]).chain(counts_cells(counts)));
    }
    table
}

fn ud_json(scores: &UdScores) -> Map<String, Value> {
    let measure = |measure: Measure| {
        let value = scores.get(measure).map(|score| {
            json!({
                "precision": score.counts.precision(),
                "recall": score.counts.recall(),
                "f1": score.counts.f(),
                "aligned_accuracy": score.aligned_accuracy(),
                "gold": score.counts.gold,
                "system": score.counts.system,
                "correct": score.counts.correct,
                "aligned": score.aligned,
            })
        });
        (measure.name().to_owned(), Value::from(value))
    };
    Measure::ALL.into_iter().map(measure).collect()
}

fn ud_table(scores: &UdScores) -> Table {
    let mut table = Table::default();
    table.header("", &["P", "R", "F1", "aligned acc.", "gold", "system", "correct"]);
    for measure in Measure::ALL {
        let Some(score) = scores.get(measure) else {
            table.row(measure.name(), ["-".to_owned(), "-".to_owned(), "-".to_owned()]);
            continue;
        };
        let counts = &score.counts;
        let prf = [counts.precision(), counts.recall(), counts.f()].map(percent).into_iter();
        let aligned = score.aligned_accuracy().map_or(String::new(), percent);
        table.row(measure.name(), prf.chain([aligned]).chain(counts_cells(counts)));
    }
    table
}

fn attachments_json(scores: &Attachments) -> Map<String, Value> {
    let counts = json!({
        "tokens": scores.tokens,
        "heads": scores.heads,
        "labelled": scores.labelled,
        "universal": scores.universal,
        "labels": scores.labels,
    });
    let object = json!({
        "UAS": scores.uas(),
        "LAS": scores.las(),
        "LAS_universal": scores.las_universal(),
        "LA": scores.la(),
        "counts": counts,
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn crossing_json(crossing: &Crossing) -> Value {
    json!({
        "CUR": crossing.recall(),
        "labelled": crossing.labelled_recall(),
        "counts": {
            "gold": crossing.gold, "unlabelled": crossing.unlabelled, "labelled": crossing.labelled,
        },
    })
}

fn tree_json(scores: &TreeScores) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("sentences".into(), scores.sentences.into());
    object.insert("tokens".into(), scores.all.tokens.into());
    object.extend(attachments_json(&scores.all));
    let exact = |count: u64| Value::from(ratio(count, scores.sentences));
    object.insert("UM".into(), exact(scores.unlabelled_exact));
    object.insert("LM".into(), exact(scores.labelled_exact));
    object.insert("CUR".into(), scores.crossing.recall().into());
    let without = |scores| Value::Object(attachments_json(scores));
    object.insert("without_punctuation".into(), without(&scores.without_punctuation));
    object.insert("without_upos_punct".into(), without(&scores.without_punct_tags));
    object.insert("crossing".into(), crossing_json(&scores.crossing));
    object.insert("crossing_without_root".into(), crossing_json(&scores.crossing_without_root));
    object
}

fn tree_table(scores: &TreeScores) -> Table {
    let mut table = Table::default();
    let cell = |value: Option<f64>| value.map_or("-".to_owned(), percent);
    let title = format!("{} sentences", scores.sentences);
    table.header(&title, &["UAS", "LAS", "LAS without subtypes", "label acc.", "tokens"]);
    let rows = [
        ("all tokens", &scores.all),
        ("without punctuation", &scores.without_punctuation),
        ("without UPOS PUNCT", &scores.without_punct_tags),
    ];
    for (title, scores) in rows {
        let cells = [scores.uas(), scores.las(), scores.las_universal(), scores.la()].map(cell);
        table.row(title, cells.into_iter().chain([scores.tokens.to_string()]));
    }
    let exact = [scores.unlabelled_exact, scores.labelled_exact];
    table.row("whole trees", exact.map(|count| cell(ratio(count, scores.sentences))));
    for (title, crossing) in [
        ("crossing arcs (CUR)", &scores.crossing),
        ("crossing arcs without root", &scores.crossing_without_root),
    ] {
        let cells = [cell(crossing.recall()), cell(crossing.labelled_recall()), String::new(), String::new()];
        table.row(title, cells.into_iter().chain([crossing.gold.to_string()]));
    }
    table
}

fn comparison_json(comparison: &Comparison) -> Value {
    let mut object = Map::new();
    for (name, difference) in &comparison.differences {
        let value = json!({
            "first": difference.first,
            "second": difference.second,
            "delta": difference.delta,
            "p_value": difference.p_value,
        });
        object.insert((*name).into(), value);
    }
    object.insert("samples".into(), comparison.bootstrap.samples.into());
    object.insert("seed".into(), comparison.bootstrap.seed.into());
    let diversity = json!({
        "labelled": comparison.labelled_overlap,
        "unlabelled": comparison.unlabelled_overlap,
    });
    object.insert("diversity".into(), diversity);
    Value::Object(object)
}

fn comparison_table(comparison: &Comparison) -> Table {
    let mut table = Table::default();
    table.header("Comparison", &["system 1", "system 2", "difference", "p"]);
    for (name, difference) in &comparison.differences {
        let p = format!("{:.4}", difference.p_value);
        let delta = format!("{:+.2}", 100.0 * difference.delta);
        table.row(*name, [percent(difference.first), percent(difference.second), delta, p]);
    }
    let samples = comparison.bootstrap.samples;
    table.row(format!("p: paired bootstrap, {samples} samples, seed {}", comparison.bootstrap.seed), []);
    table.header("Arcs in common, 2|A∩B|/(|A|+|B|)", &["labelled", "unlabelled"]);
    let unlabelled = comparison.unlabelled_overlap.map_or("-".to_owned(), percent);
    table.row("system 1 and system 2", [percent(comparison.labelled_overlap), unlabelled]);
    table
}
