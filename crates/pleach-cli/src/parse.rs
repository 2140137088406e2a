//! `pleach parse`: text or sentences in, deep graphs out.

mod prompt;
mod sink;
mod source;

use crate::failure::Failure;
use crate::input::{Input, OnError};
use crate::limits;
use crate::say::say;
use crate::setting::Setting;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use pleach::ensure::Guarantees;
use pleach::reading::{Notes, ReadError, TextReader};
use pleach::{Options, ParseOptions, Parser, Tags, Workspace, models};
use pleach_formats::Format;
use pleach_graph::Sentence;
use sink::Sink;
use source::{Kind, Opened, Source};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  pleach parse \"The company that Mark wants to buy is small.\"      draws the graph on a terminal
  pleach parse                                                     a prompt, one text a line
  pleach parse letter.txt 'news/*.txt.gz' -o parsed.conllu         files and patterns
  curl -s https://example.org/a.txt | pleach parse --to mrp        any format out
  pleach parse -m my.pleach dev.conllu -o parsed.conllu            sentences that are tokenised already
  pleach parse dev.conllu --tags predicted > parsed.conllu         with the model's own tags
  pleach parse letter.txt --ensure rooted,connected                every word is reached from a root
  pleach parse -m book.pleach dev.conllu --explain > /dev/null     how a book parser bound its pages
  pleach parse -m merge.pleach dev.conllu --set iterations=10       a faster search, if the model has one

Without -m, the built-in English model is used; `pleach models` lists others. A file is text unless its content or
its name says otherwise. On a terminal graphs are drawn; in a pipe text becomes CoNLL-U.
The output is in the order of the input and the same to the byte whatever the number of threads.

Graphs that the input has are replaced; words stay. Tags, features and lemmas that the input has stay too, unless
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

/// Sentences that are parsed in parallel before they are written.
const CHUNK: usize = 1024;

/// Parse text or sentences into deep dependency graphs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Texts, files, patterns of files, or - for standard input; on a terminal nothing starts a prompt
    #[arg(value_name = "IN")]
    input: Vec<String>,

    /// Text that could be taken for a file's name
    #[arg(long, value_name = "TEXT")]
    text: Vec<String>,

    /// Model file, or the name of a model that `pleach models` lists [default: the built-in English model]
    #[arg(short, long, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// Where the graphs go; standard output when not given
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Format of the output; by OUT's extension, else the input's, CoNLL-U for text
    #[arg(long, value_name = "FORMAT", conflicts_with = "draw")]
    to: Option<Format>,

    /// Draw the graphs even if the output is no terminal
    #[arg(long, conflicts_with = "output")]
    draw: bool,

    /// Format of the input, or text; told from its content when not given
    #[arg(long, value_name = "FORMAT")]
    from: Option<Kind>,

    /// Tags, features and lemmas of the input
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    tags: Which,

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

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let mut sources = Vec::new();
    for argument in &args.input {
        sources.extend(Source::all(argument)?);
    }
    sources.extend(args.text.iter().cloned().map(Source::Words));
    if let Some(folder) = &args.encoder {
        pleach::scorer::encoders::look_in(folder)?;
    }
    let changes = args.set.iter().map(|Setting { key, value }| (key, value));
    let mut parser = models::open(args.model.as_deref())?.with(changes)?;
    parser.options = ParseOptions {
        search: Options { beam: args.beam, threshold: args.threshold, ..Options::default() },
        guarantees: args.ensure,
        tags: match args.tags {
            Which::Auto => Tags::Auto,
            Which::Given => Tags::Given,
            Which::Predicted => Tags::Predicted,
        },
        longest: Some(args.max_words),
    };
    let mut run = Run::new(&args, &parser)?;
    if sources.is_empty() && io::stdin().is_terminal() {
        run.needs_tokenizer()?;
        let mut sink = run.sink(Format::Conllu)?;
        prompt::run(&parser, &mut sink)?;
        sink.finish()?;
        return Ok(());
    }
    if sources.is_empty() {
        sources.push(Source::File("-".into()));
    }
    for source in &sources {
        match source {
            Source::Words(text) => run.text(None, text.as_bytes())?,
            Source::File(path) => match source::open(path, args.from)? {
                Opened::Text(input) => run.text(Some(path), input)?,
                Opened::Sentences(reader) => run.sentences(Input::of(*reader, path, args.on_error))?,
            },
        }
    }
    run.finish()
}

/// A run under way.
struct Run<'a> {
    args: &'a Args,
    parser: &'a Parser,
    pool: rayon::ThreadPool,
    output: PathBuf,
    /// Opened when it is known what the input is.
    sink: Option<Sink>,
    to: Format,
    bar: ProgressBar,
    started: Instant,
    sentences: usize,
    words: usize,
    /// Sentences cut from text, for their ids.
    numbered: usize,
    /// Sentences that were parsed in pieces.
    cut: usize,
}

impl<'a> Run<'a> {
    fn new(args: &'a Args, parser: &'a Parser) -> Result<Self, Failure> {
        Ok(Run {
            args,
            parser,
            pool: limits::pool(args.threads)?,
            output: args.output.clone().unwrap_or_else(|| PathBuf::from("-")),
            sink: None,
            to: Format::Conllu,
            bar: bar(),
            started: Instant::now(),
            sentences: 0,
            words: 0,
            numbered: 0,
            cut: 0,
        })
    }

    /// The output for input of a format.
    fn sink(&self, from: Format) -> Result<Sink, Failure> {
        let screen = self.args.output.is_none() && io::stdout().is_terminal();
        let named = self.args.to.or_else(|| Format::from_path(&self.output));
        if self.args.draw || (screen && named.is_none()) {
            return Ok(Sink::pictures());
        }
        sink::format(&self.output, named.unwrap_or(from))
    }

    fn begin(&mut self, from: Format) -> Result<(), Failure> {
        if self.sink.is_none() {
            self.to = self.args.to.or_else(|| Format::from_path(&self.output)).unwrap_or(from);
            self.sink = Some(self.sink(from)?);
        }
        Ok(())
    }

    fn needs_tokenizer(&self) -> Result<(), Failure> {
        match self.parser.reads_text() {
            true => Ok(()),
            false => Err(Failure::Usage(
                "the model has no tokenizer, so it needs sentences in a format such as CoNLL-U; is it a pipeline?".into(),
            )),
        }
    }

    /// Parses text, block by block.
    fn text(&mut self, path: Option<&Path>, input: impl Read + Send) -> Result<(), Failure> {
        self.needs_tokenizer()?;
        self.begin(Format::Conllu)?;
        let name = path.map_or("the text".to_owned(), source::name);
        let notes = Notes {
            document: path.map(|path| path.display().to_string()),
            numbered: self.numbered,
            ranges: self.args.ranges,
            // Only JSON formats have a place for anchors; elsewhere the text and SpaceAfter say where words stand.
            no_anchors: !matches!(self.to, Format::Mrp | Format::Jsonl),
        };
        let mut reader = TextReader::new(self.parser, input, notes);
        loop {
            let chunk = self.pool.install(|| reader.chunk()).map_err(|error| match error {
                ReadError::Io(error) => Failure::from(source::failed(&name)(error)),
                ReadError::Parser(error) => Failure::from(error),
            })?;
            if chunk.is_empty() {
                break;
            }
            self.put(chunk)?;
        }
        self.numbered = reader.numbered();
        if reader.damaged() > 0 {
            say!("{name}: bytes that are not UTF-8 were replaced in {} paragraphs", reader.damaged());
        }
        if reader.left_out() > 0 {
            let left_out = reader.left_out();
            say!("{name}: {left_out} characters of white space were left out, more than a word can hold");
        }
        Ok(())
    }

    /// Parses sentences of a file.
    fn sentences(&mut self, mut input: Input) -> Result<(), Failure> {
        self.begin(input.format())?;
        loop {
            let chunk: Result<Vec<Sentence>, Failure> = input.by_ref().take(CHUNK).collect();
            let chunk = chunk?;
            if chunk.is_empty() {
                break;
            }
            self.parse(chunk)?;
        }
        input.report_skipped();
        Ok(())
    }

    fn parse(&mut self, mut sentences: Vec<Sentence>) -> Result<(), Failure> {
        self.pool.install(|| self.parser.parse_all(&mut sentences));
        self.put(sentences)
    }

    /// Counts and writes parsed sentences.
    fn put(&mut self, sentences: Vec<Sentence>) -> Result<(), Failure> {
        let longest = self.parser.longest(&self.parser.options);
        // Empty nodes that the parser made are no words of the input.
        let words =
            |sentence: &Sentence| sentence.tokens.iter().filter(|token| !token.id.is_empty_node()).count();
        self.cut += sentences.iter().filter(|sentence| words(sentence) > longest).count();
        self.sentences += sentences.len();
        self.words += sentences.iter().map(Sentence::len).sum::<usize>();
        if self.args.explain {
            explain(self.parser, &sentences, longest);
        }
        if let Some(sink) = &mut self.sink {
            for sentence in &sentences {
                sink.put(sentence)?;
            }
            if !sink.is_pictures() {
                let speed = self.words as f64 / self.started.elapsed().as_secs_f64().max(1e-9);
                let (sentences, words) = (self.sentences, self.words);
                self.bar.set_message(format!("{sentences} sentences, {words} words, {speed:.0} words/s"));
                self.bar.tick();
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        let losses = self.sink.map(Sink::finish).transpose()?.unwrap_or_default();
        self.bar.finish_and_clear();
        if !losses.is_empty() {
            say!("{}: the {} format has no place for: {losses}", self.output.display(), self.to);
        }
        if self.cut > 0 {
            let most = self.parser.longest(&self.parser.options);
            say!("{} sentences of more than {most} words were parsed in pieces (--max-words)", self.cut);
        }
        if self.args.output.is_some() {
            let seconds = self.started.elapsed().as_secs_f64();
            let speed = self.words as f64 / seconds;
            say!("{} sentences, {} words in {seconds:.2} s, {speed:.0} words/s", self.sentences, self.words);
        }
        Ok(())
    }
}

/// Says how graphs were found.
fn explain(parser: &Parser, sentences: &[Sentence], most: usize) {
    let mut workspace = Workspace::default();
    for sentence in sentences {
        if sentence.len() > most {
            say!("a sentence of {} words, parsed in pieces", sentence.len());
            continue;
        }
        let text = parser.explain(sentence, &mut workspace);
        say!("{}", text.unwrap_or_else(|| "this parser has nothing to tell".to_owned()));
    }
}

fn bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed_precise}") {
        bar.set_style(style);
    }
    bar
}
