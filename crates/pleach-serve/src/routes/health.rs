//! Whether the service lives, whether it takes requests, and its numbers.

use crate::app::App;
use crate::error::ApiError;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Whether the process lives
#[utoipa::path(get, path = "/healthz", tag = "operation", responses((status = 200, description = "It lives", body = String)))]
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether requests are welcome: not any more once the service is ending
#[utoipa::path(get, path = "/readyz", tag = "operation", responses(
    (status = 200, description = "Welcome", body = String),
    (status = 503, description = "Ending", body = crate::error::ErrorBody),
))]
pub async fn readyz(State(app): State<Arc<App>>) -> Response {
    match app.ready() {
        true => "ready\n".into_response(),
        false => ApiError::unavailable("ending", "the service is ending").into_response(),
    }
}

/// Numbers for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "operation", responses((status = 200, description = "OpenMetrics text", body = String)))]
pub async fn metrics(State(app): State<Arc<App>>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text(&app.pool, app.in_flight())).into_response()
}
