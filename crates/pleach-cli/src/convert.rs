//! `pleach convert`: from any format to any other, saying what the target has no place for.

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use indicatif::{ProgressBar, ProgressStyle};
use pleach_formats::{Format, Losses, WriteError, Writer};
use serde_json::json;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  pleach convert dm.sdp dm.conllu                     SDP columns to CoNLL-U
  pleach convert dev.conllu.gz dev.mrp                unpacks; the format of OUT by its extension
  zcat dev.gz | pleach convert - - --to sdp2015       between standard input and output
  pleach convert bad.conllu good.conllu --on-error skip
                                                      keeps only the well-formed sentences
  pleach convert wsj.parg wsj.conllu --words wsj.txt  CCGbank dependencies, the words from another file

Extensions of OUT: .conllu .sdp (2015) .sdp2014 .mrp .conll (SemEval-2016) .conllx .conll09 .parg .mrg,
each also with .gz or .zst. What OUT's format cannot carry is counted on standard error.";

/// Convert a file of graphs or trees into another format
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// File to read; - for standard input; .gz and .zst are unpacked
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// File to write; - for standard output; it appears only when all went well
    #[arg(value_name = "OUT")]
    output: PathBuf,

    #[command(flatten)]
    reading: InputArgs,

    /// Format of the output; by OUT's extension when not given
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    /// Print a summary as JSON: on standard output, or on standard error when OUT is -
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    match convert(&args) {
        // A reader such as `head` that has seen enough is no failure.
        Err(Failure::Data(error)) if is_broken_pipe(error.as_ref()) => Ok(()),
        other => other,
    }
}

fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(WriteError::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe)
}

fn convert(args: &Args) -> Result<(), Failure> {
    let Some(to) = args.to.or_else(|| Format::from_path(&args.output)) else {
        let name = args.output.display();
        return Err(Failure::Usage(format!("--to is needed: `{name}` does not say which format to write")));
    };
    let mut input = Input::open(&args.input, &args.reading)?;
    let mut writer = Writer::create(&args.output, Some(to))?;
    let progress = progress(&args.input);
    let (mut sentences, mut tokens) = (0_u64, 0_u64);
    while let Some(sentence) = input.next() {
        let sentence = sentence?;
        match writer.write(&sentence) {
            Ok(()) => {}
            Err(error @ WriteError::Unwritable { .. }) => {
                input.leave_out(error)?;
                continue;
            }
            Err(error) => return Err(error.into()),
        }
        sentences += 1;
        tokens += sentence.len() as u64;
        if sentences.is_multiple_of(512) {
            progress.set_position(input.position());
        }
    }
    let losses = writer.finish()?;
    progress.finish_and_clear();
    input.report_skipped();
    report_losses(&losses, to);
    if args.json {
        let lost = losses.iter().map(|(loss, count)| (loss.name().to_owned(), count.into()));
        let summary = json!({
            "input": args.input.display().to_string(),
            "output": args.output.display().to_string(),
            "from": input.format().name(),
            "to": to.name(),
            "sentences": sentences,
            "tokens": tokens,
            "skipped": input.skipped(),
            "losses": lost.collect::<serde_json::Map<_, _>>(),
        });
        let stream: &mut dyn Write =
            if args.output.as_os_str() == "-" { &mut std::io::stderr() } else { &mut std::io::stdout() };
        writeln!(stream, "{summary}")?;
    }
    Ok(())
}

/// Says what the target had no place for.
#[allow(clippy::print_stderr, reason = "the warning must not mix with data on standard output")]
fn report_losses(losses: &Losses, to: Format) {
    if !losses.is_empty() {
        eprintln!("warning: {to} has no place for {losses}");
    }
}

/// A bar over the bytes of a large file, when someone is there to see it.
fn progress(path: &Path) -> ProgressBar {
    const LARGE: u64 = 32 << 20;
    let size = std::fs::metadata(path).map_or(0, |file| if file.is_file() { file.len() } else { 0 });
    if size < LARGE || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
    ProgressBar::new(size).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
