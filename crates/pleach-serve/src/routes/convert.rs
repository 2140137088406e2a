//! `POST /v1/convert`: from any format to any other.

use crate::app::App;
use crate::draw::Draw;
use crate::error::{ApiError, ErrorBody};
use crate::media::{Input, Output};
use crate::request::{self, json, parameters};
use crate::wire::{SentenceInput, WireSentence};
use crate::{answer, task};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use pleach_formats::{Format, Losses, ReadError, Writer};
use pleach_graph::Sentence;
use pleach_render::Svg;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// What the target had no place for, as a header.
const LOSSES: HeaderName = HeaderName::from_static("pleach-losses");
/// How many sentences were left out, as a header.
const SKIPPED: HeaderName = HeaderName::from_static("pleach-skipped");

/// The most sentences that go into one SVG.
const LARGEST_SVG: usize = 50;

/// An answer may be so many times as large as the largest body.
const GROWTH: usize = 16;

/// What happens to malformed sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// The request fails, with line and column.
    #[default]
    Fail,
    /// They are left out and counted.
    Skip,
}

/// From which format to which.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ConvertParameters {
    /// The format of the body; by its content type, else told from its content.
    pub from: Option<String>,
    /// The format of the answer: json, ndjson, svg, conllu, sdp2015, mrp …; by `Accept` when not given.
    pub to: Option<String>,
    /// What happens to malformed sentences: fail or skip.
    #[param(value_type = Option<String>)]
    pub on_error: OnError,
}

/// Sentences in JSON.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConvertRequest {
    /// The sentences.
    pub sentences: Vec<SentenceInput>,
}

/// Convert sentences from any format to any other
///
/// What the target has no place for is counted in the header `pleach-losses`.
#[utoipa::path(
    post, path = "/v1/convert", tag = "pleach", params(ConvertParameters),
    request_body(content((ConvertRequest = "application/json"), (String = "text/x-conllu"), (String = "application/octet-stream"))),
    responses(
        (status = 200, description = "The sentences", content(
            (ConvertAnswer = "application/json"), (String = "application/x-ndjson"), (String = "text/x-conllu"),
            (String = "application/x-mrp"), (String = "text/x-sdp"), (String = "image/svg+xml")
        )),
        (status = 400, description = "The request makes no sense", body = ErrorBody),
        (status = 413, description = "The body or the answer is too large", body = ErrorBody),
        (status = 415, description = "The body's type is not read", body = ErrorBody),
        (status = 422, description = "The content can't be used; with line and column", body = ErrorBody),
        (status = 503, description = "Full, or the time was up", body = ErrorBody),
    )
)]
pub async fn convert(State(app): State<Arc<App>>, request: Request) -> Response {
    answer_to(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

/// What goes out.
struct Converted {
    bytes: Vec<u8>,
    losses: Losses,
    skipped: usize,
}

async fn answer_to(app: &Arc<App>, request: Request) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let wish: ConvertParameters = parameters(&parts.uri)?;
    let input = Input::of(&parts.headers, wish.from.as_deref())?;
    let output = match wish.to.as_deref() {
        Some(name) => Output::named(name)?,
        None => Output::negotiate(&parts.headers, Output::Json)?,
    };
    let body = app.body(body).await?;
    let size = body.len();
    let most = app.config.limits.body.saturating_mul(GROWTH);
    let within = Arc::clone(app);
    let work = task::run(&app.pool, size, move |wanted, _| {
        let given: Box<dyn Iterator<Item = Result<Sentence, ReadError>>> = match input {
            Input::Json => {
                let request: ConvertRequest = json(&body)?;
                Box::new(request::sentences(&request.sentences)?.into_iter().map(Ok))
            }
            Input::Sentences(format) => Box::new(within.reader(body, format)?),
            Input::Text => return Err(ApiError::unsupported("text has no graphs: /v1/parse makes them")),
        };
        let mut sink = Sink::new(output);
        let mut skipped = 0;
        for sentence in given {
            wanted.check()?;
            let put = sentence.map_err(ApiError::from).and_then(|sentence| sink.put(&sentence));
            match put {
                Ok(()) => {}
                Err(error) if wish.on_error == OnError::Skip && error.code != "internal" => skipped += 1,
                Err(error) => return Err(error),
            }
            if sink.size() > most {
                return Err(ApiError::too_large(
                    "answer_too_large",
                    format!("the answer has more than {most} bytes"),
                ));
            }
        }
        let (bytes, losses) = sink.finish()?;
        Ok(Converted { bytes, losses, skipped })
    });
    let converted = app.in_time(work).await?;
    let mut response = answer::typed(output, Body::from(converted.bytes));
    let headers = response.headers_mut();
    if !converted.losses.is_empty()
        && let Ok(losses) = HeaderValue::from_str(&converted.losses.to_string())
    {
        headers.insert(LOSSES, losses);
    }
    if converted.skipped > 0 {
        headers.insert(SKIPPED, HeaderValue::from(converted.skipped));
    }
    Ok(response)
}

/// Where sentences go.
enum Sink {
    Format { writer: Box<Writer>, memory: answer::Memory },
    Json { text: Vec<u8>, lines: bool },
    Svg { svg: Svg, drawn: usize },
}

impl Sink {
    fn new(output: Output) -> Sink {
        match output {
            Output::Format(format) => Sink::format(format),
            Output::Json => Sink::Json { text: b"{\"sentences\":[".to_vec(), lines: false },
            Output::Ndjson => Sink::Json { text: Vec::new(), lines: true },
            Output::Svg => Sink::Svg { svg: Svg::new(false), drawn: 0 },
        }
    }

    fn format(format: Format) -> Sink {
        let memory = answer::Memory::default();
        Sink::Format { writer: Box::new(Writer::to_write(Box::new(memory.clone()), format)), memory }
    }

    fn put(&mut self, sentence: &Sentence) -> Result<(), ApiError> {
        match self {
            Sink::Format { writer, .. } => writer.write(sentence)?,
            Sink::Json { text, lines } => {
                if !*lines && text.last() == Some(&b'}') {
                    text.push(b',');
                }
                let wire = WireSentence::from(sentence);
                serde_json::to_writer(&mut *text, &wire).map_err(|_| ApiError::internal())?;
                if *lines {
                    text.push(b'\n');
                }
            }
            Sink::Svg { svg, drawn } => {
                *drawn += 1;
                if *drawn > LARGEST_SVG {
                    let message = format!("more than {LARGEST_SVG} sentences for one picture");
                    return Err(ApiError::unprocessable("too_many_sentences", message));
                }
                let draw = Draw::default();
                svg.push(&draw.scene(&draw.picture(sentence, None)?), Some(&drawn.to_string()));
            }
        }
        Ok(())
    }

    /// How much was written.
    fn size(&self) -> usize {
        match self {
            Sink::Format { memory, .. } => memory.len(),
            Sink::Json { text, .. } => text.len(),
            Sink::Svg { .. } => 0,
        }
    }

    fn finish(self) -> Result<(Vec<u8>, Losses), ApiError> {
        Ok(match self {
            Sink::Format { writer, memory } => {
                let losses = writer.finish()?;
                (memory.take(), losses)
            }
            Sink::Json { mut text, lines } => {
                if !lines {
                    text.extend_from_slice(b"]}\n");
                }
                (text, Losses::default())
            }
            Sink::Svg { svg, .. } => (svg.finish().into_bytes(), Losses::default()),
        })
    }
}

/// For the description only.
#[derive(ToSchema)]
#[allow(dead_code, reason = "the answer is written sentence by sentence; this is its description")]
pub struct ConvertAnswer {
    sentences: Vec<WireSentence>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_json_however_many_sentences_there_are() {
        for count in 0..3 {
            let mut sink = Sink::new(Output::Json);
            (0..count).for_each(|_| sink.put(&Sentence::from_forms(["a"])).unwrap());
            let found: serde_json::Value = serde_json::from_slice(&sink.finish().unwrap().0).unwrap();
            assert_eq!(found["sentences"].as_array().unwrap().len(), count, "{found}");
        }
    }
}
