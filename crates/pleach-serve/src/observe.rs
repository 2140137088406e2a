//! What happens around every request: its id, its line in the log, its numbers, the checks, and the headers that keep
//! browsers safe.

use crate::app::App;
use crate::error::{ApiError, Code};
use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;
use tokio::sync::OwnedSemaphorePermit;

/// The header of a request's id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The policy of the page: its own files only, no script or style inside of it, pictures made by it.
pub const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The policy of everything else: nothing at all, but for the styles inside of a picture.
const DATA_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
);

/// The id of a request: the client's, if it is a harmless one, else a new one.
fn request_id(request: &Request) -> HeaderValue {
    let harmless = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        !bytes.is_empty() && bytes.len() <= 64 && bytes.iter().all(plain)
    };
    if let Some(given) = request.headers().get(&REQUEST_ID).filter(harmless) {
        return given.clone();
    }
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static START: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    // Ids of two runs differ: the clock is in their upper half.
    let start = START.get_or_init(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        since.as_nanos() as u64
    });
    let id = format!(
        "{:08x}{:08x}",
        *start as u32 ^ (start >> 32) as u32,
        NEXT.fetch_add(1, Ordering::Relaxed) as u32
    );
    HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("0"))
}

/// Around every request.
pub async fn observe(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(&request);
    let path = request.extensions().get::<MatchedPath>().map_or("unknown", |path| path.as_str()).to_owned();
    let method = request.method().clone();
    let mut span = Finished { app: Arc::clone(&app), id: id.clone(), method, path, started, answered: false };
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let checked = app.guard.check_host(request.headers()).and_then(|()| match *request.method() {
        Method::GET | Method::HEAD | Method::OPTIONS => Ok(()),
        _ => app.guard.check_origin(request.headers()),
    });
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    span.answered = true;
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(DATA_POLICY);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    span.log(&response);
    response
}

/// Writes a line when a request is over, also when its client went away before the answer.
struct Finished {
    app: Arc<App>,
    id: HeaderValue,
    method: Method,
    path: String,
    started: Instant,
    answered: bool,
}

impl Finished {
    fn log(&self, response: &Response) {
        let (status, time) = (response.status(), self.started.elapsed());
        self.app.metrics.answered(&self.path, status.as_u16(), time);
        let code = response.extensions().get::<Code>().map_or("", |code| code.0);
        let (id, method, path) =
            (self.id.to_str().unwrap_or_default(), self.method.as_str(), self.path.as_str());
        let (status, ms) = (status.as_u16(), time.as_secs_f64() * 1000.0);
        match status {
            500.. if status != StatusCode::SERVICE_UNAVAILABLE.as_u16() => {
                tracing::error!(id, method, path, status, ms, code, "answered")
            }
            _ => tracing::info!(id, method, path, status, ms, code, "answered"),
        }
    }
}

impl Drop for Finished {
    fn drop(&mut self) {
        if !self.answered {
            self.app.metrics.abandoned.inc();
            let (id, method, path) =
                (self.id.to_str().unwrap_or_default(), self.method.as_str(), self.path.as_str());
            tracing::info!(
                id,
                method,
                path,
                ms = self.started.elapsed().as_secs_f64() * 1000.0,
                "client went away"
            );
        }
    }
}

/// Around every request that is work: a token, and a permit that is held until the answer has been sent.
pub async fn admit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if let Err(error) = app.guard.check_token(request.headers()) {
        return error.into_response();
    }
    let Ok(permit) = Arc::clone(&app.permits).try_acquire_owned() else {
        app.metrics.rejected.inc();
        let most = app.config.limits.requests;
        let message = format!("{most} requests are being worked on, which is all that may; try again");
        return ApiError::unavailable("too_many_requests", message).into_response();
    };
    next.run(request).await.map(|inner| Body::new(Held { inner, _permit: permit }))
}

/// A body that keeps its request's permit until it has been sent.
struct Held {
    inner: Body,
    _permit: OwnedSemaphorePermit,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.inner.size_hint()
    }
}

/// Turns the panic of a handler into an answer.
pub fn panicked(app: &App) -> Response {
    app.metrics.panics.inc();
    ApiError::internal().into_response()
}
