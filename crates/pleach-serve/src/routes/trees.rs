//! `POST /v1/trees`: graphs taken apart into the three trees that graph merging puts together.

use crate::app::App;
use crate::draw::Draw;
use crate::engine;
use crate::error::{ApiError, ErrorBody};
use crate::request::{self, json};
use crate::task;
use crate::wire::SentenceInput;
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use pleach_graph::{Sentence, enhanced};
use serde::Deserialize;
use serde_json::json as value;
use std::sync::Arc;
use utoipa::ToSchema;

/// The most words of sentences that are taken apart at once.
const MOST_WORDS: usize = 2000;

/// Sentences with graphs.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TreesRequest {
    /// The sentences.
    pub sentences: Vec<SentenceInput>,
    /// How the trees are drawn.
    #[serde(default)]
    pub draw: Draw,
}

/// Take graphs apart into three trees, each drawn as the part of the graph that it holds
#[utoipa::path(
    post, path = "/v1/trees", tag = "pleach", request_body = TreesRequest,
    responses(
        (status = 200, description = "`{\"trees\": [[{\"held\", \"arcs\", \"drawing\"}, …], …]}`, three for every sentence", body = serde_json::Value),
        (status = 400, description = "The request makes no sense", body = ErrorBody),
        (status = 422, description = "The content can't be used", body = ErrorBody),
        (status = 503, description = "Full, or the time was up", body = ErrorBody),
    )
)]
pub async fn trees(State(app): State<Arc<App>>, request: Request) -> Response {
    answer_to(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn answer_to(app: &Arc<App>, request: Request) -> Result<Response, ApiError> {
    let body = app.body(request.into_body()).await?;
    let size = body.len();
    // A relaxation takes longer than its input is long.
    let work = task::run(&app.pool, size.saturating_mul(16), move |wanted, _| {
        let request: TreesRequest = json(&body)?;
        let sentences = request::sentences(&request.sentences)?;
        if sentences.iter().map(Sentence::len).sum::<usize>() > MOST_WORDS {
            let message = format!("at most {MOST_WORDS} words are taken apart at once");
            return Err(ApiError::unprocessable("too_many_words", message));
        }
        let mut all = Vec::with_capacity(sentences.len());
        for mut sentence in sentences {
            wanted.check()?;
            enhanced::collapse(&mut sentence);
            let trees = engine::three_trees(&sentence.graph)
                .ok_or_else(|| ApiError::unprocessable("sentence_too_long", "too long to be taken apart"))?;
            let mut told = Vec::new();
            for graph in trees {
                let held = graph.arcs().len();
                let part = Sentence { graph, ..sentence.clone() };
                let drawing = request.draw.json(&part, None)?;
                told.push(value!({"held": held, "arcs": sentence.graph.arcs().len(), "drawing": drawing}));
            }
            all.push(told);
        }
        Ok(all)
    });
    Ok(Json(value!({"trees": app.in_time(work).await?})).into_response())
}
