//! `pleach eval`: scores by the rules of the official scorers.

use crate::failure::Failure;
use crate::input::{Input, InputArgs, OnError, formats};
use crate::output;
use clap::ValueEnum;
use pleach::scored::{Scored, fitting_metric};
use pleach_eval::sdp::{Arguments, SdpOptions};
use pleach_eval::significance::Bootstrap;
use pleach_eval::{Details, EvalError, Metric, Options, evaluate};
use pleach_formats::Format;
use std::error::Error;
use std::path::{Path, PathBuf};
use thiserror::Error;

const HELP: &str = "\
Examples:
  pleach eval gold.sdp system.sdp --by-length         SDP scores, also by length of arcs
  pleach eval gold.conllu system.conllu --json        ELAS, EULAS, LAS, … as data
  pleach eval gold.conllu system.conllu --metric tree  UAS, LAS, crossing arcs
  pleach eval gold.sdp one.sdp two.sdp                two systems: is the difference significant?

Metrics, and where they come from:
  sdp        SDP toolkit (SemEval-2014 Task 8, SemEval-2015 Task 18): labelled and unlabelled P, R, F and
             exact match with and without tops; complete predications and semantic frames of verbs. Any
             graphs: in CoNLL-U, arcs from 0 are the tops, and empty nodes are collapsed first. An arc is non-local when its dependent has more
             than one head in gold or system, tops not counted; crossing arcs: recall of those that
             cross another one in gold, precision of those that do in the system's graph
  semeval16  SemEval-2016 Task 9: LF, UF, NLF, NUF; tokens that are all Unicode punctuation are left out;
             a token with several heads in gold or system is non-local
  eud        iwpt20_xud_eval.py after enhanced_collapse_empty_nodes.pl: ELAS, EULAS, and all scores of
             CoNLL 2018; sentences and tokens may differ as long as the characters are the same
  tree       UAS, LAS (full labels) as CoNLL-X's eval.pl; without punctuation: forms that are all Unicode
             punctuation (its rule), and UPOS PUNCT; CUR: recall of gold arcs that cross a gold arc
When not given: sdp for SDP, MRP and .parg files and for CoNLL-2009 with APREDs, semeval16 for its format,
eud for CoNLL-U with DEPS in all files, else tree.

JSON: ratios from 0 to 1, null where the official scorer has NaN or inf; counts as gold, system, correct.
  sdp        LP LR LF LM UP UR UF UM counts, without_tops.{same, by_length}, predications.{PP PR PF},
             frames.{FP FR FF}, local, non_local, long_distance, locality.{by URL LRL URNL LRNL}, crossing.{LP … UF counts},
             by_length.{1,2,3,4,5-9,10+}, by_label
  semeval16  LP LR LF NLP NLR NLF UP UR UF NUP NUR NUF LM UM counts
  eud        {Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS ELAS EULAS CLAS MLAS BLEX}
             .{precision recall f1 aligned_accuracy gold system correct aligned}
  tree       UAS LAS LAS_universal LA counts UM LM CUR, without_punctuation, without_upos_punct, crossing,
             crossing_without_root
  two files  systems[0], systems[1], comparison.{LF, …}.{first second delta p_value},
             comparison.diversity.{labelled unlabelled}: 2|A∩B|/(|A|+|B|) over the systems' arcs

Files that do not align end with exit code 1 and the first difference.";

/// Score one or two systems against gold
#[derive(clap::Args)]
#[command(after_long_help = HELP, after_help = "See --help for the metrics, the keys of the JSON and examples.")]
pub struct Args {
    /// The gold standard; - for standard input; .gz and .zst are unpacked
    gold: PathBuf,

    /// The system's output
    #[arg(value_name = "PRED")]
    system: PathBuf,

    /// A second system's output, to be compared with the first
    #[arg(value_name = "PRED2")]
    second: Option<PathBuf>,

    /// Whose rules to score by; by the format when not given [sdp, semeval16, eud, tree]
    #[arg(long)]
    metric: Option<Metric>,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    #[arg(long, value_name = "FORMAT", help = formats("Format of the files"))]
    from: Option<Format>,

    /// Words for .parg files: one tokenised sentence per line, or any format that Pleach reads
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,

    /// Also print a row per label (--metric sdp)
    #[arg(long)]
    per_label: bool,

    /// Also print a row per length of arcs (--metric sdp)
    #[arg(long)]
    by_length: bool,

    /// Leave out arcs at punctuation, by its tag . , : ( or ) (--metric sdp; semeval16 always leaves it out,
    /// trees are scored both ways)
    #[arg(long, conflicts_with = "punct")]
    no_punct: bool,

    /// Count punctuation too (--metric semeval16)
    #[arg(long)]
    punct: bool,

    /// Which labels make up predications and frames (--metric sdp)
    #[arg(long, value_enum, default_value_t, value_name = "BANK")]
    representation: Representation,

    /// Samples of the paired bootstrap, for two systems
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().samples)]
    samples: u64,

    /// Seed of the paired bootstrap; the same seed gives the same p on any machine
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().seed)]
    seed: u64,
}

/// The representations of SemEval-2015 Task 18, which differ in what is a core argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Representation {
    /// All labels
    #[default]
    Any,
    /// All labels
    Dm,
    /// verb_arg12 and its like
    Pas,
    /// Labels that end in -arg
    Psd,
}

/// Two files that cannot be compared.
#[derive(Debug, Error)]
#[error("{gold} and {system}: {error}{hint}")]
struct Unfit {
    gold: String,
    system: String,
    error: Box<dyn Error + Send + Sync>,
    hint: &'static str,
}

/// What to do when the files have different words of the same text.
const ALIGN: &str = ". --metric eud finds out which words of a text belong together";

/// A file without anything to score.
#[derive(Debug, Error)]
#[error("{0}: brackets have no graphs or dependency trees to score; convert them first")]
struct NothingToScore(String);

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let paths: Vec<&Path> =
        [&args.gold, &args.system].into_iter().chain(&args.second).map(PathBuf::as_path).collect();
    if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(Failure::Usage("only one of the files can be standard input".to_owned()));
    }
    let mut inputs = open(&paths, &args)?;
    let metric = match args.metric {
        Some(metric) => metric,
        None => fitting_metric(&mut inputs),
    };
    refuse_idle(&args, metric)?;
    let arguments = match args.representation {
        Representation::Any | Representation::Dm => Arguments::All,
        Representation::Pas => Arguments::Pas,
        Representation::Psd => Arguments::Psd,
    };
    let options = Options {
        sdp: SdpOptions { exclude_punctuation: args.no_punct, arguments },
        semeval16_punctuation: args.punct,
        bootstrap: Bootstrap { samples: args.samples, seed: args.seed },
        ..Options::new(metric)
    };
    let evaluation = match &mut inputs[..] {
        [gold, system] => evaluate(&options, gold, system, None),
        [gold, system, second] => evaluate(&options, gold, system, Some(second)),
        _ => return Err(Failure::Usage("expected GOLD and PRED".to_owned())),
    };
    let evaluation = evaluation.map_err(|error| failure(error, &paths))?;
    let report = evaluation.report(Details { labels: args.per_label, lengths: args.by_length });
    let text = match args.json {
        true => format!("{:#}\n", report.json()),
        false => report.to_string(),
    };
    output::print(text)
}

/// Options that the metric knows nothing of are refused: whoever gives them waits for rows that never come.
fn refuse_idle(args: &Args, metric: Metric) -> Result<(), Failure> {
    let sdp = [Metric::Sdp].as_slice();
    let options = [
        ("--per-label", args.per_label, sdp),
        ("--by-length", args.by_length, sdp),
        ("--no-punct", args.no_punct, sdp),
        ("--representation", args.representation != Representation::Any, sdp),
        ("--punct", args.punct, &[Metric::Semeval16]),
    ];
    for (option, given, metrics) in options {
        if given && !metrics.contains(&metric) {
            let (name, wanted) = (metric.name(), metrics[0].name());
            return Err(Failure::Usage(format!(
                "{option} does nothing with the metric {name} that these files are scored by; add --metric {wanted}"
            )));
        }
    }
    if args.second.is_none()
        && (args.samples, args.seed) != (Bootstrap::default().samples, Bootstrap::default().seed)
    {
        return Err(Failure::Usage("--samples and --seed are for the comparison of two systems".into()));
    }
    Ok(())
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn failure(error: EvalError<Failure>, paths: &[&Path]) -> Failure {
    let unfit = |system: usize, error: Box<dyn Error + Send + Sync>, hint: &'static str| {
        let name =
            |path: &Path| if is_stdin(path) { "<stdin>".to_owned() } else { path.display().to_string() };
        Failure::Data(Box::new(Unfit { gold: name(paths[0]), system: name(paths[system + 1]), error, hint }))
    };
    match error {
        EvalError::Read(failure) => failure,
        EvalError::Mismatch { system, error } => unfit(system, Box::new(error), ALIGN),
        EvalError::Ud { system, error } => unfit(system, Box::new(error), ""),
        EvalError::NoTree(error) => Failure::from(error),
    }
}

/// Opens the files. SemEval-2016 and CoNLL-X look alike as long as no token has two heads, so one file can
/// decide for the others, and so can the metric.
fn open(paths: &[&Path], args: &Args) -> Result<Vec<Scored<Input>>, Failure> {
    let open = |path: &Path, from: Option<Format>| {
        let reading = InputArgs { from, on_error: OnError::Fail, words: args.words.clone() };
        Input::open(path, &reading)
    };
    let mut inputs = Vec::new();
    for path in paths {
        inputs.push(open(path, args.from)?);
    }
    if let Some(place) = inputs.iter().position(|input| input.format() == Format::Brackets) {
        return Err(NothingToScore(paths[place].display().to_string()).into());
    }
    let graphs = inputs.iter().any(|input| input.format() == Format::Semeval16);
    let (from, to) = match args.metric {
        Some(Metric::Tree) => (Format::Semeval16, Format::ConllX),
        Some(Metric::Semeval16) => (Format::ConllX, Format::Semeval16),
        _ if graphs => (Format::ConllX, Format::Semeval16),
        _ => (Format::ConllX, Format::ConllX),
    };
    if args.from.is_none() && from != to {
        for (input, path) in inputs.iter_mut().zip(paths) {
            if input.format() == from && is_stdin(path) {
                return Err(Failure::Usage(format!("--from is needed: standard input looks like {from}")));
            }
            if input.format() == from {
                *input = open(path, Some(to))?;
            }
        }
    }
    let scored = |input: Input| {
        let format = input.format();
        Scored::new(input, Some(format))
    };
    Ok(inputs.into_iter().map(scored).collect())
}
