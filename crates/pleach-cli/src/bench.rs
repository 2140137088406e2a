//! `pleach bench`: how fast a model is.

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use crate::setting::Setting;
use crate::{limits, output};
use indicatif::{ProgressBar, ProgressStyle};
use pleach_graph::Sentence;
use pleach_lab::bench::{Bench, Measured};
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pleach bench -m my.pleach dev.conllu
  pleach bench -m en dev.conllu                      a model by its name, as `pleach models` lists them
  pleach bench -m my.pleach dev.conllu --beams 1,4,16,64 --rounds 5 --json
  pleach bench -m my.pleach dev.conllu --threads 2

Only parsing is timed, not reading and writing. The rounds of the beams alternate, so that other work on
the machine slows them all. The exponent is the slope of log time over log length in buckets of sentences
of about the same length: 1 is linear. LF is against the graphs of the input, if it has any.
Peak memory is the whole process, the input's sentences included (Linux).";

/// Measure the speed of a model
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Model file, or the name of a model that `pleach models` lists [default: the built-in English model]
    #[arg(short, long, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// Tokenised, tagged sentences
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// Widths of the beam; the model's own when not given
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = limits::beam)]
    beams: Vec<usize>,

    /// Another value of a recipe key that only parsing depends on, e.g. iterations=10; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<Setting>,

    /// How often each beam parses everything
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: usize,

    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = limits::threads)]
    threads: usize,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: InputArgs,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    if args.rounds == 0 {
        return Err(Failure::Usage("--rounds is at least 1".into()));
    }
    let mut input = Input::open(&args.input, &args.reading)?;
    let sentences: Vec<Sentence> = input.by_ref().collect::<Result<_, _>>()?;
    input.report_skipped();
    let changes = args.set.into_iter().map(|Setting { key, value }| (key, value)).collect();
    let Args { beams, rounds, threads, .. } = args;
    let bench = Bench { beams, rounds, threads, changes };
    let bar = bar();
    let open = || pleach::models::open(args.model.as_deref());
    let measured = bench.run(open, &sentences, &mut |done, of| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    })?;
    bar.finish_and_clear();
    match args.json {
        true => output::print(format!("{}\n", serde_json::to_string_pretty(&measured)?)),
        false => output::print(table(&measured)),
    }
}

fn table(measured: &Measured) -> String {
    let mut text = String::new();
    let Measured { sentences, tokens, threads, rounds, .. } = measured;
    let s = if *threads == 1 { "" } else { "s" };
    let _ = writeln!(text, "{sentences} sentences, {tokens} words, {threads} thread{s}, {rounds} rounds\n");
    let scores = measured.beams.first().and_then(|beam| beam.scores.as_ref());
    let score = scores.and_then(|scores| scores.iter().next()).map_or("score", |(name, _)| name);
    let head = ["beam", "tokens/s", "median", "per CPU s", "sent/s", "median", "exponent", score];
    for (i, name) in head.iter().enumerate() {
        let width = if i == 0 { 5 } else { 11 };
        let _ = write!(text, "{name:>width$}");
    }
    text.push('\n');
    for beam in &measured.beams {
        let name = beam.beam.map_or("own".to_owned(), |beam| beam.to_string());
        let _ = write!(text, "{name:>5}");
        let speeds = [
            beam.tokens_per_second,
            beam.tokens_per_second_median,
            beam.tokens_per_cpu_second,
            beam.sentences_per_second,
            beam.sentences_per_second_median,
        ];
        for speed in speeds {
            let _ = write!(text, "{speed:>11.0}");
        }
        let or_dash = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        let (exponent, lf) =
            (or_dash(beam.exponent), or_dash(beam.scores.as_ref().map(|scores| scores.main())));
        let _ = writeln!(text, "{exponent:>11}{lf:>11}");
    }
    let _ = write!(text, "\nmicroseconds per sentence by length\n{:>9}{:>11}", "words", "sentences");
    for beam in &measured.beams {
        let name = beam.beam.map_or("own beam".to_owned(), |beam| format!("beam {beam}"));
        let _ = write!(text, "{name:>11}");
    }
    text.push('\n');
    let buckets = measured.beams.first().map_or(0, |beam| beam.by_length.len());
    for i in 0..buckets {
        for (place, beam) in measured.beams.iter().enumerate() {
            let bucket = &beam.by_length[i];
            if place == 0 {
                let range = format!("{}-{}", bucket.from, bucket.to);
                let _ = write!(text, "{range:>9}{:>11}", bucket.sentences);
            }
            let _ = write!(text, "{:>11.0}", bucket.microseconds);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "\nmodel            {:>9.1} MB", measured.model_bytes as f64 / 1e6);
    if let Some(bytes) = measured.peak_memory_bytes {
        let _ = writeln!(text, "peak memory      {:>9.1} MB", bytes as f64 / 1e6);
    }
    let _ = writeln!(text, "first parse after{:>9.1} ms", 1e3 * measured.first_parse_seconds);
    text
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} round {pos} of {len}  {elapsed_precise}") {
        bar.set_style(style);
    }
    bar
}
