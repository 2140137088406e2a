//! A run of `pleach parse`: inputs in, chunk by chunk, parsed on all threads, out in order.

mod chunks;
mod group;

use super::Args;
use super::familiarity::Familiarity;
use super::idle::Idle;
use super::open::{self, Kind, Opened, TEXT_FIELD};
use super::part::{Found, Part, Progressed, identity};
use super::progress::Progress;
use super::sink::{Out, Sink};
use super::source::{self, Source};
use super::target::Target;
use crate::failure::Failure;
use crate::input::Input;
use crate::limits;
use crate::plural::{count, grouped};
use crate::say::say;
use chunks::Chunks;
use group::Group;
use pleach::reading::{Notes, Place, ReadError, TextFormat, TextReader};
use pleach::records::{self, RecordReader};
use pleach::{Parser, Workspace};
use pleach_formats::{Format, Losses, Reader};
use pleach_graph::Sentence;
use serde_json::{Value, json};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Sentences of a file that are parsed in parallel before they are written.
const CHUNK: usize = 1024;

/// A run under way.
pub struct Run<'a> {
    args: &'a Args,
    parser: &'a Parser,
    pool: rayon::ThreadPool,
    progress: Progress,
    started: Instant,
    /// How far the output under way is.
    done: Progressed,
    /// The counts of the outputs before it.
    before: Progressed,
    /// Opened when it is known what the input is.
    sink: Option<Sink>,
    target: Target,
    /// Whether the output is of records.
    of_records: bool,
    part: Option<(Box<Part>, Progressed)>,
    losses: Losses,
    /// Outputs that were complete before this run.
    complete: usize,
    error: Option<String>,
    familiarity: Familiarity,
    idle: Idle,
    /// Small files that were read and not parsed yet.
    group: Group,
}

impl<'a> Run<'a> {
    /// Prepares to parse some sources.
    pub fn new(args: &'a Args, parser: &'a Parser, sources: &[Source]) -> Result<Self, Failure> {
        let size = |source: &Source| match source.file() {
            None => Some(0),
            Some(path) => {
                std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|found| found.len())
            }
        };
        let total = sources.iter().map(size).sum::<Option<u64>>();
        // Two lines can't be the last one of a screen.
        let shown = !screen(args);
        Ok(Run {
            args,
            parser,
            pool: limits::pool(args.threads)?,
            progress: Progress::new(total, shown),
            started: Instant::now(),
            done: Progressed::default(),
            before: Progressed::default(),
            sink: None,
            target: Target::Format(Format::Conllu),
            of_records: false,
            part: None,
            losses: Losses::default(),
            complete: 0,
            error: None,
            familiarity: Familiarity::default(),
            idle: Idle::default(),
            group: Group::default(),
        })
    }

    /// Parses all sources into one output.
    pub fn together(&mut self, sources: &[Source]) -> Result<(), Failure> {
        let output = self.args.output.clone().unwrap_or_else(|| PathBuf::from("-"));
        if self.args.resume && !self.begin_part(&output, sources)? {
            return Ok(());
        }
        for (number, source) in sources.iter().enumerate().skip(self.done.input) {
            self.source(number, source, &Where::File(&output))?;
        }
        self.flush()?;
        self.close()
    }

    /// Parses every source into a file of its own.
    pub fn apart(&mut self, sources: &[Source], places: &[super::job::Place]) -> Result<(), Failure> {
        for (source, place) in sources.iter().zip(places) {
            self.source(0, source, &Where::Place(place))?;
        }
        self.flush()
    }

    /// Begins an output that another run can go on with; false when it is complete.
    fn begin_part(&mut self, output: &Path, sources: &[Source]) -> Result<bool, Failure> {
        let inputs: Result<Vec<Value>, _> = sources.iter().filter_map(Source::file).map(identity).collect();
        let run = json!({
            "pleach": env!("CARGO_PKG_VERSION"),
            "model": self.model_identity(),
            "options": self.args.meaning(),
            "inputs": inputs?,
        });
        match Part::begin(output, &run)? {
            Found::Complete => {
                self.complete += 1;
                Ok(false)
            }
            Found::Part(part, progressed) => {
                self.done = progressed;
                self.part = Some((part, progressed));
                Ok(true)
            }
        }
    }

    /// What makes a model another one: its size, and how its parts were trained.
    fn model_identity(&self) -> Value {
        let root = self.parser.model().root();
        let parts = std::iter::once(root.clone()).chain(root.children());
        let trained: Vec<Value> =
            parts.map(|part| serde_json::to_value(part.provenance()).unwrap_or_default()).collect();
        json!([
            self.parser.model().size(),
            format!("{:016x}", fingerprint(&Value::from(trained).to_string()))
        ])
    }

    /// Parses one source, or reads it and has it wait for others; then all that was read before an error is written.
    fn source(&mut self, number: usize, source: &Source, to: &Where<'_>) -> Result<(), Failure> {
        let bytes = self.can_wait(source);
        if bytes.is_none_or(|bytes| !self.has_room(bytes)) {
            self.flush()?;
        }
        let done = self.open_source(number, source, to, bytes);
        if done.is_err() {
            // Outputs that were begun and not finished leave nothing behind.
            self.sink.take_if(|_| matches!(to, Where::Place(_)));
            self.flush()?;
        }
        done
    }

    fn open_source(
        &mut self,
        number: usize,
        source: &Source,
        to: &Where<'_>,
        bytes: Option<u64>,
    ) -> Result<(), Failure> {
        let path = source.file();
        let opened = match source {
            Source::Words(text) => Opened::text(text),
            Source::File(path) | Source::Within { file: path, .. } => {
                open::open(path, self.args.kind(), self.progress.read.clone())?
            }
        };
        let name = path.map_or("the text".to_owned(), source::name);
        self.idle.tell(self.args, opened.kind, &name);
        let from = match opened.kind {
            Kind::Text => Format::Conllu,
            Kind::Records => Format::Jsonl,
            Kind::Sentences(format) => fitting(format, self.parser),
        };
        if opened.kind == Kind::Records {
            self.flush()?;
        }
        if !self.begin(from, opened.kind, source, to, bytes.is_some())? {
            return Ok(());
        }
        // What another run did of this input is read past.
        let place = Place { chunks: self.done.chunks, numbered: self.done.numbered, begun: self.done.begun };
        let mut chunks = match opened.kind {
            Kind::Text => self.text(path, &name, opened, place)?,
            Kind::Records => {
                self.records(&name, opened, place)?;
                return self.source_done(number, to);
            }
            Kind::Sentences(format) => {
                let reader = Reader::from_read(&name, opened.bytes, Some(format))?;
                let input = Input::of(reader, path.unwrap_or(Path::new("-")), self.args.on_error);
                Chunks::sentences(&name, input, place)?
            }
        };
        // Only now it is known that another run came no further than to the start.
        if let Some(bytes) = bytes.filter(|_| place.chunks == 0) {
            return self.wait(number, chunks, to, bytes);
        }
        if place.chunks > 0 {
            self.progress.skip();
        }
        loop {
            let mut chunk = self.next(&mut chunks)?;
            if chunk.is_empty() {
                break;
            }
            self.parse(&mut chunk);
            self.put(&chunk)?;
            self.done_to(chunks.place());
            self.note()?;
        }
        self.done.numbered = chunks.place().numbered;
        chunks.tell();
        self.source_done(number, to)
    }

    /// A source is parsed to its end.
    fn source_done(&mut self, number: usize, to: &Where<'_>) -> Result<(), Failure> {
        self.input_done(number);
        if matches!(to, Where::Place(_)) { self.close() } else { Ok(()) }
    }

    /// The next sentences of an input, with what there is to say of them.
    fn next(&mut self, chunks: &mut Chunks<'_>) -> Result<Vec<Sentence>, Failure> {
        let chunk = chunks.next(&self.pool)?;
        match chunks.is_text() {
            true => self.familiarity.look(self.parser, &chunk, chunks.name()),
            false => self.idle.tell_tags(self.args, self.parser, &chunk, chunks.name()),
        }
        Ok(chunk)
    }

    /// The input under way was parsed up to a place.
    fn done_to(&mut self, Place { chunks, numbered, begun }: Place) {
        (self.done.chunks, self.done.numbered, self.done.begun) = (chunks, numbered, begun);
    }

    /// An input was parsed to its end.
    fn input_done(&mut self, number: usize) {
        (self.done.input, self.done.chunks, self.done.begun) = (number + 1, 0, false);
    }

    /// Opens the output if it is not open; false when there is nothing to do.
    fn begin(
        &mut self,
        from: Format,
        kind: Kind,
        source: &Source,
        to: &Where<'_>,
        small: bool,
    ) -> Result<bool, Failure> {
        let records = kind == Kind::Records;
        if self.sink.is_some() && self.of_records != records {
            return Err(Failure::Usage("records and other inputs don't mix in one output".into()));
        }
        if self.sink.is_some() {
            return Ok(true);
        }
        self.of_records = records;
        let named = self.args.to();
        let output = match to {
            Where::File(path) => {
                self.target = named.or_else(|| Target::from_path(path)).unwrap_or(Target::Format(from));
                path.to_path_buf()
            }
            Where::Place(place) => {
                self.target = named.unwrap_or(Target::Format(from));
                let file = place.file(self.target);
                if let Some(folder) = file.parent() {
                    std::fs::create_dir_all(folder).map_err(source::failed(&folder.display().to_string()))?;
                }
                file
            }
        };
        if records && self.target != Target::Format(Format::Jsonl) {
            return Err(Failure::Usage("records are written as JSON lines: name the output .jsonl".into()));
        }
        if self.args.draw || (screen(self.args) && named.is_none() && !records) {
            self.sink = Some(Sink::screen());
            return Ok(true);
        }
        if let (Where::Place(_), true) = (to, self.args.resume)
            && !(small && !records && Part::untouched(&output))
            && !self.begin_part(&output, std::slice::from_ref(source))?
        {
            return Ok(false);
        }
        self.sink = Some(match (self.part.take(), self.target) {
            (Some((part, progressed)), Target::Format(format)) => {
                Sink::format(format, Out::resume(&output, part, &progressed))?
            }
            (Some(_), other) => {
                return Err(Failure::Usage(format!("--resume needs a format of lines, not {other}")));
            }
            (None, target) => Sink::open(target, &output, &self.args.model_name(), &self.title())?,
        });
        Ok(true)
    }

    /// What a page is about.
    fn title(&self) -> String {
        let mut title: String = self.args.input.join(" ").chars().take(80).collect();
        if title.is_empty() {
            title = "Pleach".to_owned();
        }
        title
    }

    fn text(
        &mut self,
        path: Option<&Path>,
        name: &str,
        opened: Opened,
        place: Place,
    ) -> Result<Chunks<'a>, Failure> {
        self.needs_tokenizer()?;
        let notes = Notes {
            document: path.map(|path| path.display().to_string()),
            numbered: self.done.numbered,
            ranges: self.args.ranges,
            // Only JSON formats have a place for anchors; elsewhere the text and SpaceAfter say where words stand.
            no_anchors: !matches!(self.target, Target::Json | Target::Format(Format::Mrp | Format::Jsonl)),
        };
        let format = self.args.text_format.into();
        let reader = match opened.live {
            true => TextReader::live(self.parser, opened.bytes, format, notes),
            false => TextReader::laid_out(self.parser, opened.bytes, format, notes),
        };
        Chunks::text(name, reader, place)
    }

    fn records(&mut self, name: &str, opened: Opened, place: Place) -> Result<(), Failure> {
        self.needs_tokenizer()?;
        let options = records::Options {
            field: self.args.text_field.clone().unwrap_or_else(|| TEXT_FIELD.to_owned()),
            format: self.args.text_format.into(),
            ranges: self.args.ranges,
        };
        let mut reader = match opened.live {
            true => RecordReader::live(self.parser, opened.bytes, options),
            false => RecordReader::new(self.parser, opened.bytes, options),
        };
        reader.go_to(place.chunks).map_err(source::failed(name))?;
        if place.chunks > 0 {
            self.progress.skip();
        }
        while let Some(mut records) = self.pool.install(|| reader.unparsed()).map_err(read_error(name))? {
            self.familiarity.look(self.parser, &records.sentences, name);
            self.parse(&mut records.sentences);
            self.count(&records.sentences);
            let written = self.pool.install(|| records.finish());
            self.done.records += written.records;
            self.done.failed += written.failed;
            self.error = self.error.take().or(written.error);
            if let Some(sink) = &mut self.sink {
                sink.put_lines(&written.lines)?;
            }
            self.done.chunks = reader.chunks();
            self.note()?;
        }
        Ok(())
    }

    fn needs_tokenizer(&self) -> Result<(), Failure> {
        if self.parser.reads_text() || TextFormat::from(self.args.text_format) == TextFormat::Tokens {
            return Ok(());
        }
        Err(Failure::Usage(
            "the model has no tokenizer, so it can't read text. `pleach train pipeline` makes a model that does; this one \
             reads sentences in a format such as CoNLL-U, or words between spaces (--text-format tokens)"
                .into(),
        ))
    }

    /// Parses sentences, in slices when somebody watches.
    fn parse(&mut self, sentences: &mut [Sentence]) {
        let all = sentences.len();
        let mut done = 0;
        while done < all {
            let rest = &mut sentences[done..];
            let words = rest.iter().map(Sentence::len).sum();
            let least = self.parser.batch().max(8) * self.pool.current_num_threads();
            let slice = self.progress.slice(rest.len(), words, least);
            let (slice, start) = (&mut rest[..slice], Instant::now());
            self.pool.install(|| self.parser.parse_all(slice));
            done += slice.len();
            let words = slice.iter().map(Sentence::len).sum();
            self.progress.slice_done(words, start.elapsed(), done as f64 / all as f64);
        }
    }

    /// Counts and writes parsed sentences.
    fn put(&mut self, sentences: &[Sentence]) -> Result<(), Failure> {
        self.count(sentences);
        match &mut self.sink {
            Some(sink) => sink.put(sentences),
            None => Ok(()),
        }
    }

    fn count(&mut self, sentences: &[Sentence]) {
        let longest = self.parser.longest(&self.parser.options);
        // Empty nodes that the parser made are no words of the input.
        let words =
            |sentence: &Sentence| sentence.tokens.iter().filter(|token| !token.id.is_empty_node()).count();
        self.done.pieces += sentences.iter().filter(|sentence| words(sentence) > longest).count();
        self.done.sentences += sentences.len();
        self.done.words += sentences.iter().map(words).sum::<usize>();
        if self.args.explain {
            explain(self.parser, sentences, longest);
        }
    }

    fn note(&mut self) -> Result<(), Failure> {
        match &mut self.sink {
            Some(sink) => sink.note(&self.done),
            None => Ok(()),
        }
    }

    /// Completes an output.
    fn close(&mut self) -> Result<(), Failure> {
        if let Some(sink) = self.sink.take() {
            self.losses.merge(&sink.finish()?);
        }
        self.add_up();
        Ok(())
    }

    /// The counts of an output that is complete.
    fn add_up(&mut self) {
        let Progressed { sentences, words, pieces, records, failed, .. } = std::mem::take(&mut self.done);
        self.before.sentences += sentences;
        self.before.words += words;
        self.before.pieces += pieces;
        self.before.records += records;
        self.before.failed += failed;
    }

    /// Says what there is to say at the end.
    pub fn finish(self) -> Result<(), Failure> {
        self.progress.finish();
        let output =
            self.args.output.as_deref().or(self.args.output_dir.as_deref()).unwrap_or(Path::new("-"));
        let Progressed { sentences, words, pieces, records, failed, .. } = self.before;
        if !self.losses.is_empty() {
            say!("{}: the {} format has no place for: {}", output.display(), self.target, self.losses);
        }
        if pieces > 0 {
            let most = self.parser.longest(&self.parser.options);
            let (pieces, most) = (count(pieces, "sentence"), count(most, "word"));
            say!("parsed in pieces (--max-words): {pieces} of more than {most}");
        }
        if self.complete > 0 {
            let s = if self.complete == 1 { " was" } else { "s were" };
            say!("{} output{s} complete already; remove what is to be parsed again", self.complete);
        }
        if self.args.output.is_some() || self.args.output_dir.is_some() {
            let seconds = self.started.elapsed().as_secs_f64();
            let speed = words as f64 / seconds;
            let of = if records > 0 { count(records, "record") + ", " } else { String::new() };
            let (sentences, words) = (count(sentences, "sentence"), count(words, "word"));
            say!("{of}{sentences}, {words} in {seconds:.2} s, {} words/s", grouped(speed as usize));
        }
        if failed > 0 {
            let error = self.error.unwrap_or_default();
            let message = format!(
                "{failed} of {} with an error in the field `{}`; the first: {error}",
                count(records, "record"),
                records::ERROR
            );
            if failed == records {
                return Err(Failure::Usage(format!("{message}. Is it the right --text-field?")));
            }
            say!("{message}");
        }
        Ok(())
    }
}

/// A number that other texts hardly have (FNV-1a).
fn fingerprint(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Where an input's output goes.
enum Where<'a> {
    File(&'a Path),
    Place(&'a super::job::Place),
}

/// Whether graphs would be shown to somebody.
fn screen(args: &Args) -> bool {
    args.output.is_none() && args.output_dir.is_none() && io::stdout().is_terminal()
}

fn read_error(name: &str) -> impl Fn(ReadError) -> Failure + '_ {
    move |error| match error {
        ReadError::Io(error) => Failure::from(source::failed(name)(error)),
        ReadError::Parser(error) => Failure::from(error),
    }
}

/// The input's format, or CoNLL-U when that has no place for what the model makes.
fn fitting(format: Format, parser: &Parser) -> Format {
    let fits = match format {
        Format::Brackets => false,
        Format::ConllX => parser.gives_trees(),
        Format::Sdp2014 | Format::Sdp2015 | Format::Semeval16 | Format::Mrp | Format::Parg => {
            parser.gives_graphs()
        }
        _ => true,
    };
    if fits { format } else { Format::Conllu }
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
