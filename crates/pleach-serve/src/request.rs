//! What a request asks for, whether it says so in JSON or in parameters.

use crate::app::App;
use crate::draw::Draw;
use crate::engine::{Ask, WIDEST_BEAM};
use crate::error::ApiError;
use crate::job::Source;
use crate::media::{Input, Output};
use crate::wire::SentenceInput;
use axum::http::HeaderMap;
use bytes::Bytes;
use pleach::Tags;
use pleach::ensure::UnknownGuarantee;
use pleach_formats::Format;
use pleach_graph::Sentence;
use pleach_text::blocks::Blocks;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::Cursor;
use utoipa::{IntoParams, ToSchema};

/// What happens to tags, features and lemmas that sentences have already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TagsWanted {
    /// They stay; missing ones are predicted.
    #[default]
    Auto,
    /// They stay, and what is missing stays so.
    Given,
    /// The model's own take their place.
    Predicted,
}

/// A request to parse. Either `text` or `sentences` is needed.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ParseRequest {
    /// Raw text.
    #[schema(example = "The company that Mark wants to buy is small.")]
    pub text: Option<String>,
    /// Sentences that are tokenised already.
    pub sentences: Option<Vec<SentenceInput>>,
    /// The name of a model; the first one when not given.
    pub model: Option<String>,
    /// The format of the answer: json, ndjson, svg, conllu, mrp, sdp2015 …; by `Accept` when not given.
    pub format: Option<String>,
    /// What every graph must have: any of rooted, one-root, connected, acyclic, nodes and labels, with commas, or none; what
    /// the model's training graphs have when not given.
    #[schema(example = "rooted,connected")]
    pub ensure: Option<String>,
    /// The beam's width, for a model that has a beam; the model's own when not given.
    pub beam: Option<usize>,
    /// Tags, features and lemmas of the input.
    pub tags: TagsWanted,
    /// Keep annotation of the input that the model doesn't make, with a comment `kept_from_input` that says what.
    pub keep: bool,
    /// Say in MISC where every token stands in the text.
    pub ranges: bool,
    /// How graphs were found, for models that can tell.
    pub explain: bool,
    /// Add a drawing to every sentence (JSON and NDJSON only).
    pub draw: Option<Draw>,
}

/// The same as parameters, for bodies that are text or sentences.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ParseParameters {
    /// The name of a model; the first one when not given.
    pub model: Option<String>,
    /// The format of the answer; by `Accept` when not given.
    pub format: Option<String>,
    /// The format of the body, if its content type doesn't say: text, conllu, sdp2015, mrp …, or auto.
    pub from: Option<String>,
    /// What every graph must have: any of rooted, one-root, connected, acyclic, nodes and labels, with commas, or none; what
    /// the model's training graphs have when not given.
    pub ensure: Option<String>,
    /// The beam's width.
    pub beam: Option<usize>,
    /// Tags, features and lemmas of the input: auto, given or predicted.
    #[param(value_type = Option<String>)]
    pub tags: TagsWanted,
    /// Keep annotation of the input that the model doesn't make, with a comment `kept_from_input` that says what.
    pub keep: bool,
    /// Say in MISC where every token stands in the text.
    pub ranges: bool,
}

/// A request that is understood.
pub struct Wanted {
    /// The model's name.
    pub model: Option<String>,
    /// How to parse.
    pub ask: Ask,
    /// Whether MISC says where tokens stand.
    pub ranges: bool,
    /// Whether it is told how graphs were found.
    pub explain: bool,
    /// How to draw, if at all.
    pub draw: Option<Draw>,
    /// What the answer is written in.
    pub output: Output,
    /// What to parse.
    pub source: Source,
}

/// JSON, with an error that says where it is wrong.
pub fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| {
        let place = (error.line() > 0).then(|| (error.line() as u64, error.column() as u64));
        ApiError {
            place,
            ..ApiError::bad_request("malformed_json", format!("the JSON is not right: {error}"))
        }
    })
}

/// Parameters after `?`.
pub fn parameters<T: DeserializeOwned>(uri: &axum::http::Uri) -> Result<T, ApiError> {
    let found = axum::extract::Query::<T>::try_from_uri(uri);
    found.map(|query| query.0).map_err(|error| ApiError::bad_request("malformed_query", error.body_text()))
}

/// Sentences of a JSON request.
pub fn sentences(given: &[SentenceInput]) -> Result<Vec<Sentence>, ApiError> {
    given.iter().enumerate().map(|(place, sentence)| sentence.sentence(place + 1)).collect()
}

fn ask(ensure: Option<&str>, beam: Option<usize>, tags: TagsWanted, keep: bool) -> Result<Ask, ApiError> {
    if beam.is_some_and(|beam| beam == 0 || beam > WIDEST_BEAM) {
        return Err(ApiError::bad_request("beam_out_of_range", format!("beam is from 1 to {WIDEST_BEAM}")));
    }
    let guarantees = ensure.map(str::parse).transpose();
    let guarantees = guarantees.map_err(|error: UnknownGuarantee| {
        ApiError::bad_request("unknown_guarantee", format!("ensure is a list: {error}"))
    })?;
    let tags = match tags {
        TagsWanted::Auto => Tags::Auto,
        TagsWanted::Given => Tags::Given,
        TagsWanted::Predicted => Tags::Predicted,
    };
    Ok(Ask { beam, guarantees, tags, keep, words_only: false })
}

/// Text, cut into paragraphs later.
pub fn text_source(text: Bytes) -> Source {
    Source::Text(Box::new(Blocks::new(Cursor::new(text))))
}

impl Wanted {
    /// Understands a request by its content type.
    pub fn read(
        app: &App,
        uri: &axum::http::Uri,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Wanted, ApiError> {
        let parameters: ParseParameters = parameters(uri)?;
        let input = Input::of(headers, parameters.from.as_deref())?;
        let answer = |format: Option<&str>, default: Output| match format {
            Some(name) => Output::named(name),
            None => Output::negotiate(headers, default),
        };
        if input == Input::Json {
            let request: ParseRequest = json(&body)?;
            let source = match (request.text, &request.sentences) {
                (Some(text), None) => text_source(Bytes::from(text)),
                (None, Some(given)) => Source::Sentences(sentences(given)?.into_iter()),
                _ => {
                    return Err(ApiError::bad_request("no_input", "either text or sentences is needed"));
                }
            };
            return Ok(Wanted {
                ask: ask(request.ensure.as_deref(), request.beam, request.tags, request.keep)?,
                output: answer(request.format.as_deref().or(parameters.format.as_deref()), Output::Json)?,
                model: request.model.or(parameters.model),
                ranges: request.ranges,
                explain: request.explain,
                draw: request.draw,
                source,
            });
        }
        let (source, default) = match input {
            Input::Sentences(format) => {
                let reader = app.reader(body, format)?;
                let format = reader.format();
                (Source::Reader(Box::new(reader)), format)
            }
            _ => (text_source(body), Format::Conllu),
        };
        Ok(Wanted {
            ask: ask(parameters.ensure.as_deref(), parameters.beam, parameters.tags, parameters.keep)?,
            output: answer(parameters.format.as_deref(), Output::Format(default))?,
            model: parameters.model,
            ranges: parameters.ranges,
            explain: false,
            draw: None,
            source,
        })
    }
}
