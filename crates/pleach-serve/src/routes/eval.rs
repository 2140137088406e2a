//! `POST /v1/eval`: one or two systems against a gold standard.

use crate::app::App;
use crate::error::{ApiError, ErrorBody};
use crate::request::{self, json};
use crate::task;
use crate::wire::SentenceInput;
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use pleach_eval::{Details, EvalError, Metric, Options, evaluate};
use pleach_formats::Format;
use pleach_graph::Sentence;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use utoipa::ToSchema;

/// A file of sentences in a request: its content, or sentences as JSON.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum File {
    /// The content of a file.
    Content(String),
    /// Sentences.
    Sentences(Vec<SentenceInput>),
}

/// A gold standard and the output of systems.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EvalRequest {
    /// The gold standard.
    pub gold: File,
    /// The system's output.
    pub system: File,
    /// A second system's, to be compared with the first.
    #[serde(default)]
    pub second: Option<File>,
    /// Whose rules: sdp, semeval16, eud or tree; by the format when not given.
    #[serde(default)]
    pub metric: Option<String>,
    /// The format of the files; told from their content when not given.
    #[serde(default)]
    pub format: Option<String>,
}

/// Score one or two systems against a gold standard
///
/// The answer has the keys of `pleach eval --json`, and under `table` what `pleach eval` prints.
#[utoipa::path(
    post, path = "/v1/eval", tag = "pleach", request_body = EvalRequest,
    responses(
        (status = 200, description = "The scores", body = Value),
        (status = 400, description = "The request makes no sense", body = ErrorBody),
        (status = 422, description = "The files don't fit together or are malformed", body = ErrorBody),
        (status = 503, description = "Full, or the time was up", body = ErrorBody),
    )
)]
pub async fn eval(State(app): State<Arc<App>>, request: Request) -> Response {
    answer_to(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn answer_to(app: &Arc<App>, request: Request) -> Result<Response, ApiError> {
    let body = app.body(request.into_body()).await?;
    let within = Arc::clone(app);
    let work = task::run(&app.pool, body.len(), move |wanted, _| {
        let request: EvalRequest = json(&body)?;
        let format = match request.format.as_deref() {
            None | Some("") => None,
            Some(name) => Some(name.parse::<Format>().map_err(|_| {
                ApiError::bad_request("unknown_format", format!("known formats are {}", Format::names()))
            })?),
        };
        let mut files = Vec::new();
        let named =
            [("gold", Some(request.gold)), ("system", Some(request.system)), ("second", request.second)];
        for (name, file) in named.into_iter().filter_map(|(name, file)| Some((name, file?))) {
            files.push(
                read(&within, file, format)
                    .map_err(|error| ApiError { message: format!("{name}: {}", error.message), ..error })?,
            );
        }
        let metric = match request.metric.as_deref() {
            None | Some("") => guess(&files),
            Some(name) => name
                .parse::<Metric>()
                .map_err(|error| ApiError::bad_request("unknown_metric", error.to_string()))?,
        };
        wanted.check()?;
        score(metric, files)
    });
    Ok(Json(app.in_time(work).await?).into_response())
}

/// The sentences of a file and its format, if it has one.
type Sentences = (Vec<Sentence>, Option<Format>);

fn read(app: &App, file: File, format: Option<Format>) -> Result<Sentences, ApiError> {
    match file {
        File::Sentences(given) => Ok((request::sentences(&given)?, None)),
        File::Content(text) => {
            let reader = app.reader(Bytes::from(text), format)?;
            let format = reader.format();
            if format == Format::Brackets {
                return Err(ApiError::unprocessable(
                    "nothing_to_score",
                    "brackets have no dependencies to score",
                ));
            }
            Ok((reader.collect::<Result<_, _>>()?, Some(format)))
        }
    }
}

/// The metric that fits, by the rules of `pleach eval`.
fn guess(files: &[Sentences]) -> Metric {
    let any = |formats: &[Format]| {
        files.iter().any(|(_, format)| format.is_some_and(|format| formats.contains(&format)))
    };
    let graphs = |(sentences, _): &Sentences| sentences.iter().any(|sentence| !sentence.graph.is_empty());
    if any(&[Format::Sdp2014, Format::Sdp2015, Format::Mrp, Format::Parg]) {
        Metric::Sdp
    } else if any(&[Format::Semeval16]) {
        Metric::Semeval16
    } else if files.iter().all(graphs) {
        if any(&[Format::Conll09]) { Metric::Sdp } else { Metric::Eud }
    } else {
        Metric::Tree
    }
}

fn score(metric: Metric, files: Vec<Sentences>) -> Result<Value, ApiError> {
    let mut readers: Vec<_> =
        files.into_iter().map(|(sentences, _)| sentences.into_iter().map(Ok::<_, ApiError>)).collect();
    let options = Options::new(metric);
    let evaluation = match &mut readers[..] {
        [gold, system] => evaluate(&options, gold, system, None),
        [gold, system, second] => evaluate(&options, gold, system, Some(second)),
        _ => return Err(ApiError::internal()),
    };
    let unfit = |system: usize, error: &dyn std::fmt::Display| {
        let name = if system == 0 { "system" } else { "second" };
        ApiError::unprocessable("files_do_not_fit", format!("gold and {name}: {error}"))
    };
    let evaluation = evaluation.map_err(|error| match error {
        EvalError::Read(error) => error,
        EvalError::Mismatch { system, error } => unfit(system, &error),
        EvalError::Ud { system, error } => unfit(system, &error),
        EvalError::NoTree(error) => ApiError::unprocessable("no_tree", error.to_string()),
    })?;
    let report = evaluation.report(Details::default());
    let mut scores = report.json();
    scores["table"] = report.to_string().into();
    Ok(scores)
}
