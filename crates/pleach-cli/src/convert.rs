//! `pleach convert`: from any format to any other, saying what the target has no place for.

use crate::failure::Failure;
use crate::gr::{GrArgs, Grammar, ShowArgs};
use crate::input::{Input, InputArgs};
use crate::pseudo::{PseudoArgs, PseudoTrees};
use crate::say::say;
use crate::transform::TransformArgs;
use indicatif::{ProgressBar, ProgressStyle};
use pleach_formats::{Format, Losses, WriteError, Writer};
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  pleach convert dm.sdp dm.conllu                     SDP columns to CoNLL-U
  pleach convert dev.conllu.gz dev.mrp                unpacks; the format of OUT by its extension
  pleach convert dev.conllu --to sdp2015 | less       on standard output
  pleach convert parts/*.conllu -o all.jsonl.gz       several files into one
  zcat dev.gz | pleach convert - - --to sdp2015       between standard input and output
  pleach convert bad.conllu good.conllu --on-error skip
                                                      keeps only the well-formed sentences
  pleach convert wsj.parg wsj.conllu --words wsj.txt  CCGbank dependencies, the words from another file
  pleach convert ud.conllu ud.sdp --collapse-empty    enhanced UD without empty nodes
  pleach convert chtb_*.fid ctb.conllu --gr           Chinese Treebank to grammatical relations
  pleach convert chtb_0001.fid --gr --explain         the same step by step, on standard output
  pleach convert chtb_*.fid --gr --stats              arcs shared with the surface tree, relations
";

/// The examples, and the formats there are.
fn after_help() -> String {
    let formats = Format::legend();
    format!(
        "{EXAMPLES}\nFormats, and the extensions of OUT that name them, each also with .gz or .zst:\n{formats}\n\nWhat \
         OUT's format cannot carry is counted on standard error."
    )
}

/// Convert a file of graphs or trees into another format
#[derive(clap::Args)]
#[command(after_help = after_help(), override_usage = "pleach convert [OPTIONS] <IN>... <OUT>\n       pleach convert [OPTIONS] <IN>... -o <OUT>")]
pub struct Args {
    /// Files to read, and last, without -o, the file to write; - for standard input or output; .gz and .zst are
    /// unpacked and packed; OUT appears only when all went well
    #[arg(value_names = ["IN", "OUT"], num_args = 1.., required = true)]
    paths: Vec<PathBuf>,

    /// The file to write; then all others are read. One file with --to and without OUT goes to standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    #[command(flatten)]
    reading: InputArgs,

    /// Format of the output; by OUT's extension when not given
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    /// Print a summary as JSON: on standard output, or on standard error when OUT is -
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    transform: TransformArgs,

    #[command(flatten)]
    pseudo: PseudoArgs,

    #[command(flatten)]
    gr: GrArgs,

    #[command(flatten)]
    show: ShowArgs,
}

impl Args {
    /// What is read, and where it goes.
    fn inputs_and_output(&self) -> Result<(&[PathBuf], &Path), Failure> {
        let usage = |message: String| Err(Failure::Usage(message));
        match (&self.output, self.paths.as_slice()) {
            (Some(output), inputs) => Ok((inputs, output)),
            (None, [input]) if self.to.is_some() => Ok((std::slice::from_ref(input), Path::new("-"))),
            (None, [inputs @ .., output]) if !inputs.is_empty() => {
                // A pattern such as *.conllu names treebanks only: the last one is not to be lost.
                if looks_like_another(output, inputs, self.to) {
                    let name = output.display();
                    return usage(format!(
                        "`{name}` is there and looks like another file to read: say -o OUT"
                    ));
                }
                Ok((inputs, output))
            }
            _ => usage("two files are needed, IN and OUT, or --to for standard output".to_owned()),
        }
    }
}

/// Whether a file that is there would be replaced although its name is that of one more input: several inputs and it have one
/// extension, or the one that it has is of another format than what is to be written.
fn looks_like_another(output: &Path, inputs: &[PathBuf], to: Option<Format>) -> bool {
    let alike = inputs.iter().all(|input| input.extension() == output.extension());
    let said = Format::from_path(output);
    let another = to.is_some() && said.is_some() && said != to;
    output.is_file() && (alike && inputs.len() > 1 || another)
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    convert(&args)
}

fn convert(args: &Args) -> Result<(), Failure> {
    let mut grammar = Grammar::new(&args.gr);
    if args.show.prints()
        && let Some(grammar) = grammar
    {
        return grammar.print(&args.paths, &args.reading, &args.show, args.json);
    }
    let (inputs, output) = args.inputs_and_output()?;
    let Some(to) = args.to.or_else(|| Format::from_path(output)) else {
        let name = output.display();
        return Err(Failure::Usage(format!("--to is needed: `{name}` does not say which format to write")));
    };
    let open = |path: &Path| match args.gr.gr {
        Some(_) => Grammar::open(path, &args.reading),
        None => Input::open(path, &args.reading),
    };
    // The first file is opened before the output is created, so that a wrong name leaves nothing behind.
    let mut first = Some(open(&inputs[0])?);
    let mut writer = Writer::create(output, Some(to))?;
    let (mut sentences, mut tokens, mut skipped) = (0_u64, 0_u64, 0_u64);
    let mut from = Vec::new();
    let mut pseudo = PseudoTrees::new(args.pseudo);
    for path in inputs {
        let mut input = match first.take() {
            Some(input) => input,
            None => open(path)?,
        };
        let progress = progress(path);
        while let Some(sentence) = input.next() {
            let mut sentence = sentence?;
            if let Some(grammar) = &mut grammar {
                grammar.convert(&mut sentence, args.show.surface, path)?;
                if to != Format::Brackets {
                    // The tree has become the graph: it is not lost.
                    sentence.phrase = None;
                }
            }
            args.transform.apply(&mut sentence, to);
            pseudo.apply(&mut sentence);
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
        progress.finish_and_clear();
        input.report_skipped();
        skipped += input.skipped();
        if !from.contains(&input.format().name()) {
            from.push(input.format().name());
        }
    }
    let losses = writer.finish()?;
    if let Some(grammar) = &grammar {
        grammar.report();
    }
    pseudo.report();
    report_losses(&losses, to);
    if args.json {
        let lost = losses.iter().map(|(loss, count)| (loss.name().to_owned(), count.into()));
        let names: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
        let summary = json!({
            "input": names.join(" "),
            "output": output.display().to_string(),
            "from": from.join(" "),
            "to": to.name(),
            "sentences": sentences,
            "tokens": tokens,
            "skipped": skipped,
            "losses": lost.collect::<serde_json::Map<_, _>>(),
        });
        let stream: &mut dyn Write =
            if output.as_os_str() == "-" { &mut std::io::stderr() } else { &mut std::io::stdout() };
        writeln!(stream, "{summary}")?;
    }
    Ok(())
}

/// Says what the target had no place for.
fn report_losses(losses: &Losses, to: Format) {
    if !losses.is_empty() {
        say!("warning: {to} has no place for {losses}");
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
