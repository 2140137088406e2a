//! Curves of a report as SVG: a measure over the values of a recipe's key.

use super::cache::RunRecord;
use super::error::{ExperimentError, syntax, typed};
use super::plan::{Experiment, Names};
use super::report::cell;
use super::run::Results;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use toml::Value;

/// A picture of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotPlan {
    /// Its heading.
    pub title: String,
    /// The recipe key whose values stand on the x axis, or `sentences`.
    pub x: String,
    /// Names of measures, see [`COLUMNS`](super::COLUMNS): a curve for each.
    pub y: Vec<String>,
    /// The places of the runs, from left to right.
    pub rows: Vec<usize>,
    /// Names of data sets, a curve for each; empty for all.
    pub data: Vec<String>,
    /// Names of other reports whose data sets stand on the x axis, too, where that has `sentences`.
    pub with: Vec<String>,
}

/// Gives a report that is there by the name of its experiment.
pub type Reports<'r> = dyn Fn(&str) -> Option<Json> + 'r;

/// On the x axis stand the data sets by their training sentences, and every run is a curve.
pub const SENTENCES: &str = "sentences";

#[derive(Deserialize)]
struct PlotKeys {
    title: Option<String>,
    x: String,
    y: Vec<String>,
    #[serde(default)]
    rows: Vec<String>,
    #[serde(default)]
    data: Vec<String>,
    #[serde(default)]
    with: Vec<String>,
}

/// The pictures that a file asks for.
pub(super) fn plots(names: &Names<'_>, list: Vec<Value>) -> Result<Vec<PlotPlan>, ExperimentError> {
    let mut plots = Vec::new();
    for value in list {
        let keys: PlotKeys = typed(&names.place, value, &["title", "x", "y", "rows", "data", "with"])?;
        if !keys.with.is_empty() && keys.x != SENTENCES {
            let message = format!("'with' needs x = \"{SENTENCES}\"");
            return Err(syntax(&names.place, message));
        }
        names.check("column", &keys.y, &names.columns)?;
        names.check("data set", &keys.data, &names.sets)?;
        names.check("run or vote", &keys.rows, names.rows)?;
        let place = |name: &String| names.rows.iter().position(|row| row == name);
        let rows = match keys.rows.is_empty() {
            true => (0..names.runs).collect(),
            false => keys.rows.iter().filter_map(place).filter(|&row| row < names.runs).collect(),
        };
        let title = keys.title.unwrap_or_else(|| format!("{} by {}", keys.y.join(", "), keys.x));
        plots.push(PlotPlan { title, x: keys.x, y: keys.y, rows, data: keys.data, with: keys.with });
    }
    Ok(plots)
}

/// The size of a picture and of the frame inside it.
const SIZE: (f64, f64) = (640.0, 360.0);
const FRAME: (f64, f64, f64, f64) = (56.0, 36.0, 470.0, 316.0);

/// Colours that are told apart by people who see few of them (Okabe & Ito).
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// One line of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// By value on the x axis; none where there is no measure.
    pub points: Vec<Option<f64>>,
}

impl Experiment {
    /// The pictures of a report, with the names of their files. `reports` gives those that a picture looks at beside it.
    pub fn plots(&self, results: &Results, reports: &Reports<'_>) -> Vec<(String, String)> {
        let files = self.plots.iter().enumerate();
        files.map(|(place, plot)| (self.plot_file(place), self.plot(plot, results, reports))).collect()
    }

    /// The name of a picture's file.
    pub(super) fn plot_file(&self, place: usize) -> String {
        format!("{}-{}.svg", self.name, place + 1)
    }

    fn plot(&self, plot: &PlotPlan, results: &Results, reports: &Reports<'_>) -> String {
        if plot.x == SENTENCES {
            return self.plot_of_sizes(plot, results, reports);
        }
        let value = |run: usize| {
            let value = self.runs[run].recipe.table().get(&plot.x);
            value.map_or(String::new(), |value| value.to_string().trim_matches('"').to_owned())
        };
        let values: Vec<String> = plot.rows.iter().map(|&run| value(run)).collect();
        let mut curves = Vec::new();
        for (set, records) in self.data.iter().zip(&results.runs) {
            if !plot.data.is_empty() && !plot.data.contains(&set.name) {
                continue;
            }
            for y in &plot.y {
                let point = |run: &usize| -> Option<f64> {
                    let record: &RunRecord = &records[*run];
                    cell(record, y).map(|(value, ..)| value)
                };
                let name = format!("{} {y}", set.name);
                curves.push(Curve { name, points: plot.rows.iter().map(point).collect() });
            }
        }
        draw_curves(&plot.title, &plot.x, &values, &curves)
    }
}

impl Experiment {
    /// Learning curves: data sets from the smallest to the largest, a curve for each run and measure.
    fn plot_of_sizes(&self, plot: &PlotPlan, results: &Results, reports: &Reports<'_>) -> String {
        let chosen = |set: &usize| plot.data.is_empty() || plot.data.contains(&self.data[*set].name);
        let sets: Vec<usize> = (0..results.sizes.len()).filter(chosen).collect();
        let others: Vec<Json> = plot.with.iter().filter_map(|name| reports(name)).collect();
        let mut sizes: BTreeSet<u64> = sets.iter().map(|&set| results.sizes[set].train.0 as u64).collect();
        let mut curves: Vec<(String, BTreeMap<u64, f64>)> = Vec::new();
        for &run in &plot.rows {
            for y in &plot.y {
                let own = sets.iter().filter_map(|&set| {
                    let (value, ..) = cell(&results.runs[set][run], y)?;
                    Some((results.sizes[set].train.0 as u64, value))
                });
                let name = &self.runs[run].name;
                let elsewhere = others.iter().flat_map(|report| points_of(report, name, y));
                let points: BTreeMap<u64, f64> = elsewhere.chain(own).collect();
                sizes.extend(points.keys());
                let measure = if plot.y.len() > 1 { format!(" {y}") } else { String::new() };
                curves.push((format!("{name}{measure}"), points));
            }
        }
        let values: Vec<String> = sizes.iter().map(u64::to_string).collect();
        let curves = curves.into_iter().map(|(name, points)| Curve {
            name,
            points: sizes.iter().map(|size| points.get(size).copied()).collect(),
        });
        let curves: Vec<Curve> = curves.collect();
        draw_curves(&plot.title, "training sentences", &values, &curves)
    }
}

/// What a report says of a run's measure, by training sentences.
fn points_of<'r>(report: &'r Json, name: &'r str, y: &'r str) -> impl Iterator<Item = (u64, f64)> + 'r {
    let runs = report["runs"].as_array().into_iter().flatten();
    runs.filter(move |run| run["name"] == name).filter_map(move |run| {
        let set = run["data"].as_str()?;
        Some((report["data"][set]["train_sentences"].as_u64()?, run["result"][y].as_f64()?))
    })
}

/// Round numbers between two ends, about five of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low).max(1e-9) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|&step| step >= rough).unwrap_or(rough);
    let first = (low / step).floor() as i64;
    let last = (high / step).ceil() as i64;
    (first..=last).map(|place| place as f64 * step).collect()
}

/// Curves over values of `x` as a picture with a heading, SVG.
pub fn draw_curves(title: &str, x_name: &str, values: &[String], curves: &[Curve]) -> String {
    let (left, top, right, bottom) = FRAME;
    let all = || curves.iter().flat_map(|curve| curve.points.iter().flatten().copied());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let ticks = if low <= high { ticks(low, high) } else { vec![0.0, 1.0] };
    let (low, high) = (ticks[0], ticks[ticks.len() - 1].max(ticks[0] + 1e-9));
    let x = |place: usize| left + (right - left) * (place as f64 + 0.5) / values.len().max(1) as f64;
    let y = |value: f64| bottom - (bottom - top) * (value - low) / (high - low);
    let mut out = String::new();
    let _ = writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" font-size="12">
<title>{}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="{left}" y="20" font-size="14" fill="#222222">{}</text>"##,
        SIZE.0,
        SIZE.1,
        escaped(title),
        escaped(title)
    );
    for &tick in &ticks {
        let at = y(tick);
        let digits = if high - low < 2.0 { 1 } else { 0 };
        let _ = writeln!(
            out,
            r##"<path d="M{left} {at:.1}H{right}" stroke="#dddddd"/><text x="{:.1}" y="{:.1}" text-anchor="end" fill="#222222">{tick:.digits$}</text>"##,
            left - 6.0,
            at + 4.0
        );
    }
    for (place, value) in values.iter().enumerate() {
        let _ = writeln!(
            out,
            r##"<text x="{:.1}" y="{:.1}" text-anchor="middle" fill="#222222">{}</text>"##,
            x(place),
            bottom + 16.0,
            escaped(value)
        );
    }
    let _ = writeln!(
        out,
        r##"<text x="{:.1}" y="{:.1}" text-anchor="middle" fill="#222222">{}</text>"##,
        (left + right) / 2.0,
        bottom + 34.0,
        escaped(x_name)
    );
    for (number, curve) in curves.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let points: Vec<(f64, f64)> = curve
            .points
            .iter()
            .enumerate()
            .filter_map(|(place, value)| Some((x(place), y((*value)?))))
            .collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            out,
            r##"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"##,
            path.join(" ")
        );
        for (x, y) in points {
            let _ = writeln!(out, r##"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="{colour}"/>"##);
        }
        let at = top + 10.0 + 18.0 * number as f64;
        let _ = writeln!(
            out,
            r##"<path d="M{:.1} {at:.1}h18" stroke="{colour}" stroke-width="2"/><text x="{:.1}" y="{:.1}" fill="#222222">{}</text>"##,
            right + 12.0,
            right + 36.0,
            at + 4.0,
            escaped(&curve.name)
        );
    }
    out + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn points_of_other_reports_are_found_by_run_and_size() {
        let report = json!({
            "data": { "few": { "train_sentences": 300 }, "many": { "train_sentences": 9000 } },
            "runs": [
                { "name": "a", "data": "many", "result": { "LF": 80.0 } },
                { "name": "b", "data": "few", "result": { "LF": 50.0 } },
                { "name": "a", "data": "few", "result": { "LF": 70.0, "UF": 75.0 } },
            ],
        });
        assert_eq!(points_of(&report, "a", "LF").collect::<Vec<_>>(), [(9000, 80.0), (300, 70.0)]);
        assert_eq!(points_of(&report, "a", "UF").collect::<Vec<_>>(), [(300, 75.0)]);
        assert_eq!(points_of(&json!({}), "a", "LF").count(), 0);
    }

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        assert_eq!(ticks(81.3, 86.9), [80.0, 82.0, 84.0, 86.0, 88.0]);
        for (low, high) in [(0.0, 0.3), (85.0, 85.0), (12.5, 99.9)] {
            let ticks = ticks(low, high);
            assert!(ticks[0] <= low && *ticks.last().unwrap() >= high && ticks.len() < 9, "{ticks:?}");
        }
    }
}
