//! `pleach parse`: text or sentences in, deep graphs out.

mod decode;
mod familiarity;
mod idle;
mod job;
mod live;
mod open;
mod part;
mod progress;
mod prompt;
mod run;
mod sink;
mod source;
mod target;

use crate::failure::Failure;
use crate::input::OnError;
use crate::limits;
use crate::setting::Setting;
use clap::ValueEnum;
use open::Kind;
use pleach::ensure::Guarantees;
use pleach::reading::TextFormat;
use pleach::{Options, ParseOptions, Tags, models};
use run::Run;
use serde_json::{Value, json};
use source::Source;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use target::Target;

const EXAMPLES: &str = "\
Examples:
  pleach parse \"The people who came wanted to stay and help.\"      draws the graph on a terminal
  pleach parse                                                     a prompt, one text a line
  pleach parse letter.txt 'news/*.txt.gz' -o parsed.conllu         files and patterns
  pleach parse --fast 'news/*.txt.gz' -o parsed.conllu             three times as fast, a little less accurate
  pleach parse letter.txt -o letter.html                           a page with pictures; also .svg and .json
  pleach parse corpus/ --output-dir parsed/ --resume               a folder; after a kill it goes on where it was
  pleach parse in.jsonl --text-field body -o out.jsonl.zst         JSON lines: fields stay, `sentences` is new
  curl -s https://example.org/a.txt | pleach parse --to mrp        any format out
  pleach parse -m my.pleach dev.conllu -o parsed.conllu            sentences that are tokenised already
  pleach parse dev.conllu --tags predicted > parsed.conllu         with the model's own tags
  pleach parse letter.txt --ensure rooted,connected                every word is reached from a root
  pleach parse -m book.pleach dev.conllu --explain > /dev/null     how a book parser bound its pages
  pleach parse -m merge.pleach dev.conllu --set iterations=10      a faster search, if the model has one

Without -m, the built-in English model is used (with --fast the smaller one); `pleach models` lists others. A file is text unless its content or
its name says otherwise. On a terminal graphs are drawn; in a pipe text becomes CoNLL-U.
The output is in the order of the input and the same to the byte whatever the number of threads.

Only words, comments and MISC of the input stay: what the model doesn't make is cleared, so that no gold annotation
passes for a parse (--keep keeps it, with a note in every sentence). Tags, features and lemmas that the input has stay, unless
--tags says otherwise; those that are missing are predicted if the model can. White space other than a single space is
kept in MISC (SpacesAfter, SpacesBefore), so no character of a text is lost.

What --ensure does changes as little as possible, and as the model likes best:
  rooted     a graph without a top gets one
  one-root   of several tops the best one stays
  connected  the fewest arcs of the best total score that make every word reachable from the root
  acyclic    the cheapest arcs whose removal leaves no cycle
  nodes      no empty nodes with fewer dependents than those of the training graphs
  labels     labels name words of the sentence only, and root arcs have the root's label
When nothing is said, all that nearly all training graphs of the model have is ensured; `--ensure none` turns it off.";

/// Parse text or sentences into deep dependency graphs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Texts, files, folders, patterns of files, or - for standard input; on a terminal nothing starts a prompt
    #[arg(value_name = "IN")]
    input: Vec<String>,

    /// Text that could be taken for a file's name
    #[arg(long, value_name = "TEXT")]
    text: Vec<String>,

    /// Model file, or the name of a model that `pleach models` lists [default: the built-in English model]
    #[arg(short, long, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// Take the built-in English model that is made for speed (-m en-fast): three times as fast, and a little less accurate
    #[arg(long, conflicts_with = "model")]
    fast: bool,

    /// Where the graphs go; standard output when not given
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// A folder with an output for every input, named as the inputs are
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["output", "draw"])]
    output_dir: Option<PathBuf>,

    /// Go on where an earlier run with --resume was stopped or killed; the result is the same to the byte
    #[arg(long)]
    resume: bool,

    /// Format of the output, or json, html or svg; by OUT's extension, else the input's, CoNLL-U for text
    #[arg(long, value_name = "FORMAT", conflicts_with = "draw")]
    to: Option<Target>,

    /// One JSON document, as --to json
    #[arg(long, conflicts_with_all = ["to", "draw"])]
    json: bool,

    /// Draw the graphs even if the output is no terminal
    #[arg(long, conflicts_with = "output")]
    draw: bool,

    /// Format of the input, text, or records (JSON lines of documents); told from its content when not given
    #[arg(long, value_name = "FORMAT")]
    from: Option<Kind>,

    /// The input is JSON lines of documents, and this field (or /path/to/field) has the text [default: text]
    #[arg(long, value_name = "FIELD")]
    text_field: Option<String>,

    /// How text is laid out
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    text_format: Layout,

    /// Tags, features and lemmas of the input
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    tags: Which,

    /// Keep annotation of the input that the model doesn't make (HEAD and DEPREL for a graph model, DEPS for a tree
    /// model, frames, brackets); a comment, kept_from_input, says of every sentence what is kept
    #[arg(long)]
    keep: bool,

    /// Say in MISC where every token stands in its text: TokenRange=start:end, in characters
    #[arg(long)]
    ranges: bool,

    /// Threads; all cores when not given
    #[arg(long, value_name = "N", value_parser = limits::threads)]
    threads: Option<usize>,

    /// Width of the beam, 1 for greedy; the model's own when not given
    #[arg(long, value_name = "N", value_parser = limits::beam)]
    beam: Option<usize>,

    /// Another value of a recipe key that only parsing depends on, e.g. iterations=10; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<Setting>,

    /// Folder of the pretrained encoder that the model was trained with, if it is not where it was; $PLEACH_ENCODER can
    /// name it too
    #[arg(long, value_name = "FOLDER")]
    encoder: Option<PathBuf>,

    /// What every graph must have: any of rooted,one-root,connected,acyclic,nodes,labels, or none [default: what the
    /// model's training graphs have; `pleach info` says so]
    #[arg(long, value_name = "LIST")]
    ensure: Option<Guarantees>,

    /// For ensembles: an arc needs more than this share of the votes
    #[arg(long, value_name = "SHARE")]
    threshold: Option<f64>,

    /// Sentences of more words are parsed in pieces of so many, without arcs between these, and counted on standard
    /// error
    #[arg(long, value_name = "N", default_value_t = limits::LONGEST_SENTENCE, value_parser = limits::words)]
    max_words: usize,

    /// Say on standard error how each graph was found: of books, the iterations that bound their pages
    #[arg(long)]
    explain: bool,

    /// What to do when a sentence is malformed
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    on_error: OnError,
}

/// How text is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// Blank lines between paragraphs; sentences and words are found
    #[default]
    Paragraphs,
    /// One sentence a line; words are found
    Lines,
    /// One sentence a line, words between spaces
    Tokens,
}

impl From<Layout> for TextFormat {
    fn from(layout: Layout) -> Self {
        match layout {
            Layout::Paragraphs => TextFormat::Paragraphs,
            Layout::Lines => TextFormat::Lines,
            Layout::Tokens => TextFormat::Tokens,
        }
    }
}

/// Which tags are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Those of the input; missing ones are predicted
    #[default]
    Auto,
    /// Those of the input only
    Given,
    /// The model's own
    Predicted,
}

impl Args {
    /// What the input is, if that is said.
    fn kind(&self) -> Option<Kind> {
        self.from.or_else(|| self.text_field.as_ref().map(|_| Kind::Records))
    }

    /// What the output is, if that is said.
    fn to(&self) -> Option<Target> {
        self.to.or(self.json.then_some(Target::Json))
    }

    /// How the model is called.
    fn model_name(&self) -> String {
        let builtin = models::builtin().first().map_or("", |builtin| builtin.name);
        self.model().map_or(builtin.to_owned(), |model| model.display().to_string())
    }

    /// The model that is asked for, if one is.
    fn model(&self) -> Option<&Path> {
        self.model.as_deref().or_else(|| self.fast.then_some(Path::new(models::FAST)))
    }

    /// The options that the output depends on, for journals.
    fn meaning(&self) -> Value {
        json!({
            "from": self.from.map(|kind| kind.to_string()),
            "to": self.to().map(|target| target.to_string()),
            "text_field": self.text_field,
            "text_format": format!("{:?}", self.text_format),
            "tags": format!("{:?}", self.tags),
            "keep": self.keep,
            "ranges": self.ranges,
            "beam": self.beam,
            "set": self.set.iter().map(|setting| format!("{}={}", setting.key, setting.value)).collect::<Vec<_>>(),
            "ensure": format!("{:?}", self.ensure),
            "threshold": self.threshold,
            "max_words": self.max_words,
            "on_error": format!("{:?}", self.on_error),
        })
    }

    /// Says which options don't go together.
    fn check(&self, sources: &[Source]) -> Result<(), Failure> {
        let usage = |message: &str| Err(Failure::Usage(message.to_owned()));
        if self.text_field.is_some() && self.from.is_some_and(|kind| kind != Kind::Records) {
            return usage("--text-field is for records; leave out --from, or say --from records");
        }
        if let (Some(output), None) = (&self.output, self.to()) {
            idle::refuse_picture(output)?;
        }
        if !self.resume {
            return Ok(());
        }
        if self.output.as_deref().is_none_or(|output| output == Path::new("-")) && self.output_dir.is_none() {
            return usage(
                "--resume needs -o or --output-dir: what goes to standard output can't be gone on with",
            );
        }
        let target = self.to().or_else(|| self.output.as_deref().and_then(Target::from_path));
        if !matches!(target, None | Some(Target::Format(_))) {
            return usage("--resume needs an output of lines; json, html and svg are written whole");
        }
        if sources.iter().any(|source| source.file().is_none_or(|file| file == Path::new("-"))) {
            return usage("--resume needs files as input: it reads them again up to where it was");
        }
        Ok(())
    }
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let mut sources = Vec::new();
    for argument in &args.input {
        sources.extend(Source::all(argument, args.output_dir.as_deref())?);
    }
    sources.extend(args.text.iter().cloned().map(Source::Words));
    let prompt = sources.is_empty() && io::stdin().is_terminal();
    if sources.is_empty() {
        sources.push(Source::File("-".into()));
    }
    args.check(&sources)?;
    let places = args.output_dir.as_deref().map(|folder| job::places(&sources, folder)).transpose()?;
    if let Some(folder) = &args.encoder {
        pleach::scorer::encoders::look_in(folder)?;
    }
    let changes = args.set.iter().map(|Setting { key, value }| (key, value));
    let mut parser = models::open(args.model())?.with(changes)?;
    idle::refuse(&args, &parser)?;
    parser.options = ParseOptions {
        search: Options { beam: args.beam, threshold: args.threshold, ..Options::default() },
        guarantees: args.ensure,
        tags: match args.tags {
            Which::Auto => Tags::Auto,
            Which::Given => Tags::Given,
            Which::Predicted => Tags::Predicted,
        },
        longest: Some(args.max_words),
        keep: args.keep,
    };
    if prompt {
        return prompt::run(&args, parser);
    }
    let mut run = Run::new(&args, &parser, &sources)?;
    match places {
        Some(places) => run.apart(&sources, &places)?,
        None => run.together(&sources)?,
    }
    run.finish()
}
