//! `GET /v1/models`: what can be asked for.

use crate::app::App;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// A model that requests can name.
#[derive(Serialize, ToSchema)]
pub struct ModelInfo {
    /// Its name.
    #[schema(example = "en")]
    pub name: String,
    /// Whether it is used when a request names none.
    pub default: bool,
    /// The size of its file, in bytes.
    pub bytes: usize,
    /// Whether it reads text; else it needs sentences.
    pub reads_text: bool,
    /// Whether it gives deep graphs; else basic trees only.
    pub gives_graphs: bool,
    /// The families of its stages.
    pub stages: Vec<String>,
    /// The transition system that it parses with, if it is a transition parser.
    pub system: Option<String>,
}

/// The models, and what a request may cost.
#[derive(Serialize, ToSchema)]
pub struct ModelList {
    /// The models, the default one first.
    pub models: Vec<ModelInfo>,
    /// The limits.
    pub limits: LimitInfo,
    /// The version of Pleach.
    pub version: &'static str,
}

/// What a request may cost.
#[derive(Serialize, ToSchema)]
pub struct LimitInfo {
    /// The largest body, in bytes.
    pub body: usize,
    /// The most words of a sentence.
    pub words: usize,
    /// The longest time, in seconds.
    pub seconds: f64,
    /// The most requests at a time.
    pub requests: usize,
}

/// The models that requests can name, and the limits
#[utoipa::path(get, path = "/v1/models", tag = "pleach", responses((status = 200, description = "The models", body = ModelList)))]
pub async fn list(State(app): State<Arc<App>>) -> Json<ModelList> {
    let models = app.models.iter().enumerate().map(|(number, model)| ModelInfo {
        name: model.name.clone(),
        default: number == 0,
        bytes: model.size,
        reads_text: model.reads_text(),
        gives_graphs: model.gives_graphs(),
        stages: model.stages(),
        system: model.transition_system(),
    });
    let limits = &app.config.limits;
    Json(ModelList {
        models: models.collect(),
        limits: LimitInfo {
            body: limits.body,
            words: limits.words,
            seconds: limits.time.as_secs_f64(),
            requests: limits.requests,
        },
        version: env!("CARGO_PKG_VERSION"),
    })
}
