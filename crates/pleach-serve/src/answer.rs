//! Answers made of sentences: whole when they are short, in a stream when they are long.
//!
//! Up to [`WHOLE`] bytes are held back, so that an error in them becomes a status. An error after that ends the stream
//! without its end, which a client notices; in NDJSON it is one more line.

use crate::app::{App, time_is_up};
use crate::error::ApiError;
use crate::job::ParseJob;
use crate::media::Output;
use axum::body::{Body, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use pleach_formats::{Format, Writer};
use pleach_graph::Sentence;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// Answers up to this size are sent whole.
const WHOLE: usize = 256 << 10;

/// What stands around and between the sentences of an answer.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Before the first.
    pub before: Vec<u8>,
    /// Between two.
    pub between: &'static [u8],
    /// After the last.
    pub after: &'static [u8],
}

/// Writes the sentences of a job as they come.
pub async fn stream(app: &Arc<App>, mut job: ParseJob<Vec<u8>>, output: Output, frame: Frame) -> Response {
    let deadline = Instant::now() + app.config.limits.time;
    let mut held = BytesMut::from(&frame.before[..]);
    let mut first = true;
    // Lines are for reading as they come.
    let whole = if output == Output::Ndjson { 0 } else { WHOLE };
    loop {
        let items = match timeout_at(deadline, job.fetch()).await {
            Err(_) => {
                app.metrics.abandoned.inc();
                return time_is_up(app.config.limits.time).into_response();
            }
            Ok(Some(Err(error))) => return error.into_response(),
            Ok(Some(Ok(items))) => Some(items),
            Ok(None) => None,
        };
        let Some(items) = items else {
            held.extend_from_slice(frame.after);
            count(app, &job);
            return typed(output, Body::from(held.freeze()));
        };
        put(&mut held, items, &frame, &mut first);
        if held.len() > whole {
            break;
        }
    }
    let (send, receive) = mpsc::channel(4);
    let app = Arc::clone(app);
    tokio::spawn(async move {
        let mut next = held;
        loop {
            // When nobody receives any more, the job is dropped, and its work with it.
            if send.send(Ok(next.split().freeze())).await.is_err() {
                app.metrics.abandoned.inc();
                count(&app, &job);
                return;
            }
            let failed = tokio::select! {
                () = send.closed() => { app.metrics.abandoned.inc(); count(&app, &job); return; }
                items = timeout_at(deadline, job.fetch()) => match items {
                    Err(_) => Some(time_is_up(app.config.limits.time)),
                    Ok(Some(Err(error))) => Some(error),
                    Ok(Some(Ok(items))) => { put(&mut next, items, &frame, &mut first); None }
                    Ok(None) => {
                        next.extend_from_slice(frame.after);
                        let _ = send.send(Ok(next.freeze())).await;
                        count(&app, &job);
                        return;
                    }
                },
            };
            if let Some(error) = failed {
                count(&app, &job);
                if output == Output::Ndjson {
                    let mut line = serde_json::to_vec(&error.body()).unwrap_or_default();
                    line.push(b'\n');
                    let _ = send.send(Ok(Bytes::from(line))).await;
                } else {
                    let _ = send.send(Err(io::Error::other(error.message))).await;
                }
                return;
            }
        }
    });
    typed(output, Body::new(Stream(receive)))
}

fn put(held: &mut BytesMut, items: Vec<Vec<u8>>, frame: &Frame, first: &mut bool) {
    for item in items {
        if !std::mem::take(first) {
            held.extend_from_slice(frame.between);
        }
        held.extend_from_slice(&item);
    }
}

fn count(app: &App, job: &ParseJob<Vec<u8>>) {
    let (sentences, words) = job.counts();
    app.metrics.sentences.inc_by(sentences as u64);
    app.metrics.words.inc_by(words as u64);
}

/// An answer with its media type.
pub fn typed(output: Output, body: Body) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(output.media_type()))], body).into_response()
}

/// The pieces of an answer, as they come.
struct Stream(mpsc::Receiver<io::Result<Bytes>>);

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, io::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(hyper::body::Frame::data)))
    }
}

/// All sentences of a job, counted.
pub async fn collect<T: Send + 'static>(app: &App, mut job: ParseJob<T>) -> Result<Vec<T>, ApiError> {
    let work = async {
        let mut all = Vec::new();
        while let Some(items) = job.fetch().await {
            all.extend(items?);
        }
        Ok(all)
    };
    let all = app.in_time(work).await;
    let (sentences, words) = job.counts();
    app.metrics.sentences.inc_by(sentences as u64);
    app.metrics.words.inc_by(words as u64);
    all
}

/// Memory that a writer of a format fills.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    /// How much was written.
    pub fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// What was written.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A format's file of some sentences, header included.
pub fn file(format: Format, sentences: &[Sentence]) -> Result<Vec<u8>, ApiError> {
    let memory = Memory::default();
    let mut writer = Writer::to_write(Box::new(memory.clone()), format);
    for sentence in sentences {
        writer.write(sentence)?;
    }
    writer.finish()?;
    Ok(memory.take())
}

/// What stands before the first sentence of a format.
pub fn header_of(format: Format) -> Vec<u8> {
    file(format, &[]).unwrap_or_default()
}

/// A sentence of a format, without the header of its file; `header` is how long that is.
pub fn one(format: Format, header: usize, sentence: &Sentence) -> Result<Vec<u8>, ApiError> {
    let mut bytes = file(format, std::slice::from_ref(sentence))?;
    bytes.drain(..header.min(bytes.len()));
    Ok(bytes)
}
