//! `pleach view`: draws sentences in the terminal, as SVG or as an HTML page.

mod json;

use crate::failure::Failure;
use crate::gr::{GrArgs, Grammar};
use crate::input::{Input, InputArgs};
use crate::output::{Output, Unwritten};
use crate::plural::{count, grouped};
use crate::say::say;
use crate::screen;
use clap::ValueEnum;
use pleach_graph::Sentence;
use pleach_graph::phrase::Phrase;
use pleach_render::{
    Basis, CompareError, Differences, Ink, Page, Pages, Picture, Scene, Svg, Terminal, compare, constituents,
    paint,
};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  pleach view dev.conllu --sent 3               the third sentence, in the terminal
  pleach view dev.conllu --sent 3 -o graph.svg  the same as a picture
  pleach view dev.conllu -o dev.html            all sentences, with search and keyboard paging
  pleach view gold.sdp --compare system.sdp --differences only
                                                where a parser went wrong
  pleach view dev.conllu --id weblog-12 --tree  the basic tree of one sentence
  pleach view chtb_0001.fid --gr --sent 1       a bracketed tree with its functions, and its graph
  pleach view dev.conllu --sent 3 --width 900 -o graph.svg
                                                in rows of at most 900 pixels
  pleach view gold.sdp --compare system.sdp --json
                                                the differences, a JSON object a sentence
  pleach view dev.conllu | less -R -S           with a pager (--color always keeps the colours)

Sentences that are too wide for the terminal are drawn with one word a line, and
in pages on several rows.";

/// How wide pictures in pages are when nobody says so: they fit into a window on most screens.
const PAGE_WIDTH: i32 = 1400;

/// The most sentences that go into one SVG.
const LARGEST_SVG: usize = 50;

/// Draw graphs and trees in the terminal, as SVG, or as an HTML page
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// File to read; - for standard input; .gz and .zst are unpacked
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// Which sentences: a number from 1, a range such as 3-7, a list such as 1,5,8-9, or a sent_id
    #[arg(long, value_name = "N", value_parser = parse_choice)]
    sent: Option<Choice>,

    /// The sentence with this sent_id, even if it looks like a number
    #[arg(long, value_name = "ID", conflicts_with = "sent")]
    id: Option<String>,

    /// File to write: .svg, .html, .txt or .jsonl; the terminal when not given
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// What to write, when OUT does not say it
    #[arg(long, value_enum, value_name = "KIND")]
    to: Option<Kind>,

    /// A JSON object for each sentence: words and links, and who has them in a comparison
    #[arg(long, conflicts_with = "to")]
    json: bool,

    /// Show how a system's file differs from FILE, the gold standard
    #[arg(long, value_name = "PRED")]
    compare: Option<PathBuf>,

    /// Which sentences of a comparison to show
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", requires = "compare")]
    differences: Which,

    /// Draw the basic tree (HEAD and DEPREL), not the deep graph
    #[arg(long)]
    tree: bool,

    /// Draw all arcs above the words, also those that cross
    #[arg(long)]
    above: bool,

    /// Colour in the terminal
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Colour,

    /// Width of the drawing: columns in a terminal, pixels in SVG and HTML, where long sentences take several rows [default:
    /// that of the terminal, else 100; 1400 in HTML, none in SVG]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(10..))]
    width: Option<u16>,

    #[command(flatten)]
    gr: GrArgs,

    #[command(flatten)]
    reading: InputArgs,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Unicode arcs
    Terminal,
    /// A picture
    Svg,
    /// A page
    Html,
    /// A JSON object a line, for programs
    Json,
}

/// Which sentences of a comparison are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Which {
    /// All, in the order of the file
    #[default]
    All,
    /// All, those with differences first
    First,
    /// Only those with differences
    Only,
}

/// When colour is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Colour {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Which sentences are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    All,
    /// Ranges of numbers from 1, both ends included.
    Numbers(Vec<(usize, usize)>),
    Id(String),
}

fn parse_choice(text: &str) -> Result<Choice, String> {
    let range = |part: &str| -> Option<(usize, usize)> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
    };
    let Some(ranges) = text.split(',').map(range).collect::<Option<Vec<_>>>() else {
        return Ok(Choice::Id(text.to_owned()));
    };
    match ranges.iter().find(|(first, last)| *first == 0 || first > last) {
        Some((0, _)) => Err("sentences are numbered from 1".to_owned()),
        Some((first, last)) => Err(format!("the range {first}-{last} is empty")),
        None => Ok(Choice::Numbers(ranges)),
    }
}

impl Choice {
    fn includes(&self, number: usize, sentence: &Sentence) -> bool {
        match self {
            Choice::All => true,
            Choice::Numbers(ranges) => ranges.iter().any(|&(first, last)| (first..=last).contains(&number)),
            Choice::Id(id) => sentence.sent_id() == Some(id.as_str()),
        }
    }

    /// Whether nothing after this sentence can be chosen.
    fn ends_at(&self, number: usize) -> bool {
        matches!(self, Choice::Numbers(ranges) if ranges.iter().all(|&(_, last)| last <= number))
    }

    /// What was chosen although the file doesn't have it.
    fn unmet(&self, read: usize, drawn: usize) -> Option<String> {
        match self {
            Choice::Id(id) if drawn == 0 => Some(format!("no sentence has the id `{id}`")),
            Choice::Numbers(ranges) => ranges
                .iter()
                .find(|(first, _)| *first > read)
                .map(|(first, _)| format!("there is no sentence {first}; the file has {read}")),
            _ => None,
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum ViewError {
    #[error("{file}: {message}")]
    NotThere { file: String, message: String },
    #[error("sentence {number}{id}: the files don't belong together")]
    Words { number: usize, id: String, source: CompareError },
    #[error("{shorter} ends after {count} sentences, {longer} goes on")]
    Lengths { shorter: String, longer: String, count: usize },
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let kind = kind(&args)?;
    draw(&args, kind)
}

/// One sentence, ready to be drawn.
struct Item {
    number: usize,
    picture: Picture,
    phrase: Option<Box<Phrase>>,
}

impl Item {
    fn heading(&self) -> String {
        match &self.picture.name {
            Some(name) => format!("{} · {name}", self.number),
            None => self.number.to_string(),
        }
    }

    /// A tree of constituents, a graph, or both.
    fn scenes(&self, pages: Pages, width: Option<i32>) -> Vec<Scene> {
        let tree = self.phrase.as_deref().map(constituents::scene);
        let graph = (tree.is_none() || !self.picture.links.is_empty()).then(|| match width {
            Some(width) => Scene::wrapped(&self.picture, pages, width),
            None => Scene::new(&self.picture, pages),
        });
        tree.into_iter().chain(graph).collect()
    }
}

fn draw(args: &Args, kind: Kind) -> Result<(), Failure> {
    let choice = match (&args.sent, &args.id) {
        (Some(choice), _) => choice.clone(),
        (None, Some(id)) => Choice::Id(id.clone()),
        (None, None) => Choice::All,
    };
    let basis = if args.tree { Basis::Tree } else { Basis::Auto };
    let mut grammar = Grammar::new(&args.gr);
    let mut gold = match grammar {
        Some(_) => Grammar::open(&args.input, &args.reading)?,
        None => Input::open(&args.input, &args.reading)?,
    };
    let mut system = args.compare.as_deref().map(|path| Input::open(path, &args.reading)).transpose()?;
    // Nothing is written before the input is known to be there.
    let mut sink = Sink::open(args, kind)?;
    let mut later = Vec::new();
    let (mut read, mut drawn, mut treeless) = (0, 0, 0);
    for sentence in gold.by_ref() {
        let mut sentence = sentence?;
        read += 1;
        let other = match (&mut system, &args.compare) {
            (Some(input), Some(path)) => match input.next() {
                Some(other) => Some(other?),
                None => return Err(lengths(path, &args.input, read - 1).into()),
            },
            _ => None,
        };
        if choice.includes(read, &sentence) {
            drawn += 1;
            treeless += usize::from(args.tree && !has_tree(&sentence));
            if let Some(grammar) = &mut grammar {
                grammar.draw(&mut sentence, &args.input)?;
            }
            let picture = match &other {
                None => Picture::new(&sentence, basis),
                Some(other) => compare(&sentence, other, basis).map_err(|source| {
                    let id = sentence.sent_id().map(|id| format!(" ({id})")).unwrap_or_default();
                    ViewError::Words { number: read, id, source }
                })?,
            };
            let phrase = sentence.phrase.take().filter(|_| other.is_none());
            let item = Item { number: read, picture, phrase };
            match args.differences {
                Which::Only if !item.picture.differs() => {}
                Which::First if !item.picture.differs() => later.push(item),
                _ => sink.put(item, args)?,
            }
        }
        if choice.ends_at(read) {
            break;
        }
    }
    if !choice.ends_at(read)
        && let (Some(input), Some(path)) = (&mut system, &args.compare)
        && let Some(extra) = input.next()
    {
        extra?;
        return Err(lengths(&args.input, path, read).into());
    }
    for item in later {
        sink.put(item, args)?;
    }
    gold.report_skipped();
    if let Some(message) = choice.unmet(read, drawn) {
        return Err(ViewError::NotThere { file: args.input.display().to_string(), message }.into());
    }
    sink.finish(args)?;
    if treeless > 0 {
        let all = if treeless == drawn { String::new() } else { format!(" of {}", grouped(drawn)) };
        say!(
            "{}{all} {} no basic tree (HEAD and DEPREL); without --tree the graph is drawn",
            count(treeless, "sentence"),
            if treeless == 1 { "has" } else { "have" }
        );
    }
    Ok(())
}

/// Whether a sentence has heads in its basic tree.
fn has_tree(sentence: &Sentence) -> bool {
    sentence.tokens.iter().any(|token| token.head.is_some())
}

fn lengths(shorter: &Path, longer: &Path, count: usize) -> ViewError {
    let name = |path: &Path| path.display().to_string();
    ViewError::Lengths { shorter: name(shorter), longer: name(longer), count }
}

/// Where pictures go.
enum Sink {
    Terminal { out: Output, terminal: Terminal, drawn: usize },
    Svg { out: Output, svg: Svg, kept: Vec<Item> },
    Html(Page<Output>),
    Json(Output),
}

impl Sink {
    fn open(args: &Args, kind: Kind) -> Result<Sink, Failure> {
        let out = Output::open(args.output.as_deref())?;
        Ok(match kind {
            Kind::Terminal => Sink::Terminal { out, terminal: terminal(args), drawn: 0 },
            Kind::Svg => Sink::Svg { out, svg: Svg::new(args.compare.is_some()), kept: Vec::new() },
            Kind::Json => Sink::Json(out),
            Kind::Html => {
                let title = match &args.compare {
                    Some(system) => format!("{} — {}", args.input.display(), system.display()),
                    None => args.input.display().to_string(),
                };
                Sink::Html(Page::new(out, &title, args.compare.is_some()).map_err(writing(args))?)
            }
        })
    }

    fn put(&mut self, item: Item, args: &Args) -> Result<(), Failure> {
        match self {
            Sink::Terminal { out, terminal, drawn } => {
                let text = sentence_text(&item, terminal, args.compare.is_some(), *drawn == 0);
                *drawn += 1;
                out.write_all(text.as_bytes()).map_err(writing(args))?;
            }
            Sink::Svg { kept, .. } if kept.len() == LARGEST_SVG => {
                return Err(Failure::Usage(format!(
                    "more than {LARGEST_SVG} sentences for one SVG: choose some with --sent (such as --sent \
                     1-{LARGEST_SVG}), or write a page (-o OUT.html)"
                )));
            }
            Sink::Svg { kept, .. } => kept.push(item),
            Sink::Json(out) => {
                let sentence = json::sentence(item.number, &item.picture, args.compare.is_some());
                writeln!(out, "{sentence}").map_err(writing(args))?;
            }
            Sink::Html(page) => {
                let width = args.width.map_or(PAGE_WIDTH, i32::from);
                let scenes = item.scenes(pages(args), Some(width));
                page.push(item.number, &item.picture, &scenes).map_err(writing(args))?;
            }
        }
        Ok(())
    }

    fn finish(self, args: &Args) -> Result<(), Failure> {
        match self {
            Sink::Terminal { out, .. } | Sink::Json(out) => out.finish()?,
            Sink::Html(page) => page.finish().map_err(writing(args))?.finish()?,
            Sink::Svg { mut out, mut svg, kept } => {
                let alone = kept.len() == 1;
                for item in &kept {
                    let heading = (!alone).then(|| item.heading());
                    for (place, scene) in
                        item.scenes(pages(args), args.width.map(i32::from)).iter().enumerate()
                    {
                        svg.push(scene, heading.as_deref().filter(|_| place == 0));
                    }
                }
                out.write_all(svg.finish().as_bytes()).map_err(writing(args))?;
                out.finish()?;
            }
        }
        Ok(())
    }
}

/// A sentence for the terminal, with its heading.
fn sentence_text(item: &Item, terminal: &Terminal, comparison: bool, first: bool) -> String {
    let mut text = String::new();
    if first && comparison {
        text.push_str(&terminal.legend());
    }
    if !first || comparison {
        text.push('\n');
    }
    text.push_str(&paint(&item.heading(), Ink::Heading, terminal.colour));
    if comparison {
        text.push_str("  ");
        text.push_str(&paint(&Differences::of(&item.picture).to_string(), Ink::Faint, terminal.colour));
    }
    text.push('\n');
    if let Some(phrase) = &item.phrase {
        text.push_str(&constituents::indented(phrase, terminal.colour));
    }
    if item.phrase.is_none() || !item.picture.links.is_empty() {
        text.push_str(&terminal.draw(&item.picture));
    }
    text
}

fn kind(args: &Args) -> Result<Kind, Failure> {
    let extension =
        args.output.as_deref().and_then(Path::extension).map(|e| e.to_string_lossy().to_lowercase());
    let by_name = match (extension.as_deref(), &args.output) {
        (Some("svg"), _) => Some(Kind::Svg),
        (Some("html" | "htm"), _) => Some(Kind::Html),
        (Some("json" | "jsonl"), _) => Some(Kind::Json),
        (Some("txt"), _) | (_, None) => Some(Kind::Terminal),
        _ => None,
    };
    args.to.or(args.json.then_some(Kind::Json)).or(by_name).ok_or_else(|| {
        let name = args.output.as_deref().unwrap_or(Path::new("")).display();
        Failure::Usage(format!(
            "`{name}` does not say what to write: use .svg, .html, .txt or .jsonl, or give --to"
        ))
    })
}

fn pages(args: &Args) -> Pages {
    if args.above { Pages::Above } else { Pages::Book }
}

fn terminal(args: &Args) -> Terminal {
    let shown = args.output.is_none();
    let size = screen::width().filter(|_| shown);
    let colour = match args.color {
        Colour::Auto => shown && screen::colour(),
        Colour::Always => true,
        Colour::Never => false,
    };
    Terminal {
        width: args.width.or(size).unwrap_or(screen::DEFAULT_WIDTH).into(),
        colour,
        pages: pages(args),
    }
}

/// An error that says which file could not be written.
fn writing(args: &Args) -> impl Fn(io::Error) -> Unwritten {
    Output::unwritten(args.output.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_numbers_ranges_or_ids() {
        assert_eq!(parse_choice("3"), Ok(Choice::Numbers(vec![(3, 3)])));
        assert_eq!(parse_choice("3-7,9"), Ok(Choice::Numbers(vec![(3, 7), (9, 9)])));
        assert_eq!(parse_choice("weblog-12"), Ok(Choice::Id("weblog-12".into())));
        assert!(parse_choice("0").is_err() && parse_choice("7-3").is_err());
    }

    #[test]
    fn reading_stops_when_nothing_more_is_wanted() {
        let choice = Choice::Numbers(vec![(2, 4), (1, 1)]);
        assert!(!choice.ends_at(3) && choice.ends_at(4));
        assert_eq!(choice.unmet(1, 1).as_deref(), Some("there is no sentence 2; the file has 1"));
        assert_eq!(choice.unmet(2, 2), None);
    }
}
