//! `pleach stats`: what a graph bank is like.

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use crate::output;
use clap::ValueEnum;
use pleach_formats::Format;
use pleach_graph::properties::Root;
use pleach_graph::statistics::{LENGTHS, Source, Statistics};
use pleach_graph::{Sentence, Text, visible};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr;

const HELP: &str = "\
Examples:
  pleach stats train.conllu                    one column
  pleach stats dm.sdp pas.sdp psd.sdp          a column for each file
  pleach stats train.conllu.gz --json          the same as data, with all labels
  pleach stats train.conllu --tree             the basic trees (HEAD) instead of the graphs (DEPS)
  pleach stats train.conllu --empty-nodes keep --with-root

What is counted:
  arcs           as the file has them, tops and 0:root among them (arcs from the root)
  edges          linked pairs of words, directions and labels put aside, for all that is about crossing;
                 the root's arcs only with --with-root, as in the pagenumbers that papers report
  empty nodes    are left out with their arcs, unless --empty-nodes says otherwise
  re-entrant     a word has several heads, the root counted as one
  tree           every word has one head, and a path from the root
  projective     a tree without crossing edges, those of the root included
  acyclic        no directed cycle; a self-loop is one
  connected      all words are linked with each other, directions and root put aside
  1-endpoint-crossing  for every edge, all edges that cross it share an endpoint
  pagenumber     pages of a book with no two crossing edges on a page (Sun et al. 2017, Table 1); exact,
                 or a range such as 4-6 in the rare sentence where the search was given up

JSON: one object for one file, an array for several; {count, share} with shares from 0 to 1.";

/// Count sentences, arcs, labels, crossings, pagenumbers and other properties of graphs
#[derive(clap::Args)]
#[command(after_long_help = HELP, after_help = "See --help for examples and for what is counted.")]
pub struct Args {
    /// Files in any format; - for standard input; .gz and .zst are unpacked
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// How many labels the table shows, the most frequent first; JSON has them all
    #[arg(long, value_name = "N", default_value_t = 10)]
    labels: usize,

    /// Describe the basic trees instead of the graphs; always so for CoNLL-X
    #[arg(long)]
    tree: bool,

    /// What to do with empty nodes (8.1)
    #[arg(long, value_enum, default_value_t, value_name = "WHAT", conflicts_with = "tree")]
    empty_nodes: EmptyNodes,

    /// Let the root's arcs take part in crossings and pages, the root standing left of the first word
    #[arg(long)]
    with_root: bool,

    #[command(flatten)]
    input: InputArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum EmptyNodes {
    /// Leave them out with their arcs
    #[default]
    Drop,
    /// Treat them like words
    Keep,
    /// Collapse them into path labels (conj>nsubj)
    Collapse,
}

/// Sentences that are described in parallel before more are read, and the tokens that end a batch early.
const BATCH: usize = 512;
const BATCH_TOKENS: usize = 1 << 16;

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let mut columns = Vec::new();
    for path in &args.files {
        columns.push(Column::read(path, &args)?);
    }
    let text = match (args.json, columns.as_slice()) {
        (false, columns) => table(columns, args.labels),
        (true, [column]) => format!("{:#}\n", column.json()),
        (true, columns) => format!("{:#}\n", columns.iter().map(Column::json).collect::<Value>()),
    };
    output::print(text)
}

/// The figures of one file.
struct Column {
    name: String,
    format: Format,
    skipped: u64,
    statistics: Statistics,
}

impl Column {
    fn read(path: &Path, args: &Args) -> Result<Column, Failure> {
        let mut input = Input::open(path, &args.input)?;
        let format = input.format();
        let source = match args.empty_nodes {
            _ if args.tree || format == Format::ConllX => Source::Tree,
            EmptyNodes::Drop => Source::Words,
            EmptyNodes::Keep => Source::All,
            EmptyNodes::Collapse => Source::Collapsed,
        };
        let root = if args.with_root { Root::Included } else { Root::Excluded };
        let describe = |batch: &[Sentence]| {
            let each = batch.par_iter().map(|sentence| Statistics::of(sentence, source, root));
            each.reduce(Statistics::default, |mut sum, part| {
                sum.merge(part);
                sum
            })
        };
        let mut statistics = Statistics::default();
        let mut batch = Vec::with_capacity(BATCH);
        let mut tokens = 0;
        while let Some(sentence) = input.next().transpose()? {
            tokens += sentence.len();
            batch.push(sentence);
            if batch.len() == BATCH || tokens >= BATCH_TOKENS {
                statistics.merge(describe(&batch));
                batch.clear();
                tokens = 0;
            }
        }
        statistics.merge(describe(&batch));
        input.report_skipped();
        let name = path.display().to_string();
        Ok(Column { name, format, skipped: input.skipped(), statistics })
    }

    fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("file".into(), json!(self.name));
        object.insert("format".into(), json!(self.format.to_string()));
        object.insert("skipped".into(), json!(self.skipped));
        for section in sections(&self.statistics) {
            let rows = section.rows.into_iter().map(|row| (row.key, row.figure.json()));
            object.insert(section.key.into(), Value::Object(rows.collect()));
        }
        let labels = by_frequency(&self.statistics.arcs_by_label);
        let labels: Map<String, Value> =
            labels.into_iter().map(|(label, count)| (label.to_string(), json!(count))).collect();
        object.insert("labels".into(), Value::Object(labels));
        Value::Object(object)
    }
}

/// Labels with their counts, the most frequent first.
fn by_frequency(labels: &BTreeMap<Text, u64>) -> Vec<(&Text, u64)> {
    let mut labels: Vec<(&Text, u64)> = labels.iter().map(|(label, &count)| (label, count)).collect();
    labels.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    labels
}

/// A figure of the table.
#[derive(Clone, Copy)]
enum Figure {
    Count(u64),
    /// So many of so many.
    Share(u64, u64),
    Ratio(f64),
}

impl Figure {
    fn json(self) -> Value {
        match self {
            Figure::Count(count) => json!(count),
            // Nothing out of nothing has no share.
            Figure::Share(count, 0) => json!({ "count": count, "share": null }),
            Figure::Share(count, of) => json!({ "count": count, "share": count as f64 / of as f64 }),
            Figure::Ratio(ratio) => json!(ratio),
        }
    }

    /// The figure, and its percentage.
    fn cells(self) -> (String, String) {
        match self {
            Figure::Count(count) => (count.to_string(), String::new()),
            Figure::Share(count, 0) => (count.to_string(), String::new()),
            Figure::Share(count, of) => {
                (count.to_string(), format!("{:.2} %", 100.0 * count as f64 / of as f64))
            }
            Figure::Ratio(ratio) => (format!("{ratio:.3}"), String::new()),
        }
    }
}

struct Row {
    key: String,
    name: String,
    figure: Figure,
}

struct Section {
    key: &'static str,
    title: &'static str,
    rows: Vec<Row>,
}

fn row(key: &str, name: &str, figure: Figure) -> Row {
    Row { key: key.to_owned(), name: name.to_owned(), figure }
}

fn ratio(count: u64, of: u64) -> Figure {
    Figure::Ratio(if of == 0 { 0.0 } else { count as f64 / of as f64 })
}

/// All figures but the labels, once for the table and the JSON.
fn sections(s: &Statistics) -> Vec<Section> {
    use Figure::{Count, Share};
    let sentences = |count| Share(count, s.sentences);
    let tokens = |count| Share(count, s.node_tokens);
    let between = s.arcs - s.root_arcs;
    let size = vec![
        row("sentences", "sentences", Count(s.sentences)),
        row("tokens", "tokens", Count(s.word_tokens + s.empty_node_tokens)),
        row("words", "words", Count(s.word_tokens)),
        row("empty_nodes", "empty nodes", Count(s.empty_node_tokens)),
        row("with_empty_nodes", "sentences with empty nodes", sentences(s.with_empty_nodes)),
        row("multiword_tokens", "multiword tokens", Count(s.multiword_tokens)),
    ];
    let arcs = vec![
        row("arcs", "arcs", Count(s.arcs)),
        row("root_arcs", "arcs from the root", Count(s.root_arcs)),
        row("arcs_between_tokens", "arcs between words", Count(between)),
        row("labels", "labels", Count(s.arcs_by_label.len() as u64)),
        row("density", "arcs per word", ratio(s.arcs, s.node_tokens)),
        row("density_without_root", "arcs between words per word", ratio(between, s.node_tokens)),
        row("pairs_with_several_labels", "pairs with several labels", Count(s.pairs_with_several_labels)),
        row("without_arcs", "sentences without arcs", sentences(s.without_arcs)),
    ];
    let lengths = LENGTHS.iter().zip(s.arcs_by_length).map(|(&(from, to), count)| {
        let name = match to {
            _ if from == to => from.to_string(),
            u32::MAX => format!("{from}+"),
            _ => format!("{from}-{to}"),
        };
        row(&name, &name, Share(count, between))
    });
    let heads = vec![
        row("no_top", "no top", sentences(s.by_tops[0])),
        row("one_top", "one top", sentences(s.by_tops[1])),
        row("several_tops", "several tops", sentences(s.by_tops[2])),
        row("tops", "tops", Count(s.top_tokens)),
        row("reentrant", "re-entrant sentences", sentences(s.reentrant)),
        row("multi_headed_tokens", "words with several heads", tokens(s.multi_headed_tokens)),
        row("isolated_tokens", "words without arcs", tokens(s.isolated_tokens)),
    ];
    let shape = vec![
        row("tree", "trees", sentences(s.trees)),
        row("projective", "projective trees", sentences(s.projective)),
        row("acyclic", "acyclic", sentences(s.acyclic)),
        row("with_two_cycles", "sentences with two-cycles", sentences(s.with_two_cycles)),
        row("two_cycles", "two-cycles", Count(s.two_cycle_pairs)),
        row("self_loops", "self-loops", Count(s.self_loop_tokens)),
        row("reachable", "all words reachable from the root", sentences(s.reachable)),
        row("unreachable_tokens", "unreachable words", tokens(s.unreachable_tokens)),
        row("connected", "connected", sentences(s.connected)),
        row("connected_with_root", "connected by the root's arcs too", sentences(s.connected_with_root)),
        row("components", "components", Count(s.components)),
    ];
    let crossing = vec![
        row("noncrossing", "noncrossing", sentences(s.noncrossing)),
        row("one_endpoint_crossing", "1-endpoint-crossing", sentences(s.one_endpoint_crossing)),
        row("edges", "edges", Count(s.edge_pairs)),
        row("crossing_edges", "crossing edges", Share(s.crossing_edges, s.edge_pairs)),
        row("crossing_pairs", "pairs of crossing edges", Count(s.crossing_pairs)),
    ];
    let exact = s.pagenumbers().into_iter().map(|(pages, count)| (pages.to_string(), count));
    let ranges = s.unknown_pagenumbers().map(|(range, count)| (range.to_string(), count));
    let pages = exact.chain(ranges).map(|(pages, count)| row(&pages, &pages, sentences(count)));
    let trees = vec![
        row("complete", "complete trees", sentences(s.with_basic_tree)),
        row("projective", "projective trees", sentences(s.projective_basic_trees)),
    ];
    vec![
        Section { key: "size", title: "Size", rows: size },
        Section { key: "arcs", title: "Arcs", rows: arcs },
        Section { key: "lengths", title: "Arcs between words by length", rows: lengths.collect() },
        Section { key: "heads", title: "Tops and heads", rows: heads },
        Section { key: "shape", title: "Shape", rows: shape },
        Section { key: "crossing", title: "Crossing", rows: crossing },
        Section { key: "pagenumber", title: "Pagenumber", rows: pages.collect() },
        Section { key: "basic_trees", title: "Basic trees", rows: trees },
    ]
}

/// One line of the table: a name, and a figure for each file that has it.
type Line = (String, Vec<Option<Figure>>);

fn table(columns: &[Column], labels: usize) -> String {
    let mut parts: Vec<(String, Vec<Line>)> = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        for (i, section) in sections(&column.statistics).into_iter().enumerate() {
            if place == 0 {
                parts.push((section.title.to_owned(), Vec::new()));
            }
            let lines = &mut parts[i].1;
            for row in section.rows {
                let line = match lines.iter_mut().find(|(name, _)| *name == row.name) {
                    Some(line) => line,
                    None => {
                        lines.push((row.name, vec![None; columns.len()]));
                        let last = lines.len() - 1;
                        &mut lines[last]
                    }
                };
                line.1[place] = Some(row.figure);
            }
        }
    }
    // A file without thick graphs has no row for them: order the rows of all files.
    for (title, lines) in &mut parts {
        if title == "Pagenumber" {
            let number = |text: &str| text.parse::<u32>().unwrap_or(0);
            lines.sort_by_key(|(name, _)| match name.split_once('-') {
                Some((lower, upper)) => (number(upper), number(lower)),
                None => (number(name), u32::MAX),
            });
        }
    }
    if labels > 0 {
        parts.push(label_lines(columns, labels));
    }
    draw(columns, &parts)
}

/// The most frequent labels of all files together.
fn label_lines(columns: &[Column], shown: usize) -> (String, Vec<Line>) {
    let mut sums: BTreeMap<Text, u64> = BTreeMap::new();
    for (label, count) in columns.iter().flat_map(|column| &column.statistics.arcs_by_label) {
        *sums.entry(label.clone()).or_default() += count;
    }
    let lines = by_frequency(&sums).into_iter().take(shown).map(|(label, _)| {
        let figure = |column: &Column| {
            let count = column.statistics.arcs_by_label.get(label)?;
            Some(Figure::Share(*count, column.statistics.arcs))
        };
        // A label is from a file: it may not steer the terminal.
        (visible(label).into_owned(), columns.iter().map(figure).collect())
    });
    let title = match sums.len() {
        all if all > shown => format!("Labels ({shown} of {all})"),
        _ => "Labels".to_owned(),
    };
    (title, lines.collect())
}

/// How wide a column's heading may be.
const HEADING: usize = 24;

fn draw(columns: &[Column], parts: &[(String, Vec<Line>)]) -> String {
    let lines = || parts.iter().flat_map(|(_, lines)| lines);
    let names = lines().map(|(name, _)| name.width() + 2).max().unwrap_or(0);
    let cells = |figure: &Option<Figure>| figure.map_or(("-".to_owned(), String::new()), Figure::cells);
    let widths: Vec<(usize, usize)> = (0..columns.len())
        .map(|place| {
            let cells = lines().map(|(_, figures)| cells(&figures[place]));
            cells.fold((0, 0), |(a, b), (count, percent)| (a.max(count.len()), b.max(percent.len())))
        })
        .collect();
    let headings: Vec<String> = columns.iter().map(|column| heading(&column.name)).collect();
    let width = |place: usize| (widths[place].0 + 1 + widths[place].1).max(headings[place].width());

    let mut out = " ".repeat(names);
    for (place, heading) in headings.iter().enumerate() {
        let gap = width(place) - heading.width();
        let _ = write!(out, "  {}{heading}", " ".repeat(gap));
    }
    out.push('\n');
    for (title, lines) in parts {
        let _ = writeln!(out, "\n{title}");
        for (name, figures) in lines {
            let mut line = format!("  {name}{}", " ".repeat(names - 2 - name.width()));
            for (place, figure) in figures.iter().enumerate() {
                let (count, percent) = cells(figure);
                let (_, percents) = widths[place];
                let counts = width(place) - percents - 1;
                let _ = write!(line, "  {count:>counts$} {percent:>percents$}");
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out
}

/// A file's name, or its end when it is long.
fn heading(name: &str) -> String {
    let name = visible(name);
    if name.width() <= HEADING {
        return name.into_owned();
    }
    let mut start = name.len();
    for (i, _) in name.char_indices().rev() {
        if name[i..].width() >= HEADING {
            break;
        }
        start = i;
    }
    format!("…{}", &name[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_keep_the_end_of_a_name() {
        assert_eq!(heading("a.conllu"), "a.conllu");
        let long = heading("/some/where/far/away/train.conllu");
        assert!(long.ends_with("/train.conllu") && long.starts_with('…') && long.width() <= HEADING);
        assert_eq!(heading("a\u{1b}[1m"), "a␛[1m");
        assert!(heading(&"漢".repeat(40)).width() <= HEADING);
    }

    #[test]
    fn columns_line_up_and_missing_rows_are_dashes() {
        let column = |name: &str, pages: &[(u32, u32)]| Column {
            name: name.into(),
            format: Format::Conllu,
            skipped: 0,
            statistics: Statistics {
                sentences: pages.len() as u64,
                by_pagenumber: pages.iter().map(|&pages| (pages, 1)).collect(),
                arcs: 2,
                arcs_by_label: BTreeMap::from([("x".into(), 1), ("a\u{1b}".into(), 1)]),
                ..Statistics::default()
            },
        };
        let text = table(&[column("one", &[(1, 1), (3, 4)]), column("two", &[(3, 3)])], 1);
        let pages: Vec<&str> =
            text.lines().skip_while(|line| *line != "Pagenumber").skip(1).take(4).map(str::trim).collect();
        let pages: Vec<Vec<&str>> = pages.iter().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(pages[0], ["1", "1", "50.00", "%", "0", "0.00", "%"]);
        assert_eq!(pages[2], ["3", "-", "1", "100.00", "%"]);
        assert_eq!(pages[3], ["3-4", "1", "50.00", "%", "-"]);
        assert!(text.contains("Labels (1 of 2)") && !text.contains('\u{1b}'));
        let json = column("one", &[(2, 2)]).json();
        assert_eq!(json["pagenumber"]["2"], json!({ "count": 1, "share": 1.0 }));
        assert_eq!(json["labels"]["x"], 1);
        assert_eq!(json["heads"]["isolated_tokens"]["share"], Value::Null);
    }
}
