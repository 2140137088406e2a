//! `POST /v1/draw`: drawings of sentences, or of two readings of each, for the page.

use crate::app::App;
use crate::draw::Draw;
use crate::error::{ApiError, ErrorBody};
use crate::media::Output;
use crate::request::{self, json};
use crate::wire::SentenceInput;
use crate::{answer, task};
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use pleach_render::Svg;
use serde::Deserialize;
use serde_json::json as value;
use std::sync::Arc;
use utoipa::ToSchema;

/// The most words that are drawn at once.
const MOST_WORDS: usize = 20_000;

/// Sentences to draw.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawRequest {
    /// The sentences; the gold standard of a comparison.
    pub sentences: Vec<SentenceInput>,
    /// The same sentences with other graphs, to be compared with the first.
    #[serde(default)]
    pub against: Option<Vec<SentenceInput>>,
    /// How they are drawn.
    #[serde(default)]
    pub draw: Draw,
}

/// Draw sentences, or compare two readings of them
///
/// JSON has the shapes of every sentence, each with the word (`w0`) or link (`l0`) that it belongs to; with
/// `Accept: image/svg+xml` the answer is one picture.
#[utoipa::path(
    post, path = "/v1/draw", tag = "pleach", request_body = DrawRequest,
    responses(
        (status = 200, description = "`{\"drawings\": […]}`", content((serde_json::Value = "application/json"), (String = "image/svg+xml"))),
        (status = 400, description = "The request makes no sense", body = ErrorBody),
        (status = 422, description = "The content can't be used", body = ErrorBody),
        (status = 503, description = "Full, or the time was up", body = ErrorBody),
    )
)]
pub async fn draw(State(app): State<Arc<App>>, request: Request) -> Response {
    answer_to(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn answer_to(app: &Arc<App>, request: Request) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let output = Output::negotiate(&parts.headers, Output::Json)?;
    let body = app.body(body).await?;
    let size = body.len();
    let work = task::run(&app.pool, size, move |wanted, _| {
        let request: DrawRequest = json(&body)?;
        let sentences = request::sentences(&request.sentences)?;
        let against = request.against.as_deref().map(request::sentences).transpose()?;
        if against.as_ref().is_some_and(|against| against.len() != sentences.len()) {
            return Err(ApiError::unprocessable(
                "different_lengths",
                "the two lists have not the same length",
            ));
        }
        if sentences.iter().map(|sentence| sentence.len()).sum::<usize>() > MOST_WORDS {
            let message = format!("at most {MOST_WORDS} words are drawn at once");
            return Err(ApiError::unprocessable("too_many_words", message));
        }
        let mut svg = Svg::new(against.is_some());
        let mut drawings = Vec::new();
        for (place, sentence) in sentences.iter().enumerate() {
            wanted.check()?;
            let other = against.as_ref().map(|against| &against[place]);
            match output {
                Output::Svg => {
                    let heading = (sentences.len() > 1).then(|| (place + 1).to_string());
                    svg.push(
                        &request.draw.scene(&request.draw.picture(sentence, other)?),
                        heading.as_deref(),
                    );
                }
                _ => drawings.push(request.draw.json(sentence, other)?),
            }
        }
        Ok((drawings, svg))
    });
    let (drawings, svg) = app.in_time(work).await?;
    Ok(match output {
        Output::Svg => answer::typed(Output::Svg, Body::from(svg.finish())),
        _ => Json(value!({"drawings": drawings})).into_response(),
    })
}
