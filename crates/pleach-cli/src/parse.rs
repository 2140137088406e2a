//! `pleach parse`: sentences in, deep graphs out.

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use indicatif::{ProgressBar, ProgressStyle};
use pleach::Parser;
use pleach::ensure::Guarantees;
use pleach::family::Options;
use pleach_formats::{Format, Writer};
use pleach_graph::Sentence;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  pleach parse -m my.pleach dev.conllu -o parsed.conllu
  zcat big.conllu.gz | pleach parse -m my.pleach - --threads 2 > parsed.conllu
  pleach parse -m my.pleach text.conllu -o text.mrp                any format in, any out
  pleach parse -m my.pleach dev.conllu --ensure rooted,connected   every word is reached from a root

The output is in the order of the input and the same to the byte whatever the number of threads.
Graphs that the input has are replaced; words, tags and everything else stay.

What --ensure does changes as little as possible, and as the model likes best:
  rooted     a graph without a top gets one
  connected  the fewest arcs of the best total score that make every word reachable from the root
  acyclic    the cheapest arcs whose removal leaves no cycle";

/// Sentences that are parsed in parallel before they are written.
const CHUNK: usize = 1024;

/// Parse sentences into deep dependency graphs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Model file
    #[arg(short, long, value_name = "MODEL")]
    model: PathBuf,

    /// File of tokenised, tagged sentences; - for standard input
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// Where the graphs go; standard output when not given
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Format of the output; by OUT's extension, else the input's
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    /// Threads; all cores when not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Width of the beam, 1 for greedy; the model's own when not given
    #[arg(long, value_name = "N")]
    beam: Option<usize>,

    /// What every graph must have: any of rooted,connected,acyclic
    #[arg(long, value_name = "LIST", default_value = "")]
    ensure: Guarantees,

    /// For ensembles: an arc needs more than this share of the votes
    #[arg(long, value_name = "SHARE")]
    threshold: Option<f64>,

    #[command(flatten)]
    reading: InputArgs,
}

/// Runs the verb.
#[allow(clippy::print_stderr, reason = "the summary is for people, not for pipes")]
pub fn run(args: Args) -> Result<(), Failure> {
    if args.beam == Some(0) {
        return Err(Failure::Usage("--beam is at least 1".into()));
    }
    let mut parser = Parser::open(&args.model)?;
    parser.options = Options { beam: args.beam, threshold: args.threshold };
    parser.guarantees = args.ensure;
    let mut input = Input::open(&args.input, &args.reading)?;
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from("-"));
    let to = args.to.or_else(|| Format::from_path(&output)).unwrap_or(input.format());
    let mut writer = Writer::create(&output, Some(to))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0)).build()?;
    let bar = bar();
    let started = Instant::now();
    let (mut sentences, mut words) = (0, 0);
    let mut chunk: Vec<Sentence> = Vec::with_capacity(CHUNK);
    loop {
        chunk.clear();
        for sentence in input.by_ref().take(CHUNK) {
            chunk.push(sentence?);
        }
        if chunk.is_empty() {
            break;
        }
        words += chunk.iter().map(Sentence::len).sum::<usize>();
        pool.install(|| parser.parse_all(&mut chunk));
        for sentence in &chunk {
            writer.write(sentence)?;
        }
        sentences += chunk.len();
        let speed = words as f64 / started.elapsed().as_secs_f64().max(1e-9);
        bar.set_message(format!("{sentences} sentences, {words} words, {speed:.0} words/s"));
        bar.tick();
    }
    let losses = writer.finish()?;
    bar.finish_and_clear();
    input.report_skipped();
    if !losses.is_empty() {
        eprintln!("{}: the {to} format has no place for: {losses}", output.display());
    }
    if args.output.is_some() {
        let seconds = started.elapsed().as_secs_f64();
        eprintln!(
            "{sentences} sentences, {words} words in {seconds:.2} s, {:.0} words/s",
            words as f64 / seconds
        );
    }
    Ok(())
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed_precise}") {
        bar.set_style(style);
    }
    bar
}
