//! The paths of the service.

pub mod convert;
pub mod draw;
pub mod eval;
pub mod health;
pub mod models;
pub mod oracle;
pub mod page;
pub mod parse;
pub mod trees;
pub mod udpipe;

use crate::app::App;
use crate::observe;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, Method, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Router, http::StatusCode};
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// All paths.
pub fn router(app: Arc<App>) -> Router {
    let work = Router::new()
        .route("/v1/parse", post(parse::parse))
        .route("/v1/convert", post(convert::convert))
        .route("/v1/eval", post(eval::eval))
        .route("/v1/oracle", post(oracle::oracle))
        .route("/v1/draw", post(draw::draw))
        .route("/v1/trees", post(trees::trees))
        .route("/process", get(udpipe::process_get).post(udpipe::process_post))
        .layer(from_fn_with_state(Arc::clone(&app), observe::admit));
    // What costs nothing needs no permit, so that it is answered when the service is full.
    let lists = Router::new()
        .route("/v1/models", get(models::list))
        .route("/models", get(udpipe::models))
        .route("/metrics", get(health::metrics))
        .layer(from_fn_with_state(Arc::clone(&app), token));
    let open = Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/openapi.json", get(crate::openapi::document))
        .merge(page::routes());
    let for_panics = Arc::clone(&app);
    let mut router = Router::new()
        .merge(work)
        .merge(lists)
        .merge(open)
        .fallback(not_found)
        .method_not_allowed_fallback(not_allowed)
        .layer(DefaultBodyLimit::disable())
        .layer(CatchPanicLayer::custom(move |_: Box<dyn std::any::Any + Send>| {
            observe::panicked(&for_panics)
        }));
    if !app.config.cors.is_empty() {
        router = router.layer(cors(&app.config.cors));
    }
    router.layer(from_fn_with_state(Arc::clone(&app), observe::observe)).with_state(app)
}

async fn token(
    axum::extract::State(app): axum::extract::State<Arc<App>>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> axum::response::Response {
    match app.guard.check_token(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

fn cors(origins: &[String]) -> CorsLayer {
    let origins = if origins.iter().any(|origin| origin == "*") {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()))
    };
    CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([header::CONTENT_TYPE, header::ACCEPT, header::AUTHORIZATION, observe::REQUEST_ID])
        .expose_headers([observe::REQUEST_ID])
}

async fn not_found() -> axum::response::Response {
    crate::error::ApiError::not_found("no_such_path", "there is nothing here; /openapi.json lists all paths")
        .into_response()
}

async fn not_allowed() -> axum::response::Response {
    let error =
        crate::error::ApiError::bad_request("method_not_allowed", "this path doesn't know this method");
    crate::error::ApiError { status: StatusCode::METHOD_NOT_ALLOWED, ..error }.into_response()
}
