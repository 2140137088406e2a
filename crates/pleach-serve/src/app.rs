//! What all handlers share, and how bodies are read.

use crate::config::Config;
use crate::engine::Models;
use crate::error::ApiError;
use crate::guard::Guard;
use crate::metrics::Metrics;
use crate::pool::Pool;
use axum::body::{Body, to_bytes};
use bytes::Bytes;
use pleach_formats::{Format, Reader, unpack};
use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

/// A running service.
pub struct App {
    /// How it is set up.
    pub config: Config,
    /// Its models.
    pub models: Models,
    /// Its parsing threads.
    pub pool: Pool,
    /// Its numbers.
    pub metrics: Metrics,
    /// Who may ask.
    pub guard: Guard,
    /// A permit for every request that may be worked on.
    pub permits: Arc<Semaphore>,
    /// Set when the service is to end.
    pub ending: AtomicBool,
}

/// Why the service can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A model can't be opened.
    #[error(transparent)]
    Model(#[from] pleach::models::FindError),
    /// Threads or sockets can't be had.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
    /// An origin that makes no sense.
    #[error("'{0}' is no origin; one is https://example.org")]
    Origin(String),
}

impl App {
    /// Opens the models and starts the threads.
    pub fn new(config: Config) -> Result<App, StartError> {
        let models = Models::open(&config.models)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if config.threads == 0 { cores } else { config.threads };
        let pool = Pool::new(threads)
            .map_err(|source| StartError::Io { what: "starting parsing threads".into(), source })?;
        let guard = Guard::new(&config);
        let permits = Arc::new(Semaphore::new(config.limits.requests));
        let metrics = Metrics::new();
        Ok(App { config, models, pool, metrics, guard, permits, ending: AtomicBool::new(false) })
    }

    /// Whether new requests are welcome.
    pub fn ready(&self) -> bool {
        !self.ending.load(Ordering::Relaxed)
    }

    /// How many requests are worked on.
    pub fn in_flight(&self) -> usize {
        self.config.limits.requests.saturating_sub(self.permits.available_permits())
    }

    /// A whole body, within the limits of size and time.
    pub async fn body(&self, body: Body) -> Result<Bytes, ApiError> {
        let limits = &self.config.limits;
        let read = tokio::time::timeout(limits.patience, to_bytes(body, limits.body)).await;
        read.map_err(|_| ApiError::slow())?.map_err(|error| {
            // The error of a body that is too long hides inside another one.
            let mut source = std::error::Error::source(&error);
            while let Some(cause) = source {
                if cause.to_string().contains("length limit") {
                    return self.too_large();
                }
                source = cause.source();
            }
            ApiError::bad_request("broken_body", "the body could not be read to its end")
        })
    }

    fn too_large(&self) -> ApiError {
        let most = self.config.limits.body;
        ApiError::too_large("body_too_large", format!("the body has more than {most} bytes"))
    }

    /// Does something within the time that a request may take.
    pub async fn in_time<T>(&self, work: impl Future<Output = Result<T, ApiError>>) -> Result<T, ApiError> {
        let limit = self.config.limits.time;
        match tokio::time::timeout(limit, work).await {
            Ok(result) => result,
            Err(_) => {
                self.metrics.abandoned.inc();
                Err(time_is_up(limit))
            }
        }
    }

    /// A reader of sentences in a body, which may be packed. What it unpacks to obeys the same limit, and is not
    /// unpacked again.
    pub fn reader(&self, body: Bytes, format: Option<Format>) -> Result<Reader, ApiError> {
        let mut body = body;
        if is_packed(&body) {
            let unreadable = |error: std::io::Error| {
                ApiError::unprocessable("unreadable_input", format!("the body can't be unpacked: {error}"))
            };
            let unpacked = unpack(Box::new(Cursor::new(body))).map_err(unreadable)?;
            let mut all = Vec::new();
            let most = self.config.limits.body;
            unpacked.take(most as u64 + 1).read_to_end(&mut all).map_err(unreadable)?;
            if all.len() > most {
                return Err(self.too_large());
            }
            if is_packed(&all) {
                return Err(ApiError::unprocessable("unreadable_input", "the body is packed twice"));
            }
            body = Bytes::from(all);
        }
        Ok(Reader::from_read("input", Box::new(Cursor::new(body)), format)?)
    }
}

/// Whether bytes are gzip or Zstandard.
fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1F, 0x8B]) || bytes.starts_with(&[0x28, 0xB5, 0x2F, 0xFD])
}

/// The error of a request that took too long.
pub fn time_is_up(limit: std::time::Duration) -> ApiError {
    let seconds = limit.as_secs_f64();
    ApiError::unavailable(
        "time_limit",
        format!("the request took longer than {seconds} s; send less text at a time"),
    )
}
