//! `POST /v1/parse`: text or sentences in, graphs out.

use crate::answer::{self, Frame};
use crate::app::App;
use crate::draw::Draw;
use crate::error::{ApiError, ErrorBody};
use crate::job::{Finish, ParseJob, Parsed, Plan, Source};
use crate::media::Output;
use crate::request::{ParseParameters, ParseRequest, Wanted};
use crate::wire::WireSentence;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use pleach_formats::Format;
use pleach_render::{Scene, Svg};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::ToSchema;

/// The most sentences that go into one SVG, as for `pleach view`.
const LARGEST_SVG: usize = 50;

/// Parsed sentences.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "the answer is written sentence by sentence; this is its description")]
pub struct ParseAnswer {
    /// The model's name.
    pub model: String,
    /// The sentences, each with `drawing` and `explanation` if they were asked for.
    pub sentences: Vec<WireSentence>,
}

/// Parse text or sentences into deep dependency graphs
///
/// The output is the same to the byte as that of `pleach parse` for the same text. Long answers are streamed; with
/// `Accept: application/x-ndjson` every sentence is a line that is sent as soon as it is ready, and an error that comes
/// later is a last line `{"error": …}`.
#[utoipa::path(
    post, path = "/v1/parse", tag = "pleach", params(ParseParameters),
    request_body(content(
        (ParseRequest = "application/json"), (String = "text/plain"), (String = "text/x-conllu"),
        (String = "application/x-mrp"), (String = "text/x-sdp")
    )),
    responses(
        (status = 200, description = "Graphs", content(
            (ParseAnswer = "application/json"), (String = "application/x-ndjson"), (String = "text/x-conllu"),
            (String = "application/x-mrp"), (String = "text/x-sdp"), (String = "image/svg+xml")
        )),
        (status = 400, description = "The request makes no sense", body = ErrorBody),
        (status = 401, description = "A token is needed", body = ErrorBody),
        (status = 404, description = "No such model", body = ErrorBody),
        (status = 406, description = "No acceptable format", body = ErrorBody),
        (status = 408, description = "The body did not arrive in time", body = ErrorBody),
        (status = 413, description = "The body is too large", body = ErrorBody),
        (status = 415, description = "The body's type is not read", body = ErrorBody),
        (status = 422, description = "The content can't be used", body = ErrorBody),
        (status = 503, description = "Full, or the time was up; see Retry-After", body = ErrorBody),
    )
)]
pub async fn parse(State(app): State<Arc<App>>, request: Request) -> Response {
    answer_to(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn answer_to(app: &Arc<App>, request: Request) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let body = app.body(body).await?;
    if app.config.log_text {
        tracing::info!(text = %String::from_utf8_lossy(&body), "body");
    }
    let wanted = Wanted::read(app, &parts.uri, &parts.headers, body)?;
    let model = Arc::clone(app.models.find(wanted.model.as_deref())?);
    model.check(&wanted.ask)?;
    if matches!(wanted.source, Source::Text(_)) && !model.reads_text() {
        return Err(ApiError::unprocessable(
            "no_tokenizer",
            "the model has no tokenizer, so it needs sentences in a format such as CoNLL-U",
        ));
    }
    let output = wanted.output;
    let from_text = matches!(wanted.source, Source::Text(_));
    let keep_anchors = !from_text || matches!(output, Output::Format(Format::Mrp | Format::Jsonl));
    let name = model.name.clone();
    let plan = Plan {
        model,
        ask: wanted.ask,
        ranges: wanted.ranges,
        parse: true,
        explain: wanted.explain,
        words: app.config.limits.words,
    };
    if output == Output::Svg {
        return svg(app, plan, wanted.source, wanted.draw.unwrap_or_default()).await;
    }
    let mut frame = Frame::default();
    let header = if let Output::Format(format) = output { answer::header_of(format) } else { Vec::new() };
    let header_size = header.len();
    match output {
        Output::Json => {
            let start = format!("{{\"model\":{},\"sentences\":[", json!(name));
            frame = Frame { before: start.into_bytes(), between: b",", after: b"]}\n" };
        }
        _ => frame.before = header,
    }
    let draw = wanted.draw;
    let finish: Finish<Vec<u8>> = Box::new(move |mut parsed: Parsed| {
        // Only MRP has a place for anchors, as in `pleach parse`.
        if !keep_anchors {
            parsed.sentence.tokens.iter_mut().for_each(|token| token.anchor = None);
        }
        match output {
            Output::Format(format) => answer::one(format, header_size, &parsed.sentence),
            _ => {
                let mut line = sentence_json(&parsed, draw.as_ref())?.to_string().into_bytes();
                if output == Output::Ndjson {
                    line.push(b'\n');
                }
                Ok(line)
            }
        }
    });
    let job = ParseJob::start(&app.pool, plan, wanted.source, finish);
    Ok(answer::stream(app, job, output, frame).await)
}

/// A sentence as JSON, with a drawing and an explanation if they are wanted.
fn sentence_json(parsed: &Parsed, draw: Option<&Draw>) -> Result<Value, ApiError> {
    let mut value =
        serde_json::to_value(WireSentence::from(&parsed.sentence)).map_err(|_| ApiError::internal())?;
    if let Some(draw) = draw {
        value["drawing"] = draw.json(&parsed.sentence, None)?;
    }
    if let Some(explanation) = &parsed.explanation {
        value["explanation"] = explanation.clone().into();
    }
    Ok(value)
}

async fn svg(app: &Arc<App>, plan: Plan, source: Source, draw: Draw) -> Result<Response, ApiError> {
    let finish: Finish<Scene> = Box::new(move |parsed: Parsed| {
        if parsed.index >= LARGEST_SVG {
            let message = format!("more than {LARGEST_SVG} sentences for one picture");
            return Err(ApiError::unprocessable("too_many_sentences", message));
        }
        Ok(draw.scene(&draw.picture(&parsed.sentence, None)?))
    });
    let scenes = answer::collect(app, ParseJob::start(&app.pool, plan, source, finish)).await?;
    let mut svg = Svg::new(false);
    for (number, scene) in scenes.iter().enumerate() {
        let heading = (scenes.len() > 1).then(|| (number + 1).to_string());
        svg.push(scene, heading.as_deref());
    }
    Ok(answer::typed(Output::Svg, Body::from(svg.finish())))
}
