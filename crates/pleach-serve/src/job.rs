//! Parsing a request: text or sentences in, finished sentences out in order, in pieces that the pool's threads take.
//!
//! Invariant: at most [`WINDOW`] sentences are ahead of what the client has fetched, so that a long text needs no more
//! memory than a short one and a slow client stops its own work only.

use crate::engine::{Ask, Model, Scratch};
use crate::error::ApiError;
use crate::pool::{Job, Next, Piece, Pool, Ticket};
use bytes::Bytes;
use pleach_formats::Reader;
use pleach_graph::Sentence;
use pleach_text::blocks::{Block, Blocks};
use std::collections::{BTreeMap, VecDeque};
use std::io::Cursor;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::Notify;

/// How many sentences may be ahead of the client.
const WINDOW: usize = 256;

/// Words that are parsed in one piece, if sentences are not longer.
const PIECE: usize = 96;

/// More is cut or read when fewer words than this are left to parse.
const LOW: usize = 4 * PIECE;

/// A sentence of more words is a heavy piece.
const HEAVY_WORDS: usize = 400;

/// A paragraph of more bytes is a heavy piece.
const HEAVY_BYTES: usize = 32 << 10;

/// What is parsed.
pub enum Source {
    /// Text, cut into paragraphs first.
    Text(Box<Blocks<Cursor<Bytes>>>),
    /// Sentences of a file.
    Reader(Box<Reader>),
    /// Sentences.
    Sentences(std::vec::IntoIter<Sentence>),
    /// Texts that are one sentence each.
    Lines(std::vec::IntoIter<String>),
}

/// How it is parsed.
pub struct Plan {
    /// With which model.
    pub model: Arc<Model>,
    /// In which way.
    pub ask: Ask,
    /// Whether MISC says where tokens stand.
    pub ranges: bool,
    /// Whether sentences of a text are parsed, and not only cut.
    pub parse: bool,
    /// Whether it is told how graphs were found.
    pub explain: bool,
    /// The most words of a sentence.
    pub words: usize,
}

/// A sentence on its way out.
pub struct Parsed {
    /// Its place, from 0.
    pub index: usize,
    /// The sentence.
    pub sentence: Sentence,
    /// How its graph was found.
    pub explanation: Option<String>,
}

/// Turns a sentence into what goes out; runs on the pool's threads.
pub type Finish<T> = Box<dyn Fn(Parsed) -> Result<T, ApiError> + Send + Sync>;

struct State<T> {
    /// Taken out while a thread cuts.
    source: Option<Source>,
    /// The next paragraph of a text.
    block: Option<Block>,
    /// Whether the source gives nothing more.
    exhausted: bool,
    cutting: bool,
    ready: VecDeque<(usize, Sentence)>,
    ready_words: usize,
    /// How many sentences the source has given.
    given: usize,
    in_work: usize,
    done: BTreeMap<usize, T>,
    fetched: usize,
    words: usize,
    failed: Option<ApiError>,
    stopped: bool,
}

struct Inner<T> {
    plan: Plan,
    finish: Finish<T>,
    state: Mutex<State<T>>,
    news: Notify,
    me: Weak<Inner<T>>,
}

/// A request that is being parsed. Dropping it stops the work.
pub struct ParseJob<T: Send + 'static> {
    inner: Arc<Inner<T>>,
    ticket: Ticket,
}

impl<T: Send + 'static> ParseJob<T> {
    /// Starts parsing.
    pub fn start(pool: &Pool, plan: Plan, source: Source, finish: Finish<T>) -> Self {
        let state = State {
            source: Some(source),
            block: None,
            exhausted: false,
            cutting: false,
            ready: VecDeque::new(),
            ready_words: 0,
            given: 0,
            in_work: 0,
            done: BTreeMap::new(),
            fetched: 0,
            words: 0,
            failed: None,
            stopped: false,
        };
        let (state, news) = (Mutex::new(state), Notify::new());
        let inner = Arc::new_cyclic(|me| Inner { plan, finish, state, news, me: me.clone() });
        let ticket = pool.submit(Arc::clone(&inner) as Arc<dyn Job>);
        ParseJob { inner, ticket }
    }

    /// The next sentences, as many as are ready and at least one; `None` at the end.
    pub async fn fetch(&mut self) -> Option<Result<Vec<T>, ApiError>> {
        loop {
            let news = self.inner.news.notified();
            let found = self.inner.lock().take();
            match found {
                Found::Some(items) => {
                    self.ticket.wake();
                    return Some(Ok(items));
                }
                Found::Failed(error) => return Some(Err(error)),
                Found::End => return None,
                Found::Later => news.await,
            }
        }
    }

    /// How many sentences and words were finished.
    pub fn counts(&self) -> (usize, usize) {
        let state = self.inner.lock();
        (state.fetched, state.words)
    }
}

impl<T: Send + 'static> Drop for ParseJob<T> {
    fn drop(&mut self) {
        let mut state = self.inner.lock();
        state.stop();
    }
}

enum Found<T> {
    Some(Vec<T>),
    Failed(ApiError),
    Later,
    End,
}

impl<T> State<T> {
    fn take(&mut self) -> Found<T> {
        if let Some(error) = self.failed.take() {
            return Found::Failed(error);
        }
        let mut items = Vec::new();
        while let Some(item) = self.done.remove(&self.fetched) {
            self.fetched += 1;
            items.push(item);
        }
        if !items.is_empty() {
            return Found::Some(items);
        }
        let idle = !self.cutting && self.in_work == 0 && self.ready.is_empty();
        if self.stopped || (self.exhausted && idle) { Found::End } else { Found::Later }
    }

    /// Gives nothing more to do; what threads have in their hands is thrown away when it is done.
    fn stop(&mut self) {
        self.stopped = true;
        self.source = None;
        self.block = None;
        self.ready.clear();
        self.done.clear();
    }

    fn fail(&mut self, error: ApiError) {
        if !self.stopped {
            self.stop();
            self.failed = Some(error);
        }
    }

    /// Whether a cut comes next, and whether that is heavy; `None` when there is nothing to cut. Looks at the next
    /// paragraph, which is cheap.
    fn next_cut(&mut self) -> Option<bool> {
        if self.exhausted || self.cutting || self.ready_words >= LOW {
            return None;
        }
        if let Some(Source::Text(blocks)) = &mut self.source
            && self.block.is_none()
        {
            // Reading from memory can't fail.
            self.block = blocks.next_block().ok().flatten();
            if self.block.is_none() {
                self.exhausted = true;
                return None;
            }
        }
        Some(self.block.as_ref().is_some_and(|block| block.text.len() > HEAVY_BYTES))
    }
}

impl<T: Send + 'static> Job for Inner<T> {
    fn next(&self, heavy: bool) -> Next {
        let Some(me) = self.me.upgrade() else { return Next::Wait };
        let mut state = self.lock();
        if state.stopped || state.given - state.ready.len() >= state.fetched + WINDOW {
            return Next::Wait;
        }
        let cut = state.next_cut();
        let long = state.ready.front().map(|(_, sentence)| sentence.len() > HEAVY_WORDS);
        let wrap =
            |piece: Piece, is_heavy: bool| if is_heavy { Next::Heavy(piece) } else { Next::Piece(piece) };
        match (cut, long) {
            (Some(is_heavy), _) if heavy || !is_heavy => {
                state.cutting = true;
                wrap(Box::new(move |scratch| me.cut(scratch)), is_heavy)
            }
            (_, Some(is_heavy)) if heavy || !is_heavy => {
                let batch = state.batch(self.plan.model.batch());
                wrap(Box::new(move |scratch| me.parse(batch, scratch)), is_heavy)
            }
            (None, None) => {
                if state.exhausted {
                    self.news.notify_one();
                }
                Next::Wait
            }
            _ => Next::OnlyHeavy,
        }
    }

    fn broken(&self) {
        self.lock().fail(ApiError::internal());
        self.news.notify_one();
    }
}

impl<T> State<T> {
    /// Sentences for one piece: a few words, or as many sentences as the model likes to parse together.
    fn batch(&mut self, together: usize) -> Vec<(usize, Sentence)> {
        let mut batch = Vec::new();
        let mut words = 0;
        while let Some((_, sentence)) = self.ready.front() {
            let more = sentence.len();
            if !batch.is_empty() && words + more > PIECE && batch.len() >= together {
                break;
            }
            words += more;
            self.ready_words -= more;
            batch.extend(self.ready.pop_front());
        }
        self.in_work += batch.len();
        batch
    }
}

impl<T> Inner<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gets more sentences out of the source.
    fn cut(&self, scratch: &mut Scratch) {
        let (source, block) = {
            let mut state = self.lock();
            (state.source.take(), state.block.take())
        };
        let Some(mut source) = source else {
            self.lock().cutting = false;
            return;
        };
        let cut = self.sentences(&mut source, block, scratch);
        let mut state = self.lock();
        state.cutting = false;
        if state.stopped {
            return;
        }
        match cut {
            Ok((sentences, end)) => {
                state.exhausted |= end;
                state.source = Some(source);
                for mut sentence in sentences {
                    let index = state.given;
                    if sentence.len() > self.plan.words {
                        let (words, most) = (sentence.len(), self.plan.words);
                        let message = format!("sentence {} has {words} words, more than {most}", index + 1);
                        state.fail(ApiError::unprocessable("sentence_too_long", message));
                        break;
                    }
                    if matches!(state.source, Some(Source::Text(_) | Source::Lines(_))) {
                        sentence.comments.insert(0, format!("# sent_id = {}", index + 1));
                    }
                    state.given += 1;
                    state.ready_words += sentence.len();
                    state.ready.push_back((index, sentence));
                }
            }
            Err(error) => state.fail(error),
        }
        drop(state);
        self.news.notify_one();
    }

    /// The next sentences, and whether they are the last ones.
    fn sentences(
        &self,
        source: &mut Source,
        block: Option<Block>,
        scratch: &mut Scratch,
    ) -> Result<(Vec<Sentence>, bool), ApiError> {
        let mut sentences = Vec::new();
        let mut words = 0;
        match source {
            Source::Text(_) => {
                if let Some(block) = block {
                    let start = self.plan.ranges.then_some(block.start);
                    sentences = self.plan.model.cut(&block.text, start, scratch);
                }
                return Ok((sentences, false));
            }
            Source::Reader(reader) => {
                while words < LOW {
                    let Some(sentence) = reader.next() else { return Ok((sentences, true)) };
                    let sentence = sentence?;
                    words += sentence.len().max(1);
                    sentences.push(sentence);
                }
            }
            Source::Sentences(given) => {
                while words < LOW {
                    let Some(sentence) = given.next() else { return Ok((sentences, true)) };
                    words += sentence.len().max(1);
                    sentences.push(sentence);
                }
            }
            Source::Lines(lines) => {
                while words < LOW {
                    let Some(line) = lines.next() else { return Ok((sentences, true)) };
                    let start = self.plan.ranges.then_some(0);
                    let cut = self.plan.model.cut(&line, start, scratch);
                    words += cut.iter().map(Sentence::len).sum::<usize>().max(1);
                    sentences.extend(pleach::reading::join(cut, &line));
                }
            }
        }
        Ok((sentences, false))
    }

    fn parse(&self, batch: Vec<(usize, Sentence)>, scratch: &mut Scratch) {
        let mut finished = Vec::with_capacity(batch.len());
        let mut words = 0;
        let count = batch.len();
        let (places, mut sentences): (Vec<usize>, Vec<Sentence>) = batch.into_iter().unzip();
        let mut places = places.into_iter();
        let mut failed = None;
        'all: while !sentences.is_empty() && !self.lock().stopped {
            let rest = sentences.split_off(self.plan.model.batch().clamp(1, sentences.len()));
            let mut together = std::mem::replace(&mut sentences, rest);
            if self.plan.parse {
                self.plan.model.parse(&self.plan.ask, &mut together, scratch);
            }
            for (sentence, index) in together.into_iter().zip(places.by_ref()) {
                let wanted = self.plan.parse && self.plan.explain;
                let explanation = wanted.then(|| self.plan.model.explain(&sentence, scratch)).flatten();
                words += sentence.len();
                match (self.finish)(Parsed { index, sentence, explanation }) {
                    Ok(item) => finished.push((index, item)),
                    Err(error) => {
                        failed = Some(error);
                        break 'all;
                    }
                }
            }
        }
        let mut state = self.lock();
        state.in_work -= count;
        state.words += words;
        if !state.stopped {
            state.done.extend(finished);
        }
        if let Some(error) = failed {
            state.fail(error);
        }
        drop(state);
        self.news.notify_one();
    }
}
