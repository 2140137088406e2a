//! `POST /v1/oracle`: how a transition system builds the graphs of sentences.

use crate::app::App;
use crate::engine::{Model, Scratch};
use crate::error::{ApiError, ErrorBody};
use crate::media::Input;
use crate::request::{self, json, parameters};
use crate::task;
use crate::wire::{SentenceInput, WireSentence};
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use pleach_graph::{Sentence, enhanced};
use pleach_transition::settings::Preset;
use pleach_transition::story::{Choices, Narrator};
use serde::Deserialize;
use serde_json::{Value, json as value};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// The most words whose derivations are told at once: every configuration lists all words.
const MOST_WORDS: usize = 4000;

/// The most words of one sentence: a derivation grows with their square.
const LONGEST: usize = 400;

/// Sentences with graphs, and the system that builds them.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OracleRequest {
    /// The sentences.
    pub sentences: Vec<SentenceInput>,
    /// A transition parser, whose own derivation is told instead, with the scores of the best legal transitions as `offers`
    /// of every configuration.
    #[serde(default)]
    pub model: Option<String>,
    /// `{st,ss,s2s,sl}-{standard,combined}[-rev]`.
    #[serde(default)]
    #[schema(example = "s2s-combined")]
    pub system: Option<String>,
    /// Where the root is: first, last or none.
    #[serde(default)]
    pub root: Option<String>,
    /// Put the labels aside.
    #[serde(default)]
    pub unlabelled: bool,
    /// Let words be linked to themselves.
    #[serde(default)]
    pub self_arcs: bool,
}

/// The same as parameters, for bodies in a format of graphs.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct OracleParameters {
    /// `{st,ss,s2s,sl}-{standard,combined}[-rev]`; `s2s-combined` when not given.
    pub system: Option<String>,
    /// Where the root is: first, last or none; last when not given.
    pub root: Option<String>,
    /// The format of the body, if its content type doesn't say.
    pub from: Option<String>,
    /// Put the labels aside.
    pub unlabelled: bool,
    /// Let words be linked to themselves.
    pub self_arcs: bool,
}

/// The derivation of every sentence, as `pleach oracle --json` gives it
#[utoipa::path(
    post, path = "/v1/oracle", tag = "pleach", params(OracleParameters),
    request_body(content((OracleRequest = "application/json"), (String = "text/x-conllu"))),
    responses(
        (status = 200, description = "`{\"derivations\": […]}`: configurations with stack, second stack, buffer, and the arcs \
         that each transition adds", body = Value),
        (status = 400, description = "The request makes no sense", body = ErrorBody),
        (status = 422, description = "The content can't be used", body = ErrorBody),
        (status = 503, description = "Full, or the time was up", body = ErrorBody),
    )
)]
pub async fn oracle(State(app): State<Arc<App>>, request: Request) -> Response {
    answer_to(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn answer_to(app: &Arc<App>, request: Request) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let body = app.body(body).await?;
    let mut wish: OracleParameters = parameters(&parts.uri)?;
    let mut model = None;
    let size = body.len();
    let sentences: Vec<Sentence> = match Input::of(&parts.headers, wish.from.as_deref())? {
        Input::Json => {
            let request: OracleRequest = json(&body)?;
            model = request.model.as_deref().map(|name| app.models.find(Some(name)).cloned()).transpose()?;
            wish = OracleParameters {
                system: request.system.or(wish.system),
                root: request.root.or(wish.root),
                unlabelled: request.unlabelled,
                self_arcs: request.self_arcs,
                from: None,
            };
            request::sentences(&request.sentences)?
        }
        Input::Sentences(format) => app.reader(body, format)?.collect::<Result<_, _>>()?,
        Input::Text => return Err(ApiError::unsupported("graphs are needed: parse the text first")),
    };
    let unknown = |error: pleach_transition::settings::UnknownName| {
        ApiError::bad_request("unknown_system", error.to_string())
    };
    let preset: Preset = wish.system.as_deref().unwrap_or("s2s-combined").parse().map_err(unknown)?;
    let root = wish.root.as_deref().unwrap_or("last").parse().map_err(unknown)?;
    let words: usize = sentences.iter().map(Sentence::len).sum();
    if words > MOST_WORDS || sentences.iter().any(|sentence| sentence.len() > LONGEST) {
        let message = format!("derivations are told of at most {MOST_WORDS} words, {LONGEST} a sentence");
        return Err(ApiError::unprocessable("too_many_words", message));
    }
    let choices =
        Choices { root, self_arcs: wish.self_arcs, unlabelled: wish.unlabelled, ..Choices::default() };
    let work = task::run(&app.pool, size.max(words * 64), move |wanted, scratch| {
        let mut stories = Vec::with_capacity(sentences.len());
        for mut sentence in sentences {
            wanted.check()?;
            if let Some(model) = &model {
                stories.push(watched(model, &sentence, scratch)?);
                continue;
            }
            enhanced::collapse(&mut sentence);
            let mut narrator = Narrator::new(preset.clone(), choices);
            let story = narrator
                .story(&sentence)
                .map_err(|error| ApiError::unprocessable("no_derivation", error.to_string()))?;
            let mut story = serde_json::to_value(story).map_err(|_| ApiError::internal())?;
            // Its words and arcs are those that the configurations speak of: empty nodes have become labels.
            let told = serde_json::to_value(WireSentence::from(&sentence));
            story["sentence"] = told.map_err(|_| ApiError::internal())?;
            stories.push(story);
        }
        Ok(stories)
    });
    let stories = app.in_time(work).await?;
    Ok(Json(value!({"derivations": stories})).into_response())
}

/// The derivation of a model's own graph, with what else it could have done at every step.
fn watched(model: &Model, sentence: &Sentence, scratch: &mut Scratch) -> Result<Value, ApiError> {
    let watched = model.watch(sentence, scratch).ok_or_else(|| {
        ApiError::unprocessable("no_steps", format!("the model '{}' doesn't go step by step", model.name))
    })?;
    let mut story = serde_json::to_value(watched.story).map_err(|_| ApiError::internal())?;
    story["sentence"] =
        serde_json::to_value(WireSentence::from(&watched.sentence)).map_err(|_| ApiError::internal())?;
    for (place, offers) in watched.offers.iter().enumerate() {
        let offers: Vec<Value> = offers
            .iter()
            .map(|offer| value!({"transition": offer.transition, "score": offer.score, "taken": offer.taken}))
            .collect();
        story["configurations"][place]["offers"] = offers.into();
    }
    Ok(story)
}
