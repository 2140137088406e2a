//! A model that parses.

use crate::border::{Failure, Reduced, caught, find_error, guarded, parser_error};
use crate::document::Document;
use crate::files::{Place, PythonRead};
use crate::given::{Given, kind};
use crate::pipe::{Errors, Pipe, Source};
use crate::shared::{Cell, Placed, Shared};
use pleach::formats::{open_unpacked, unpack};
use pleach::graph::Sentence as Content;
use pleach::text::blocks::{Block, Blocks};
use pleach::{Options, Tags, Workspace};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::cell::RefCell;
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Text of more bytes is parsed on several threads.
const SHORT: usize = 1 << 15;

/// The most threads.
const MOST_THREADS: usize = 1024;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// What threads share of a parser.
pub struct Engine {
    parser: pleach::Parser,
    /// Threads by process and number: those of a parent don't live on after a fork.
    pools: Mutex<Vec<(u32, usize, Arc<rayon::ThreadPool>)>>,
    max_length: AtomicUsize,
}

/// What comes of one input.
pub type Parsed = Result<Document, Failure>;

/// Sentences with their places, before and after parsing.
struct Cut {
    sentences: Vec<Content>,
    places: Vec<Placed>,
}

impl Engine {
    /// Threads to work with, all cores when no number is given.
    pub fn pool(&self, threads: Option<usize>) -> PyResult<Arc<rayon::ThreadPool>> {
        let threads = threads.unwrap_or(0);
        if threads > MOST_THREADS {
            return Err(PyValueError::new_err(format!("threads is a number from 1 to {MOST_THREADS}")));
        }
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        if let Some((.., pool)) = pools.iter().find(|(pid, number, _)| (*pid, *number) == (process, threads))
        {
            return Ok(Arc::clone(pool));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = Arc::new(pool.map_err(|error| Failure::new("Error", error))?);
        // A pool of a parent process can't be ended here: its threads are not there.
        for (pid, _, pool) in pools.iter() {
            if *pid != process {
                std::mem::forget(Arc::clone(pool));
            }
        }
        pools.push((process, threads, Arc::clone(&pool)));
        Ok(pool)
    }

    /// Whether a text is short enough.
    pub fn check(&self, given: &Given) -> Result<(), Failure> {
        let most = self.max_length.load(Ordering::Relaxed);
        let Given::Text(text) = given else { return Ok(()) };
        if text.len() <= most {
            return Ok(());
        }
        let length = text.chars().count();
        if length <= most {
            return Ok(());
        }
        Err(Failure::new("TextTooLong", format!("a text of {length} characters, more than max_length = {most}"))
            .help(
                "its document might fill the memory: parse a file with nlp.stream(path), cut the text, or raise nlp.max_length",
            ))
    }

    fn cut(&self, block: &Block, workspace: &mut Workspace) -> Result<Cut, Failure> {
        let sentences = self.parser.sentences(&block.text, None, workspace);
        let sentences = sentences.map_err(|error| {
            Failure::new("ModelError", error).help(
            "give it words, as in nlp([[\"Ann\", \"sleeps\"]]), or train a \"pipeline\", which reads text",
        )
        })?;
        let places = Placed::all(&sentences, block.start);
        Ok(Cut { sentences, places })
    }

    /// Parses one input on this thread.
    fn one(&self, given: Given) -> Parsed {
        let mut workspace = WORKSPACE.with(|workspace| workspace.take());
        let parsed = caught(|| {
            let mut cut = Vec::new();
            let (blocks, text) = blocks(given, &mut cut);
            for block in &blocks {
                cut.push(self.cut(block, &mut workspace)?);
            }
            for cut in &mut cut {
                for sentences in cut.sentences.chunks_mut(self.parser.batch()) {
                    self.parser.parse_batch(sentences, &self.parser.options, &mut workspace);
                }
            }
            Ok(document(cut, text))
        });
        // After a panic the memory may be in disorder, and is not used again.
        if parsed.is_ok() {
            WORKSPACE.with(|kept| kept.replace(workspace));
        }
        parsed.unwrap_or_else(Err)
    }

    /// Parses several inputs together on the current threads; what comes of one doesn't depend on the others.
    fn together(&self, given: Vec<Given>) -> Result<Vec<Document>, Failure> {
        let mut cuts: Vec<Vec<Cut>> = Vec::with_capacity(given.len());
        let mut texts = Vec::with_capacity(given.len());
        let mut all: Vec<(usize, Arc<Block>)> = Vec::new();
        for (number, given) in given.into_iter().enumerate() {
            let mut cut = Vec::new();
            let (blocks, text) = blocks(given, &mut cut);
            all.extend(blocks.into_iter().map(|block| (number, block)));
            cuts.push(cut);
            texts.push(text);
        }
        let cut: Result<Vec<Cut>, Failure> = all
            .par_iter()
            .map_init(Workspace::default, |memory, (_, block)| self.cut(block, memory))
            .collect();
        for ((number, _), cut) in all.iter().zip(cut?) {
            cuts[*number].push(cut);
        }
        // All sentences at once, so that no thread waits for a long document.
        let lens: Vec<usize> = cuts.iter().flatten().map(|cut| cut.sentences.len()).collect();
        let mut sentences: Vec<Content> =
            cuts.iter_mut().flatten().flat_map(|cut| std::mem::take(&mut cut.sentences)).collect();
        self.parser.parse_all(&mut sentences);
        let mut parsed = sentences.into_iter();
        for (cut, len) in cuts.iter_mut().flatten().zip(lens) {
            cut.sentences = parsed.by_ref().take(len).collect();
        }
        Ok(cuts.into_par_iter().zip(texts).map(|(cut, text)| document(cut, text)).collect())
    }

    /// Parses several inputs on the current threads. When one of them can't be parsed, the others are.
    pub fn all(&self, given: Vec<Given>) -> Vec<Parsed> {
        let copies: Vec<Given> = given.to_vec();
        match caught(|| self.together(given)) {
            Ok(Ok(documents)) => documents.into_iter().map(Ok).collect(),
            _ => copies.into_iter().map(|given| self.one(given)).collect(),
        }
    }
}

/// The blocks of a text; sentences of words go to `cut` as they are.
fn blocks(given: Given, cut: &mut Vec<Cut>) -> (Vec<Arc<Block>>, Option<Arc<str>>) {
    match given {
        Given::Text(text) => {
            // A byte order mark is no part of the text, but of its length.
            let mark = usize::from(text.starts_with('\u{feff}'));
            let mut blocks = Blocks::new(text.as_bytes());
            let mut found = Vec::new();
            // Reading from memory does not fail.
            while let Ok(Some(mut block)) = blocks.next_block() {
                block.start += mark;
                found.push(Arc::new(block));
            }
            (found, Some(text))
        }
        Given::Block(block) => (vec![block], None),
        Given::Sentences(sentences) => {
            cut.push(Cut { sentences, places: Vec::new() });
            (Vec::new(), None)
        }
    }
}

fn document(cuts: Vec<Cut>, text: Option<Arc<str>>) -> Document {
    let mut cells: Vec<Cell> = Vec::new();
    for Cut { sentences, places } in cuts {
        let mut places = places.into_iter();
        for mut sentence in sentences {
            cells.push(match places.next() {
                Some(place) => {
                    sentence.comments.insert(0, format!("# sent_id = {}", cells.len() + 1));
                    Shared::placed(sentence, place)
                }
                None => Shared::new(sentence),
            });
        }
    }
    Document::of(cells, text)
}

/// A model that parses texts and sentences; `pleach.load` opens one. Threads can share it.
///
/// >>> import pleach
/// >>> nlp = pleach.load()
/// >>> doc = nlp("The company that Mark wants to buy is small.")
/// >>> [(head.form, label) for head, label in doc[0][3].heads]
/// [('wants', 'nsubj'), ('buy', 'nsubj:xsubj')]
/// >>> nlp([["It", "rains"]])[0][1].lemma
/// 'rain'
#[pyclass(frozen, module = "pleach")]
pub struct Parser {
    pub engine: Arc<Engine>,
    name: Option<PathBuf>,
    how: Py<PyDict>,
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (model=None, *, beam=None, threshold=None, tags="auto", ensure=None, max_words=1000,
        max_length=10_000_000, settings=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        model: Option<PathBuf>,
        beam: Option<usize>,
        threshold: Option<f64>,
        tags: &str,
        ensure: Option<&str>,
        max_words: usize,
        max_length: usize,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let how = PyDict::new(py);
        how.set_item("beam", beam)?;
        how.set_item("threshold", threshold)?;
        how.set_item("tags", tags)?;
        how.set_item("ensure", ensure)?;
        how.set_item("max_words", max_words)?;
        how.set_item("settings", settings)?;
        let changes = crate::values::settings(settings)?;
        let tags = match tags {
            "auto" => Tags::Auto,
            "given" => Tags::Given,
            "predicted" => Tags::Predicted,
            other => {
                return Err(PyValueError::new_err(format!(
                    "tags is \"auto\", \"given\" or \"predicted\", not {other:?}"
                )));
            }
        };
        if beam.is_some_and(|beam| !(1..=pleach::recipe::WIDEST_BEAM).contains(&beam)) {
            let most = pleach::recipe::WIDEST_BEAM;
            return Err(PyValueError::new_err(format!("beam is a number from 1 to {most}")));
        }
        // Without a word on it, graphs keep what nearly all training graphs keep.
        let guarantees: Option<pleach::ensure::Guarantees> = ensure
            .map(str::parse)
            .transpose()
            .map_err(|error: pleach::ensure::UnknownGuarantee| PyValueError::new_err(error.to_string()))?;
        guarded(|| {
            let mut parser = py.detach(|| -> PyResult<pleach::Parser> {
                let parser = pleach::models::open(model.as_deref()).map_err(find_error)?;
                parser.with(changes.iter().map(|(key, value)| (key, value))).map_err(parser_error)
            })?;
            parser.options.search = Options { beam, threshold, ..Options::default() };
            parser.options.guarantees = guarantees;
            parser.options.tags = tags;
            parser.options.longest = Some(max_words.max(1));
            let max_length = AtomicUsize::new(max_length);
            let engine = Engine { parser, pools: Mutex::default(), max_length };
            Ok(Parser { engine: Arc::new(engine), name: model, how: how.unbind() })
        })
    }

    /// Parses a text, or sentences of words.
    ///
    /// Sentences are lists of words, which are strings, (form, upos) or (form, upos, xpos) tuples, dictionaries with
    /// the fields of a word, or Words; a Sentence or Document is parsed anew, in a copy.
    #[pyo3(signature = (text, *, threads=None))]
    fn __call__(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Document> {
        let given = Given::new(text)?;
        self.engine.check(&given)?;
        let engine = Arc::clone(&self.engine);
        if given.size() <= SHORT || threads == Some(1) {
            return Ok(py.detach(move || engine.one(given))?);
        }
        let pool = self.engine.pool(threads)?;
        let mut parsed = py.detach(move || pool.install(|| engine.all(vec![given])));
        Ok(parsed.pop().unwrap_or_else(|| Ok(Document::default()))?)
    }

    /// Parses a stream of texts (or whatever a call takes): an iterator of Documents in the same order, lazy, in bounded
    /// memory. It reads at most two batches ahead.
    ///
    /// With as_tuples, the stream is of (text, context) and the result of (Document, context). A batch is of batch_size
    /// texts, fewer when they are long. With on_error="return", a text that can't be parsed gives its exception in place
    /// of a Document.
    ///
    /// >>> import pleach
    /// >>> nlp = pleach.load()
    /// >>> [len(doc) for doc in nlp.pipe(["It rains.", "We go. You stay."], threads=2)]
    /// [1, 2]
    #[pyo3(signature = (texts, *, as_tuples=false, threads=None, batch_size=256, on_error="raise"))]
    fn pipe(
        &self,
        texts: &Bound<'_, PyAny>,
        as_tuples: bool,
        threads: Option<usize>,
        batch_size: usize,
        on_error: &str,
    ) -> PyResult<Pipe> {
        if texts.is_instance_of::<pyo3::types::PyString>() {
            return Err(PyTypeError::new_err("expected several texts, not one str: nlp(text) parses one"));
        }
        if batch_size == 0 {
            return Err(PyValueError::new_err("batch_size is at least 1"));
        }
        let errors = match on_error {
            "raise" => Errors::Raise,
            "return" => Errors::Return,
            other => {
                return Err(PyValueError::new_err(format!(
                    "on_error is \"raise\" or \"return\", not {other:?}"
                )));
            }
        };
        let source = Source::Texts { items: texts.try_iter()?.unbind(), as_tuples };
        Ok(Pipe::new(Arc::clone(&self.engine), self.engine.pool(threads)?, source, batch_size, errors))
    }

    /// Parses a long text from a path or file object, paragraph by paragraph: an iterator of Sentences in bounded memory.
    /// `.gz` and `.zst` are unpacked.
    #[pyo3(signature = (source, *, threads=None))]
    fn stream(&self, source: &Bound<'_, PyAny>, threads: Option<usize>) -> PyResult<Pipe> {
        let unread = |error: std::io::Error, name: &str| -> PyErr {
            let class =
                if error.kind() == std::io::ErrorKind::NotFound { "MissingFile" } else { "ReadError" };
            Failure::new(class, format!("{name}: {error}")).path(name).into()
        };
        let place = Place::of(source, "read")?;
        let place = place.ok_or_else(|| {
            PyTypeError::new_err(format!("expected a path or a file object, not {}", kind(source)))
        })?;
        let name = place.name(source.py());
        let input: Box<dyn Read + Send> = match place {
            Place::Path(path) => open_unpacked(&path).map_err(|error| unread(error, &name))?,
            Place::Object(object) => {
                unpack(Box::new(PythonRead::new(object))).map_err(|error| unread(error, &name))?
            }
        };
        let source = Source::Blocks { blocks: Box::new(Blocks::new(input)), name };
        Ok(Pipe::new(Arc::clone(&self.engine), self.engine.pool(threads)?, source, usize::MAX, Errors::Raise))
    }

    /// The longest text that is parsed as one document, in characters.
    #[getter]
    fn max_length(&self) -> usize {
        self.engine.max_length.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_max_length(&self, most: usize) {
        self.engine.max_length.store(most, Ordering::Relaxed);
    }

    /// The model's name or path.
    #[getter]
    fn name(&self) -> String {
        self.name.as_ref().map_or_else(|| "en".to_owned(), |name| name.display().to_string())
    }

    /// Whether the model reads text, and not only words.
    #[getter]
    fn reads_text(&self) -> bool {
        self.engine.parser.reads_text()
    }

    /// Whether the model gives deep graphs.
    #[getter]
    fn gives_graphs(&self) -> bool {
        self.engine.parser.gives_graphs()
    }

    /// Whether the model gives basic trees.
    #[getter]
    fn gives_trees(&self) -> bool {
        self.engine.parser.gives_trees()
    }

    fn __repr__(&self) -> String {
        format!("<Parser {}>", self.name())
    }

    /// Pickling keeps the name: another process opens, and maps, the same file.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Option<String>, Bound<'py, PyDict>)> {
        let how = self.how.bind(py).copy()?;
        how.set_item("max_length", self.max_length())?;
        let name = self.name.as_ref().map(|name| name.display().to_string());
        Ok((py.import("pleach.model")?.getattr("_load")?, (name, how)))
    }
}
